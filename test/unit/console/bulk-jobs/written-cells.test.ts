import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readWorkbook } from "../../../../console/pages/bulk-jobs/input/files/read-workbook.ts";
import type { SheetCell } from "../../../../console/pages/bulk-jobs/input/files/sheet.ts";

/** A cell of the workbooks below test/fixtures/workbooks. `only` one program can write it. */
interface WrittenCell {
  cell: string;
  only?: string;
  read: SheetCell;
}

const written = JSON.parse(readFileSync("test/fixtures/workbooks/cells.json", "utf8")) as WrittenCell[];

describe.each([
  { file: "libreoffice-cells", program: "libreoffice" },
  { file: "libreoffice-ods-cells", program: "libreoffice" },
  { file: "strict-cells", program: "libreoffice" },
  { file: "prefixed-cells", program: "libreoffice" },
  { file: "sheetjs-cells", program: "sheetjs" },
  { file: "sheetjs-shared-cells", program: "sheetjs" },
])("the workbook $file", ({ file, program }) => {
  const rows = readWorkbook(readFileSync(`test/fixtures/workbooks/${file}.xlsx`)).get("Cells")?.rows ?? [];
  const found = new Map(rows.map(([label, cell]) => [label, cell ?? null]));
  const cells = written.filter(({ only }) => only === undefined || only === program);

  test.each(cells)("has $cell, which is read as the sheet shows it, or is faulty", ({ cell, read }) => {
    // Calc writes a formula's TRUE from an .ods as the number 1 that its format shows as TRUE.
    const otherwise = file === "libreoffice-ods-cells" && cell === "a formula that makes TRUE";
    expect(found.get(cell)).toEqual(otherwise ? { text: "TRUE", fault: "shown" } : read);
  });

  test("has no other cells", () => {
    expect(rows).toHaveLength(written.length);
  });
});
