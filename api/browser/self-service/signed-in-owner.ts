import * as issuances from "../../../db/queries/issuance/issuances.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import { limitOf, profileRefusal, type UserState } from "../../../domain/certificate/entitlement.ts";
import type { Scope } from "../../../domain/people/scopes.ts";
import { withoutLanguage } from "../../pages/language.ts";
import { rememberRealm } from "../../pages/page-realm.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import type { UserPrincipal } from "../../contract/principal.ts";
import { findLogin } from "../../session/browser-login.ts";
import { pathOn, signInPath } from "../../pages/continue-to.ts";
import { personName } from "../../session/person-name.ts";
import { redirect } from "../../pages/redirect.ts";
import { keepForm } from "./kept-form.ts";
import type { Owner } from "./owner.ts";

/** A user who is signed in with this browser. */
export interface SignedInOwner extends Owner {
  principal: UserPrincipal;
  state: UserState;
}

const ownScopes: ReadonlySet<Scope> = new Set<Scope>([
  "profile.create",
  "profile.delete",
  "profile.modify",
  "profile.read",
]);

/** Returns the signed-in user. Redirects anyone else to sign in, and back to the page afterwards. */
export async function requireSignedIn(page: PageRequest): Promise<SignedInOwner | undefined> {
  const { deps } = page;
  const at = deps.clock.now();
  const login = await findLogin(deps, page.request);
  const [realm, owner] =
    login === undefined
      ? []
      : await Promise.all([
          realms.findById(deps.db, login.realmId),
          issuances.readOwner(deps.db, { realmId: login.realmId, userId: login.userId, at }),
        ]);
  if (login === undefined || realm === undefined || owner === undefined) {
    redirect(page, signInPath(deps, comeBackTo(page), { again: false }));
    return undefined;
  }

  rememberRealm(page, realm);
  const { realmId, userId } = login;
  return {
    realm,
    home: pathOn(deps, "/me"),
    of: { userId, guestAccountId: null },
    displayName: login.displayName,
    profileName: "",
    count: owner.count,
    limit: limitOf(owner),
    objection: profileRefusal(owner, at),
    visitor: { person: personName(login), hasRole: login.roles.length > 0 },
    state: owner,
    principal: {
      kind: "user",
      realmId,
      userId,
      scopes: ownScopes,
      expiresAt: login.expiresAt,
      clientId: null,
      roles: [],
      sessionId: null,
      certificateId: null,
    },
  };
}

/**
 * Returns the page to continue at after sign-in: a requested page; for the form for a new device, that form with its
 * input; for any other form, which must be sent again, the start page.
 */
const comeBackTo = (page: PageRequest): string =>
  page.request.method === "POST"
    ? (keepForm(page) ?? "/me")
    : withoutLanguage(page.request.originalUrl).replace(/\?$/, "");
