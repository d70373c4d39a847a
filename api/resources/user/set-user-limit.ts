import { z } from "zod";
import * as audit from "../../../db/queries/audit/audit-entries.ts";
import * as users from "../../../db/queries/people/users.ts";
import { UserID } from "../../../domain/ids.ts";
import { realmLimits } from "../../../domain/realm.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";
import { UserView, userView } from "../../contract/views/user-view.ts";

export const setUserLimit = endpoint({
  operation: "setUserLimit",
  summary: "Give a user a profile limit of their own",
  description:
    "0: the realm's. Profiles beyond a lower limit stay. With `If-Match` and the `ETag` of `GET /api/user/{userID}`, only what was read is changed.",
  method: "put",
  path: "/api/user/:userID/limit",
  access: "staff",
  scope: "user.modify",
  params: z.object({ userID: UserID }),
  body: z.object({ profileOverride: z.int().min(0).max(realmLimits.maxProfiles) }),
  data: Done,
  errors: ["user_not_found"],
  unknown: { userID: "user_not_found" },
  conditional: true,

  async handle({
    params: { userID: userId },
    body: { profileOverride },
    principal,
    deps: { db, clock },
    requireMatch,
    fail,
  }) {
    const { realmId } = principal;
    const at = clock.now();
    await db.transaction(async (tx) => {
      const user = await users.lock(tx, { realmId, userId });
      const read = await users.find(tx, { realmId, userId, at });
      if (user === undefined || read === undefined) throw fail("user_not_found");
      requireMatch(UserView.parse(userView(read)));
      if (user.profileOverride === profileOverride) return;
      await users.setProfileOverride(tx, { realmId, userId, profileOverride });
      await audit.record(tx, {
        realmId,
        event: "user_limit_update",
        actor: actorOf(principal),
        at,
        properties: { userID: userId, before: { profileOverride: user.profileOverride }, after: { profileOverride } },
      });
    });
    return done;
  },
});
