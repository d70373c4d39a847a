import { randomUUID } from "node:crypto";
import type { Request, Response } from "express";
import { z } from "zod";
import * as consoleSessions from "../../../db/queries/sign-in/console-sessions.ts";
import type { ConsoleSession } from "../../../db/queries/sign-in/console-sessions.ts";
import { openUnderMasterKey, sealUnderMasterKey } from "../../../runtime/keys/master-key.ts";
import { drawSecretToken, hashOfToken } from "../../../runtime/keys/secret-token.ts";
import type { Deps } from "../../contract/deps.ts";
import { readCookie, removeCookie, setCookie } from "../../pages/cookies.ts";
import { accessTokenSeconds } from "../../../domain/lifetimes.ts";

type SessionDeps = Pick<Deps, "db" | "clock" | "settings" | "masterKeys">;

/** The tokens of the console's API calls. The browser never gets them. */
const ConsoleTokens = z.object({ accessToken: z.string(), refreshToken: z.string() });
export type ConsoleTokens = z.output<typeof ConsoleTokens>;

export const sealTokens = ({ masterKeys }: Pick<Deps, "masterKeys">, id: string, tokens: ConsoleTokens): Buffer =>
  sealUnderMasterKey(masterKeys, Buffer.from(JSON.stringify(tokens)), consoleSessions.tokensContext(id));

export const openTokens = (
  { masterKeys }: Pick<Deps, "masterKeys">,
  { id, sealedTokens }: Pick<ConsoleSession, "id" | "sealedTokens">,
): ConsoleTokens => {
  const opened = openUnderMasterKey(masterKeys, sealedTokens, consoleSessions.tokensContext(id));
  return ConsoleTokens.parse(JSON.parse(opened.toString("utf8")));
};

/** Returns the time at which an access token issued now expires. */
export const accessExpiry = ({ clock }: Pick<Deps, "clock">): Date =>
  new Date(clock.now().getTime() + accessTokenSeconds * 1_000);

const presentedHash = (deps: Pick<Deps, "settings">, request: Pick<Request, "headers">): Buffer | undefined => {
  const value = readCookie(deps, request, "console");
  return value === undefined ? undefined : hashOfToken(value);
};

/** Returns the browser's console session. */
export async function findConsole(
  deps: SessionDeps,
  request: Pick<Request, "headers">,
): Promise<ConsoleSession | undefined> {
  const tokenHash = presentedHash(deps, request);
  return tokenHash === undefined ? undefined : consoleSessions.find(deps.db, { tokenHash, at: deps.clock.now() });
}

/**
 * Opens the console in the browser with a new cookie, and ends the console session that the browser had before. Returns
 * false, and leaves the browser as it was, if the OAuth session or the browser's login has ended meanwhile.
 */
export async function openConsole(
  deps: SessionDeps,
  { request, response }: { request: Pick<Request, "headers">; response: Response },
  { sessionId, tokens }: { sessionId: string; tokens: ConsoleTokens },
): Promise<boolean> {
  const id = randomUUID();
  const { token, hash } = drawSecretToken("consoleSession");
  const before = presentedHash(deps, request);
  const opened = await deps.db.transaction(async (tx) => {
    const created = await consoleSessions.create(tx, {
      id,
      tokenHash: hash,
      sessionId,
      sealedTokens: sealTokens(deps, id, tokens),
      accessExpiresAt: accessExpiry(deps),
      at: deps.clock.now(),
    });
    if (created !== undefined && before !== undefined) {
      await consoleSessions.removeByToken(tx, { tokenHash: before });
    }
    return created;
  });
  if (opened === undefined) return false;
  setCookie(deps, response, { name: "console", value: token });
  return true;
}

/** Removes the cookie from the browser. */
export const forgetConsole = (deps: Pick<Deps, "settings">, response: Response): void => {
  removeCookie(deps, response, "console");
};
