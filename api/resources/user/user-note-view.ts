import { z } from "zod";
import type { UserNote } from "../../../db/queries/people/user-notes.ts";
import { Timestamp } from "../../contract/views/timestamp.ts";

/** A note that staff keep about a person. */
export const UserNoteView = z
  .object({ note: z.string().nullable().describe("Null: none."), writtenAt: Timestamp.nullable() })
  .meta({ id: "UserNote" });
export type UserNoteView = z.infer<typeof UserNoteView>;

export const userNoteView = ({ note, writtenAt }: UserNote): UserNoteView => ({
  note,
  writtenAt: writtenAt?.toISOString() ?? null,
});
