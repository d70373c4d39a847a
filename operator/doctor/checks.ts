import type { Context } from "../context/context.ts";
import { checkAudit, checkAuditGuards } from "./audit.ts";
import type { Check } from "./check.ts";
import { checkConstraints } from "./constraints.ts";
import { checkCrls } from "./crls.ts";
import { checkLogin, checkMigrations, checkRoles, checkServer } from "./database.ts";
import { checkDisconnect } from "./disconnect.ts";
import { checkForgetting } from "./forgetting.ts";
import { checkIssuers } from "./issuers.ts";
import { checkJobs } from "./jobs.ts";
import { checkMachine } from "./machine.ts";
import { checkProcesses } from "./processes.ts";
import { checkSecrets } from "./secrets.ts";
import { checkQueueInPostgres, checkQueueSchema, checkRedis } from "./queue.ts";

/** Everything that issuing needs, checked on this machine and in the services it is configured for. */
export const checkAll = async (context: Context): Promise<Check[]> => [
  ...checkMachine(context),
  ...(await checkServices(context)),
];

/** What rests on something that failed is left out: its failure would say nothing more. */
async function checkServices(context: Context): Promise<Check[]> {
  const server = await checkServer(context);
  const redisUrl = context.config.REDIS_URL;
  const queueInRedis = redisUrl === undefined ? [] : await checkRedis(redisUrl);
  if (!isOk(server, "database")) return [...server, ...queueInRedis];

  const db = await context.db();
  const login = await checkLogin(db);
  if (!login.ok) return [...server, login, ...queueInRedis];
  const migrations = await checkMigrations(db);
  if (!migrations.ok) return [...server, login, migrations, ...queueInRedis];

  const queueSchema = await checkQueueSchema(db);
  const queueInPostgres = redisUrl === undefined && queueSchema.ok ? [await checkQueueInPostgres(db)] : [];
  return [
    ...server,
    login,
    migrations,
    await checkRoles(db),
    queueSchema,
    ...queueInPostgres,
    ...queueInRedis,
    ...(await checkProcesses(db)),
    ...(await checkSecrets(db, context)),
    ...(await checkIssuers(db, context)),
    ...(await checkConstraints(db, context)),
    await checkAuditGuards(db),
    ...(await checkAudit(db, context)),
    ...(await checkCrls(db, context)),
    ...(await checkDisconnect(db, context)),
    ...(await checkForgetting(db, context)),
    await checkJobs(db, context),
  ];
}

const isOk = (checks: readonly Check[], name: string): boolean =>
  checks.some((check) => check.name === name && check.ok);
