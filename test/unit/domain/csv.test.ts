import { expect, test } from "vitest";
import { csvForPeople, csvLine, csvSeparators, unguardCell, type CsvColumn } from "../../../domain/csv.ts";
import { everyText } from "../../support/browser/every-text.ts";

test.each([
  [["a", 1, true, null, ""], "a,1,true,,\r\n"],
  [['say "hi"', "x,y", "two\nlines", "one\rtwo"], '"say ""hi""","x,y","two\nlines","one\rtwo"\r\n'],
  [["=1+1", "+1", "-1", "@x", "\tx", "\rx"], "'=1+1,'+1,'-1,'@x,'\tx,\"'\rx\"\r\n"],
  [["'=1", "''@x", "'abc", "O'Brien", "mia@demo.example"], "''=1,'''@x,'abc,O'Brien,mia@demo.example\r\n"],
  [["a;=1", "a\t+1", "a;'-1", 'a;"@x'], "a;'=1,a\t'+1,a;''-1,\"a;'\"\"@x\"\r\n"],
  [["a,=1", "a\r=1", "a\n=1"], '"a,\'=1","a\r\'=1","a\n\'=1"\r\n'],
  [[-1, { unguarded: "-----BEGIN" }], "-1,-----BEGIN\r\n"],
])("a line of CSV: %j", (cells, line) => {
  expect(csvLine(cells)).toBe(line);
});

test.each([
  [",", '"x,y",x;y,x\ty\r\n'],
  [";", 'x,y;"x;y";x\ty\r\n'],
  ["\t", 'x,y\tx;y\t"x\ty"\r\n'],
] as const)("with the separator %j a cell that contains the separator is quoted", (separator, line) => {
  expect(csvLine(["x,y", "x;y", "x\ty"], separator)).toBe(line);
});

/** The characters that mean something to a guard, a reader or a spreadsheet, and one ordinary character. */
const hostile = ["=", "'", '"', ",", ";", "\t", "\r", "\n", "a"];

test("guarding a cell is undone exactly, whatever the cell contains", () => {
  for (const text of everyText(hostile, 5)) {
    const cell = textIn(csvLine([text]));
    if (unguardCell(cell) !== text) expect(unguardCell(cell)).toBe(text);
  }
});

test.each(csvSeparators)("a spreadsheet finds no formula, even if it splits cells at %j", (separator) => {
  for (const written of csvSeparators) {
    for (const text of everyText(hostile, 4)) {
      for (const cell of cellsAsExcel(csvLine(["x", text], written), separator)) {
        if (cell.startsWith("=")) expect({ written, text, cell }).toBe("no formula");
      }
    }
  }
});

interface Row {
  name: string;
  count: number;
  at: string | null;
  serial: string | null;
}

const columns: CsvColumn<Row>[] = [
  { title: "Name", text: ({ name }) => name },
  { title: "Count", text: ({ count }) => count },
  { title: "Created", time: ({ at }) => at },
  { title: "Serial number", serial: ({ serial }) => serial },
];
const summer = {
  name: "=1+1",
  count: 3,
  at: "2026-07-01T22:30:00.123456Z",
  serial: "12345678901234567890123456789012345678",
};
const none = { name: "", count: 0, at: null, serial: null };

test.each([
  [
    { language: "de", zone: "Europe/Berlin" },
    "Name;Count;Created (Europe/Berlin);Serial number",
    "'=1+1;3;02.07.2026 00:30:00;12 3456 7890 1234 5678 9012 3456 7890 1234 5678",
    ";0;;",
  ],
  [
    { language: "en", zone: "Europe/Berlin" },
    "Name,Count,Created (Europe/Berlin),Serial number",
    "'=1+1,3,2026-07-02 00:30:00,12 3456 7890 1234 5678 9012 3456 7890 1234 5678",
    ",0,,",
  ],
  [
    { language: "en", zone: "UTC" },
    "Name,Count,Created (UTC),Serial number",
    "'=1+1,3,2026-07-01 22:30:00,12 3456 7890 1234 5678 9012 3456 7890 1234 5678",
    ",0,,",
  ],
] as const)("a file for people: %j", (reader, heading, line, empty) => {
  const file = csvForPeople(columns, reader);
  expect([file.heading, file.line(summer), file.line(none)]).toEqual([
    `\ufeff${heading}\r\n`,
    `${line}\r\n`,
    `${empty}\r\n`,
  ]);
});

/** Returns the text of a line's only cell. */
const textIn = (line: string): string => {
  const cell = line.slice(0, -2);
  return cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
};

/** Returns cells as Excel reads them: text after a closing quotation mark belongs to the cell. */
function cellsAsExcel(file: string, separator: string): string[] {
  const cells: string[] = [];
  let cell = "";
  let start = true;
  let inQuotes = false;
  for (let at = 0; at < file.length; at += 1) {
    const character = file.charAt(at);
    if (inQuotes) {
      if (character !== '"') cell += character;
      else if (file[at + 1] === '"') cell += file.charAt(++at);
      else inQuotes = false;
    } else if (character === '"' && start) {
      inQuotes = true;
      start = false;
    } else if (character === separator || character === "\r" || character === "\n") {
      cells.push(cell);
      cell = "";
      start = true;
    } else {
      cell += character;
      start = false;
    }
  }
  return [...cells, cell];
}
