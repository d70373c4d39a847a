import { Writable } from "node:stream";
import { pino } from "pino";
import { Registry } from "prom-client";
import { describe, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import type { UpstreamClaims } from "../../../../../domain/people/upstream-claims.ts";
import { masterKeys, openUnderMasterKey, sealUnderMasterKey } from "../../../../../runtime/keys/master-key.ts";
import { findOrCreateUser } from "../../../../../api/browser/upstream-login/find-or-create-user.ts";
import { systemClock } from "../../../../../runtime/clock.ts";
import { fromNow } from "../../../../support/given/given.ts";
import { givenTwins } from "../../../../support/given/spellings.ts";
import { useApi } from "../../../../support/service/api.ts";
import { useUpstreamProvider, type TestUpstream } from "../../../../support/counterparts/upstream-provider.ts";
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
const registry = new Registry();
const api = useApi({ log, registry });
const { given } = api;
const redirectUri = () => `${api.url}/login/upstream/callback`;
const upstream = useUpstreamProvider({ redirectUri, claims: ["pairwise_id", "entitlements", "role"] });
const other = useUpstreamProvider({
  redirectUri,
  claims: ["eduperson_unique_id"],
  claimsInIdToken: true,
  authentication: "client_secret_post",
});
const open = useUpstreamProvider({ redirectUri, authentication: "none" });

/** Makes a new realm whose people come from the provider. */
async function realmAt(at: TestUpstream, claims: UpstreamClaims = {}): Promise<string> {
  const realmId = await given.realm();
  const { url: issuer, clientId, clientSecret } = at;
  await setUpstream(api, realmId, { issuer, clientId, claims, ...(at === open ? {} : { clientSecret }) });
  return realmId;
}

let people = 0;
const person = (claims: Record<string, unknown> = {}) => ({
  sub: `sub-${++people}`,
  email: `p${people}@example.org`,
  name: `Person ${people}`,
  ...claims,
});

/** Signs a user in with a new browser. */
async function signIn(
  realmId: string,
  {
    at = upstream,
    path = {},
    browser = browserOf(api, () => at.url),
  }: {
    at?: TestUpstream;
    path?: Record<string, string>;
    browser?: ReturnType<typeof browserOf>;
  } = {},
) {
  const visit = await browser.get(`${api.url}${await startPath(api, realmId, path)}`);
  return { browser, visit, user: await signedInUser(api, browser) };
}

describe("which user a sign-in finds", () => {
  test("a first sign-in creates the user from the claims, and a second one finds the same user", async () => {
    const realmId = await realmAt(upstream);
    upstream.signsIn(person({ sub: "first", pairwise_id: "pw-first", email: "first@example.org", name: "Ada" }));

    const { user, visit } = await signIn(realmId);

    expect(visit).toMatchObject({ status: 200, url: `${api.url}/me` });
    expect(user).toMatchObject({
      realmId,
      method: "upstream",
      pairwiseId: "pw-first",
      email: "first@example.org",
      displayName: "Ada",
      administrator: false,
    });
    expect((await signIn(realmId)).user?.id).toBe(user?.id);
    expect(await usersOf(api, realmId)).toHaveLength(1);
    const audit = await auditOfRealm(api, realmId);
    expect(audit.map(({ event, userId }) => [event, userId])).toEqual([
      ["user_create", user?.id],
      ["user_login", user?.id],
      ["user_login", user?.id],
    ]);
    expect(audit[0]?.properties).toEqual({
      userID: user?.id,
      issuer: upstream.url,
      administrator: false,
      roles: [],
    });
  });

  test.each([
    ["whose claims are in the id token and whose secret goes into the body", () => other],
    ["where this service has no secret", () => open],
  ])("users sign in through a provider %s", async (_, at) => {
    const realmId = await realmAt(at());
    const { sub, email, name } = person();
    at().signsIn({ sub, email, name });
    expect((await signIn(realmId, { at: at() })).user).toMatchObject({ pairwiseId: sub, email, displayName: name });
  });

  test("the realm configures which claims are read", async () => {
    const realmId = await realmAt(other, { pairwiseId: "eduperson_unique_id", displayName: "email" });
    other.signsIn(person({ eduperson_unique_id: "unique", email: "shown@example.org" }));
    const { user } = await signIn(realmId, { at: other });
    expect(user).toMatchObject({ pairwiseId: "unique", displayName: "shown@example.org" });
  });

  test("an existing user is adopted by pairwise id, once", async () => {
    const realmId = await realmAt(upstream);
    const { id } = await given.user({ realmId, pairwiseId: "bulk", email: "old@example.org" });
    upstream.signsIn(person({ pairwise_id: "bulk", email: "new@example.org" }));

    const { user } = await signIn(realmId);

    expect(user).toMatchObject({ id, email: "new@example.org" });
    const [update, login] = await auditOfRealm(api, realmId);
    expect(update).toEqual({
      event: "user_update",
      userId: id,
      properties: {
        userID: id,
        changed: ["identity", "email", "displayName"],
        issuer: upstream.url,
      },
    });
    expect(login).toMatchObject({ event: "user_login" });
    await signIn(realmId);
    expect((await auditOfRealm(api, realmId)).map(({ event }) => event)).toEqual([
      "user_update",
      "user_login",
      "user_login",
    ]);
  });

  test("the same pairwise id with another subject is another user and is refused", async () => {
    const realmId = await realmAt(upstream);
    upstream.signsIn(person({ pairwise_id: "taken" }));
    await signIn(realmId);
    upstream.signsIn(person({ pairwise_id: "taken", email: "mallory@example.org" }));

    const { visit, user } = await signIn(realmId);

    const startAgain = expectProblem(visit, "identity_conflict");
    expect(startAgain).toBe(await startPath(api, realmId, { again: "true" }));
    expect(user).toBeUndefined();
    expect(await usersOf(api, realmId)).toHaveLength(1);
    expect((await usersOf(api, realmId))[0]?.email).not.toBe("mallory@example.org");
  });

  test.each([
    ["letter case", "JDoe@uni.example", "jdoe@UNI.example"],
    ["Unicode form", "J\u00e4ger", "JA\u0308GER"],
    ["what stands around it", "plain", "\ufeffplain\u200b "],
  ])("a pairwise id that differs in %s adopts the existing user", async (_, pairwiseId, claimed) => {
    const realmId = await realmAt(upstream);
    const { id } = await given.user({ realmId, pairwiseId });
    upstream.signsIn(person({ pairwise_id: claimed }));
    expect((await signIn(realmId)).user).toMatchObject({ id, pairwiseId });
    expect(await usersOf(api, realmId)).toHaveLength(1);
    // The same spelling under another subject is another person, who is refused.
    upstream.signsIn(person({ pairwise_id: claimed }));
    expectProblem((await signIn(realmId)).visit, "identity_conflict");
  });

  test("subjects are compared exactly: another letter case is another user", async () => {
    const realmId = await realmAt(upstream);
    const users = [];
    for (const sub of ["CaseD", "cased"]) {
      upstream.signsIn(person({ sub, pairwise_id: `id-of-${users.length}` }));
      users.push((await signIn(realmId)).user?.id);
    }
    expect(new Set(users).size).toBe(2);
  });

  test("two users whose ids differ in spelling each sign in with their exact spelling, and a third spelling is refused", async () => {
    const realmId = await realmAt(upstream);
    const [first, second] = await givenTwins(api.database.owner, { realmId, ids: ["JDoe", "jdoe"] });
    upstream.signsIn(person({ pairwise_id: "JDOE" }));
    const { visit, user } = await signIn(realmId);
    expectProblem(visit, "identity_conflict");
    expect(user).toBeUndefined();
    upstream.signsIn(person({ pairwise_id: "jdoe" }));
    expect((await signIn(realmId)).user?.id).toBe(second!.id);
    upstream.signsIn(person({ pairwise_id: "JDoe" }));
    expect((await signIn(realmId)).user?.id).toBe(first!.id);
    expect(await usersOf(api, realmId)).toHaveLength(2);
  });

  test("one of several concurrent sign-ins in different spellings creates the user, and the others are refused", async () => {
    const realmId = await realmAt(upstream);
    const one = { issuer: upstream.url, realmId };
    const arrival = (subject: string, pairwiseId: string) => ({
      ...one,
      person: {
        ...{ subject, pairwiseId, email: undefined, displayName: undefined },
        ...{ permitted: true, mappedRoles: [], roles: [], withheldRoles: [], vlan: null },
      },
    });
    const deps = { db: api.database.open("realmpass_api"), clock: systemClock };
    const outcomes = await Promise.all(
      ["JDoe", "jdoe", "JDOE", "jDoe"].map((id, index) => findOrCreateUser(deps, arrival(`racer-${index}`, id))),
    );
    expect(outcomes.map((outcome) => ("problem" in outcome ? outcome.problem : outcome.how)).sort()).toEqual([
      "created",
      "identity_conflict",
      "identity_conflict",
      "identity_conflict",
    ]);
    expect(await usersOf(api, realmId)).toHaveLength(1);
  });

  test("an id with an invisible character creates no user, but an existing user with one signs in", async () => {
    const realmId = await realmAt(upstream);
    logged = "";
    upstream.signsIn(person({ pairwise_id: "jd\u200boe" }));
    const { visit } = await signIn(realmId);
    expectProblem(visit, "upstream_bad_answer");
    expect(logged).toContain("the pairwise id must not contain an invisible character, as at 3");
    expect(await usersOf(api, realmId)).toHaveLength(0);
    const { id } = await given.user({ realmId, pairwiseId: "jd\u200boe" });
    expect((await signIn(realmId)).user?.id).toBe(id);
  });

  test("an equal e-mail address does not identify a user; a new one is created", async () => {
    const realmId = await realmAt(upstream);
    const { id } = await given.user({ realmId, email: "shared@example.org", administrator: true });
    upstream.signsIn(person({ email: "shared@example.org" }));
    const { user } = await signIn(realmId);
    expect(user?.id).not.toBe(id);
    expect(user?.administrator).toBe(false);
  });

  test("a known user stays the same when their pairwise id changes", async () => {
    const realmId = await realmAt(upstream);
    const account = person({ pairwise_id: "mine" });
    upstream.signsIn(account);
    const first = await signIn(realmId);
    await given.user({ realmId, pairwiseId: "someone's" });
    upstream.signsIn({ ...account, pairwise_id: "someone's" });
    expect((await signIn(realmId)).user).toMatchObject({ id: first.user?.id, pairwiseId: "mine" });
  });

  test("the same subject in two realms is two users", async () => {
    const [one, two] = [await realmAt(upstream), await realmAt(upstream)];
    upstream.signsIn(person());
    const [first, second] = [await signIn(one), await signIn(two)];
    expect(first.user?.realmId).toBe(one);
    expect(second.user?.realmId).toBe(two);
    expect(first.user?.id).not.toBe(second.user?.id);
  });

  test("after the identity provider changes, a user's first sign-in adopts the existing user", async () => {
    const realmId = await realmAt(upstream);
    upstream.signsIn(person({ pairwise_id: "moving" }));
    const before = await signIn(realmId);
    const { url: issuer, clientId } = open;
    await setUpstream(api, realmId, { issuer, clientId });
    open.signsIn(person({ sub: "moving" }));
    expect((await signIn(realmId, { at: open })).user?.id).toBe(before.user?.id);
  });

  test.each([
    ["known", true],
    ["made in bulk", false],
  ])("an offboarded user who is %s cannot sign in, and no new user is created", async (_, known) => {
    const realmId = await realmAt(upstream);
    const account = person({ pairwise_id: "gone" });
    upstream.signsIn(account);
    if (known) await signIn(realmId);
    else await given.user({ realmId, pairwiseId: "gone" });
    await api.database.owner.query(sql`update users set offboarded_at = now() where realm_id = ${realmId}`);
    const before = [await usersOf(api, realmId), await auditOfRealm(api, realmId)];
    upstream.signsIn({ ...account, email: "later@example.org" });

    const { visit, user } = await signIn(realmId);

    expectProblem(visit, "offboarded");
    expect(user).toBeUndefined();
    expect([await usersOf(api, realmId), await auditOfRealm(api, realmId)]).toEqual(before);
    upstream.signsIn({ ...account, pairwise_id: "new" });
    const again = await signIn(realmId);
    expect(again.user === undefined).toBe(known);
  });

  test("a user in a grace period sees until when their devices stay on, and no other user does", async () => {
    const realmId = await realmAt(upstream);
    const account = person({ pairwise_id: "grace" });
    upstream.signsIn(account);
    const user = await given.user({ realmId, pairwiseId: "grace" });
    await given.profile(user);
    await api.as.admin({ realmId }).delete(`/api/user/${user.id}`, { graceDays: 7 });

    const stay = "Your devices stay on the network until";
    expect((await signIn(realmId)).visit.text).toContain(stay);
    await api.database.owner.query(sql`
      insert into upstream_identities (realm_id, issuer, subject, user_id, created_at)
      values (${realmId}, ${upstream.url}, 'somebody else', ${user.id}, now())
    `);
    const { visit } = await signIn(realmId);
    expectProblem(visit, "offboarded");
    expect(visit.text).not.toContain(stay);
    upstream.signsIn({ ...account, sub: "somebody else" });
    expect((await signIn(realmId)).visit.text).toContain(stay);
  });

  test("concurrent first sign-ins with the same subject create one user", async () => {
    const realmId = await realmAt(upstream);
    upstream.signsIn(person({ pairwise_id: "parallel" }));
    const browsers = Array.from({ length: 8 }, () => browserOf(api, () => upstream.url));
    const path = `${api.url}${await startPath(api, realmId)}`;
    const callbacks = await Promise.all(browsers.map((browser) => walkToCallback(browser, path)));

    const visits = await Promise.all(browsers.map((browser, index) => browser.get(callbacks[index] ?? "")));

    expect(visits.map(({ status }) => status)).toEqual(browsers.map(() => 200));
    const users = await Promise.all(browsers.map((browser) => signedInUser(api, browser)));
    expect(new Set(users.map((user) => user?.id)).size).toBe(1);
    expect(await usersOf(api, realmId)).toHaveLength(1);
    const audit = await auditOfRealm(api, realmId);
    expect(audit.filter(({ event }) => event === "user_create")).toHaveLength(1);
  });

  test("concurrent first sign-ins of an existing user adopt that user", async () => {
    const realmId = await realmAt(upstream);
    const { id } = await given.user({ realmId, pairwiseId: "awaited" });
    upstream.signsIn(person({ pairwise_id: "awaited" }));
    const browsers = Array.from({ length: 8 }, () => browserOf(api, () => upstream.url));
    await Promise.all(browsers.map((browser) => signIn(realmId, { browser })));
    const users = await Promise.all(browsers.map((browser) => signedInUser(api, browser)));
    expect(users.map((user) => user?.id)).toEqual(browsers.map(() => id));
  });
});

describe("claims that change the user", () => {
  const administrator = { claim: "entitlements", value: "urn:example:admin" };

  test("a user with the administrator's claim is an administrator for as long as the claim is sent", async () => {
    const realmId = await realmAt(upstream, { administrator });
    await given.user({ realmId, administrator: true });
    const account = person();
    const statuses: unknown[] = [];
    for (const entitlements of [["urn:x", "urn:example:admin"], undefined, "urn:example:admin", ["urn:x"]]) {
      upstream.signsIn(entitlements === undefined ? account : { ...account, entitlements });
      statuses.push((await signIn(realmId)).user?.administrator);
    }
    expect(statuses).toEqual([true, false, true, false]);
    const audit = await auditOfRealm(api, realmId);
    expect(audit.map(({ event }) => event)).toEqual([
      "user_create",
      "admin_login",
      "user_role_update",
      "user_login",
      "user_role_update",
      "admin_login",
      "user_role_update",
      "user_login",
    ]);
    expect(audit[2]?.properties).toMatchObject({ before: ["administrator"], after: [], source: "provider" });
  });

  test("a reactivated user gets the claims' roles at the next sign-in, and not before", async () => {
    const realmId = await realmAt(upstream, { administrator });
    await given.user({ realmId, administrator: true });
    upstream.signsIn({ ...person(), entitlements: "urn:example:admin" });
    const { user } = await signIn(realmId);
    const rolesOf = async () =>
      (await api.database.owner.query(sql`select roles, provider_roles from users where id = ${user!.id}`))[0];
    const service = api.as.service({ realmId });
    expect(await rolesOf()).toEqual({ roles: [], provider_roles: ["administrator"] });
    await service.delete(`/api/user/${user!.id}`);
    await service.put(`/api/user/${user!.id}/undelete`);
    expect(await rolesOf()).toEqual({ roles: [], provider_roles: [] });
    await signIn(realmId);
    expect(await rolesOf()).toEqual({ roles: [], provider_roles: ["administrator"] });
  });

  test("each sign-in grants the roles in the claims, removes those that a rule maps but the claims lack, and keeps the rest", async () => {
    const rule = (value: string) => [{ claim: "entitlements", value }];
    const realmId = await realmAt(upstream, {
      roles: { help_desk: rule("support"), auditor: [...rule("audit"), ...rule("revision")] },
    });
    const { id } = await given.user({ realmId, pairwiseId: "mia", roles: ["guest_manager", "help_desk"] });
    const held: unknown[] = [];
    for (const entitlements of [["revision"], ["support", "audit"], []]) {
      upstream.signsIn(person({ sub: "mia", pairwise_id: "mia", entitlements }));
      await signIn(realmId);
      const [user] = await api.database.owner.query(
        sql`select roles as given, provider_roles as provided from users where id = ${id}`,
      );
      held.push(user);
    }
    expect(held).toEqual([
      { given: ["guest_manager"], provided: ["auditor"] },
      { given: ["guest_manager"], provided: ["help_desk", "auditor"] },
      { given: ["guest_manager"], provided: [] },
    ]);
    const logins = (await auditOfRealm(api, realmId)).filter(({ event }) => event === "user_login");
    expect(logins[0]?.properties).toMatchObject({ roles: ["guest_manager", "auditor"] });
  });

  test("the last administrator of a realm keeps the role when the claims no longer grant it, until there is another one", async () => {
    const realmId = await realmAt(upstream, { administrator });
    const account = person();
    upstream.signsIn({ ...account, entitlements: "urn:example:admin" });
    await signIn(realmId);
    upstream.signsIn({ ...account, entitlements: [] });
    expect((await signIn(realmId)).user?.administrator).toBe(true);
    expect((await auditOfRealm(api, realmId)).map(({ event }) => event)).not.toContain("user_role_update");
    expect(logged).toContain("roles.last_administrator_kept");
    const kept = await api.database.owner.query(sql`
      select roles as given, provider_roles as provided from users where realm_id = ${realmId}
    `);
    expect(kept, "which the set-up reports").toEqual([{ given: ["administrator"], provided: [] }]);
    await given.user({ realmId, administrator: true });
    expect((await signIn(realmId)).user?.administrator).toBe(false);
  });

  test("without a rule for administrators, the claims do not decide who is an administrator", async () => {
    const realmId = await realmAt(upstream);
    await given.user({ realmId, pairwiseId: "boss", administrator: true });
    upstream.signsIn(person({ pairwise_id: "boss", entitlements: [] }));
    expect((await signIn(realmId)).user?.administrator).toBe(true);
    upstream.signsIn(person({ entitlements: ["urn:example:admin"] }));
    expect((await signIn(realmId)).user?.administrator).toBe(false);
  });

  test("a changed address and name are saved, and one that is no longer sent is kept", async () => {
    const realmId = await realmAt(upstream);
    const { sub } = person();
    upstream.signsIn({ sub, email: "a@example.org", name: "A" });
    await signIn(realmId);
    upstream.signsIn({ sub, email: "b@example.org", name: "B" });
    expect((await signIn(realmId)).user).toMatchObject({ email: "b@example.org", displayName: "B" });
    upstream.signsIn({ sub });
    expect((await signIn(realmId)).user).toMatchObject({ email: "b@example.org", displayName: "B" });
    expect((await auditOfRealm(api, realmId)).filter(({ event }) => event === "user_update")).toHaveLength(1);
  });

  test.each([
    ["a pairwise id of 256 characters", { pairwise_id: "x".repeat(256) }, {}],
    ["a pairwise id with a line end", { pairwise_id: "a\nb" }, {}],
    ["a pairwise id with NUL", { pairwise_id: "a\0b" }, {}],
    ["a pairwise id that is a number", { pairwise_id: 7 }, {}],
    ["a pairwise id that is a list", { pairwise_id: ["a"] }, {}],
    ["an address that is an object", { email: { a: 1 } }, {}],
    ["an address of 321 characters", { email: "x".repeat(321) }, {}],
    ["a name that is true", { name: true }, {}],
    ["entitlements that are an object", { entitlements: { a: 1 } }, { administrator }],
    ["entitlements with a number among them", { entitlements: ["urn:example:admin", 1] }, { administrator }],
  ])("%s is refused", async (_, claims, names) => {
    const realmId = await realmAt(upstream, names);
    upstream.signsIn(person(claims));
    const { visit, user } = await signIn(realmId);
    expect(expectProblem(visit, "upstream_bad_answer")).toBe(await startPath(api, realmId));
    expect(user).toBeUndefined();
    expect(await usersOf(api, realmId)).toEqual([]);
  });

  test("an identifier and a name with 255 characters, quotes or other scripts are accepted", async () => {
    const realmId = await realmAt(upstream);
    upstream.signsIn(person({ pairwise_id: "é".repeat(255), name: `Zoë "O'Neil" <b>張</b>` }));
    const { user, visit } = await signIn(realmId);
    expect(user).toMatchObject({ pairwiseId: "é".repeat(255), displayName: `Zoë "O'Neil" <b>張</b>` });
    expect(visit.text).not.toContain("<b>");
  });
});

test("refusals are counted by problem, and each exchange that returns claims is timed", async () => {
  const counted = async () => {
    const text = await registry.metrics();
    const refusals = [...text.matchAll(/upstream_refusals_total\{through="oidc",problem="(\w+)"\} (\d+)/g)];
    const of = (name: string): number =>
      Number(new RegExp(`upstream_answer_seconds_${name}\\{through="oidc"\\} (\\S+)`).exec(text)?.[1] ?? 0);
    return {
      refusals: new Map(refusals.map(([, problem = "", count]) => [problem, Number(count)])),
      answers: of("count"),
      seconds: of("sum"),
    };
  };
  const realmId = await realmAt(upstream);
  const changesWith = async () => {
    const was = await counted();
    const { user } = await signIn(realmId);
    const now = await counted();
    return {
      isIn: user !== undefined,
      refused: [...now.refusals].flatMap(([problem, count]) => {
        const more = count - (was.refusals.get(problem) ?? 0);
        return more === 0 ? [] : [[problem, more]];
      }),
      answers: now.answers - was.answers,
      took: now.seconds > was.seconds,
    };
  };

  const account = person();
  upstream.signsIn(account);
  expect(await changesWith()).toEqual({ isIn: true, refused: [], answers: 1, took: true });
  upstream.refuses();
  expect(await changesWith()).toEqual({ isIn: false, refused: [["upstream_refused", 1]], answers: 0, took: false });
  await api.database.owner.query(sql`update users set offboarded_at = now() where realm_id = ${realmId}`);
  upstream.signsIn(account);
  expect(await changesWith()).toEqual({ isIn: false, refused: [["offboarded", 1]], answers: 1, took: true });
  await setUpstream(api, realmId, { issuer: upstream.url, clientId: upstream.clientId, clientSecret: "wrong" });
  upstream.signsIn(account);
  expect(await changesWith()).toEqual({ isIn: false, refused: [["upstream_bad_answer", 1]], answers: 0, took: false });
});

describe("the redirects", () => {
  test("a user with a session at the provider is prompted again only if the sign-in requires it", async () => {
    const realmId = await realmAt(upstream);
    upstream.signsIn(person());
    const { browser, user } = await signIn(realmId);
    const before = upstream.asked;

    const second = await signIn(realmId, { browser });
    expect([upstream.asked - before, second.user?.id]).toEqual([0, user?.id]);

    const third = await signIn(realmId, { browser, path: { again: "true" } });
    expect([upstream.asked - before, third.user?.id]).toEqual([1, user?.id]);
  });

  test.each([
    ["https://evil.example/"],
    ["//evil.example/"],
    ["/oauth/authorize"],
    ["/login/end"],
    ["javascript:alert(1)"],
    ["/oauth/authorize?x\r\nSet-Cookie: a=b"],
  ])("%s is not a redirect target", async (where) => {
    const realmId = await realmAt(upstream);
    upstream.signsIn(person());
    expect((await signIn(realmId, { path: { continue: where } })).visit).toMatchObject({ url: `${api.url}/me` });
  });

  test("if the provider refuses, a page reports it, and starting again prompts for the account", async () => {
    const realmId = await realmAt(upstream);
    upstream.refuses();
    const { visit, user } = await signIn(realmId, { path: { continue: "/oauth/authorize?client_id=x" } });
    expect(expectProblem(visit, "upstream_refused")).toBe(
      await startPath(api, realmId, { continue: "/oauth/authorize?client_id=x", again: "true" }).then((path) =>
        path.replace(/\?(realm=[^&]*)&(continue=[^&]*)&/, "?$2&$1&"),
      ),
    );
    expect(user).toBeUndefined();
  });

  test("neither a start nor an unverified response is stored; a verified response is stored once", async () => {
    const realmId = await realmAt(upstream);
    const rows = () => api.database.owner.query(sql`select sealed from upstream_attempts where realm_id = ${realmId}`);
    const browser = browserOf(api, () => upstream.url);
    const start = `${api.url}${await startPath(api, realmId)}`;
    const { headers } = await browser.get(start, { follow: false });
    const state = new URL(headers.location ?? "").searchParams.get("state") ?? "";
    const forged = new URLSearchParams({ code: "made-up", state, iss: upstream.url });
    expectProblem(await browser.get(`${redirectUri()}?${forged.toString()}`), "upstream_bad_answer");
    upstream.refuses();
    expectProblem(await browser.get(await walkToCallback(browser, start)), "upstream_refused");
    expect(await rows()).toEqual([]);

    upstream.signsIn(person());
    expect(await browser.get(await walkToCallback(browser, start))).toMatchObject({ status: 200 });
    expect(await rows()).toEqual([{ sealed: null }]);
  });

  test("a response is accepted once", async () => {
    const realmId = await realmAt(upstream);
    upstream.signsIn(person());
    const browser = browserOf(api, () => upstream.url);
    const callback = await walkToCallback(browser, `${api.url}${await startPath(api, realmId)}`);
    const cookies = new Map(browser.cookies);
    expect(await browser.get(callback)).toMatchObject({ status: 200 });
    expect(await signedInUser(api, browser)).toBeDefined();

    expect(expectProblem(await browser.get(callback), "upstream_attempt_ended")).toBe("/login");
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    expectProblem(await browser.get(callback), "upstream_attempt_ended");
  });

  test("of several concurrent requests with the same response from the provider, only one signs the user in", async () => {
    const realmId = await realmAt(upstream);
    upstream.signsIn(person());
    const browser = browserOf(api, () => upstream.url);
    const callback = await walkToCallback(browser, `${api.url}${await startPath(api, realmId)}`);
    const visits = await Promise.all(Array.from({ length: 10 }, () => browser.get(callback, { follow: false })));
    expect(visits.map(({ status }) => status).sort()).toEqual([303, ...Array.from({ length: 9 }, () => 400)]);
  });

  test("a response without the cookie, or with another browser's, is refused", async () => {
    const realmId = await realmAt(upstream);
    upstream.signsIn(person());
    const [mine, theirs] = [browserOf(api, () => upstream.url), browserOf(api, () => upstream.url)];
    const callback = await walkToCallback(mine, `${api.url}${await startPath(api, realmId)}`);
    expect(expectProblem(await theirs.get(callback), "upstream_attempt_ended")).toBe("/login");

    const theirCallback = await walkToCallback(theirs, `${api.url}${await startPath(api, realmId)}`);
    expectProblem(await theirs.get(callback), "upstream_bad_answer");
    expect(await signedInUser(api, theirs)).toBeUndefined();

    expect(await theirs.get(theirCallback)).toMatchObject({ status: 200 });
    expect(await mine.get(callback)).toMatchObject({ status: 200 });
  });

  test("an attempt expires after ten minutes, and its page links to a new start", async () => {
    const realmId = await realmAt(upstream);
    upstream.signsIn(person());
    const browser = browserOf(api, () => upstream.url);
    const callback = await walkToCallback(browser, `${api.url}${await startPath(api, realmId)}`);
    const cookie = `${new URL(api.url).host} realmpass-upstream`;
    const key = masterKeys(api.masterKey);
    const sealed = Buffer.from(browser.cookies.get(cookie) ?? "", "base64url");
    const attempt = JSON.parse(openUnderMasterKey(key, sealed, "cookie upstream").toString()) as { expiresAt: number };
    const seconds = (attempt.expiresAt - fromNow(0).getTime()) / 1_000;
    expect(seconds).toBeGreaterThan(480);
    expect(seconds).toBeLessThanOrEqual(600);
    const ended = Buffer.from(JSON.stringify({ ...attempt, expiresAt: fromNow(0).getTime() }));
    browser.cookies.set(cookie, sealUnderMasterKey(key, ended, "cookie upstream").toString("base64url"));
    expect(expectProblem(await browser.get(callback), "upstream_attempt_ended")).toBe(await startPath(api, realmId));
  });

  test.each([
    ["without one of its parts", (attempt: object) => JSON.stringify({ ...attempt, codeVerifier: undefined })],
    ["in another encoding", () => "another encoding"],
  ])("an attempt that another release wrote %s has expired", async (_, written) => {
    const realmId = await realmAt(upstream);
    upstream.signsIn(person());
    const browser = browserOf(api, () => upstream.url);
    const callback = await walkToCallback(browser, `${api.url}${await startPath(api, realmId)}`);
    const cookie = `${new URL(api.url).host} realmpass-upstream`;
    const key = masterKeys(api.masterKey);
    const sealed = Buffer.from(browser.cookies.get(cookie) ?? "", "base64url");
    const attempt = JSON.parse(openUnderMasterKey(key, sealed, "cookie upstream").toString()) as object;
    const other = sealUnderMasterKey(key, Buffer.from(written(attempt)), "cookie upstream");
    browser.cookies.set(cookie, other.toString("base64url"));
    expect(expectProblem(await browser.get(callback), "upstream_attempt_ended")).toBe("/login");
  });

  test("an attempt at one provider is not valid after the realm changes to another provider", async () => {
    const realmId = await realmAt(upstream);
    upstream.signsIn(person());
    const browser = browserOf(api, () => upstream.url);
    const callback = await walkToCallback(browser, `${api.url}${await startPath(api, realmId)}`);
    await setUpstream(api, realmId, { issuer: open.url, clientId: open.clientId });
    expectProblem(await browser.get(callback), "upstream_attempt_ended");
  });

  test.each([
    ["NUL", "state=%00", 400],
    ["5 kB", `state=${"x".repeat(5000)}`, 502],
    ["a lone percent sign", "state=%", 400],
    ["bytes that are no UTF-8", "state=%ff%fe", 400],
    ["a line end", "state=a%0D%0ASet-Cookie:%20a=b", 502],
    ["nothing", "", 502],
    ["an empty state", "state=", 502],
    ["markup", "state=%3Cscript%3E", 502],
    ["__proto__", "__proto__=a&state=b", 502],
  ])("%s instead of the state shows a calm page, and the attempt stays usable", async (_, query, status) => {
    const realmId = await realmAt(upstream);
    upstream.signsIn(person());
    const browser = browserOf(api, () => upstream.url);
    const callback = await walkToCallback(browser, `${api.url}${await startPath(api, realmId)}`);
    const visit = await browser.get(`${redirectUri()}?code=x&${query}`);
    expect(visit.status).toBe(status);
    expect(visit.headers["set-cookie"]).toBeUndefined();
    expect(visit.text).not.toContain("<script>");
    expect(await browser.get(callback)).toMatchObject({ status: 200 });
  });

  test.each(["state", "code", "iss"])("a repeated %s is refused", async (name) => {
    const realmId = await realmAt(upstream);
    upstream.signsIn(person());
    const browser = browserOf(api, () => upstream.url);
    const callback = await walkToCallback(browser, `${api.url}${await startPath(api, realmId)}`);
    const value = new URL(callback).searchParams.get(name) ?? "";
    expectProblem(await browser.get(`${callback}&${name}=${encodeURIComponent(value)}`), "upstream_bad_answer");
    expect(await signedInUser(api, browser)).toBeUndefined();
  });

  test("a code from another sign-in is refused by its PKCE verifier", async () => {
    const realmId = await realmAt(upstream);
    upstream.signsIn(person());
    const [victim, attacker] = [browserOf(api, () => upstream.url), browserOf(api, () => upstream.url)];
    const stolen = new URL(await walkToCallback(victim, `${api.url}${await startPath(api, realmId)}`));
    const own = new URL(await walkToCallback(attacker, `${api.url}${await startPath(api, realmId)}`));
    own.searchParams.set("code", stolen.searchParams.get("code") ?? "");
    expectProblem(await attacker.get(own.href), "upstream_bad_answer");
    expect(await signedInUser(api, attacker)).toBeUndefined();
  });

  test("a wrong client secret is reported as a bad answer of the provider", async () => {
    const realmId = await realmAt(upstream);
    await setUpstream(api, realmId, { issuer: upstream.url, clientId: upstream.clientId, clientSecret: "wrong" });
    upstream.signsIn(person());
    expectProblem((await signIn(realmId)).visit, "upstream_bad_answer");
  });

  test("the provider can rotate its keys at any time", async () => {
    const realmId = await realmAt(upstream);
    upstream.signsIn(person());
    await signIn(realmId);
    await upstream.rotateKeys();
    upstream.signsIn(person());
    const { user, visit } = await signIn(realmId);
    expect(visit.status).toBe(200);
    expect(user).toBeDefined();
  });

  test("only GET is accepted", async () => {
    const realmId = await realmAt(upstream);
    const browser = browserOf(api, () => upstream.url);
    for (const path of [await startPath(api, realmId), "/login/upstream/callback"]) {
      const visit = await browser.post(`${api.url}${path}`, {});
      expect(visit).toMatchObject({ status: 405, headers: { allow: "GET" } });
    }
    expect(await api.database.owner.query(sql`select 1 from upstream_attempts where realm_id = ${realmId}`)).toEqual(
      [],
    );
  });

  test("neither the database nor the log contains anything that could finish a sign-in", async () => {
    const realmId = await realmAt(upstream);
    upstream.signsIn(person());
    const browser = browserOf(api, () => upstream.url);
    const started = await browser.get(`${api.url}${await startPath(api, realmId)}`, { follow: false });
    const sent = new URL(started.headers.location ?? "").searchParams;
    const [cookie] = started.headers["set-cookie"] ?? [];
    expect(cookie).toMatch(/^realmpass-upstream=[\w-]{300,3900}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/);

    const callback = await walkToCallback(browser, started.headers.location ?? "");
    await browser.get(callback);
    await browser.get(callback);
    const rows = await api.database.owner.query(sql`select * from upstream_attempts where realm_id = ${realmId}`);
    const dump = JSON.stringify(rows, (_, value: unknown) =>
      Buffer.isBuffer(value) ? value.toString("latin1") : value,
    );
    expect(rows).toHaveLength(1);
    expect(logged).toContain("upstream.signed_in");
    const code = new URL(callback).searchParams.get("code") ?? "none";
    const token = /=([\w-]+);/.exec(cookie ?? "")?.[1] ?? "none";
    for (const secret of [sent.get("state"), sent.get("nonce"), token]) {
      expect(secret).toMatch(/.{43}/);
      expect(dump).not.toContain(secret);
      expect(logged).not.toContain(secret);
    }
    for (const secret of [code, upstream.clientSecret, "eyJ"]) expect(logged).not.toContain(secret);
  });
});
