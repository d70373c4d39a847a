import { randomBytes } from "node:crypto";
import { z } from "zod";
import { MasterKeyError, openUnderMasterKey, sealUnderMasterKey } from "../../../runtime/master-key.ts";
import type { Deps } from "../../contract/deps.ts";
import type { PageRequest } from "../pages/page-request.ts";
import { readCookie, removeCookie, setCookie } from "../pages/cookies.ts";

const attemptSeconds = 600;

const sealedFor = "cookie console-sign-in";

/** One authorization request of the console: the values that its response must match, and where to continue. */
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
  const expiresAt = deps.clock.now().getTime() + attemptSeconds * 1_000;
  const attempt = { clientId, state: draw(), nonce: draw(), codeVerifier: draw(), path, expiresAt };
  const sealed = sealUnderMasterKey(deps.masterKeys, Buffer.from(JSON.stringify(attempt)), sealedFor);
  const value = sealed.toString("base64url");
  setCookie(deps, response, { name: "console-sign-in", value, maxAgeSeconds: attemptSeconds });
  return attempt;
}

/** Returns the browser's attempt; undefined if it has none or it has expired. */
export function readAttempt({ deps, request }: Pick<Visit, "deps" | "request">): Attempt | undefined {
  const value = readCookie(deps, request, "console-sign-in");
  if (value === undefined) return undefined;
  try {
    const opened = openUnderMasterKey(deps.masterKeys, Buffer.from(value, "base64url"), sealedFor);
    const attempt = Attempt.parse(JSON.parse(opened.toString("utf8")));
    return attempt.expiresAt > deps.clock.now().getTime() ? attempt : undefined;
  } catch (error) {
    if (error instanceof MasterKeyError) return undefined;
    throw error;
  }
}

/** Removes the attempt from the browser. */
export const endAttempt = ({ deps, response }: Pick<Visit, "deps" | "response">): void => {
  removeCookie(deps, response, "console-sign-in");
};
