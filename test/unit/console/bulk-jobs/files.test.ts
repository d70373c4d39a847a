import readXlsxFile from "read-excel-file/web-worker";
import { describe, expect, test } from "vitest";
import { columnsToTell, faultsOf, firstChoices } from "../../../../console/pages/bulk-jobs/files/column-choice.ts";
import { readCsvHead, rowsOf } from "../../../../console/pages/bulk-jobs/files/read-csv-head.ts";
import { csvOfSheet, summaryOf, type SheetCell } from "../../../../console/pages/bulk-jobs/files/sheet.ts";
import { unpackedBytesMax, unzip } from "../../../../console/pages/bulk-jobs/files/unzip.ts";
import { givenXlsx, zipOf, type GivenCell } from "../../../support/given/xlsx.ts";

async function sheetsOf(file: Buffer): Promise<Map<string, SheetCell[][]>> {
  const found = await readXlsxFile(new Blob([new Uint8Array(file)]), {
    parseNumber: (digits) => ({ digits }),
    trim: false,
  });
  return new Map(found.map(({ sheet, data }) => [sheet, data as unknown as SheetCell[][]]));
}

const sheetOf = async (rows: readonly (readonly GivenCell[])[]): Promise<SheetCell[][]> =>
  (await sheetsOf(givenXlsx({ People: rows }))).get("People") ?? [];

describe("a workbook", () => {
  const rows: GivenCell[][] = [
    [null],
    ["List of leavers, March"],
    ["Matrikel", "Name", "Born"],
    [{ number: "4711" }, "Zoë & <Mia>", { date: 36_526 }],
    [],
    [{ number: "1.2345678901234568E+18" }, "Ida", null],
    [{ date: 45_000 }, "Ada", null],
    ["0042", 'Alan, "the" one', null],
  ];

  test("is read with the row numbers that the spreadsheet shows, and says which cells it has spoilt", async () => {
    const data = (await sheetOf(rows)).slice(0);
    const summary = summaryOf("People", [[], [], ...data.slice(2)]);

    expect(summary).toMatchObject({ headerRow: 3, rows: 4, headings: ["Matrikel", "Name", "Born"] });
    expect(summary?.samples[0]).toEqual(["4711", "Zoë & <Mia>", "2000-01-01"]);
    expect(summary?.faulty).toEqual([
      { row: 4, column: 2, fault: "date" },
      { row: 6, column: 0, fault: "rounded" },
      { row: 7, column: 0, fault: "date" },
    ]);
  });

  test("becomes CSV of the chosen columns, in which rows keep their places and spoilt ones are empty", async () => {
    const data = [[], [], ...(await sheetOf(rows)).slice(2)];
    const columns = [{ column: "pairwiseID", heading: "pairwiseID" } as const, undefined, undefined];

    expect(csvOfSheet(data, { headerRow: 3, columns, bare: false }).join("")).toBe(
      "pairwiseID\r\n4711\r\n\r\n\r\n\r\n0042\r\n",
    );
  });

  test("without headings is people from its first row on", async () => {
    const data = await sheetOf([["anna"], [], ["otto@x.example"]]);
    const columns = [{ column: "pairwiseID", heading: "" } as const];

    expect(csvOfSheet(data, { headerRow: 1, columns, bare: true }).join("")).toBe("anna\r\n\r\notto@x.example\r\n");
  });

  test("has a summary for each of its sheets, and none for an empty one", async () => {
    const sheets = await sheetsOf(
      givenXlsx({ "A & B": [["Kennung"], ["a"]], Empty: [[]], C: [["userID"], ["1"], ["2"]] }),
    );

    expect([...sheets].map(([name, data]) => summaryOf(name, data)?.rows)).toEqual([1, undefined, 2]);
    expect([...sheets.keys()]).toEqual(["A & B", "Empty", "C"]);
  });

  test("is unpacked without its pictures, and not at all when that would take too much", () => {
    const names: string[][] = [];
    const errors: (string | undefined)[] = [];
    const unpack = (archive: Buffer) => {
      unzip(new Uint8Array(archive), (error, files) => {
        errors.push(error?.message);
        names.push(Object.keys(files));
      });
    };

    unpack(zipOf({ "xl/workbook.xml": "<a/>", "xl/media/picture.png": "x", "xl/_rels/workbook.xml.rels": "<b/>" }));
    unpack(
      zipOf({ "a.xml": "<a/>", "b.xml": "<b/>" }, { "a.xml": unpackedBytesMax / 2, "b.xml": unpackedBytesMax / 2 + 1 }),
    );
    unpack(Buffer.from("no archive"));

    expect(names).toEqual([["xl/workbook.xml", "xl/_rels/workbook.xml.rels"], [], []]);
    expect(errors).toEqual([undefined, "too large", expect.any(String)]);
  });
});

describe("a CSV file", () => {
  test.each([
    [
      "a;b\r\n1;2\r\n",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    ['\ufeffsep=,\r\na,b\n\n1,"x, ""y""\n z"', [["a", "b"], [""], ["1", 'x, "y"\n z']]],
    [
      "a\tb\r1\t'=2",
      [
        ["a", "b"],
        ["1", "=2"],
      ],
    ],
  ])("%j is read into its cells", (text, cells) => {
    expect(rowsOf(text)).toEqual(cells);
  });

  test("that is UTF-8 is known as that, wherever its letters are", async () => {
    const head = await readCsvHead(new Blob([`Kennung;Name\n${"a;b\n".repeat(100_000)}ä;ö\n`]));
    expect(head).toMatchObject({ charset: undefined, headings: ["Kennung", "Name"] });
    expect(head.samples).toHaveLength(5);
  });

  test("that is not is shown with the rows in which that tells, wherever its first other letter is", async () => {
    const text = Buffer.from(`Kennung;Name\n${"a;b\n".repeat(100)}x;J\u00e4ger\n`, "latin1");
    const head = await readCsvHead(new Blob([text]));
    expect(head.charset).toBe("windows-1252");
    expect(head.samples[0]).toEqual(["x", "Jäger"]);

    const late = Buffer.from(`Kennung;Name\n${"a;b\n".repeat(100_000)}x;J\u00e4ger\n`, "latin1");
    expect((await readCsvHead(new Blob([late]))).charset).toBe("windows-1252");
  });
});

describe("the columns of a table", () => {
  test("are asked about where the heading does not say it", () => {
    const headings = ["Matrikel", "E-Mail", "Stand", "", "Profilname"];
    const choices = firstChoices("onboarding", headings);

    expect(choices).toEqual([undefined, "email", "ignore", "ignore", "profileName"]);
    expect(faultsOf("onboarding", choices).map(({ key }) => key)).toEqual(["open", "profile"]);
    const chosen = ["pairwiseID", "ignore", "ignore", "ignore", "ignore"] as const;
    expect(faultsOf("onboarding", chosen)).toEqual([]);
    expect(columnsToTell("onboarding", headings, chosen)).toEqual({
      Matrikel: "pairwiseID",
      "E-Mail": "ignore",
      Profilname: "ignore",
    });
  });

  test("cannot be started from without saying who is meant, or with the same twice", () => {
    expect(faultsOf("offboarding", ["ignore"])).toEqual([
      { key: "needed", columns: ["userID", "pairwiseID", "email"] },
    ]);
    expect(faultsOf("offboarding", ["email", "email"])).toEqual([{ key: "twice", columns: ["email"] }]);
  });
});
