import { z } from "zod";
import * as sessions from "../../../db/queries/sign-in/sessions.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { SessionView, sessionView } from "../../contract/views/session-view.ts";

export const listOwnSessions = endpoint({
  operation: "listOwnSessions",
  summary: "The sessions of the signed-in user",
  description:
    "Newest first, not paginated. No scope is needed: signed-in users may see where they are signed in, and end it.",
  method: "get",
  path: "/api/sessions",
  access: "user",
  data: z.array(SessionView),
  errors: [],

  async handle({ principal, deps: { db, clock } }) {
    const { realmId, userId } = principal;
    const found = await sessions.listOfUser(db, { realmId, userId, at: clock.now() });
    return found.map((session) => sessionView(session, principal.sessionId));
  },
});
