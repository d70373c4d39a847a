import { z } from "zod";
import * as roleOperations from "../../../db/operations/roles.ts";
import * as sessionOperations from "../../../db/operations/sessions.ts";
import * as userRoles from "../../../db/queries/people/user-roles.ts";
import { SessionID, UserID } from "../../../domain/ids.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";
import { requireReach } from "./reach.ts";

export const endUserSession = endpoint({
  operation: "endUserSession",
  summary: "End a session of a user, with its tokens",
  description: "The caller has every scope that the user's roles give, and for themselves `user.modify`.",
  method: "delete",
  path: "/api/user/:userID/sessions/:sid",
  access: "staff",
  scope: "user.lock",
  params: z.object({ userID: UserID, sid: SessionID }),
  data: Done,
  errors: ["user_not_found", "session_not_found"],
  unknown: { userID: "user_not_found", sid: "session_not_found" },
  changes: true,

  handle: ({ params: { userID: userId, sid: id }, principal, deps: { clock }, change, fail }) =>
    change(async (tx) => {
      const of = { realmId: principal.realmId, userId };
      const held = await userRoles.find(tx, of);
      if (held === undefined) throw fail("user_not_found");
      requireReach(principal, { userId, roles: roleOperations.heldRoles(held) });
      const how = { actor: actorOf(principal), reason: "ended", at: clock.now() } as const;
      if ((await sessionOperations.end(tx, { id, of, ...how })) === undefined) throw fail("session_not_found");
      return done;
    }),
});
