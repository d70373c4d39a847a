import { ServiceError } from "../../domain/errors.ts";
import { sendJson } from "../http/respond.ts";
import type { TokenHolder } from "../http/rate-limit.ts";
import type { SignInWay } from "../http/metrics.ts";
import { readForm, required } from "../http/form.ts";
import { TokenAnswer } from "./answers.ts";
import { authorizationCode } from "./grants/authorization-code.ts";
import { clientCertificate, clientCertificateGrantType } from "./grants/client-certificate.ts";
import { clientCredentials } from "./grants/client-credentials.ts";
import type { Grant, GrantRequest } from "./grants/grant.ts";
import { guestToken } from "./grants/guest-token.ts";
import { refreshToken } from "./grants/refresh-token.ts";
import { OAuthError } from "./oauth-error.ts";
import type { OAuthCall } from "./oauth-route.ts";

/** A Map, because an object would also contain inherited property names. */
const grants: ReadonlyMap<string, Grant> = new Map([
  ["authorization_code", authorizationCode],
  ["refresh_token", refreshToken],
  ["client_credentials", clientCredentials],
  ["guest_token", guestToken],
  [clientCertificateGrantType, clientCertificate],
]);

/** The values of `grant_type`. */
export const grantTypes: readonly string[] = [...grants.keys()];

/** `POST /oauth/token` (RFC 6749 section 3.2). */
export async function token({ deps, limiter, request, response }: OAuthCall): Promise<void> {
  const form = await readForm(request);
  const countIssued = (holder: TokenHolder) => limiter.countIssued(response, holder);
  sendJson(response, 200, TokenAnswer.parse(await grantTokens({ deps, form, request, countIssued })));
}

/** Grants that are sign-ins themselves. The others continue an earlier sign-in or are for services. */
const signIns: ReadonlyMap<string, SignInWay> = new Map([
  ["guest_token", "guest"],
  [clientCertificateGrantType, "certificate"],
]);

/** Runs the grant of a token request; counts it if it is a sign-in. Throws OAuthError or ServiceError. */
export async function grantTokens(call: GrantRequest): Promise<TokenAnswer> {
  const type = required(call.form, "grant_type");
  const grant = grants.get(type);
  if (grant === undefined) throw new OAuthError("unsupported_grant_type");
  const way = signIns.get(type);
  if (way === undefined) return grant(call);
  const { metrics } = call.deps;
  try {
    const answer = await grant(call);
    metrics.signIn(way, "ok");
    return answer;
  } catch (error) {
    const isKnown = error instanceof OAuthError || error instanceof ServiceError;
    metrics.signIn(way, isKnown && error.status < 500 ? "refused" : "failed");
    throw error;
  }
}
