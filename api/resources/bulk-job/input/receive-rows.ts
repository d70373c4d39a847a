import { setImmediate as turn } from "node:timers/promises";
import type { Database } from "../../../../db/client.ts";
import * as jobRows from "../../../../db/queries/bulk-job/rows.ts";
import * as jobs from "../../../../db/queries/bulk-job/jobs.ts";
import { jobRowsMax } from "../../../../domain/limits.ts";
import type { JobKind } from "../../../../domain/bulk-job/job.ts";
import { readRow, unreadableRow } from "../../../../domain/bulk-job/input/row.ts";
import type { Clock } from "../../../../runtime/clock.ts";
import type { Fail } from "../../../contract/endpoint.ts";
import { positionsMax, UnusableFile, type FoundInput, type ParsedRow } from "./input.ts";

/** Rows that are stored at once. */
const batchMax = 1_000;

/** Rows that are read before others' requests get their turn: a file is here faster than it is read. */
const rowsInATurn = 100;

interface Receiving {
  job: Omit<jobs.NewJob, "columns">;
  input: FoundInput;
  /** Throws when the caller may not ask for profiles. */
  requireProfiles: () => void;
  fail: Fail<"payload_too_large">;
}

/**
 * Stores the rows of a file as they come in, a job and its rows so far in each short transaction; nobody sees the job
 * yet. Answers how many rows there are, and how many of them cannot be used.
 */
export async function receiveRows(
  { db, clock }: { db: Database; clock: Clock },
  { job, input, requireProfiles, fail }: Receiving,
): Promise<{ total: number; invalid: number }> {
  let total = 0;
  let invalid = 0;
  let batch: jobRows.NewJobRow[] = [];

  const store = async (): Promise<void> => {
    const rows = batch;
    const first = total === rows.length;
    batch = [];
    await db.transaction(async (tx) => {
      if (first) await jobs.create(tx, { ...job, columns: input.columns });
      else await jobs.touch(tx, { realmId: job.realmId, jobId: job.jobId, at: clock.now() });
      await jobRows.add(tx, { jobId: job.jobId, rows });
    });
  };

  for await (const found of input.rows) {
    if (total >= jobRowsMax || found.position > positionsMax) {
      throw fail("payload_too_large", {
        description: `The file has more than ${jobRowsMax} rows. Split it into several jobs.`,
      });
    }
    const row = newRow(job.kind, found);
    if (row.message !== null) invalid += 1;
    if (row.profileName !== null) requireProfiles();
    batch.push(row);
    total += 1;
    if (batch.length === batchMax) await store();
    else if (total % rowsInATurn === 0) await turn();
  }
  if (total === 0) throw new UnusableFile("The file has no rows.");
  if (batch.length > 0) await store();
  return { total, invalid };
}

function newRow(kind: JobKind, found: ParsedRow): jobRows.NewJobRow {
  const { values, message } = "cells" in found ? readRow(kind, found.cells) : unreadableRow(found.unreadable);
  return {
    position: found.position,
    input: found.given,
    pairwiseId: values.pairwiseID,
    userId: values.userID,
    email: values.email,
    maxProfiles: values.maxProfiles,
    profileName: values.profileName,
    deviceType: values.deviceType,
    format: values.format,
    serialNumber: values.serial,
    message,
  };
}
