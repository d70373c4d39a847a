import type { ApiAnswer } from "../service/api.ts";

export type Schema = Record<string, ApiAnswer["body"]>;

/** Makes a random generator with the same choices for the same seed (mulberry32). */
export function createRandom(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const random = {
    /** Returns true with this probability. */
    chance: (probability: number): boolean => next() < probability,
    integer: (min: number, max: number): number => min + Math.floor(next() * (max - min + 1)),
    pick: <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] as Item,
  };
  return random;
}
export type Random = ReturnType<typeof createRandom>;

/** Follows a schema's reference into the document. */
export function resolved(document: Schema, schema: Schema): Schema {
  let found = schema;
  while (typeof found["$ref"] === "string") {
    found = found["$ref"]
      .slice(2)
      .split("/")
      .reduce((inside, name) => inside[name.replaceAll("~1", "/").replaceAll("~0", "~")], document);
  }
  return found;
}

/** Returns a value that a JSON schema of our document accepts, as far as the schema is specific. */
export function sampleOf(document: Schema, unresolved: Schema, random: Random): unknown {
  const schema = resolved(document, unresolved);
  if ("const" in schema) return schema["const"];
  if (schema["enum"] !== undefined) return random.pick(schema["enum"] as unknown[]);
  const alternatives = (schema["anyOf"] ?? schema["oneOf"]) as Schema[] | undefined;
  if (alternatives !== undefined) return sampleOf(document, random.pick(alternatives), random);
  const type = Array.isArray(schema["type"]) ? random.pick(schema["type"] as string[]) : (schema["type"] as string);
  switch (type) {
    case "object":
      return Object.fromEntries(
        Object.entries((schema["properties"] ?? {}) as Record<string, Schema>)
          .filter(([name]) => schema["required"]?.includes(name) === true || random.chance(0.4))
          .map(([name, property]) => [name, sampleOf(document, property, random)]),
      );
    case "array":
      return Array.from({ length: random.integer(schema["minItems"] ?? 0, 3) }, () =>
        sampleOf(document, (schema["items"] ?? {}) as Schema, random),
      );
    case "integer":
    case "number":
      return integerOf(schema, random);
    case "boolean":
      return random.chance(0.5);
    case "null":
      return null;
    default:
      return textOf(schema, random);
  }
}

function integerOf({ minimum, maximum, exclusiveMinimum }: Schema, random: Random): number {
  const min = Number(minimum ?? (exclusiveMinimum === undefined ? 0 : Number(exclusiveMinimum) + 1));
  const max = Math.min(Number(maximum ?? 1000), min + 1_000_000);
  return random.pick([min, max, random.integer(min, max)]);
}

function textOf({ format, pattern, minLength = 0, maxLength = 40 }: Schema, random: Random): string {
  if (format === "date-time" || pattern?.includes("T("))
    return `20${random.integer(24, 45)}-05-0${random.integer(1, 9)}T10:00:00.000Z`;
  if (format === "uuid") return `7b0d4a52-6d0f-4a52-8f6e-5b9f2ac6${random.integer(1000, 9999)}`;
  if (format === "uri") return random.pick(["https://example.org/x", "http://localhost:8080/back"]);
  if (format === "email") return "somebody@example.org";
  if (typeof pattern === "string" && /0-9|\\d/.test(pattern)) return String(random.integer(1, 99_999));
  const words = [
    "laptop",
    "Mia’s phone 📱",
    "true",
    "false",
    "2025-01-01",
    "42",
    "%_\\",
    "' or 1=1 --",
    "pkcs12",
    "Ж",
    "",
  ];
  const text = random.pick(words);
  return text.length >= minLength ? text.slice(0, maxLength) : "a".repeat(minLength);
}
