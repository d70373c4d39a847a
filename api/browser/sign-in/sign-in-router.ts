import { Router } from "express";
import type { Deps } from "../../contract/deps.ts";
import { createAssetRouter } from "../pages/assets.ts";
import { pageRoute } from "../pages/page-route.ts";
import { goHome } from "./home.ts";
import { signInLocally } from "./local-sign-in.ts";
import { showSignIn } from "./login.ts";
import { showSignInLink, useSignInLink } from "./sign-in-link.ts";
import { showSignedOut, signOut } from "./sign-out.ts";

/** Where people sign in and out, and what these pages load. */
export function createSignInRouter(deps: Deps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(createAssetRouter());
  router.use(pageRoute(deps, "/", { get: goHome }));
  router.use(pageRoute(deps, "/login", { get: showSignIn, post: signInLocally }));
  router.use(pageRoute(deps, "/login/end", { post: signOut }));
  router.use(pageRoute(deps, "/login/ended", { get: showSignedOut }));
  router.use(pageRoute(deps, "/sign-in/:token", { get: showSignInLink, post: useSignInLink }));
  return router;
}
