import * as installation from "../../db/queries/upkeep/installation.ts";
import type { Db } from "../../db/client.ts";
import * as processes from "../../db/queries/upkeep/processes.ts";
import type { ProcessState } from "../../db/queries/upkeep/processes.ts";
import type { ProcessKind } from "../../domain/process.ts";
import { expectedProcesses } from "../../runtime/config/expected-processes.ts";
import type { Context } from "../context/context.ts";
import { checkAdministrators } from "./people/administrators.ts";
import { checkApps } from "./apps.ts";
import { checkAudit, checkAuditGuards, checkAuditKept } from "./audit.ts";
import { checkBacklog } from "./backlog.ts";
import { checkBackup } from "./backup.ts";
import { checkCertificates } from "./certificates.ts";
import { checkBaseUrl } from "./base-url.ts";
import { fails, notLookedAt, type Check } from "./check.ts";
import { checkConstraints } from "./constraints.ts";
import { checkCrls } from "./crls.ts";
import {
  checkLogin,
  checkMigrations,
  checkRoles,
  checkServer,
  checkWrite,
  checkWriteSettings,
  isAhead,
  sqlstateOf,
} from "./database.ts";
import { describeFailure } from "../context/failure.ts";
import { checkDisconnect } from "./disconnect.ts";
import { checkForgetting } from "./people/forgetting.ts";
import { checkIssuers } from "./issuers.ts";
import { checkJobs } from "./jobs.ts";
import { checkMachine } from "./machine.ts";
import { checkProcesses, processesNotKnown } from "./processes.ts";
import { checkPublication } from "./publication.ts";
import { checkRootCrls, checkRoots } from "./roots.ts";
import { checkSecrets } from "./secrets.ts";
import { checkQueueInPostgres, checkQueueSchema, checkRedis } from "./queue.ts";
import { checkConnections, checkLocks } from "./sessions.ts";
import { checkScim } from "./people/scim.ts";
import { checkSpellings } from "./people/spellings.ts";
import { checkUpstreams } from "./upstreams.ts";
import { wayOf } from "../context/way.ts";

/** Checks everything that issuing needs, on this machine and in the configured services. */
export const checkAll = async (context: Context): Promise<Check[]> => [
  ...checkMachine(context),
  ...checkBackup(context),
  ...(await checkServices(context)),
];

/** Runs the checks of the services. Skips checks that depend on a failed check: their failure would add nothing. */
async function checkServices(context: Context): Promise<Check[]> {
  const redisUrl = context.config.REDIS_URL;
  const way = wayOf(context);
  const [server, queueInRedis] = await Promise.all([
    checkServer(context),
    redisUrl === undefined ? [] : checkRedis(redisUrl, way),
  ]);
  if (!isOk(server, "database")) return [...server, ...queueInRedis];

  const db = await context.db({ lockSecondsMax });
  const login = await checkLogin(db, way);
  if (!login.ok) return [...server, login, ...queueInRedis];
  const migrations = await checkMigrations(db, way);
  const locks = await byItself(db, "locks", () => checkLocks(db));
  if (!migrations.ok) return [...server, login, migrations, ...locks, ...queueInRedis];

  const queueSchema = await checkQueueSchema(db, way);
  let states: readonly ProcessState[] = [];
  const isAlive = (kind: ProcessKind): boolean => states.some((state) => state.alive && state.kind === kind);
  const checkAlive = async (): Promise<Check[]> => {
    states = await processes.listStates(db);
    return (await installation.isReadOnly(db))
      ? [processesNotKnown]
      : checkProcesses(states, { way, expected: expectedProcesses(context.config) });
  };
  const checksOfProcesses = await byItself(db, "processes", checkAlive);
  /** The checks that read the database, in the order in which they are shown. */
  const looks: [name: string, look: () => Promise<Check | Check[]>][] = [
    ["database-write", () => checkWrite(db)],
    ["postgres-settings", () => checkWriteSettings(db)],
    ["connections", () => checkConnections(db, states)],
    ["roles", () => checkRoles(db, way)],
    ["queue", () => Promise.resolve(queueSchema)],
    [
      "queue",
      async () => (redisUrl === undefined && queueSchema.ok ? await checkQueueInPostgres(db, way) : queueInRedis),
    ],
    ["processes", () => Promise.resolve(checksOfProcesses)],
    ["secrets", () => checkSecrets(db, context)],
    ["issuer", () => checkIssuers(db, context)],
    ["roots", () => checkRoots(context)],
    ["root-crl", () => checkRootCrls(db, context)],
    ["constraints", () => checkConstraints(db, context)],
    ["certificates", () => checkCertificates(db, context)],
    ["administrators", () => checkAdministrators(db, context)],
    ["spellings", () => checkSpellings(db, context)],
    ["audit-guards", () => checkAuditGuards(db)],
    ["audit", () => checkAudit(db, context)],
    ["audit-kept", () => checkAuditKept(db, context)],
    ["crl", () => checkCrls(db, context)],
    ["scim", () => checkScim(db, context)],
    ["disconnect", () => checkDisconnect(db, context)],
    ["forgetting", () => checkForgetting(db, context)],
    ["backlog", () => checkBacklog(db, context)],
    ["jobs", () => checkJobs(db, context)],
  ];
  /** The checks that wait for responses from the network. */
  const calls: typeof looks = [
    ["base-url", async () => (isAlive("api") ? await checkBaseUrl(context) : [])],
    ["publication", () => checkPublication(db, context, isAlive)],
    ["upstream", () => checkUpstreams(context)],
    ["apps", async () => (isAlive("api") ? await checkApps(context) : [])],
  ];
  const found: Check[] = [];
  for (const [name, look] of looks) found.push(...(await byItself(db, name, look)));
  const called = await Promise.all(calls.map(([name, look]) => byItself(db, name, look)));
  return [...server, login, migrations, ...locks, ...found, ...called.flat()];
}

/** The longest wait for a lock, in seconds. The check of locks names the holder. */
const lockSecondsMax = 3;

/** Runs one check: if it throws, one finding reports that, and the other checks still run. */
async function byItself(db: Db, name: string, look: () => Promise<Check | Check[]>): Promise<Check[]> {
  try {
    return [await look()].flat();
  } catch (error) {
    // Class 42: the object that the check reads does not exist, or the login may not read it.
    if (sqlstateOf(error)?.startsWith("42") === true && (await isAhead(db).catch(() => false)))
      return [notLookedAt(name)];
    const reason =
      sqlstateOf(error) === lockNotAvailable ? "what it reads is locked: see locks" : describeFailure(error).message;
    return [fails(name, `not known: ${reason}`, "Mend what is named, and run the doctor again.")];
  }
}

/** PostgreSQL appendix A. */
const lockNotAvailable = "55P03";

const isOk = (checks: readonly Check[], name: string): boolean =>
  checks.some((check) => check.name === name && check.ok);
