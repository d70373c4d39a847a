import { z } from "zod";
import * as audit from "../../../db/queries/audit/audit-entries.ts";
import * as guestAccounts from "../../../db/queries/people/guest-accounts.ts";
import type { GuestAccountSettings } from "../../../db/queries/people/guest-accounts.ts";
import { GuestAccountID } from "../../../domain/ids.ts";
import { differences } from "../../contract/audit-changes.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";
import { GuestAccountView, guestAccountView } from "../../contract/views/guest-account-view.ts";
import { admitRemovals, confirmation, removalDescription, removalErrors } from "../profile/admit-removals.ts";
import { GuestAccountChange, requireAllowed, settingsByName } from "./guest-account-settings.ts";

export const updateGuestAccount = endpoint({
  operation: "updateGuestAccount",
  summary: "Change a guest account",
  description:
    "Omitted properties stay. Profiles end with the account at the latest; a later end does not lengthen them. An " +
    "expired account becomes active again if its end is moved; a revoked one does not. " +
    "For guest managers who do not administer the realm, its `guestDaysMax`, counted from now, and its " +
    "`guestLimitMax` limit what they change. With `If-Match`, only what was read is changed. " +
    `Moving the end to within the next hour counts as the account's number of active profiles. ${removalDescription}`,
  method: "put",
  path: "/api/guest-accounts/:guestAccountId",
  access: "staff",
  scope: "guest.modify",
  params: z.object({ guestAccountId: GuestAccountID }),
  query: confirmation.query,
  body: GuestAccountChange,
  data: GuestAccountView,
  errors: ["guest_account_not_found", "guest_account_ended", "invalid_request", ...removalErrors],
  unknown: { guestAccountId: "guest_account_not_found" },
  conditional: true,

  async handle(call) {
    const { params, body, principal, deps, requireMatch, fail } = call;
    const { guestAccountId } = params;
    const { realmId } = principal;
    const at = deps.clock.now();
    return deps.db.transaction(async (tx) => {
      const before = await guestAccounts.lock(tx, { realmId, guestAccountId });
      const read = await guestAccounts.find(tx, { realmId, guestAccountId, at });
      if (before === undefined || read === undefined) throw fail("guest_account_not_found");
      requireMatch(GuestAccountView.parse(guestAccountView(read)));
      if (before.revokedAt !== null) throw fail("guest_account_ended");

      const after = changedBy(before, body);
      const changes = differences(settingsByName(before), settingsByName(after));
      if (changes !== undefined) {
        const given = {
          ...("expirationDate" in changes.after && { expiresAt: after.expiresAt }),
          ...("profileLimit" in changes.after && { profileLimit: after.profileLimit }),
        };
        await requireAllowed(tx, given, { principal, at, fail });
        await guestAccounts.update(tx, { realmId, guestAccountId, ...after });
        await audit.record(tx, {
          realmId,
          event: "guest_account_update",
          actor: actorOf(principal),
          at,
          properties: { guestAccountID: guestAccountId, ...changes },
        });
        // Upkeep revokes profiles that outlive the account.
        const count = endsWithinAnHour(before, after, at) ? read.activeProfileCount : 0;
        await admitRemovals(tx, call, { count, of: "profiles", at });
      }
      const changed = await guestAccounts.find(tx, { realmId, guestAccountId, at });
      if (changed === undefined) throw fail("guest_account_not_found");
      return guestAccountView(changed);
    });
  },
});

const hourMs = 3_600_000;

const endsWithinAnHour = (
  before: Pick<GuestAccountSettings, "expiresAt">,
  after: Pick<GuestAccountSettings, "expiresAt">,
  at: Date,
): boolean => after.expiresAt < before.expiresAt && after.expiresAt.getTime() - at.getTime() <= hourMs;

const changedBy = (before: GuestAccountSettings, given: z.output<typeof GuestAccountChange>): GuestAccountSettings => ({
  name: given.name ?? before.name,
  note: given.note === undefined ? before.note : given.note,
  profileLimit: given.profileLimit === undefined ? before.profileLimit : given.profileLimit,
  expiresAt: given.expirationDate ?? before.expiresAt,
});
