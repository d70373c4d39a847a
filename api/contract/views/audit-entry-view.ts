import { z } from "zod";
import type { AuditEntry } from "../../../db/queries/audit/audit-entries.ts";
import { GuestAccountID, SerialNumber, UserID } from "../../../domain/ids.ts";
import { Timestamp } from "./timestamp.ts";

const fields = {
  id: z.string(),
  date: Timestamp,
  event: z.string().meta({ description: "`<subject>_<verb>`", example: "user_lock" }),
  properties: z.string().meta({ description: "A JSON object: whom it is about, before and after." }),
  realm: z.int(),
  user: z.int().nullable(),
  client: z.string().nullable(),
};

/** An audit entry on the wire; user and client are the actor. */
export const AuditEntryView = z.object(fields).meta({ id: "AuditEntry" });
export type AuditEntryView = z.infer<typeof AuditEntryView>;

/** A line of an export: the entry and its position in the realm's chain, null before it is sealed. */
export const ExportedEntryView = z
  .object({ ...fields, position: z.int().nullable(), hash: z.string().nullable() })
  .meta({ id: "ExportedAuditEntry" });
export type ExportedEntryView = z.infer<typeof ExportedEntryView>;

/** Converts an entry to the specification's form. */
export const auditEntryView = (entry: AuditEntry): AuditEntryView => ({
  id: entry.id,
  date: entry.at.toISOString(),
  event: entry.event,
  properties: entry.properties,
  realm: Number(entry.realmId),
  user: entry.userId === null ? null : Number(entry.userId),
  client: entry.clientId,
});

/** Returns the userIDs of the actor and of the people concerned. */
export function peopleIn({ userId, properties }: Pick<AuditEntry, "userId" | "properties">): string[] {
  const { userID, user } = JSON.parse(properties) as Record<string, unknown>;
  return [userId, userID, user].filter((id) => UserID.safeParse(id).success) as string[];
}

/** Returns the ids of the guest accounts concerned. */
export function guestsIn({ properties }: Pick<AuditEntry, "properties">): string[] {
  const { guestAccountID, guestAccount } = JSON.parse(properties) as Record<string, unknown>;
  return [guestAccountID, guestAccount].filter((id) => GuestAccountID.safeParse(id).success) as string[];
}

/** Returns the serial number of the profile concerned, in a list; empty if there is none. */
export function devicesIn({ properties }: Pick<AuditEntry, "properties">): string[] {
  const { serial } = JSON.parse(properties) as Record<string, unknown>;
  return SerialNumber.safeParse(serial).success ? [serial as string] : [];
}
