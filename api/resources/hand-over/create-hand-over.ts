import { randomUUID } from "node:crypto";
import { z } from "zod";
import * as audit from "../../../db/queries/audit/audit-entries.ts";
import * as handOvers from "../../../db/queries/issuance/hand-overs.ts";
import * as issuances from "../../../db/queries/issuance/issuances.ts";
import * as users from "../../../db/queries/people/users.ts";
import { DeviceType } from "../../../domain/certificate/device.ts";
import { profileRefusal } from "../../../domain/certificate/entitlement.ts";
import { ProfileName } from "../../../domain/certificate/profile.ts";
import { UserID } from "../../../domain/ids.ts";
import { handOverMinutes } from "../../../domain/lifetimes.ts";
import { waitingHandOversMax } from "../../../domain/limits.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";
import { requireReach } from "../user/reach.ts";
import { hashesOfHandOver } from "./hand-over-hashes.ts";
import { HandOverView, handOverView } from "./hand-over-view.ts";

export const createHandOver = endpoint({
  operation: "createHandOver",
  summary: "Make a link and a short code with which a user sets up a device",
  description:
    `One device can claim it within ${handOverMinutes} minutes, once, and then gets a profile of the user. No profile is made ` +
    `before. At most ${waitingHandOversMax.user} of a user wait at a time. The caller has every scope that the user's roles ` +
    "give, and for themselves `user.modify`.",
  method: "post",
  path: "/api/user/:userID/hand-overs",
  access: "staff",
  scope: "profile.offer",
  params: z.object({ userID: UserID }),
  body: z.object({
    profileName: ProfileName,
    deviceType: DeviceType.default("Other").describe("The device can correct it."),
  }),
  data: HandOverView,
  secret: true,
  errors: [
    "user_not_found",
    "user_offboarded",
    "user_locked",
    "profile_limit_reached",
    "no_issuer",
    "issuer_expiring",
    "too_many_requests",
  ],
  unknown: { userID: "user_not_found" },
  changes: true,

  async handle({ params: { userID: userId }, body: { profileName: name, deviceType }, principal, deps, change, fail }) {
    const { realmId } = principal;
    const at = deps.clock.now();
    const { id } = await change(async (tx) => {
      const user = await users.lock(tx, { realmId, userId });
      if (user === undefined) throw fail("user_not_found");
      requireReach(principal, { userId, roles: user.roles });
      const owner = await issuances.lockOwner(tx, { realmId, userId, at });
      if (owner === undefined) throw fail("user_not_found");
      const refusal = profileRefusal(owner, at);
      if (refusal !== undefined) throw fail(refusal);
      const drawn = randomUUID();
      const row = { id: drawn, realmId, userId, guestAccountId: null, name, deviceType } as const;
      const made = { ...row, format: null, renewsSerialNumber: null, ...hashesOfHandOver(deps, drawn), at };
      if (!(await handOvers.create(tx, made))) {
        throw fail("too_many_requests", { retryAfterSeconds: handOverMinutes * 60 });
      }
      await audit.record(tx, {
        realmId,
        event: "hand_over_create",
        actor: actorOf(principal),
        at,
        properties: { userID: userId, handOver: drawn, name, deviceType },
      });
      return { id: drawn };
    });
    // A repeated request gets the same hand-over.
    const found = await handOvers.find(deps.db, { id });
    if (found === undefined) throw fail("user_not_found");
    return handOverView(deps, found);
  },
});
