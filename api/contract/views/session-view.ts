import { z } from "zod";
import type { SessionRow } from "../../../db/queries/sign-in/sessions.ts";
import { Scope } from "../../../domain/people/scopes.ts";
import { Timestamp } from "./timestamp.ts";

/** A session on the wire; `id` is the `sid` of its id tokens. */
export const SessionView = z
  .object({
    id: z.uuid(),
    client_id: z.string(),
    clientName: z.string(),
    scopes: z.array(Scope),
    createdAt: Timestamp,
    lastUsedAt: Timestamp,
    expiresAt: Timestamp,
    current: z.boolean().describe("The session of this request's token."),
  })
  .meta({ id: "Session" });
export type SessionView = z.infer<typeof SessionView>;

/** Returns a session as its reader sees it. `currentId` is the id of the reader's own session, if any. */
export const sessionView = (session: SessionRow, currentId: string | null): SessionView => ({
  id: session.id,
  client_id: session.clientId,
  clientName: session.clientName,
  scopes: session.scopes,
  createdAt: session.createdAt.toISOString(),
  lastUsedAt: session.lastUsedAt.toISOString(),
  expiresAt: session.expiresAt.toISOString(),
  current: session.id === currentId,
});
