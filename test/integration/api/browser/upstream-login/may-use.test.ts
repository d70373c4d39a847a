import { Writable } from "node:stream";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import type { UpstreamClaims } from "../../../../../domain/people/upstream-claims.ts";
import { useApi } from "../../../../support/service/api.ts";
import { useUpstreamProvider, type UpstreamAccount } from "../../../../support/counterparts/upstream-provider.ts";
import {
  auditOfRealm,
  browserOf,
  expectProblem,
  setUpstream,
  signedInUser,
  startPath,
  usersOf,
  walkToCallback,
} from "./upstream-login-support.ts";

let logged = "";
const log = pino(
  { level: "debug" },
  new Writable({
    write(chunk: Buffer, _, done) {
      logged += chunk.toString();
      done();
    },
  }),
);
const api = useApi({ log });
const { given } = api;
const claims = ["pairwise_id", "groups", "roles", "hd", "hasgroups", "_claim_names", "_claim_sources"];
const upstream = useUpstreamProvider({ redirectUri: () => `${api.url}/login/upstream/callback`, claims });

const staff = { claim: "groups", value: "wifi" };

async function realmWith(names: UpstreamClaims): Promise<string> {
  const realmId = await given.realm();
  const { url: issuer, clientId, clientSecret } = upstream;
  await setUpstream(api, realmId, { issuer, clientId, clientSecret, claims: names });
  return realmId;
}

let people = 0;
const person = (claims: Record<string, unknown> = {}): UpstreamAccount => ({
  sub: `person-${++people}`,
  email: `p${people}@example.org`,
  name: `Person ${people}`,
  ...claims,
});

/** Entra sends this for people in more than 200 groups. */
const overage = { _claim_names: { groups: "src1" }, _claim_sources: { src1: { endpoint: "https://graph.example/g" } } };

/** Signs the person in with a new browser. */
async function signIn(realmId: string, account: UpstreamAccount) {
  upstream.signsIn(account);
  const browser = browserOf(api, () => upstream.url);
  const visit = await browser.get(`${api.url}${await startPath(api, realmId)}`);
  return { browser, visit, user: await signedInUser(api, browser) };
}

/** Returns the columns that a refusal of a known person may change, and some that it must not change. */
const rowOf = async (realmId: string) => {
  const [row] = await api.database.owner.query<Record<string, unknown>>(sql`
    select email, display_name as name, roles as given, provider_roles as provided,
           not_permitted_since as "notPermittedSince"
      from users where realm_id = ${realmId}
  `);
  return row;
};

const refusals = async (realmId: string) =>
  (await auditOfRealm(api, realmId)).filter(({ event }) => event === "user_login_refused");

describe("who may use the realm", () => {
  test("only a user with the required value signs in; without the rule every user does", async () => {
    const [holder, other] = [person({ groups: ["x", "wifi"] }), person({ groups: ["x", "wifi2"] })];
    const ruled = await realmWith({ mayUse: [staff] });
    expect((await signIn(ruled, holder)).user).toMatchObject({ pairwiseId: holder.sub });
    const refused = await signIn(ruled, other);
    expect(expectProblem(refused.visit, "upstream_not_permitted")).toBe(await startPath(api, ruled, { again: "true" }));
    expect(refused.user).toBeUndefined();

    for (const names of [{}, { mayUse: [] }]) {
      const open = await realmWith(names);
      expect((await signIn(open, holder)).user).toBeDefined();
      expect((await signIn(open, other)).user).toBeDefined();
    }
  });

  test.each<[string, Record<string, unknown>, boolean]>([
    ["one of several rules", { roles: "member" }, true],
    ["a text that contains the value", { groups: "wifi, x" }, false],
    ["the value in other letters", { groups: ["WIFI"] }, false],
    ["an empty list", { groups: [] }, false],
    ["no such claim", {}, false],
  ])("%s: only the exact value matches", async (_, claims, isIn) => {
    const realmId = await realmWith({ mayUse: [staff, { claim: "roles", value: "member" }] });
    expect((await signIn(realmId, person(claims))).user !== undefined).toBe(isIn);
  });

  test("a refused stranger leaves no row: no user, no identity, no audit entry", async () => {
    const realmId = await realmWith({ mayUse: [staff] });
    const { id } = await given.user({ realmId, pairwiseId: "made in bulk" });
    const rows = async () => [
      await auditOfRealm(api, realmId),
      await api.database.owner.query(sql`
        select u.*, i.subject from users u left join upstream_identities i on i.user_id = u.id
         where u.realm_id = ${realmId}
      `),
      await api.database.owner.query(sql`select from logins where realm_id = ${realmId}`),
    ];
    const before = await rows();
    await signIn(realmId, person({ pairwise_id: "stranger" }));
    await signIn(realmId, person({ pairwise_id: "made in bulk" }));
    expect(await rows()).toEqual(before);
    expect(logged).toContain('"event":"upstream.not_permitted"');
    expect(logged).not.toContain("made in bulk");
    const permitted = await signIn(realmId, person({ pairwise_id: "made in bulk", groups: "wifi" }));
    expect(permitted.user?.id).toBe(id);
  });

  test("a user who loses the value keeps sign-ins, devices, roles and name; the refusal is recorded once until the value returns", async () => {
    const realmId = await realmWith({
      mayUse: [staff],
      roles: { auditor: [{ claim: "roles", value: "audit" }] },
    });
    const account = person({ groups: "wifi", roles: "audit" });
    const { browser, user } = await signIn(realmId, account);
    const serial = await given.profile({ id: user?.id ?? "", realmId });
    const before = await rowOf(realmId);
    expect(before).toMatchObject({ provided: ["auditor"], notPermittedSince: null });

    for (let time = 0; time < 2; time++) {
      const refused = await signIn(realmId, { ...account, groups: [], roles: [], name: "New", email: "new@x.example" });
      expectProblem(refused.visit, "upstream_not_permitted");
      expect(refused.user).toBeUndefined();
    }
    expect(await rowOf(realmId)).toEqual({ ...before, notPermittedSince: expect.any(Date) as Date });
    expect(await refusals(realmId)).toEqual([
      {
        event: "user_login_refused",
        userId: user?.id,
        properties: { userID: user?.id, reason: "not_permitted", through: "oidc" },
      },
    ]);
    expect(await signedInUser(api, browser)).toMatchObject({ id: user?.id });
    const revoked = await api.database.owner.query(sql`
      select revoked_at as "revokedAt" from certificates where serial_number = ${serial}
    `);
    expect(revoked).toEqual([{ revokedAt: null }]);

    expect((await signIn(realmId, account)).user?.id).toBe(user?.id);
    expect(await rowOf(realmId)).toEqual(before);
    expect((await auditOfRealm(api, realmId)).at(-2)).toMatchObject({
      event: "user_update",
      properties: { userID: user?.id, changed: ["permitted"], issuer: upstream.url },
    });
    await signIn(realmId, account);
    expect((await auditOfRealm(api, realmId)).filter(({ event }) => event === "user_update")).toHaveLength(1);
    await signIn(realmId, { ...account, groups: "x" });
    expect(await refusals(realmId)).toHaveLength(2);
  });

  test("concurrent refusals of one user are recorded as one audit entry", async () => {
    const realmId = await realmWith({ mayUse: [staff] });
    const account = person({ groups: "wifi" });
    await signIn(realmId, account);
    upstream.signsIn({ ...account, groups: "x" });
    const path = `${api.url}${await startPath(api, realmId)}`;
    const browsers = Array.from({ length: 6 }, () => browserOf(api, () => upstream.url));
    const callbacks = await Promise.all(browsers.map((browser) => walkToCallback(browser, path)));
    const visits = await Promise.all(browsers.map((browser, index) => browser.get(callbacks[index] ?? "")));
    expect(visits.map(({ status }) => status)).toEqual(browsers.map(() => 403));
    expect(await refusals(realmId)).toHaveLength(1);
  });

  test("an offboarded user who is no longer permitted sees that access has ended, and no refusal is recorded", async () => {
    const realmId = await realmWith({ mayUse: [staff] });
    const account = person({ groups: "wifi" });
    await signIn(realmId, account);
    await api.database.owner.query(sql`update users set offboarded_at = now() where realm_id = ${realmId}`);
    const before = await rowOf(realmId);
    expectProblem((await signIn(realmId, { ...account, groups: [] })).visit, "offboarded");
    expect(await rowOf(realmId)).toEqual(before);
    expect(await refusals(realmId)).toEqual([]);
  });

  test("the hd hint is sent for a single hd rule, and the claim decides", async () => {
    const hintOf = async (names: UpstreamClaims) => {
      const path = `${api.url}${await startPath(api, await realmWith(names))}`;
      const { headers } = await browserOf(api, () => upstream.url).get(path, { follow: false });
      return new URL(headers.location ?? "").searchParams.get("hd");
    };
    const uni = { claim: "hd", value: "uni.example" };
    expect(await hintOf({ mayUse: [uni] })).toBe("uni.example");
    expect(await hintOf({ mayUse: [uni, { claim: "hd", value: "other.example" }] })).toBeNull();
    expect(await hintOf({ mayUse: [staff] })).toBeNull();
    expect(await hintOf({})).toBeNull();

    const realmId = await realmWith({ mayUse: [uni] });
    expectProblem((await signIn(realmId, person())).visit, "upstream_not_permitted");
    expectProblem((await signIn(realmId, person({ hd: "evil.example" }))).visit, "upstream_not_permitted");
    expect((await signIn(realmId, person({ hd: "uni.example" }))).user).toBeDefined();
  });
});

describe("if the provider withholds groups", () => {
  const administrator = { claim: "groups", value: "admins" };

  test("an administrator with too many groups is refused and keeps the role; an empty list of groups removes it", async () => {
    const realmId = await realmWith({ administrator });
    await given.user({ realmId, administrator: true });
    const account = person({ pairwise_id: "boss" });
    expect((await signIn(realmId, { ...account, groups: ["admins"] })).user?.administrator).toBe(true);
    const before = [await usersOf(api, realmId), await auditOfRealm(api, realmId)];

    for (const withheld of [overage, { hasgroups: true }]) {
      const { visit, user } = await signIn(realmId, { ...account, ...withheld, name: "Changed" });
      expectProblem(visit, "upstream_bad_answer");
      expect(user).toBeUndefined();
      expect([await usersOf(api, realmId), await auditOfRealm(api, realmId)]).toEqual(before);
    }
    expect((await signIn(realmId, { ...account, groups: [] })).user?.administrator).toBe(false);
    expect((await auditOfRealm(api, realmId)).map(({ event }) => event)).toContain("user_role_update");
  });

  test("a user who does not hold the role signs in without getting it, and the log reports the withheld claims", async () => {
    const realmId = await realmWith({ administrator });
    const { user } = await signIn(realmId, person(overage));
    expect(user?.administrator).toBe(false);
    expect(logged).toContain('"event":"upstream.claims_withheld"');
  });

  test("a role that another rule grants and a role assigned here both stay", async () => {
    const realmId = await realmWith({
      roles: { auditor: [administrator, { claim: "roles", value: "audit" }], help_desk: [administrator] },
    });
    await given.user({ realmId, pairwiseId: "mia", roles: ["help_desk"] });
    const { user } = await signIn(realmId, person({ pairwise_id: "mia", roles: ["audit"], ...overage }));
    expect(user).toBeDefined();
    expect(await rowOf(realmId)).toMatchObject({ given: ["help_desk"], provided: ["auditor"] });
  });

  test("a rule for using the realm that needs a withheld claim fails as a bad answer if no other rule matches", async () => {
    const realmId = await realmWith({ mayUse: [staff, { claim: "roles", value: "member" }] });
    const account = person({ roles: "member" });
    expect((await signIn(realmId, { ...account, ...overage })).user).toBeDefined();
    const { visit, user } = await signIn(realmId, { ...account, ...overage, roles: "x" });
    expectProblem(visit, "upstream_bad_answer");
    expect(user).toBeUndefined();
    expect(await refusals(realmId)).toEqual([]);
    expectProblem((await signIn(realmId, { ...account, groups: [], roles: "x" })).visit, "upstream_not_permitted");
  });
});

test("a sign-in without the identifier claim that the realm requires fails, and the log names the received claims", async () => {
  const realmId = await realmWith({ pairwiseId: "oid" });
  const { visit, user } = await signIn(realmId, person({ groups: ["a secret group"] }));
  expect(expectProblem(visit, "upstream_no_identifier")).toBe(await startPath(api, realmId));
  expect(user).toBeUndefined();
  expect(await usersOf(api, realmId)).toEqual([]);
  expect(logged).toMatch(/"problem":"upstream_no_identifier","reason":"[^"]*\bgroups\b/);
  expect(logged).not.toContain("a secret group");
});
