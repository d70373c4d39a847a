import * as realms from "../../../db/queries/realm/realms.ts";
import type { RealmRow } from "../../../db/queries/realm/realms.ts";
import { RealmName } from "../../../domain/realm.ts";
import type { Deps } from "../../contract/deps.ts";
import { single, type PageRequest } from "../../pages/page-request.ts";
import { sendProblem } from "../../pages/problem.tsx";
import { sendSignedOut } from "../../pages/signed-out.tsx";
import { endLogin, findLogin } from "../../session/browser-login.ts";
import { pathOn } from "../../pages/continue-to.ts";
import { verifyFormToken } from "../../pages/form-token.ts";
import { redirect } from "../../pages/redirect.ts";

/** `POST /login/end`: signs the user out of the browser; also succeeds after the login has ended. */
export async function signOut(page: PageRequest): Promise<void> {
  const { deps, request, form } = page;
  if (!verifyFormToken(deps, request, form.get("form_token"))) {
    sendProblem(page, "form_expired", { startAgain: pathOn(deps, "/login") });
    return;
  }
  const login = await findLogin(deps, request);
  const realm = login && (await realms.findById(deps.db, login.realmId));
  await endLogin(deps, page);
  redirect(page, signedOutPath(deps, realm));
}

/** Returns the path of the signed-out page, in the realm's frame. */
export const signedOutPath = (deps: Pick<Deps, "settings">, realm: Pick<RealmRow, "name"> | undefined): string =>
  pathOn(deps, realm === undefined ? "/login/ended" : `/login/ended?realm=${realm.name}`);

/** `GET /login/ended`: confirms the sign-out, in the named realm's frame. */
export async function showSignedOut(page: PageRequest): Promise<void> {
  const name = RealmName.safeParse(single(page, "realm"));
  sendSignedOut(page, { realm: name.success ? await realms.findByName(page.deps.db, name.data) : undefined });
}
