import * as certificates from "../../db/queries/certificates/certificates.ts";
import * as refreshTokens from "../../db/queries/oauth/refresh-tokens.ts";
import type { Scope } from "../../domain/people/scopes.ts";
import { hashOfToken } from "../../runtime/keys/secret-token.ts";
import type { Deps } from "../contract/deps.ts";
import { sendJson } from "../http/respond.ts";
import { IntrospectionAnswer } from "./answers.ts";
import { authenticateClient } from "./client-authentication.ts";
import { readForm, required } from "../http/form.ts";
import { grantedScopes } from "./granted-scopes.ts";
import { OAuthError } from "./oauth-error.ts";
import type { OAuthCall } from "./oauth-route.ts";

/**
 * `POST /oauth/introspect` (RFC 7662), for clients with a secret: describes access tokens of their realm and their own
 * refresh tokens.
 */
export async function introspect({ deps, request, response }: OAuthCall): Promise<void> {
  const form = await readForm(request);
  const { application, secretHash } = await authenticateClient(deps, { form, request });
  if (secretHash === null) throw new OAuthError("invalid_client");
  const found = await describe(deps, hashOfToken(required(form, "token")), application.clientId);
  sendJson(response, 200, IntrospectionAnswer.parse(answerOf(deps, application.realmId, found)));
}

/** Returns the response; a token of another realm counts as unknown. */
function answerOf(
  { settings }: Pick<Deps, "settings">,
  realmId: string,
  found: Described | undefined,
): IntrospectionAnswer {
  if (found?.realmId !== realmId) return { active: false };
  const { realmId: _, scopes, createdAt, expiresAt, ...rest } = found;
  return {
    active: true,
    ...rest,
    iss: settings.authUrl,
    scope: scopes.join(" "),
    iat: seconds(createdAt),
    exp: seconds(expiresAt),
  };
}

interface Described extends Pick<
  Extract<IntrospectionAnswer, { active: true }>,
  "sub" | "client_id" | "token_type" | "aud" | "sid" | "cnf"
> {
  realmId: string;
  scopes: readonly Scope[];
  createdAt: Date;
  expiresAt: Date;
}

/** Describes an access token, or a refresh token of this client; returns undefined for any other token. */
async function describe(
  { db, clock, settings, findHolder }: Deps,
  tokenHash: Buffer,
  clientId: string,
): Promise<Described | undefined> {
  const holder = await findHolder(tokenHash);
  if (holder === "suspended") return undefined;
  if (holder !== undefined) {
    const sub = holder.userId ?? holder.clientId ?? `guest-account:${holder.guestAccountId}`;
    const { realmId, scopes, createdAt, expiresAt, sessionId, certificateId } = holder;
    const thumbprint = certificateId === null ? undefined : await certificates.thumbprintOf(db, { id: certificateId });
    return {
      realmId,
      scopes,
      createdAt,
      expiresAt,
      sub,
      client_id: holder.clientId ?? sub,
      token_type: "Bearer",
      aud: settings.baseUrl,
      ...(sessionId !== null && { sid: sessionId }),
      ...(thumbprint && { cnf: { "x5t#S256": thumbprint.toString("base64url") } }),
    };
  }
  const refresh = await refreshTokens.find(db, { tokenHash, at: clock.now() });
  if (refresh?.clientId !== clientId) return undefined;
  const { realmId, createdAt, expiresAt, userId, sessionId } = refresh;
  const scopes = await grantedScopes(db, refresh);
  return { realmId, scopes, createdAt, expiresAt, sub: userId, client_id: clientId, sid: sessionId };
}

const seconds = (instant: Date): number => Math.floor(instant.getTime() / 1000);
