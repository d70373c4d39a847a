import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import texts from "../../console/texts/en.json" with { type: "json" };
import type { SheetSummary } from "../../console/pages/bulk-jobs/input/files/sheet.ts";
import { givenXlsx, xlsxOfRows, type GivenCell } from "../support/given/xlsx.ts";
import { jobRowsMax } from "../../domain/limits.ts";

/** Browsers give a page several times as much memory. */
const heapMegabytes = 768;

/** Provides the globals of a browser's worker that the script uses. */
const asInBrowser = `
  const { parentPort, workerData } = require("node:worker_threads");
  globalThis.postMessage = (answer) => parentPort.postMessage(answer);
  globalThis.addEventListener = (_, listener) => parentPort.on("message", (data) => listener({ data }));
  void import(workerData);
`;

type Answer = { sheets: SheetSummary[] } | { csv: Blob } | { error: string };

/** Starts the console's built script that reads workbooks, in a thread with limited memory. */
async function startReader() {
  const assets = resolve("dist/console/assets");
  const name = (await readdir(assets)).find((file) => /^xlsx-worker-.*\.js$/.test(file));
  if (name === undefined) throw new Error("there is no console in dist/: run `node build.mjs`");
  const worker = new Worker(asInBrowser, {
    eval: true,
    workerData: resolve(assets, name),
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  });
  onTestFinished(async () => {
    await worker.terminate();
  });
  return (question: object): Promise<Answer> =>
    new Promise((answered, failed) => {
      worker.once("message", answered).once("error", failed);
      worker.postMessage(question);
    });
}

test(`the reader turns a workbook of ${jobRowsMax} rows and ten columns into CSV within ${heapMegabytes} MB`, async () => {
  const ask = await startReader();
  const others = Array.from({ length: 8 }, (_, column) => `Other ${column}`);
  const rows: GivenCell[][] = [["Kennung", "E-Mail", ...others]];
  for (let row = 0; row < jobRowsMax; row++) {
    rows.push([`user-${row}@example.org`, `u${row}@mail.example.org`, ...others.map((other) => `${other} of ${row}`)]);
  }
  const read = await ask({ ask: "read", file: new Blob([new Uint8Array(givenXlsx({ People: rows }))]) });
  if (!("sheets" in read)) throw new Error(JSON.stringify(read));
  expect(read.sheets).toMatchObject([{ rows: jobRowsMax + 1, hiddenRows: [], faulty: [] }]);

  const columns = [
    { column: "pairwiseID", heading: "Kennung" } as const,
    { column: "email", heading: "E-Mail" } as const,
  ];
  const made = await ask({ ask: "csv", sheet: "People", headerRow: 1, kind: "onboarding", columns });
  if (!("csv" in made)) throw new Error(JSON.stringify(made));
  const lines = (await made.csv.text()).trimEnd().split("\r\n");
  expect(lines).toHaveLength(jobRowsMax + 1);
  // The last column contains a row's problem; it is empty for this row.
  expect(lines.at(-1)).toBe(`user-${jobRowsMax - 1}@example.org,u${jobRowsMax - 1}@mail.example.org,`);
});

test.each(["XFD1048575", "A1048577"])(
  `the reader rejects a small workbook with a cell at %s within ${heapMegabytes} MB, and reads the next workbook`,
  async (place) => {
    const ask = await startReader();
    const cell = (at: string): string =>
      `<row r="${/\d+$/.exec(at)?.[0] ?? ""}"><c r="${at}" t="inlineStr"><is><t>x</t></is></c></row>`;
    const file = xlsxOfRows(cell("A1") + cell(place));
    expect(file.length).toBeLessThan(2_000);
    expect(await ask({ ask: "read", file: new Blob([new Uint8Array(file)]) })).toEqual({ error: "tooWide" });
    expect(texts.jobs.refused.workbook.tooWide).toContain("more than 256 columns or 1,048,576 rows");
    const small = xlsxOfRows(cell("A1"));
    expect(await ask({ ask: "read", file: new Blob([new Uint8Array(small)]) })).toMatchObject({
      sheets: [{ rows: 1 }],
    });
  },
);
