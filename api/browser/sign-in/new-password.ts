import { hash } from "@node-rs/argon2";
import * as auditEntries from "../../../db/queries/audit/audit-entries.ts";
import * as localCredentials from "../../../db/queries/sign-in/local-credentials.ts";
import type { Login } from "../../../db/queries/sign-in/logins.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import { passwordCost } from "../../../domain/password-cost.ts";
import { passwordFault } from "../../../domain/people/password.ts";
import { contextOf } from "../../http/request-context.ts";
import { pathOn } from "../../pages/continue-to.ts";
import { formTokenFor, verifyFormToken } from "../../pages/form-token.ts";
import { sendNewPassword, type NewPasswordFault } from "../../pages/new-password.tsx";
import type { PageRequest } from "../../pages/page-request.ts";
import { sendProblem } from "../../pages/problem.tsx";
import { redirect } from "../../pages/redirect.ts";
import { findLogin } from "../../session/browser-login.ts";
import { homePath } from "./home.ts";
import { createTurns } from "./turns.ts";

export const newPasswordPath = "/login/password";

const inTurn = createTurns({ atOnceMax: 1, waitingMax: 20 });

/**
 * Returns the login of a user who may set a password: signed in by a link of the operator, with a local account that
 * has no password, in a realm with local sign-in.
 */
async function findWhoMaySet({ deps, request }: PageRequest): Promise<(Login & { username: string }) | undefined> {
  const login = await findLogin(deps, request);
  if (login?.method !== "link" || login.username === null) return undefined;
  const { maySetPassword } = await localCredentials.findWaysIn(deps.db, login);
  return maySetPassword ? { ...login, username: login.username } : undefined;
}

/** `GET /login/password`: asks for a first password. */
export async function showNewPassword(page: PageRequest): Promise<void> {
  const login = await findWhoMaySet(page);
  if (login === undefined) redirect(page, pathOn(page.deps, "/"));
  else await sendForm(page, login);
}

/** `POST /login/password`: sets the first password of the user who is signed in; never replaces one. */
export async function setNewPassword(page: PageRequest): Promise<void> {
  const { deps, request, response, form } = page;
  if (!verifyFormToken(deps, request, form.get("form_token"))) {
    sendProblem(page, "form_expired", { startAgain: pathOn(deps, newPasswordPath) });
    return;
  }
  const login = await findWhoMaySet(page);
  if (login === undefined) {
    redirect(page, pathOn(deps, "/"));
    return;
  }
  const password = form.get("password") ?? "";
  const fault = passwordFault(password) ?? (password === form.get("repeated") ? undefined : "differs");
  if (fault !== undefined) {
    await sendForm(page, login, fault);
    return;
  }
  const passwordHash = await inTurn(() => hash(password, passwordCost));
  const { realmId, userId } = login;
  const isSet = await deps.db.transaction(async (tx) => {
    if (!(await localCredentials.setFirstPassword(tx, { realmId, userId, passwordHash }))) return false;
    await auditEntries.record(tx, {
      realmId,
      event: "user_password_set",
      actor: { userId, clientId: null },
      at: deps.clock.now(),
      properties: { userID: userId },
    });
    return true;
  });
  if (isSet) contextOf(response).log().info({ event: "password.set", realmId, userId }, "a first password was set");
  redirect(page, pathOn(deps, homePath(login)));
}

async function sendForm(
  page: PageRequest,
  login: Login & { username: string },
  fault?: NewPasswordFault,
): Promise<void> {
  const { deps } = page;
  sendNewPassword(page, {
    realm: await realms.findById(deps.db, login.realmId),
    username: login.username,
    action: pathOn(deps, newPasswordPath),
    hidden: { form_token: formTokenFor(deps, page) },
    later: pathOn(deps, homePath(login)),
    fault,
  });
}
