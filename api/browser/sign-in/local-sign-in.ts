import * as localCredentials from "../../../db/queries/sign-in/local-credentials.ts";
import { ServiceError } from "../../../domain/errors.ts";
import { lengthOf } from "../../../domain/text.ts";
import { isTooMany } from "../../contract/attempt-counter.ts";
import type { Deps } from "../../contract/deps.ts";
import { rememberRealm } from "../../pages/page-realm.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import { sendProblem } from "../../pages/problem.tsx";
import { contextOf } from "../../http/request-context.ts";
import { sendAccessEnded } from "../../session/access-ended.ts";
import { beginLogin } from "../../session/browser-login.ts";
import { pathOn } from "../../pages/continue-to.ts";
import { verifyFormToken } from "../../pages/form-token.ts";
import { homePath } from "./home.ts";
import { sendSignInForm } from "./login.ts";
import { redirect } from "../../pages/redirect.ts";
import { findPlace, readParameters, signInAddress } from "./sign-in-request.ts";

/** Longer names are not looked up: no valid name is longer. */
const usernameLengthMax = 255;

/** `POST /login`: signs a user in with the name and password of a local account. */
export async function signInLocally(page: PageRequest): Promise<void> {
  const { deps, request, response, form } = page;
  const asked = readParameters((name) => form.get(name));
  const startAgain = signInAddress(deps, asked);
  const place = await findPlace(deps, asked);
  if ("realm" in place) rememberRealm(page, place.realm);
  if (!verifyFormToken(deps, request, form.get("form_token"))) {
    sendProblem(page, "form_expired", { startAgain });
    return;
  }
  if (!("realm" in place) || !place.realm.localSignIn) {
    sendProblem(page, "problem" in place ? place.problem : "no_sign_in", { startAgain });
    return;
  }

  const username = form.get("username") ?? "";
  const attempt = {
    realmId: place.realm.id,
    username: username.normalize("NFC"),
    password: form.get("password") ?? "",
    address: request.ip ?? "",
  };
  const found = await checkPassword(deps, attempt);
  if ("reason" in found) {
    deps.metrics.signIn("password", "refused");
    contextOf(response)
      .log()
      .info({ event: "sign_in.refused", realmId: place.realm.id, ...found }, "not signed in");
    await sendSignInForm(page, asked, place, { username, refused: found });
    return;
  }
  const { userId, roles } = found;
  const signedIn = { realmId: place.realm.id, userId, roles, method: "local" } as const;
  if (found.offboardedAt === null && (await beginLogin(deps, page, signedIn))) {
    deps.metrics.signIn("password", "ok");
    redirect(page, pathOn(deps, asked.path ?? homePath({ roles })));
  } else {
    deps.metrics.signIn("password", "refused");
    await sendAccessEnded(page, signedIn);
  }
}

/** Finds the account of a name. Attempts count for that account, or for all spellings of an unknown name together. */
async function findAccount(
  db: Deps["db"],
  { realmId, username }: { realmId: string; username: string },
): Promise<{ account: string; credential: localCredentials.LocalCredential | undefined }> {
  const possible = username !== "" && lengthOf(username) <= usernameLengthMax;
  if (!possible) return { account: "no name", credential: undefined };
  const { folded, credential } = await localCredentials.find(db, { realmId, username });
  return { account: credential === undefined ? `name ${folded}` : `user ${credential.userId}`, credential };
}

type Refusal = { reason: "wrong" } | { reason: "too_many"; retryAfterSeconds: number };

/**
 * Returns the credential for this name and password, or why they were refused. Counts the attempt before checking it,
 * and refunds it unless the name or the password was wrong.
 */
export async function checkPassword(
  deps: Pick<Deps, "db" | "attemptCounter" | "isPassword">,
  { realmId, username, password, address }: { realmId: string; username: string; password: string; address: string },
): Promise<localCredentials.LocalCredential | Refusal> {
  const find = () => findAccount(deps.db, { realmId, username });
  const attempt = await deps.attemptCounter.password({ realmId, username, address, find }).catch((error: unknown) => {
    if (!isTooMany(error)) throw error;
    return error;
  });
  if (attempt instanceof ServiceError)
    return { reason: "too_many", retryAfterSeconds: attempt.retryAfterSeconds ?? 60 };
  const { credential } = attempt.found;
  const right = await deps.isPassword(password, credential?.passwordHash).catch(async (error: unknown) => {
    await attempt.refund();
    throw error;
  });
  if (credential === undefined || !right) return { reason: "wrong" };
  await attempt.succeed();
  return credential;
}
