import type { Role } from "../../../domain/people/roles.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import { findLogin } from "../../session/browser-login.ts";
import { pathOn } from "../../pages/continue-to.ts";
import { redirect } from "../../pages/redirect.ts";

/** Returns the start page of a user who named no destination: the console, or their devices. */
export const homePath = ({ roles }: { roles: readonly Role[] }): string => (roles.length > 0 ? "/console" : "/me");

/** `GET /`: redirects to the page that the user most likely wants. */
export async function goHome(page: PageRequest): Promise<void> {
  const login = await findLogin(page.deps, page.request);
  redirect(page, pathOn(page.deps, homePath(login ?? { roles: [] })));
}
