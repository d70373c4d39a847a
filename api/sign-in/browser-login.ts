import { randomUUID } from "node:crypto";
import type { Request, Response } from "express";
import * as auditEntries from "../../db/queries/audit-entries.ts";
import * as logins from "../../db/queries/logins.ts";
import { drawSecretToken, hashOfToken } from "../../runtime/secret-token.ts";
import type { Deps } from "../deps.ts";
import { readCookie, removeCookie, setCookie } from "./cookies.ts";

/** How long somebody stays signed in to a browser, used or not. */
const loginHours = 12;

type LoginDeps = Pick<Deps, "db" | "clock" | "settings">;

const presentedHash = (deps: LoginDeps, request: Pick<Request, "headers">): Buffer | undefined => {
  const value = readCookie(deps, request, "login");
  return value === undefined ? undefined : hashOfToken(value);
};

/** Who is signed in to the browser that asks. */
export async function findLogin(deps: LoginDeps, request: Pick<Request, "headers">): Promise<logins.Login | undefined> {
  const tokenHash = presentedHash(deps, request);
  return tokenHash === undefined ? undefined : logins.find(deps.db, { tokenHash, at: deps.clock.now() });
}

export interface SignedIn {
  realmId: string;
  userId: string;
  administrator: boolean;
  method: logins.SignInMethod;
}

/**
 * Signs somebody in to the browser: a new cookie at each sign-in, and whoever was signed in before is not any more. The
 * audit entry is written with it.
 */
export async function beginLogin(
  deps: LoginDeps,
  { request, response }: { request: Pick<Request, "headers">; response: Response },
  { realmId, userId, administrator, method }: SignedIn,
): Promise<void> {
  const at = deps.clock.now();
  const { token, hash } = drawSecretToken("login");
  const before = presentedHash(deps, request);
  await deps.db.transaction(async (tx) => {
    if (before !== undefined) await logins.removeByToken(tx, { tokenHash: before });
    const expiresAt = new Date(at.getTime() + loginHours * 3_600_000);
    await logins.create(tx, { id: randomUUID(), tokenHash: hash, realmId, userId, method, at, expiresAt });
    await auditEntries.record(tx, {
      realmId,
      event: administrator ? "admin_login" : "user_login",
      actor: { userId, clientId: null },
      at,
      properties: { userID: userId, method },
    });
  });
  setCookie(deps, response, { name: "login", value: token });
}

/** Signs whoever it is out of the browser. Applications they use stay signed in. */
export async function endLogin(
  deps: LoginDeps,
  { request, response }: { request: Pick<Request, "headers">; response: Response },
): Promise<void> {
  const tokenHash = presentedHash(deps, request);
  if (tokenHash !== undefined) await logins.removeByToken(deps.db, { tokenHash });
  removeCookie(deps, response, "login");
}
