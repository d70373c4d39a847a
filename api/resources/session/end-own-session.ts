import { z } from "zod";
import { SessionID } from "../../../domain/ids.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";
import { endSession } from "./end-session.ts";

export const endOwnSession = endpoint({
  operation: "endOwnSession",
  summary: "End a session of the signed-in user, with its tokens",
  method: "delete",
  path: "/api/sessions/:sid",
  access: "user",
  params: z.object({ sid: SessionID }),
  data: Done,
  errors: ["session_not_found"],
  unknown: { sid: "session_not_found" },
  changes: true,

  handle: ({ params: { sid: id }, principal, deps: { clock }, change, fail }) =>
    change(async (tx) => {
      const ended = await endSession(tx, { principal, userId: principal.userId, id, at: clock.now() });
      if (!ended) throw fail("session_not_found");
      return done;
    }),
});
