import { randomBytes } from "node:crypto";
import { z } from "zod";
import { MasterKeyError, openUnderMasterKey, sealUnderMasterKey } from "../../../runtime/master-key.ts";
import type { Deps } from "../../contract/deps.ts";
import type { PageRequest } from "../pages/page-request.ts";
import { readCookie, removeCookie, setCookie } from "../pages/cookies.ts";

const attemptSeconds = 600;

const sealedFor = "cookie console-sign-in";

/** What an authorization request of the console has to come back with, and what it is for. */
const Attempt = z.object({
  clientId: z.string(),
  /** Guards against answers to somebody else's request (RFC 6749 section 10.12). */
  state: z.string(),
  /** Guards against somebody else's id token (OpenID Connect Core section 3.1.2.1). */
  nonce: z.string(),
  /** Guards against a stolen code (RFC 7636). */
  codeVerifier: z.string(),
  /** The page of the console to go on to. */
  path: z.string(),
  expiresAt: z.number(),
});
export type Attempt = z.output<typeof Attempt>;

type Visit = Pick<PageRequest, "request" | "response"> & { deps: Pick<Deps, "masterKeys" | "clock" | "settings"> };

const draw = (): string => randomBytes(32).toString("base64url");

/** Begins to sign a browser in to the console: it carries the attempt itself, sealed. */
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

/** The attempt of the browser that asks; undefined when it has none that can still be finished. */
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

/** Takes the attempt back from the browser. */
export const endAttempt = ({ deps, response }: Pick<Visit, "deps" | "response">): void => {
  removeCookie(deps, response, "console-sign-in");
};
