import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { readInput } from "../../../../../api/resources/bulk-job/input/read-input.ts";
import { columnsForPeople } from "../../../../../api/resources/bulk-job/results/results-for-people.ts";
import type { JobRowView } from "../../../../../api/contract/views/job-row-view.ts";
import type { Job } from "../../../../../db/queries/bulk-job/jobs.ts";
import { cellFaults, hiddenRowFault } from "../../../../../domain/bulk-job/input/cell-faults.ts";
import { jobColumns } from "../../../../../domain/bulk-job/input/columns.ts";
import { jobKinds, type JobKind } from "../../../../../domain/bulk-job/job.ts";
import { rowErrors } from "../../../../../domain/bulk-job/row-errors.ts";
import { readRow } from "../../../../../domain/bulk-job/input/row.ts";
import { rowWords } from "../../../../../domain/bulk-job/results/row-words.ts";

/** Returns the reason for a row in a file for people. */
function reasonOf(language: "de" | "en", kind: JobKind, row: Pick<JobRowView, "error" | "message">): unknown {
  const job = { kind, columns: jobColumns[kind] as readonly string[], rowOffset: 0 } as Job;
  const column = columnsForPeople(job, { language }).find(({ title }) => title === "Fehler" || title === "Error");
  if (column === undefined || !("text" in column)) throw new Error("there is no such column");
  return column.text({ row: 1, status: "failed", ...row });
}

/** Yields every message about an unusable row. */
async function* messages(): AsyncGenerator<[kind: JobKind, message: string]> {
  const cells = ["", "nope", "0", "-1", "\u0001", "x".repeat(300), "a\u200bb", "#N/A", "TRUE", 7, [], {}, true];
  for (const kind of jobKinds) {
    for (const column of jobColumns[kind]) {
      for (const cell of cells) {
        const { message } = readRow(kind, new Map([[column, cell]]));
        if (message !== null) yield [kind, message];
      }
    }
    const deep = "[".repeat(40) + "]".repeat(40);
    const lines = ["7", "{", `{"a":${deep}}`, '{"a":1,"a":2}', '{"a":"\\u0000"}', `"${"x".repeat(70_000)}"`];
    yield* unreadable(kind, "application/x-ndjson", [...lines, '{"email":1,"Email":2}'].join("\n"));
    const [heading, bare] = kind === "revocation" ? ["Seriennummer", "4711"] : ["Kennung", "a"];
    yield* unreadable(kind, "text/csv", `${heading};E-Mail\na;b;c\n`);
    yield* unreadable(kind, "text/csv", `${bare}\nb,c\n`, true);
    yield* unreadable(kind, "text/csv", `${heading};Status\n"a\nb";c\na;"b\nc"\n`);
    // The console reads workbooks, and reports the faults of their cells in these words.
    for (const fault of Object.values(cellFaults)) yield [kind, `${jobColumns[kind][0]}: ${fault}`];
    yield [kind, hiddenRowFault];
  }
}

async function* unreadable(
  kind: JobKind,
  type: string,
  text: string,
  withoutHeader = false,
): AsyncGenerator<[kind: JobKind, message: string]> {
  const bytes = Readable.from([Buffer.from(text)]) as AsyncIterable<Buffer>;
  const input = await readInput(
    kind,
    { type, charset: undefined, bytes },
    { columns: {}, ignoreUnknown: false, withoutHeader },
  );
  if ("matching" in input) throw new Error("a file with rows has no matching");
  for await (const row of input.rows) if (row?.fault !== undefined) yield [kind, row.fault];
}

test("every reason why a row cannot be used has a German text", async () => {
  const seen: string[] = [];
  for await (const [kind, message] of messages()) {
    seen.push(message);
    const text = reasonOf("de", kind, { error: "invalid_row", message });
    expect(text, message).not.toMatch(/\b(?:must|is|the|row|line|has|or|twice)\b/i);
    expect(reasonOf("en", kind, { error: "invalid_row", message })).toBe(message);
  }
  for (const [pattern] of rowWords.de.reasons) {
    expect(
      seen.some((message) => pattern.test(message.replace(/^[A-Za-z ]+: /, ""))),
      String(pattern),
    ).toBe(true);
  }
});

const { invalid_row: _, ...others } = rowErrors;

test.each(Object.entries(others))("%s is shown in both languages", (error, message) => {
  expect(reasonOf("de", "offboarding", { error, message })).toBe(rowWords.de.errors[error as keyof typeof rowErrors]);
  expect(reasonOf("en", "offboarding", { error, message })).toBe(message);
});

test("a row without an error has no reason", () => {
  expect(reasonOf("de", "offboarding", { error: null, message: null })).toBeNull();
});

test("an error of a later release is shown unchanged", () => {
  expect(reasonOf("de", "offboarding", { error: "of_tomorrow", message: "Something new." })).toBe("Something new.");
});
