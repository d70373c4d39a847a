import {
  textOperators,
  timeOperators,
  type DirectoryFilter,
  type TextComparison,
  type TextOperator,
  type TimeOperator,
} from "../../domain/people/directory.ts";
import { scimFilterLengthMax } from "../../domain/limits.ts";
import { UserID } from "../../domain/ids.ts";
import { filters } from "../contract/filters.ts";
import { isText } from "../http/json-text.ts";
import { booleanOf } from "./attributes.ts";
import { ScimError } from "./scim-error.ts";

/**
 * Filters above these limits are refused: no directory needs more, and every level and comparison costs the database.
 */
const levelsMax = 10;
const comparisonsMax = 20;

const offered =
  "Offered are userName, externalId, displayName and emails.value with eq, ne, co, sw, ew and pr; id and active with eq; " +
  'meta.created and meta.lastModified with gt, ge, lt and le; emails.type eq "work", emails.primary eq true; and, or, not.';

const refused = (why: string): ScimError => new ScimError(`${why} ${offered}`, { fault: "invalidFilter" });

const schema = "urn:ietf:params:scim:schemas:core:2.0:user:";

const texts: ReadonlyMap<string, TextComparison["attribute"]> = new Map([
  ["username", "userName"],
  ["externalid", "externalId"],
  ["displayname", "displayName"],
  ["emails", "email"],
  ["emails.value", "email"],
]);

const times: ReadonlyMap<string, "created" | "updated"> = new Map([
  ["meta.created", "created"],
  ["meta.lastmodified", "updated"],
]);

const isTextOperator = (given: string): given is TextOperator => (textOperators as readonly string[]).includes(given);
const isTimeOperator = (given: string): given is TimeOperator => (timeOperators as readonly string[]).includes(given);

/** A string in JSON, a bracket, or a word (an attribute's name, an operator, a number, a boolean or null). */
const token = /\s*(?:("(?:[^"\\]|\\.)*")|([()[\]])|([^\s()[\]"]+))/y;

function tokensOf(text: string): string[] {
  if (text.length > scimFilterLengthMax) throw refused(`A filter has at most ${scimFilterLengthMax} characters.`);
  const tokens: string[] = [];
  token.lastIndex = 0;
  const end = text.trimEnd().length;
  while (token.lastIndex < end) {
    const [, literal, bracket, word] = token.exec(text) ?? [];
    const found = literal ?? bracket ?? word;
    if (found === undefined) throw refused("The filter ends inside of a text.");
    tokens.push(found);
  }
  return tokens;
}

/**
 * Parses a filter (RFC 7644 section 3.4.2.2, figure 1). Throws {@link ScimError} for a malformed, too large or
 * unsupported filter.
 */
export function parseFilter(text: string): DirectoryFilter {
  const tokens = tokensOf(text);
  let at = 0;
  let comparisons = 0;

  const isNext = (word: string): boolean => tokens[at]?.toLowerCase() === word;
  const takes = (word: string): boolean => {
    if (!isNext(word)) return false;
    at++;
    return true;
  };
  const taken = (what: string): string => {
    const next = tokens[at++];
    if (next === undefined) throw refused(`The filter ends where ${what} should be.`);
    return next;
  };

  /** `within`: the attribute whose brackets contain this expression, with a dot; empty outside brackets. */
  const any = (level: number, within: string): DirectoryFilter => {
    if (level > levelsMax) throw refused(`A filter has at most ${levelsMax} levels.`);
    const or = [all(level, within)];
    while (takes("or")) or.push(all(level, within));
    return or.length === 1 ? (or[0] ?? true) : { or };
  };

  const all = (level: number, within: string): DirectoryFilter => {
    const and = [one(level, within)];
    while (takes("and")) and.push(one(level, within));
    return and.length === 1 ? (and[0] ?? true) : { and };
  };

  const one = (level: number, within: string): DirectoryFilter => {
    if (isNext("not") && tokens[at + 1] === "(") {
      at++;
      return { not: one(level + 1, within) };
    }
    if (takes("(")) {
      const inner = any(level + 1, within);
      if (taken("a bracket") !== ")") throw refused("A bracket is not closed.");
      return inner;
    }
    const given = taken("an attribute");
    const attribute = plain(given, within);
    if (within === "" && takes("[")) {
      const inner = any(level + 1, `${attribute}.`);
      if (taken("a bracket") !== "]") throw refused("A bracket is not closed.");
      const sub = tokens[at];
      if (sub === undefined || !/^\.[a-z]+$/i.test(sub)) return inner;
      at++;
      return { and: [inner, comparison(`${attribute}${sub.toLowerCase()}`)] };
    }
    return comparison(attribute);
  };

  const comparison = (attribute: string): DirectoryFilter => {
    if (++comparisons > comparisonsMax) throw refused(`A filter has at most ${comparisonsMax} comparisons.`);
    const operator = taken("an operator").toLowerCase();
    const known = texts.get(attribute);
    if (operator === "pr") {
      if (known === undefined) throw refused("An attribute cannot be compared like this.");
      return { attribute: known, operator };
    }
    return compared(attribute, operator, literalOf(taken("a value")));
  };

  if (tokens.length === 0) throw refused("The filter is empty.");
  const filter = any(1, "");
  if (at < tokens.length) throw refused("The filter has text after its end.");
  return filter;
}

/** Returns the name of an attribute in lower case, without the schema, prefixed with the attribute that contains it. */
function plain(given: string, within: string): string {
  const lower = given.toLowerCase();
  return within + (lower.startsWith(schema) ? lower.slice(schema.length) : lower);
}

function literalOf(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    // Some products write booleans with a capital letter.
    const word = booleanOf(given);
    if (word === undefined) throw refused("A value must be a text, a number, true, false or null.");
    return word;
  }
}

function compared(attribute: string, operator: string, value: unknown): DirectoryFilter {
  const text = texts.get(attribute);
  if (text !== undefined && isTextOperator(operator) && typeof value === "string" && isText(value)) {
    return { attribute: text, operator, value };
  }
  const time = times.get(attribute);
  if (time !== undefined && isTimeOperator(operator)) {
    const instant = filters.instant.safeParse(value);
    if (instant.success) return { attribute: time, operator, value: instant.data };
  }
  if (operator === "eq") {
    if (attribute === "id" && typeof value === "string") {
      return UserID.safeParse(value).success ? { attribute, operator, value } : false;
    }
    const is = booleanOf(value);
    if (attribute === "active" && is !== undefined) return { attribute, operator, value: is };
    const isMain =
      (attribute === "emails.type" && typeof value === "string" && value.toLowerCase() === "work") ||
      (attribute === "emails.primary" && is === true);
    // The service keeps only the main address, whatever its labels.
    if (isMain) return { attribute: "email", operator: "pr" };
  }
  throw refused("An attribute cannot be compared like this.");
}
