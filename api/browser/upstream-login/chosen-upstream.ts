import * as realms from "../../../db/queries/realm/realms.ts";
import * as drafts from "../../../db/queries/sign-in/sign-in-drafts.ts";
import * as tests from "../../../db/queries/sign-in/sign-in-tests.ts";
import type { Login } from "../../../db/queries/sign-in/logins.ts";
import { SignInTestID } from "../../../domain/ids.ts";
import { openUnderMasterKey } from "../../../runtime/keys/master-key.ts";
import type { Deps } from "../../contract/deps.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import { findLogin } from "../../session/browser-login.ts";

/** The identity provider of an attempt: the realm's own provider, or the one in a draft under test. */
export interface ChosenUpstream extends realms.RealmUpstream {
  /** The context under which the client secret is sealed. */
  secretContext: string;
}

/** Returns the identity provider that a realm's people sign in through. */
export async function findInUse(
  { db }: Pick<Deps, "db">,
  realm: { name: string } | { id: string },
): Promise<ChosenUpstream | undefined> {
  const found = await realms.findUpstream(db, realm);
  return found && { ...found, secretContext: realms.upstreamSecretContext(found.realmId) };
}

/** A test of a sign-in, in the browser of the user who started the test. */
export interface TestInBrowser {
  test: tests.SignInTest;
  login: Login;
  /** Undefined: the tested settings no longer exist. */
  upstream: ChosenUpstream | undefined;
}

/** Returns a test that has not ended, if the user who started it is signed in to this browser. */
export async function findTest(
  { deps, request }: Pick<PageRequest, "deps" | "request">,
  asked: string,
): Promise<TestInBrowser | undefined> {
  const { data: id } = SignInTestID.safeParse(asked);
  const login = await findLogin(deps, request);
  if (id === undefined || login === undefined) return undefined;
  const { realmId, userId } = login;
  const test = await tests.find(deps.db, { id, realmId, userId, at: deps.clock.now() });
  if (test?.passed !== null) return undefined;
  return { test, login, upstream: await findTested(deps, test) };
}

async function findTested(
  deps: Pick<Deps, "db" | "clock">,
  { realmId, draftVersion }: tests.SignInTest,
): Promise<ChosenUpstream | undefined> {
  if (draftVersion === null) return findInUse(deps, { id: realmId });
  const draft = await drafts.find(deps.db, { realmId, at: deps.clock.now() });
  const realm = await realms.findById(deps.db, realmId);
  if (draft?.version !== draftVersion || realm === undefined) return undefined;
  const { issuer, clientId, claims } = draft.settings;
  return {
    realmId,
    realmName: realm.name,
    setBy: "console",
    issuer,
    clientId,
    sealedSecret: draft.sealedSecret,
    secretContext: drafts.draftSecretContext(realmId),
    claims: { ...claims, vlanRules: realm.vlanRules },
  };
}

/** Returns the client secret; undefined for a public client. */
export function openSecret(
  { masterKeys }: Pick<Deps, "masterKeys">,
  { sealedSecret, secretContext }: Pick<ChosenUpstream, "sealedSecret" | "secretContext">,
): string | undefined {
  if (sealedSecret === null) return undefined;
  return openUnderMasterKey(masterKeys, sealedSecret, secretContext).toString("utf8");
}
