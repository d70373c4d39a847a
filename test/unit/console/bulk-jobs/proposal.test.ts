import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  answersAt,
  chosenOf,
  faultyCells,
  firstAnswers,
  hasQuestions,
  headerRowsOf,
  hiddenRows,
  opensWith,
  tableOf,
  type Proposal,
} from "../../../../console/pages/bulk-jobs/input/files/proposal.ts";
import { readCsvHead, withoutUtf16 } from "../../../../console/pages/bulk-jobs/input/files/read-csv-head.ts";
import { readWorkbook } from "../../../../console/pages/bulk-jobs/input/files/read-workbook.ts";
import { csvOfSheet, summaryOf } from "../../../../console/pages/bulk-jobs/input/files/sheet.ts";
import { hiddenRowFault } from "../../../../domain/bulk-job/input/cell-faults.ts";
import { jobKinds, type JobKind } from "../../../../domain/bulk-job/job.ts";
import { givenXlsx, xlsxOfRows, type GivenCell } from "../../../support/given/xlsx.ts";

/** Returns the proposal for a workbook as the page does, but reads the workbook in this thread. */
function proposalOf(bytes: Uint8Array): Proposal & { form: "xlsx" } {
  const sheets = readWorkbook(bytes);
  return {
    form: "xlsx",
    name: "leavers.xlsx",
    workbook: {
      sheets: [...sheets].flatMap(([name, sheet]) => summaryOf(name, sheet) ?? []),
      csv({ name }, choice) {
        const sheet = sheets.get(name);
        return Promise.resolve(new Blob(csvOfSheet(sheet?.rows ?? [], choice, sheet?.hiddenRows)));
      },
      close: () => undefined,
    },
  };
}

const csvProposal = async (file: Blob): Promise<Proposal> => ({
  ...{ form: "csv", name: "leavers.csv", file },
  head: await readCsvHead(file),
});

const choices = ["ignore", "pairwiseID", "ignore"] as const;

const old = ["Old", true, false];
const leavers = ["Leavers", false, true];

describe.each([
  { file: "xlsxwriter", sheets: [old, leavers] },
  { file: "openpyxl", sheets: [old, leavers] },
  { file: "libreoffice", sheets: [leavers, old] },
  { file: "libreoffice-ods", sheets: [leavers, old] },
  { file: "libreoffice-excel", sheets: [old, leavers] },
  { file: "sheetjs", sheets: [old, leavers] },
  { file: "sheetjs-shared", sheets: [old, leavers] },
  { file: "strict", sheets: [old, leavers] },
  { file: "prefixed", sheets: [old, leavers] },
])("the workbook $file", ({ file, sheets }) => {
  const proposal = proposalOf(readFileSync(`test/fixtures/workbooks/${file}.xlsx`));
  const first = firstAnswers("offboarding", proposal);

  test("is proposed with the sheet that it shows first and the row of its headings, and its chart does not count as a sheet", () => {
    expect(proposal.workbook.sheets.map(({ name, hidden, active }) => [name, hidden, active])).toEqual(sheets);
    expect(first).toMatchObject({
      ...{ sheet: sheets.indexOf(leavers), headerRow: 3, headed: true },
      usesHidden: undefined,
    });
    expect(tableOf(proposal, first).headings).toEqual(["lfd. Nr.", "Kennung", "Name"]);
    expect(hasQuestions("offboarding", proposal)).toBe(true);
  });

  test("becomes the rows that the sheet shows, and its hidden rows only if the user wants them; otherwise each hidden row fails without its content", async () => {
    expect(hiddenRows(proposal, first)).toBe(2);
    const sent = async (usesHidden: boolean) => {
      const { body, rowOffset } = await chosenOf("offboarding", proposal, { ...first, choices, usesHidden });
      expect(rowOffset).toBe(3);
      const lines = (await body.text()).split("\r\n");
      const left = lines.filter((line) => line === `,${hiddenRowFault}`).length;
      return { ids: lines.map((line) => line.split(",")[0]), left };
    };

    const all = ["Kennung", "0042", "0043", "0044", expect.any(String), "0045", ""];
    expect(await sent(true)).toEqual({ ids: all, left: 0 });
    expect(await sent(false)).toEqual({ ids: ["Kennung", "0042", "", "0044", "", "0045", ""], left: 2 });
  });

  test("has a failed row for a cell with a look-up", () => {
    const answers = { ...first, choices };
    expect(faultyCells(proposal, { ...answers, usesHidden: true })).toMatchObject([{ row: 7, column: 1 }]);
    expect(faultyCells(proposal, { ...answers, usesHidden: false })).toEqual([]);
  });
});

const idHeadings: Record<JobKind, string> = {
  onboarding: "E-Mail",
  offboarding: "Kennung",
  reactivation: "Kennung",
  revocation: "Seriennummer",
};

describe.each(jobKinds)("a file for %s with titles above its headings", (kind) => {
  const headings = ["lfd. Nr.", idHeadings[kind], "Bemerkung"];
  const rows = [["Liste, Oktober"], ["Stand", "heute"], headings, ["1", "42", "x"], ["2", "43", "y"]];
  const file = new Blob([rows.map((cells) => `${cells.join(";")}\r\n`).join("")]);

  test.each([
    ["a CSV file", () => csvProposal(file)],
    ["a workbook", () => Promise.resolve(proposalOf(new Uint8Array(givenXlsx({ A: rows }))))],
  ])(
    "is proposed with the row of its headings; the user is asked and can choose any other row (%s)",
    async (_, propose) => {
      const proposal = await propose();
      const first = firstAnswers(kind, proposal);
      expect(first).toMatchObject({ headerRow: 3, headed: true });
      expect(first.choices[1]).not.toBe("ignore");
      expect(tableOf(proposal, first)).toEqual({ headings, samples: rows.slice(3) });
      expect(hasQuestions(kind, proposal)).toBe(true);
      expect(headerRowsOf(proposal, 0).map(({ row }) => row)).toEqual([1, 2, 3, 4, 5]);

      const other = answersAt(kind, proposal, { sheet: 0, headerRow: 4 });
      expect(tableOf(proposal, other).headings).toEqual(["1", "42", "x"]);
      const sent = await chosenOf(kind, proposal, { ...first, choices: ["ignore", first.choices[1], "ignore"] });
      expect(sent.rowOffset).toBe(3);
      expect(await sent.body.text()).not.toContain("Oktober");
    },
  );
});

describe.each(jobKinds)("the proposed sheet of a workbook for %s", (kind) => {
  const list = [[idHeadings[kind]], ["42"]];
  const overview = [["Übersicht"], [{ number: "2" }], ["Stand", "heute"]];
  /** Each sheet's marks: `a` was shown last, `h` is hidden. */
  function proposalWith(sheets: readonly [marks: string, rows: readonly (readonly GivenCell[])[]][]) {
    const proposal = proposalOf(
      new Uint8Array(givenXlsx(Object.fromEntries(sheets.map(([, rows], at) => [`Sheet ${at}`, rows])))),
    );
    for (const [at, sheet] of proposal.workbook.sheets.entries()) {
      sheet.active = sheets[at]?.[0].includes("a") === true;
      sheet.hidden = sheets[at]?.[0].includes("h") === true;
    }
    return proposal;
  }

  test("is the sheet with which the workbook opens, if that sheet has a known heading or no other sheet has one", () => {
    const two = proposalWith([
      ["", list],
      ["a", list],
    ]);
    expect(firstAnswers(kind, two).sheet).toBe(1);
    expect(opensWith(two, 1)).toBeUndefined();
    expect(
      firstAnswers(
        kind,
        proposalWith([
          ["", overview],
          ["a", overview],
        ]),
      ).sheet,
    ).toBe(1);
  });

  test("is the next sheet with a known heading, if the workbook opens with a summary; the page names the summary and asks the user", () => {
    const proposal = proposalWith([
      ["a", overview],
      ["", overview],
      ["", [["Liste"], ...list]],
    ]);
    const first = firstAnswers(kind, proposal);
    expect(first).toMatchObject({ sheet: 2, headerRow: 2, headed: true });
    expect(opensWith(proposal, first.sheet)).toBe("Sheet 0");
    expect(hasQuestions(kind, proposal)).toBe(true);
  });

  test("is a hidden sheet only if there is no visible sheet", () => {
    const withHidden = proposalWith([
      ["ah", list],
      ["", overview],
    ]);
    expect(firstAnswers(kind, withHidden).sheet).toBe(1);
    expect(firstAnswers(kind, proposalWith([["ah", list]])).sheet).toBe(0);
  });
});

describe("a workbook", () => {
  const text = (value: string): string => `t="inlineStr"><is><t>${value}</t></is></c>`;

  test.each(["XFD1048575", "XFD1", "A99999999", "A4294967299", "IW1"])(
    "with a cell at %s is refused before it becomes a table",
    (place) => {
      const row = /\d+$/.exec(place)?.[0] ?? "";
      expect(() => readWorkbook(xlsxOfRows(`<row r="${row}"><c r="${place}" ${text("x")}</row>`))).toThrow("tooWide");
    },
  );

  test("is read up to the last column that a table is allowed to have", () => {
    const { rows = [] } = readWorkbook(xlsxOfRows(`<row r="1"><c r="IV1" ${text("x")}</row>`)).get("A") ?? {};
    expect(rows[0]).toHaveLength(256);
  });

  test("that lacks a part is refused as damaged, not as empty", () => {
    expect(() => readWorkbook(xlsxOfRows(""))).toThrow("damaged");
  });

  test("is read by position if its cells have no references, its rows no order, and its strings another name", () => {
    const sheet = readWorkbook(
      xlsxOfRows(
        `<row><c ${text("Kennung")}<c ${text("Name")}</row><row r="4"><c r="B4" ${text("Alan")}<c r="A4" ${text("alan")}</row>` +
          `<row r="2"><c r="A2" t="s"><v>0</v></c></row>`,
      ),
    ).get("A");
    expect(sheet?.rows.map((row) => row.map((cell) => cell))).toEqual([
      ["Kennung", "Name"],
      ["shared"],
      [],
      ["alan", "Alan"],
    ]);
  });

  test.each(['hidden="1"', 'hidden="true"', 'ht="0" customHeight="1"'])(
    "has a hidden row if the row's attributes are %s",
    (attributes) => {
      const hiddenIn = (given: string) =>
        readWorkbook(
          xlsxOfRows(`<row r="1" ht="15"><c ${text("a")}</row><row r="2" ${given}><c ${text("b")}</row>`),
        ).get("A")?.hiddenRows;
      expect(hiddenIn(attributes)).toEqual(new Set([2]));
      expect(hiddenIn('hidden="false" ht="0.75"')).toEqual(new Set());
    },
  );

  test("with one column of ids makes the page ask, and is read without headings only if the user says so", async () => {
    const proposal = proposalOf(new Uint8Array(givenXlsx({ A: [["anna"], ["otto"]] })));
    expect(hasQuestions("offboarding", proposal)).toBe(true);
    const answers = { ...firstAnswers("offboarding", proposal), headed: false };
    expect(await (await chosenOf("offboarding", proposal, answers)).body.text()).toMatch(/\r\nanna,[^]*otto,/);
    const known = proposalOf(new Uint8Array(givenXlsx({ A: [["Kennung"], ["otto"]] })));
    expect(hasQuestions("offboarding", known)).toBe(false);
  });
});

describe("a CSV file", () => {
  test.each(["\n", "\r\n", "\r"])("with titles is sent from the row of its headings on (%j)", async (end) => {
    const lines = ["Überschrift, März", "", "Nr.;Kennung;Name", "1;zoë;Zoë", "2;ida;Ida", ""];
    const proposal = await csvProposal(new Blob([lines.join(end)]));
    const answers = firstAnswers("offboarding", proposal);

    expect(answers.headerRow).toBe(3);
    expect(tableOf(proposal, answers)).toEqual({
      headings: ["Nr.", "Kennung", "Name"],
      samples: [
        ["1", "zoë", "Zoë"],
        ["2", "ida", "Ida"],
      ],
    });
    const { body, rowOffset } = await chosenOf("offboarding", proposal, { ...answers, choices });
    expect(await body.text()).toBe(`sep=;\n${lines.slice(2).join(end)}`);
    expect(rowOffset).toBe(3);
  });

  test("whose first row has the headings is sent unchanged", async () => {
    const text = "\ufeffsep=;\r\nKennung;Name\r\nzoë;Zoë\r\n";
    const proposal = await csvProposal(new Blob([text]));
    expect(hasQuestions("offboarding", proposal)).toBe(false);
    const { body, rowOffset } = await chosenOf("offboarding", proposal, firstAnswers("offboarding", proposal));
    expect(Buffer.from(await body.arrayBuffer()).toString()).toBe(text);
    expect(rowOffset).toBe(1);
  });

  test("with only ids makes the page ask, and declares on request that it has no headings", async () => {
    const proposal = await csvProposal(new Blob(["anna\notto\n"]));
    expect(hasQuestions("offboarding", proposal)).toBe(true);
    const answers = { ...firstAnswers("offboarding", proposal), headed: false };
    expect(await chosenOf("offboarding", proposal, answers)).toMatchObject({ withoutHeader: true, rowOffset: 0 });
  });

  test.each([
    ["little", (text: string) => Buffer.from(`\ufeff${text}`, "utf16le")],
    ["big", (text: string) => Buffer.from(`\ufeff${text}`, "utf16le").swap16()],
  ])("in UTF-16 (%s endian) is decoded by its byte order mark", async (_, encode) => {
    const file = await withoutUtf16(new Blob([new Uint8Array(encode("Kennung\tName\r\nzoë\tZoë\r\n"))]));
    expect(await file.text()).toBe("Kennung\tName\r\nzoë\tZoë\r\n");
    expect(await readCsvHead(file)).toMatchObject({ charset: undefined, top: [{ cells: ["Kennung", "Name"] }, {}] });
    const other = new Blob(["Kennung\n"]);
    expect(await withoutUtf16(other)).toBe(other);
  });
});
