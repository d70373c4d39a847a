import { setImmediate as turn } from "node:timers/promises";
import type { Database } from "../../../../db/client.ts";
import * as receiving from "../../../../db/queries/bulk-job/input/receive.ts";
import type { RowSource } from "../../../../domain/bulk-job/input/row-source.ts";
import { jobRowsMax } from "../../../../domain/limits.ts";
import { readRow, unreadableRow, type ReceivedRow } from "../../../../domain/bulk-job/input/row.ts";
import type { Clock } from "../../../../runtime/clock.ts";
import type { Fail } from "../../../contract/endpoint.ts";
import { inputText, positionsMax, UnusableFile } from "./input.ts";

/** How many rows are stored in one transaction. */
const batchMax = 1_000;

/** How many rows are read before other requests get their turn: a file arrives faster than it is read. */
const rowsInATurn = 100;

interface Receiving {
  job: Omit<receiving.NewJob, "columns">;
  source: RowSource;
  /** Throws if the caller may not request profiles. */
  requireProfiles: () => void;
  fail: Fail<"payload_too_large">;
}

/**
 * Stores the rows of a file as they arrive, a batch in each short transaction; the job is not visible yet. Returns how
 * many rows there are and how many of them cannot be used.
 */
export async function receiveRows(
  { db, clock }: { db: Database; clock: Clock },
  { job, source, requireProfiles, fail }: Receiving,
): Promise<{ total: number; invalid: number }> {
  let position = 0;
  let total = 0;
  let invalid = 0;
  let batch: ReceivedRow[] = [];

  const store = async (): Promise<void> => {
    const rows = batch;
    const first = total === rows.length;
    batch = [];
    await db.transaction(async (tx) => {
      if (first) await receiving.create(tx, { ...job, columns: source.headings });
      else await receiving.touch(tx, { realmId: job.realmId, jobId: job.jobId, at: clock.now() });
      await receiving.addRows(tx, { jobId: job.jobId, rows });
    });
  };

  for await (const found of source.rows) {
    position += 1;
    if (found === undefined) continue;
    if (total >= jobRowsMax || position > positionsMax) {
      throw fail("payload_too_large", {
        description: `The file has more than ${jobRowsMax} rows. Split it into several jobs.`,
      });
    }
    const { values, message } = found.fault === undefined ? readRow(job.kind, found.cells) : unreadableRow(found.fault);
    if (message !== null) invalid += 1;
    if (values.profileName !== null) requireProfiles();
    const input = source.columns.map((column) => inputText(found.cells.get(column)));
    batch.push({ position, input, ...values, message });
    total += 1;
    if (batch.length === batchMax) await store();
    else if (total % rowsInATurn === 0) await turn();
  }
  if (total === 0) throw new UnusableFile("The file has no rows.");
  if (batch.length > 0) await store();
  return { total, invalid };
}
