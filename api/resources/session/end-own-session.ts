import { z } from "zod";
import * as sessionOperations from "../../../db/operations/sessions.ts";
import { SessionID } from "../../../domain/ids.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";

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
      const of = { realmId: principal.realmId, userId: principal.userId };
      const how = { actor: actorOf(principal), reason: "ended", at: clock.now() } as const;
      if ((await sessionOperations.end(tx, { id, of, ...how })) === undefined) throw fail("session_not_found");
      return done;
    }),
});
