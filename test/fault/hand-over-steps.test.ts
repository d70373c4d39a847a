import { expect } from "vitest";
import { sql } from "../../db/sql.ts";
import { hashOfToken } from "../../runtime/keys/secret-token.ts";
import { createBrowserSession, formsOf, type Visit } from "../support/browser/browser-session.ts";
import { givenRows } from "../support/given/given.ts";
import { eventually } from "../support/run/eventually.ts";
import { ended } from "../support/run/services.ts";
import { faultTest, hold, holdEnqueuing, onBothBackends, queueDepths } from "../support/service/fault.ts";
import type { RunningService } from "../support/service/service.ts";

/** docs/self-service.md lists the steps that these tests interrupt. */

const key = "PRIVATE KEY";
const device = { device_type: "Linux", name: "laptop", format: "pem" };

/** Makes a browser, with or without a signed-in user, that keeps its cookies when another api process takes over. */
async function givenBrowser(service: RunningService, { signedIn = true } = {}) {
  const host = () => `127.0.0.1:${service.apiPort}`;
  const browser = createBrowserSession(() => [`http://${host()}`]);
  const kept = new Map<string, string>();
  const asked = async (ask: (url: string) => Promise<Visit>, path: string): Promise<Visit> => {
    for (const [name, value] of kept) browser.cookies.set(`${host()} ${name}`, value);
    const visit = await ask(`http://${host()}${path}`);
    for (const [name, value] of browser.cookies) kept.set(name.split(" ")[1] ?? "", value);
    return visit;
  };
  if (signedIn) {
    const given = givenRows(() => service.owner);
    kept.set("realmpass-login", await given.login(await given.user({ realmId: service.realmId })));
  }
  const pathOf = (url: string): string => new URL(url).pathname;
  const session = {
    get: (path: string) => asked((url) => browser.get(url), path),
    /** Posts the page's form; ignores the sign-out form. */
    async post(page: Visit, fields: Record<string, string> = {}, follow = true): Promise<Visit> {
      const form = formsOf(page).find(({ action }) => !action.endsWith("/login/end"));
      if (form === undefined) throw new Error(`there is no form on ${page.url}`);
      return asked((url) => browser.post(url, { ...form.fields, ...fields }, { follow }), pathOf(form.action));
    },
    /** Taps Download until the page returns a file, as a waiting user would. */
    tapUntilThere: (page: Visit): Promise<Visit> =>
      eventually(
        async () => {
          const file = await session.post(page);
          // The file is PEM or a connection file for NetworkManager.
          expect(file.text).toMatch(/PRIVATE KEY|^private-key=/m);
          return file;
        },
        { withinMs: 60_000 },
      ),
  };
  return session;
}

const headingOf = ({ text }: Visit): string => /<h1>(.*?)<\/h1>/.exec(text)?.[1] ?? "";

/** Makes a hand-over that this browser has claimed. */
async function givenClaim(service: RunningService) {
  const browser = await givenBrowser(service);
  const form = await browser.get("/me/devices/new");
  const page = await browser.post(form, { ...device, place: "here" });
  expect(headingOf(page)).toBe("Set up laptop");
  return { browser, page };
}

/** Makes a claim with an issued profile whose file the device has not fetched. */
async function givenFile(service: RunningService) {
  const { browser, page } = await givenClaim(service);
  const path = await eventually(async () => {
    const { headers } = await browser.post(page, {}, false);
    expect(headers.location).toContain("/file/");
    return headers.location!;
  });
  return { browser, page, path };
}

interface Standing {
  claimed: boolean;
  used: boolean;
  downloaded: boolean;
  status: string | null;
  sealed: boolean | null;
  reason: number | null;
}

const standings = ({ owner }: RunningService): Promise<Standing[]> =>
  owner.query<Standing>(sql`
    select h.claimed_at is not null as claimed, h.picked_up_at is not null as used,
           h.downloaded_at is not null as downloaded, i.status, o.issuance_id is not null and o.sealed is not null as sealed,
           c.revocation_reason as reason
      from hand_overs h
      left join issuances i on i.id = h.issuance_id
      left join issuance_outputs o on o.issuance_id = i.id
      left join certificates c on c.issuance_id = i.id
  `);

const certificatesOf = ({ owner }: RunningService) => owner.query(sql`select from certificates`);

const claimedOnly = { claimed: true, used: false, downloaded: false, status: null, sealed: false, reason: null };

const step = faultTest("postgres");

step(
  "if the api is killed before step 1 commits, nothing exists, and the same form makes one hand-over",
  async (service) => {
    const browser = await givenBrowser(service);
    const form = await browser.get("/me/devices/new");
    const inserting = await hold(service, sql`lock table hand_overs in share mode`);
    const first = browser.post(form, { ...device, place: "here" }).catch(() => undefined);
    await inserting.reached("api", "insert into hand_overs");
    await ended(service.api[0]!, "SIGKILL");
    await first;
    await inserting.drop();
    await inserting.release();
    expect(await standings(service)).toEqual([]);

    await service.startApi();
    expect(headingOf(await browser.post(form, { ...device, place: "here" }))).toBe("Set up laptop");
    expect(await standings(service)).toEqual([claimedOnly]);
  },
);

step(
  "if the api is killed after step 1, the same form leads to the same hand-over, and no profile is made",
  async (service) => {
    const browser = await givenBrowser(service);
    const form = await browser.get("/me/devices/new");
    const page = await browser.post(form, { ...device, place: "here" });
    await ended(service.api[0]!, "SIGKILL");
    await service.startApi();
    const again = await browser.post(form, { ...device, place: "here" });
    expect(new URL(again.url).pathname).toBe(new URL(page.url).pathname);
    expect(await standings(service)).toEqual([claimedOnly]);
  },
);

step(
  "if the api is killed before step 2 commits, the link works for the first device that uses it",
  async (service) => {
    const owner = await givenBrowser(service);
    await owner.post(await owner.get("/me/devices/new"), { ...device, place: "elsewhere" });
    await service.owner.query(sql`update hand_overs set token_hash = ${hashOfToken("rph_test")}`);
    const phone = await givenBrowser(service, { signedIn: false });
    const asked = await phone.get("/d/rph_test");
    const claiming = await hold(service, sql`lock table hand_overs in share mode`);
    const first = phone.post(asked, device).catch(() => undefined);
    await claiming.reached("api", "update hand_overs");
    await ended(service.api[0]!, "SIGKILL");
    await first;
    await claiming.drop();
    await claiming.release();
    expect(await standings(service)).toMatchObject([{ claimed: false, used: false }]);

    await service.startApi();
    const other = await givenBrowser(service, { signedIn: false });
    expect(headingOf(await other.post(await other.get("/d/rph_test"), device))).toBe("Set up laptop");
    expect(headingOf(await phone.get("/d/rph_test"))).toBe("This link was used already");
  },
);

step("if the api is killed before step 3 commits, nothing is made, and Download makes one profile", async (service) => {
  const { browser, page } = await givenClaim(service);
  const accepting = await hold(service, sql`lock table issuances in share mode`);
  const first = browser.post(page).catch(() => undefined);
  await accepting.reached("api", "insert into issuances");
  await ended(service.api[0]!, "SIGKILL");
  await first;
  await accepting.drop();
  await accepting.release();
  expect(await standings(service)).toEqual([claimedOnly]);
  expect(await service.owner.query(sql`select from issuances`)).toEqual([]);

  await service.startApi();
  await browser.tapUntilThere(page);
  expect(await certificatesOf(service)).toHaveLength(1);
});

step(
  "if the api is killed before step 3 commits, the oldest profile stays, and the next tap revokes it to make room",
  async (service) => {
    const browser = await givenBrowser(service);
    await service.owner.query(sql`update users set profile_override = 1`);
    const setUp = async (path: string, fields: Record<string, string>) =>
      browser.post(await browser.get(path), { ...fields, place: "here" });
    const serials = async () => {
      const rows = await service.owner.query<{ serial: string }>(sql`
      select serial_number as serial from certificates where revoked_at is null order by id
    `);
      return rows.map(({ serial }) => serial);
    };
    await browser.tapUntilThere(await setUp("/me/devices/new", device));
    const [first] = await serials();
    await browser.tapUntilThere(await setUp(`/me/devices/${first}`, {}));
    const [, second] = await serials();
    const page = await setUp(`/me/devices/${second}`, {});
    const accepting = await hold(service, sql`lock table issuances in share mode`);
    const tapped = browser.post(page).catch(() => undefined);
    await accepting.reached("api", "insert into issuances");
    await ended(service.api[0]!, "SIGKILL");
    await tapped;
    await accepting.drop();
    await accepting.release();
    expect(await serials()).toEqual([first, second]);

    await service.startApi();
    await browser.tapUntilThere(page);
    expect(await serials()).toEqual([second, expect.any(String)]);
  },
);

onBothBackends((kind) => {
  faultTest(kind)(
    "if the api is killed after step 3, a worker makes the profile without a task in the queue, and Download returns it",
    async (service) => {
      const { browser, page } = await givenClaim(service);
      const enqueuing = await holdEnqueuing(service);
      const first = browser.post(page).catch(() => undefined);
      await enqueuing.reached(() =>
        eventually(async () => {
          expect(await standings(service)).toMatchObject([{ used: true, status: "queued" }]);
        }),
      );
      await ended(service.api.at(-1)!, "SIGKILL");
      await first;
      await enqueuing.release();
      expect(await queueDepths(service)).toMatchObject({ issuance: 0 });
      await eventually(
        async () => {
          expect(await standings(service)).toMatchObject([{ status: "issued", downloaded: false, sealed: true }]);
        },
        { withinMs: 60_000 },
      );

      await service.startApi();
      expect(headingOf(await browser.get(new URL(page.url).pathname))).toBe("laptop is ready");
      await browser.tapUntilThere(page);
      expect(await certificatesOf(service)).toHaveLength(1);
    },
  );
});

step(
  "if the api is killed after step 4 before it sends a byte, the browser can fetch the file again",
  async (service) => {
    const { browser, page, path } = await givenFile(service);
    const collecting = await hold(service, sql`lock table issuance_outputs in share mode`);
    const first = browser.get(path).catch(() => undefined);
    await collecting.reached("api", "issuance_outputs");
    await ended(service.api[0]!, "SIGKILL");
    expect(await first).toBeUndefined();
    await collecting.drop();
    await collecting.release();
    expect(await standings(service)).toMatchObject([{ downloaded: true, sealed: true }]);

    await service.startApi();
    const file = await browser.get(path);
    expect(file).toMatchObject({ status: 200, text: expect.stringContaining(key) });
    expect((await browser.tapUntilThere(page)).text).toBe(file.text);
    expect(await certificatesOf(service)).toHaveLength(1);
  },
);

step(
  "if the worker is killed before step 5 commits, files and profiles stay, and the next worker revokes the unfetched profile",
  async (service) => {
    const { browser, path, page } = await givenFile(service);
    await givenFile(service);
    const revoking = await hold(service, sql`lock table revocations in share mode`);
    await service.owner.query(sql`update issuance_outputs set created_at = now() - interval '31 minutes'`);
    await revoking.reached("worker", "insert into revocations");
    await ended(service.workers[0]!, "SIGKILL");
    await revoking.drop();
    await revoking.release();
    const untouched = { downloaded: false, sealed: true, reason: null };
    expect(await standings(service)).toMatchObject([untouched, untouched]);
    expect((await browser.get(path)).text).toContain(key);

    await service.startWorker();
    await eventually(
      async () => {
        expect((await standings(service)).filter(({ reason }) => reason !== null)).toMatchObject([
          { downloaded: false, sealed: false, reason: 5 },
        ]);
      },
      { withinMs: 60_000 },
    );
    expect((await browser.tapUntilThere(page)).status).toBe(200);
    const entries = await service.owner.query(sql`
    select user_id as by, properties ->> 'unfetched' as unfetched from audit_entries where event = 'profile_revoke'
  `);
    expect(entries).toEqual([{ by: null, unfetched: "true" }]);
  },
);
