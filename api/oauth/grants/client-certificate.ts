import { randomUUID } from "node:crypto";
import { violates } from "../../../db/client.ts";
import * as applications from "../../../db/queries/oauth/applications.ts";
import * as auditEntries from "../../../db/queries/audit/audit-entries.ts";
import * as certificates from "../../../db/queries/certificates/certificates.ts";
import * as sessions from "../../../db/queries/sign-in/sessions.ts";
import { deviceScopes } from "../../../domain/people/roles.ts";
import { claimScopes, signInScopes } from "../../../domain/people/scopes.ts";
import { accessTokenSeconds } from "../../../domain/lifetimes.ts";
import { signInEntry } from "../../session/browser-login.ts";
import { presentedCertificate } from "../../http/client-certificate/presented-certificate.ts";
import { authenticateClient } from "../client-authentication.ts";
import { OAuthError } from "../oauth-error.ts";
import { readScope } from "../scope.ts";
import { describedFor, issueUserTokens } from "../user-tokens.ts";
import type { Grant } from "./grant.ts";

/** The `grant_type` of {@link clientCertificate}. */
export const clientCertificateGrantType = "urn:realmpass:params:oauth:grant-type:client-certificate";

/**
 * Signs a user in with an `authable` profile over mutual TLS, if the operator has enabled that. The token gets only
 * scopes for the user's own resources, limited to those allowed to the application that created the profile. The token
 * is bound to the certificate (RFC 8705 section 3) and ends with it. There is no refresh token: the profile signs in
 * again. The response never reveals why a certificate is refused.
 */
export const clientCertificate: Grant = async ({ deps, form, request, countIssued }) => {
  if (deps.settings.clientCertificates === undefined) throw new OAuthError("unsupported_grant_type");
  const { application, secretHash } = await authenticateClient(deps, { form, request });
  const { clientId, realmId } = application;
  // The console has every scope, but only for interactive sign-in.
  if (application.type !== "useragent" || clientId === applications.consoleClientId(realmId)) {
    throw new OAuthError("unauthorized_client");
  }
  const grantable = application.scopes.filter((scope) => deviceScopes.includes(scope));
  if (readScope(form.get("scope"), grantable, claimScopes) === undefined) throw new OAuthError("invalid_scope");

  const at = deps.clock.now();
  const presented = presentedCertificate(deps, request);
  const profile = presented && (await certificates.findAuthable(deps.db, { ...presented, realmId, at }));
  if (presented === undefined || profile === undefined) throw new OAuthError("invalid_grant");

  const { id: certificateId, userId, pairwiseId, roles, serialNumber, makerScopes } = profile;
  const scopes = readScope(
    form.get("scope"),
    grantable.filter((scope) => signInScopes.includes(scope) || (makerScopes?.includes(scope) ?? true)),
    claimScopes,
  );
  if (scopes === undefined) throw new OAuthError("invalid_scope");
  // Counted per certificate: each request creates a new session.
  await countIssued({ kind: "certificate", id: certificateId });
  await deps.signingKeys.prepare();
  const sessionId = randomUUID();
  const signIn = deps.db.transaction(async (tx) => {
    const made = await sessions.create(tx, {
      id: sessionId,
      realmId,
      userId,
      clientId,
      loginId: null,
      certificateId,
      scopes,
      signedInAt: at,
      at,
      expiresAt: new Date(at.getTime() + accessTokenSeconds * 1000),
    });
    if (!made) return undefined;
    await auditEntries.record(tx, {
      realmId,
      actor: { userId, clientId },
      at,
      ...signInEntry(roles, { userID: userId, method: "certificate", serial: serialNumber }),
    });
    return issueUserTokens(tx, deps, {
      realmId,
      userId,
      pairwiseId,
      clientId,
      sessionId,
      secretHash,
      scopes,
      signedInAt: at,
      certificate: { id: certificateId, thumbprint: presented.thumbprint },
    });
  });
  const tokens = await signIn.catch((error: unknown) => {
    // The client or its secret was removed between two statements.
    if (violates(error)) return undefined;
    throw error;
  });
  if (tokens === undefined) throw new OAuthError("invalid_grant");
  await applications.markUsed(deps.db, { clientId, at });
  return { ...tokens, ...describedFor(application, scopes) };
};
