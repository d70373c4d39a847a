import { allScopes, claimScopes } from "../../domain/people/scopes.ts";
import { untrustedProxyHeader } from "../../runtime/config/networks.ts";
import type { Deps } from "../contract/deps.ts";
import type { ClientCertificateSettings } from "../http/client-certificate/config.ts";
import { sendJson } from "../http/respond.ts";
import { MetadataAnswer } from "./answers.ts";
import { clientCertificateGrantType } from "./grants/client-certificate.ts";
import { grantTypes } from "./token.ts";
import { publishedMaxAgeSeconds } from "./jwks.ts";
import type { OAuthCall } from "./oauth-route.ts";

/**
 * Returns the document's paths: below the issuer (OpenID Connect Discovery section 4), or before its path (RFC 8414
 * section 3).
 */
export function metadataPaths({ settings }: Pick<Deps, "settings">): string[] {
  const path = new URL(settings.authUrl).pathname.replace(/\/$/, "");
  const names = ["openid-configuration", "oauth-authorization-server"].map((name) => `/.well-known/${name}`);
  return path === "" ? names : [...names, ...names.map((name) => `${name}${path}`)];
}

/**
 * Sends the authorization server's metadata: exactly what the server supports. A header reports if a proxy on the way
 * is not trusted.
 */
export function metadata({ deps, request, response }: OAuthCall): Promise<void> {
  if (isForwardedInVain(request)) response.setHeader(untrustedProxyHeader, "1");
  response.setHeader("Cache-Control", `public, max-age=${publishedMaxAgeSeconds}`);
  response.removeHeader("Pragma");
  sendJson(response, 200, MetadataAnswer.parse(describe(deps)));
  return Promise.resolve();
}

/**
 * Returns whether `X-Forwarded-For` has addresses from an untrusted sender: a proxy that is not trusted, or the client
 * itself. Express follows the header from its end, up to the first address that does not belong to a trusted proxy.
 */
function isForwardedInVain(request: OAuthCall["request"]): boolean {
  const forwardedFor = request.get("x-forwarded-for");
  return forwardedFor !== undefined && request.ips.length < forwardedFor.split(",").length;
}

function describe({ settings: { authUrl, clientCertificates } }: Deps): MetadataAnswer {
  const clientAuthentication = ["client_secret_basic", "client_secret_post"];
  return {
    issuer: authUrl,
    authorization_endpoint: `${authUrl}/oauth/authorize`,
    token_endpoint: `${authUrl}/oauth/token`,
    jwks_uri: `${authUrl}/oauth/jwks`,
    userinfo_endpoint: `${authUrl}/oauth/userinfo`,
    end_session_endpoint: `${authUrl}/oauth/logout`,
    revocation_endpoint: `${authUrl}/oauth/revoke`,
    introspection_endpoint: `${authUrl}/oauth/introspect`,
    scopes_supported: [...allScopes, ...claimScopes],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: grantTypes.filter(
      (type) => clientCertificates !== undefined || type !== clientCertificateGrantType,
    ),
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    prompt_values_supported: ["none", "login", "consent", "select_account"],
    ui_locales_supported: ["en", "de"],
    token_endpoint_auth_methods_supported: [...clientAuthentication, "none"],
    revocation_endpoint_auth_methods_supported: [...clientAuthentication, "none"],
    introspection_endpoint_auth_methods_supported: clientAuthentication,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    claims_supported: ["iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "sid", "pairwise_id", "email", "name"],
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    claims_parameter_supported: false,
    ...(clientCertificates && describeMutualTls(clientCertificates)),
  };
}

/**
 * Describes certificate-bound tokens, and the endpoints on our own TLS listener, if there is one (RFC 8705 sections 3.3
 * and 5).
 */
const describeMutualTls = ({ listenerUrl }: ClientCertificateSettings) => ({
  tls_client_certificate_bound_access_tokens: true as const,
  ...(listenerUrl !== undefined && {
    mtls_endpoint_aliases: {
      token_endpoint: `${listenerUrl}/oauth/token`,
      userinfo_endpoint: `${listenerUrl}/oauth/userinfo`,
    },
  }),
});
