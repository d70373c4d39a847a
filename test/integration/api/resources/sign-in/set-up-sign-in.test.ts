import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { signInChecks } from "../../../../../domain/people/sign-in-checks.ts";
import { useUpstreamProvider } from "../../../../support/counterparts/upstream-provider.ts";
import { useApi } from "../../../../support/service/api.ts";
import {
  auditOfRealm,
  browserOf,
  signedInUser,
  startPath,
} from "../../browser/upstream-login/upstream-login-support.ts";
import { begin, draftOf, givenAdministrator, path, rowsOf, runTest, store } from "./sign-in-support.ts";
import type { SignedInAdministrator } from "./sign-in-support.ts";

const api = useApi({ settings: { upstreamNetworks: "127.0.0.0/8" } });
/** An installation that allows only providers on the public Internet. */
const narrow = useApi();
const { as, given } = api;
const redirectUri = () => `${api.url}/login/upstream/callback`;
const claims = ["pairwise_id", "groups", "_claim_names", "_claim_sources"];
const upstream = useUpstreamProvider({ redirectUri, claims });
const other = useUpstreamProvider({ redirectUri, claims, claimsInIdToken: true, authentication: "none" });

const ada = { sub: "ada", email: "ada@example.org", name: "Ada", groups: ["staff", "wifi-admins"] };
const administrators = { administrator: [{ claim: "groups", value: "wifi-admins" }] };

let realmId: string;
let admin: SignedInAdministrator;
beforeEach(async () => {
  realmId = await given.realm();
  admin = await givenAdministrator(api, realmId, upstream);
  upstream.signsIn(ada);
  other.signsIn(ada);
});

const signInOf = async () => (await admin.caller.get(path)).body.data as Record<string, unknown>;
const activate = (body = {}) => admin.caller.post(`${path}/activate`, body);

const sealedSecretIn = async () =>
  (
    await api.database.owner.query<{ secret: Buffer | null; kind: string | null; by: string | null }>(sql`
      select upstream_client_secret as secret, upstream_kind as kind, upstream_set_by as by
        from realms where id = ${realmId}
    `)
  )[0];

describe.each([
  { name: "a confidential client whose claims are at userinfo", provider: upstream, isConfidential: true },
  { name: "a public client whose claims are in the id token", provider: other, isConfidential: false },
])("a sign-in that is set up from the console, with $name", ({ provider, isConfidential }) => {
  test("is drafted, tested and activated, after which only the operator can change it", async () => {
    admin = await givenAdministrator(api, realmId, provider);
    expect(await signInOf()).toMatchObject({
      kind: null,
      changeable: true,
      callbackURI: redirectUri(),
      provider: null,
      draft: null,
    });
    const mapping = { mayUse: [{ claim: "groups", value: "staff" }], roles: administrators };
    const draft = draftOf(provider, { mapping, ...(!isConfidential && { clientSecret: null }) });
    const { version } = await store(admin.caller, draft);
    expect((await signInOf())["draft"]).toMatchObject({
      version,
      provider: { issuer: provider.url },
      clientSecretSet: isConfidential,
      mapping,
      found: { authorizationEndpoint: expect.stringContaining(provider.url) as string },
      tested: false,
    });
    expect(await activate()).toBeError("sign_in_draft_untested");

    const before = await rowsOf(api, realmId);
    const { state, report, visit } = await runTest(admin);
    expect(new URL(visit.url).pathname + new URL(visit.url).search).toMatch(/^\/console\/settings\/sign-in\?test=/);
    expect({ state, check: report.check }).toEqual({ state: "passed", check: null });
    expect(report.person).toEqual({
      pairwiseID: "ada",
      email: ada.email,
      displayName: ada.name,
      isOwn: false,
      permittedBy: "groups=staff",
      roles: ["administrator"],
      withheldRoles: [],
    });
    expect(report.claims).toContainEqual({ name: "groups", values: ada.groups });
    expect(await rowsOf(api, realmId)).toEqual(before);
    expect(await signedInUser(api, admin.browser)).toMatchObject({ id: admin.user.id });

    expect(await activate({ version: randomUUID() })).toBeError("sign_in_draft_untested");
    expect(await activate({ version })).toMatchObject({ status: 200 });
    expect(await signInOf()).toMatchObject({
      kind: "oidc",
      changeable: false,
      provider: { issuer: provider.url },
      clientSecretSet: isConfidential,
      mapping,
      lastSignInAt: null,
      draft: null,
      operatorCommand: expect.stringContaining(
        `--upstream-issuer ${provider.url} --upstream-client-id realmpass --upstream-client-secret-stdin --may-use groups=staff --claim-role administrator=groups=wifi-admins`,
      ) as string,
    });
    expect(await sealedSecretIn()).toMatchObject({ kind: "oidc", by: "console" });
    const entries = (await auditOfRealm(api, realmId)).filter(({ event }) => event === "realm_update");
    expect(entries).toMatchObject([
      {
        userId: admin.user.id,
        properties: {
          before: { upstreamIssuer: null, mayUse: [] },
          after: { upstreamIssuer: provider.url, upstreamClientID: "realmpass", mayUse: ["groups=staff"] },
        },
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain(provider.clientSecret);

    const person = browserOf(api, () => provider.url);
    await person.get(`${api.url}${await startPath(api, realmId)}`);
    expect(await signedInUser(api, person)).toMatchObject({ pairwiseId: "ada", method: "upstream" });
    expect((await signInOf())["lastSignInAt"]).toMatch(/Z$/);

    expect(await admin.caller.put(`${path}/draft`, draft)).toBeError("operator_required");
    expect((await runTest(admin, "current")).report.person).toMatchObject({ pairwiseID: "ada" });
  });
});

describe("a draft", () => {
  test.each<[string, (issuer: string) => string, keyof typeof signInChecks]>([
    ["no document", (issuer) => `${issuer}/elsewhere`, "document"],
    ["another issuer's document", (issuer) => issuer.replace("127.0.0.1", "localhost"), "issuer"],
    ["nobody", () => "https://127.0.0.1:1", "unreachable"],
  ])("is refused for an address with %s, and nothing is stored", async (_, addressOf, check) => {
    const answer = await admin.caller.put(`${path}/draft`, draftOf(upstream, { issuer: addressOf(upstream.url) }));
    expect(answer).toBeError("invalid_request");
    expect(answer.body.fields).toEqual([{ path: "issuer", reason: signInChecks[check] }]);
    expect((await signInOf())["draft"]).toBeNull();
  });

  test("can only name a provider on the public Internet or in a network that the operator allows", async () => {
    const elsewhere = narrow.as.admin();
    for (const issuer of [upstream.url, upstream.url.replace("127.0.0.1", "localhost")]) {
      const answer = await elsewhere.put(`${path}/draft`, draftOf(upstream, { issuer }));
      expect(answer.body.fields).toEqual([{ path: "issuer", reason: signInChecks.address }]);
    }
    // Control: the same provider is accepted if its network is allowed.
    await store(admin.caller, draftOf(upstream));
  });

  test("for a provider that is open to the public needs a rule about who may use the realm", async () => {
    const issuer = "https://accounts.google.com";
    const answer = await admin.caller.put(`${path}/draft`, draftOf(upstream, { issuer }));
    expect(answer).toBeError("invalid_request");
    expect(answer.body.fields).toEqual([{ path: "mapping.mayUse", reason: signInChecks.open }]);
  });

  test("keeps its secret while issuer and client id are unchanged, and does not pass it to another provider or client", async () => {
    const { clientSecret: _, ...withoutSecret } = draftOf(upstream);
    const isSet = async (draft: object) =>
      (await store(admin.caller, draft)) as unknown as { clientSecretSet: boolean };
    expect(await isSet(withoutSecret)).toMatchObject({ clientSecretSet: false });
    expect(await isSet(draftOf(upstream))).toMatchObject({ clientSecretSet: true });
    expect(await isSet({ ...withoutSecret, mapping: { email: "mail" } })).toMatchObject({ clientSecretSet: true });
    expect(await isSet({ ...withoutSecret, issuer: other.url })).toMatchObject({ clientSecretSet: false });
    expect(await isSet(draftOf(upstream))).toMatchObject({ clientSecretSet: true });
    expect(await isSet({ ...withoutSecret, clientID: "another" })).toMatchObject({ clientSecretSet: false });
  });

  test("can be discarded, and expires a day after its last change", async () => {
    await store(admin.caller, draftOf(upstream));
    expect(await admin.caller.delete(`${path}/draft`)).toMatchObject({ status: 200 });
    expect((await signInOf())["draft"]).toBeNull();
    await store(admin.caller, draftOf(upstream));
    await runTest(admin);
    const [left] = await api.database.owner.query(sql`
      select expires_at between now() + interval '23 hours' and now() + interval '24 hours' as "isADay"
        from sign_in_drafts where realm_id = ${realmId}
    `);
    expect(left).toEqual({ isADay: true });
    await api.database.owner.query(sql`update sign_in_drafts set expires_at = now() where realm_id = ${realmId}`);
    expect((await signInOf())["draft"]).toBeNull();
    expect(await activate()).toBeError("sign_in_draft_not_found");
  });
});

describe("a test sign-in", () => {
  test("asks the user to sign in, even if the browser is already signed in at the provider", async () => {
    await store(admin.caller, draftOf(upstream));
    await runTest(admin);
    const { asked } = upstream;
    await runTest(admin);
    expect(upstream.asked).toBe(asked + 1);
  });

  test.each<[string, object, string, RegExp]>([
    ["a wrong client secret", { clientSecret: "wrong" }, "client", /WWW-Authenticate/],
    ["no client secret", { clientSecret: null }, "client", /invalid_client|401/],
    [
      "a claim for the pairwise id that does not come",
      { mapping: { pairwiseID: "eppn" } },
      "identifier",
      /the claims are .*email/,
    ],
    ["a name that is a list", { mapping: { displayName: "groups" } }, "claims", /groups/],
    [
      "a rule that admits others",
      { mapping: { mayUse: [{ claim: "groups", value: "students" }] } },
      "permission",
      /^$/,
    ],
  ])(
    "fails with the reason for %s; nothing changes, and the draft cannot be used",
    async (_, changes, check, reason) => {
      await store(admin.caller, draftOf(upstream, changes));
      const before = await rowsOf(api, realmId);
      const { state, report } = await runTest(admin);
      expect({ state, check: report.check }).toEqual({ state: "failed", check });
      expect(report.reason ?? "").toMatch(reason);
      expect(await activate()).toBeError("sign_in_draft_untested");
      expect(await rowsOf(api, realmId)).toEqual(before);
      expect(await signInOf()).toMatchObject({ kind: null });

      // Control: with the right settings the same account passes.
      await store(admin.caller, draftOf(upstream));
      expect(await runTest(admin)).toMatchObject({ state: "passed" });
    },
  );

  test("fails if the user refuses the sign-in at the provider", async () => {
    await store(admin.caller, draftOf(upstream));
    upstream.refuses();
    expect((await runTest(admin)).report).toMatchObject({ check: "refused" });
  });

  test("counts only for the version that it tested; a changed draft needs a new test", async () => {
    await store(admin.caller, draftOf(upstream));
    await runTest(admin);
    await store(admin.caller, draftOf(upstream, { mapping: { roles: administrators } }));
    expect(await activate()).toBeError("sign_in_draft_untested");
  });

  test("fails if the draft changes while the test runs", async () => {
    await store(admin.caller, draftOf(upstream));
    const { testID, address } = await begin(admin.caller);
    await store(admin.caller, draftOf(upstream, { mapping: { email: "mail" } }));
    await admin.browser.get(address);
    expect((await admin.caller.get(`${path}/tests/${testID}`)).body.data).toMatchObject({
      state: "failed",
      report: { check: "draft" },
    });
  });

  test("belongs to the user who started it: no other browser can run it, and nobody else can read its report", async () => {
    await store(admin.caller, draftOf(upstream));
    const colleague = await givenAdministrator(api, realmId, upstream);
    const stranger = browserOf(api, () => upstream.url);
    const { testID, address } = await begin(admin.caller);
    for (const browser of [colleague.browser, stranger])
      expect(await browser.get(address)).toMatchObject({ status: 404 });
    expect(await colleague.caller.get(`${path}/tests/${testID}`)).toBeError("sign_in_test_not_found");
    expect((await admin.caller.get(`${path}/tests/${testID}`)).body.data).toMatchObject({ state: "waiting" });

    await admin.browser.get(address);
    expect((await admin.caller.get(`${path}/tests/${testID}`)).body.data).toMatchObject({ state: "passed" });
    expect(await colleague.caller.get(`${path}/tests/${testID}`)).toBeError("sign_in_test_not_found");
    expect(await admin.browser.get(address)).toMatchObject({ status: 404 });
  });

  test("ends when the same user starts another test before it has passed, or when it expires", async () => {
    await store(admin.caller, draftOf(upstream));
    const stateOf = async (id: string) => (await admin.caller.get(`${path}/tests/${id}`)).status;
    const first = await begin(admin.caller);
    const second = await begin(admin.caller);
    expect([await stateOf(first.testID), await stateOf(second.testID)]).toEqual([404, 200]);
    await admin.browser.get(second.address);
    await begin(admin.caller);
    expect(await stateOf(second.testID)).toBe(200);
    await api.database.owner.query(sql`update sign_in_tests set expires_at = now() where id = ${second.testID}`);
    expect(await stateOf(second.testID)).toBe(404);
    expect(await activate()).toBeError("sign_in_draft_untested");
  });

  test("stores its report sealed: no group or address is readable in the database", async () => {
    await store(admin.caller, draftOf(upstream));
    const { report } = await runTest(admin);
    const rows = await api.database.owner.query<{ row: string }>(sql`
      select encode(sealed_report, 'escape') || t::text as row from sign_in_tests t where realm_id = ${realmId}
    `);
    expect(rows).toHaveLength(1);
    // These texts are too long to occur in random octets by chance.
    for (const text of [ada.email, "wifi-admins"]) {
      expect(rows[0]!.row).not.toContain(text);
      // Control: the report contains the text.
      expect(JSON.stringify(report)).toContain(text);
    }
  });

  test("of the active sign-in is refused if no sign-in is active", async () => {
    expect(await admin.caller.post(`${path}/tests`, { of: "current" })).toBeError("sign_in_draft_not_found");
    expect(await admin.caller.post(`${path}/tests`, { of: "draft" })).toBeError("sign_in_draft_not_found");
  });
});

describe("who may set up the sign-in", () => {
  test("once the set-up is finished, only the operator", async () => {
    await store(admin.caller, draftOf(upstream));
    await runTest(admin);
    await admin.caller.post("/api/setup/finish", {});
    const refused = await admin.caller.put(`${path}/draft`, draftOf(upstream));
    expect(refused).toBeError("operator_required");
    expect(refused.body.fields).toEqual([
      { path: "signIn", reason: expect.stringContaining("realm set --realm") as string },
    ]);
    expect(await activate()).toBeError("operator_required");
    expect(await signInOf()).toMatchObject({ kind: null, changeable: false });
  });

  test("only a caller with both scopes, since rules about roles create administrators", async () => {
    const auditor = as.user(await given.user({ realmId, roles: ["auditor"] }));
    expect(await auditor.get(path)).toMatchObject({ status: 200 });
    for (const caller of [
      auditor,
      as.service({ realmId, scopes: ["realm.read", "realm.modify"] }),
      as.admin({ realmId, scopes: ["realm.read", "role.modify"] }),
    ]) {
      expect(await caller.put(`${path}/draft`, draftOf(upstream))).toBeError("insufficient_scope");
      expect(await caller.post(`${path}/tests`, { of: "draft" })).toBeError("insufficient_scope");
      expect(await caller.post(`${path}/activate`, {})).toBeError("insufficient_scope");
    }
  });

  test("administrators of one realm have no access to another realm's draft or test", async () => {
    await store(admin.caller, draftOf(upstream));
    const { testID } = await runTest(admin).then(() => begin(admin.caller));
    const stranger = await givenAdministrator(api, await given.realm(), upstream);
    expect((await stranger.caller.get(path)).body.data).toMatchObject({ draft: null });
    expect(await stranger.caller.get(`${path}/tests/${testID}`)).toBeError("sign_in_test_not_found");
    expect(await stranger.caller.post(`${path}/activate`, {})).toBeError("sign_in_draft_not_found");
    expect(await stranger.caller.delete(`${path}/draft`)).toMatchObject({ status: 200 });
    expect((await signInOf())["draft"]).toMatchObject({ tested: true });
  });
});
