import type { GivenCell } from "./xlsx.ts";

/** How many people each file names. */
export const leaversMax = 1_000;

/** A file of leavers, as campuses export them. */
export interface LeaverFile {
  title: string;
  /** The ids of all people in the file, {@link leaversMax} of them. */
  people: readonly string[];
  /** The ids that a reader cannot restore: a failed row has to name each of them. */
  unreadable: readonly string[];
}

const ids = (prefix: string): string[] =>
  Array.from({ length: leaversMax }, (_, n) => `${prefix}-${String(n).padStart(4, "0")}`);
const every = (step: number, people: readonly string[]): string[] => people.filter((_, n) => n % step === step - 1);

/** Joins rows to one text, with the line ends of `ends` in turn. */
const lines = (rows: readonly string[], ends: readonly string[]): string =>
  rows.map((row, n) => `${row}${ends[n % ends.length]}`).join("");

/** Returns the files that are plain text. */
export function leaverTexts(prefix: string): (LeaverFile & { text: string })[] {
  const mixed = ids(`${prefix}-mixed`);
  const mac = ids(`${prefix}-mac`);
  const quoted = ids(`${prefix}-quoted`);
  const errors = ids(`${prefix}-errors`);
  const padded = ids(`${prefix}-blank`);
  const swallowed = quoted.filter((_, n) => n % 100 < 2);
  const failed = every(10, errors);
  return [
    {
      title: "line ends of several programs in one file",
      people: mixed,
      unreadable: [],
      text: lines(["Kennung;E-Mail", ...mixed.map((id) => `${id};`)], ["\r\n", "\n", "\r\n", "\r"]),
    },
    { title: "line ends of old Macs", people: mac, unreadable: [], text: lines(["Kennung", ...mac], ["\r"]) },
    {
      title: "quotation marks that close a line too late",
      people: quoted,
      unreadable: swallowed,
      text: lines(
        [
          "Kennung;E-Mail",
          ...quoted.map((id, n) => (n % 100 === 0 ? `"${id};` : n % 100 === 1 ? `${id}";` : `${id};`)),
        ],
        ["\r\n"],
      ),
    },
    {
      title: "look-ups that failed",
      people: errors,
      unreadable: failed,
      text: lines(
        [
          "Kennung;Anzeigename",
          ...errors.map((id, n) => `${failed.includes(id) ? (n % 20 === 9 ? "#N/A" : "#NV") : id};${id}`),
        ],
        ["\r\n"],
      ),
    },
    {
      title: "blank lines before the headings and between people",
      people: padded,
      unreadable: [],
      text: lines(
        ["", ";", "Kennung;E-Mail", ...padded.flatMap((id, n) => (n % 7 === 0 ? [";", `${id};`] : [`${id};`]))],
        ["\n"],
      ),
    },
  ];
}

/** Returns the files that are workbooks: the rows of their one sheet, headings first. */
export function leaverSheets(prefix: string): (LeaverFile & { rows: GivenCell[][] })[] {
  const numbers = Array.from({ length: leaversMax }, (_, n) => String(n + 1).padStart(8, "0"));
  const grouped = Array.from({ length: leaversMax }, (_, n) => String(20_000_000 + n));
  const lookups = ids(`${prefix}-lookup`);
  const unreadable = every(10, grouped);
  const failed = every(4, lookups);
  return [
    {
      title: "numbers whose zeros only the format adds",
      people: numbers,
      unreadable: [],
      rows: [["Kennung"], ...numbers.map((id): GivenCell[] => [{ number: String(Number(id)), format: "00000000" }])],
    },
    {
      title: "numbers some of which the format changes",
      people: grouped,
      unreadable,
      rows: [
        ["Kennung", "Name"],
        ...grouped.map((id): GivenCell[] => [
          { number: id, format: unreadable.includes(id) ? "#,##0" : "0" },
          "somebody",
        ]),
      ],
    },
    {
      title: "ids that formulas look up",
      people: lookups,
      unreadable: failed,
      rows: [
        ["Kennung", "Name"],
        ...lookups.map((id, n): GivenCell[] => {
          const formula = `VLOOKUP(B${n + 2},Ids!A:B,2,FALSE)`;
          if (!failed.includes(id)) return [id, id];
          return [n % 8 === 3 ? { error: "#N/A", formula } : { formula }, id];
        }),
      ],
    },
  ];
}
