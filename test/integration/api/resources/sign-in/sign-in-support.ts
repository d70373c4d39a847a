import { expect } from "vitest";
import type { SignInReport } from "../../../../../api/resources/sign-in/sign-in-report.ts";
import { sql } from "../../../../../db/sql.ts";
import type { BrowserSession, Visit } from "../../../../support/browser/browser-session.ts";
import type { TestUpstream } from "../../../../support/counterparts/upstream-provider.ts";
import type { GivenUser } from "../../../../support/given/given.ts";
import type { Caller, TestApi } from "../../../../support/service/api.ts";
import { browserOf } from "../../browser/upstream-login/upstream-login-support.ts";

export const path = "/api/realm/sign-in";

/** An administrator with a token and a browser in which they are signed in. */
export interface SignedInAdministrator {
  user: GivenUser;
  caller: Caller;
  browser: BrowserSession;
}

export async function givenAdministrator(
  api: TestApi,
  realmId: string,
  upstream: TestUpstream,
): Promise<SignedInAdministrator> {
  const user = await api.given.user({ realmId, administrator: true });
  const browser = browserOf(api, () => upstream.url);
  browser.cookies.set(`${new URL(api.url).host} realmpass-login`, await api.given.login(user));
  return { user, caller: api.as.user(user), browser };
}

export const draftOf = ({ url: issuer, clientId: clientID, clientSecret }: TestUpstream, changes: object = {}) => ({
  kind: "oidc",
  issuer,
  clientID,
  clientSecret,
  ...changes,
});

export async function store(caller: Caller, draft: object): Promise<{ version: string }> {
  const answer = await caller.put(`${path}/draft`, draft);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data as { version: string };
}

/** Begins a test sign-in; returns its ID and the address that starts it. */
export async function begin(caller: Caller, of = "draft"): Promise<{ testID: string; address: string }> {
  const answer = await caller.post(`${path}/tests`, { of });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data as { testID: string; address: string };
}

export interface TestResult {
  state: string;
  of: string;
  report: SignInReport;
  visit: Visit;
}

/** Runs a test sign-in to its end; returns its result. */
export async function runTest({ caller, browser }: SignedInAdministrator, of?: string): Promise<TestResult> {
  const { testID, address } = await begin(caller, of);
  const visit = await browser.get(address);
  const answer = await caller.get(`${path}/tests/${testID}`);
  expect(answer.status, answer.text).toBe(200);
  return { ...(answer.body.data as Omit<TestResult, "visit">), visit };
}

/** Counts a realm's users, identities, sign-ins and audit entries. */
export async function rowsOf(api: TestApi, realmId: string) {
  const [rows] = await api.database.owner.query<Record<string, number>>(sql`
    select (select count(*)::integer from users where realm_id = ${realmId}) as users,
           (select count(*)::integer from upstream_identities where realm_id = ${realmId}) as identities,
           (select count(*)::integer from logins where realm_id = ${realmId}) as logins,
           (select count(*)::integer from audit_entries where realm_id = ${realmId}) as entries
  `);
  return rows;
}
