import { createSecureContext } from "node:tls";
import { decodeJwt } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { endpoints } from "../../api/endpoints.ts";
import { sql } from "../../db/sql.ts";
import type { Access } from "../../api/contract/access.ts";
import { sendRequest, useApi, type ApiAnswer, type Caller } from "../support/service/api.ts";
import { answerOf, authorizationOn, drawPkce } from "../support/given/authorization.ts";
import { createBrowserSession } from "../support/browser/browser-session.ts";
import { fromNow, type GivenGuestAccount, type GivenUser } from "../support/given/given.ts";
import { givenIssuingRealm } from "../support/given/issuing.ts";
import { givenLocalAccount } from "../support/given/local-account.ts";
import { specification, type Section } from "./specification-rows.ts";

/** Tests every row of every table of the service specification, against the API with a real worker. */

const api = useApi();
const { as, given } = api;
const { allow, authorizeUrl, browser, logoutUrl, redeem, token } = authorizationOn(api);

let realmId: string;
let admin: Caller;
let service: Caller;
let someone: GivenUser;
let own: Caller;
let account: GivenGuestAccount;
let guest: Caller;

/** Responses of the API, as they were when the object was created or read. */
const made: Record<"profile" | "guestProfile" | "infrastructureProfile", Record<string, ApiAnswer["body"]>> = {
  profile: {},
  guestProfile: {},
  infrastructureProfile: {},
};

beforeAll(async () => {
  ({ realmId } = await givenIssuingRealm(api.database.owner, { maxProfiles: 100 }));
  await api.startWorker();
  admin = as.admin({ realmId });
  service = as.service({ realmId });
  someone = await given.user({ realmId });
  own = as.user(someone);
  account = await given.guestAccount({ realmId, name: "Sommerschule" });
  guest = as.guest(account);
  made.profile = dataOf(await own.post("/api/profile/laptop", { format: "pkcs12", deviceType: "Linux" }));
  made.guestProfile = dataOf(await guest.post("/api/guest-profile", { format: "pem", deviceType: "iOS" }));
  made.infrastructureProfile = dataOf(
    await admin.post("/api/infrastructure-profile/radius", { format: "crt", validityMonths: 12, description: null }),
  );
});

function dataOf(answer: ApiAnswer): ApiAnswer["body"] {
  expect(answer).toMatchObject({ status: 200, body: { result: "ok", code: 200 } });
  return answer.body.data;
}

/** The JSON form of each type in the specification. */
const types: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  timestamp: (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  integer: Number.isSafeInteger,
  boolean: (value) => typeof value === "boolean",
};

/** Expects exactly the fields of a table, each with the type in its row. */
function expectFields(section: Section, value: Record<string, unknown>): void {
  const rows: readonly (readonly string[])[] = specification[section];
  expect(Object.keys(value).sort()).toEqual(rows.map(([name]) => name).sort());
  for (const [name = "", notes = ""] of rows) {
    const [, type = "", orNull] = /^(string|timestamp|integer|boolean)( or null)?/.exec(notes) ?? [];
    const holds = (orNull !== undefined && value[name] === null) || types[type]?.(value[name]) === true;
    expect(holds, `${name} is ${JSON.stringify(value[name])}, not a ${notes}`).toBe(true);
  }
}

const fieldsOf = (section: Section): string[] => specification[section].map(([name]) => name);

/**
 * Expects the response to a creation: the fields of the profile, the additional fields, and one of the two output
 * shapes.
 */
function expectCreated(section: Section, created: Record<string, unknown>, further: string[], shape: "a" | "b"): void {
  const output = shape === "a" ? ["data"] : ["certificate", "privateKey"];
  expect(Object.keys(created).sort()).toEqual([...fieldsOf(section), ...further, ...output].sort());
  for (const name of [...further, ...output]) expect(typeof created[name], name).toBe("string");
  expectFields(section, Object.fromEntries(fieldsOf(section).map((name) => [name, created[name]])));
  expectOpens(created);
}

/** Expects the file to open with an empty password, or the key to match the certificate. */
function expectOpens({ data, certificate, privateKey }: Record<string, unknown>): void {
  if (typeof data === "string") {
    const pfx = Buffer.from(data, "base64");
    expect(pfx.toString("base64")).toBe(data);
    createSecureContext({ pfx, passphrase: "" });
  } else {
    createSecureContext({ cert: String(certificate), key: String(privateKey) });
  }
}

/** Makes one test for each row of a section. A row without a check fails, and a check without a row fails as well. */
function rows(section: Section, keyOf: (row: readonly string[]) => string, checks: Record<string, () => unknown>) {
  describe(`section ${section}`, () => {
    const keys = specification[section].map(keyOf);
    test.each(keys)("%s", async (key) => {
      const check = checks[key];
      if (check === undefined) throw new Error(`nothing checks "${key}" of section ${section}`);
      await check();
    });
    test("every row has a check, and every check has a row", () => {
      expect(Object.keys(checks).sort()).toEqual([...keys].sort());
    });
  });
}

const first = ([name = ""]: readonly string[]): string => name;

/**
 * Tests the rows that name the fields of one object. They are checked together, in every response that contains the
 * object.
 */
function fieldRows(section: Section, examples: () => Promise<Record<string, unknown>[]>) {
  describe(`section ${section}`, () => {
    let found: Record<string, unknown>[];
    beforeAll(async () => {
      found = await examples();
      expect(found.length).toBeGreaterThan(0);
    });
    test("has exactly the specified fields, with the specified types", () => {
      for (const example of found) expectFields(section, example);
    });
    const nullable = specification[section].filter((row) => (row as readonly string[])[1]?.includes("or null"));
    if (nullable.length > 0) {
      test.each(nullable.map(first))("%s is null in one response and set in another", (name) => {
        const values = found.map((example) => example[name]);
        expect(values.some((value) => value !== null)).toBe(true);
        expect(values).toContain(null);
      });
    }
  });
}

const registration = { type: "useragent", name: "Planner", clientURI: "https://client.example" };
const useragent = { ...registration, redirectURI: "https://client.example/back", scopes: ["openid", "profile.read"] };
const machine = { type: "service", name: "Robot", clientURI: "https://robot.example", scopes: ["profile.read"] };
const register = async (body: Record<string, unknown>): Promise<ApiAnswer["body"]> =>
  dataOf(await admin.post("/api/applications", body));
const invalid = async (answer: Promise<ApiAnswer>) => {
  expect(await answer).toBeError("invalid_request");
};

rows("2.1", first, {
  "application type": async () => {
    expect(await register(useragent)).toMatchObject({ type: "useragent" });
    expect(await register(machine)).toMatchObject({ type: "service" });
    await invalid(admin.post("/api/applications", { ...useragent, type: "native" }));
  },
  "activate client": async () => {
    const { client_id, client_secret, active } = await register(machine);
    const fields = { grant_type: "client_credentials", client_id, client_secret };
    expect({ active, on: (await token(fields)).status }).toEqual({ active: true, on: 200 });
    await admin.put(`/api/applications/${client_id}`, { active: false });
    expect(await token(fields)).toMatchObject({ status: 401, body: { error: "invalid_client" } });
  },
  name: async () => {
    const { client_id: clientId } = await register({ ...useragent, name: "Course planner" });
    const who = await browser(someone);
    const pkce = { code_challenge: drawPkce().challenge, code_challenge_method: "S256" };
    expect((await who.get(authorizeUrl({ clientId }, pkce))).text).toContain("Course planner");
    expect(await own.get("/api/applications")).toBeError("forbidden");
  },
  "client uri": async () => {
    expect(await register(useragent)).toMatchObject({ clientURI: registration.clientURI });
    await invalid(admin.post("/api/applications", { ...useragent, clientURI: "nowhere" }));
  },
  "redirect uri": async () => {
    expect(await register(useragent)).toMatchObject({ redirectURI: useragent.redirectURI });
    await invalid(admin.post("/api/applications", { ...registration, scopes: useragent.scopes }));
    await invalid(admin.post("/api/applications", { ...machine, redirectURI: useragent.redirectURI }));
  },
  scopes: async () => {
    expect(await register(machine)).toMatchObject({ scopes: machine.scopes });
    for (const scope of ["openid", "offline_access"])
      await invalid(admin.post("/api/applications", { ...machine, scopes: [scope] }));
  },
  "use client secret": async () => {
    expect(await register({ ...useragent, useClientSecret: true })).toHaveProperty("client_secret");
    expect(await register({ ...useragent, useClientSecret: false })).not.toHaveProperty("client_secret");
    expect(await register(machine)).toMatchObject({ useClientSecret: true });
    await invalid(admin.post("/api/applications", { ...machine, useClientSecret: false }));
  },
  client_id: async () => {
    const { client_id } = await register(machine);
    for (let visit = 0; visit < 2; visit++)
      expect(dataOf(await admin.get(`/api/applications/${client_id}`))).toMatchObject({ client_id });
  },
  client_secret: async () => {
    const { client_id, client_secret } = await register(machine);
    expect(client_secret).toEqual(expect.any(String));
    expect(dataOf(await admin.get(`/api/applications/${client_id}`))).not.toHaveProperty("client_secret");
    expect((await admin.get("/api/applications")).text).not.toContain(client_secret);
  },
});

const signIn = async () => {
  const application = await given.application({ realmId, type: "useragent" });
  const { verifier, challenge } = drawPkce();
  const url = authorizeUrl(application, {
    scope: "openid offline_access profile.read",
    state: "a state",
    code_challenge: challenge,
    code_challenge_method: "S256",
  });
  const visit = await allow(await browser(someone), url);
  const { code = "", state } = answerOf(visit);
  return { application, visit, code, state, tokens: await redeem(application, code, { code_verifier: verifier }) };
};
const expectTokens = ({ status, body }: ApiAnswer, names: string) => {
  expect(status).toBe(200);
  expect(Object.keys(body).sort()).toEqual(names.split(" ").sort());
  expect(body.token_type).toBe("Bearer");
  for (const value of Object.values(body)) expect(value).toEqual(expect.any(String));
};
const exchange = async () => {
  const { tokens, code } = await signIn();
  expectTokens(tokens, "access_token id_token refresh_token token_type code");
  expect(tokens.body.code).toBe(code);
};
const refresh = async () => {
  const { application, tokens } = await signIn();
  const { refresh_token } = tokens.body;
  const answer = await token({ grant_type: "refresh_token", client_id: application.clientId, refresh_token });
  expectTokens(answer, "access_token id_token token_type");
};
const clientCredentials = async () => {
  const { clientId: client_id, secret: client_secret } = await given.application({ realmId });
  const answer = await token({ grant_type: "client_credentials", client_id, client_secret });
  expectTokens(answer, "access_token token_type");
};

rows("2.2", first, {
  "authorization code exchange": exchange,
  refresh,
  "client credentials": clientCredentials,
});

fieldRows("2.3", async () => {
  const ended = await given.guestAccount({ realmId, revokedAt: fromNow(-1000) });
  const full = await given.guestAccount({ realmId, note: "a note", profileLimit: 3 });
  const read = await Promise.all(
    [account, ended, full].map(async ({ id }) => dataOf(await admin.get(`/api/guest-accounts/${id}`))),
  );
  expect(read).toMatchObject([
    { name: "Sommerschule", revoked: false, activeProfileCount: 1 },
    { revoked: true, activeProfileCount: 0 },
    { note: "a note", profileLimit: 3 },
  ]);
  return [...read, ...dataOf(await admin.get("/api/guest-accounts"))];
});

test("section 2.3: the guest account token is a single string", async () => {
  const { id } = dataOf(
    await admin.post("/api/guest-account", { name: "Lesekreis", expirationDate: fromNow(86_400_000) }),
  );
  const answer = await admin.get(`/api/guest-token/${id}`);
  expect(dataOf(answer)).toMatch(/^rpg_[\w-]{43}$/);
});

fieldRows("2.4", async () => {
  const serial = await given.profile(someone);
  await admin.delete(`/api/profiles/${serial}`, { reason: 1 });
  const revoked = dataOf(await admin.get(`/api/profiles/${serial}`));
  expect(revoked).toMatchObject({ revokeReason: 1, deviceType: "Linux", owner: someone.id });
  return [
    revoked,
    ...dataOf(await own.get("/api/profile")),
    ...dataOf(await admin.get("/api/profiles")),
    ...dataOf(await admin.get(`/api/user/${someone.id}/profiles`)),
  ];
});

test("section 2.4: the response to a creation also has identity, radiusCN and the output", () => {
  expectCreated("2.4", made.profile, ["identity", "radiusCN"], "a");
});

/** Records a check, as an OCSP responder does. */
const recordCheck = (serial: string): Promise<unknown> =>
  api.database.owner.query(sql`update certificates set last_ocsp_at = now() where serial_number = ${serial}`);

const guestProfiles = () => `/api/guest-accounts/${account.id}/profiles`;
fieldRows("2.5", async () => {
  const serial = await given.profile({ realmId }, { guestAccountId: account.id });
  await recordCheck(serial);
  expect(dataOf(await admin.delete(`/api/guest-profile/${serial}`))).toBe(true);
  const all = dataOf(await admin.get(guestProfiles()));
  expect(all).toContainEqual(expect.objectContaining({ serial, accountId: account.id, revokeReason: 0 }));
  return all;
});

test("section 2.5: the response to a creation also has identity, radiusCN and the output", () => {
  expectCreated("2.5", made.guestProfile, ["identity", "radiusCN"], "b");
});

fieldRows("2.6", async () => {
  const serial = await given.profile({ realmId }, { kind: "infrastructure", description: "in the cellar" });
  await recordCheck(serial);
  await admin.delete(`/api/infrastructure-profile/${serial}`);
  return dataOf(await admin.get("/api/infrastructure-profile"));
});

test("section 2.6: the response to a creation also has identity, radiusCN, radiusCA and the output", () => {
  expectCreated("2.6", made.infrastructureProfile, ["identity", "radiusCN", "radiusCA"], "b");
});

fieldRows("2.7", async () => {
  await given.user({ realmId, lockedAt: fromNow(-1000) });
  await given.user({ realmId, offboardedAt: fromNow(-1000) });
  const users = dataOf(await admin.get("/api/user"));
  expect(users).toContainEqual(expect.objectContaining({ locked: true, lockDate: expect.any(String) }));
  expect(users).toContainEqual(expect.objectContaining({ blacklisted: true, blacklistDate: expect.any(String) }));
  return [...users, dataOf(await own.get(`/api/user/${someone.id}`))];
});

fieldRows("2.8 realm", async () => [dataOf(await own.get("/api/realm"))]);
fieldRows("2.8 audit log entry", async () => {
  const entries = dataOf(await admin.get("/api/audit"));
  for (const { properties, realm } of entries) {
    expect(JSON.parse(properties)).toBeTypeOf("object");
    expect(String(realm)).toBe(realmId);
  }
  return entries;
});

const createWith = (body: Record<string, unknown>) => own.post("/api/profile/a%20device", body);

rows("2.8 format", first, {
  ...Object.fromEntries(
    specification["2.8 format"].map(([format]) => [
      format,
      async () => {
        const shape = format === "pkcs12" || format === "pfx" ? "a" : "b";
        for (const spelling of [format, format.toUpperCase(), `${format[0]?.toUpperCase()}${format.slice(1)}`]) {
          const created = dataOf(await createWith({ format: spelling, deviceType: "Linux" }));
          expectCreated("2.4", created, ["identity", "radiusCN"], shape);
        }
      },
    ]),
  ),
});

rows("2.8 deviceType", first, {
  ...Object.fromEntries(
    specification["2.8 deviceType"].map(([deviceType]) => [
      deviceType,
      async () => {
        const created = dataOf(await createWith({ format: "pkcs12", deviceType }));
        expect(created.deviceType).toBe(deviceType);
        if (deviceType !== deviceType.toLowerCase())
          await invalid(createWith({ format: "pkcs12", deviceType: deviceType.toLowerCase() }));
        await invalid(createWith({ format: "pkcs12", deviceType: deviceType.toUpperCase() }));
      },
    ]),
  ),
});

/** Returns whether a person can sign in to an application. */
async function canLogIn(user: GivenUser): Promise<boolean> {
  const visitor = createBrowserSession(() => [api.url]);
  const page = await visitor.get(`${api.url}/sign-in/${await given.signInLink(user)}`);
  if (page.status !== 200) return false;
  await visitor.submit(page, {}, { follow: false });
  const application = await given.application({ realmId, type: "useragent" });
  return answerOf(await allow(visitor, authorizeUrl(application)))["code"] !== undefined;
}
let people = 0;
const givenPerson = async () => {
  const person = await givenLocalAccount(api, { username: `person-${++people}`, realmId, password: false });
  const serial = await given.profile(person);
  return { person, serial, path: `/api/user/${person.id}`, who: as.user(person) };
};
const create = { format: "pem", deviceType: "Linux" };

rows("3", ([subject, trigger]) => `${subject}: ${trigger}`, {
  "user: DELETE /api/user/{userID}": async () => {
    const { person, serial, path, who } = await givenPerson();
    expect(await canLogIn(person)).toBe(true);
    expect(await who.delete(path)).toBeError("forbidden");
    expect(dataOf(await admin.delete(path))).toBe(true);
    expect(dataOf(await admin.get(path))).toMatchObject({ blacklisted: true, profileCount: 0 });
    expect(await canLogIn(person)).toBe(false);
    expect(dataOf(await admin.get(`/api/profiles/${serial}`)).revokeTime).not.toBeNull();
    expect(await who.get("/api/profile")).toBeError("unauthenticated");
  },
  "user (offboarded): PUT /api/user/{userID}/undelete": async () => {
    const { person, serial, path } = await givenPerson();
    await admin.delete(path);
    expect(await own.put(`${path}/undelete`)).toBeError("forbidden");
    expect(dataOf(await admin.put(`${path}/undelete`))).toBe(true);
    expect(dataOf(await admin.get(path))).toMatchObject({ blacklisted: false, blacklistDate: null, profileCount: 0 });
    expect(await canLogIn(person)).toBe(true);
    expect(dataOf(await admin.get(`/api/profiles/${serial}`)).revokeTime).not.toBeNull();
  },
  "user: PUT /api/user/{userID}/status with locked true": async () => {
    const { person, serial, path, who } = await givenPerson();
    expect(await who.put(`${path}/status`, { locked: true })).toBeError("forbidden");
    expect(dataOf(await admin.put(`${path}/status`, { locked: true }))).toBe(true);
    expect(dataOf(await admin.get(path))).toMatchObject({ locked: true, lockDate: expect.any(String) });
    expect(await who.post("/api/profile/phone", create)).toBeError("user_locked");
    expect(await canLogIn(person)).toBe(true);
    expect(dataOf(await who.get("/api/profile"))).toMatchObject([{ serial, revokeTime: null }]);
    expect(dataOf(await who.delete(`/api/profile/${serial}`))).toBe(true);
  },
  "user (locked): PUT /api/user/{userID}/status with locked false": async () => {
    const { path, who } = await givenPerson();
    await admin.put(`${path}/status`, { locked: true });
    expect(dataOf(await admin.put(`${path}/status`, { locked: false }))).toBe(true);
    expect(dataOf(await admin.get(path))).toMatchObject({ locked: false, lockDate: null });
    dataOf(await who.post("/api/profile/phone", create));
  },
  "guest profile: DELETE /api/guest-profile/{profileSerial}": async () => {
    const serial = await given.profile({ realmId }, { guestAccountId: account.id });
    expect(await own.delete(`/api/guest-profile/${serial}`)).toBeError("forbidden");
    expect(dataOf(await admin.delete(`/api/guest-profile/${serial}`))).toBe(true);
    const [found] = dataOf(await admin.get(`${guestProfiles()}?search=${serial}`));
    expect(found.revokeDate).not.toBeNull();
  },
  "any profile: creation endpoints": async () => {
    const created = await Promise.all([
      own.post("/api/profile/one", create),
      admin.post(`/api/user/${someone.id}/profiles/two`, create),
      guest.post("/api/guest-profile", create),
      admin.post("/api/infrastructure-profile/four", { format: "pem", validityMonths: 24 }),
    ]);
    const profiles = created.map(dataOf);
    for (const { revokeTime, revokeDate } of profiles) expect([revokeTime, revokeDate]).toContain(null);
    expect(new Set(profiles.map(({ serial }) => serial)).size).toBe(4);
  },
});

rows("4.1", ([method, path]) => `${method} ${path}`, {
  "GET /oauth/authorize": async () => {
    const { visit, code, state } = await signIn();
    expect(visit.status).toBe(303);
    expect(visit.headers.location).toMatch(/^https:\/\/client\.example\/back\?/);
    expect(code).not.toBe("");
    expect(state).toBe("a state");

    const application = await given.application({ realmId, type: "useragent" });
    const refused = await allow(await browser(someone), authorizeUrl(application, { response_type: "token" }));
    expect(answerOf(refused)).toMatchObject({
      error: "unsupported_response_type",
      error_description: expect.any(String),
    });
    expect(answerOf(refused)).not.toHaveProperty("state");
  },
  "POST /oauth/token": async () => {
    const { clientId: client_id, secret: client_secret } = await given.application({ realmId });
    const form = { grant_type: "client_credentials", client_id, client_secret };
    expect((await token(form)).headers["content-type"]).toMatch(/^application\/json/);
    expect(await sendRequest(`${api.url}/oauth/token`, "POST", { body: form })).toMatchObject({
      status: 400,
      body: { error: "invalid_request" },
    });
  },
  "GET /oauth/logout": async () => {
    const { application, tokens } = await signIn();
    const { id_token, access_token } = tokens.body;
    const logout_uri = "https://client.example/goodbye";
    const url = logoutUrl({ id_token, client_id: application.clientId, logout_uri });
    expect(await as.token(access_token).get("/api/profile")).toMatchObject({ status: 200 });
    expect(await sendRequest(url, "GET")).toMatchObject({ status: 303, headers: { location: logout_uri } });
    expect(await as.token(access_token).get("/api/profile")).toBeError("unauthenticated");
  },
});

rows("4.1 grants", first, {
  authorization_code: exchange,
  refresh_token: refresh,
  client_credentials: clientCredentials,
});

/** Checks a list over GET and POST; with `search`, also that a search finds only the right items. */
const list =
  (section: Section, path: () => string, search?: () => Promise<{ found: string; field: string }>) => async () => {
    const wrapped = { limit: 100, offset: 0, total: expect.any(Number), data: expect.any(Array) };
    for (const answer of [await admin.get(path(), { body: { limit: 100 } }), await admin.post(path(), {})]) {
      expect(answer).toMatchObject({ status: 200, body: wrapped });
      expect(answer.body.data.length).toBeGreaterThan(0);
      for (const item of answer.body.data) expectFields(section, item);
    }
    if (search === undefined) return;
    const { found, field } = await search();
    const inside = found.slice(1, -1);
    for (const answer of [
      await admin.get(`${path()}?search=${encodeURIComponent(inside)}`),
      await admin.post(path(), { search: inside }),
    ]) {
      const values = dataOf(answer).map((item: Record<string, string>) => item[field]);
      expect(values).toContain(found);
      for (const value of values) expect(value.toLowerCase()).toContain(inside.toLowerCase());
      expect(answer.body.total).toBe(values.length);
    }
    expect(dataOf(await admin.post(path(), { search: `${inside}≠` }))).toEqual([]);
  };
const serialOf = (kind: keyof typeof made) => () => Promise.resolve({ found: made[kind]["serial"], field: "serial" });
const userPath = () => `/api/user/${someone.id}`;

rows("4.2", ([methods, path]) => `${methods} ${path}`, {
  "GET, POST /api/guest-accounts": list(
    "2.3",
    () => "/api/guest-accounts",
    () => Promise.resolve({ found: "Sommerschule", field: "name" }),
  ),
  "GET /api/guest-accounts/{guestAccountId}": async () => {
    expectFields("2.3", dataOf(await admin.get(`/api/guest-accounts/${account.id}`)));
  },
  "GET {auth_url}/api/guest-token/{guestAccountId}": async () => {
    const { id } = dataOf(
      await admin.post("/api/guest-account", { name: "Besuch", expirationDate: fromNow(86_400_000) }),
    );
    const guest_token = dataOf(await admin.get(`/api/guest-token/${id}`));
    expect(dataOf(await service.get(`/api/guest-token/${id}`))).toBe(guest_token);
    const { body } = await token({ grant_type: "guest_token", guest_token });
    dataOf(await as.token(body.access_token).post("/api/guest-profile", create));
  },
  "GET, POST /api/guest-accounts/{guestAccountId}/profiles": list("2.5", guestProfiles, serialOf("guestProfile")),
  "DELETE /api/guest-profile/{profileSerial}": async () => {
    const serial = await given.profile({ realmId }, { guestAccountId: account.id });
    expect(dataOf(await admin.delete(`/api/guest-profile/${serial}`))).toBe(true);
  },
  "POST /api/guest-profile": async () => {
    expectCreated("2.5", dataOf(await guest.post("/api/guest-profile", create)), ["identity", "radiusCN"], "b");
    for (const who of [admin, service, own])
      expect(await who.post("/api/guest-profile", create)).toBeError("guest_account_required");
    await invalid(guest.post("/api/guest-profile", { format: "pem" }));
    await invalid(guest.post("/api/guest-profile", { deviceType: "Linux" }));
  },
  "GET /api/user/{userID}/profiles (first form)": async () => {
    const answer = await admin.get(`${userPath()}/profiles`);
    expect(Object.keys(answer.body).sort()).toEqual(["code", "data", "result"]);
    const profiles = dataOf(answer);
    expect(profiles.length).toBeGreaterThan(0);
    for (const profile of profiles) expectFields("2.4", profile);
  },
  "GET, POST /api/user/{userID}/profiles (version 2)": list("2.4", () => `${userPath()}/profiles`, serialOf("profile")),
  "POST /api/user/{userID}/profiles/{profileName}": async () => {
    const created = dataOf(await admin.post(`${userPath()}/profiles/tablet`, { ...create, allowAuth: true }));
    expectCreated("2.4", created, ["identity", "radiusCN"], "b");
    expect(created).toMatchObject({ name: "tablet", authable: true, owner: someone.id });
  },
  "GET, POST /api/profiles": async () => {
    await list("2.4", () => "/api/profiles", serialOf("profile"))();
    const serial = await given.profile(someone);
    const listed = async () => dataOf(await admin.post("/api/profiles", { search: serial })).length;
    expect(await listed()).toBe(1);
    await admin.delete(`/api/profiles/${serial}`);
    expect(await listed()).toBe(0);
  },
  "GET /api/profiles/{serial}": async () => {
    expectFields("2.4", dataOf(await admin.get(`/api/profiles/${made.profile["serial"]}`)));
  },
  "GET /api/profile": async () => {
    const serial = await given.profile(someone);
    await own.delete(`/api/profile/${serial}`);
    const profiles = dataOf(await own.get("/api/profile"));
    expect(profiles.length).toBeGreaterThan(0);
    for (const profile of profiles) {
      expectFields("2.4", profile);
      expect(profile).toMatchObject({ owner: someone.id, revokeTime: null });
      expect(profile.serial).not.toBe(serial);
    }
  },
  "GET /api/profile/{serial}": async () => {
    expectFields("2.4", dataOf(await own.get(`/api/profile/${made.profile["serial"]}`)));
    const somebodyElse = as.user(given.user({ realmId }));
    expect(await somebodyElse.get(`/api/profile/${made.profile["serial"]}`)).toBeError("profile_not_found");
  },
  "POST /api/profile/{name}": async () => {
    const created = dataOf(await own.post("/api/profile/Mias%20iPhone", { format: "pkcs12", deviceType: "iOS" }));
    expectCreated("2.4", created, ["identity", "radiusCN"], "a");
    expect(created).toMatchObject({ name: "Mias iPhone", authable: false, owner: someone.id });
  },
  "GET, POST /api/user": list(
    "2.7",
    () => "/api/user",
    async () => {
      const { pairwiseID } = dataOf(await admin.get(userPath()));
      return { found: pairwiseID, field: "pairwiseID" };
    },
  ),
  "GET /api/user/{userID}": async () => {
    for (const who of [admin, own]) expectFields("2.7", dataOf(await who.get(userPath())));
  },
  "DELETE /api/user/{userID}": async () => {
    expect(dataOf(await admin.delete((await givenPerson()).path))).toBe(true);
  },
  "PUT /api/user/{userID}/undelete": async () => {
    const { path } = await givenPerson();
    await admin.delete(path);
    expect(dataOf(await admin.put(`${path}/undelete`))).toBe(true);
  },
  "PUT /api/user/{userID}/status": async () => {
    const { path } = await givenPerson();
    for (const locked of [true, false]) {
      expect(dataOf(await admin.put(`${path}/status`, { locked }))).toBe(true);
      expect(dataOf(await admin.get(path)).locked).toBe(locked);
    }
    await invalid(admin.put(`${path}/status`, { locked: "true" }));
  },
  "GET /api/realm": async () => {
    for (const who of [admin, service, own, guest]) expectFields("2.8 realm", dataOf(await who.get("/api/realm")));
  },
  "PUT /api/realm": async () => {
    const change = { displayName: "Example", logoURI: "https://example.org/logo.svg", maxProfiles: 90, maxValid: 6 };
    expect(dataOf(await admin.put("/api/realm", change))).toBe(true);
    expect(dataOf(await admin.get("/api/realm"))).toMatchObject(change);
  },
  "POST /api/infrastructure-profile/{name}": async () => {
    const body = { format: "pfx", validityMonths: 13, description: "door" };
    const created = dataOf(await admin.post("/api/infrastructure-profile/ap-1", body));
    expectCreated("2.6", created, ["identity", "radiusCN", "radiusCA"], "a");
    expect(created).toMatchObject({ name: "ap-1", description: "door" });
  },
  "GET, POST /api/infrastructure-profile": async () => {
    await list("2.6", () => "/api/infrastructure-profile", serialOf("infrastructureProfile"))();
    const byName = dataOf(await admin.post("/api/infrastructure-profile", { search: "ADIU" }));
    expect(byName).toMatchObject([{ name: "radius" }]);
  },
  "GET, POST /api/audit": list("2.8 audit log entry", () => "/api/audit"),
});

describe("section 4.2: the API has an endpoint with each row's method, path and access", () => {
  const access: Record<string, readonly Access[]> = {
    yes: ["staff"],
    "only in a guest account context; any other account type gets an error": ["guest"],
    "not marked": ["user", "any"],
  };
  const shape = (path: string): string => path.replace(/:\w+|\{\w+\}/g, "{}");

  test.each(specification["4.2"])("%s %s", (methods, where, admins) => {
    const path = where.replace("{auth_url}", "").replace(/ \(.*\)$/, "");
    for (const method of methods.toLowerCase().split(", ")) {
      const found = endpoints.filter(
        (endpoint) => shape(endpoint.path) === shape(path) && endpoint.methods.some((offered) => offered === method),
      );
      expect(found).toHaveLength(1);
      expect(access[admins]).toContain(found[0]?.access);
      expect(found[0]?.host).toBe(where.startsWith("{auth_url}") ? "auth" : "api");
    }
  });

  const marked = specification["4.2"].filter(([, , admins]) => admins === "yes");
  test.each(marked)("%s %s: users and guests get the error forbidden", async (methods, where) => {
    const path = where.replace("{auth_url}", "").replace(/ \(.*\)$/, "");
    for (const method of methods.split(", "))
      for (const who of [own, guest])
        expect(await who.send(method, path.replace(/\{\w+\}/g, "1"), { body: {} })).toBeError("forbidden");
  });
});

rows("4.2 rules", first, {
  "When format is one of the listed values (any letter case), creation succeeds and returns the chosen output shape. The deviceType value is matched case sensitively.":
    async () => {
      for (const [format] of specification["2.8 format"]) {
        const body = { format: format.toUpperCase(), deviceType: "Linux" };
        const shape = format === "pkcs12" || format === "pfx" ? "a" : "b";
        expectCreated("2.5", dataOf(await guest.post("/api/guest-profile", body)), ["identity", "radiusCN"], shape);
        await invalid(guest.post("/api/guest-profile", { ...body, deviceType: "linux" }));
      }
      await invalid(guest.post("/api/guest-profile", { format: "der", deviceType: "Linux" }));
    },
  "The guest-profile creation in the table is only valid in a guest account context.": async () => {
    for (const who of [admin, service, own])
      expect(await who.post("/api/guest-profile", create)).toBeError("guest_account_required");
  },
  "Offboarding, reactivating and locking respond with true on success, otherwise with the default API error response.":
    async () => {
      const { path } = await givenPerson();
      expect(dataOf(await admin.put(`${path}/status`, { locked: true }))).toBe(true);
      expect(dataOf(await admin.delete(path))).toBe(true);
      expect(dataOf(await admin.put(`${path}/undelete`))).toBe(true);
      const nobody = "/api/user/999999999999";
      expect(await admin.delete(nobody)).toBeError("user_not_found");
      expect(await admin.put(`${nobody}/undelete`)).toBeError("user_not_found");
      expect(await admin.put(`${nobody}/status`, { locked: true })).toBeError("user_not_found");
    },
});

rows("8", first, {
  "access token validity": async () => {
    const { tokens } = await signIn();
    const { clientId: client_id, secret: client_secret } = await given.application({ realmId });
    const machines = await token({ grant_type: "client_credentials", client_id, client_secret });
    for (const { body } of [tokens, machines]) {
      const { iat = 0, exp = 0 } = decodeJwt(body.access_token);
      expect(exp - iat).toBe(30 * 60);
    }
    const outdated = await given.token({ realmId, userId: someone.id }, { expiresAt: fromNow(-1) });
    expect(await as.token(outdated).get("/api/realm")).toBeError("unauthenticated");
  },
  "realm maxProfiles": async () => {
    expect(dataOf(await admin.put("/api/realm", { maxProfiles: 100 }))).toBe(true);
    await invalid(admin.put("/api/realm", { maxProfiles: 101 }));
    expect(dataOf(await admin.get("/api/realm")).maxProfiles).toBe(100);
  },
  "realm maxValid": async () => {
    expect(dataOf(await admin.put("/api/realm", { maxValid: 24 }))).toBe(true);
    await invalid(admin.put("/api/realm", { maxValid: 25 }));
    expect(dataOf(await admin.get("/api/realm")).maxValid).toBe(24);
  },
  "infrastructure profile validityMonths": async () => {
    const issue = (validityMonths: unknown) =>
      admin.post("/api/infrastructure-profile/limits", { format: "pem", validityMonths });
    for (const months of [12, 60]) {
      const { creationDate, expirationDate } = dataOf(await issue(months));
      const days = (Date.parse(expirationDate) - Date.parse(creationDate)) / 86_400_000;
      expect(Math.round(days / 30.44)).toBe(months);
    }
    for (const months of [11, 61, 12.5, "12", null, undefined]) await invalid(issue(months));
  },
  "guest account profileLimit": async () => {
    const open = async (profileLimit: unknown) => {
      const expirationDate = fromNow(86_400_000);
      const { id } = dataOf(await admin.post("/api/guest-account", { name: "Grenze", expirationDate, profileLimit }));
      const guest_token = dataOf(await admin.get(`/api/guest-token/${id}`));
      return as.token((await token({ grant_type: "guest_token", guest_token })).body.access_token);
    };
    const one = await open(1);
    dataOf(await one.post("/api/guest-profile", create));
    expect(await one.post("/api/guest-profile", create)).toBeError("profile_limit_reached");
    const unlimited = await open(null);
    for (let round = 0; round < 3; round++) dataOf(await unlimited.post("/api/guest-profile", create));
    await invalid(
      admin.post("/api/guest-account", { name: "x", expirationDate: fromNow(86_400_000), profileLimit: 1.5 }),
    );
  },
});
