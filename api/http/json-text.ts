import { ServiceError } from "../../domain/errors.ts";

/** The deepest nesting: deeper than any valid request, and shallow enough that no later code overflows. */
const depthMax = 32;

/**
 * Parses a JSON text. Throws `invalid_request` for malformed JSON, more than 32 levels of nesting, a property that
 * occurs twice in one object, and strings that are not text (NUL, or half a surrogate pair).
 */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ServiceError("invalid_request", { description: "The body is not valid JSON.", cause });
  }
  checkStructure(text);
  return value;
}

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/** Checks a text that is known to be JSON: only brackets, strings and colons matter. */
function checkStructure(text: string): void {
  /** The names seen in each open object; null for an open array. */
  const open: (Set<string> | null)[] = [];
  let string = "";
  for (const [token] of text.matchAll(tokens)) {
    if (token === "{" || token === "[") {
      if (open.push(token === "{" ? new Set() : null) > depthMax)
        throw malformed(`The body is nested deeper than ${depthMax} levels.`);
    } else if (token === "}" || token === "]") {
      open.pop();
    } else if (token === ":") {
      const names = open.at(-1);
      if (names?.has(string)) throw malformed("A property occurs twice in one object.");
      names?.add(string);
    } else {
      string = token.includes("\\") ? (JSON.parse(token) as string) : token.slice(1, -1);
      if (!isText(string)) throw malformed("A string contains NUL or half a surrogate pair.");
    }
  }
}

const notText = /[\0\p{Cs}]/u;

/** Returns whether a string can be stored and shown: no NUL, no lone surrogate. */
export const isText = (value: string): boolean => !notText.test(value);

const malformed = (description: string): ServiceError => new ServiceError("invalid_request", { description });
