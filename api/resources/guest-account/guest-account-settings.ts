import { z } from "zod";
import type { GuestAccountSettings } from "../../../db/queries/people/guest-accounts.ts";
import { GuestAccountName, GuestAccountNote, ProfileLimit } from "../../../domain/guest-account.ts";
import type { Fail } from "../../contract/endpoint.ts";
import { filters } from "../../contract/filters.ts";

/** What the creation of a guest account takes. */
export const GuestAccountCreation = z.object({
  name: GuestAccountName,
  expirationDate: filters.instant.describe("ISO 8601, in the future; without an offset it is UTC."),
  note: GuestAccountNote.nullish(),
  profileLimit: ProfileLimit.nullish().describe("Active profiles at a time; null or omitted: unlimited."),
});

/** What may be changed of one: every property by itself. */
export const GuestAccountChange = z
  .object({
    name: GuestAccountName.optional(),
    expirationDate: filters.instant.optional().describe("The account's access tokens end then, too."),
    note: GuestAccountNote.nullish().describe("null: none."),
    profileLimit: ProfileLimit.nullish().describe("null: unlimited. Profiles beyond a lower limit stay."),
  })
  .refine((change) => Object.keys(change).length > 0, "must have a property to change");

/** Fails for an end that is past. */
export function requireFuture(expirationDate: Date, at: Date, fail: Fail<"invalid_request">): void {
  if (expirationDate > at) return;
  throw fail("invalid_request", {
    fields: [{ path: "expirationDate", reason: "must be in the future" }],
  });
}

/** An account's settings by their names on the wire, as the audit log has them. */
export const settingsByName = ({ name, note, profileLimit, expiresAt }: GuestAccountSettings) => ({
  name,
  note,
  profileLimit,
  expirationDate: expiresAt.toISOString(),
});
