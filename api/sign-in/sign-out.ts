import type { PageRequest } from "../pages/page-request.ts";
import { sendProblem } from "../pages/problem.tsx";
import { endLogin } from "./browser-login.ts";
import { pathOn } from "./continue-to.ts";
import { isOwnForm } from "./form-token.ts";
import { redirect } from "./redirect.ts";

/** `POST /login/end`: signs whoever it is out of the browser, also when nobody is signed in any more. */
export async function signOut(page: PageRequest): Promise<void> {
  const { deps, request, form } = page;
  if (!isOwnForm(deps, request, form.get("form_token"))) {
    sendProblem(page, "form_expired", { startAgain: pathOn(deps, "/login") });
    return;
  }
  await endLogin(deps, page);
  redirect(page, pathOn(deps, "/login/ended"));
}
