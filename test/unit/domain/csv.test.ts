import { expect, test } from "vitest";
import { csvLine, csvSeparators, unguardCell } from "../../../domain/csv.ts";
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
] as const)("with the separator %j a cell that contains it is quoted", (separator, line) => {
  expect(csvLine(["x,y", "x;y", "x\ty"], separator)).toBe(line);
});

/** The characters that have a meaning to a guard, a reader or a spreadsheet, and one that has none. */
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

/** The text of a line's only cell. */
const textIn = (line: string): string => {
  const cell = line.slice(0, -2);
  return cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
};

/** Cells as Excel reads them: what follows a closing quotation mark belongs to the cell. */
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
