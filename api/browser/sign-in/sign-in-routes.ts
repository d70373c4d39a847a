import type { Deps } from "../../contract/deps.ts";
import type { Route } from "../../http/route.ts";
import { assetRoute } from "../../pages/parts/assets.ts";
import { pageRoute } from "../../pages/page-route.ts";
import { goHome } from "./home.ts";
import { signInLocally } from "./local-sign-in.ts";
import { showSignIn } from "./login.ts";
import { showSignInLink, redeemSignInLink } from "./sign-in-link.ts";
import { newPasswordPath, setNewPassword, showNewPassword } from "./new-password.ts";
import { askBeforeSignOut, leavingPath, showSignedOut, signOut } from "./sign-out.ts";

/** Returns the routes of sign-in and sign-out, and of their pages' assets. */
export const signInRoutes = (deps: Deps): Route[] => [
  assetRoute,
  pageRoute(deps, "/", { get: goHome }),
  pageRoute(deps, "/login", { get: showSignIn, post: signInLocally }),
  pageRoute(deps, "/login/end", { post: signOut }),
  pageRoute(deps, leavingPath, { get: askBeforeSignOut }),
  pageRoute(deps, "/login/ended", { get: showSignedOut }),
  pageRoute(deps, newPasswordPath, { get: showNewPassword, post: setNewPassword }),
  pageRoute(deps, "/sign-in/:token", { get: showSignInLink, post: redeemSignInLink }),
];
