import * as revocations from "../../db/operations/revocations.ts";
import * as setup from "../../db/operations/setup.ts";
import * as work from "../../db/queries/issuance/issuance-work.ts";
import * as processes from "../../db/queries/upkeep/processes.ts";
import * as upkeep from "../../db/queries/upkeep/upkeep.ts";
import type { Db } from "../../db/client.ts";
import type { Queues } from "../../runtime/queue/queues.ts";
import { eachByItself, untilNone } from "../../runtime/each-by-itself.ts";
import type { HeadSigner } from "../../runtime/keys/audit-key.ts";
import { createHeadLog, sealAudit } from "./audit-sealing.ts";
import type { UpkeepMetrics } from "./upkeep-metrics.ts";
import { forgetPeople } from "./forget-people.ts";
import { underLock } from "./under-lock.ts";
import { issuancesMax } from "../issuance/issue.ts";
import type { Issuers } from "../issuance/issuers.ts";
import { resumeStalledJobs } from "../bulk-job/resume-stalled-jobs.ts";
import type { BulkJobDeps } from "../bulk-job/deps.ts";
import { certifyRequests, type CertifyDeps } from "../responder-certificates/certify-requests.ts";
import { purgeJobs } from "../bulk-job/results/purge-jobs.ts";

export interface UpkeepDeps extends BulkJobDeps, CertifyDeps {
  activeClaims: ReadonlySet<string>;
  /** Signs the heads of the audit log's chains. */
  signer: HeadSigner;
  issuers: Pick<Issuers, "away" | "ensure" | "isOpen" | "watch">;
  metrics: UpkeepMetrics;
  queues: Pick<Queues, "enqueueAll" | "ping">;
  /** Issues single issuances, before rows of bulk jobs. */
  issueSingles: BulkJobDeps["issueAll"];
}

/** A single issuance that is queued for longer than this counts as lost by the queue. */
const queuedSecondsMax = 10;

/** Advisory lock: one worker at a time purges. No other lock on this database has this number. */
export const purgeLock = 7_246_712;

/** Advisory lock: one worker at a time marks expired profiles. */
export const markExpiredLock = 7_246_713;

/**
 * Runs a worker's timed tasks on timers in the process, because they must work even when the queue does not. While the
 * clock is wrong, the tasks only renew claims and watch issuers and the queue.
 */
export function startUpkeep(deps: UpkeepDeps): { stop(): Promise<void> } {
  const whileOpen = (seconds: number, name: string, run: () => Promise<void>) =>
    every(seconds, name, async () => (deps.issuers.isOpen() ? run() : undefined), deps);
  const headLog = createHeadLog(deps);
  let isQueueAway = false;
  const tasks = [
    every(work.renewSeconds, "renew", () => renew(deps), deps),
    every(1, "watch issuers", () => deps.issuers.watch(), deps),
    every(1, "watch the queue", async () => (isQueueAway = await isAway(deps.queues)), deps),
    whileOpen(1, "sweep", () => sweep(deps, { isQueueAway })),
    whileOpen(5, "seal", () => sealAudit({ ...deps, headLog, onRefused: deps.metrics.auditRefused })),
    whileOpen(1, "resume stalled jobs", () => resumeStalledJobs(deps, { isQueueAway })),
    whileOpen(1, "certify responders", () => certifyRequests(deps)),
    whileOpen(60, "miss responders", () => missResponders(deps)),
    whileOpen(30, "purge expired", () => purgeExpired(deps)),
    whileOpen(30, "purge jobs", () => purgeJobs(deps)),
    whileOpen(30, "mark expired", () => markExpired(deps)),
    whileOpen(30, "revoke of expired guests", () => revokeOfExpiredGuests(deps)),
    whileOpen(30, "revoke superseded", () => revokeSuperseded(deps)),
    whileOpen(30, "revoke unfetched", () => revokeUnfetched(deps)),
    whileOpen(30, "forget people", () => forgetPeople(deps)),
    whileOpen(60, "finish set-ups", () => finishSetups(deps)),
  ];
  return {
    async stop() {
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
}

async function renew({ db, activeClaims, clock }: UpkeepDeps): Promise<void> {
  if (activeClaims.size > 0) await work.renew(db, { claimIds: [...activeClaims], at: clock.now() });
}

/** Returns whether the queue does not respond, or accepts no tasks. */
const isAway = (queues: Pick<Queues, "ping">): Promise<boolean> =>
  queues.ping().then(
    () => false,
    () => true,
  );

/**
 * Issues, without the queue, single issuances that the queue has not delivered in time and issuances whose worker died.
 * They are completed even while the queue is away. All workers may do this at the same time, because only one can claim
 * an issuance.
 */
async function sweep(
  { db, issueSingles, issuers, clock, log }: UpkeepDeps,
  { isQueueAway }: { isQueueAway: boolean },
): Promise<void> {
  for (;;) {
    const ids = await work.overdue(db, {
      away: issuers.away(),
      at: clock.now(),
      queuedSeconds: isQueueAway ? 0 : queuedSecondsMax,
      limit: issuancesMax,
    });
    if (ids.length === 0) break;
    log.warn({ event: "sweep.issuances", count: ids.length }, "issuing issuances without the queue");
    const outcomes = await issueSingles(ids);
    const moved = [...outcomes.values()].some((outcome) => outcome === "issued" || outcome === "failed");
    if (ids.length < issuancesMax || !moved) break;
  }
}

/** Logs an error if no responder is alive: strict RADIUS servers then admit no device. */
export async function missResponders({ db, log }: Pick<UpkeepDeps, "db" | "log">): Promise<void> {
  if ((await processes.countAlive(db, "responder")) > 0) return;
  log.error({ event: "ocsp.no_responder" }, "no responder is alive, so OCSP requests fail; start one");
}

/**
 * Erases data that is no longer needed, private keys first, until no such data is left: each slice is its own
 * transaction. A table that another transaction has locked does not delay other tables. Skips if another worker is
 * purging.
 */
export async function purgeExpired({ db, clock, log }: Pick<UpkeepDeps, "db" | "clock" | "log">): Promise<void> {
  let outputs = 0;
  let rows = 0;
  const slices = (work: (tx: Db) => Promise<number>): Promise<number> =>
    untilNone(async () => (await underLock(db, purgeLock, work)) ?? 0);
  try {
    await eachByItself(
      [
        async () => (outputs += await slices((tx) => upkeep.eraseOutputs(tx, { at: clock.now() }))),
        ...upkeep
          .removals(clock.now())
          .map((removal) => async () => (rows += await slices((tx) => upkeep.remove(tx, removal)))),
      ],
      (purge) => purge(),
    );
  } finally {
    if (outputs + rows > 0) log.info({ event: "upkeep.purged", outputs, rows }, "expired data removed");
  }
}

/** Marks expired profiles, which removes them from `active_profiles`, and subtracts them from their users' counts. */
export async function markExpired({ db, clock }: Pick<UpkeepDeps, "db" | "clock">): Promise<void> {
  const mark = (tx: Db): Promise<number> => upkeep.markExpired(tx, { at: clock.now() });
  await untilNone(async () => (await underLock(db, markExpiredLock, mark)) ?? 0);
}

/**
 * Revokes the profiles of expired guest accounts. A certificate expires with its account, except a certificate made
 * before the account's end was moved to an earlier time.
 */
export async function revokeOfExpiredGuests({
  db,
  clock,
  log,
}: Pick<UpkeepDeps, "db" | "clock" | "log">): Promise<void> {
  for (;;) {
    const revoked = await revocations.revokeOfExpiredGuests(db, { at: clock.now() });
    if (revoked.length === 0) return;
    log.info({ event: "upkeep.guests_ended", profiles: revoked.length }, "profiles of expired guest accounts revoked");
  }
}

/** Revokes replaced profiles a day after the new file was sent; later, if only the old profile is in use. */
export async function revokeSuperseded({ db, clock, log }: Pick<UpkeepDeps, "db" | "clock" | "log">): Promise<void> {
  for (;;) {
    const at = clock.now();
    const revoked = await revocations.revokeSuperseded(db, { at });
    if (revoked.length === 0) return;
    const kept = await revocations.countKeptReplaced(db, { at });
    log.info({ event: "upkeep.replaced_ended", profiles: revoked.length, kept }, "replaced profiles revoked");
  }
}

/** Finishes the set-up of realms whose users have had profiles for long enough, each realm in its own transaction. */
export async function finishSetups({ db, clock, log }: Pick<UpkeepDeps, "db" | "clock" | "log">): Promise<void> {
  for (;;) {
    const realmId = await db.transaction(async (tx) => {
      await upkeep.setShortLockTimeout(tx);
      return setup.finishOverdue(tx, { at: clock.now() });
    });
    if (realmId === undefined) return;
    log.info({ event: "upkeep.setup_finished", realmId }, "the set-up of a realm counts as finished");
  }
}

/** Revokes profiles of hand-overs whose file was not fetched in time: their keys are erased with the file. */
export async function revokeUnfetched({ db, clock, log }: Pick<UpkeepDeps, "db" | "clock" | "log">): Promise<void> {
  for (;;) {
    const { files, revoked } = await db.transaction(async (tx) => {
      await upkeep.setShortLockTimeout(tx);
      return revocations.revokeUnfetched(tx, { at: clock.now() });
    });
    if (files === 0) return;
    log.info({ event: "upkeep.unfetched_ended", files, profiles: revoked.length }, "unfetched profiles revoked");
  }
}

/**
 * Runs a task periodically, and never starts it while it is running. A failure is logged, and the next turn follows as
 * usual.
 */
function every(
  seconds: number,
  name: string,
  run: () => Promise<unknown>,
  { log, metrics }: Pick<UpkeepDeps, "log" | "metrics">,
): { stop(): Promise<void> } {
  let running: Promise<unknown> | undefined;
  const turn = (): void => {
    running ??= run()
      .catch((error: unknown) => {
        metrics.failed(name);
        log.warn({ event: "upkeep.failed", task: name, err: error }, "upkeep failed; trying again");
      })
      .finally(() => (running = undefined));
  };
  const timer = setInterval(turn, seconds * 1_000);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
