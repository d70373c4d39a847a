import { accessSync, constants } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { queueRole, type DatabaseOptions, type DatabaseRole } from "../db/client.ts";
import { examineLogin, type LoginExamination } from "../db/guard.ts";
import { DatabaseUnavailable, passwordRefused } from "../db/outage.ts";
import type { Config } from "../runtime/config/config.ts";
import { withoutCredentials, type Log } from "../runtime/log.ts";
import type { Beat } from "./beat.ts";
import { Unstartable } from "../runtime/config/unstartable.ts";

/** Something that this process can reach but should not. */
export interface BoundaryFinding {
  /** In machine-readable form: `superuser`, `member_of:NAME`, `reads_file:NAME` … */
  reason: string;
  remedy: string;
}

interface BoundaryOptions {
  role: DatabaseRole;
  config: Config<"REALMPASS_DATA_DIRECTORY" | "REALMPASS_BOUNDARY"> &
    Partial<Config<"REDIS_URL" | "QUEUE_DATABASE_URL">>;
  database: DatabaseOptions;
  beat: Pick<Beat, "report">;
  log: Log;
}

/**
 * Files that open issuer keys, sign the audit log or contain root keys. Processes that clients connect to must not be
 * able to read them.
 */
const keyFiles = ["issuer-key-passphrase", "audit-key.json", "ceremony"] as const;

const againMs = 1_000;

/**
 * How long a process retries after its password was refused. Then it ends, and its supervisor restarts it with the
 * current password from its files.
 */
const refusedMsMax = 20_000;

/**
 * Errors that an operator or `migrate` resolves while the process waits (PostgreSQL appendix A): the database or the
 * role does not exist yet.
 */
const notYet: ReadonlySet<unknown> = new Set(["3D000", "22023", "42704"]);

/**
 * Checks once whether the logins and the files in the data directory confine this process to its role. Throws {@link
 * Unstartable} if a session does not run in its role, if the role itself has a right that it must not have, and for any
 * finding if REALMPASS_BOUNDARY is `enforce`; otherwise logs findings and reports them as a problem. Waits while
 * Postgres is unavailable or lacks the database or the role. If Postgres refuses the password, waits only for {@link
 * refusedMsMax}. Throws any other failure, which is a bug.
 */
export async function guardBoundary(options: BoundaryOptions): Promise<void> {
  const startedAt = performance.now();
  for (let attempt = 0; ; attempt++) {
    try {
      judge(await examine(options), options);
      return;
    } catch (error) {
      if (error instanceof Unstartable) throw error;
      if (!(error instanceof DatabaseUnavailable || notYet.has((error as { code?: unknown }).code))) throw error;
      const refused = passwordRefused(error) ? `DATABASE_URL, DATABASE_PASSWORD: ${causeOf(error)}` : undefined;
      if (refused !== undefined && performance.now() - startedAt >= refusedMsMax)
        throw new Error(refused, { cause: error });
      if (attempt === 0) warn(options.log, error, refused);
      await pause(againMs);
    }
  }
}

function warn(log: Log, err: unknown, refused: string | undefined): void {
  if (refused === undefined) log.warn({ event: "database.awaited", err }, "waiting for the database");
  else log.error({ event: "database.password_refused", reason: refused }, "the database refuses the password");
}

const causeOf = ({ cause }: Error): string => withoutCredentials((cause as Error).message);

async function examine({ role, config, database, log }: BoundaryOptions): Promise<BoundaryFinding[]> {
  const accepted = (examination: LoginExamination): Exclude<LoginExamination, { refused: true }> => {
    if (!examination.refused) return examination;
    log.error({ event: "database.guard_refused" }, examination.message);
    throw new Unstartable(`database.guard_refused: ${examination.message}`);
  };
  const { login, wide } = accepted(await examineLogin({ ...database, role }));
  const findings: BoundaryFinding[] = wide.map(({ reason, remedy }) => ({ reason, remedy }));

  if (role !== "realmpass_responder" && config.REDIS_URL === undefined) {
    const url = config.QUEUE_DATABASE_URL;
    const queue = url === undefined ? undefined : accepted(await examineLogin({ ...database, url, role: queueRole }));
    findings.push(...(queue?.wide ?? []).map(({ reason, remedy }) => ({ reason: `queue:${reason}`, remedy })));
    if (queue === undefined || queue.login === login) {
      findings.push({
        reason: "shared_queue_login",
        remedy: "Set QUEUE_DATABASE_URL to the same database with realmpass_queue_login, or use Redis.",
      });
    }
  }
  if (role !== "realmpass_worker") findings.push(...readableKeys(config.REALMPASS_DATA_DIRECTORY));
  return findings;
}

const readableKeys = (directory: string): BoundaryFinding[] =>
  keyFiles.flatMap((file) => {
    try {
      accessSync(join(resolve(directory), file), constants.R_OK);
    } catch {
      return [];
    }
    const remedy = `Give this process a data directory, and a user of the system, of its own, without ${file}.`;
    return [{ reason: `reads_file:${file}`, remedy }];
  });

function judge(findings: readonly BoundaryFinding[], { config, beat, log }: BoundaryOptions): void {
  if (findings.length === 0) return;
  if (config.REALMPASS_BOUNDARY === "enforce") {
    throw new Unstartable(
      [
        "This process could reach more than its role may (REALMPASS_BOUNDARY=enforce):",
        ...findings.map(({ reason, remedy }) => `  - ${reason}: ${remedy}`),
      ].join("\n"),
    );
  }
  for (const { reason } of findings) beat.report("login_too_wide", reason);
  log.warn(
    { event: "database.login_too_wide", reasons: findings.map(({ reason }) => reason) },
    "this process could reach more than its role may; see docs/operations.md on separating processes",
  );
}
