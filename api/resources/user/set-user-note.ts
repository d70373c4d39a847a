import { z } from "zod";
import * as audit from "../../../db/queries/audit/audit-entries.ts";
import * as userNotes from "../../../db/queries/people/user-notes.ts";
import * as users from "../../../db/queries/people/users.ts";
import { UserID } from "../../../domain/ids.ts";
import { userNoteLengthMax } from "../../../domain/limits.ts";
import { lines } from "../../../domain/text.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";
import { UserNoteView, userNoteView } from "./user-note-view.ts";

export const setUserNote = endpoint({
  operation: "setUserNote",
  summary: "Write a note on a user",
  description:
    "It is forgotten with the user, and is part of the export of their data. The audit log has who wrote it and when, " +
    "never the text. With `If-Match`, only what was read is changed.",
  method: "put",
  path: "/api/user/:userID/note",
  access: "staff",
  scope: "user.modify",
  params: z.object({ userID: UserID }),
  body: z.object({ note: lines(userNoteLengthMax).nullable().describe("Null, or nothing but blanks: none.") }),
  data: UserNoteView,
  errors: ["user_not_found", "user_forgotten"],
  unknown: { userID: "user_not_found" },
  conditional: true,

  handle({ params: { userID: userId }, body, principal, deps: { db, clock }, requireMatch, fail }) {
    const { realmId } = principal;
    const at = clock.now();
    const written = body.note?.trim() ?? "";
    const note = written === "" ? null : written;
    return db.transaction(async (tx) => {
      const user = await users.lock(tx, { realmId, userId });
      const before = await userNotes.find(tx, { realmId, userId });
      if (user === undefined || before === undefined) throw fail("user_not_found");
      if (user.forgottenAt !== null) throw fail("user_forgotten");
      requireMatch(UserNoteView.parse(userNoteView(before)));
      if (note === before.note) return userNoteView(before);
      await userNotes.set(tx, { realmId, userId, note, at });
      await audit.record(tx, {
        realmId,
        event: "user_note_update",
        actor: actorOf(principal),
        at,
        properties: { userID: userId },
      });
      return userNoteView({ note, writtenAt: note === null ? null : at });
    });
  },
});
