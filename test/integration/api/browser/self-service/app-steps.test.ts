import { beforeAll, describe, expect, test } from "vitest";
import * as realms from "../../../../../db/queries/realm/realms.ts";
import { sql } from "../../../../../db/sql.ts";
import type { GivenUser } from "../../../../support/given/given.ts";
import { givenIssuingRealm } from "../../../../support/given/issuing.ts";
import { useApi } from "../../../../support/service/api.ts";
import { visitorOf } from "./self-service-support.ts";

const api = useApi();
const { given } = api;
let realmId = "";
let name = "";

beforeAll(async () => {
  ({ realmId } = await givenIssuingRealm(api.database.owner));
  await realms.update(api.database.owner, realmId, { onboardingApps: true });
  const [row] = await api.database.owner.query<{ name: string }>(sql`select name from realms where id = ${realmId}`);
  name = row!.name;
});

const person = (): Promise<GivenUser> => given.user({ realmId });
const pageFor = async (fields: Record<string, string>, user?: GivenUser) =>
  (await visitorOf(api, user ?? (await person()))).add(fields);
/** Returns the positions of words on a page; -1 for a missing word. */
const placesOf = (text: string, ...words: string[]) => words.map((each) => text.indexOf(each));

describe("in a realm with apps", () => {
  test.each([
    ["Android", ["https://play.google.com/", "https://f-droid.org/"]],
    ["ChromeOS", ["https://play.google.com/"]],
    ["Windows", ["windows/amd64/geteduroam.exe", "windows/arm64/geteduroam.exe"]],
    ["Linux", ["https://flathub.org/apps/app.eduroam.geteduroam"]],
  ])("a user with %s is shown the app first, and the file as the alternative", async (device_type, stores) => {
    const { text } = await pageFor({ device_type });
    const order = placesOf(
      text,
      ...stores,
      "Remove an older set-up of this network first",
      "Set up this device",
      "Download",
    );
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(text).toContain(`${api.url.replace("http://", "")}/letswifi/${name}</strong>`);
    expect(text.match(/class="button quiet" href="https:/g)).toHaveLength(stores.length);
    expect(text).toContain("Another way: with a file");
    // The file for Linux stays visible, because some systems refuse the app's own profile.
    expect(text.includes("<details")).toBe(device_type !== "Linux");
  });

  test.each(["iOS", "iPadOS", "MacOS"])(
    "a user with %s is shown the file first, and the app as the alternative",
    async (device_type) => {
      const { text } = await pageFor({ device_type });
      const order = placesOf(
        text,
        "Download",
        "Another way: with the geteduroam app",
        "https://apps.apple.com/app/id1504076137",
      );
      expect(order).not.toContain(-1);
      expect(order).toEqual(order.toSorted((a, b) => a - b));
    },
  );

  test("the page shows the realm's listed name instead of the address", async () => {
    const listed = await givenIssuingRealm(api.database.owner);
    await realms.update(api.database.owner, listed.realmId, {
      onboardingApps: true,
      appsListing: "College <of> Example",
    });
    const { text } = await pageFor({ device_type: "Android" }, await given.user({ realmId: listed.realmId }));
    expect(text).toContain(">College &lt;of&gt; Example</strong>");
    expect(text).not.toContain("/letswifi/");
  });

  test.each([
    ["another format was chosen", { device_type: "Android", format: "pkcs12" }],
    ["no app is for the device", { device_type: "Other" }],
  ])("only the file is shown if %s", async (_, fields) => {
    expect((await pageFor(fields)).text).not.toMatch(/letswifi|Another way/);
  });

  test("guests get only files, since they cannot sign in to an app", async () => {
    const account = await given.guestAccount({ realmId });
    const page = await (await visitorOf(api)).add({ device_type: "Android" }, { home: `/guest/${account.token}` });
    expect(page.text).not.toMatch(/letswifi|Another way/);
    expect(page.text).toContain("https://play.google.com/");
  });
});

test("in a realm without apps, the store and the file for the app are shown", async () => {
  const { realmId: other } = await givenIssuingRealm(api.database.owner);
  const { text } = await pageFor({ device_type: "Android" }, await given.user({ realmId: other }));
  expect(text).not.toMatch(/letswifi|Another way/);
  expect(text).toContain("https://play.google.com/");
  expect(text).toContain("Download the file and open it with the app.");
});
