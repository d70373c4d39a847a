import { z } from "zod";
import * as attempts from "../../../db/queries/sign-in/upstream-attempts.ts";
import { MasterKeyError, openUnderMasterKey, sealUnderMasterKey } from "../../../runtime/master-key.ts";
import { hashOfToken } from "../../../runtime/secret-token.ts";
import type { PageRequest } from "../pages/page-request.ts";
import { fitsCookie, readCookie, removeCookie, setCookie } from "../pages/cookies.ts";

const attemptSeconds = 600;

const sealedFor = "cookie upstream";

/** What a sign-in at an identity provider has to come back with, and what it is for. */
const Attempt = z.object({
  realmId: z.string(),
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
  expiresAt: z.number(),
});
export type Attempt = z.output<typeof Attempt>;

type Visit = Pick<PageRequest, "deps" | "request" | "response">;

/**
 * Gives an attempt to the browser, sealed: beginning one stores nothing. False when the path to continue at is too long
 * for a cookie.
 */
export function beginAttempt(
  { deps, response }: Pick<Visit, "deps" | "response">,
  attempt: Omit<Attempt, "expiresAt">,
): boolean {
  const expiresAt = deps.clock.now().getTime() + attemptSeconds * 1_000;
  const content = Buffer.from(JSON.stringify({ ...attempt, expiresAt } satisfies Attempt));
  const value = sealUnderMasterKey(deps.masterKeys, content, sealedFor).toString("base64url");
  if (!fitsCookie("upstream", value)) return false;
  setCookie(deps, response, { name: "upstream", value, maxAgeSeconds: attemptSeconds });
  return true;
}

/** The attempt of the browser that asks, ended or used or not; undefined when it has none. */
export function readAttempt({ deps, request }: Pick<Visit, "deps" | "request">): Attempt | undefined {
  const value = readCookie(deps, request, "upstream");
  if (value === undefined) return undefined;
  try {
    const opened = openUnderMasterKey(deps.masterKeys, Buffer.from(value, "base64url"), sealedFor);
    return Attempt.parse(JSON.parse(opened.toString("utf8")));
  } catch (error) {
    if (error instanceof MasterKeyError) return undefined;
    throw error;
  }
}

/** Whether an attempt can still be finished, for all that is known yet. */
export const isLive = async ({ deps }: Pick<Visit, "deps">, { state, expiresAt }: Attempt): Promise<boolean> =>
  expiresAt > deps.clock.now().getTime() && !(await attempts.isUsed(deps.db, { tokenHash: hashOfToken(state) }));

/** Uses an attempt up. False when another request was faster. */
export const useAttempt = ({ deps }: Pick<Visit, "deps">, { state, realmId, expiresAt }: Attempt): Promise<boolean> =>
  attempts.use(deps.db, { tokenHash: hashOfToken(state), realmId, expiresAt: new Date(expiresAt) });

/** Takes the attempt back from the browser. */
export const endAttempt = ({ deps, response }: Pick<Visit, "deps" | "response">): void => {
  removeCookie(deps, response, "upstream");
};
