import * as guestAccounts from "../../../db/queries/people/guest-accounts.ts";
import { hashOfToken } from "../../../runtime/keys/secret-token.ts";
import { issueAccessToken } from "../access-token.ts";
import { required } from "../../http/form.ts";
import { OAuthError } from "../oauth-error.ts";
import type { Grant } from "./grant.ts";

/** Exchanges a guest account's token for an access token that lives as long as the account. Needs no client. */
export const guestToken: Grant = async ({ deps, form, request, countIssued }) => {
  const tokenHash = hashOfToken(required(form, "guest_token"));
  const account = await guestAccounts.findByToken(deps.db, { tokenHash, at: deps.clock.now() });
  if (account === undefined) {
    await deps.attemptCounter.tokenFailed({ address: request.ip ?? "" });
    throw new OAuthError("invalid_grant");
  }

  await countIssued({ kind: "guest", id: account.id });
  const accessToken = await issueAccessToken(deps.db, deps, {
    realmId: account.realmId,
    clientId: null,
    userId: null,
    guestAccountId: account.id,
    secretHash: null,
    sessionId: null,
    certificateId: null,
    scopes: [],
    subject: `guest-account:${account.id}`,
    expiresAt: account.expiresAt,
  });
  return { access_token: accessToken, token_type: "Bearer" };
};
