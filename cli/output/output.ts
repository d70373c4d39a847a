import { once } from "node:events";
import Table from "cli-table3";
import pc from "picocolors";
import type { Colors } from "picocolors/types.js";
import { plain, plainJson } from "../../terminal/output.ts";
import type { Terminal } from "../../terminal/streams.ts";
import { csvLine } from "./csv.ts";
import type { Resource } from "./resource.ts";

export interface OutputChoice {
  json: boolean;
  color: boolean;
}

export type Rows<Row> = AsyncIterable<Row> | Iterable<Row>;

/** Writes data to standard output in the user's format. */
export interface Output {
  /** Whether the command has written any data. */
  readonly begun: boolean;
  /**
   * Writes rows: as a table on a terminal and as tab-separated lines elsewhere; as a JSON array; or as CSV with every
   * property.
   */
  list<Row extends object>(resource: Resource<Row>, rows: Rows<Row>, options: { csv: boolean }): Promise<void>;
  /** Writes one row: a line for each column, or the JSON object. */
  one<Row extends object>(resource: Resource<Row>, row: Row): Promise<void>;
  /** Writes a command's other output: the object for programs, the text for people. */
  answer(json: object, text: string): Promise<void>;
  raw(chunk: string | Uint8Array): Promise<void>;
}

export function createOutput(stdout: Terminal, { json, color }: OutputChoice): Output {
  const colors = pc.createColors(color && stdout.isTTY === true);
  let begun = false;

  /** Writes a chunk and waits if the reader is slower than the command. */
  async function raw(chunk: string | Uint8Array): Promise<void> {
    begun = true;
    if (!stdout.write(chunk)) await once(stdout, "drain");
  }

  return {
    get begun() {
      return begun;
    },
    raw,
    async list(resource, rows, { csv }) {
      if (csv) return writeCsv(raw, resource, rows);
      if (json) return writeJson(raw, rows);
      if (stdout.isTTY === true) return raw(await table(resource, rows, colors));
      for await (const row of rows) await raw(`${textsOf(resource, row, colors).join("\t")}\n`);
    },
    async one(resource, row) {
      if (json) return raw(`${plainJson(row)}\n`);
      const width = Math.max(...resource.columns.map(({ title }) => title.length));
      const separated = (title: string): string =>
        stdout.isTTY === true ? colors.dim(title.padEnd(width + 2)) : `${title}\t`;
      const texts = textsOf(resource, row, colors);
      await raw(resource.columns.map(({ title }, index) => `${separated(title)}${texts[index] ?? ""}\n`).join(""));
    },
    answer: (value, text) => raw(json ? `${plainJson(value)}\n` : `${text}\n`),
  };
}

type Write = (chunk: string) => Promise<void>;

async function writeCsv<Row extends object>(raw: Write, { fields }: Resource<Row>, rows: Rows<Row>): Promise<void> {
  // The header is written with the first row, so a refused list leaves no empty file.
  let head = csvLine(fields);
  for await (const row of rows) {
    await raw(`${head}${csvLine(fields.map((field) => row[field]))}`);
    head = "";
  }
  if (head !== "") await raw(head);
}

/** Writes a JSON array, one element per line, without holding all rows in memory. */
async function writeJson(raw: Write, rows: Rows<object>): Promise<void> {
  let first = true;
  for await (const row of rows) {
    await raw(`${first ? "[\n" : ",\n"}${plainJson(row)}`);
    first = false;
  }
  await raw(first ? "[]\n" : "\n]\n");
}

async function table<Row extends object>(resource: Resource<Row>, rows: Rows<Row>, colors: Colors): Promise<string> {
  const drawn = new Table({
    head: resource.columns.map(({ title }) => colors.bold(title)),
    chars: noLines,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 2 },
  });
  for await (const row of rows) drawn.push(textsOf(resource, row, colors));
  const lines = drawn.toString().split("\n");
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

const noLines = Object.fromEntries(
  [
    ...["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"],
    ...["left", "left-mid", "mid", "mid-mid", "right", "right-mid", "middle"],
  ].map((name) => [name, ""]),
);

/** Returns the text of each column. Control characters are removed before colours are added. */
const textsOf = <Row extends object>({ columns }: Resource<Row>, row: Row, colors: Colors): string[] =>
  columns.map(({ text }) => text(harmless(row), colors));

/** Returns a copy of a row whose texts cannot control a terminal. */
const harmless = <Row extends object>(row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === "string" ? plain(value) : value,
    ]),
  ) as Row;
