import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Deps } from "../../contract/deps.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import { removeCookie } from "../../pages/cookies.ts";
import { readSealedCookie, setSealedCookie } from "../../pages/sealed-cookie.ts";
import { signInAttemptSeconds } from "../../../domain/lifetimes.ts";

/** One authorization request of the console: the values that its response must match, and the page to continue at. */
const Attempt = z.object({
  clientId: z.string(),
  /** Protects against responses to another browser's request (RFC 6749 section 10.12). */
  state: z.string(),
  /** Protects against another user's id token (OpenID Connect Core section 3.1.2.1). */
  nonce: z.string(),
  /** Protects against a stolen code (RFC 7636). */
  codeVerifier: z.string(),
  /** The console page to continue at. */
  path: z.string(),
  expiresAt: z.number(),
});
export type Attempt = z.output<typeof Attempt>;

type Visit = Pick<PageRequest, "request" | "response"> & { deps: Pick<Deps, "masterKeys" | "clock" | "settings"> };

const draw = (): string => randomBytes(32).toString("base64url");

/** Begins a console sign-in. The browser stores the attempt, sealed. */
export function beginAttempt(
  { deps, response }: Pick<Visit, "deps" | "response">,
  { clientId, path }: Pick<Attempt, "clientId" | "path">,
): Attempt {
  const expiresAt = deps.clock.now().getTime() + signInAttemptSeconds * 1_000;
  const attempt = { clientId, state: draw(), nonce: draw(), codeVerifier: draw(), path, expiresAt };
  setSealedCookie(deps, response, { name: "console-sign-in", content: attempt, maxAgeSeconds: signInAttemptSeconds });
  return attempt;
}

/** Returns the browser's attempt if it is still valid. */
export function readAttempt({ deps, request }: Pick<Visit, "deps" | "request">): Attempt | undefined {
  const attempt = readSealedCookie(deps, request, { name: "console-sign-in", content: Attempt });
  return attempt !== undefined && attempt.expiresAt > deps.clock.now().getTime() ? attempt : undefined;
}

/** Removes the attempt from the browser. */
export const endAttempt = ({ deps, response }: Pick<Visit, "deps" | "response">): void => {
  removeCookie(deps, response, "console-sign-in");
};
