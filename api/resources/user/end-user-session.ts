import { z } from "zod";
import * as users from "../../../db/queries/people/users.ts";
import { SessionID, UserID } from "../../../domain/ids.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";
import { endSession } from "../session/end-session.ts";

export const endUserSession = endpoint({
  operation: "endUserSession",
  summary: "End a session of a user, with its tokens",
  method: "delete",
  path: "/api/user/:userID/sessions/:sid",
  access: "admin",
  scope: "user.modify",
  params: z.object({ userID: UserID, sid: SessionID }),
  data: Done,
  errors: ["user_not_found", "session_not_found"],
  unknown: { userID: "user_not_found", sid: "session_not_found" },
  changes: true,

  handle: ({ params: { userID: userId, sid: id }, principal, deps: { clock }, change, fail }) =>
    change(async (tx) => {
      if (!(await users.exists(tx, { realmId: principal.realmId, userId }))) throw fail("user_not_found");
      if (!(await endSession(tx, { principal, userId, id, at: clock.now() }))) throw fail("session_not_found");
      return done;
    }),
});
