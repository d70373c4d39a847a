import { beforeAll, expect, test } from "vitest";
import * as realms from "../../../../../db/queries/realm/realms.ts";
import { useApi } from "../../../../support/service/api.ts";
import { givenIssuingRealm } from "../../../../support/given/issuing.ts";
import { visitorOf } from "./self-service-support.ts";

const api = useApi();
let wireless = "";
let wired = "";

beforeAll(async () => {
  ({ realmId: wireless } = await givenIssuingRealm(api.database.owner));
  ({ realmId: wired } = await givenIssuingRealm(api.database.owner));
  await realms.update(api.database.owner, wired, { wired: true });
  await api.startWorker();
});

const visitorIn = async (realmId: string) => visitorOf(api, await api.given.user({ realmId }));
/** Returns the page that sets up a device of this type, in English and in German. */
const pagesFor = async (realmId: string, deviceType: string) => {
  const visitor = await visitorIn(realmId);
  const page = await visitor.add({ device_type: deviceType });
  return { english: page.text, german: (await visitor.get(`${page.url}?lang=de`)).text };
};

test.each(["MacOS", "Linux"])("the page for %s mentions the cable in a realm with wired networks", async (device) => {
  const there = await pagesFor(wired, device);
  expect(there.english).toContain("This also sets up wired networks: plug in a cable.");
  expect(there.german).toContain("Damit sind auch kabelgebundene Netze eingerichtet: Stecken Sie ein Kabel ein.");
  const elsewhere = await pagesFor(wireless, device);
  expect(elsewhere.english).toContain("Wi-Fi eduroam");
  expect(elsewhere.english).not.toContain("cable");
  expect(elsewhere.german).not.toContain("Kabel");
});

test("the page with values to enter by hand names wired networks in a realm that has them", async () => {
  const there = await pagesFor(wired, "Other");
  expect(there.english).toContain("<dt>Wired networks</dt><dd>the same values</dd>");
  expect(there.german).toContain("<dt>Kabelgebundene Netze</dt><dd>dieselben Werte</dd>");
  const elsewhere = await pagesFor(wireless, "Other");
  expect(elsewhere.english).toContain("<dt>Wi-Fi</dt><dd>eduroam</dd>");
  expect(elsewhere.english).not.toContain("Wired networks");
  expect(elsewhere.german).not.toContain("Kabelgebundene");
});

test.each(["iOS", "Android", "Windows"])("the page for %s promises no wired networks", async (device) => {
  const there = await pagesFor(wired, device);
  expect(there.english).toContain("eduroam");
  expect(there.english).not.toContain("cable");
  expect(there.german).not.toContain("Kabel");
});
