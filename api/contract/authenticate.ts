import { createBatcher } from "../../runtime/queue/batch.ts";
import type { Deps, FindHolder } from "./deps.ts";
import { Unauthenticated } from "../http/token-errors.ts";
import * as accessTokens from "../../db/queries/oauth/access-tokens.ts";
import type { TokenHolder } from "../../db/queries/oauth/access-tokens.ts";
import { withImplied } from "../../domain/people/scopes.ts";
import { hashOfToken } from "../../runtime/keys/secret-token.ts";
import type { Principal } from "./principal.ts";

/**
 * Returns the token hash of an Authorization header (RFC 6750 section 2.1); ignores tokens anywhere else. Throws {@link
 * Unauthenticated}.
 */
export function readBearerToken(authorization: string | undefined): Buffer {
  const [, credentials] = /^bearer(?: +(.*))?$/is.exec(authorization ?? "") ?? [];
  if (credentials === undefined || credentials === "") throw new Unauthenticated({ given: false });
  if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(credentials)) throw new Unauthenticated({ given: true });
  return hashOfToken(credentials);
}

/**
 * Looks up the holders of tokens, all of one turn of the event loop together. Every look-up starts after its request
 * and nothing is cached: a token that has ended is refused at the next request.
 */
export function createHolderLookup({ db, clock, metrics }: Pick<Deps, "db" | "clock" | "metrics">): FindHolder {
  const lookUp = createBatcher(
    async (tokenHashes: readonly Buffer[]) => {
      const distinct = new Map(tokenHashes.map((tokenHash) => [tokenHash.toString("latin1"), tokenHash]));
      const found = await accessTokens.findHolders(db, { tokenHashes: [...distinct.values()], at: clock.now() });
      const holders = new Map([...distinct.keys()].map((key, index) => [key, found[index]]));
      return tokenHashes.map((tokenHash) => holders.get(tokenHash.toString("latin1")));
    },
    { itemsMax: 64, inFlightMax: 2, waitMsMax: 0, onBatch: metrics.batch("holders") },
  );
  return lookUp;
}

/** How long a token found to be unknown is refused without a query. */
const unknownMs = 1_000;

/**
 * Returns the principal of a token, with one query. Throws {@link Unauthenticated} if the token is unknown or has
 * ended. An unknown token stays unknown: every process stores a token before it sends it.
 */
export async function authenticate(
  { findHolder, unknownTokens }: Pick<Deps, "findHolder" | "unknownTokens">,
  tokenHash: Buffer,
): Promise<Principal> {
  if (!unknownTokens.isEmpty() && unknownTokens.msLeft(tokenHash.toString("base64")) !== undefined) {
    throw new Unauthenticated({ given: true });
  }
  const holder = await findHolder(tokenHash);
  if (holder === undefined) unknownTokens.add(tokenHash.toString("base64"), unknownMs);
  if (holder === undefined || holder === "suspended") throw new Unauthenticated({ given: true });
  return principalOf(holder);
}

function principalOf(holder: TokenHolder): Principal {
  const { realmId, userId, guestAccountId, clientId, sessionId, certificateId, expiresAt } = holder;
  const scopes = withImplied(holder.scopes);
  if (guestAccountId !== null) return { kind: "guest", realmId, scopes, expiresAt, guestAccountId };
  if (userId !== null) {
    // A profile grants access only to its owner's own resources.
    const roles = certificateId === null ? (holder.roles ?? []) : [];
    return { kind: "user", realmId, scopes, expiresAt, userId, clientId, roles, sessionId, certificateId };
  }
  if (clientId !== null) return { kind: "service", realmId, scopes, expiresAt, clientId };
  throw new Error("an access token without a principal");
}
