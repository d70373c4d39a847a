import * as installation from "../../db/queries/upkeep/installation.ts";
import * as processes from "../../db/queries/upkeep/processes.ts";
import type { ProcessKind } from "../../domain/process.ts";
import type { Context } from "../context/context.ts";
import { checkAdministrators } from "./administrators.ts";
import { checkAudit, checkAuditGuards, checkAuditKept } from "./audit.ts";
import { checkBacklog } from "./backlog.ts";
import { checkBackup } from "./backup.ts";
import { checkCertificates } from "./certificates.ts";
import { checkBaseUrl } from "./base-url.ts";
import type { Check } from "./check.ts";
import { checkConstraints } from "./constraints.ts";
import { checkCrls } from "./crls.ts";
import {
  checkConnections,
  checkLogin,
  checkMigrations,
  checkRoles,
  checkServer,
  checkWrite,
  checkWriteSettings,
} from "./database.ts";
import { checkDisconnect } from "./disconnect.ts";
import { checkForgetting } from "./forgetting.ts";
import { checkIssuers } from "./issuers.ts";
import { checkJobs } from "./jobs.ts";
import { checkMachine } from "./machine.ts";
import { checkProcesses, processesNotKnown } from "./processes.ts";
import { checkPublication } from "./publication.ts";
import { checkRoots } from "./roots.ts";
import { checkSecrets } from "./secrets.ts";
import { checkQueueInPostgres, checkQueueSchema, checkRedis } from "./queue.ts";
import { checkSpellings } from "./spellings.ts";
import { checkUpstreams } from "./upstreams.ts";

/** Checks everything that issuing needs, on this machine and in the configured services. */
export const checkAll = async (context: Context): Promise<Check[]> => [
  ...checkMachine(context),
  ...checkBackup(context),
  ...(await checkServices(context)),
];

/** Skips checks that depend on a failed one: their failure would add nothing. */
async function checkServices(context: Context): Promise<Check[]> {
  const redisUrl = context.config.REDIS_URL;
  const [server, queueInRedis] = await Promise.all([
    checkServer(context),
    redisUrl === undefined ? [] : checkRedis(redisUrl),
  ]);
  if (!isOk(server, "database")) return [...server, ...queueInRedis];

  const db = await context.db();
  const login = await checkLogin(db);
  if (!login.ok) return [...server, login, ...queueInRedis];
  const migrations = await checkMigrations(db);
  if (!migrations.ok) return [...server, login, migrations, ...queueInRedis];

  const queueSchema = await checkQueueSchema(db);
  const queueInPostgres = redisUrl === undefined && queueSchema.ok ? [await checkQueueInPostgres(db)] : [];
  const states = await processes.listStates(db);
  const isAlive = (kind: ProcessKind): boolean => states.some((state) => state.alive && state.kind === kind);
  return [
    ...server,
    login,
    migrations,
    await checkWrite(db),
    await checkWriteSettings(db),
    await checkConnections(db, states),
    await checkRoles(db),
    queueSchema,
    ...queueInPostgres,
    ...queueInRedis,
    ...((await installation.isReadOnly(db)) ? [processesNotKnown] : checkProcesses(states)),
    ...(await checkSecrets(db, context)),
    ...(await checkIssuers(db, context)),
    ...(await checkRoots(context)),
    ...(await checkConstraints(db, context)),
    ...(await checkCertificates(db, context)),
    ...(await checkAdministrators(db, context)),
    ...(await checkSpellings(db, context)),
    await checkAuditGuards(db),
    ...(await checkAudit(db, context)),
    ...(await checkAuditKept(db, context)),
    ...(await checkCrls(db, context)),
    ...(await checkDisconnect(db, context)),
    ...(await checkForgetting(db, context)),
    await checkBacklog(db, context),
    await checkJobs(db, context),
    ...(
      await Promise.all([
        isAlive("api") ? checkBaseUrl(context) : [],
        checkPublication(db, context, isAlive),
        checkUpstreams(context),
      ])
    ).flat(),
  ];
}

const isOk = (checks: readonly Check[], name: string): boolean =>
  checks.some((check) => check.name === name && check.ok);
