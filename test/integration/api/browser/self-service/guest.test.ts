import { beforeAll, expect, test } from "vitest";
import { handOverToken } from "../../../../../api/resources/hand-over/hand-over-token.ts";
import * as realms from "../../../../../db/queries/realm/realms.ts";
import { sql } from "../../../../../db/sql.ts";
import { masterKeys } from "../../../../../runtime/keys/master-key.ts";
import { sendRequest, useApi } from "../../../../support/service/api.ts";
import { fromNow } from "../../../../support/given/given.ts";
import { givenIssuingRealm } from "../../../../support/given/issuing.ts";
import { userAgents } from "../../../../support/browser/user-agents.ts";
import { fileOn, headingOf, visitorOf } from "./self-service-support.ts";

const api = useApi();
const { given } = api;
let realmId = "";

beforeAll(async () => {
  ({ realmId } = await givenIssuingRealm(api.database.owner));
  await realms.update(api.database.owner, realmId, { displayName: "University of Example" });
  await api.startWorker();
});

const profilesOf = (accountId: string) =>
  api.database.owner.query(
    sql`select name, device_type as "deviceType" from certificates where guest_account_id = ${accountId}`,
  );

test("the page shows the account's name, owner, end and usage, and any visitor with the link can add a device", async () => {
  const account = await given.guestAccount({ realmId, name: "Summer school", profileLimit: 20 });
  const home = `/guest/${account.token}`;
  const visitor = await visitorOf(api);
  const page = await visitor.get(home);
  expect(headingOf(page)).toBe("Summer school");
  expect(page.text).toContain("Guest access of University of Example");
  expect(page.text).toMatch(/<dd><time datetime="[^"]+">/);
  expect(page.text).toContain("0 of 20 profiles used");

  const file = await visitor.download(await visitor.add({ device_type: "Android" }, { home }));
  expect(file.headers).toMatchObject({
    "content-type": "application/eap-config",
    "content-disposition": expect.stringContaining('filename="summer-school.eap-config"'),
  });
  expect(await profilesOf(account.id)).toEqual([{ name: "Summer school", deviceType: "Android" }]);
  expect((await visitor.get(home)).text).toContain("1 of 20 profiles used");
});

test("another holder of the link or another guest account cannot get a guest's file", async () => {
  const account = await given.guestAccount({ realmId });
  const visitor = await visitorOf(api);
  const page = await visitor.add({}, { home: `/guest/${account.token}` });
  await visitor.download(page);
  const file = fileOn(await visitor.get(page.url));
  const other = await visitorOf(api);
  expect(await other.get(file)).toMatchObject({ status: 404 });
  const another = await given.guestAccount({ realmId });
  const moved = file.replace(account.token, another.token);
  expect(await visitor.get(moved)).toMatchObject({ status: 404 });
  expect(await visitor.get(file)).toMatchObject({ status: 200 });
});

test("a guest's other device claims a profile by its own link", async () => {
  const account = await given.guestAccount({ realmId });
  const page = await (await visitorOf(api)).add({ place: "elsewhere" }, { home: `/guest/${account.token}` });
  expect(headingOf(page)).toBe("Scan this with the other device");
  expect(await profilesOf(account.id)).toEqual([]);
  const token = handOverToken({ masterKeys: masterKeys(api.masterKey) }, page.url.split("/").at(-1)!);
  const device = await visitorOf(api);
  const claimed = await device.send(await device.get(`/d/${token}`), { device_type: "Linux" });
  expect(await device.download(claimed)).toMatchObject({ status: 200 });
  expect(await profilesOf(account.id)).toMatchObject([{ deviceType: "Linux" }]);
});

test("at the limit the page still opens, disables adding, and shows the reason", async () => {
  const account = await given.guestAccount({ realmId, profileLimit: 1 });
  await given.profile({ realmId }, { guestAccountId: account.id });
  const visitor = await visitorOf(api);
  const page = await visitor.get(`/guest/${account.token}`);
  expect(page.status).toBe(200);
  expect(page.text).toContain("1 of 1 profiles are in use.");
  expect(page.text).toContain('aria-disabled="true">Add a device');
  expect(await visitor.get(`/guest/${account.token}/devices/new`)).toMatchObject({ status: 409 });
});

test("the limit holds for concurrent guests", async () => {
  const account = await given.guestAccount({ realmId, profileLimit: 2 });
  const visitors = await Promise.all(Array.from({ length: 6 }, () => visitorOf(api)));
  const pages = await Promise.all(visitors.map((each) => each.add({}, { home: `/guest/${account.token}` })));
  const answers = await Promise.all(visitors.map((each, index) => each.download(pages[index]!)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409, 409, 409]);
  expect(await profilesOf(account.id)).toHaveLength(2);
});

test("an expired account has a calm page; revoked and unknown accounts look identical on every page, to the byte", async () => {
  const visitor = await visitorOf(api);
  const expired = await given.guestAccount({ realmId, expiresAt: fromNow(-1_000) });
  expect(headingOf(await visitor.get(`/guest/${expired.token}`))).toBe("This guest access has ended");
  const revoked = await given.guestAccount({ realmId, revokedAt: new Date(0) });
  expect(headingOf(await visitor.get(`/guest/${expired.token}/sheet`))).toBe("This guest access has ended");
  for (const path of ["", "/sheet", "/devices/new", `/hand-overs/${crypto.randomUUID()}`]) {
    const [one, other] = [
      await visitor.get(`/guest/${revoked.token}${path}`),
      await visitor.get(`/guest/rpg_nothing${path}`),
    ];
    expect(one).toMatchObject({ status: 404 });
    expect(one.text).toBe(other.text);
  }
  await api.database.owner.query(sql`delete from guesses`);
});

test("the sheet has the link, the networks, the end in the realm's time zone and the help desk, in both languages", async () => {
  const { realmId: elsewhere } = await givenIssuingRealm(api.database.owner);
  await realms.update(api.database.owner, elsewhere, {
    displayName: "College of Example",
    ssids: ["eduroam", "Example Guests"],
    helpUri: "mailto:wifi@example.org",
    timeZone: "Europe/Berlin",
  });
  const expiresAt = new Date("2100-07-01T21:59:00Z");
  const account = await given.guestAccount({ realmId: elsewhere, name: "Open day", expiresAt });
  const page = await sendRequest(`${api.url}/guest/${account.token}/sheet`, "GET", {
    headers: { "accept-language": "de" },
  });
  expect(page).toMatchObject({
    status: 200,
    headers: {
      "cache-control": "no-store",
      "content-language": "de",
      "content-security-policy": expect.stringContaining("default-src 'none'"),
      "referrer-policy": "no-referrer",
    },
  });
  expect(page.text).toContain("<h1>Open day</h1>");
  expect(page.text).toContain(`${api.url}/guest/${account.token}</p>`);
  expect(page.text.match(/eduroam, Example Guests/g)).toHaveLength(2);
  expect(page.text.match(/>wifi@example\.org</g)).toHaveLength(2);
  expect(page.text.match(/<time datetime="2100-07-01T21:59:00.000Z">[^<]+/g)).toEqual([
    expect.stringMatching(/1\. Juli 2100 um 23:59 MESZ$/),
    expect.stringMatching(/1 July 2100 at 23:59 CEST$/),
  ]);
  expect([...page.text.matchAll(/<section lang="(..)">/g)].map(([, language]) => language)).toEqual(["de", "en"]);
  expect(page.text).not.toContain("<script");
});

test("token guesses are counted, and too many are refused", async () => {
  const visitor = await visitorOf(api);
  let status = 404;
  for (let tries = 0; tries < 40 && status === 404; tries++) ({ status } = await visitor.get(`/guest/rpg_${tries}`));
  expect(status).toBe(429);
  await api.database.owner.query(sql`delete from guesses`);
});

test("a captive portal's browser gets a page that asks for a full browser, with the address to copy", async () => {
  const account = await given.guestAccount({ realmId });
  const address = `${api.url}/guest/${account.token}`;
  for (const [agent, browser] of [
    ["captiveOnIPhone", "Safari"],
    ["captiveProbe", "Safari"],
    ["webViewOnAndroid", "your browser"],
  ] as const) {
    const page = await sendRequest(address, "GET", { headers: { "user-agent": userAgents[agent] } });
    expect(page.text).toContain(`<h1>Open this page in ${browser}</h1>`);
    expect(page.text).toContain(`>${address}</p>`);
    expect(/<title>(.*?)<\/title>/.exec(page.text)![1]).not.toContain(account.token);
  }
  const anyway = await sendRequest(`${address}?anyway=true`, "GET", {
    headers: { "user-agent": userAgents.captiveOnIPhone },
  });
  expect(anyway.text).toContain("Add a device");
});
