import { z } from "zod";
import * as attempts from "../../../db/queries/sign-in/upstream-attempts.ts";
import { openUnderMasterKey, sealUnderMasterKey } from "../../../runtime/master-key.ts";
import { drawSecretToken, hashOfToken } from "../../../runtime/secret-token.ts";
import type { Deps } from "../../contract/deps.ts";
import type { PageRequest } from "../pages/page-request.ts";
import { readCookie, removeCookie, setCookie } from "../pages/cookies.ts";

const attemptSeconds = 600;

/** What a sign-in at an identity provider has to come back with, and what it is for. */
const Attempt = z.object({
  issuer: z.string(),
  realmName: z.string(),
  /** Guards against answers to somebody else's request (RFC 6749 section 10.12). */
  state: z.string(),
  /** Guards against somebody else's id token (OpenID Connect Core section 3.1.2.1). */
  nonce: z.string(),
  /** Guards against a stolen code (RFC 7636). */
  codeVerifier: z.string(),
  /** The service's path to continue at. */
  path: z.string().optional(),
});
export type Attempt = z.output<typeof Attempt>;

/** An attempt as the browser's cookie finds it. */
export interface FoundAttempt extends Attempt {
  tokenHash: Buffer;
  realmId: string;
  /** It can still be finished, for all that is known yet. */
  live: boolean;
}

type Visit = Pick<PageRequest, "deps" | "request" | "response">;

/** Remembers an attempt until its browser comes back with the cookie that it gets. */
export async function beginAttempt(
  { deps, response }: Visit,
  { realmId, ...attempt }: Attempt & { realmId: string },
): Promise<void> {
  const { token, hash: tokenHash } = drawSecretToken("upstreamAttempt");
  const expiresAt = new Date(deps.clock.now().getTime() + attemptSeconds * 1_000);
  await attempts.create(deps.db, { tokenHash, realmId, sealed: seal(deps, attempt, tokenHash), expiresAt });
  setCookie(deps, response, { name: "upstream", value: token, maxAgeSeconds: attemptSeconds });
}

/** The attempt of the browser that asks; undefined when it has none, or has used it. */
export async function findAttempt({ deps, request }: Visit): Promise<FoundAttempt | undefined> {
  const token = readCookie(deps, request, "upstream");
  if (token === undefined) return undefined;
  const tokenHash = hashOfToken(token);
  const found = await attempts.find(deps.db, { tokenHash });
  if (found === undefined) return undefined;
  const { realmId, sealed, expiresAt } = found;
  return { ...open(deps, sealed, tokenHash), tokenHash, realmId, live: expiresAt > deps.clock.now() };
}

/** Uses an attempt up, and takes the cookie back. False when another request was faster. */
export async function consumeAttempt({ deps, response }: Visit, { tokenHash }: FoundAttempt): Promise<boolean> {
  removeCookie(deps, response, "upstream");
  return attempts.consume(deps.db, { tokenHash, at: deps.clock.now() });
}

const seal = ({ masterKey }: Pick<Deps, "masterKey">, attempt: Attempt, tokenHash: Buffer): Buffer =>
  sealUnderMasterKey(masterKey, Buffer.from(JSON.stringify(attempt)), attempts.attemptContext(tokenHash));

const open = ({ masterKey }: Pick<Deps, "masterKey">, sealed: Buffer, tokenHash: Buffer): Attempt =>
  Attempt.parse(JSON.parse(openUnderMasterKey(masterKey, sealed, attempts.attemptContext(tokenHash)).toString("utf8")));
