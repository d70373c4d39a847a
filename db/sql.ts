import { createHash } from "node:crypto";

// Set by the class itself, because only it can call its constructor.
let make: (text: string, values: readonly unknown[], way?: "unprepared" | "lookup") => Sql;

/**
 * A statement with its values separate from its text: the only form in which SQL reaches the database. Created only in
 * this module.
 */
export class Sql {
  readonly text: string;
  /** Whether the statement is planned for its values each time, not prepared; see {@link unprepared}. */
  readonly isUnprepared: boolean;
  /** Whether the statement reads a few rows by their keys; see {@link lookup}. */
  readonly isLookup: boolean;
  // Private, so no other object can pass for a statement.
  readonly #values: readonly unknown[];

  private constructor(text: string, values: readonly unknown[], way?: "unprepared" | "lookup") {
    this.text = text;
    this.#values = values;
    this.isUnprepared = way === "unprepared";
    this.isLookup = way === "lookup";
  }

  get values(): readonly unknown[] {
    return this.#values;
  }

  static {
    make = (text, values, way) => new Sql(text, values, way);
  }
}

/**
 * Builds a parameterised statement: every `${value}` becomes `$n`, except another `sql` fragment, which is spliced in.
 *
 *     sql`select id from users where realm_id = ${realmId}`
 */
export function sql(strings: TemplateStringsArray, ...values: readonly unknown[]): Sql {
  let text = strings[0] ?? "";
  const bound: unknown[] = [];
  values.forEach((value, index) => {
    if (value instanceof Sql) {
      text += value.text.replace(/\$(\d+)/g, (_, position: string) => `$${Number(position) + bound.length}`);
      bound.push(...value.values);
    } else {
      bound.push(value);
      text += `$${bound.length}`;
    }
    text += strings[index + 1] ?? "";
  });
  const isUnprepared = values.some((value) => value instanceof Sql && value.isUnprepared);
  return make(text, bound, isUnprepared ? "unprepared" : undefined);
}

/** Joins fragments with a separator. */
export const join = (fragments: readonly Sql[], separator: Sql): Sql =>
  fragments.reduce(
    (joined, fragment, index) => (index === 0 ? fragment : sql`${joined}${separator}${fragment}`),
    sql``,
  );

/**
 * Marks a statement that has many forms, or whose best plan depends on its values: the statement, and any statement
 * that contains it, is planned each time it runs.
 */
export const unprepared = ({ text, values }: Sql): Sql => make(text, values, "unprepared");

/**
 * Builds a statement as `sql` does, for reading a few rows by their keys without locks: outside transactions the
 * statement may use a connection that other lookups share, where a slow statement would delay the statements behind it.
 */
export function lookup(strings: TemplateStringsArray, ...fragments: readonly unknown[]): Sql {
  const { text, values } = sql(strings, ...fragments);
  return make(text, values, "lookup");
}

/**
 * Returns values as an array of a type such as `uuid[]`, whose length does not affect the plan. With the array itself
 * Postgres plans the statement for its length each time, which costs more than running a statement on a hot path.
 */
export const ofAnyLength = (values: readonly unknown[], type: Sql): Sql => sql`(select ${values}::${type})`;

/**
 * Returns a text as a statement, unchanged: for text that cannot be a parameter, such as the name of a schema, and for
 * texts from packages. Never pass outside input; lint lists the modules that may import this function.
 */
export const verbatim = (text: string, values: readonly unknown[] = []): Sql => make(text, values);

const names = new Map<string, string>();

/** More texts than this suggest that statements are generated; the rest run unprepared. */
const namesMax = 1000;

/**
 * Returns the name under which a statement's text is prepared once per connection; undefined when there are too many
 * texts.
 */
export function preparedName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= namesMax) return undefined;
  const name = createHash("sha256").update(text).digest("base64url").slice(0, 22);
  names.set(text, name);
  return name;
}
