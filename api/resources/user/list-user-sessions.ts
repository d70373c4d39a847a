import { z } from "zod";
import * as sessions from "../../../db/queries/sign-in/sessions.ts";
import * as users from "../../../db/queries/people/users.ts";
import { UserID } from "../../../domain/ids.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { SessionView, sessionView } from "../../contract/views/session-view.ts";

export const listUserSessions = endpoint({
  operation: "listUserSessions",
  summary: "The sessions of a user",
  description: "Newest first, not paginated.",
  method: "get",
  path: "/api/user/:userID/sessions",
  access: "staff",
  scope: "user.read",
  params: z.object({ userID: UserID }),
  data: z.array(SessionView),
  errors: ["user_not_found"],
  unknown: { userID: "user_not_found" },

  async handle({ params: { userID: userId }, principal, deps: { db, clock }, fail }) {
    const { realmId } = principal;
    if (!(await users.exists(db, { realmId, userId }))) throw fail("user_not_found");
    const found = await sessions.listOfUser(db, { realmId, userId, at: clock.now() });
    return found.map((session) => sessionView(session, principal.kind === "user" ? principal.sessionId : null));
  },
});
