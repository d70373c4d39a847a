import { describe, expect, test } from "vitest";
import { namedColumns, faultsOf, firstChoices } from "../../../../console/pages/bulk-jobs/input/files/column-choice.ts";
import { readCsvHead, rowsOf } from "../../../../console/pages/bulk-jobs/input/files/read-csv-head.ts";
import { isZip, unpackedBytes, unpackedBytesMax } from "../../../../console/pages/bulk-jobs/input/files/packed-size.ts";
import { readWorkbook } from "../../../../console/pages/bulk-jobs/input/files/read-workbook.ts";
import { csvOfSheet, summaryOf, type SheetCell } from "../../../../console/pages/bulk-jobs/input/files/sheet.ts";
import { givenXlsx, zipOf, type GivenCell } from "../../../support/given/xlsx.ts";

const sheetOf = (rows: readonly (readonly GivenCell[])[]): SheetCell[][] =>
  readWorkbook(new Uint8Array(givenXlsx({ People: rows }))).get("People")?.rows ?? [];

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

  test("is read with the row numbers that the spreadsheet shows, and with a list of the cells that the spreadsheet damaged", () => {
    const data = [[], [], ...sheetOf(rows).slice(2)];
    const summary = summaryOf("People", { rows: data, hiddenRows: new Set([2, 6]), hidden: false, active: true });

    expect(summary).toMatchObject({ rows: 5, hiddenRows: [6], hidden: false, active: true });
    expect(summary?.top.slice(0, 2)).toEqual([
      { row: 3, cells: ["Matrikel", "Name", "Born"] },
      { row: 4, cells: ["4711", "Zoë & <Mia>", "2000-01-01"] },
    ]);
    expect(summary?.faulty).toEqual([
      { row: 4, column: 2, fault: "date" },
      { row: 6, column: 0, fault: "rounded" },
      { row: 7, column: 0, fault: "date" },
    ]);
  });

  test("becomes CSV of the chosen columns, in which rows keep their positions and damaged rows fail", () => {
    const data = [[], [], ...sheetOf(rows).slice(2)];
    const columns = [{ column: "pairwiseID", heading: "pairwiseID" } as const, undefined, undefined];

    expect(csvOfSheet(data, { kind: "onboarding", headerRow: 3, columns }).join("")).toBe(
      "pairwiseID,fault\r\n4711,\r\n\r\n" +
        "1234567890123456800,pairwiseID: is a number that the spreadsheet rounded\r\n" +
        "2023-03-15,pairwiseID: is a date that the spreadsheet made from the input\r\n0042,\r\n",
    );
  });

  test("without headings contains people from its first row on", () => {
    const data = sheetOf([["anna"], [], ["otto@x.example"], ["ida", "more"]]);

    expect(csvOfSheet(data, { kind: "offboarding", headerRow: 1, columns: "bare" }).join("")).toBe(
      "pairwiseID,email,fault\r\nanna,,\r\n\r\notto@x.example,otto@x.example,\r\nida,,The row has more than one cell.\r\n",
    );
    expect(csvOfSheet(data.slice(2), { kind: "onboarding", headerRow: 1, columns: "bare" })[1]).toBe(
      ",otto@x.example,\r\n",
    );
  });

  test.each<[GivenCell, SheetCell]>([
    ["0042", "0042"],
    [{ number: "42" }, "42"],
    [{ number: "42", format: "0" }, "42"],
    [{ number: "42", format: "0000" }, "0042"],
    [{ number: "42", format: "@" }, "42"],
    [{ number: "123456789012" }, "123456789012"],
    [
      { number: "42", format: "0.00" },
      { text: "42.00", fault: "shown" },
    ],
    [
      { number: "1234", format: "#,##0" },
      { text: "1,234", fault: "shown" },
    ],
    [
      { number: "42", format: '"M"0000' },
      { text: "M0042", fault: "shown" },
    ],
    [
      { number: "1.5", format: "0000" },
      { text: "0002", fault: "shown" },
    ],
    [
      { number: "-4", format: "0000" },
      { text: "-0004", fault: "shown" },
    ],
    [
      { number: "0.4", format: "0%" },
      { text: "40%", fault: "shown" },
    ],
    [
      { number: "42", format: '0000 "M' },
      { text: "42", fault: "shown" },
    ],
    [{ number: "1E+15" }, { text: "1000000000000000", fault: "rounded" }],
    [{ date: 36_526 }, { text: "2000-01-01", fault: "date" }],
    [{ truth: true }, { text: "TRUE", fault: "truth" }],
    [
      { error: "#N/A", formula: "VLOOKUP(A2,Other!A:B,2,FALSE)" },
      { text: "#N/A", fault: "error" },
    ],
    [{ formula: "A2" }, { text: "", fault: "formula" }],
    [
      { number: "0", formula: "Other!A7" },
      { text: "0", fault: "blank" },
    ],
    [{ number: "7", formula: "Other!A7" }, "7"],
    [null, null],
  ])("a cell %j is read as %j: what the sheet shows, or a fault", (given, read) => {
    expect(sheetOf([["x", given]])[0]?.[1] ?? null).toEqual(read);
  });

  test("keeps in the CSV every row that is not empty, even with a failed look-up or without content in the chosen columns", () => {
    const failed = { error: "#N/A", formula: "VLOOKUP(B3,Ids!A:B,2,FALSE)" } as const;
    const data = sheetOf([
      ["Kennung", "Name"],
      ["alice", "Alice"],
      [failed, "Bob"],
      [null, "Total: 3"],
      [],
      ["mkeller", "M"],
    ]);

    const columns = [{ column: "pairwiseID", heading: "Kennung" } as const, undefined];
    expect(csvOfSheet(data, { kind: "offboarding", headerRow: 1, columns })).toEqual([
      "Kennung,fault\r\n",
      "alice,\r\n",
      "#N/A,pairwiseID: is an error of a spreadsheet\r\n",
      ",userID or pairwiseID or email: is missing\r\n",
      "\r\n",
      "mkeller,\r\n",
    ]);
  });

  test("has a summary for each sheet that is not empty", () => {
    const sheets = readWorkbook(
      new Uint8Array(givenXlsx({ "A & B": [["Kennung"], ["a"]], Empty: [[]], C: [["userID"], ["1"], ["2"]] })),
    );

    expect([...sheets].map(([name, data]) => summaryOf(name, data)?.rows)).toEqual([2, undefined, 3]);
    expect([...sheets.keys()]).toEqual(["A & B", "Empty", "C"]);
  });

  test("is measured before it is unpacked, by its own list of parts", () => {
    const half = unpackedBytesMax / 2;
    const archive = zipOf({ "a.xml": "<a/>", "b.xml": "<b/>" }, { "a.xml": half, "b.xml": half + 1 });

    expect(unpackedBytes(new Uint8Array(archive))).toBe(unpackedBytesMax + 1);
    expect(unpackedBytes(new Uint8Array(zipOf({ "a.xml": "<a/>" })))).toBe(4);
    expect(isZip(new Uint8Array(archive))).toBe(true);
    expect(isZip(new Uint8Array(Buffer.from("Kennung;E-Mail")))).toBe(false);
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

  test("in UTF-8 is recognized, wherever its non-ASCII letters are", async () => {
    const head = await readCsvHead(new Blob([`Kennung;Name\n${"a;b\n".repeat(100_000)}ä;ö\n`]));
    expect(head).toMatchObject({ charset: undefined });
    expect(head.top[0]).toMatchObject({ row: 1, cells: ["Kennung", "Name"], separator: ";", offset: 0 });
    expect(head.top[0]?.samples).toHaveLength(5);
  });

  test("in another encoding is shown with rows that reveal the encoding, wherever its first non-ASCII letter is", async () => {
    const text = Buffer.from(`Kennung;Name\n${"a;b\n".repeat(100)}x;J\u00e4ger\n`, "latin1");
    const head = await readCsvHead(new Blob([text]));
    expect(head.charset).toBe("windows-1252");
    expect(head.top[0]?.samples[0]).toEqual(["x", "Jäger"]);

    const late = Buffer.from(`Kennung;Name\n${"a;b\n".repeat(100_000)}x;J\u00e4ger\n`, "latin1");
    expect((await readCsvHead(new Blob([late]))).charset).toBe("windows-1252");
  });
});

describe("the columns of a table", () => {
  test("make the page ask if a heading does not name them", () => {
    const headings = ["Matrikel", "E-Mail", "Stand", "", "Profilname"];
    const choices = firstChoices("onboarding", headings);

    expect(choices).toEqual([undefined, "email", "ignore", "ignore", "profileName"]);
    expect(faultsOf("onboarding", choices).map(({ key }) => key)).toEqual(["open", "profile"]);
    const chosen = ["pairwiseID", "ignore", "ignore", "ignore", "ignore"] as const;
    expect(faultsOf("onboarding", chosen)).toEqual([]);
    expect(namedColumns("onboarding", headings, chosen)).toEqual({
      Matrikel: "pairwiseID",
      "E-Mail": "ignore",
      Profilname: "ignore",
    });
  });

  test("do not let a job start without a column that names people, or with the same column twice", () => {
    expect(faultsOf("offboarding", ["ignore"])).toEqual([
      { key: "needed", columns: ["userID", "pairwiseID", "email"] },
    ]);
    expect(faultsOf("offboarding", ["email", "email"])).toEqual([{ key: "twice", columns: ["email"] }]);
  });

  test.each([
    ["E-Mail", "E-Mail"],
    ["E-Mail", "email"],
  ])("of a CSV file with the headings %s and %s cannot differ in their use", (one, other) => {
    const headings = ["Kennung", one, other];
    const table = { form: "csv", headings } as const;

    expect(faultsOf("offboarding", ["pairwiseID", "email", "ignore"], table)).toEqual([
      { key: "heading", headings: [...new Set([one, other])] },
    ]);
    expect(faultsOf("offboarding", ["pairwiseID", "ignore", "ignore"], table)).toEqual([]);
    // A workbook's columns are chosen by position.
    expect(faultsOf("offboarding", ["pairwiseID", "email", "ignore"], { form: "xlsx", headings })).toEqual([]);
  });
});
