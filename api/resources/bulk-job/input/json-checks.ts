import { TokenType, type ParsedTokenInfo } from "@streamparser/json";
import { UnusableFile } from "./input.ts";

const depthMax = 32;

/** The top-level properties that are read from a body, and the type of each. */
const propertyTypes = {
  users: { type: TokenType.LEFT_BRACKET, name: "an array" },
  serials: { type: TokenType.LEFT_BRACKET, name: "an array" },
  matching: { type: TokenType.LEFT_BRACE, name: "an object" },
} as const;
type Property = keyof typeof propertyTypes;
/** The property of a body that contains its rows. */
export type ListName = Exclude<Property, "matching">;

/**
 * Creates checks that reject what a parser accepts: too much nesting, a property twice in one object, and a top-level
 * property of the body in two spellings or with the wrong type.
 */
export function createChecks(properties: readonly Property[]) {
  /** The names seen in each open object; null for an open array. */
  const open: (Set<string> | null)[] = [];
  const seen = new Set<Property>();
  /** The body's top-level property whose value comes next. */
  let named: Property | undefined;
  let first: TokenType | undefined;
  let last: unknown;

  function takeProperty(name: string): void {
    named = properties.find((known) => known === name.toLowerCase());
    if (named === undefined) return;
    if (seen.has(named)) {
      throw new UnusableFile(`The body has ${named} twice.`, { path: named, reason: "occurs twice" });
    }
    seen.add(named);
  }

  function takeType(name: Property, type: TokenType): void {
    const wanted = propertyTypes[name];
    if (type !== wanted.type) throw new UnusableFile(`${name} must be ${wanted.name}.`, { path: name });
    named = undefined;
  }

  return {
    take({ token, value }: ParsedTokenInfo): void {
      first ??= token;
      if (named !== undefined) takeType(named, token);
      if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) {
        if (open.push(token === TokenType.LEFT_BRACE ? new Set() : null) > depthMax) {
          throw new UnusableFile(`The body is nested deeper than ${depthMax} levels.`);
        }
      } else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) {
        open.pop();
      } else if (token === TokenType.COLON) {
        const names = open.at(-1);
        if (names?.has(String(last)) === true) throw new UnusableFile("A property occurs twice in one object.");
        names?.add(String(last));
        if (open.length === 1) takeProperty(String(last));
      }
      last = value;
    },
    beganWithObject: () => first === TokenType.LEFT_BRACE,
    has: (name: Property) => seen.has(name),
  };
}
