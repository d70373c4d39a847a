import { z } from "zod";
import * as userNotes from "../../../db/queries/people/user-notes.ts";
import { UserID } from "../../../domain/ids.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { UserNoteView, userNoteView } from "./user-note-view.ts";

export const getUserNote = endpoint({
  operation: "getUserNote",
  summary: "The note of staff on a user",
  description: "Users see the note on themselves in the export of their data alone.",
  method: "get",
  path: "/api/user/:userID/note",
  access: "staff",
  scope: "user.read",
  params: z.object({ userID: UserID }),
  data: UserNoteView,
  errors: ["user_not_found"],
  unknown: { userID: "user_not_found" },

  async handle({ params: { userID: userId }, principal: { realmId }, deps: { db }, fail }) {
    const found = await userNotes.find(db, { realmId, userId });
    if (found === undefined) throw fail("user_not_found");
    return userNoteView(found);
  },
});
