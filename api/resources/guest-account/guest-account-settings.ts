import { z } from "zod";
import type { Db } from "../../../db/client.ts";
import type { GuestAccountSettings } from "../../../db/queries/people/guest-accounts.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import type { FieldError } from "../../../domain/errors.ts";
import {
  GuestAccountName,
  GuestAccountNote,
  isBoundAsGuestManager,
  ProfileLimit,
} from "../../../domain/people/guest-account.ts";
import type { PrincipalFor } from "../../contract/access.ts";
import type { Fail } from "../../contract/endpoint.ts";
import { filters } from "../../contract/filters.ts";
import { confirmation } from "../profile/admit-removals.ts";

/** The body for creating a guest account. */
export const GuestAccountCreation = z.object({
  name: GuestAccountName,
  expirationDate: filters.instant.describe("ISO 8601, in the future; without an offset it is UTC."),
  note: GuestAccountNote.nullish(),
  profileLimit: ProfileLimit.nullish().describe("Active profiles at a time; null or omitted: unlimited."),
});

/** The body for changing a guest account; every property is optional. */
export const GuestAccountChange = z
  .object({
    name: GuestAccountName.optional(),
    expirationDate: filters.instant.optional().describe("The account's access tokens end then, too."),
    note: GuestAccountNote.nullish().describe("null: none."),
    profileLimit: ProfileLimit.nullish().describe("null: unlimited. Profiles beyond a lower limit stay."),
    ...confirmation.body.shape,
  })
  .refine(({ confirmTotal, ...change }) => Object.keys(change).length > 0, "must have a property to change");

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Fails for an end in the past and, if a guest manager makes the change, for values beyond the realm's bounds. Does not
 * check properties that are not given: a manager may rename an account that an administrator created.
 */
export async function requireAllowed(
  tx: Db,
  { expiresAt, profileLimit }: Partial<Pick<GuestAccountSettings, "expiresAt" | "profileLimit">>,
  { principal, at, fail }: { principal: PrincipalFor["staff"]; at: Date; fail: Fail<"invalid_request"> },
): Promise<void> {
  const faults: FieldError[] = [];
  if (expiresAt !== undefined && expiresAt <= at) {
    faults.push({ path: "expirationDate", reason: "must be in the future" });
  }
  const bound = principal.kind === "user" && isBoundAsGuestManager(principal.roles);
  const realm = bound ? await realms.findById(tx, principal.realmId) : undefined;
  if (realm !== undefined) {
    const { guestDaysMax, guestLimitMax } = realm;
    if (expiresAt !== undefined && expiresAt.getTime() > at.getTime() + guestDaysMax * dayMs) {
      faults.push({ path: "expirationDate", reason: `must be at most ${guestDaysMax} days from now (guestDaysMax)` });
    }
    if (profileLimit === null || (profileLimit !== undefined && profileLimit > guestLimitMax)) {
      faults.push({ path: "profileLimit", reason: `must be a limit of at most ${guestLimitMax} (guestLimitMax)` });
    }
  }
  if (faults.length > 0) throw fail("invalid_request", { fields: faults });
}

/** Returns an account's settings by their names on the wire, as in the audit log. */
export const settingsByName = ({ name, note, profileLimit, expiresAt }: GuestAccountSettings) => ({
  name,
  note,
  profileLimit,
  expirationDate: expiresAt.toISOString(),
});
