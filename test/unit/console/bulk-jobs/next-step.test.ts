import { expect, test } from "vitest";
import { nextStep, type Proposal } from "../../../../console/pages/bulk-jobs/input/files/proposal.ts";
import { readWorkbook } from "../../../../console/pages/bulk-jobs/input/files/read-workbook.ts";
import { summaryOf } from "../../../../console/pages/bulk-jobs/input/files/sheet.ts";
import { givenXlsx } from "../../../support/given/xlsx.ts";

const csv = new Blob(["pairwiseID\r\nada\r\n"]);

/** Returns the proposal for a workbook with this heading, and whether the workbook is closed. */
function givenProposal(heading: string, toCsv: () => Blob): { proposal: Proposal; isClosed: () => boolean } {
  let closed = false;
  const sheets = readWorkbook(givenXlsx({ Leavers: [[heading], ["ada"]] }));
  const proposal: Proposal = {
    form: "xlsx",
    name: "leavers.xlsx",
    workbook: {
      sheets: [...sheets].flatMap(([name, sheet]) => summaryOf(name, sheet) ?? []),
      csv: async () => Promise.resolve().then(toCsv),
      close: () => {
        closed = true;
      },
    },
  };
  return { proposal, isClosed: () => closed };
}

test("a workbook without questions becomes CSV, and is closed", async () => {
  const { proposal, isClosed } = givenProposal("pairwiseID", () => csv);
  expect(await nextStep("offboarding", proposal, () => true)).toMatchObject({ send: { body: csv, type: "text/csv" } });
  expect(isClosed()).toBe(true);
});

test("a workbook that cannot become CSV is closed, which ends its worker", async () => {
  const { proposal, isClosed } = givenProposal("pairwiseID", () => {
    throw new Error("out of memory");
  });
  await expect(nextStep("offboarding", proposal, () => true)).rejects.toThrow("out of memory");
  expect(isClosed()).toBe(true);
});

test("a file is not sent if the user chooses another file, or leaves, while it becomes CSV", async () => {
  let isWanted = true;
  const { proposal, isClosed } = givenProposal("pairwiseID", () => {
    isWanted = false;
    return csv;
  });
  expect(await nextStep("offboarding", proposal, () => isWanted)).toBeUndefined();
  expect(isClosed()).toBe(true);
});

test("a workbook with questions stays open for the answers, except if nobody wants it any more", async () => {
  const [wanted, unwanted] = [givenProposal("Matrikel", () => csv), givenProposal("Matrikel", () => csv)];
  expect(await nextStep("offboarding", wanted.proposal, () => true)).toEqual({ ask: wanted.proposal });
  expect(wanted.isClosed()).toBe(false);
  expect(await nextStep("offboarding", unwanted.proposal, () => false)).toBeUndefined();
  expect(unwanted.isClosed()).toBe(true);
});
