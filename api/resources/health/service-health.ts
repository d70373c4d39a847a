import type { Db } from "../../../db/client.ts";
import { pendingMigrations } from "../../../db/migrate.ts";
import { roleRefused } from "../../../db/outage.ts";
import * as serviceState from "../../../db/queries/upkeep/service-state.ts";
import type { ServiceState } from "../../../db/queries/upkeep/service-state.ts";
import type { ProcessKind } from "../../../domain/process.ts";
import type { Disk } from "../../../process/disk.ts";
import type { Clock } from "../../../runtime/clock.ts";
import { answerWithin } from "../../../runtime/deadline.ts";
import { expectedVariables, type ExpectedProcesses } from "../../../runtime/config/expected-processes.ts";
import type { Log } from "../../../runtime/log.ts";
import type { Queues } from "../../../runtime/queue/queues.ts";
import { refusalOf } from "../../../runtime/queue/redis.ts";
import type { HealthCheck } from "../../contract/deps.ts";

/** The maximum age of a response. Anyone can ask, but the api queries the database at most this often. */
export const healthSecondsMax = 5;

/** The check treats a part that takes longer than this to respond as unavailable. */
const answerMsMax = 2_000;

interface Options {
  db: Db;
  queues: Pick<Queues, "ping">;
  disk: Pick<Disk, "isFull">;
  expected: ExpectedProcesses;
  clock: Clock;
  log: Log;
}

/** Checks the service as a whole, once for all callers within {@link healthSecondsMax} seconds. Never rejects. */
export function createServiceHealth(options: Options): () => Promise<readonly HealthCheck[]> {
  let last: { at: number; checks: Promise<readonly HealthCheck[]> } | undefined;
  let logged = "";

  async function checkAndLog(): Promise<readonly HealthCheck[]> {
    const checks = await look(options);
    const faults = checks.filter(({ state }) => state !== "ok");
    const summary = faults.map(({ name, state }) => `${name} ${state}`).join(" ");
    if (summary !== logged) {
      if (faults.length > 0) options.log.warn({ event: "status.changed", faults }, "service checks fail or warn");
      else options.log.info({ event: "status.changed", faults }, "all service checks pass again");
    }
    logged = summary;
    return checks;
  }

  return () => {
    const at = performance.now();
    if (last === undefined || at - last.at >= healthSecondsMax * 1_000) last = { at, checks: checkAndLog() };
    return last.checks;
  };
}

async function look({ db, queues, disk, expected, clock, log }: Options): Promise<HealthCheck[]> {
  const [queueFault, isDiskFull, found] = await Promise.all([
    answerWithin(answerMsMax, queues.ping()).then(
      () => undefined,
      (error: unknown) => {
        const refusal = refusalOf(error);
        return refusal === undefined ? "it does not answer" : `it takes no tasks (${refusal})`;
      },
    ),
    disk.isFull(),
    answerWithin(answerMsMax, serviceState.read(db, { at: clock.now() })).catch((err: unknown) => {
      log.warn({ event: "status.unreadable", err }, "the state of the service could not be read");
      if (roleRefused(err)) return "role" as const;
      // Class 42: the object does not exist, or access to the object is denied, so the schema does not match this code.
      return String((err as { code?: unknown }).code).startsWith("42") ? ("schema" as const) : ("database" as const);
    }),
  ]);
  const queue = check(
    "queue",
    queueFault === undefined ? undefined : `${queueFault}; work is found without it, later`,
    "warn",
  );
  if (found === "database" || found === "role") {
    const reason = found === "role" ? "it refuses this api: its login lost its role" : "it does not answer";
    return [check("database", reason), queue, diskCheck(isDiskFull)];
  }
  if (found === "schema") return [check("database"), check("schema", notMigrated), queue, diskCheck(isDiskFull)];
  if (found.isReadOnly) {
    const unknown = ["apis", "workers", "responders"].map((name) =>
      check(name, "not known: no process can write", "warn"),
    );
    return [check("database", "it is read-only"), queue, ...unknown, crlCheck(found), diskCheck(isDiskFull)];
  }
  return [
    check("database"),
    check("schema", pendingMigrations(found.migrations).length > 0 ? notMigrated : undefined),
    queue,
    // This api is alive, even if it could not report that.
    kindCheck("apis", "api", { ...found, alive: { ...found.alive, api: Math.max(found.alive.api ?? 0, 1) } }, expected),
    kindCheck("workers", "worker", found, expected),
    check(
      "signers",
      found.withoutSigner.length > 0 ? `no worker can sign for ${named(found.withoutSigner)}` : undefined,
    ),
    kindCheck("responders", "responder", found, expected),
    crlCheck(found),
    check("audit", found.isAuditWaiting ? `entries are not sealed for more than ${minute}` : undefined, "warn"),
    check(
      "backlog",
      found.isIssuanceWaiting ? `an issuance has waited for more than ${minute}` : undefined,
      queueFault === undefined ? "warn" : "fail",
    ),
    check(
      "directory",
      found.isHeld
        ? "a directory deactivates more people than may leave within an hour; a person has to decide"
        : undefined,
      "warn",
    ),
    diskCheck(isDiskFull || found.isDiskFull),
    check("clock", found.isSkewed ? "a process's clock and the database's differ by more than 2 s" : undefined, "warn"),
  ];
}

const notMigrated = "a migration of this version has not been run";
const minute = `${serviceState.waitSecondsMax} s`;

/** Returns the check of a part, with the reason and severity of its fault; without a reason, the part is ok. */
const check = (name: string, reason?: string, state: "warn" | "fail" = "fail"): HealthCheck =>
  reason === undefined ? { name, state: "ok", reason: null } : { name, state, reason };

const diskCheck = (isFull: boolean): HealthCheck => check("disk", isFull ? "it is full, or nearly so" : undefined);

function kindCheck(
  name: string,
  kind: ProcessKind,
  found: Pick<ServiceState, "alive" | "silent" | "fallingSilent" | "versions">,
  expected: ExpectedProcesses,
): HealthCheck {
  const versions = found.versions.filter((each) => each.kind === kind).map(({ version }) => version);
  const alive = found.alive[kind] ?? 0;
  if (alive === 0) return { ...check(name, "none is alive"), versions };
  const reasons = [
    ...(alive < expected[kind] ? [`fewer are alive than ${expectedVariables[kind]}`] : []),
    ...(found.silent.includes(kind) ? ["one fell silent and did not stop cleanly"] : []),
    ...(found.fallingSilent.includes(kind) ? ["one after the other falls silent and does not stop cleanly"] : []),
  ];
  return { ...check(name, reasons.length === 0 ? undefined : reasons.join("; "), "warn"), versions };
}

function crlCheck({ crlEnded, crlOverdue }: Pick<ServiceState, "crlEnded" | "crlOverdue">): HealthCheck {
  if (crlEnded.length > 0) return check("crl", `missing or ended for ${named(crlEnded)}`);
  return check("crl", crlOverdue.length > 0 ? `not replaced in time for ${named(crlOverdue)}` : undefined, "warn");
}

/** Returns the issuers' numbers as text. */
const named = (issuers: readonly string[]): string => `issuer ${issuers.join(", ")}`;
