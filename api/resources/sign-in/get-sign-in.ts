import * as identities from "../../../db/queries/sign-in/upstream-identities.ts";
import { upstreamCallbackPath } from "../../../runtime/config/addresses.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { draftView, SignInView, signInView } from "./sign-in-view.ts";
import { signInCommand } from "../realm/operator-commands.ts";
import { findDraft, isChangeable, realmOf } from "./sign-in-rules.ts";

export const getSignIn = endpoint({
  operation: "getSignIn",
  summary: "The realm's sign-in through its identity provider",
  description: "With the draft of one that is being set up.",
  method: "get",
  path: "/api/realm/sign-in",
  access: "staff",
  scope: "realm.read",
  data: SignInView,
  errors: [],

  async handle({ principal: { realmId }, deps: { db, clock, settings } }) {
    const at = clock.now();
    const realm = await realmOf(db, realmId);
    const found = await findDraft(db, { realmId, at });
    return signInView(realm, {
      changeable: isChangeable(realm),
      callbackURI: `${settings.authUrl}${upstreamCallbackPath}`,
      lastSignInAt: await identities.findLastSignIn(db, { realmId }),
      draft: found === undefined ? null : draftView(found.draft, found),
      operatorCommand: signInCommand(realm),
    });
  },
});
