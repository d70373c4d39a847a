import { z } from "zod";
import * as attempts from "../../../db/queries/sign-in/upstream-attempts.ts";
import { hashOfToken } from "../../../runtime/keys/secret-token.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import { removeCookie } from "../../pages/cookies.ts";
import { readSealedCookie, setSealedCookie } from "../../pages/sealed-cookie.ts";
import { signInAttemptSeconds } from "../../../domain/lifetimes.ts";

/** One sign-in at an identity provider: the values that its response must match, and where to continue. */
const Attempt = z.object({
  realmId: z.string(),
  issuer: z.string(),
  realmName: z.string(),
  /** Protects against responses to another browser's request (RFC 6749 section 10.12). */
  state: z.string(),
  /** Protects against another user's id token (OpenID Connect Core section 3.1.2.1). */
  nonce: z.string(),
  /** Protects against a stolen code (RFC 7636). */
  codeVerifier: z.string(),
  /** The service's path to continue at. */
  path: z.string().optional(),
  /** Set if the attempt is a test: it signs nobody in. */
  test: z.string().optional(),
  expiresAt: z.number(),
});
export type Attempt = z.output<typeof Attempt>;

/**
 * Returns the issuer as an attempt stores it. For a test sign-in the value differs, so a process of the previous
 * release, which has no tests, does not treat the test as a sign-in.
 */
export const attemptIssuer = (issuer: string, test: string | undefined): string =>
  test === undefined ? issuer : `${issuer}#test`;

type Visit = Pick<PageRequest, "deps" | "request" | "response">;

/**
 * Stores an attempt in the browser, sealed; the service stores nothing. Returns false if the path to continue at is too
 * long for a cookie.
 */
export function beginAttempt(
  { deps, response }: Pick<Visit, "deps" | "response">,
  attempt: Omit<Attempt, "expiresAt">,
): boolean {
  const expiresAt = deps.clock.now().getTime() + signInAttemptSeconds * 1_000;
  const content: Attempt = { ...attempt, expiresAt };
  return setSealedCookie(deps, response, { name: "upstream", content, maxAgeSeconds: signInAttemptSeconds });
}

/** Returns the browser's attempt, even an expired or used one; undefined without an attempt. */
export const readAttempt = ({ deps, request }: Pick<Visit, "deps" | "request">): Attempt | undefined =>
  readSealedCookie(deps, request, { name: "upstream", content: Attempt });

/** Returns whether an attempt is neither expired nor used, as of now. */
export const isLive = async ({ deps }: Pick<Visit, "deps">, { state, expiresAt }: Attempt): Promise<boolean> =>
  expiresAt > deps.clock.now().getTime() && !(await attempts.isUsed(deps.db, { tokenHash: hashOfToken(state) }));

/** Marks an attempt as used. Returns false if another request was faster. */
export const spendAttempt = ({ deps }: Pick<Visit, "deps">, { state, realmId, expiresAt }: Attempt): Promise<boolean> =>
  attempts.use(deps.db, { tokenHash: hashOfToken(state), realmId, expiresAt: new Date(expiresAt) });

/** Removes the attempt from the browser. */
export const endAttempt = ({ deps, response }: Pick<Visit, "deps" | "response">): void => {
  removeCookie(deps, response, "upstream");
};
