/** Reads `test/seeded-faults.md` and puts its faults into source files. */

/** A fault in one line of product code, and the test that must then fail. */
export interface Fault {
  number: number;
  /** The name on the command line. */
  name: string;
  /** The rule that the fault breaks, in one sentence. */
  rule: string;
  /** The file with the fault. */
  file: string;
  /** Lines of the file, without indentation: at most one before the changed line, the changed line, and one after it. */
  lines: { before: string | undefined; changed: string; after: string | undefined };
  /** The line with the fault; undefined if the fault removes the line. */
  replacement: string | undefined;
  testFile: string;
  /** The title of the test as its file contains it; in a table of cases, `%s` and the like stand for the case. */
  title: string;
}

const entry =
  /^### (\d+)\. ([a-z0-9-]+)\n\n(.+)\n\n- In `([^`]+)`\n- Caught by `([^`]+)`: (.+)\n\n```diff\n(?: {2}(.+)\n)?- (.+)\n(?:\+ (.+)\n)?(?: {2}(.+)\n)?```$/gm;

/** Returns the faults of the list. Throws if an entry does not have the required form. */
export function readFaults(list: string): Fault[] {
  const faults = [...list.matchAll(entry)].map(
    ([
      ,
      number,
      name = "",
      rule = "",
      file = "",
      testFile = "",
      title = "",
      before,
      changed = "",
      replacement,
      after,
    ]) => ({
      number: Number(number),
      name,
      rule,
      file,
      lines: { before, changed, after },
      replacement,
      testFile,
      title,
    }),
  );
  const headings = list.match(/^### .*$/gm) ?? [];
  const read = new Set(faults.map(({ number, name }) => `### ${number}. ${name}`));
  const unread = headings.filter((heading) => !read.has(heading));
  if (unread.length > 0) throw new Error(`test/seeded-faults.md: cannot read ${unread.join(", ")}`);
  return faults;
}

/** Returns the text of the source file with the fault. Throws unless the file contains the line exactly once. */
export function withFault(source: string, { number, name, file, lines, replacement }: Fault): string {
  const found = source.split("\n");
  const isAt = (index: number, line: string | undefined): boolean =>
    line === undefined || found[index]?.trim() === line;
  const places = [...found.keys()].filter(
    (index) => isAt(index, lines.changed) && isAt(index - 1, lines.before) && isAt(index + 1, lines.after),
  );
  const [place] = places;
  if (place === undefined || places.length > 1) {
    throw new Error(
      `fault ${number} (${name}): ${file} has this line ${places.length} times, not once: ${lines.changed}`,
    );
  }
  return found.toSpliced(place, 1, ...(replacement === undefined ? [] : [replacement])).join("\n");
}

/** Counts how often a test file contains this title as a string. */
export const countTitle = (source: string, title: string): number =>
  ['"', "'", "`"].reduce((count, quote) => {
    const written = quote + title.replaceAll(quote, `\\${quote}`) + quote;
    return count + source.split(written).length - 1;
  }, 0);

/** Returns a regular expression that matches the title in a run's report. */
export const titlePattern = (title: string): string =>
  title.replace(/%[sdifjo]|\$[\w.]+|[.*+?^${}()|[\]\\]/g, (part) => (/^(%|\$\w)/.test(part) ? ".*" : `\\${part}`));

/**
 * Returns the faults whose number or part of the name is among the words of a command line; all faults if there is no
 * word. Throws if a word matches no fault.
 */
export function choose(faults: readonly Fault[], words: readonly string[]): Fault[] {
  const isMeant = ({ number, name }: Fault, word: string): boolean =>
    /^\d+$/.test(word) ? number === Number(word) : name.includes(word);
  for (const word of words) {
    if (!faults.some((fault) => isMeant(fault, word))) throw new Error(`there is no fault ${word}`);
  }
  return faults.filter((fault) => words.length === 0 || words.some((word) => isMeant(fault, word)));
}
