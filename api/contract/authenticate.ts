import type { Deps } from "./deps.ts";
import { Unauthenticated } from "../http/token-errors.ts";
import * as accessTokens from "../../db/queries/oauth/access-tokens.ts";
import type { TokenHolder } from "../../db/queries/oauth/access-tokens.ts";
import { hashOfToken } from "../../runtime/secret-token.ts";
import type { Principal } from "./principal.ts";

/**
 * The token hash of an Authorization header (RFC 6750 section 2.1). Tokens anywhere else are not looked at. Throws
 * {@link Unauthenticated}.
 */
export function readBearerToken(authorization: string | undefined): Buffer {
  const [, credentials] = /^bearer(?: +(.*))?$/is.exec(authorization ?? "") ?? [];
  if (credentials === undefined || credentials === "") throw new Unauthenticated({ given: false });
  if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(credentials)) throw new Unauthenticated({ given: true });
  return hashOfToken(credentials);
}

/** For so long a token that was just unknown is refused without a query. */
const unknownMs = 1_000;

/**
 * Whom a token speaks for, in one query. Throws {@link Unauthenticated} for one that is unknown or has ended. A token that
 * is unknown now stays so: a token is answered only once it is stored, by any process.
 */
export async function authenticate(
  { db, clock, unknownTokens }: Pick<Deps, "db" | "clock" | "unknownTokens">,
  tokenHash: Buffer,
): Promise<Principal> {
  if (!unknownTokens.isEmpty() && unknownTokens.msLeft(tokenHash.toString("base64")) !== undefined) {
    throw new Unauthenticated({ given: true });
  }
  const holder = await accessTokens.findHolder(db, { tokenHash, at: clock.now() });
  if (holder === undefined) unknownTokens.add(tokenHash.toString("base64"), unknownMs);
  if (holder === undefined || holder === "suspended") throw new Unauthenticated({ given: true });
  return principalOf(holder);
}

function principalOf(holder: TokenHolder): Principal {
  const { realmId, userId, guestAccountId, clientId, sessionId, certificateId, expiresAt } = holder;
  const scopes = new Set(holder.scopes);
  if (guestAccountId !== null) return { kind: "guest", realmId, scopes, expiresAt, guestAccountId };
  if (userId !== null) {
    const administrator = holder.administrator ?? false;
    return { kind: "user", realmId, scopes, expiresAt, userId, clientId, administrator, sessionId, certificateId };
  }
  if (clientId !== null) return { kind: "service", realmId, scopes, expiresAt, clientId };
  throw new Error("an access token that speaks for nobody");
}
