import { createHash } from "node:crypto";
import { expect } from "vitest";
import { problems, type Problem } from "../../../../../api/pages/problems.ts";
import { english } from "../../../../../api/pages/texts/english.ts";
import * as realms from "../../../../../db/queries/realm/realms.ts";
import { sql } from "../../../../../db/sql.ts";
import type { UpstreamClaims } from "../../../../../domain/people/upstream-claims.ts";
import { masterKeys, sealUnderMasterKey } from "../../../../../runtime/keys/master-key.ts";
import type { TestApi } from "../../../../support/service/api.ts";
import { createBrowserSession, type BrowserSession, type Visit } from "../../../../support/browser/browser-session.ts";

/** Gives a realm an identity provider. */
export async function setUpstream(
  api: TestApi,
  realmId: string,
  upstream: { issuer: string; clientId: string; clientSecret?: string; claims?: UpstreamClaims },
): Promise<void> {
  const { issuer, clientId, clientSecret, claims = {} } = upstream;
  const context = realms.upstreamSecretContext(realmId);
  await realms.update(api.database.owner, realmId, {
    upstreamIssuer: issuer,
    upstreamClientId: clientId,
    upstreamClientSecret:
      clientSecret === undefined
        ? null
        : sealUnderMasterKey(masterKeys(api.masterKey), Buffer.from(clientSecret), context),
    upstreamClaims: claims,
  });
}

/** Returns the path that begins signing in to a realm. */
export async function startPath(
  api: TestApi,
  realmId: string,
  parameters: Record<string, string> = {},
): Promise<string> {
  const realm = await realms.findById(api.database.owner, realmId);
  return `/login/upstream?${new URLSearchParams({ realm: realm?.name ?? "", ...parameters }).toString()}`;
}

export const browserOf = (api: TestApi, upstreamUrl: () => string): BrowserSession =>
  createBrowserSession(() => [api.url, upstreamUrl()]);

/** Follows redirects until one leads back to this service's callback, and stops there. */
export async function walkToCallback(browser: BrowserSession, url: string): Promise<string> {
  for (let [step, at] = [0, url]; step < 20; step++) {
    const visit: Visit = await browser.get(at, { follow: false });
    const { location } = visit.headers;
    if (location === undefined) throw new Error(`no way on from ${at}: ${visit.status} ${visit.text.slice(0, 300)}`);
    at = new URL(location, at).href;
    if (at.includes("/login/upstream/callback")) return at;
  }
  throw new Error("the walk does not end");
}

export interface SignedInUser {
  id: string;
  pairwiseId: string;
  email: string;
  displayName: string | null;
  administrator: boolean;
}

/** Returns the users of a realm, oldest first. */
export const usersOf = (api: TestApi, realmId: string): Promise<SignedInUser[]> =>
  api.database.owner.query<SignedInUser>(sql`
    select id, pairwise_id as "pairwiseId", email, display_name as "displayName", administrator
      from users
     where realm_id = ${realmId}
     order by id
  `);

/** Returns the user signed in to a browser, by the hash of its cookie. */
export async function signedInUser(
  api: TestApi,
  browser: BrowserSession,
): Promise<(SignedInUser & { realmId: string; method: string }) | undefined> {
  const token = browser.cookies.get(`${new URL(api.url).host} realmpass-login`) ?? "";
  const [row] = await api.database.owner.query<SignedInUser & { realmId: string; method: string }>(sql`
    select u.id, u.pairwise_id as "pairwiseId", u.email, u.display_name as "displayName", u.administrator,
           l.realm_id as "realmId", l.method
      from logins l
      join users u on u.id = l.user_id
     where l.token_hash = ${createHash("sha256").update(token).digest()}
  `);
  return row;
}

/** Expects a page to show this problem and the request id; returns the address to start again. */
export function expectProblem(visit: Visit, problem: Problem): string | undefined {
  expect({ status: visit.status, title: /<title>(.*?)<\/title>/.exec(visit.text)?.[1] }).toEqual({
    status: problems[problem].status,
    title: expect.stringContaining(english.problems[problem].title) as string,
  });
  expect(visit.text).toContain(visit.headers["x-request-id"]);
  const [, href] = /<a class="button" href="([^"]*)"/.exec(visit.text) ?? [];
  return href?.replaceAll("&amp;", "&");
}

/** Returns the audit entries of a realm, oldest first. */
export const auditOfRealm = (
  api: TestApi,
  realmId: string,
): Promise<{ event: string; userId: string | null; properties: Record<string, unknown> }[]> =>
  api.database.owner.query(sql`
    select event, user_id as "userId", properties from audit_entries where realm_id = ${realmId} order by id
  `);
