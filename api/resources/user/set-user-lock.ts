import { z } from "zod";
import * as audit from "../../../db/queries/audit/audit-entries.ts";
import * as users from "../../../db/queries/people/users.ts";
import { UserID } from "../../../domain/ids.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";
import { requireReach } from "./reach.ts";

export const setUserLock = endpoint({
  operation: "setUserLock",
  summary: "Lock or unlock a user",
  description:
    "A locked user gets no new profile; nothing else ends. The caller has every scope that the user's roles give, and for " +
    "themselves `user.modify`.",
  method: "put",
  path: "/api/user/:userID/status",
  access: "staff",
  scope: "user.lock",
  params: z.object({ userID: UserID }),
  body: z.object({ locked: z.boolean() }),
  data: Done,
  errors: ["user_not_found"],
  unknown: { userID: "user_not_found" },

  async handle({ params: { userID: userId }, body: { locked }, principal, deps: { db, clock }, fail }) {
    const { realmId } = principal;
    const at = clock.now();
    await db.transaction(async (tx) => {
      const user = await users.lock(tx, { realmId, userId });
      if (user === undefined) throw fail("user_not_found");
      requireReach(principal, { userId, roles: user.roles });
      const wasLocked = user.lockedAt !== null;
      if (locked === wasLocked) return;
      await users.setLockedAt(tx, { realmId, userId, lockedAt: locked ? at : null });
      await audit.record(tx, {
        realmId,
        event: locked ? "user_lock" : "user_unlock",
        actor: actorOf(principal),
        at,
        properties: { userID: userId, before: { locked: wasLocked }, after: { locked } },
      });
    });
    return done;
  },
});
