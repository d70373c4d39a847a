import * as guestAccounts from "../../../db/queries/people/guest-accounts.ts";
import type { GuestAccount } from "../../../db/queries/people/guest-accounts.ts";
import * as issuances from "../../../db/queries/issuance/issuances.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import { profileRefusal } from "../../../domain/certificate/entitlement.ts";
import { hashOfToken } from "../../../runtime/keys/secret-token.ts";
import { guestProfileNameOf } from "../../resources/guest-profile/accept-guest-profile.ts";
import { rememberRealm } from "../../pages/page-realm.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import { pathOn } from "../../pages/continue-to.ts";
import type { Owner } from "./owner.ts";
import { sendEndedLink, sendUnknownLink } from "./views/ended-link.tsx";

/** The holder of a guest account's link. */
export interface Guest extends Owner {
  account: GuestAccount;
}

/**
 * Returns the holder of the guest account of the link's token; without an account, or if it has ended, sends the
 * response. A revoked account looks like an unknown one; failed attempts count, since a token lets its holder join the
 * network.
 */
export async function findGuest(page: PageRequest): Promise<Guest | undefined> {
  const { deps, request } = page;
  const at = deps.clock.now();
  const token = String(request.params["token"]);
  const account = await guestAccounts.findEvenEnded(deps.db, { tokenHash: hashOfToken(token) });
  if (account?.revokedAt !== null) {
    await sendUnknownLink(page);
    return undefined;
  }

  const { realmId, id: guestAccountId } = account;
  const [realm, standing] = await Promise.all([
    realms.findById(deps.db, realmId),
    issuances.readGuestAccount(deps.db, { realmId, guestAccountId, at }),
  ]);
  rememberRealm(page, realm);
  if (realm === undefined || standing === undefined || account.expiresAt <= at) {
    sendEndedLink(page, "guestExpired", realm);
    return undefined;
  }
  return {
    realm,
    home: pathOn(deps, `/guest/${encodeURIComponent(token)}`),
    of: { userId: null, guestAccountId },
    displayName: undefined,
    profileName: guestProfileNameOf(account),
    count: standing.count,
    limit: standing.limit,
    objection: profileRefusal(standing, at),
    visitor: undefined,
    account,
  };
}
