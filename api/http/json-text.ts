import { ServiceError } from "../../domain/errors.ts";

/** Deeper than any request is; deep enough for nothing to overflow further in. */
const depthMax = 32;

/**
 * The value of a JSON text. Refuses, as `invalid_request`, what is no JSON, what is nested deeper than 32 levels, a
 * property that occurs twice in one object, and strings that are not text: with NUL, or with half a surrogate pair.
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

/** Walks over a text that is known to be JSON: brackets, strings and colons are all that matters. */
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

/** Whether a string can be stored and shown: no NUL, no lone surrogate. */
export const isText = (value: string): boolean => !notText.test(value);

const malformed = (description: string): ServiceError => new ServiceError("invalid_request", { description });

/** JSON with the properties of every object in one order, so that the same content is the same text. */
export function canonicalJson(value: unknown): string {
  const text = JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) as string | undefined; // There is none for undefined, of which the type knows nothing.
  return text ?? "";
}
