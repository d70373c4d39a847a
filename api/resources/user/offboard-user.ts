import { z } from "zod";
import * as offboarding from "../../../db/operations/offboarding.ts";
import { violates } from "../../../db/client.ts";
import * as userRoles from "../../../db/queries/people/user-roles.ts";
import { UserID } from "../../../domain/ids.ts";
import { RevocationReason } from "../../../domain/certificate/revocation.ts";
import { graceDaysMax } from "../../../domain/lifetimes.ts";
import { drawBulkJobId } from "../../../runtime/draw-ids.ts";
import { Done, done, endpoint, inBody } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";
import { answered } from "../../contract/reply.ts";
import { admitRemovals, confirmation, removalDescription, removalErrors } from "../profile/admit-removals.ts";

export const offboardUser = endpoint({
  operation: "offboardUser",
  summary: "Offboard a user",
  description:
    "The user can no longer sign in, their sessions and tokens end at once, their pending issuances fail, and all " +
    "their profiles are revoked permanently. With `graceDays` the profiles are revoked that many days later, by a " +
    "bulk job that `Location` names and that can be undone; a user without a profile to revoke gets no job. A " +
    "person counts as one, however many profiles they have. " +
    removalDescription,
  method: "delete",
  path: "/api/user/:userID",
  access: "staff",
  scope: "user.delete",
  params: z.object({ userID: UserID }),
  query: confirmation.query,
  // Ignored, it would revoke at once what the client wants to keep for days.
  refusedQuery: { graceDays: inBody },
  body: confirmation.body.extend({
    reason: RevocationReason.optional().describe(
      `CRLReason (RFC 5280 section 5.3.1). Default: ${offboarding.offboardingReason}. Not with graceDays.`,
    ),
    graceDays: z
      .int()
      .min(1)
      .max(graceDaysMax)
      .nullish()
      .describe(`Devices go offline this many days later, 1 to ${graceDaysMax}. Default: at once.`),
  }),
  data: Done,
  errors: ["user_not_found", "invalid_request", "last_administrator", ...removalErrors],
  unknown: { userID: "user_not_found" },
  changes: true,

  async handle(call) {
    const { params, body, principal, deps, change, requestId, concerns, fail } = call;
    const { userID: userId } = params;
    const { realmId } = principal;
    const { reason, graceDays = null } = body;
    if (reason !== undefined && graceDays !== null) {
      throw fail("invalid_request", { fields: [{ path: "reason", reason: "cannot be given with graceDays" }] });
    }
    const whom = { realmId, userId, actor: actorOf(principal) };
    // The id of the job that revokes later, or `done` if nothing is left to do.
    const offboarded = change(async (tx): Promise<string | typeof done> => {
      const at = deps.clock.now();
      const admit = (changed: boolean) => admitRemovals(tx, call, { count: changed ? 1 : 0, of: "people", at });
      if (graceDays === null) {
        const outcome = await offboarding.offboard(tx, {
          ...whom,
          reason: reason ?? offboarding.offboardingReason,
          at,
        });
        if (outcome === "not_found") throw fail("user_not_found");
        await admit(outcome === "offboarded");
        return done;
      }
      const jobId = drawBulkJobId();
      const locked = await offboarding.offboardWithGrace(tx, { ...whom, jobId, graceDays, at, requestId });
      if (locked === undefined) throw fail("user_not_found");
      await admit(locked.changed);
      return locked.jobId ?? done;
    });
    const outcome = await offboarded.catch((error: unknown) => {
      if (violates(error, userRoles.keepsAnAdministrator)) throw fail("last_administrator", { cause: error });
      throw error;
    });
    if (outcome === done) return done;
    concerns({ bulkJobId: outcome });
    return answered(done, { Location: `/api/jobs/${outcome}` });
  },
});
