import { randomUUID } from "node:crypto";
import type { Request, Response } from "express";
import type { Db } from "../../db/client.ts";
import * as auditEntries from "../../db/queries/audit/audit-entries.ts";
import * as logins from "../../db/queries/sign-in/logins.ts";
import type { Role } from "../../domain/people/roles.ts";
import { browserLoginHours } from "../../domain/lifetimes.ts";
import { drawSecretToken, hashOfToken } from "../../runtime/keys/secret-token.ts";
import type { Deps } from "../contract/deps.ts";
import { readCookie, removeCookie, setCookie } from "../pages/cookies.ts";

type LoginDeps = Pick<Deps, "db" | "clock" | "settings">;

const presentedHash = (deps: LoginDeps, request: Pick<Request, "headers">): Buffer | undefined => {
  const value = readCookie(deps, request, "login");
  return value === undefined ? undefined : hashOfToken(value);
};

/** Returns the browser's login. */
export async function findLogin(deps: LoginDeps, request: Pick<Request, "headers">): Promise<logins.Login | undefined> {
  const tokenHash = presentedHash(deps, request);
  return tokenHash === undefined ? undefined : logins.find(deps.db, { tokenHash, at: deps.clock.now() });
}

/** Returns true if the browser has a login that ended without a sign-out. */
export const hasLoginEnded = async (deps: LoginDeps, request: Pick<Request, "headers">): Promise<boolean> =>
  presentedHash(deps, request) !== undefined && (await findLogin(deps, request)) === undefined;

export interface SignedIn {
  realmId: string;
  userId: string;
  roles: readonly Role[];
  method: logins.SignInMethod;
}

/** Signs a user in to the browser, like {@link beginLoginOf}. Returns false if the user is offboarded. */
export const beginLogin = async (
  deps: LoginDeps,
  call: { request: Pick<Request, "headers">; response: Response },
  signedIn: SignedIn,
): Promise<boolean> => (await beginLoginOf(deps, call, () => Promise.resolve(signedIn))) !== undefined;

/**
 * Signs in the user whom `find` returns, in the same transaction: an error also undoes the changes that `find` made.
 * Each sign-in sets a new cookie, ends the browser's previous login and writes the audit entry. Returns undefined if
 * there is no user, or if the user is offboarded, even by a concurrent transaction.
 */
export async function beginLoginOf(
  deps: LoginDeps,
  { request, response }: { request: Pick<Request, "headers">; response: Response },
  find: (tx: Db) => Promise<SignedIn | undefined>,
): Promise<SignedIn | undefined> {
  const at = deps.clock.now();
  const { token, hash } = drawSecretToken("login");
  const before = presentedHash(deps, request);
  const expiresAt = new Date(at.getTime() + browserLoginHours * 3_600_000);
  const begun = await deps.db.transaction(async (tx) => {
    const signedIn = await find(tx);
    if (signedIn === undefined) return undefined;
    const { realmId, userId, roles, method } = signedIn;
    const login = { id: randomUUID(), tokenHash: hash, realmId, userId, method, at, expiresAt };
    if (!(await logins.create(tx, login))) return undefined;
    if (before !== undefined) await logins.removeByToken(tx, { tokenHash: before });
    await auditEntries.record(tx, {
      realmId,
      actor: { userId, clientId: null },
      at,
      ...signInEntry(roles, { userID: userId, method }),
    });
    return signedIn;
  });
  if (begun !== undefined) setCookie(deps, response, { name: "login", value: token });
  return begun;
}

/**
 * Returns the audit event of a sign-in. Administrators have a separate event; the event of other users lists their
 * roles.
 */
export const signInEntry = <Properties extends object>(
  roles: readonly Role[],
  properties: Properties,
): { event: "admin_login" | "user_login"; properties: Properties & { roles?: readonly Role[] } } =>
  roles.includes("administrator")
    ? { event: "admin_login", properties }
    : { event: "user_login", properties: { ...properties, roles } };

/** Signs the user out of the browser and the console. The user stays signed in to other applications. */
export async function endLogin(
  deps: LoginDeps,
  { request, response }: { request: Pick<Request, "headers">; response: Response },
): Promise<void> {
  const tokenHash = presentedHash(deps, request);
  if (tokenHash !== undefined) await deps.db.transaction((tx) => logins.removeByToken(tx, { tokenHash }));
  removeCookie(deps, response, "login");
}
