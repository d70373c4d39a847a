import * as realms from "../../../db/queries/realm/realms.ts";
import * as localCredentials from "../../../db/queries/sign-in/local-credentials.ts";
import * as signInLinks from "../../../db/queries/sign-in/sign-in-links.ts";
import { hashOfToken } from "../../../runtime/keys/secret-token.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import { sendProblem } from "../../pages/problem.tsx";
import { sendSignInLink } from "../../pages/sign-in-link.tsx";
import { contextOf } from "../../http/request-context.ts";
import { beginLoginOf } from "../../session/browser-login.ts";
import { pathOn } from "../../pages/continue-to.ts";
import { formTokenFor, verifyFormToken } from "../../pages/form-token.ts";
import { homePath } from "./home.ts";
import { newPasswordPath } from "./new-password.ts";
import { personName } from "../../session/person-name.ts";
import { redirect } from "../../pages/redirect.ts";

const presented = (page: PageRequest) => {
  const token = String(page.request.params["token"]);
  return { token, link: { tokenHash: hashOfToken(token), at: page.deps.clock.now() } };
};

/** `GET /sign-in/:token`: shows the button. Changes nothing: a preview of the link must not consume it. */
export async function showSignInLink(page: PageRequest): Promise<void> {
  const { deps } = page;
  const found = await signInLinks.findUsable(deps.db, presented(page).link);
  const realm = found === undefined ? undefined : await realms.findById(deps.db, found.realmId);
  if (found === undefined || realm === undefined) {
    sendProblem(page, "link_ended");
    return;
  }
  const hidden = { form_token: formTokenFor(deps, page) };
  sendSignInLink(page, { realm, person: personName(found), hidden });
}

/** `POST /sign-in/:token`: consumes the link and signs its user in. */
export async function redeemSignInLink(page: PageRequest): Promise<void> {
  const { deps, request, response, form } = page;
  const { token, link } = presented(page);
  if (!verifyFormToken(deps, request, form.get("form_token"))) {
    sendProblem(page, "form_expired", { startAgain: pathOn(deps, `/sign-in/${encodeURIComponent(token)}`) });
    return;
  }
  // One transaction: after an error the link is still usable.
  const signedIn = await beginLoginOf(deps, page, async (tx) => {
    const user = await signInLinks.consume(tx, link);
    return user && { ...user, method: "link" };
  });
  deps.metrics.signIn("link", signedIn === undefined ? "refused" : "ok");
  if (signedIn === undefined) {
    sendProblem(page, "link_ended");
    return;
  }
  const { realmId, userId } = signedIn;
  contextOf(response).log().info({ event: "sign_in_link.consumed", realmId, userId }, "a sign-in link was used");
  const { maySetPassword } = await localCredentials.findWaysIn(deps.db, signedIn);
  redirect(page, pathOn(deps, maySetPassword ? newPasswordPath : homePath(signedIn)));
}
