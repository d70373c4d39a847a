import type { Db } from "../../../db/client.ts";
import * as forgetting from "../../../db/operations/forgetting.ts";
import * as auditEntries from "../../../db/queries/audit/audit-entries.ts";
import type { Context } from "../../context/context.ts";
import { passes, warns, type Check } from "../check.ts";

/**
 * Checks that people are forgotten where the realm requires it, and that their personal data can be erased everywhere.
 */
export async function checkForgetting(db: Db, context: Context): Promise<Check[]> {
  const forgets = new Map((await forgetting.listRealms(db)).map((realm) => [realm.id, realm]));
  const at = context.clock.now();
  const checks = (await context.realms()).map(async ({ id, name: realmName }) => {
    const realm = forgets.get(id);
    return realm === undefined ? [] : [await checkRealm(db, { realm, name: `forgetting ${realmName}`, at })];
  });
  return (await Promise.all(checks)).flat();
}

async function checkRealm(
  db: Db,
  { realm, name, at }: { realm: forgetting.ForgettingRealm; name: string; at: Date },
): Promise<Check> {
  const overdue = await forgetting.countOverdue(db, { realm, at });
  if (overdue > 0) {
    return warns(
      name,
      `the time to be forgotten has passed for offboarded users: ${overdue}`,
      "They have an active profile, are in a running bulk job, or no worker forgets them: look in the workers' logs for `upkeep.failed` with the task `forget people`.",
    );
  }
  if (await auditEntries.nameSomebody(db, realm.id)) {
    return warns(
      name,
      "audit entries of earlier versions name people, and stay as they are",
      "docs/adr/0015-the-audit-log-knows-people-by-number.md explains which and why.",
    );
  }
  return passes(name, `nobody who was offboarded more than ${realm.forgetAfterMonths} months ago is still known`);
}
