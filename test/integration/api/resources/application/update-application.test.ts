import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { allScopes } from "../../../../../domain/people/scopes.ts";
import { useApi, type Caller, type TestApi } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { service, statusWith, tokenWith, useragent } from "../../../../support/given/registration.ts";
import { expectEnded, expectGoingOn, redeem, stateOf } from "../../../../support/given/session-state.ts";

const api = useApi();
const { as, given } = api;
let both: Pick<TestApi, "url" | "as">[];

beforeAll(async () => {
  both = [api, await api.another()];
});

const register = async (registration: object) =>
  (await as.admin().post("/api/applications", registration)).body.data as {
    client_id: string;
    client_secret: string;
  };

test("only the given fields change, and one audit entry contains the old and the new values", async () => {
  const { client_id, ...before } = await register(useragent);
  const admin = as.admin();

  const { status, body } = await admin.put(`/api/applications/${client_id}`, {
    name: "Helper",
    REDIRECTURI: "https://client.example/elsewhere",
    requirePKCE: false,
  });

  expect(status).toBe(200);
  expect(body.data).toEqual({
    client_id,
    ...before,
    name: "Helper",
    redirectURI: "https://client.example/elsewhere",
    redirectURIs: ["https://client.example/elsewhere"],
    requirePKCE: false,
  });
  expect((await admin.get(`/api/applications/${client_id}`)).body).toEqual(body);
  expect(await auditOf(api.database, "clientID", client_id)).toMatchObject([
    { event: "client_create" },
    {
      event: "client_update",
      properties: {
        before: { name: "Wi-Fi helper", redirectURI: "https://client.example/back", requirePKCE: true },
        after: { name: "Helper", redirectURI: "https://client.example/elsewhere", requirePKCE: false },
      },
    },
  ]);
});

test("sending back an application as it was read changes nothing and writes nothing", async () => {
  const { client_id } = await register(service);
  const admin = as.admin();
  const { body } = await admin.get(`/api/applications/${client_id}`);

  expect((await admin.put(`/api/applications/${client_id}`, body.data)).body).toEqual(body);
  expect((await admin.put(`/api/applications/${client_id}`, {})).body).toEqual(body);
  expect(await auditOf(api.database, "clientID", client_id)).toHaveLength(1);
});

test.each<[object, object, string]>([
  [useragent, { type: "service" }, "type"],
  [useragent, { redirectURI: null }, "redirectURI"],
  [useragent, { redirectURI: "http://client.example/back" }, "redirectURI"],
  [useragent, { redirectURIs: [] }, "redirectURIs"],
  [useragent, { redirectURIs: ["https://client.example/back", "/back"] }, "redirectURIs.1"],
  [useragent, { redirectURI: "https://a.example/", redirectURIs: ["https://b.example/"] }, "redirectURI"],
  [useragent, { clientURI: "data:text/html,x" }, "clientURI"],
  [useragent, { name: null }, "name"],
  [useragent, { scopes: [] }, "scopes"],
  [service, { type: "useragent" }, "type"],
  [service, { redirectURI: "https://client.example/back" }, "redirectURI"],
  [service, { redirectURIs: ["https://client.example/back"] }, "redirectURIs"],
  [service, { useClientSecret: false }, "useClientSecret"],
  [service, { requirePKCE: true }, "requirePKCE"],
  [service, { scopes: ["openid"] }, "scopes"],
])("%j with %j is refused, and the response names the field", async (registration, change, path) => {
  const { client_id } = await register(registration);
  const answer = await as.admin().put(`/api/applications/${client_id}`, change);
  expect(answer).toBeError("invalid_request");
  expect(answer.body.fields[0].path).toBe(path);
});

describe("several redirect URIs", () => {
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => `https://client.example/${name}`) as [
    string,
    string,
    string,
    string,
  ];
  const { redirectURI: _, ...rest } = useragent;

  test.each<[string, object, string[]]>([
    ["redirectURI alone replaces the first, and the others stay", { redirectURI: d }, [d, b, c]],
    ["redirectURI alone brings a later one to the front", { redirectURI: c }, [c, b]],
    ["redirectURIs replaces them all", { redirectURIs: [d, a] }, [d, a]],
    ["another property leaves them", { name: "Helper" }, [a, b, c]],
    [
      "the list as read with another redirectURI replaces the first",
      { redirectURI: d, redirectURIs: [a, b, c] },
      [d, b, c],
    ],
    ["redirectURI as read with another list replaces them all", { redirectURI: a, redirectURIs: [b, c] }, [b, c]],
  ])("%s", async (_title, change, expected) => {
    const { client_id } = await register({ ...rest, redirectURIs: [a, b, c] });
    const { status, body } = await as.admin().put(`/api/applications/${client_id}`, change);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ redirectURI: expected[0], redirectURIs: expected });
    expect((await as.admin().get(`/api/applications/${client_id}`)).body).toEqual(body);
  });

  test("adding a URI requires every scope of the application; removing or reordering URIs does not", async () => {
    const { client_id } = await register({ ...rest, redirectURIs: [a, b] });
    const weak = as.admin({ scopes: ["application.modify", "application.read"] });
    const change = (redirectURIs: string[]) => weak.put(`/api/applications/${client_id}`, { redirectURIs });
    expect(await change([a, b, c])).toBeError("insufficient_scope");
    expect((await change([b, a])).status).toBe(200);
    expect((await change([a])).status).toBe(200);
    expect(await change([a, b])).toBeError("insufficient_scope");
  });

  test("a change by the previous release, which knows only the first URI, keeps the other URIs and duplicates none", async () => {
    const { client_id } = await register({ ...rest, redirectURIs: [a, b, c] });
    for (const [first, expected] of [
      [d, [d, b, c]],
      [b, [b, c]],
    ] as const) {
      await api.database.owner.query(
        sql`update applications set redirect_uri = ${first} where client_id = ${client_id}`,
      );
      const { body } = await as.admin().get(`/api/applications/${client_id}`);
      expect(body.data).toMatchObject({ redirectURI: first, redirectURIs: expected });
    }
    const { body } = await as.admin().put(`/api/applications/${client_id}`, { redirectURIs: [c, d] });
    expect(body.data).toMatchObject({ redirectURI: c, redirectURIs: [c, d] });
    expect(
      await api.database.owner.query(sql`select redirect_uri from applications where client_id = ${client_id}`),
    ).toEqual([{ redirect_uri: c }]);
  });
});

describe("when an application is switched off", () => {
  test("a useragent's tokens are refused immediately, and accepted again once the useragent is switched on", async () => {
    const user = await given.user({ realmId: api.realmId });
    const { clientId } = await given.application({ realmId: api.realmId, type: "useragent" });
    const session = await given.session({ user, clientId });
    const admin = as.admin();
    await expectGoingOn(both, session);

    await admin.put(`/api/applications/${clientId}`, { active: false });
    await expectEnded(both, session, { error: "invalid_client" });

    await admin.put(`/api/applications/${clientId}`, { active: true });
    await expectGoingOn(both, session);
    expect((await redeem(api, session)).status).toBe(200);
  });

  test("a service gets no token, and its tokens are refused", async () => {
    const registered = await register(service);
    const { access_token } = (await tokenWith(api, registered)).body;
    await as.admin().put(`/api/applications/${registered.client_id}`, { active: false });

    for (const one of both) {
      expect(await statusWith(one, access_token)).toBe(401);
      expect((await tokenWith(one, registered)).body.error).toBe("invalid_client");
    }
  });
});

describe("when an application's scopes change", () => {
  test("sessions with a removed scope end with all their tokens, others continue, and consents shrink", async () => {
    const user = await given.user({ realmId: api.realmId });
    const { clientId } = await given.application({ realmId: api.realmId, type: "useragent" });
    const [wide, narrow] = [
      await given.session({ user, clientId, scopes: ["openid", "offline_access", "profile.read", "profile.delete"] }),
      await given.session({ user, clientId, scopes: ["openid", "offline_access", "profile.read"] }),
    ];
    await given.consent(user, clientId, { scopes: ["openid", "profile.read", "profile.delete"] });

    const scopes = ["openid", "offline_access", "profile.read"];
    expect((await as.admin().put(`/api/applications/${clientId}`, { scopes })).body.data.scopes).toEqual(scopes);

    await expectEnded(both, wide);
    await expectGoingOn(both, narrow);
    const { body } = await as.token(narrow.accessToken).get("/api/consents");
    expect([...body.data[0].scopes].sort()).toEqual(["openid", "profile.read"]);
  });

  test("a consent without a remaining scope is deleted", async () => {
    const user = await given.user({ realmId: api.realmId });
    const { clientId } = await given.application({ realmId: api.realmId, type: "useragent" });
    await given.consent(user, clientId, { scopes: ["profile.delete"] });
    await as.admin().put(`/api/applications/${clientId}`, { scopes: ["openid"] });
    expect((await as.user(user).get("/api/consents")).body.data).toEqual([]);
  });

  test("a service's tokens with a removed scope end", async () => {
    const registered = await register(service);
    const { access_token } = (await tokenWith(api, registered)).body;
    await as.admin().put(`/api/applications/${registered.client_id}`, { scopes: ["user.read"] });

    for (const one of both) expect(await statusWith(one, access_token)).toBe(401);
    const { access_token: next } = (await tokenWith(api, registered)).body;
    for (const one of both) expect(await statusWith(one, next)).toBe(200);
  });

  test("a token that is issued concurrently is refused", async () => {
    for (let round = 0; round < 20; round++) {
      const registered = await register(service);
      const [, ...answers] = await Promise.all([
        as.service().put(`/api/applications/${registered.client_id}`, { scopes: ["profile.read"] }),
        ...[1, 2, 3].map(() => tokenWith(api, registered)),
      ]);
      for (const { status, body } of answers) {
        expect(status).toBe(200);
        expect(await statusWith(api, body.access_token)).not.toBe(200);
      }
    }
  });

  test("a session that was created concurrently ends", async () => {
    const { clientId } = await given.application({ realmId: api.realmId, type: "useragent", scopes: ["openid"] });
    const session = await given.session({
      user: await given.user({ realmId: api.realmId }),
      clientId,
      scopes: ["openid", "profile.read"],
    });
    await expectEnded(both, session);
  });

  test("adding a scope leaves existing tokens valid", async () => {
    const registered = await register(service);
    const { access_token } = (await tokenWith(api, registered)).body;
    await as.admin().put(`/api/applications/${registered.client_id}`, { scopes: [...service.scopes, "user.modify"] });
    for (const one of both) expect(await statusWith(one, access_token)).toBe(200);
  });
});

describe("when useClientSecret changes", () => {
  test("a useragent that now needs a secret is refused until it has one, and then continues", async () => {
    const user = await given.user({ realmId: api.realmId });
    const { client_id } = await register({ ...useragent, requirePKCE: false });
    const session = await given.session({ user, clientId: client_id, scopes: ["openid", "offline_access"] });
    const admin = as.admin();

    await admin.put(`/api/applications/${client_id}`, { useClientSecret: true });
    for (const one of both) {
      expect(await stateOf(one, session)).toEqual({ accessToken: "taken", refreshToken: "invalid_client" });
    }

    const { client_secret } = (await admin.post(`/api/applications/${client_id}/secret`)).body.data;
    for (const one of both) expect((await stateOf(one, session, { client_secret })).refreshToken).toBe("taken");
  });

  test("a useragent that no longer needs a secret loses it", async () => {
    const { client_id, client_secret } = await register({ ...useragent, useClientSecret: true });
    const admin = as.admin();
    await admin.put(`/api/applications/${client_id}`, { useClientSecret: false });
    await admin.put(`/api/applications/${client_id}`, { useClientSecret: true });

    const session = await given.session({
      user: await given.user({ realmId: api.realmId }),
      clientId: client_id,
    });
    expect((await stateOf(api, session, { client_secret })).refreshToken).toBe("invalid_client");
  });
});

describe("for a caller who does not hold all scopes of the application", () => {
  const held = ["application.modify", "openid", "offline_access", "profile.read"] as const;

  test.each<[object, "done" | "refused"]>([
    [{ name: "another name" }, "refused"],
    [{ name: "Wi-Fi helper" }, "done"],
    [{ active: false }, "done"],
    [{ scopes: ["openid"] }, "done"],
    [{ scopes: ["openid", "user.delete", "profile.read"] }, "done"],
    [{ scopes: ["openid", "user.delete", "user.read"] }, "refused"],
    [{ redirectURI: "https://attacker.example/back" }, "refused"],
    [{ clientURI: "https://attacker.example" }, "refused"],
    [{ requirePKCE: false }, "refused"],
    [{ useClientSecret: true }, "refused"],
    [{ active: true }, "done"],
  ])("%j is %s", async (change, expected) => {
    const { client_id } = await register({ ...useragent, scopes: ["openid", "user.delete"] });
    const answer = await as.admin({ scopes: held }).put(`/api/applications/${client_id}`, change);
    if (expected === "done") expect(answer.status).toBe(200);
    else expect(answer).toBeError("insufficient_scope");
  });

  test("switching the application on again is refused", async () => {
    const { client_id } = await register({ ...useragent, scopes: allScopes, active: false });
    const answer = await as.admin({ scopes: held }).put(`/api/applications/${client_id}`, { active: true });
    expect(answer).toBeError("insufficient_scope");
  });
});

describe("an application with role.modify", () => {
  const scopes = ["openid", "role.modify"];

  test.each([
    { redirectURI: "https://attacker.example/back" },
    { clientURI: "https://attacker.example" },
    { name: "Wi-Fi settings" },
    { requirePKCE: false },
    { useClientSecret: true },
  ])("cannot be changed to %j by a service, but can be by an administrator", async (change) => {
    const { client_id } = await register({ ...useragent, scopes });
    const answer = await as.service().put(`/api/applications/${client_id}`, change);
    expect(answer).toBeError("insufficient_scope");
    expect(answer.headers["www-authenticate"]).toContain('scope="role.modify"');
    expect((await as.admin().put(`/api/applications/${client_id}`, change)).status).toBe(200);
  });

  test("cannot be created by a change, switched on or given a secret by a service; an administrator can do all three", async () => {
    const admin = as.admin();
    const weaker = await register(useragent);
    const off = await register({ ...useragent, scopes, active: false });
    const withSecret = await register({ ...useragent, scopes, useClientSecret: true });
    const attempts = (caller: Caller) => [
      caller.put(`/api/applications/${weaker.client_id}`, { scopes: [...useragent.scopes, "role.modify"] }),
      caller.put(`/api/applications/${off.client_id}`, { active: true }),
      caller.post(`/api/applications/${withSecret.client_id}/secret`, {}),
    ];
    for (const answer of await Promise.all(attempts(as.service()))) expect(answer).toBeError("insufficient_scope");
    for (const { status } of await Promise.all(attempts(admin))) expect(status).toBe(200);
  });
});

describe("the name of a first-party application", () => {
  const names = [
    "Administration console",
    "  ADMINISTRATION  console",
    "Ａdministration console",
    "\u0410dministration console",
    "Administration console\u200b",
    "Admin1stration c0nsole",
    "Campus Portal",
    "C\u0430mpus P\u043ertal",
  ];
  beforeAll(() =>
    given.application({ realmId: api.realmId, type: "useragent", name: "Campus portal", firstParty: true }),
  );

  test.each(names)("%j is refused for new and for existing applications", async (name) => {
    const admin = as.admin();
    const { client_id } = await register(useragent);
    for (const answer of [
      await admin.post("/api/applications", { ...useragent, name }),
      await admin.put(`/api/applications/${client_id}`, { name }),
    ]) {
      expect(answer).toBeError("invalid_request");
      expect(answer.body.fields).toEqual([{ path: "name", reason: "is the name of a part of this service" }]);
    }
  });

  test("an invisible character in any application's name is refused with its position", async () => {
    const admin = as.admin();
    const { client_id } = await register(useragent);
    const name = "Map\u200bper";
    for (const answer of [
      await admin.post("/api/applications", { ...useragent, name }),
      await admin.put(`/api/applications/${client_id}`, { name }),
    ]) {
      expect(answer).toBeError("invalid_request");
      expect(answer.body.fields).toEqual([
        { path: "name", reason: "must not contain an invisible character, as at 4" },
      ]);
    }
    expect((await admin.put(`/api/applications/${client_id}`, { name: "\u00a0Mapper\u200b" })).status).toBe(200);
    expect((await admin.get(`/api/applications/${client_id}`)).body.data.name).toBe("Mapper");
  });

  test("can change its letter case, and may be in use in another realm", async () => {
    const own = await given.application({ realmId: api.realmId, type: "useragent", name: "Portal", firstParty: true });
    expect((await as.admin().put(`/api/applications/${own.clientId}`, { name: "PORTAL" })).status).toBe(200);
    const elsewhere = as.service({ realmId: await given.realm() });
    expect((await elsewhere.post("/api/applications", { ...service, name: "Campus portal" })).status).toBe(200);
  });
});

test("an application is changed only if `If-Match` names its current version", async () => {
  const { client_id } = await register(service);
  const admin = as.admin();
  const tag = (await admin.get(`/api/applications/${client_id}`)).headers.etag ?? "";
  const change = (name: string) =>
    admin.put(`/api/applications/${client_id}`, { name }, { headers: { "if-match": tag } });
  const answers = await Promise.all(["a", "b", "c"].map(change));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
  expect(await change("d")).toBeError("precondition_failed");
  expect(await auditOf(api.database, "clientID", client_id)).toHaveLength(2);
});
