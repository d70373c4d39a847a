import { createBatcher } from "../../runtime/queue/batch.ts";
import type { Deps, FindHolder } from "./deps.ts";
import { Unauthenticated } from "../http/token-errors.ts";
import * as accessTokens from "../../db/queries/oauth/access-tokens.ts";
import * as staticTokens from "../../db/queries/oauth/static-tokens.ts";
import type { TokenHolder } from "../../db/queries/oauth/access-tokens.ts";
import { withImplied } from "../../domain/people/scopes.ts";
import { isWithin, parseNetworks } from "../../runtime/config/networks.ts";
import { hashOfToken, isStaticToken } from "../../runtime/keys/secret-token.ts";
import type { Principal, ServicePrincipal } from "./principal.ts";

/** The token of a request. */
interface BearerToken {
  hash: Buffer;
  /** True for an application's static token, false for an access token. */
  isStatic: boolean;
}

/**
 * Returns the token of an Authorization header (RFC 6750 section 2.1); ignores tokens anywhere else. Throws {@link
 * Unauthenticated}.
 */
export function readBearerToken(authorization: string | undefined): BearerToken {
  const [, credentials] = /^bearer(?: +(.*))?$/is.exec(authorization ?? "") ?? [];
  if (credentials === undefined || credentials === "") throw new Unauthenticated({ given: false });
  if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(credentials)) throw new Unauthenticated({ given: true });
  return { hash: hashOfToken(credentials), isStatic: isStaticToken(credentials) };
}

/**
 * Creates a look-up of tokens' holders that serves simultaneous requests with one query. Each query starts after its
 * requests and nothing is cached: a token that has ended is refused at the next request.
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
 * Returns the principal of a token that came from this address, with one look-up. Throws {@link Unauthenticated} if the
 * token is unknown, has ended or is suspended. An unknown token cannot become valid later: every process stores a token
 * before sending it.
 */
export async function authenticate(
  deps: Pick<Deps, "db" | "clock" | "findHolder" | "unknownTokens">,
  { hash, isStatic }: BearerToken,
  address: string,
): Promise<Principal> {
  const { findHolder, unknownTokens } = deps;
  if (!unknownTokens.isEmpty() && unknownTokens.msLeft(hash.toString("base64")) !== undefined) {
    throw new Unauthenticated({ given: true });
  }
  const found = isStatic ? await findConnection(deps, hash, address) : await findHolder(hash);
  if (found === undefined) unknownTokens.add(hash.toString("base64"), unknownMs);
  if (found === undefined || found === "suspended") throw new Unauthenticated({ given: true });
  return "kind" in found ? found : principalOf(found);
}

/** How often the use of a static token is recorded. */
const usedMs = 60_000;

/**
 * Returns the principal of a static token, which has only the directory's scope. `suspended`: its application is
 * switched off or has lost that scope, or the address is outside the token's networks.
 */
async function findConnection(
  { db, clock }: Pick<Deps, "db" | "clock">,
  tokenHash: Buffer,
  address: string,
): Promise<ServicePrincipal | "suspended" | undefined> {
  const at = clock.now();
  const holder = await staticTokens.findHolder(db, { tokenHash, at });
  if (holder === undefined || holder === "suspended") return holder;
  const { id, realmId, clientId, networks, expiresAt, lastUsedAt } = holder;
  if (networks.length > 0 && !isWithin(parseNetworks(networks.join()), address)) return "suspended";
  if (lastUsedAt === null || at.getTime() - lastUsedAt.getTime() >= usedMs) {
    await staticTokens.markUsed(db, { id, clientId, at });
  }
  return { kind: "service", realmId, clientId, scopes: new Set(["scim"]), expiresAt };
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
