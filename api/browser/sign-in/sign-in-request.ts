import * as applications from "../../../db/queries/oauth/applications.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import { findOnboardingApp } from "../../../domain/onboarding-apps.ts";
import type { Deps } from "../../contract/deps.ts";
import { withoutLanguage } from "../../pages/language.ts";
import type { Problem } from "../../pages/problem.tsx";
import { queryOf } from "../../http/query-string.ts";
import { continueTo, pathOn } from "../../pages/continue-to.ts";

/** The parameters of a sign-in. */
export interface SignInParameters {
  /** The path on this service to continue at after sign-in. */
  path: string | undefined;
  realmName: string | undefined;
  /** Shows the form even if a user is signed in. */
  again: boolean;
}

/** Reads the parameters from a query or a form. Ignores a path that {@link continueTo} does not allow. */
export const readParameters = (valueOf: (name: string) => string | undefined): SignInParameters => {
  const path = continueTo(valueOf("continue"));
  return {
    path: path === undefined ? undefined : withoutLanguage(path),
    realmName: valueOf("realm"),
    again: valueOf("again") === "true",
  };
};

/** Returns the parameters as a form's hidden fields. */
export const hiddenFields = ({ path, realmName, again }: SignInParameters): Record<string, string> => ({
  ...(path === undefined ? {} : { continue: path }),
  ...(realmName === undefined ? {} : { realm: realmName }),
  ...(again ? { again: "true" } : {}),
});

/** Returns the address of a sign-in page with the parameters in its query. */
export const signInAddress = (
  deps: Pick<Deps, "settings">,
  parameters: SignInParameters,
  path: "/login" | "/login/upstream" = "/login",
): string => {
  const query = new URLSearchParams(hiddenFields(parameters)).toString();
  return pathOn(deps, query === "" ? path : `${path}?${query}`);
};

/** The realm to sign in to, the realms to choose from, or why sign-in is impossible. */
export type Place =
  | { realm: realms.RealmRow; application: { name: string } | undefined }
  | { choice: realms.RealmRow[] }
  | { problem: Problem };

/** The path of a geteduroam app's authorization request in a realm. */
const appPath = /^\/letswifi\/([a-z0-9-]+)\/oauth\/authorize\/?\?/;

/**
 * Returns whether the sign-in continues to an application or app, which belongs to a realm. Our own pages serve users of
 * every realm.
 */
export const isForApplication = ({ path }: Pick<SignInParameters, "path">): boolean =>
  path !== undefined && (path.startsWith("/oauth/authorize?") || appPath.test(path));

/** Returns which of our own pages the sign-in continues to. */
export const ownPages = ({ path }: Pick<SignInParameters, "path">): "console" | "devices" =>
  path?.startsWith("/console/") === true ? "console" : "devices";

/**
 * Returns the realm to sign in to: that of the application, the named one, or the only one that offers sign-in. If
 * several offer it, the user must choose; if none does, or the application is unknown, returns the problem.
 */
export async function findPlace({ db }: Pick<Deps, "db">, { path, realmName }: SignInParameters): Promise<Place> {
  if (path !== undefined && isForApplication({ path })) return placeOfApplication(db, path);
  const all = await realms.list(db);
  const named = all.find(({ name }) => name === realmName);
  if (named !== undefined) return { realm: named, application: undefined };
  const open = all.filter(offersSignIn);
  const [only] = open;
  if (only === undefined) return { problem: "no_sign_in" };
  return open.length === 1 ? { realm: only, application: undefined } : { choice: open };
}

async function placeOfApplication(db: Deps["db"], path: string): Promise<Place> {
  const clientId = new URLSearchParams(queryOf(path)).get("client_id");
  const [, realmName] = appPath.exec(path) ?? [];
  if (realmName !== undefined) {
    const [app, realm] = [findOnboardingApp(clientId ?? undefined), await realms.findByName(db, realmName)];
    return app === undefined || realm?.onboardingApps !== true
      ? { problem: "unknown_client" }
      : { realm, application: app };
  }
  const application =
    clientId === null || !/^[!-~]{1,200}$/.test(clientId) ? undefined : await applications.find(db, { clientId });
  if (application?.active !== true) return { problem: "unknown_client" };
  const realm = await realms.findById(db, application.realmId);
  return realm === undefined ? { problem: "unknown_client" } : { realm, application };
}

const offersSignIn = (realm: realms.RealmRow): boolean => realm.localSignIn || realms.hasUpstream(realm);
