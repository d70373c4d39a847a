import { decodeJwt } from "jose";
import { describe, expect, test } from "vitest";
import { sql } from "../../../../db/sql.ts";
import type { Role } from "../../../../domain/people/roles.ts";
import type { Scope } from "../../../../domain/people/scopes.ts";
import { useApi, type ApiAnswer } from "../../../support/service/api.ts";
import { answerOf, authorizationOn, redirectUri } from "../../../support/given/authorization.ts";
import type { GivenUser } from "../../../support/given/given.ts";

const api = useApi();
const { as, given } = api;
const { signIn, refresh, redeem, browser, authorizeUrl, allow } = authorizationOn(api);

const asked: Scope[] = ["openid", "offline_access", "profile.read", "user.read", "user.modify"];
const client = (firstParty = false) =>
  given.application({ realmId: api.realmId, type: "useragent", scopes: asked, firstParty });
const setRoles = ({ id }: GivenUser, roles: readonly Role[]) =>
  api.database.owner.query(sql`update users set roles = ${roles} where id = ${id}`);
const scopesOf = ({ body }: ApiAnswer): string[] => String(decodeJwt(body.access_token)["scope"]).split(" ");
const consentsOf = async (user: GivenUser): Promise<Scope[][]> => {
  const { body } = await as.user(user).get("/api/consents");
  return (body.data as { scopes: Scope[] }[]).map(({ scopes }) => [...scopes].sort());
};

/** Returns whether an authorization request asks the person for consent, in a browser in which they are signed in. */
const isAsked = async (user: GivenUser, clientId: string): Promise<boolean> => {
  const who = await browser(user);
  const silently = answerOf(await who.get(authorizeUrl({ clientId }, { prompt: "none" })));
  const { status } = await who.get(authorizeUrl({ clientId }));
  expect(silently["error"] ?? "code").toBe(status === 200 ? "consent_required" : "code");
  return status === 200;
};

test("the shown scopes are recorded, and a later role adds nothing to refreshed tokens before the user is asked", async () => {
  const user = await given.user({ realmId: api.realmId });
  const application = await client();
  const signedIn = await signIn(user, application);
  const own = ["openid", "offline_access", "profile.read"];
  expect(scopesOf(signedIn)).toEqual(own);
  expect(await consentsOf(user)).toEqual([[...own].sort()]);
  expect(await isAsked(user, application.clientId)).toBe(false);

  await setRoles(user, ["administrator"]);
  expect(scopesOf(await refresh(application, signedIn.body.refresh_token))).toEqual(own);
  expect(await isAsked(user, application.clientId)).toBe(true);
  const page = await (await browser(user)).get(authorizeUrl(application));
  expect(page.text.match(/class="badge"/g)).toHaveLength(2);

  expect(scopesOf(await signIn(user, application))).toEqual(asked);
  expect(await isAsked(user, application.clientId)).toBe(false);
});

test("a shown scope returns when a lost role comes back", async () => {
  const user = await given.user({ realmId: api.realmId, roles: ["auditor"] });
  const application = await client();
  const { body } = await signIn(user, application);
  const shown = ["openid", "offline_access", "profile.read", "user.read"];
  for (const [roles, expected] of [
    [[], shown.filter((scope) => scope !== "user.read")],
    [["auditor"], shown],
    [["administrator"], shown],
  ] as [Role[], string[]][]) {
    await setRoles(user, roles);
    expect(scopesOf(await refresh(application, body.refresh_token))).toEqual(expected);
  }
});

test("a role that is added between sign-in and code exchange adds nothing", async () => {
  const user = await given.user({ realmId: api.realmId });
  const application = await client();
  const who = await browser(user);
  const { code = "" } = answerOf(await allow(who, authorizeUrl(application)));
  await setRoles(user, ["administrator"]);
  expect(scopesOf(await redeem(application, code))).toEqual(["openid", "offline_access", "profile.read"]);
});

test("a first-party application needs no consent and gains what a role adds", async () => {
  const user = await given.user({ realmId: api.realmId });
  const application = await client(true);
  const { body } = await signIn(user, application);
  await setRoles(user, ["administrator"]);
  expect(scopesOf(await refresh(application, body.refresh_token))).toEqual(asked);
});

test.each([
  ["another name", { name: "another name" }, true],
  ["another home", { clientURI: "https://elsewhere.example" }, true],
  ["another redirect", { redirectURI: "https://elsewhere.example/back" }, true],
  ["one more redirect", { redirectURIs: [redirectUri, "https://elsewhere.example/back"] }, true],
  ["another rule for PKCE", { requirePKCE: false }, false],
])("an application with %s needs consent again: %j, %s", async (_, change, expected) => {
  const user = await given.user({ realmId: api.realmId });
  const application = await client();
  await signIn(user, application);
  expect((await as.admin().put(`/api/applications/${application.clientId}`, change)).status).toBe(200);

  const moved = { redirect_uri: "redirectURI" in change ? change.redirectURI : redirectUri };
  const who = await browser(user);
  const page = await who.get(authorizeUrl(application, moved));
  expect(page.status === 200).toBe(expected);
  if (!expected) return;
  expect(answerOf(await who.get(authorizeUrl(application, { ...moved, prompt: "none" })))["error"]).toBe(
    "consent_required",
  );
  await who.submit(page, { decision: "allow" });
  expect((await who.get(authorizeUrl(application, moved))).status).toBe(303);
});

describe("with several redirect URIs", () => {
  const [first, second, third] = ["first", "second", "third"].map((name) => `https://${name}.example/back`) as [
    string,
    string,
    string,
  ];
  const withUris = (redirectUris: readonly string[]) =>
    given.application({ realmId: api.realmId, type: "useragent", scopes: asked, redirectUris });
  const setUris = async (clientId: string, redirectURIs: readonly string[]) => {
    expect((await as.admin().put(`/api/applications/${clientId}`, { redirectURIs })).status).toBe(200);
  };
  /** Returns the status of an authorization request with this redirect URI: 200 if the user is asked, 303 if not. */
  const statusAt = async (user: GivenUser, { clientId }: { clientId: string }, redirect_uri: string) =>
    (await (await browser(user)).get(authorizeUrl({ clientId }, { redirect_uri }), { follow: false })).status;
  const agree = async (user: GivenUser, application: { clientId: string }, redirect_uri: string) => {
    const who = await browser(user);
    const page = await who.get(authorizeUrl(application, { redirect_uri }));
    return who.submit(page, { decision: "allow" });
  };

  test("the page names the host that this sign-in returns to, and the hosts that other sign-ins can return to", async () => {
    const user = await given.user({ realmId: api.realmId });
    const application = await withUris([first, second, "http://127.0.0.1/back"]);
    const page = async (redirect_uri: string) => {
      const { text } = await (await browser(user)).get(authorizeUrl(application, { redirect_uri }));
      return [...text.matchAll(/<p>(.*?)<\/p>/gs)].map(([, inside = ""]) => inside.replace(/<[^>]*>/g, ""));
    };
    expect(await page(second)).toEqual(
      expect.arrayContaining(["You return to second.example", "Other sign-ins may return to first.example, 127.0.0.1"]),
    );
    expect(await page("http://127.0.0.1:51004/back")).toEqual(
      expect.arrayContaining(["You return to 127.0.0.1", "Other sign-ins may return to first.example, second.example"]),
    );
    const one = await withUris([first]);
    const { text } = await (await browser(user)).get(authorizeUrl(one, { redirect_uri: first }));
    expect(text).toContain("You return to");
    expect(text).not.toContain("Other sign-ins");
  });

  test("a consent covers each URI that the page named; only an added URI needs consent, not a removal or another order", async () => {
    const user = await given.user({ realmId: api.realmId });
    const application = await withUris([first, second]);
    await agree(user, application, first);
    expect(await statusAt(user, application, first)).toBe(303);
    expect(await statusAt(user, application, second)).toBe(303);

    await setUris(application.clientId, [second, first]);
    expect(await statusAt(user, application, first)).toBe(303);
    await setUris(application.clientId, [second]);
    expect(await statusAt(user, application, second)).toBe(303);

    await setUris(application.clientId, [second, third]);
    for (const uri of [second, third]) expect(await statusAt(user, application, uri)).toBe(200);
    await agree(user, application, second);
    for (const uri of [second, third]) expect(await statusAt(user, application, uri)).toBe(303);
    await setUris(application.clientId, [first, second, third]);
    expect(await statusAt(user, application, second)).toBe(200);
  });

  test("a consent for an added redirect URI covers only its own scopes, not those of an earlier consent", async () => {
    const user = await given.user({ realmId: api.realmId });
    const application = await withUris([first]);
    await agree(user, application, first);
    await setUris(application.clientId, [first, second]);
    const who = await browser(user);
    const page = await who.get(authorizeUrl(application, { redirect_uri: second, scope: "openid" }));
    await who.submit(page, { decision: "allow" });
    expect(await consentsOf(user)).toEqual([["openid"]]);
    expect(
      (await who.get(authorizeUrl(application, { redirect_uri: second, scope: "openid" }), { follow: false })).status,
    ).toBe(303);
    expect((await who.get(authorizeUrl(application, { redirect_uri: second }), { follow: false })).status).toBe(200);
  });

  test("a redirect URI added while the page is open shows the page again", async () => {
    const user = await given.user({ realmId: api.realmId });
    const application = await withUris([first]);
    const who = await browser(user);
    const page = await who.get(authorizeUrl(application, { redirect_uri: first }));
    await setUris(application.clientId, [first, second]);
    const again = await who.submit(page, { decision: "allow" });
    expect({ status: again.status, asks: again.text.includes('name="decision"') }).toEqual({ status: 200, asks: true });
    expect(again.text).toContain("second.example");
    expect(await consentsOf(user)).toEqual([]);
    expect((await who.submit(again, { decision: "allow" })).status).toBe(303);
  });

  test("a consent of an earlier release is for one redirect URI: with a second one the user is asked, also after a refresh", async () => {
    const user = await given.user({ realmId: api.realmId });
    const application = await client();
    const { body } = await signIn(user, application);
    await api.database.owner.query(sql`
      update consents set shown_scopes = null, shown_name = null, shown_client_uri = null, shown_redirect_uri = null
       where user_id = ${user.id}
    `);
    expect(await isAsked(user, application.clientId)).toBe(false);
    await api.database.owner.query(sql`
      update consents set shown_scopes = null, shown_name = null, shown_client_uri = null, shown_redirect_uri = null
       where user_id = ${user.id}
    `);
    await setUris(application.clientId, [redirectUri, second]);
    expect(await isAsked(user, application.clientId)).toBe(true);
    await refresh(application, body.refresh_token);
    expect(await isAsked(user, application.clientId)).toBe(true);
  });

  test("a consent that the previous release records covers only the first redirect URI", async () => {
    const user = await given.user({ realmId: api.realmId });
    const application = await withUris([first, second]);
    await api.database.owner.query(sql`
      insert into consents (user_id, client_id, scopes, shown_scopes, shown_name, shown_client_uri, shown_redirect_uri, granted_at)
      select ${user.id}, client_id, scopes, scopes, name, client_uri, redirect_uri, now()
        from applications where client_id = ${application.clientId}
    `);
    expect(await statusAt(user, application, first)).toBe(200);
    await setUris(application.clientId, [first]);
    expect(await statusAt(user, application, first)).toBe(303);
  });
});

test("if an application changes while its page is open, the page is shown again with the change", async () => {
  const user = await given.user({ realmId: api.realmId });
  for (const change of [
    (clientId: string) => as.admin().put(`/api/applications/${clientId}`, { name: "Bank" }),
    () => setRoles(user, ["administrator"]),
  ]) {
    const application = await client();
    const who = await browser(user);
    const page = await who.get(authorizeUrl(application));
    await change(application.clientId);
    const again = await who.submit(page, { decision: "allow" });
    expect({ status: again.status, asks: again.text.includes('name="decision"') }).toEqual({ status: 200, asks: true });
    expect(await consentsOf(user)).not.toContainEqual(expect.arrayContaining(["user.modify"]));
    expect(answerOf(await allow(who, authorizeUrl(application)))["code"]).toEqual(expect.any(String));
  }
});

test("a consent of the previous release covers what the user could grant at its first use, without asking again", async () => {
  const old = async (user: GivenUser) => {
    const application = await client();
    const signedIn = await signIn(user, application);
    await api.database.owner.query(sql`
      update consents
         set scopes = ${asked}, shown_scopes = null, shown_name = null, shown_client_uri = null, shown_redirect_uri = null,
             shown_more_redirect_uris = '{}'
       where user_id = ${user.id}
    `);
    return { application, refreshToken: String(signedIn.body.refresh_token) };
  };
  const auditor = await given.user({ realmId: api.realmId, roles: ["auditor"] });
  const shown = ["openid", "offline_access", "profile.read", "user.read"];
  const one = await old(auditor);
  expect(scopesOf(await refresh(one.application, one.refreshToken))).toEqual(shown);
  await setRoles(auditor, ["administrator"]);
  expect(scopesOf(await refresh(one.application, one.refreshToken))).toEqual(shown);

  const user = await given.user({ realmId: api.realmId });
  const other = await old(user);
  expect(await isAsked(user, other.application.clientId)).toBe(false);
  await setRoles(user, ["administrator"]);
  expect(scopesOf(await refresh(other.application, other.refreshToken))).not.toContain("user.read");
  expect(await isAsked(user, other.application.clientId)).toBe(true);
});
