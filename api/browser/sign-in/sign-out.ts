import * as realms from "../../../db/queries/realm/realms.ts";
import * as localCredentials from "../../../db/queries/sign-in/local-credentials.ts";
import type { Login } from "../../../db/queries/sign-in/logins.ts";
import type { RealmRow } from "../../../db/queries/realm/realms.ts";
import { RealmName } from "../../../domain/realm.ts";
import type { Deps } from "../../contract/deps.ts";
import { single, type PageRequest } from "../../pages/page-request.ts";
import { sendProblem } from "../../pages/problem.tsx";
import { sendNoWayBack } from "../../pages/no-way-back.tsx";
import { sendSignedOut } from "../../pages/signed-out.tsx";
import { endLogin, findLogin } from "../../session/browser-login.ts";
import { pathOn } from "../../pages/continue-to.ts";
import { formTokenFor, verifyFormToken } from "../../pages/form-token.ts";
import { redirect } from "../../pages/redirect.ts";
import { homePath } from "./home.ts";
import { newPasswordPath } from "./new-password.ts";

/**
 * `POST /login/end`: signs the user out of the browser, but first asks a user who could not sign in again; also
 * succeeds after the login has ended.
 */
export async function signOut(page: PageRequest): Promise<void> {
  const { deps, request, form } = page;
  if (!verifyFormToken(deps, request, form.get("form_token"))) {
    sendProblem(page, "form_expired", { startAgain: pathOn(deps, "/login") });
    return;
  }
  const login = await findLogin(deps, request);
  if (login !== undefined && form.get("sure") === undefined && (await isLastWayIn(deps, login))) {
    await sendQuestion(page, login);
    return;
  }
  const realm = login && (await realms.findById(deps.db, login.realmId));
  await endLogin(deps, page);
  redirect(page, signedOutPath(deps, realm));
}

export const leavingPath = "/login/leave";

/** Returns whether a login began with a one-time link and its user has no other way to sign in. */
export const isLastWayIn = async (
  { db }: Pick<Deps, "db">,
  login: Pick<Login, "method" | "realmId" | "userId">,
): Promise<boolean> => login.method === "link" && !(await localCredentials.findWaysIn(db, login)).hasWay;

/**
 * `GET /login/leave`: asks a user who could not sign in again to confirm signing out. Redirects everyone else to
 * `/login`.
 */
export async function askBeforeSignOut(page: PageRequest): Promise<void> {
  const login = await findLogin(page.deps, page.request);
  if (login !== undefined && (await isLastWayIn(page.deps, login))) await sendQuestion(page, login);
  else redirect(page, pathOn(page.deps, "/login"));
}

async function sendQuestion(page: PageRequest, login: Login): Promise<void> {
  const { deps } = page;
  const { maySetPassword } = await localCredentials.findWaysIn(deps.db, login);
  sendNoWayBack(page, {
    realm: await realms.findById(deps.db, login.realmId),
    question: pathOn(deps, leavingPath),
    action: pathOn(deps, "/login/end"),
    hidden: { form_token: formTokenFor(deps, page), sure: "yes" },
    setPassword: maySetPassword ? pathOn(deps, newPasswordPath) : undefined,
    stay: pathOn(deps, homePath(login)),
  });
}

/** Returns the path of the signed-out page, in the realm's frame. */
export const signedOutPath = (deps: Pick<Deps, "settings">, realm: Pick<RealmRow, "name"> | undefined): string =>
  pathOn(deps, realm === undefined ? "/login/ended" : `/login/ended?realm=${realm.name}`);

/** `GET /login/ended`: confirms the sign-out, in the named realm's frame. */
export async function showSignedOut(page: PageRequest): Promise<void> {
  const name = RealmName.safeParse(single(page, "realm"));
  sendSignedOut(page, { realm: name.success ? await realms.findByName(page.deps.db, name.data) : undefined });
}
