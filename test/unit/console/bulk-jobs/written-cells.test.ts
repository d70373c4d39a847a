import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readWorkbook } from "../../../../console/pages/bulk-jobs/input/files/read-workbook.ts";
import type { SheetCell } from "../../../../console/pages/bulk-jobs/input/files/sheet.ts";

/** A cell of the workbooks below test/fixtures/workbooks; only the programs in `only` can write it. */
interface WrittenCell {
  cell: string;
  only?: string[];
  formula?: string;
  read: SheetCell;
}

const written = JSON.parse(readFileSync("test/fixtures/workbooks/cells.json", "utf8")) as WrittenCell[];

describe.each([
  { file: "libreoffice-cells", program: "libreoffice" },
  { file: "libreoffice-ods-cells", program: "libreoffice" },
  { file: "strict-cells", program: "libreoffice" },
  { file: "prefixed-cells", program: "libreoffice" },
  { file: "xlsxwriter-cells", program: "xlsxwriter" },
  { file: "openpyxl-cells", program: "openpyxl" },
  { file: "sheetjs-cells", program: "sheetjs" },
  { file: "sheetjs-shared-cells", program: "sheetjs" },
])("the workbook $file", ({ file, program }) => {
  const rows = readWorkbook(readFileSync(`test/fixtures/workbooks/${file}.xlsx`)).get("Cells")?.rows ?? [];
  const found = new Map(rows.map(([label, cell]) => [label, cell ?? null]));
  const cells = written.filter(({ only }) => only === undefined || only.includes(program));

  /**
   * Returns the content that is read from a cell which this program writes differently from all others; undefined for
   * other cells.
   */
  function otherwise({ cell, formula }: WrittenCell): SheetCell | undefined {
    if (program === "openpyxl" && formula !== undefined) return { text: "", fault: "formula" };
    // Calc writes a formula's TRUE from an .ods as the number 1 that its format shows as TRUE.
    const isShown = file === "libreoffice-ods-cells" && cell === "a formula that makes TRUE";
    return isShown ? { text: "TRUE", fault: "shown" } : undefined;
  }

  test.each(cells)("has $cell, which is read as the sheet shows it, or is faulty", (given) => {
    expect(found.get(given.cell)).toEqual(otherwise(given) ?? given.read);
  });

  test("has no other cells", () => {
    expect(rows).toHaveLength(written.length);
  });
});
