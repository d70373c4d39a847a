import { z } from "zod";
import type { Database, Db } from "../../../db/client.ts";
import * as audit from "../../../db/queries/audit/audit-entries.ts";
import * as removals from "../../../db/queries/realm/removals.ts";
import { isBeyondShare } from "../../../domain/bulk-job/job.ts";
import type { ErrorCode } from "../../../domain/errors.ts";
import { rolesHave } from "../../../domain/people/roles.ts";
import { revocationsPerHourMax, unconfirmedRemovalsMax } from "../../../domain/limits.ts";
import { createFreshByKey, type FreshByKey } from "../../../runtime/fresh.ts";
import type { PrincipalFor } from "../../contract/access.ts";
import type { Fail, IncomingCall } from "../../contract/endpoint.ts";
import { filters } from "../../contract/filters.ts";

/** The errors of a request that would remove too much access within the hour. */
export const removalErrors = ["confirmation_required", "revocation_limit_reached"] as const satisfies ErrorCode[];

const about =
  "Agrees to the number that `confirmation_required` names: how many people were offboarded and profiles revoked in this " +
  "realm within the last hour without such agreement, with those of this request.";

/** The parameter by which a client agrees to a large number, in the query or in the body. */
export const confirmation = {
  query: z.object({ confirmTotal: filters.count.optional().describe(about) }),
  body: z.object({ confirmTotal: z.int().min(0).nullish().describe(about) }),
};

export const removalDescription =
  `More than ${unconfirmedRemovalsMax} people and profiles that are also more than the realm's share, within an hour and by ` +
  "whatever request or job: 409 `confirmation_required`, with the number in the description and in `fields`; `confirmTotal`, in " +
  "the query or the body, agrees to it. People whose roles do not allow bulk jobs may revoke " +
  `${revocationsPerHourMax} profiles and guest accounts an hour: 409 \`revocation_limit_reached\`. A request that is refused changes nothing.`;

export interface RemovalCall {
  principal: PrincipalFor["staff"];
  deps: Pick<IncomingCall["deps"], "db">;
  query: { confirmTotal?: number | undefined };
  body: { confirmTotal?: number | null | undefined };
  fail: Fail<(typeof removalErrors)[number]>;
}

/**
 * Counts a removal of access. Throws if the removal is too large for the caller, or if the client has not confirmed a
 * number that needs confirmation. Call last in the transaction that removes the access. Requests about one person or
 * profile take no lock, so simultaneous ones may all pass; larger requests wait for one another.
 */
export async function admitRemovals(
  tx: Db,
  { principal, deps: { db }, query, body, fail }: RemovalCall,
  { count, of, at }: { count: number; of: removals.Counted; at: Date },
): Promise<void> {
  if (count === 0) return;
  const { realmId } = principal;
  if (principal.kind === "user" && !rolesHave(principal.roles, "job.create")) {
    const { userId } = principal;
    const revoked = await audit.countRevocationsBy(tx, { realmId, userId, at, max: revocationsPerHourMax + 1 });
    if (revoked > revocationsPerHourMax) throw fail("revocation_limit_reached");
  }

  if (count > 1) await removals.lock(tx, realmId);
  const { before, sharePercent } = await removals.add(tx, { realmId, count, at });
  const total = before + count;
  if (total <= unconfirmedRemovalsMax) return;
  const left = await activeIn(tx, { database: db, of, realmId, at });
  if (!isBeyondShare(total, { active: left + total, sharePercent })) return;
  if ((body.confirmTotal ?? query.confirmTotal) !== total) {
    throw fail("confirmation_required", {
      description: `${total} people and profiles of this realm would be offline within an hour. Confirm it by sending this number as confirmTotal.`,
      fields: [{ path: "confirmTotal", reason: String(total) }],
    });
  }
  await removals.takeBack(tx, { realmId, count, at });
}

/** A count above this is kept for {@link keptMs}. */
const exactMax = 1_000;
const keptMs = 60_000;
const known = new WeakMap<Database, FreshByKey<number>>();

/**
 * Returns how many people or profiles are active. In a large realm the count can be up to a minute old, to avoid a
 * count for each request.
 */
async function activeIn(
  tx: Db,
  { database, of, realmId, at }: { database: Database; of: removals.Counted; realmId: string; at: Date },
): Promise<number> {
  const ofDatabase = known.get(database) ?? createFreshByKey<number>({ keptMs });
  known.set(database, ofDatabase);
  const key = `${of} ${realmId}`;
  const kept = ofDatabase.peek(key);
  if (kept !== undefined) return kept;
  const active = await removals.countActive(tx, { of, realmId, at });
  if (active > exactMax) await ofDatabase.get(key, () => Promise.resolve(active));
  return active;
}
