import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Db } from "../../db/client.ts";
import * as appAuthorization from "../../db/operations/app-authorization.ts";
import * as replacement from "../../db/operations/replacement.ts";
import * as certificates from "../../db/queries/certificates/certificates.ts";
import * as authorizations from "../../db/queries/issuance/app-authorizations.ts";
import * as issuances from "../../db/queries/issuance/issuances.ts";
import type { Login } from "../../db/queries/sign-in/logins.ts";
import { limitOf, profileRefusal, type ProfileRefusal } from "../../domain/certificate/entitlement.ts";
import { ProfileName } from "../../domain/certificate/profile.ts";
import { authorizationCodeSeconds } from "../../domain/lifetimes.ts";
import { appAuthorizationsPerHourMax } from "../../domain/limits.ts";
import { appsPath, deviceTypeOf } from "../../domain/onboarding-apps.ts";
import { wordsIn } from "../../domain/words/words-in.ts";
import { drawSecretToken } from "../../runtime/keys/secret-token.ts";
import { parsePairs } from "../http/query-string.ts";
import { contextOf } from "../http/request-context.ts";
import { AuthorizationError } from "../oauth/authorization-error.ts";
import { describedError, sendBack } from "../oauth/authorization-response.ts";
import { pathOn, signInPath } from "../pages/continue-to.ts";
import { formTokenFor, verifyFormToken } from "../pages/form-token.ts";
import { languageOf, withoutLanguage } from "../pages/language.ts";
import type { PageRequest } from "../pages/page-request.ts";
import { sendProblem } from "../pages/problem.tsx";
import { redirect } from "../pages/redirect.ts";
import { askForModel, deviceOf, modelOf } from "../resources/hand-over/browser-device.ts";
import { suggestedName } from "../resources/hand-over/device-name.ts";
import { sendAccessEnded } from "../session/access-ended.ts";
import { findLogin } from "../session/browser-login.ts";
import { personName } from "../session/person-name.ts";
import { realmOf } from "./app-realm.ts";
import { readAppClient, readAppRequest, type AppRequest } from "./app-request.ts";
import { knownDevice, rememberDevice } from "./device-cookie.ts";
import { sendSetUpDevice, type SetUpDeviceView } from "./views/set-up-device.tsx";

/**
 * `GET …/oauth/authorize/`: always shows the page "Set up this device", because any program can claim an app's address
 * (RFC 8252 section 8.6). A user who is not signed in signs in first and returns with the same request.
 */
export async function authorizeApp(page: PageRequest): Promise<void> {
  await withRequest(page, page.query, async (request) => {
    const login = await signedIn(page);
    if (login === undefined) redirect(page, signInPath(page.deps, authorizePath(page, page.query), { again: false }));
    else await show(page, page.query, request, login);
  });
}

/**
 * `POST …/oauth/authorize/`: handles the page's form, whose field `authorization` contains the request. Redirects a
 * POST without that field to the page.
 */
export async function decideApp(page: PageRequest): Promise<void> {
  const { deps, form } = page;
  const authorization = form.get("authorization");
  const query =
    authorization === undefined
      ? new Map([...form].map(([name, value]) => [name, [value]]))
      : parsePairs(authorization);
  if (authorization === undefined) {
    redirect(page, pathOn(deps, authorizePath(page, query)));
    return;
  }
  await withRequest(page, query, async (request) => {
    if (!verifyFormToken(deps, page.request, form.get("form_token"))) {
      sendProblem(page, "form_expired", { startAgain: pathOn(deps, authorizePath(page, query)) });
      return;
    }
    const login = await signedIn(page);
    // The user has signed out or in again, or another user has signed in: start over.
    if (login === undefined || login.id !== form.get("login")) {
      redirect(page, pathOn(deps, authorizePath(page, query)));
      return;
    }
    const decision = form.get("decision");
    if (decision === "deny") {
      deps.metrics.appAuthorization(request.app.clientId, "denied");
      throw new AuthorizationError("access_denied");
    }
    if (decision === "allow") await allow(page, query, request, login);
    else sendProblem(page, "bad_request");
  });
}

/**
 * Validates the request and passes it to `handle`. Errors are shown to the user until the app's address is verified;
 * later ones are sent to the app.
 */
async function withRequest(
  page: PageRequest,
  query: PageRequest["query"],
  handle: (request: AppRequest) => Promise<void>,
): Promise<void> {
  const client = readAppClient(query);
  if (typeof client === "string") {
    sendProblem(page, client);
    return;
  }
  try {
    await handle(readAppRequest(client, query));
  } catch (error) {
    if (!(error instanceof AuthorizationError)) throw error;
    sendBack(page.response, client, describedError(error));
  }
}

/** Returns the browser's login if it belongs to the realm in the path. */
async function signedIn(page: PageRequest): Promise<Login | undefined> {
  const login = await findLogin(page.deps, page.request);
  return login?.realmId === realmOf(page).id ? login : undefined;
}

const authorizePath = (page: PageRequest, query: PageRequest["query"]): string => {
  const pairs = [...query].flatMap(([name, values]) => values.map((value): [string, string] => [name, value]));
  return withoutLanguage(`${appsPath(realmOf(page).name)}oauth/authorize/?${new URLSearchParams(pairs).toString()}`);
};

/** Why no profile can be made. `nextAt`: when the user can next let an app set up a device. */
type Objection = Refusal | { nextAt: Date };
type Refusal = ProfileRefusal | "user_not_permitted";

interface Found {
  objection?: Objection | undefined;
  /** The refused name, for the person to correct. */
  wrongName?: string | undefined;
}

async function show(
  page: PageRequest,
  query: PageRequest["query"],
  request: AppRequest,
  login: Login,
  { objection: found, wrongName }: Found = {},
): Promise<void> {
  const { deps } = page;
  const { realmId, userId } = login;
  const realm = realmOf(page);
  const at = deps.clock.now();
  const deviceType = deviceTypeOf(request.app, deviceOf(page.request));
  const owner = await issuances.readOwner(deps.db, { realmId, userId, at });
  const places = owner && (await findPlaces(page, owner, login));
  // The limit was reached after the page was shown: the page now asks which profile to replace.
  const objection = found === "profile_limit_reached" ? places?.objection : (found ?? places?.objection);
  if (places === undefined || objection === "user_offboarded" || objection === "user_not_found") {
    await sendAccessEnded(page, { realmId, userId });
    return;
  }
  if (objection !== undefined) {
    deps.metrics.appAuthorization(request.app.clientId, typeof objection === "object" ? "limited" : "objection");
  }
  const words = wordsIn(languageOf(page));
  askForModel(page.response);
  sendSetUpDevice(page, {
    realm,
    person: personName(login),
    app: request.app.name,
    deviceType,
    name: wrongName ?? suggestedName(deviceType, login.displayName, words, modelOf(page.request)),
    isWrongName: wrongName !== undefined,
    ...places,
    objection,
    devices: pathOn(deps, "/me"),
    action: pathOn(deps, `${appsPath(realm.name)}oauth/authorize/`),
    address: pathOn(deps, authorizePath(page, query)),
    hidden: {
      authorization: authorizePath(page, query).split("?").slice(1).join("?"),
      login: login.id,
      id: page.form.get("id") ?? randomUUID(),
      form_token: formTokenFor(deps, page),
    },
    notYou: signInPath(deps, authorizePath(page, query), { again: true }),
  });
}

/**
 * Returns where the profile can go, for display: which active profiles it can replace, and whether the limit has room
 * for it as a new device; if neither is possible, the objection. The result can change a moment later. Profiles that
 * end when the user allows the app do not count.
 */
async function findPlaces(
  page: PageRequest,
  state: issuances.UserRow,
  { realmId, userId }: Login,
): Promise<Pick<SetUpDeviceView, "profiles" | "chosen" | "canBeNew" | "limit"> & { objection: Objection | undefined }> {
  const { db, clock } = page.deps;
  const at = clock.now();
  const deviceHash = knownDevice(page);
  const [unsent, ofDevice] =
    deviceHash === undefined
      ? [[], []]
      : await Promise.all([
          authorizations.listUnsent(db, { userId, deviceHash, at }),
          authorizations.listOfDevice(db, { userId, deviceHash, at }),
        ]);
  const ending = unsent.filter(
    ({ state, serialNumber }) => state === "queued" || state === "signing" || serialNumber !== null,
  );
  const ended = new Set(ending.map(({ serialNumber }) => serialNumber));
  const active = await certificates.listActiveOfUser(db, { realmId, userId, at });
  const profiles = active.filter(({ serialNumber }) => !ended.has(serialNumber));
  // A profile that an unfinished earlier attempt was to replace comes first: that profile is still on the device.
  const chosen = [...unsent.map(({ renewsSerialNumber }) => renewsSerialNumber), ...ofDevice].find((known) =>
    profiles.some(({ serialNumber }) => serialNumber === known),
  );
  const owner = { ...state, count: state.count - ending.length };
  const refusal = refusalOf(owner, at);
  const [first] = profiles;
  const isFull = refusal === "profile_limit_reached";
  const objection =
    isFull && first !== undefined
      ? await replacement.replacementRefusal(db, owner, { realmId, userId, renews: chosen ?? first.serialNumber, at })
      : refusal;
  return {
    profiles,
    chosen: chosen ?? null,
    canBeNew: !isFull,
    limit: limitOf(owner),
    objection: objection ?? (await tooMany(db, { userId, at })),
  };
}

/**
 * Returns why a person cannot have a new profile. People whom the provider or the directory excludes keep their devices
 * but get no new ones.
 */
const refusalOf = (owner: issuances.UserRow, at: Date): Refusal | undefined =>
  owner.notPermittedSince === null ? profileRefusal(owner, at) : "user_not_permitted";

/** Returns when the person can next let an app set up a device; undefined: now. */
async function tooMany(db: Db, asked: { userId: string; at: Date }): Promise<{ nextAt: Date } | undefined> {
  const { count, nextAt } = await authorizations.countLately(db, asked);
  return nextAt !== null && count >= appAuthorizationsPerHourMax ? { nextAt } : undefined;
}

/**
 * Thrown to roll back the transaction. `used`: the form was sent before, and its code was used or its authorization has
 * ended.
 */
class Refused extends Error {
  readonly objection: Objection | "used";
  constructor(objection: Objection | "used") {
    super("an authorization was refused");
    this.objection = objection;
  }
}

/** Creates the form's authorization, only once even if the form is sent twice, and sends the app a code. */
async function allow(page: PageRequest, query: PageRequest["query"], request: AppRequest, login: Login): Promise<void> {
  const { deps, form, response } = page;
  const { app, redirectUri, codeChallenge } = request;
  const { realmId, userId } = login;
  const id = z.uuid().toLowerCase().safeParse(form.get("id"));
  if (!id.success) {
    sendProblem(page, "bad_request");
    return;
  }
  const renews = form.get("replaces");
  if (renews !== undefined && !/^[1-9][0-9]{0,47}$/.test(renews)) {
    sendProblem(page, "bad_request");
    return;
  }
  const typed = (form.get("name") ?? "").trim();
  const name = ProfileName.safeParse(typed);
  if (!name.success) {
    await show(page, query, request, login, { wrongName: typed });
    return;
  }

  const at = deps.clock.now();
  const code = drawSecretToken("appCode");
  const wanted = {
    ...{ id: id.data, realmId, userId, app: app.clientId, redirectUri, codeChallenge, name: name.data, at },
    codeHash: code.hash,
    codeExpiresAt: new Date(at.getTime() + authorizationCodeSeconds * 1_000),
    deviceType: deviceTypeOf(app, deviceOf(page.request)),
    deviceHash: rememberDevice(page),
    renewsSerialNumber: renews ?? null,
  };
  try {
    await deps.db.transaction(async (tx) => {
      if ((await issuances.lockOwner(tx, wanted)) === undefined) throw new Refused("user_not_found");
      const isAgain = await authorizations.replaceCode(tx, wanted);
      if (!isAgain) await appAuthorization.endUnsent(tx, wanted);
      // Counted again: an ended profile no longer takes a place.
      const owner = await issuances.lockOwner(tx, wanted);
      if (owner === undefined) throw new Refused("user_not_found");
      const refusal =
        renews === undefined || owner.notPermittedSince !== null
          ? refusalOf(owner, at)
          : await replacement.replacementRefusal(tx, owner, { realmId, userId, renews, at });
      const objection = refusal ?? (isAgain ? undefined : await tooMany(tx, { userId, at }));
      if (objection !== undefined) throw new Refused(objection);
      if (!isAgain && !(await authorizations.create(tx, wanted))) throw new Refused("used");
    });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    // This form was used before: the page returns with a new form.
    if (error.objection === "used") redirect(page, pathOn(deps, authorizePath(page, query)));
    else await show(page, query, request, login, { objection: error.objection });
    return;
  }
  const context = contextOf(response);
  context.who = { realmId, userId, clientId: app.clientId };
  context
    .log()
    .info({ event: "app.authorized", ...context.who, authorization: id.data }, "a person let an app set up a device");
  deps.metrics.appAuthorization(app.clientId, "allowed");
  sendBack(response, request, { code: code.token });
}
