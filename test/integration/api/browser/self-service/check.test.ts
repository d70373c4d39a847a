import { beforeAll, describe, expect, test } from "vitest";
import * as realms from "../../../../../db/queries/realm/realms.ts";
import { sql } from "../../../../../db/sql.ts";
import type { Visit } from "../../../../support/browser/browser-session.ts";
import { fromNow, type GivenUser } from "../../../../support/given/given.ts";
import { givenIssuingRealm } from "../../../../support/given/issuing.ts";
import { useApi } from "../../../../support/service/api.ts";
import { headingOf, serialsOf, visitorOf } from "./self-service-support.ts";

const api = useApi();
const { given } = api;
const title = "Did it work?";
const nothing = "Nothing yet";

beforeAll(() => api.startWorker());

/** Makes a new realm, because the page depends on the realm's other profiles. */
async function givenRealm(): Promise<string> {
  const { realmId } = await givenIssuingRealm(api.database.owner);
  await realms.update(api.database.owner, realmId, { helpUri: "https://help.example", timeZone: "Europe/Berlin" });
  return realmId;
}

const setAsked = (user: GivenUser, ago: string) =>
  api.database.owner.query(sql`
    update certificates set last_ocsp_at = now() - ${ago}::interval where user_id = ${user.id}
  `);

/** Makes a user whose profile the network checked this long ago. */
async function givenAsked(realmId: string, ago: string): Promise<void> {
  const user = await given.user({ realmId });
  await given.profile(user);
  await setAsked(user, ago);
}

/** Makes a user who has just downloaded a profile. */
async function givenDownload(realmId: string, deviceType = "iOS") {
  const user = await given.user({ realmId });
  const visitor = await visitorOf(api, user);
  const page = await visitor.add({ device_type: deviceType });
  expect(await visitor.download(page)).toMatchObject({ status: 200 });
  return {
    user,
    look: (path = page.url): Promise<Visit> => visitor.get(path),
    wasDownloaded: (ago: string) =>
      api.database.owner.query(sql`
        update hand_overs set downloaded_at = now() - ${ago}::interval where user_id = ${user.id}
      `),
  };
}

describe("when RADIUS servers ask about profiles", () => {
  test("the page waits for the first connection, suggests help after three minutes, and finally confirms that the profile works", async () => {
    const realmId = await givenRealm();
    await givenAsked(realmId, "6 days");
    const { user, look, wasDownloaded } = await givenDownload(realmId);
    await wasDownloaded("2 minutes 30 seconds");
    const waiting = await look();
    expect(waiting.headers["refresh"]).toBe("5");
    expect(waiting.text).toContain(title);
    expect(waiting.text).not.toContain(nothing);

    await wasDownloaded("3 minutes");
    const late = await look();
    const [serial] = await serialsOf(api, user);
    expect(late.headers["refresh"]).toBe("5");
    expect(late.text).toContain(nothing);
    expect(late.text).toContain("Is the device where the Wi-Fi eduroam is?");
    expect(late.text).toContain("Forget This Network");
    expect(late.text).toContain('href="https://help.example"');
    expect(late.text).toContain(`ends in ${serial!.slice(-8)}.`);
    expect((await look(`${late.url}?lang=de`)).text).toContain(`endet auf ${serial!.slice(-8)}`);

    await wasDownloaded("10 minutes");
    const over = await look(`${late.url}?lang=en`);
    expect(over.headers["refresh"]).toBeUndefined();
    expect(over.text).toContain("Look again");

    await api.database.owner.query(sql`
      update certificates set last_ocsp_at = '2026-07-03 12:07:00Z' where user_id = ${user.id}
    `);
    const works = await look();
    expect(works.headers["refresh"]).toBeUndefined();
    expect(works.text).toContain(
      'The network asked about this profile at <time datetime="2026-07-03T12:07:00.000Z">14:07 CEST</time>: it works.',
    );
    expect(works.text).not.toContain(nothing);
  });

  test("Windows and Linux devices get their own instructions to forget a network", async () => {
    const realmId = await givenRealm();
    await givenAsked(realmId, "1 day");
    for (const [deviceType, way] of [
      ["Windows", "Manage known networks"],
      ["Linux", "remove the old connection"],
    ] as const) {
      const { look, wasDownloaded } = await givenDownload(realmId, deviceType);
      await wasDownloaded("4 minutes");
      expect((await look()).text).toContain(way);
    }
  });
});

describe("when RADIUS servers do not ask", () => {
  test.each([
    ["there was never a request", undefined],
    ["the last request is more than 7 days ago", "8 days"],
  ])("only success is shown: %s", async (_, ago) => {
    const realmId = await givenRealm();
    if (ago !== undefined) await givenAsked(realmId, ago);
    const { user, look, wasDownloaded } = await givenDownload(realmId);
    await wasDownloaded("4 minutes");
    const page = await look();
    expect(page.headers["refresh"]).toBe("5");
    expect(page.text).not.toMatch(new RegExp(`${title}|${nothing}`));
    await setAsked(user, "0");
    expect((await look()).text).toContain("it works");
  });

  test("profiles of another realm, of servers, or older than the newest 200 do not count as evidence", async () => {
    const realmId = await givenRealm();
    await givenAsked(await givenRealm(), "1 day");
    await given.profile({ realmId }, { kind: "infrastructure" });
    await api.database.owner.query(sql`update certificates set last_ocsp_at = now() where kind = 'infrastructure'`);
    await givenAsked(realmId, "1 day");
    const crowd = await given.user({ realmId });
    for (let count = 0; count < 200; count++) await given.profile(crowd);
    const { look, wasDownloaded } = await givenDownload(realmId);
    await wasDownloaded("4 minutes");
    expect((await look()).text).not.toContain(nothing);
    // Control: a request about one of the newest 200 counts.
    await setAsked(crowd, "1 day");
    expect((await look()).text).toContain(nothing);
  });
});

test("before the download the page does not refresh and has a link to continue; afterwards it polls", async () => {
  const user = await given.user({ realmId: await givenRealm() });
  const visitor = await visitorOf(api, user);
  const page = await visitor.add();
  expect(page.headers["refresh"]).toBeUndefined();
  expect(page.text).toContain('href="?">I have downloaded it</a>');
  await visitor.download(page);
  const after = await visitor.get(`${page.url}?`);
  expect(after.headers["refresh"]).toBe("5");
  expect(after.text).not.toContain("I have downloaded it");
});

test("My devices shows when each device was last seen, in the realm's time zone, or that it was never seen", async () => {
  const user = await given.user({ realmId: await givenRealm() });
  const serial = await given.profile(user);
  const visitor = await visitorOf(api, user);
  for (const path of ["/me", `/me/devices/${serial}`]) expect((await visitor.get(path)).text).toContain("Not seen yet");
  await api.database.owner.query(sql`
    update certificates set last_ocsp_at = '2026-01-31 23:30:00Z' where user_id = ${user.id}
  `);
  const moment = '<time datetime="2026-01-31T23:30:00.000Z">1 February 2026 at 00:30 CET</time>';
  expect((await visitor.get("/me")).text).toContain(`Last seen ${moment}`);
  expect((await visitor.get(`/me/devices/${serial}`)).text).toContain(`<dt>Last seen</dt><dd>${moment}</dd>`);
  expect((await visitor.get("/me?lang=de")).text).toMatch(
    /Zuletzt gesehen am <time [^>]+>1\. Februar 2026 um 00:30 MEZ</,
  );
});

test("an end within a day is shown with time, zone and remaining time, a later end as a date", async () => {
  const user = await given.user({ realmId: await givenRealm() });
  const visitor = await visitorOf(api, user);
  const page = await visitor.add();
  expect(headingOf(page)).toBe("Set up laptop");
  expect(page.text).toMatch(
    /until <time datetime="\d{4}-\d\d-\d\dT[\d:.]+Z">\d\d:\d\d CES?T<\/time>, for another (?:59|60) minutes/,
  );
  expect((await visitor.get(`${page.url}?lang=de`)).text).toMatch(
    /bis <time [^>]+>\d\d:\d\d MES?Z<\/time>, noch (?:59|60) Minuten/,
  );
  await given.profile(user, { name: "ends soon", notAfter: fromNow(5.5 * 3_600_000) });
  await given.profile(user, { name: "ends later", notAfter: new Date("2099-07-03T12:00:00Z") });
  const list = (await visitor.get("/me?lang=en")).text;
  expect(list).toMatch(/Valid until <time [^>]+>\d+ \w+ \d{4} at \d\d:\d\d CES?T<\/time>, for another 5 hours/);
  expect(list).toContain('Valid until <time datetime="2099-07-03T12:00:00.000Z">3 July 2099</time>');
});
