import type { Login } from "../../../db/queries/sign-in/logins.ts";
import type { RealmRow } from "../../../db/queries/realm/realms.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import { rememberRealm } from "../../pages/page-realm.ts";
import { single, type PageRequest } from "../../pages/page-request.ts";
import { sendProblem } from "../../pages/problem.tsx";
import { sendRealmChoice } from "../../pages/realm-choice.tsx";
import { sendSignIn, type SignInView } from "../../pages/sign-in.tsx";
import { sendSignedIn } from "../../pages/signed-in.tsx";
import { findLogin, hasLoginEnded } from "../../session/browser-login.ts";
import { pathOn } from "../../pages/continue-to.ts";
import { formTokenFor } from "../../pages/form-token.ts";
import { askForModel } from "../../resources/hand-over/browser-device.ts";
import { personName } from "../../session/person-name.ts";
import { redirect } from "../../pages/redirect.ts";
import {
  findPlace,
  hiddenFields,
  isForApplication,
  ownPages,
  readParameters,
  signInAddress,
  type SignInParameters,
} from "./sign-in-request.ts";

/**
 * `GET /login`: shows the sign-in form, or continues if a user is signed in. Without a destination it shows who is
 * signed in. Changes nothing.
 */
export async function showSignIn(page: PageRequest): Promise<void> {
  const { deps } = page;
  const asked = readParameters((name) => single(page, name));
  const login = asked.again ? undefined : await findLogin(deps, page.request);
  if (login !== undefined && !isForApplication(asked) && asked.realmName === undefined) {
    await continueWith(page, asked, login);
    return;
  }

  const place = await findPlace(deps, asked);
  if ("problem" in place) {
    sendProblem(page, place.problem);
  } else if ("choice" in place) {
    sendRealmChoice(page, {
      address: signInAddress(deps, asked),
      choices: place.choice.map((realm) => ({
        realm,
        href: signInAddress(deps, { ...asked, realmName: realm.name }),
      })),
    });
  } else if (login?.realmId === place.realm.id) {
    await continueWith(page, asked, login);
  } else {
    await sendSignInForm(page, asked, place);
  }
}

async function continueWith(page: PageRequest, { path }: SignInParameters, login: Login): Promise<void> {
  if (path === undefined) await showWhoIsSignedIn(page, login);
  else redirect(page, pathOn(page.deps, path));
}

async function showWhoIsSignedIn(page: PageRequest, login: Login): Promise<void> {
  const { deps } = page;
  sendSignedIn(page, {
    realm: await realms.findById(deps.db, login.realmId),
    person: personName(login),
    address: pathOn(deps, "/login"),
    devices: pathOn(deps, "/me"),
    administration: login.roles.length > 0 ? pathOn(deps, "/console") : undefined,
    signOut: { action: pathOn(deps, "/login/end"), hidden: { form_token: formTokenFor(deps, page) } },
    notYou: signInAddress(deps, { path: undefined, realmName: undefined, again: true }),
  });
}

/** Shows the realm's sign-in form. Without local sign-in, redirects to the identity provider. */
export async function sendSignInForm(
  page: PageRequest,
  asked: SignInParameters,
  { realm, application }: { realm: RealmRow; application: { name: string } | undefined },
  { username = "", refused }: { username?: string } & Pick<SignInView, "refused"> = {},
): Promise<void> {
  const { deps } = page;
  rememberRealm(page, realm);
  const upstream = realms.hasUpstream(realm)
    ? signInAddress(deps, { ...asked, realmName: realm.name }, "/login/upstream")
    : undefined;
  if (!realm.localSignIn) {
    if (upstream === undefined) sendProblem(page, "no_sign_in");
    else redirect(page, upstream);
    return;
  }
  const local = {
    action: pathOn(deps, "/login"),
    hidden: { ...hiddenFields(asked), form_token: formTokenFor(deps, page) },
    username,
  };
  const sessionEnded = !asked.again && (await hasLoginEnded(deps, page.request));
  const destination = application ?? ownPages(asked);
  // Asks the browser for the device's model, which an app's page suggests as the device's name.
  askForModel(page.response);
  sendSignIn(page, {
    ...{ realm, sessionEnded, destination, local, upstream, refused },
    address: signInAddress(deps, asked),
  });
}
