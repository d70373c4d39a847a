import type { Db } from "../../db/client.ts";
import * as auditExports from "../../db/queries/audit/audit-exports.ts";
import * as guards from "../../db/queries/audit/audit-guards.ts";
import * as chain from "../../db/queries/audit/audit-seals.ts";
import type { RealmRow } from "../../db/queries/realm/realms.ts";
import { isLagging } from "../../domain/audit/chain.ts";
import { createHeadVerifier, type HeadVerifier } from "../../runtime/keys/audit-key.ts";
import type { Context } from "../context/context.ts";
import { describeFailure } from "../context/failure.ts";
import { fails, notLookedAt, passes, warns, type Check } from "./check.ts";
import { isAhead } from "./database.ts";

/** Checks that nothing in the database hides or changes entries of the audit log. */
export async function checkAuditGuards(db: Db): Promise<Check> {
  const changed = await guards.findChangedGuards(db);
  if (changed.length === 0) {
    return passes("audit-guards", "the tables of the audit log are as the migrations created them");
  }
  if (await isAhead(db)) return notLookedAt("audit-guards", changed.join(" "));
  return fails(
    "audit-guards",
    changed.join(" "),
    "Find out who changed it and what it hid, undo it, then run `audit verify` with a head that was kept elsewhere.",
  );
}

/**
 * Checks that workers continue the chain of each realm's audit log, and that our key signed its latest head. `audit
 * verify` checks the entries.
 */
export async function checkAudit(db: Db, context: Context): Promise<Check[]> {
  const realms = await context.realms();
  if (realms.length === 0) return [];
  const configured = async () => createHeadVerifier(context.auditKey());
  const verifier = await configured().catch((error: unknown) =>
    fails("audit", describeFailure(error).message, "Set REALMPASS_AUDIT_KEY to the audit key of the workers."),
  );
  if ("status" in verifier) return [verifier];
  return Promise.all(realms.map((realm) => checkChain(db, { realm, verifier, at: context.clock.now() })));
}

async function checkChain(
  db: Db,
  { realm, verifier, at }: { realm: RealmRow; verifier: HeadVerifier; at: Date },
): Promise<Check> {
  const name = `audit ${realm.name}`;
  const row = await chain.latestHead(db, realm.id);
  const head = row && (await verifier.verify(row.signature));
  if (row !== undefined && (head?.realm !== realm.id || head.position !== row.position || head.hash !== row.hash)) {
    return fails(
      name,
      "the audit log ends with a head that was not signed with our key, so nothing is sealed",
      `Set REALMPASS_AUDIT_KEY to the audit key of the workers; if it is theirs, run \`audit verify --realm ${realm.name}\`.`,
    );
  }
  const since = await chain.waitingSince(db, realm.id);
  return since !== undefined && isLagging(since, at)
    ? warns(
        name,
        `audit entries have waited to be sealed since ${since.toISOString()}`,
        "Look into the log of the workers for `audit.refused` and `upkeep.failed`.",
      )
    : passes(name, head === undefined ? "nothing is sealed yet" : `sealed up to entry ${head.position}, with our key`);
}

const keptHoursMax = 24;

/**
 * Warns if a realm's audit log has not been exported for more than a day: a restore would lose entries that no export
 * contains.
 */
export async function checkAuditKept(db: Db, context: Context): Promise<Check[]> {
  const at = context.clock.now();
  const checks = (await context.realms()).map(async ({ id, name: realm }) => {
    const name = `audit-kept ${realm}`;
    const kept = await auditExports.keptSince(db, id);
    if (kept === undefined) return [];
    if (at.getTime() - kept.at.getTime() <= keptHoursMax * 3_600_000) return [passes(name, keptText(kept))];
    return [
      warns(
        name,
        keptText(kept),
        "Run `audit export` to another machine by a timer: without it, a restore makes revoked devices good again (docs/backup.md).",
      ),
    ];
  });
  return (await Promise.all(checks)).flat();
}

const keptText = ({ at, isExported }: { at: Date; isExported: boolean }): string =>
  isExported
    ? `the audit log was last exported at ${at.toISOString()}`
    : `the audit log was never exported; the realm has existed since ${at.toISOString()}`;
