import { z } from "zod";
import * as audit from "../../../../db/queries/audit/audit-entries.ts";
import * as confirmation from "../../../../db/queries/bulk-job/plan/confirmation.ts";
import * as access from "../../../../db/queries/bulk-job/access.ts";
import * as transitions from "../../../../db/queries/bulk-job/plan/transitions.ts";
import * as jobs from "../../../../db/queries/bulk-job/jobs.ts";
import * as scimUsers from "../../../../db/queries/people/scim-users.ts";
import type { Db } from "../../../../db/client.ts";
import { graceDaysMax } from "../../../../domain/lifetimes.ts";
import { kindsOfJob, type JobKind } from "../../../../domain/bulk-job/job.ts";
import { BulkJobID } from "../../../../domain/ids.ts";
import { endpoint, inBody } from "../../../contract/endpoint.ts";
import { filters } from "../../../contract/filters.ts";
import { actorOf } from "../../../contract/principal.ts";
import { JobView } from "../../../contract/views/job-view.ts";
import { answerChanged } from "../answer-job.ts";
import { requireNear, requireScopesOf } from "../job-rules.ts";

/** The words after the number of people or profiles that a job would change. */
const wouldBe = {
  onboarding: "people would be onboarded",
  offboarding: "people would be offboarded",
  reactivation: "people would be let in again",
  revocation: "profiles would be revoked",
} as const satisfies Record<JobKind, string>;

/** Returns the time that the job was created with if it is still ahead, else null. */
const timeAhead = ({ executeAt }: jobs.Job, at: Date): Date | null =>
  executeAt !== null && executeAt > at ? executeAt : null;

export const startJob = endpoint({
  operation: "startJob",
  summary: "Start a bulk job that is ready",
  description:
    "Starts at `executeAt`, up to 90 days ahead, or at once if that time is over or there is none. Needs the scopes " +
    "of what the job does. If the number of people has to be confirmed, `confirmTotal` is the number that the check " +
    "found will change. A job whose creator may no longer create it (`creator_ended`) then belongs to the caller. A " +
    "job in `grace` is started with `confirmTotal` alone, the number of its rows that are not done (`total` less " +
    "`done`): their devices go off now.",
  method: "post",
  path: "/api/jobs/:id/start",
  access: "staff",
  scope: "job.create",
  params: z.object({ id: BulkJobID }),
  refusedQuery: { dryRun: "is for the creation of a job", executeAt: inBody, graceDays: inBody },
  body: z.object({
    executeAt: filters.instant.nullish().describe("null: at once. Default: as the job was created."),
    confirmTotal: z.int().min(0).nullish(),
    graceDays: z
      .int()
      .min(1)
      .max(graceDaysMax)
      .nullish()
      .describe(
        "Of an offboarding: devices go offline this many days later; null: at once. Default: as the job was created.",
      ),
  }),
  data: JobView,
  pending: JobView,
  errors: ["job_not_found", "job_state", "confirmation_required", "invalid_request"],
  unknown: { id: "job_not_found" },
  changes: true,

  async handle({ params: { id: jobId }, body, principal, deps, change, prefer, log, signal, fail }) {
    const { realmId } = principal;
    const { confirmTotal = null, graceDays } = body;
    const at = deps.clock.now();
    requireNear(body.executeAt ?? null, at, fail);
    await change(async (tx) => {
      const job = await jobs.lock(tx, { realmId, jobId, at });
      if (job === undefined) throw fail("job_not_found");
      await requireScopesOf(tx, principal, job);
      if (graceDays !== undefined && (job.kind !== "offboarding" || job.state === "grace")) {
        throw fail("invalid_request", {
          fields: [{ path: "graceDays", reason: "is for an offboarding that is ready" }],
        });
      }
      if (job.state === "grace") {
        await endGrace(tx, job);
        return { jobId };
      }
      if (job.state !== "ready") throw fail("job_state");
      const expectedChange = job.expectedChange ?? 0;
      const { kind } = job;
      if (kindsOfJob[kind].confirmed && confirmTotal !== expectedChange) {
        if (
          confirmTotal !== null ||
          (await confirmation.needsConfirmation(tx, { realmId, kind, expectedChange, at }))
        ) {
          throw fail("confirmation_required", {
            description: `${expectedChange} ${wouldBe[kind]}. Confirm it by sending this number as confirmTotal.`,
          });
        }
      }
      if (!(await access.creatorMayRun(tx, jobId))) {
        const actor = actorOf(principal);
        await access.takeOver(tx, { realmId, jobId, actor });
        await audit.record(tx, {
          realmId,
          event: "job_take_over",
          actor,
          at,
          properties: {
            job: jobId,
            from: { user: job.createdByUserId, client: job.createdByClientId },
            to: { user: actor.userId, client: actor.clientId },
          },
        });
      }
      const executeAt = body.executeAt === undefined ? timeAhead(job, at) : body.executeAt;
      const own = { realmId, jobId, at };
      const isStarted =
        (executeAt !== null &&
          (await transitions.toScheduled(tx, { ...own, by: { start: { executeAt, confirmTotal, graceDays } } }))) ||
        (await transitions.toQueued(tx, { ...own, start: { confirmTotal, graceDays } }));
      if (!isStarted) throw fail("job_state");
      await audit.record(tx, {
        realmId,
        event: "job_change",
        actor: actorOf(principal),
        at,
        properties: {
          job: jobId,
          kind,
          change: "start",
          total: expectedChange,
          executeAt,
          confirmTotal,
          ...(graceDays !== undefined &&
            graceDays !== job.graceDays && { before: { graceDays: job.graceDays }, after: { graceDays } }),
        },
      });
      return { jobId };
    });
    return answerChanged(jobId, "started", { principal, deps, prefer, log, signal, fail });

    async function endGrace(tx: Db, job: jobs.Job): Promise<void> {
      if ((body.executeAt ?? null) !== null) {
        throw fail("invalid_request", { fields: [{ path: "executeAt", reason: "is for a job that is ready" }] });
      }
      const left = job.total - job.changed - job.unchanged - job.failed - job.skipped;
      if (confirmTotal !== left) {
        throw fail("confirmation_required", {
          description: `The devices of ${left} people would go offline now. Confirm it by sending this number as confirmTotal.`,
        });
      }
      if (!(await transitions.endGrace(tx, { realmId, jobId, at }))) throw fail("job_state");
      if (job.origin === "scim") await scimUsers.beginWindow(tx, { realmId, at });
      await audit.record(tx, {
        realmId,
        event: "job_start",
        actor: actorOf(principal),
        at,
        properties: { job: jobId, kind: job.kind, before: { revokeAt: job.revokeAt }, after: { revokeAt: at } },
      });
    }
  },
});
