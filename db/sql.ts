import { createHash } from "node:crypto";

/** A statement with its values apart from its text: the only form in which SQL reaches the database. */
export interface Sql {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Planned for its values each time instead of being prepared; see {@link unprepared}. */
  readonly unprepared?: true;
}

/**
 * A parameterised statement: every `${value}` becomes `$n`, save another `sql` fragment, which is spliced in.
 *
 *     sql`select id from users where realm_id = ${realmId}`
 */
export function sql(strings: TemplateStringsArray, ...values: readonly unknown[]): Sql {
  let text = strings[0] ?? "";
  const bound: unknown[] = [];
  values.forEach((value, index) => {
    if (isSql(value)) {
      text += value.text.replace(/\$(\d+)/g, (_, position: string) => `$${Number(position) + bound.length}`);
      bound.push(...value.values);
    } else {
      bound.push(value);
      text += `$${bound.length}`;
    }
    text += strings[index + 1] ?? "";
  });
  return new Statement(text, bound);
}

/** Fragments one after another. */
export const join = (fragments: readonly Sql[], separator: Sql): Sql =>
  fragments.reduce(
    (joined, fragment, index) => (index === 0 ? fragment : sql`${joined}${separator}${fragment}`),
    sql``,
  );

/** A statement with many forms, or whose best plan depends on its values: it is planned each time it runs. */
export const unprepared = ({ text, values }: Sql): Sql => ({ text, values, unprepared: true });

class Statement implements Sql {
  readonly text: string;
  readonly values: readonly unknown[];
  constructor(text: string, values: readonly unknown[]) {
    this.text = text;
    this.values = values;
  }
}

const isSql = (value: unknown): value is Sql => value instanceof Statement;

const names = new Map<string, string>();

/** More statements than this are a sign of texts that are made up as they go; those run unprepared. */
const namesMax = 1000;

/** The name under which a statement's text is prepared once per connection; undefined when there are too many texts. */
export function preparedName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= namesMax) return undefined;
  const name = createHash("sha256").update(text).digest("base64url").slice(0, 22);
  names.set(text, name);
  return name;
}
