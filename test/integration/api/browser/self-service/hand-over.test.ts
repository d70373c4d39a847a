import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handOverToken } from "../../../../../api/browser/self-service/hand-over-token.ts";
import * as realms from "../../../../../db/queries/realm/realms.ts";
import { sql } from "../../../../../db/sql.ts";
import { masterKeys } from "../../../../../runtime/master-key.ts";
import { systemClock } from "../../../../../runtime/clock.ts";
import { purgeExpired } from "../../../../../worker/upkeep/upkeep.ts";
import { useApi } from "../../../../support/service/api.ts";
import type { Visit } from "../../../../support/browser/browser-session.ts";
import type { GivenUser } from "../../../../support/given/given.ts";
import { givenIssuingRealm } from "../../../../support/given/issuing.ts";
import { openssl } from "../../../../support/pki/openssl.ts";
import { describeWithTool, requireTool } from "../../../../support/run/tools.ts";
import { silentLog, type TestWorker } from "../../../../support/service/worker.ts";
import { fileOn, headingOf, serialsOf, visitorOf } from "./self-service-support.ts";

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

/** A hand-over to another device, and its link. */
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

describe("on this device", () => {
  test("a profile is made once, whose file has certificates and key, and is the person's own", async () => {
    const user = await person();
    const visitor = await visitorOf(api, user);
    const page = await visitor.add();
    expect(headingOf(page)).toBe("laptop is ready");
    const file = await visitor.get(fileOn(page));
    expect(file).toMatchObject({
      status: 200,
      headers: {
        "content-type": "application/x-pem-file",
        "content-disposition": `attachment; filename="laptop.pem"; filename*=UTF-8''laptop.pem`,
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

  test("the same form sent twice, or five times at once, makes one profile", async () => {
    const user = await person();
    const visitor = await visitorOf(api, user);
    const form = await visitor.get("/me/devices/new");
    const fields = { device_type: "Linux", name: "laptop", format: "", place: "here" };
    const answers = await Promise.all(Array.from({ length: 5 }, () => visitor.send(form, fields)));
    answers.push(await visitor.send(form, fields));
    expect(new Set(answers.map(({ url }) => url)).size).toBe(1);
    expect(new Set(answers.map(headingOf))).toEqual(new Set(["laptop is ready"]));
    expect(await serialsOf(api, user)).toHaveLength(1);
  });

  test("the limit holds for many forms at the same moment, and nothing is left of those that were refused", async () => {
    const user = await person({ profileOverride: 2 });
    const visitors = await Promise.all(Array.from({ length: 8 }, () => visitorOf(api, user)));
    const forms = await Promise.all(visitors.map((visitor) => visitor.get("/me/devices/new")));
    const fields = { device_type: "Linux", name: "laptop", format: "", place: "here" };
    const answers = await Promise.all(visitors.map((visitor, index) => visitor.send(forms[index]!, fields)));
    expect(answers.map(headingOf).filter((heading) => heading === "laptop is ready")).toHaveLength(2);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(6);
    for (const page of refused) expect(page.text).toContain("2 of 2 in use; revoke one you no longer need.");
    const rows = await api.database.owner.query(sql`select id from hand_overs where user_id = ${user.id}`);
    expect(rows).toHaveLength(2);
  });

  test("what is wrong is said beside its field, what was filled in is kept, and nothing is made", async () => {
    const user = await person();
    const visitor = await visitorOf(api, user);
    for (const [fields, said, kept] of [
      [{ name: " " }, "1 to 64 characters", 'value="Linux" checked'],
      [{ name: "x".repeat(65) }, "1 to 64 characters", "x".repeat(65)],
      [{ name: "a\u0007b" }, "1 to 64 characters", 'value="Linux" checked'],
      [{ device_type: "Toaster" }, "Choose what kind of device it is.", 'value="laptop"'],
      [{ format: "mobileconfig" }, "does not suit a Linux computer", 'value="mobileconfig" checked'],
    ] as const) {
      const page = await visitor.add(fields);
      expect(page.status).toBe(400);
      expect(page.text).toContain(said);
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
    ["Linux", "eap-config", "application/eap-config", "laptop.eap-config"],
    ["Other", "", "application/x-pkcs12", "laptop.p12"],
    ["Other", "crt", "application/x-pem-file", "laptop.crt"],
  ])("%s with the format %j gets %s", async (deviceType, format, type, filename) => {
    const visitor = await visitorOf(api, await person());
    const file = await visitor.get(fileOn(await visitor.add({ device_type: deviceType, format })));
    expect(file.headers["content-type"]).toBe(type);
    expect(file.headers["content-disposition"]).toContain(`filename="${filename}"`);
  });

  test("a name with non-ASCII letters and a path in it becomes a safe file name", async () => {
    const visitor = await visitorOf(api, await person());
    const file = await visitor.get(fileOn(await visitor.add({ name: '../Mias "Ü"/電話' })));
    expect(file.headers["content-disposition"]).toBe(
      `attachment; filename="mias-u.pem"; filename*=UTF-8''-Mias%20-%C3%9C--%E9%9B%BB%E8%A9%B1.pem`,
    );
  });

  // A worker would settle it as failed after a few attempts, or make it.
  describe("while no worker runs", () => {
    beforeAll(() => worker.stop());
    afterAll(async () => {
      worker = await api.startWorker();
    });

    test("a profile that no worker has made yet is prepared, and after half a minute nobody has to wait", async () => {
      const visitor = await visitorOf(api, await person());
      const page = await visitor.add({}, { waits: false });
      expect(headingOf(page)).toBe("Preparing your profile");
      expect(page.headers["refresh"]).toBe("2");
      expect(page.text).not.toContain("longer than usual");
      await change(page, sql`picked_up_at = now() - interval '31 seconds'`);
      const late = await visitor.get(page.url);
      expect(late.text).toContain("it will be listed under My devices");
      expect((await visitor.get("/me")).text).toContain("Preparing");
    });
  });
});

describeWithTool(["nmcli", "openssl"], "the commands for NetworkManager", () => {
  test("they make of the two files a connection that NetworkManager takes, and the CA is the profile's", async () => {
    const visitor = await visitorOf(api, await person());
    const page = await visitor.add({ name: "Mia's laptop" });
    const directory = await mkdtemp(join(tmpdir(), "network-manager-"));
    try {
      const [pem, ca] = [
        await visitor.get(fileOn(page)),
        await visitor.get(new URL("radius-ca.pem", fileOn(page)).href),
      ];
      await writeFile(join(directory, "mia-s-laptop.pem"), pem.text);
      await writeFile(join(directory, "radius-ca.pem"), ca.text);
      const commands = unescaped(/<pre class="copy">([\s\S]*?)<\/pre>/.exec(page.text)![1]!);
      // Written down instead of handed to a daemon that is not there.
      const script = `nmcli() { "${requireTool("nmcli")}" --offline "$@"; }\n${commands}`;
      const { status, stdout } = spawnSync("sh", ["-e", "-c", script], { cwd: directory, encoding: "utf8" });
      expect(status).toBe(0);
      expect(stdout).toContain(`private-key=${directory}/mia-s-laptop.pem`);
      expect(stdout).toContain("ssid=eduroam");
      expect(stdout).toMatch(/domain-match=radius\./);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

const unescaped = (html: string): string =>
  html.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&amp;", "&");

describe("the file", () => {
  test("it can be fetched several times within two minutes, then it is gone and its page says so", async () => {
    const visitor = await visitorOf(api, await person());
    const page = await visitor.add();
    const [one, two] = [await visitor.get(fileOn(page)), await visitor.get(fileOn(page))];
    expect(one.text).toBe(two.text);
    await change(page, sql`offered_at = now() - interval '119 seconds'`);
    expect((await visitor.get(fileOn(page))).status).toBe(200);

    await change(page, sql`offered_at = now() - interval '121 seconds'`);
    expect(await visitor.get(fileOn(page))).toMatchObject({ status: 410 });
    const gone = await visitor.get(page.url);
    expect(headingOf(gone)).toBe("The file is gone");
    expect(gone.text).not.toContain("PRIVATE KEY");
  });

  test("two minutes after it was offered upkeep erases the sealed output as well, and not before", async () => {
    const visitor = await visitorOf(api, await person());
    const page = await visitor.add();
    const sealed = () =>
      api.database.owner.query(sql`
        select o.issuance_id from issuance_outputs o join hand_overs h on h.issuance_id = o.issuance_id
         where h.id = ${idOf(page)} and o.sealed is not null
      `);
    const db = api.database.open("realmpass_worker");
    const tidyUp = (seconds: number) => {
      const at = new Date(systemClock.now().getTime() + seconds * 1000);
      return purgeExpired({ db, clock: { now: () => at }, log: silentLog });
    };
    await tidyUp(60);
    expect(await sealed()).toHaveLength(1);
    await tidyUp(130);
    expect(await sealed()).toEqual([]);
    expect((await visitor.get(fileOn(page))).status).toBe(410);
  });

  test("what ended a day ago is forgotten", async () => {
    const { page } = await offer(await person());
    const rows = () => api.database.owner.query(sql`select id from hand_overs where id = ${idOf(page)}`);
    const db = api.database.open("realmpass_worker");
    const tidyUp = (minutes: number) => {
      const at = new Date(systemClock.now().getTime() + minutes * 60_000);
      return purgeExpired({ db, clock: { now: () => at }, log: silentLog });
    };
    await tidyUp(24 * 60);
    expect(await rows()).toHaveLength(1);
    await tidyUp(24 * 60 + 11);
    expect(await rows()).toEqual([]);
  });

  test("nobody but the browser that picked it up gets it: not the same person elsewhere, not who knows the address", async () => {
    const user = await person();
    const visitor = await visitorOf(api, user);
    const page = await visitor.add();
    const elsewhere = await visitorOf(api, user);
    expect(await elsewhere.get(fileOn(page))).toMatchObject({ status: 404 });
    expect(headingOf(await elsewhere.get(page.url))).toBe("Picked up");
    const stranger = await visitorOf(api, await person());
    expect(await stranger.get(fileOn(page))).toMatchObject({ status: 404 });
    expect(await stranger.get(page.url)).toMatchObject({ status: 404 });
    const signedOut = await (await visitorOf(api)).get(fileOn(page), { follow: false });
    expect(signedOut).toMatchObject({
      status: 303,
      headers: { location: expect.stringMatching(/^\/login\?continue=/) },
    });
  });
});

describe("on another device", () => {
  test("the key is made when the device asks for it, not before, and the first page tells who picked it up", async () => {
    const user = await person();
    const { owner, page, link } = await offer(user);
    expect(page.headers["refresh"]).toBe("3");
    expect(await serialsOf(api, user)).toEqual([]);
    const device = await visitorOf(api);
    const asked = await device.get(link);
    await device.get(link);
    expect(await serialsOf(api, user)).toEqual([]);

    const ready = await device.send(asked, { device_type: "iOS" });
    expect(headingOf(ready)).toBe("laptop is ready");
    expect((await device.get(fileOn(ready))).headers["content-type"]).toBe("application/x-apple-aspen-config");
    const picked = await owner.get(page.url);
    expect(picked.text).toMatch(/Picked up by an iPhone at \d\d:\d\d/);
    expect(picked.headers["refresh"]).toBeUndefined();
    expect(await owner.get(`${page.url}/file/laptop.mobileconfig`)).toMatchObject({ status: 404 });
  });

  test("it is for one device: of many at the same moment one gets it, the others a calm page", async () => {
    const user = await person();
    const { link } = await offer(user);
    const devices = await Promise.all(Array.from({ length: 10 }, () => visitorOf(api)));
    const asked = await Promise.all(devices.map((device) => device.get(link)));
    const taken = await Promise.all(devices.map((device, at) => device.send(asked[at]!, { device_type: "Linux" })));
    const headings = taken.map(headingOf).sort();
    expect(headings).toEqual([...Array<string>(9).fill("This link was used already"), "laptop is ready"]);
    expect(await serialsOf(api, user)).toHaveLength(1);
    const late = await (await visitorOf(api)).get(link);
    expect(late.status).toBe(410);
    expect(late.text).not.toContain("laptop");
  });

  test("the same browser that presses twice gets to its profile each time", async () => {
    const user = await person();
    const { link } = await offer(user);
    const device = await visitorOf(api);
    const asked = await device.get(link);
    const answers = await Promise.all([1, 2, 3].map(() => device.send(asked, { device_type: "Linux" })));
    expect(answers.map(headingOf)).toEqual(["laptop is ready", "laptop is ready", "laptop is ready"]);
    expect(await serialsOf(api, user)).toHaveLength(1);
  });

  test("after ten minutes it is too late, and nothing is made", async () => {
    const user = await person();
    const { owner, page, link } = await offer(user);
    const device = await visitorOf(api);
    const asked = await device.get(link);
    await change(page, sql`expires_at = now()`);
    expect(headingOf(await device.send(asked, { device_type: "Linux" }))).toBe("This link has expired");
    expect(headingOf(await device.get(link))).toBe("This link has expired");
    expect(headingOf(await owner.get(page.url))).toBe("This code has expired");
    expect(await serialsOf(api, user)).toEqual([]);
  });

  test("only its own form takes it", async () => {
    const user = await person();
    const { link } = await offer(user);
    const device = await visitorOf(api);
    await device.get(link);
    expect(await device.browser.post(link, { device_type: "Linux" }, { follow: false })).toMatchObject({ status: 403 });
    expect(await serialsOf(api, user)).toEqual([]);
  });

  test("somebody who was locked or offboarded meanwhile gets nothing, and the hand-over is not used up", async () => {
    for (const column of [sql`locked_at`, sql`offboarded_at`]) {
      const user = await person();
      const { link } = await offer(user);
      await api.database.owner.query(sql`update users set ${column} = now() where id = ${user.id}`);
      expect(headingOf((await take(link)).page)).toBe("No profile can be made now");
      await api.database.owner.query(sql`update users set ${column} = null where id = ${user.id}`);
      expect(headingOf((await take(link)).page)).toBe("laptop is ready");
    }
  });

  test("the name that was suggested follows the device that picks it up; one that was chosen stays", async () => {
    const user = await person();
    await api.database.owner.query(sql`update users set display_name = 'Mia Keller' where id = ${user.id}`);
    const suggested = await offer(user, { device_type: "Windows", name: "Laptop of Mia" });
    expect(headingOf((await take(suggested.link, "iPadOS")).page)).toBe("iPad of Mia is ready");
    const chosen = await offer(user, { device_type: "Windows", name: "Mine" });
    expect(headingOf((await take(chosen.link, "iPadOS")).page)).toBe("Mine is ready");
  });

  test("a link that leads nowhere says so, counts as a guess, and many guesses are stopped", async () => {
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

test("tokens are in no log line and no title, and are not stored", async () => {
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
