import { z } from "zod";
import type { Job } from "../../../db/queries/bulk-job/jobs.ts";
import {
  finalJobStates,
  jobFailures,
  jobKinds,
  jobNotices,
  jobOrigins,
  jobStates,
} from "../../../domain/bulk-job/job.ts";
import { Timestamp } from "./timestamp.ts";

export const JobView = z
  .object({
    id: z.uuid(),
    kind: z.enum(jobKinds),
    state: z
      .enum(jobStates)
      .describe(
        `\`ready\` waits for a user to start it, \`scheduled\` for its time; in \`grace\` all its people are locked out, and devices go offline at \`revokeAt\`; ${finalJobStates.map((state) => `\`${state}\``).join(", ")} are final.`,
      ),
    dryRun: z.boolean(),
    createdAt: Timestamp,
    startedAt: Timestamp.nullable(),
    finishedAt: Timestamp.nullable(),
    executeAt: Timestamp.nullable().describe("When it is to run; null: as soon as it is checked or started."),
    createdBy: z.string().describe("The userID of a person, else the client_id."),
    total: z.int().describe("Rows."),
    done: z.int().describe("changed + unchanged + failed + skipped. Before the job runs: what the check found."),
    changed: z.int(),
    unchanged: z.int(),
    failed: z.int(),
    skipped: z.int(),
    ratePerSecond: z.number().nullable(),
    etaSeconds: z.int().nullable(),
    error: z
      .string()
      .nullable()
      .describe(
        `While the job has not failed: ${Object.values(jobNotices).join(", ")}, or null. A failed one whose check found ` +
          `no row that could be carried out: ${jobFailures.nothingUsable}.`,
      ),
    origin: z
      .enum(jobOrigins)
      .describe(
        "Its origin: a file or list, a retry or an undo of another job, the offboarding of one user, or all results of a " +
          "search and filter.",
      ),
    matching: z
      .object({ search: z.string().optional(), filter: z.record(z.string(), z.string()) })
      .nullable()
      .describe("The search and filter that found its rows, with `origin` `filter`."),
    reason: z.int().nullable().describe("Revocation: CRLReason (RFC 5280 section 5.3.1)."),
    graceDays: z
      .int()
      .nullable()
      .describe("Offboarding: devices go offline this many days after all its people are locked out."),
    revokeAt: Timestamp.nullable().describe("When devices go offline; set once all its people are locked out."),
    undoOf: z.uuid().nullable().describe("The offboarding that this reactivation undoes."),
    undoneBy: z.uuid().nullable().describe("The newest job that undoes this offboarding and has started."),
    undoUntil: Timestamp.nullable().describe(
      "Until when this offboarding can be undone; null: there is nothing to undo.",
    ),
    name: z.string().nullable().describe("Its name from the client: the file's name, or a title."),
    rowOffset: z.int().describe("The number of rows in the file before row 1."),
    affectedProfiles: z
      .int()
      .nullable()
      .describe(
        "Offboarding and revocation: how many profiles the check found that would be revoked. Null before that.",
      ),
    hasOutput: z.boolean().describe("Whether files and keys of its profiles can still be read by its creator."),
  })
  .meta({ id: "Job" });
export type JobView = z.infer<typeof JobView>;

/** The time left is shown once the rate is meaningful: after some seconds or a share of the work. */
const etaAfter = { seconds: 5, share: 0.02 } as const;

export function jobView(job: Job, at: Date): JobView {
  const done = job.changed + job.unchanged + job.failed + job.skipped;
  const rate = rateOf(job, { done, at });
  return {
    id: job.id,
    kind: job.kind,
    state: job.state,
    dryRun: job.dryRun,
    createdAt: job.createdAt.toISOString(),
    startedAt: job.startedAt?.toISOString() ?? null,
    finishedAt: job.finishedAt?.toISOString() ?? null,
    executeAt: job.executeAt?.toISOString() ?? null,
    createdBy: job.createdByUserId ?? job.createdByClientId ?? "",
    total: job.total,
    done,
    changed: job.changed,
    unchanged: job.unchanged,
    failed: job.failed,
    skipped: job.skipped,
    ratePerSecond: rate === null ? null : Math.round(rate * 10) / 10,
    etaSeconds: etaOf(job, { done, rate, at }),
    error: job.stalled ? jobNotices.stalled : job.errorCode,
    origin: job.origin,
    matching: job.matching,
    reason: job.reason,
    graceDays: job.graceDays,
    revokeAt: job.revokeAt?.toISOString() ?? null,
    undoOf: job.undoOf,
    undoneBy: job.undoneBy,
    undoUntil: job.undoUntil?.toISOString() ?? null,
    name: job.name,
    rowOffset: job.rowOffset,
    affectedProfiles: job.affectedProfiles,
    hasOutput: job.hasOutput,
  };
}

interface Measured {
  done: number;
  at: Date;
}

/** Returns rows per second in the worker's current window. */
function rateOf({ state, rateFromAt, rateFromDone }: Job, { done, at }: Measured): number | null {
  if ((state !== "running" && state !== "cancelling") || rateFromAt === null) return null;
  const seconds = (at.getTime() - rateFromAt.getTime()) / 1_000;
  return seconds > 0 ? Math.max(done - rateFromDone, 0) / seconds : null;
}

function etaOf({ startedAt, total }: Job, { done, at, rate }: Measured & { rate: number | null }): number | null {
  if (rate === null || rate === 0 || startedAt === null) return null;
  const seconds = (at.getTime() - startedAt.getTime()) / 1_000;
  const known = seconds >= etaAfter.seconds || done >= total * etaAfter.share;
  return known ? Math.ceil((total - done) / rate) : null;
}
