import { command } from "./command.ts";
import type { Context } from "../context/context.ts";
import { checkAudit } from "../doctor/audit.ts";
import type { Check } from "../doctor/check.ts";
import { checkCrls } from "../doctor/crls.ts";
import { checkMigrations, checkServer, checkWorkers } from "../doctor/database.ts";
import { checkIssuers } from "../doctor/issuers.ts";
import { checkMachine } from "../doctor/machine.ts";
import { checkQueueInPostgres, checkQueueSchema, checkRedis } from "../doctor/queue.ts";

export const doctor = command({
  name: "doctor",
  about: "Looks whether everything that issuing needs is there, and says what to do where it is not.",
  options: {},
  async run(_, context) {
    const checks = [...checkMachine(context), ...(await checkServices(context))];
    const ok = checks.every((check) => check.ok);
    return { json: { ok, checks }, text: checks.map(checkLine).join("\n"), failed: !ok };
  },
});

/** What rests on something that failed is left out: its failure would say nothing more. */
async function checkServices(context: Context): Promise<Check[]> {
  const server = await checkServer(context);
  const redisUrl = context.config.REDIS_URL;
  const queueInRedis = redisUrl === undefined ? [] : await checkRedis(redisUrl);
  if (!isOk(server, "database")) return [...server, ...queueInRedis];

  const db = await context.db();
  const migrations = await checkMigrations(db);
  if (!migrations.ok) return [...server, migrations, ...queueInRedis];

  const queueSchema = await checkQueueSchema(db);
  const queueInPostgres = redisUrl === undefined && queueSchema.ok ? [await checkQueueInPostgres(db)] : [];
  return [
    ...server,
    migrations,
    queueSchema,
    ...queueInPostgres,
    ...queueInRedis,
    await checkWorkers(db, context.clock),
    ...(await checkIssuers(db, context)),
    ...(await checkAudit(db, context)),
    ...(await checkCrls(db, context)),
  ];
}

const isOk = (checks: readonly Check[], name: string): boolean =>
  checks.some((check) => check.name === name && check.ok);

const checkLine = ({ status, name, message, remedy }: Check): string =>
  `${status.padEnd(4)}  ${name}: ${message}${remedy === null ? "" : `\n      ${remedy}`}`;
