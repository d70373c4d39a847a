import { Writable } from "node:stream";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handOverToken } from "../../../../../api/resources/hand-over/hand-over-token.ts";
import { only } from "../../../../../db/client.ts";
import * as realms from "../../../../../db/queries/realm/realms.ts";
import { sql } from "../../../../../db/sql.ts";
import { handOverMinutes } from "../../../../../domain/lifetimes.ts";
import { masterKeys } from "../../../../../runtime/keys/master-key.ts";
import { systemClock } from "../../../../../runtime/clock.ts";
import { purgeExpired, revokeUnfetched } from "../../../../../worker/upkeep/upkeep.ts";
import { driveJobs } from "../../../../support/given/bulk-jobs.ts";
import { useApi } from "../../../../support/service/api.ts";
import type { Visit } from "../../../../support/browser/browser-session.ts";
import type { GivenUser } from "../../../../support/given/given.ts";
import { givenIssuingRealm } from "../../../../support/given/issuing.ts";
import { openssl } from "../../../../support/pki/openssl.ts";
import { silentLog, type TestWorker } from "../../../../support/service/worker.ts";
import { fileOn, formOf, headingOf, serialsOf, visitorOf } from "./self-service-support.ts";

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
const api = useApi({ log });
const { given } = api;
let realmId = "";
let worker: TestWorker;

beforeAll(async () => {
  ({ realmId } = await givenIssuingRealm(api.database.owner));
  await realms.update(api.database.owner, realmId, { displayName: "University of Example" });
  worker = await api.startWorker();
});

const idOf = ({ url }: Visit): string => url.split("/").at(-1)!;
const linkOf = (page: Visit): string =>
  `${api.url}/d/${handOverToken({ masterKeys: masterKeys(api.masterKey) }, idOf(page))}`;
const person = (more: object = {}): Promise<GivenUser> => given.user({ realmId, ...more });
const change = (page: Visit, set: ReturnType<typeof sql>) =>
  api.database.owner.query(sql`update hand_overs set ${set} where id = ${idOf(page)}`);

/** Offers a hand-over to another device; returns its link. */
const offer = async (user: GivenUser, fields: Record<string, string> = {}) => {
  const owner = await visitorOf(api, user);
  const page = await owner.add({ place: "elsewhere", ...fields });
  expect(headingOf(page)).toBe("Scan this with the other device");
  return { owner, page, link: linkOf(page) };
};
const take = async (link: string, deviceType = "Linux") => {
  const device = await visitorOf(api);
  const page = await device.get(link);
  return { device, page: await device.send(page, { device_type: deviceType }) };
};

const issuancesOf = (user: GivenUser) =>
  api.database.owner.query<{ id: string }>(sql`select id from issuances where user_id = ${user.id}`);

describe("on this device", () => {
  test("nothing is created until Download is tapped; then the file contains certificates and key, and its profile is the user's", async () => {
    const user = await person();
    const visitor = await visitorOf(api, user);
    const page = await visitor.add();
    expect(headingOf(page)).toBe("Set up laptop");
    expect(page.text).toContain("The profile is made when you download it.");
    await visitor.get(page.url);
    expect(await issuancesOf(user)).toEqual([]);
    expect((await visitor.get("/me")).text).toContain("0 of 5 profiles in use");

    const file = await visitor.download(page);
    expect(file).toMatchObject({
      status: 200,
      headers: {
        "content-type": "application/x-pem-file",
        "content-disposition": 'attachment; filename="laptop.pem"',
        "cache-control": "no-store",
      },
    });
    const pem = { "x.pem": file.text };
    expect(openssl(["pkey", "-in", "x.pem", "-check", "-noout"], pem).status).toBe(0);
    const { stdout } = openssl(["x509", "-in", "x.pem", "-noout", "-serial"], pem);
    const [serial] = await serialsOf(api, user);
    expect(BigInt(`0x${stdout.trim().split("=")[1]!}`).toString()).toBe(serial);
    const entries = await api.database.owner.query(sql`
      select event, client_id as client from audit_entries where user_id = ${user.id} and event = 'profile_create'
    `);
    expect(entries).toEqual([{ event: "profile_create", client: null }]);
  });

  test("the same form sent twice, or five times concurrently, creates one hand-over", async () => {
    const user = await person();
    const visitor = await visitorOf(api, user);
    const form = await visitor.get("/me/devices/new");
    const fields = { device_type: "Linux", name: "laptop", format: "", place: "here" };
    const answers = await Promise.all(Array.from({ length: 5 }, () => visitor.send(form, fields)));
    answers.push(await visitor.send(form, fields));
    expect(new Set(answers.map(({ url }) => url)).size).toBe(1);
    expect(new Set(answers.map(headingOf))).toEqual(new Set(["Set up laptop"]));
  });

  test("tapping Download again, or five times concurrently, creates one profile and returns the same file", async () => {
    const user = await person();
    const visitor = await visitorOf(api, user);
    const page = await visitor.add();
    const files = await Promise.all(Array.from({ length: 5 }, () => visitor.download(page)));
    files.push(await visitor.download(page));
    expect(new Set(files.map(({ text }) => text)).size).toBe(1);
    expect(files[0]!.text).toContain("PRIVATE KEY");
    expect(await serialsOf(api, user)).toHaveLength(1);
  });

  test("the limit holds for concurrent taps; a refused user sees why and can tap again", async () => {
    const user = await person({ profileOverride: 2 });
    const visitors = await Promise.all(Array.from({ length: 8 }, () => visitorOf(api, user)));
    const pages = await Promise.all(visitors.map((visitor) => visitor.add()));
    const answers = await Promise.all(visitors.map((visitor, index) => visitor.download(pages[index]!)));
    expect(answers.filter(({ text }) => text.includes("PRIVATE KEY"))).toHaveLength(2);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(6);
    for (const page of refused) expect(page.text).toContain("2 of 2 in use; revoke one you no longer need.");
    expect(await issuancesOf(user)).toHaveLength(2);

    await api.database.owner.query(sql`update users set profile_override = 3 where id = ${user.id}`);
    const index = answers.findIndex(({ status }) => status === 409);
    expect((await visitors[index]!.download(refused[0]!)).status).toBe(200);
    expect(await serialsOf(api, user)).toHaveLength(3);
  });

  test("a lock is checked when Download is tapped, and no longer matters once it is lifted", async () => {
    const user = await person();
    const visitor = await visitorOf(api, user);
    const page = await visitor.add();
    await api.database.owner.query(sql`update users set locked_at = now() where id = ${user.id}`);
    const refused = await visitor.download(page);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("Your account is locked");
    expect(await issuancesOf(user)).toEqual([]);
    expect(headingOf(await visitor.get(`${refused.url}?lang=en`))).toBe("Set up laptop");
    await api.database.owner.query(sql`update users set locked_at = null where id = ${user.id}`);
    expect((await visitor.download(refused)).text).toContain("PRIVATE KEY");
  });

  test("a claim expires after an hour, and no profile has been created", async () => {
    const user = await person();
    const visitor = await visitorOf(api, user);
    const page = await visitor.add();
    const [{ minutes } = { minutes: 0 }] = await api.database.owner.query<{ minutes: number }>(sql`
      select extract(epoch from expires_at - created_at)::integer / 60 as minutes from hand_overs where id = ${idOf(page)}
    `);
    expect(minutes).toBe(60);
    await change(page, sql`expires_at = now() - interval '1 second'`);
    const late = await visitor.download(page);
    expect(late).toMatchObject({ status: 410, url: page.url });
    expect(late.text).toContain("Nobody tapped Download within an hour");
    expect(await issuancesOf(user)).toEqual([]);
  });

  test("only the page's own form, in the browser that claimed the hand-over, creates the profile", async () => {
    const user = await person();
    const visitor = await visitorOf(api, user);
    const page = await visitor.add();
    const { action, fields } = formOf(page);
    const post = (
      browser: typeof visitor.browser,
      sent: Record<string, string>,
      headers: Record<string, string> = {},
    ) => browser.post(action, sent, { follow: false, headers });
    expect(await post(visitor.browser, {})).toMatchObject({ status: 403 });
    expect(await post(visitor.browser, fields, { origin: "https://evil.example" })).toMatchObject({ status: 403 });
    const elsewhere = await visitorOf(api, user);
    await elsewhere.get("/me");
    expect(await post(elsewhere.browser, fields)).toMatchObject({ status: 404 });
    const stranger = await visitorOf(api, await person());
    expect(await post(stranger.browser, fields)).toMatchObject({ status: 404 });
    expect(await issuancesOf(user)).toEqual([]);
    expect((await visitor.download(page)).status).toBe(200);
  });

  test("each error is shown, the input is kept, and nothing is created", async () => {
    const user = await person();
    const visitor = await visitorOf(api, user);
    for (const [fields, message, kept] of [
      [{ name: " " }, "1 to 64 characters", 'value="Linux" checked'],
      [{ name: "x".repeat(65) }, "1 to 64 characters", "x".repeat(65)],
      [{ name: "a\u0007b" }, "1 to 64 characters", 'value="Linux" checked'],
      [{ device_type: "Toaster" }, "Choose what kind of device it is.", 'value="laptop"'],
      [{ format: "mobileconfig" }, "does not suit a Linux computer", 'value="mobileconfig" checked'],
    ] as const) {
      const page = await visitor.add(fields);
      expect(page.status).toBe(400);
      expect(page.text).toContain(message);
      expect(page.text).toContain(kept);
      expect(page.text).toContain('role="alert" tabindex="-1" autofocus');
    }
    expect(await api.database.owner.query(sql`select id from hand_overs where user_id = ${user.id}`)).toEqual([]);
  });

  test.each([
    ["iOS", "", "application/x-apple-aspen-config", "laptop.mobileconfig"],
    ["MacOS", "", "application/x-apple-aspen-config", "laptop.mobileconfig"],
    ["Android", "", "application/eap-config", "laptop.eap-config"],
    ["Windows", "", "application/eap-config", "laptop.eap-config"],
    ["ChromeOS", "", "application/eap-config", "laptop.eap-config"],
    ["ChromeOS", "onc", "application/x-onc", "laptop.onc"],
    ["Linux", "", "application/x-tar", "laptop.tar"],
    ["Linux", "iwd", "application/x-tar", "laptop.tar"],
    ["Linux", "eap-config", "application/eap-config", "laptop.eap-config"],
    ["Other", "", "application/x-pkcs12", "laptop.p12"],
    ["Other", "crt", "application/x-pem-file", "laptop.crt"],
  ])("%s with the format %j gets %s", async (deviceType, format, type, filename) => {
    const visitor = await visitorOf(api, await person());
    const file = await visitor.download(await visitor.add({ device_type: deviceType, format }));
    expect(file.headers["content-type"]).toBe(type);
    expect(file.headers["content-disposition"]).toContain(`filename="${filename}"`);
  });

  test("a name with non-ASCII letters and a path in it becomes a safe file name", async () => {
    const visitor = await visitorOf(api, await person());
    const file = await visitor.download(await visitor.add({ name: '../Mias "Ü"/電話' }));
    expect(file.headers["content-disposition"]).toBe('attachment; filename="mias-u.pem"');
  });

  test("an owner can have twenty open hand-overs, claimed or not", async () => {
    const visitor = await visitorOf(api, await person());
    for (let count = 0; count < 20; count++) {
      expect(await visitor.add({ place: count % 2 === 0 ? "here" : "elsewhere" })).toMatchObject({ status: 200 });
    }
    expect(await visitor.add()).toMatchObject({ status: 429 });
  });

  // A worker would settle the issuance as failed after a few attempts, or issue the profile.
  describe("while no worker runs", () => {
    beforeAll(() => worker.stop());
    afterAll(async () => {
      worker = await api.startWorker();
    });

    test("a profile that no worker has created is shown as in preparation, and after half a minute the page suggests coming back later", async () => {
      const user = await person();
      const visitor = await visitorOf(api, user);
      const claimed = await visitor.add();
      const page = await visitor.download(claimed, { waits: false });
      expect(page.url).toBe(claimed.url);
      expect(headingOf(page)).toBe("Preparing your profile");
      expect(page.headers["refresh"]).toBe("2");
      expect(page.text).not.toContain("longer than usual");
      // Tapping Download again, or opening the address of the file, makes no second profile and does not fail.
      expect(headingOf(await visitor.download(claimed, { waits: false }))).toBe("Preparing your profile");
      expect(headingOf(await visitor.get(`${claimed.url}/file/laptop.pem`))).toBe("Preparing your profile");
      expect(await issuancesOf(user)).toHaveLength(1);
      await change(page, sql`picked_up_at = now() - interval '31 seconds'`);
      const late = await visitor.get(page.url);
      expect(late.text).toContain("it will be listed under My devices");
      expect((await visitor.get("/me")).text).toContain("Preparing");
    });
  });
});

/**
 * Returns the names under which a browser can save a response: RFC 6266 defines two, and browsers prefer the second.
 */
const savedNames = ({ headers }: { headers: Record<string, unknown> }): string[] => {
  const header = String(headers["content-disposition"]);
  const [, plain] = /filename="([^"]*)"/.exec(header) ?? [];
  const [, encoded] = /filename\*=UTF-8''([^;]*)/.exec(header) ?? [];
  return [plain, encoded === undefined ? undefined : decodeURIComponent(encoded)].filter((name) => name !== undefined);
};

test.each(["Linux computer", "Mia's laptop", "Büro/Rechner", "RADIUS CA", "con", "電話"])(
  "the command for %j names exactly the file that the browser saves, in one word",
  async (name) => {
    const visitor = await visitorOf(api, await person());
    for (const [format, folder, then] of [
      ["", "/etc/NetworkManager/system-connections", " && sudo nmcli connection reload"],
      ["iwd", "/var/lib/iwd", ""],
    ] as const) {
      const page = await visitor.add({ device_type: "Linux", name, format });
      const command = unescaped(/<pre class="copy">([\s\S]*?)<\/pre>/.exec(page.text)![1]!);
      const names = savedNames(await visitor.download(page));
      expect(names).toEqual([expect.stringMatching(/^[a-z0-9-]+\.tar$/)]);
      expect(command).toBe(`sudo tar -xf ${names[0]} -C ${folder}${then}`);
    }
  },
);

test("control: a second name in the same header is detected", () => {
  const headers = {
    "content-disposition": `attachment; filename="linux-computer.pem"; filename*=UTF-8''Linux%20computer.pem`,
  };
  expect(savedNames({ headers })).toEqual(["linux-computer.pem", "Linux computer.pem"]);
});

const unescaped = (html: string): string =>
  html.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&amp;", "&");

describe("the file", () => {
  const sealedOf = (page: Visit) =>
    api.database.owner.query(sql`
      select o.issuance_id from issuance_outputs o join hand_overs h on h.issuance_id = o.issuance_id
       where h.id = ${idOf(page)} and o.sealed is not null
    `);
  const handOversOf = (page: Visit) =>
    api.database.owner.query(sql`select id from hand_overs where id = ${idOf(page)}`);
  const after = (minutes: number) => {
    const at = new Date(systemClock.now().getTime() + minutes * 60_000);
    const deps = { db: api.database.open("realmpass_worker"), clock: { now: () => at }, log: silentLog };
    return {
      purge: () => purgeExpired(deps),
      revokeUnfetched: () => revokeUnfetched(deps),
      issue: (ids: readonly string[]) =>
        driveJobs(() => deps.db, deps)
          .deps()
          .issueAll(ids),
    };
  };
  const revocationsOf = (user: GivenUser) =>
    api.database.owner.query(sql`
      select c.revocation_reason as reason, e.user_id as by, e.properties->>'user' as of
        from certificates c
        join audit_entries e on e.event = 'profile_revoke' and e.properties->>'serial' = c.serial_number
       where c.user_id = ${user.id} and c.revoked_at is not null
    `);

  test("can be fetched repeatedly within half an hour of the first download; after that its page shows that the file has been erased", async () => {
    const visitor = await visitorOf(api, await person());
    const page = await visitor.add();
    const one = await visitor.download(page);
    const made = await visitor.get(page.url);
    expect(headingOf(made)).toBe("laptop is ready");
    expect((await visitor.get(fileOn(made))).text).toBe(one.text);
    await change(page, sql`downloaded_at = now() - interval '29 minutes'`);
    expect((await visitor.get(fileOn(made))).status).toBe(200);

    await change(page, sql`downloaded_at = now() - interval '31 minutes'`);
    expect(await visitor.get(fileOn(made))).toMatchObject({ status: 410 });
    const gone = await visitor.get(page.url);
    expect(headingOf(gone)).toBe("The file is gone");
    expect(gone.text).toContain("If you have it, all is well.");
    expect(gone.text).not.toContain("PRIVATE KEY");
  });

  test("half an hour after the first download, and not earlier, upkeep also erases the sealed output; the profile stays", async () => {
    const user = await person();
    const visitor = await visitorOf(api, user);
    const page = await visitor.add();
    await visitor.download(page);
    const made = await visitor.get(page.url);
    await after(29).purge();
    await after(29).revokeUnfetched();
    expect(await sealedOf(page)).toHaveLength(1);
    await after(31).revokeUnfetched();
    expect(await sealedOf(page)).toHaveLength(1);
    await after(31).purge();
    expect(await sealedOf(page)).toEqual([]);
    expect((await visitor.get(fileOn(made))).status).toBe(410);
    expect(await serialsOf(api, user)).toHaveLength(1);
  });

  test("that nobody fetches within half an hour is erased by upkeep, which also revokes its profile", async () => {
    for (const owner of ["person", "guest"] as const) {
      const user = await person();
      const account = await given.guestAccount({ realmId });
      const visitor = await visitorOf(api, owner === "person" ? user : undefined);
      const page = await visitor.add({}, { home: owner === "person" ? "/me" : `/guest/${account.token}` });
      const { action, fields } = formOf(page);
      const sent = await visitor.browser.post(action, fields, { follow: false });
      expect(sent).toMatchObject({ status: 303, headers: { location: expect.stringContaining("/file/") } });
      await after(29).revokeUnfetched();
      expect(await sealedOf(page)).toHaveLength(1);
      await after(31).purge();
      expect(await sealedOf(page)).toHaveLength(1);
      await after(31).revokeUnfetched();
      expect(await sealedOf(page)).toEqual([]);
      if (owner === "person") {
        expect(await revocationsOf(user)).toEqual([{ reason: 5, by: null, of: user.id }]);
        expect(await serialsOf(api, user)).toEqual([]);
        const { serial } = only(
          await api.database.owner.query<{ serial: string }>(sql`
            select serial_number as serial from certificates where user_id = ${user.id}
          `),
        );
        const activity = await api.as.service({ realmId }).get(`/api/profiles/${serial}/activity`);
        expect(activity.body.data).toMatchObject({
          revocation: { how: "single", by: { kind: "service", name: null } },
        });
      } else {
        expect(
          await api.database.owner.query(sql`
            select revocation_reason as reason from certificates where guest_account_id = ${account.id}
          `),
        ).toEqual([{ reason: 5 }]);
      }
      await api.database.owner.query(sql`
        update issuances set finished_at = now() - interval '31 minutes'
         where id = (select issuance_id from hand_overs where id = ${idOf(page)})
      `);
      const gone = await visitor.get(page.url);
      expect(gone.status).toBe(410);
      expect(gone.text).toContain("Nobody downloaded it within 30 minutes.");
      expect(gone.text).toContain("Add the device again.");
    }
  });

  test("that nobody fetched while no worker ran for a day is erased with its profile's revocation", async () => {
    const user = await person();
    const visitor = await visitorOf(api, user);
    const page = await visitor.add();
    const { action, fields } = formOf(page);
    await visitor.browser.post(action, fields, { follow: false });
    expect(await sealedOf(page)).toHaveLength(1);

    await after(24 * 60 + 1).purge();
    await after(24 * 60 + 1).revokeUnfetched();

    expect(await revocationsOf(user)).toEqual([{ reason: 5, by: null, of: user.id }]);
    expect(await sealedOf(page)).toEqual([]);
  });

  test("that is made a day after it was requested is not forgotten: unless somebody fetches it, its profile is revoked", async () => {
    // The worker cannot open this realm's issuer, so the test settles the issuance, at its own time.
    const user = await given.user({ realmId: await given.realm() });
    const visitor = await visitorOf(api, user);
    const page = await visitor.add();
    await visitor.download(page, { waits: false });
    const issuances = await issuancesOf(user);
    await after(26 * 60).purge();
    await after(26 * 60).issue(issuances.map(({ id }) => id));
    expect(await serialsOf(api, user)).toHaveLength(1);

    await after(26 * 60 + 29).revokeUnfetched();
    expect(await serialsOf(api, user)).toHaveLength(1);
    await after(26 * 60 + 31).purge();
    await after(26 * 60 + 31).revokeUnfetched();
    expect(await revocationsOf(user)).toEqual([{ reason: 5, by: null, of: user.id }]);
    expect(await sealedOf(page)).toEqual([]);

    await after(26 * 60 + 31).purge();
    expect(await handOversOf(page)).toEqual([]);
  });

  test("a file that is being downloaded during upkeep stays, and so does its profile", async () => {
    const user = await person();
    const visitor = await visitorOf(api, user);
    const page = await visitor.add();
    const { action, fields } = formOf(page);
    await visitor.browser.post(action, fields, { follow: false });
    await api.database.owner.transaction(async (tx) => {
      await tx.query(sql`update hand_overs set downloaded_at = now() where id = ${idOf(page)}`);
      await after(31).revokeUnfetched();
    });
    await after(31).revokeUnfetched();
    expect(await sealedOf(page)).toHaveLength(1);
    expect(await serialsOf(api, user)).toHaveLength(1);
  });

  test("a hand-over that was claimed under the previous release shows its file and who picked it up", async () => {
    const user = await person();
    const { owner, page, link } = await offer(user);
    const { device, page: claimed } = await take(link);
    await device.download(claimed);
    await change(page, sql`claimed_at = null, downloaded_at = null, offered_at = now()`);
    const ready = await device.get(link);
    expect(headingOf(ready)).toBe("laptop is ready");
    expect((await device.get(fileOn(ready))).text).toContain("private-key=");
    expect((await owner.get(page.url)).text).toContain("Picked up by ");
  });

  test("a hand-over is deleted a day after it ended", async () => {
    const { page } = await offer(await person());
    await after(24 * 60).purge();
    expect(await handOversOf(page)).toHaveLength(1);
    await after(24 * 60 + handOverMinutes + 1).purge();
    expect(await handOversOf(page)).toEqual([]);
  });

  test("a hand-over whose file was fetched is deleted a day after it ended", async () => {
    const user = await person();
    const visitor = await visitorOf(api, user);
    const page = await visitor.add();
    await visitor.download(page);
    await after(26 * 60).purge();
    await after(26 * 60).revokeUnfetched();
    expect(await handOversOf(page)).toEqual([]);
    expect(await sealedOf(page)).toEqual([]);
    expect(await serialsOf(api, user)).toHaveLength(1);
  });

  test("only the browser that claimed the hand-over gets the file, not the same user elsewhere or anyone else with the address", async () => {
    const user = await person();
    const visitor = await visitorOf(api, user);
    const page = await visitor.add();
    await visitor.download(page);
    const file = fileOn(await visitor.get(page.url));
    expect(await visitor.get(file)).toMatchObject({ status: 200 });
    const elsewhere = await visitorOf(api, user);
    expect(await elsewhere.get(file)).toMatchObject({ status: 404 });
    expect(headingOf(await elsewhere.get(page.url))).toBe("Picked up");
    const stranger = await visitorOf(api, await person());
    expect(await stranger.get(file)).toMatchObject({ status: 404 });
    expect(await stranger.get(page.url)).toMatchObject({ status: 404 });
    const signedOut = await (await visitorOf(api)).get(file, { follow: false });
    expect(signedOut).toMatchObject({
      status: 303,
      headers: { location: expect.stringMatching(/^\/login\?continue=/) },
    });
  });
});

describe("on another device", () => {
  test("the device claims the hand-over, the key is created when the device requests the file, and the first page shows who picked it up", async () => {
    const user = await person();
    const { owner, page, link } = await offer(user);
    expect(page.headers["refresh"]).toBe("3");
    const device = await visitorOf(api);
    const asked = await device.get(link);
    await device.get(link);
    const claimed = await device.send(asked, { device_type: "iOS" });
    expect(headingOf(claimed)).toBe("Set up laptop");
    expect(await issuancesOf(user)).toEqual([]);
    const picked = await owner.get(page.url);
    expect(picked.text).toMatch(/Picked up by an iPhone at <time datetime="[^"]+">\d\d:\d\d UTC<\/time>/);
    expect(picked.headers["refresh"]).toBeUndefined();

    expect((await device.download(claimed)).headers["content-type"]).toBe("application/x-apple-aspen-config");
    expect(headingOf(await device.get(link))).toBe("laptop is ready");
    expect((await owner.get(page.url)).text).toContain("The file was downloaded at");
    expect(await owner.get(`${page.url}/file/laptop.mobileconfig`)).toMatchObject({ status: 404 });
  });

  test("one of several concurrent devices claims the hand-over, and the others get a page that shows that the link was used", async () => {
    const user = await person();
    const { link } = await offer(user);
    const devices = await Promise.all(Array.from({ length: 10 }, () => visitorOf(api)));
    const asked = await Promise.all(devices.map((device) => device.get(link)));
    const taken = await Promise.all(devices.map((device, at) => device.send(asked[at]!, { device_type: "Linux" })));
    const headings = taken.map(headingOf).sort();
    expect(headings).toEqual(["Set up laptop", ...Array<string>(9).fill("This link was used already")]);
    const files = await Promise.all(
      devices.map((device, at) => device.browser.post(`${link}/file`, formOf(asked[at]!).fields)),
    );
    expect(files.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(404)]);
    expect(await serialsOf(api, user)).toHaveLength(1);
    const late = await (await visitorOf(api)).get(link);
    expect(late.status).toBe(410);
    expect(late.text).not.toContain("laptop");
  });

  test("a browser that presses the button several times reaches its page each time", async () => {
    const user = await person();
    const { link } = await offer(user);
    const device = await visitorOf(api);
    const asked = await device.get(link);
    const answers = await Promise.all([1, 2, 3].map(() => device.send(asked, { device_type: "Linux" })));
    expect(answers.map(headingOf)).toEqual(["Set up laptop", "Set up laptop", "Set up laptop"]);
    await Promise.all(answers.map((page) => device.download(page)));
    expect(await serialsOf(api, user)).toHaveLength(1);
  });

  test("the claimant has an hour from the claim, and afterwards sees that it expired", async () => {
    const user = await person();
    const { page, link } = await offer(user);
    await change(page, sql`created_at = now() - interval '9 minutes', expires_at = now() + interval '1 minute'`);
    const { device, page: claimed } = await take(link);
    const [{ minutes } = { minutes: 0 }] = await api.database.owner.query<{ minutes: number }>(sql`
      select extract(epoch from expires_at - claimed_at)::integer / 60 as minutes from hand_overs where id = ${idOf(page)}
    `);
    expect(minutes).toBe(60);
    await change(page, sql`expires_at = now() - interval '1 second'`);
    const late = await device.download(claimed);
    expect(late.text).toContain("Nobody tapped Download within an hour");
    expect(late.text).toContain("Get a new link where you began.");
    expect(await issuancesOf(user)).toEqual([]);
  });

  test("after 20 minutes the link has expired, and nothing is created", async () => {
    const user = await person();
    const { owner, page, link } = await offer(user);
    const device = await visitorOf(api);
    const asked = await device.get(link);
    await change(page, sql`expires_at = now() - interval '1 second'`);
    expect(headingOf(await device.send(asked, { device_type: "Linux" }))).toBe("This link has expired");
    expect(headingOf(await device.get(link))).toBe("This link has expired");
    expect(headingOf(await owner.get(page.url))).toBe("This code has expired");
    expect(await serialsOf(api, user)).toEqual([]);
  });

  test("only the page's own form claims the hand-over", async () => {
    const user = await person();
    const { owner, page, link } = await offer(user);
    const device = await visitorOf(api);
    const asked = await device.get(link);
    expect(await device.browser.post(link, { device_type: "Linux" }, { follow: false })).toMatchObject({ status: 403 });
    expect(headingOf(await owner.get(page.url))).toBe("Scan this with the other device");
    expect(headingOf(await device.send(asked, { device_type: "Linux" }))).toBe("Set up laptop");
    expect(headingOf(await owner.get(page.url))).toBe("Picked up");
  });

  test("a user who has been locked or offboarded since the offer gets nothing, and the hand-over stays unused", async () => {
    for (const column of [sql`locked_at`, sql`offboarded_at`]) {
      const user = await person();
      const { link } = await offer(user);
      await api.database.owner.query(sql`update users set ${column} = now() where id = ${user.id}`);
      const { device, page } = await take(link);
      expect(headingOf(await device.download(page))).toBe("No profile can be made now");
      expect(await issuancesOf(user)).toEqual([]);
      await api.database.owner.query(sql`update users set ${column} = null where id = ${user.id}`);
      expect((await device.download(page)).text).toContain("private-key=");
    }
  });

  test("a suggested name changes to the name of the device that claims the hand-over; a chosen name stays", async () => {
    const user = await person();
    await api.database.owner.query(sql`update users set display_name = 'Mia Keller' where id = ${user.id}`);
    const suggested = await offer(user, { device_type: "Windows", name: "Laptop of Mia" });
    expect(headingOf((await take(suggested.link, "iPadOS")).page)).toBe("Set up iPad of Mia");
    const chosen = await offer(user, { device_type: "Windows", name: "Mine" });
    expect(headingOf((await take(chosen.link, "iPadOS")).page)).toBe("Set up Mine");
  });

  test("an invalid link is reported and counts as a guess, and too many guesses are refused", async () => {
    const guesser = await visitorOf(api);
    const page = await guesser.get("/d/rph_AAAAAAAAAAAAAAAAAAAAAA");
    expect({ status: page.status, heading: headingOf(page) }).toEqual({
      status: 404,
      heading: "This link does not work",
    });
    let last = page;
    for (let tries = 0; tries < 40 && last.status === 404; tries++) last = await guesser.get(`/d/rph_${tries}`);
    expect(last.status).toBe(429);
    expect(Number(last.headers["retry-after"])).toBeGreaterThan(0);
    await api.database.owner.query(sql`delete from guesses`);
  });
});

test("tokens are in no log line, in no title and not in the database", async () => {
  const { owner, page, link } = await offer(await person());
  const token = link.split("/").at(-1)!;
  const { page: taken } = await take(link);
  await owner.get(page.url);
  expect(logged).toContain("/d/:token");
  expect(logged).not.toContain(token);
  for (const { text, headers } of [page, taken]) {
    expect(/<title>(.*?)<\/title>/.exec(text)![1]).not.toContain(token);
    expect(headers["referrer-policy"]).toBe("no-referrer");
  }
  const rows = await api.database.owner.query(sql`select h::text as row from hand_overs h`);
  expect(JSON.stringify(rows)).not.toContain(token);
});
