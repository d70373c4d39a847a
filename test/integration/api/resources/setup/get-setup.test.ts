import { beforeEach, expect, test } from "vitest";
import * as localCredentials from "../../../../../db/queries/sign-in/local-credentials.ts";
import * as identities from "../../../../../db/queries/sign-in/upstream-identities.ts";
import * as realms from "../../../../../db/queries/realm/realms.ts";
import { sql } from "../../../../../db/sql.ts";
import { useApi } from "../../../../support/service/api.ts";
import { givenActivity } from "../../../../support/given/activity.ts";
import { fromNow, type GivenUser } from "../../../../support/given/given.ts";

const api = useApi();
const { as, given } = api;
const owner = () => api.database.owner;
const made = givenActivity(owner);
const hour = 3_600_000;

let realmId: string;
let administrator: GivenUser;
beforeEach(async () => {
  realmId = await given.realm();
  administrator = await given.user({ realmId, administrator: true });
});

const read = async () => {
  const { status, body } = await as.service({ realmId }).get("/api/setup");
  expect(status).toBe(200);
  return body.data;
};
/** Returns one step: its state, facts and action. */
const stepOf = async (name: string) => {
  const { steps } = await read();
  return steps.find(({ step }: { step: string }) => step === name);
};
const nameOf = async (): Promise<string> => (await realms.findById(owner(), realmId))?.name ?? "";

test("a new realm has every step in order, with its evidence and next action", async () => {
  const { setUpAt, steps } = await read();
  const name = await nameOf();
  expect(setUpAt).toBeNull();
  expect(steps).toEqual([
    {
      step: "domain",
      state: "todo",
      facts: { domain: `${name}.example` },
      action: { page: null, command: expect.stringContaining("realm create --name wifi --domain wifi.example.org") },
    },
    {
      step: "sign_in",
      state: "warning",
      facts: {
        kind: null,
        provider: null,
        redirectURI: `${api.url}/login/upstream/callback`,
        administratorHasPassword: false,
      },
      action: { page: "settings", command: null },
    },
    { step: "wifi", state: "todo", facts: { ssids: ["eduroam"] }, action: { page: "settings", command: null } },
    {
      step: "radius_certificate",
      state: "todo",
      facts: { radiusCN: `radius.${name}.example`, expirationTime: null, radiusCA: false },
      action: { page: "infrastructure", command: null },
    },
    {
      step: "radius_asks",
      state: "todo",
      facts: { servers: [], others: [], lastAt: null },
      action: { page: "guide", command: null },
    },
    {
      step: "own_device",
      state: "todo",
      facts: { hasProfile: false, checkedAt: null },
      action: { page: "own_devices", command: null },
    },
    { step: "people", state: "todo", facts: {}, action: { page: "onboarding", command: null } },
    {
      step: "second_administrator",
      state: "todo",
      facts: { administrators: 1, lastAdministratorKept: false },
      action: { page: "users", command: null },
    },
  ]);
});

test("domain: the commands lead from the new realm to a sign-in of the same administrator", async () => {
  const commands = async () => (await stepOf("domain")).action.command.split("\n");
  expect((await commands()).at(-1)).toBe(
    "npm run --silent operator -- user sign-in-link --realm wifi --username admin",
  );
  await localCredentials.create(owner(), { userId: administrator.id, realmId, username: "ada.l", passwordHash: null });
  expect(await commands()).toEqual([
    "npm run --silent operator -- realm create --name wifi --domain wifi.example.org",
    "npm run --silent operator -- realm set --realm wifi --local-sign-in on",
    "npm run --silent operator -- user create --realm wifi --username ada.l --admin",
    "npm run --silent operator -- user sign-in-link --realm wifi --username ada.l",
  ]);
});

test("domain: a username that a shell would not read as a single word is left out of the commands", async () => {
  const username = "ada; reboot";
  await localCredentials.create(owner(), { userId: administrator.id, realmId, username, passwordHash: null });
  const { command } = (await stepOf("domain")).action;
  expect(command).toContain("--username admin");
  expect(command).not.toContain("reboot");
});

test("wifi: done once the networks are saved, even unchanged; saving other settings does not complete it", async () => {
  const set = async (settings: object) => as.service({ realmId }).put("/api/realm/settings", settings);
  expect((await set({ timeZone: "Europe/Berlin" })).status).toBe(200);
  expect((await stepOf("wifi")).state).toBe("todo");
  expect((await set({ ssids: ["eduroam"] })).status).toBe(200);
  expect(await stepOf("wifi")).toMatchObject({ state: "done", facts: { ssids: ["eduroam"] } });
});

test("sign_in: the only administrator's password prevents a lock-out while local sign-in is on", async () => {
  await localCredentials.create(owner(), { userId: administrator.id, realmId, username: "root", passwordHash: "x" });
  expect((await stepOf("sign_in")).state).toBe("warning");
  await realms.update(owner(), realmId, { localSignIn: true });
  expect(await stepOf("sign_in")).toMatchObject({ state: "todo", facts: { administratorHasPassword: true } });
});

test("sign_in: leads to the settings while the sign-in can be set there, and to the operator's command afterwards", async () => {
  expect((await stepOf("sign_in")).action).toEqual({ page: "settings", command: null });
  const { name } = (await realms.findById(owner(), realmId))!;
  const command = expect.stringContaining(`realm set --realm ${name} --upstream-issuer https://idp.example`) as string;
  await realms.update(owner(), realmId, { upstreamIssuer: "https://idp.example" });
  expect(await stepOf("sign_in")).toMatchObject({ facts: { kind: "oidc" }, action: { page: null, command } });
  await realms.update(owner(), realmId, { upstreamIssuer: null });
  await owner().query(sql`update realms set set_up_at = now() where id = ${realmId}`);
  expect(await stepOf("sign_in")).toMatchObject({ facts: { kind: null }, action: { page: null, command } });
});

test("sign_in: one of the provider's two settings is not enough", async () => {
  const issuer = "https://half.campus.example";
  await identities.create(owner(), { realmId, userId: administrator.id, at: fromNow(0), issuer, subject: "1" });
  await realms.update(owner(), realmId, { upstreamIssuer: issuer });
  expect(await stepOf("sign_in")).toMatchObject({ state: "warning", facts: { provider: null } });
  await realms.update(owner(), realmId, { upstreamClientId: "realmpass" });
  expect(await stepOf("sign_in")).toMatchObject({ state: "done", facts: { provider: issuer } });
});

test("sign_in: done once a user has signed in through the configured provider, not an earlier one", async () => {
  const [issuer, earlier] = ["https://idp.campus.example", "https://old.campus.example"];
  const identity = { realmId, userId: administrator.id, at: fromNow(0) };
  await identities.create(owner(), { ...identity, issuer: earlier, subject: "1" });
  await given.user({ realmId, administrator: true });
  await realms.update(owner(), realmId, { upstreamIssuer: issuer, upstreamClientId: "realmpass" });
  expect(await stepOf("sign_in")).toMatchObject({ state: "set", facts: { provider: issuer } });
  await identities.create(owner(), { ...identity, issuer, subject: "1" });
  expect((await stepOf("sign_in")).state).toBe("done");
});

test("radius_certificate: done only with a valid certificate for the server's name, in any letter case", async () => {
  const certificate = async (identity: string, options: { notAfter?: Date } = {}) => {
    const serial = await given.profile({ realmId }, { kind: "infrastructure", ...options });
    await owner().query(sql`update certificates set identity = ${identity} where serial_number = ${serial}`);
    return serial;
  };
  await realms.update(owner(), realmId, { radiusCn: "Radius.Campus.Example" });
  await certificate("other.campus.example");
  await certificate("radius.campus.example", { notAfter: fromNow(-1) });
  expect((await stepOf("radius_certificate")).state).toBe("todo");
  const notAfter = fromNow(24 * hour);
  await certificate("radius.campus.example", { notAfter });
  expect(await stepOf("radius_certificate")).toMatchObject({
    state: "done",
    facts: { radiusCN: "Radius.Campus.Example", expirationTime: notAfter.toISOString() },
  });
});

test("radius_asks: lists the addresses that asked about the realm, latest first, and warns if they fell silent", async () => {
  await made.asker(await given.realm(), { address: "198.51.100.1" });
  await made.asker(realmId, { address: "192.0.2.7", at: fromNow(-25 * hour) });
  const silent = await stepOf("radius_asks");
  expect(silent).toMatchObject({ state: "warning", facts: { servers: [] } });
  expect(Date.parse(silent.facts.lastAt)).toBeLessThan(fromNow(-24 * hour).getTime());
  await made.asker(realmId, { address: "2001:db8::7", at: fromNow(-hour) });
  await made.asker(realmId, { address: "192.0.2.8", at: fromNow(-2 * hour) });
  const { state, facts } = await stepOf("radius_asks");
  expect(state).toBe("done");
  expect(facts.servers.map(({ address }: { address: string }) => address)).toEqual(["2001:db8::7", "192.0.2.8"]);
});

test("own_device counts administrators' profiles, people counts other users' profiles", async () => {
  const serial = await given.profile(administrator);
  expect(await stepOf("own_device")).toMatchObject({ state: "set", facts: { hasProfile: true } });
  expect((await stepOf("people")).state).toBe("todo");
  const at = fromNow(-hour);
  await made.check(serial, at);
  expect(await stepOf("own_device")).toMatchObject({ state: "done", facts: { checkedAt: at.toISOString() } });
  expect((await stepOf("wifi")).state).toBe("done");
  await given.profile(await given.user({ realmId }));
  expect((await stepOf("people")).state).toBe("done");
});

test("second_administrator: done with two administrators who can sign in and are not offboarded", async () => {
  await realms.update(owner(), realmId, { localSignIn: true });
  const withPassword = async (userId: string, username: string) =>
    localCredentials.create(owner(), { userId, realmId, username, passwordHash: "x" });
  await withPassword(administrator.id, "root");
  await given.user({ realmId, administrator: true, offboardedAt: fromNow(-hour) });
  expect((await stepOf("second_administrator")).state).toBe("todo");
  await given.user({ realmId, administrator: true });
  expect(await stepOf("second_administrator")).toMatchObject({ state: "set", facts: { administrators: 2 } });
  await withPassword((await given.user({ realmId, administrator: true })).id, "third");
  expect(await stepOf("second_administrator")).toMatchObject({ state: "done", facts: { administrators: 2 } });
});

test("a sole administrator whom the provider's claims no longer name is reported", async () => {
  const issuer = "https://idp.campus.example";
  await realms.update(owner(), realmId, {
    upstreamIssuer: issuer,
    upstreamClientId: "realmpass",
    upstreamClaims: { roles: { administrator: [{ claim: "groups", value: "it" }] } },
  });
  expect((await stepOf("second_administrator")).facts.lastAdministratorKept, "who never came through it").toBe(false);
  await identities.create(owner(), { realmId, userId: administrator.id, issuer, subject: "1", at: fromNow(0) });
  expect(await stepOf("second_administrator")).toMatchObject({
    state: "warning",
    facts: { lastAdministratorKept: true },
  });
  await owner().query(sql`update users set provider_roles = '{administrator}' where id = ${administrator.id}`);
  expect(await stepOf("second_administrator")).toMatchObject({
    state: "todo",
    facts: { lastAdministratorKept: false },
  });
});

test("auditors can read the set-up, users without a role and guest managers cannot", async () => {
  const asked = async (roles: ("auditor" | "guest_manager")[]) =>
    as.user(given.user({ realmId, roles })).get("/api/setup");
  expect((await asked(["auditor"])).status).toBe(200);
  expect(await asked([])).toBeError("forbidden");
  expect(await asked(["guest_manager"])).toBeError("insufficient_scope");
});
