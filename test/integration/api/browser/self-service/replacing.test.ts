import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { systemClock } from "../../../../../runtime/clock.ts";
import type { Log } from "../../../../../runtime/log.ts";
import { revokeSuperseded, revokeUnfetched } from "../../../../../worker/upkeep/upkeep.ts";
import { givenActivity } from "../../../../support/given/activity.ts";
import { fromNow, type GivenUser } from "../../../../support/given/given.ts";
import { givenIssuingRealm } from "../../../../support/given/issuing.ts";
import { silentLog } from "../../../../support/service/worker.ts";
import { useApi } from "../../../../support/service/api.ts";
import { eventually } from "../../../../support/run/eventually.ts";
import { fileOn, formOf, headingOf, serialsOf, visitorOf } from "./self-service-support.ts";

const api = useApi();
const { given } = api;
const activity = givenActivity(() => api.database.owner);
const hour = 60 * 60 * 1000;
const day = 24 * hour;
let realmId = "";

beforeAll(async () => {
  ({ realmId } = await givenIssuingRealm(api.database.owner));
  await api.startWorker();
});

const person = (more: object = {}): Promise<GivenUser> => given.user({ realmId, ...more });
const ending = (user: GivenUser, days: number) =>
  given.profile(user, { name: "laptop", createdAt: fromNow(-300 * day), notAfter: fromNow(days * day) });
const revokedOf = (user: GivenUser) =>
  api.database.owner.query(sql`
    select serial_number as serial, revocation_reason as reason from certificates
     where user_id = ${user.id} and revoked_at is not null
     order by id
  `);

/** Claims a hand-over that replaces a profile, in a new browser. */
async function claim(user: GivenUser, serial: string) {
  const visitor = await visitorOf(api, user);
  const page = await visitor.send(await visitor.get(`/me/devices/${serial}`), { place: "here" });
  return { visitor, page };
}

/** Sets a device up again; returns its page after the file is fetched, or the refusal. */
async function setUpAgain(user: GivenUser, serial: string) {
  const { visitor, page } = await claim(user, serial);
  if (page.status !== 200) return page;
  const file = await visitor.download(page);
  return file.status === 200 ? visitor.get(page.url) : file;
}

/** Taps Download, without fetching the file. */
const tap = async ({ visitor, page }: Awaited<ReturnType<typeof claim>>) => {
  const { action, fields } = formOf(page);
  return visitor.browser.post(action, fields, { follow: false });
};

describe("setting a device up again", () => {
  test.each([
    ["Renew", 29],
    ["Set up again", 31],
  ])("%s is offered %i days before the end, and first creates the new profile", async (words, days) => {
    const user = await person();
    const serial = await ending(user, days);
    const visitor = await visitorOf(api, user);
    expect((await visitor.get(`/me/devices/${serial}`)).text).toContain(`<h2>${words}</h2>`);
    expect((await visitor.get("/me")).text.includes(`${serial}#renew`)).toBe(words === "Renew");

    const ready = await setUpAgain(user, serial);
    expect(headingOf(ready)).toBe("laptop is ready");
    expect(ready.text).toContain(`/me/devices/${serial}/revoke`);
    expect(ready.text).toContain("The old one is revoked on");
    const serials = await serialsOf(api, user);
    expect(serials).toHaveLength(2);
    expect(serials).toContain(serial);

    const list = await visitor.get("/me");
    expect(list.text).toContain("Replaced by a new profile");
    expect(list.text).not.toContain(`${serial}#renew`);
    expect((await visitor.get(`/me/devices/${serial}`)).text).not.toContain("/renew");
    await visitor.send(await visitor.get(`/me/devices/${serial}/revoke`), {});
    expect(await revokedOf(user)).toEqual([{ serial, reason: 4 }]);
  });

  test("a user at the limit sets up one device three times in a row, and cannot add another one", async () => {
    const user = await person({ profileOverride: 1 });
    const first = await ending(user, 200);
    expect(headingOf(await setUpAgain(user, first))).toBe("laptop is ready");
    const [, second] = await serialsOf(api, user);
    expect(await (await visitorOf(api, user)).get("/me/devices/new")).toMatchObject({ status: 409 });

    expect(headingOf(await setUpAgain(user, second!))).toBe("laptop is ready");
    expect(await revokedOf(user)).toEqual([{ serial: first, reason: 4 }]);
    const [, third] = await serialsOf(api, user);
    expect(headingOf(await setUpAgain(user, third!))).toBe("laptop is ready");
    expect(await revokedOf(user)).toEqual([
      { serial: first, reason: 4 },
      { serial: second, reason: 4 },
    ]);
    expect(await serialsOf(api, user)).toHaveLength(2);
    const entries = await api.database.owner.query(sql`
      select user_id as by, client_id as client, properties->>'user' as "user" from audit_entries
       where event = 'profile_revoke' and properties->>'serial' = ${first}
    `);
    expect(entries).toEqual([{ by: null, client: null, user: user.id }]);
  });

  test("only replaced profiles are revoked to make room, the oldest first and as few as needed", async () => {
    const user = await person({ profileOverride: 5 });
    const [one, two, three, four] = [
      await ending(user, 200),
      await ending(user, 200),
      await ending(user, 200),
      await ending(user, 200),
    ];
    await setUpAgain(user, one);
    await setUpAgain(user, two);
    expect(await revokedOf(user)).toEqual([]);
    // The user is now one profile over the limit: the next replacement revokes the profile that was replaced first.
    await setUpAgain(user, three);
    expect(await revokedOf(user)).toEqual([{ serial: one, reason: 4 }]);
    await api.database.owner.query(sql`update users set profile_override = 2 where id = ${user.id}`);
    expect(await setUpAgain(user, four)).toMatchObject({ status: 409 });
    expect(await revokedOf(user)).toEqual([{ serial: one, reason: 4 }]);
  });

  test("a second replacement of a profile whose successor was sent replaces the successor", async () => {
    const user = await person({ profileOverride: 1 });
    const first = await ending(user, 200);
    const stale = await claim(user, first);
    await setUpAgain(user, first);
    const [, second] = await serialsOf(api, user);
    expect(await tap(stale)).toMatchObject({ status: 303 });
    expect(await revokedOf(user)).toEqual([{ serial: first, reason: 4 }]);
    const replaced = await api.database.owner.query(sql`
      select c.serial_number as serial from issuances i join certificates c on c.id = i.renews_certificate_id
       where i.user_id = ${user.id} order by i.created_at desc limit 1
    `);
    expect(replaced).toEqual([{ serial: second }]);
  });

  test("until a successor's file was sent, no other profile is replaced: of concurrent requests one succeeds", async () => {
    const user = await person({ profileOverride: 2 });
    const [one, two] = [await ending(user, 200), await ending(user, 200)];
    const claims = await Promise.all([one, one, one, two, two].map((serial) => claim(user, serial)));
    const answers = await Promise.all(claims.map(tap));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409, 409, 409, 409]);
    expect(await revokedOf(user)).toEqual([]);
  });

  test("a profile that was revoked before the tap is not replaced, and the new one counts towards the limit", async () => {
    const user = await person({ profileOverride: 2 });
    const [one, two] = [await ending(user, 200), await ending(user, 200)];
    const claims = [await claim(user, one), await claim(user, two)] as const;
    await api.database.owner.query(sql`
      insert into revocations (certificate_id, revoked_at, reason)
      select id, now(), 0 from certificates where serial_number in (${one}, ${two})
    `);
    await given.profile(user);
    expect(await tap(claims[0])).toMatchObject({ status: 303 });
    expect(await tap(claims[1])).toMatchObject({ status: 409 });
    const made = await api.database.owner.query(sql`
      select renews_certificate_id as renews from issuances where user_id = ${user.id}
    `);
    expect(made).toEqual([{ renews: null }]);
  });

  test("no form replaces another user's profile, or sets up a device again whose profile has ended if the user is at the limit", async () => {
    const user = await person({ profileOverride: 1 });
    const visitor = await visitorOf(api, user);
    const own = formOf(await visitor.get(`/me/devices/${await ending(user, 200)}`)).fields;
    const attempt = (serial: string) =>
      visitor.browser.post(`${api.url}/me/devices/${serial}/renew`, {
        ...own,
        hand_over: crypto.randomUUID(),
        place: "here",
      });
    expect(await attempt(await ending(await person(), 200))).toMatchObject({ status: 404 });
    const ended = await ending(user, -1);
    expect((await visitor.get(`/me/devices/${ended}`)).text).not.toContain("/renew");
    expect(await attempt(ended)).toMatchObject({ status: 409 });
    expect(await api.database.owner.query(sql`select from issuances where user_id = ${user.id}`)).toEqual([]);
  });

  test("the page that refuses the form links to itself in the other language", async () => {
    const user = await person({ profileOverride: 1 });
    const visitor = await visitorOf(api, user);
    const own = formOf(await visitor.get(`/me/devices/${await ending(user, 200)}`)).fields;
    const address = `${api.url}/me/devices/${await ending(user, -1)}/renew`;
    const refused = await visitor.browser.post(address, { ...own, hand_over: crypto.randomUUID(), place: "here" });
    expect(refused.status).toBe(409);
    const [, link] = /<a href="([^"]+)" lang="de"/.exec(refused.text) ?? [];
    const german = await visitor.browser.get(new URL(link!, address).href);
    expect(german.status).toBe(200);
    expect(german.text).toContain('<html lang="de"');
  });

  test("another device can claim the new profile", async () => {
    const user = await person({ profileOverride: 1 });
    const serial = await ending(user, 200);
    const visitor = await visitorOf(api, user);
    const page = await visitor.send(await visitor.get(`/me/devices/${serial}`), { place: "elsewhere" });
    expect(headingOf(page)).toBe("Scan this with the other device");
    expect(await serialsOf(api, user)).toEqual([serial]);
  });

  test.each([
    ["while the realm has no issuer", "Devices cannot be added yet", false],
    ["to a locked person", "Your account is locked", true],
  ])("at the limit, a replacement is refused %s, and nothing is revoked", async (_, words, isLocked) => {
    const other = await givenIssuingRealm(api.database.owner);
    const user = await given.user({ realmId: other.realmId, profileOverride: 1 });
    const serial = await ending(user, 29);
    await (isLocked
      ? api.database.owner.query(sql`update users set locked_at = now() where id = ${user.id}`)
      : api.database.owner.query(sql`update issuers set issuing = false where realm_id = ${other.realmId}`));
    const visitor = await visitorOf(api, user);
    const page = await visitor.send(await visitor.get(`/me/devices/${serial}`), { place: "elsewhere" });
    expect(page.status).toBe(409);
    expect(page.text).toContain(words);
    expect(await revokedOf(user)).toEqual([]);
  });
});

describe("the replaced profile", () => {
  /** Makes a person whose only profile was replaced just now. */
  const replaced = async (more: object = {}) => {
    const user = await person(more);
    const old = await ending(user, 200);
    await setUpAgain(user, old);
    const [, successor] = await serialsOf(api, user);
    return { user, old, successor: successor! };
  };
  /** Runs upkeep at this time from now; returns the logged lines. */
  const upkeepAt = async (ms: number) => {
    const at = new Date(systemClock.now().getTime() + ms);
    const logged: unknown[] = [];
    const log = { ...silentLog, info: (line: unknown): void => void logged.push(line) } as unknown as Log;
    await revokeSuperseded({ db: api.database.open("realmpass_worker"), clock: { now: () => at }, log });
    return logged;
  };

  test.each([
    ["at the limit", { profileOverride: 1 }],
    ["below it", {}],
  ])("is revoked 24 hours after the new file was sent, not before: %s", async (_, more) => {
    const { user, old, successor } = await replaced(more);
    await upkeepAt(24 * hour - 60_000);
    expect(await revokedOf(user)).toEqual([]);
    expect(await upkeepAt(24 * hour + 60_000)).toContainEqual(
      expect.objectContaining({ event: "upkeep.replaced_ended" }),
    );
    expect(await revokedOf(user)).toEqual([{ serial: old, reason: 4 }]);
    expect(await serialsOf(api, user)).toEqual([successor]);
    const entries = await api.database.owner.query(sql`
      select user_id as by, properties->>'user' as "user" from audit_entries
       where event = 'profile_revoke' and properties->>'serial' = ${old}
    `);
    expect(entries).toEqual([{ by: null, user: user.id }]);
  });

  test("is kept for 7 days if the network has since asked only about the replaced profile and not about the new one", async () => {
    const { user, old } = await replaced();
    const other = await replaced();
    await activity.check(old, fromNow(hour));
    expect(await upkeepAt(25 * hour)).toContainEqual(expect.objectContaining({ kept: 1 }));
    expect(await revokedOf(other.user)).toHaveLength(1);
    await upkeepAt(7 * day - 60_000);
    expect(await revokedOf(user)).toEqual([]);
    await upkeepAt(7 * day + 60_000);
    expect(await revokedOf(user)).toEqual([{ serial: old, reason: 4 }]);
  });

  test.each([
    ["the network asked about the new one as well", { old: hour, successor: 2 * hour }, {}],
    ["the network asked about the new one before the old one", { old: 2 * hour, successor: hour }, {}],
    ["the network asked about the old one before the new file was sent", { old: -hour }, {}],
    ["it is in use, beyond the limit", { old: hour }, { profileOverride: 1 }],
  ])("is revoked after 24 hours if %s", async (_, checks: { old: number; successor?: number }, more) => {
    const { user, old, successor } = await replaced(more);
    await activity.check(old, fromNow(checks.old));
    if (checks.successor !== undefined) await activity.check(successor, fromNow(checks.successor));
    await upkeepAt(25 * hour);
    expect(await revokedOf(user)).toEqual([{ serial: old, reason: 4 }]);
  });

  test("stays valid if its successor was revoked", async () => {
    const { user, old, successor } = await replaced({ profileOverride: 1 });
    const visitor = await visitorOf(api, user);
    await visitor.send(await visitor.get(`/me/devices/${successor}/revoke`), {});
    expect((await visitor.get("/me")).text).not.toContain("Replaced by a new profile");
    await upkeepAt(8 * day);
    expect(await serialsOf(api, user)).toEqual([old]);
  });

  test("stays valid if the new file was never sent, and the new profile is revoked", async () => {
    const user = await person();
    const old = await ending(user, 200);
    const claimed = await claim(user, old);
    await eventually(async () => {
      expect((await tap(claimed)).headers.location).toContain("/file/");
    });
    const { user: sent } = await replaced();
    const at = new Date(systemClock.now().getTime() + 31 * 60_000);
    await revokeUnfetched({ db: api.database.open("realmpass_worker"), clock: { now: () => at }, log: silentLog });
    await upkeepAt(25 * hour);
    expect(await serialsOf(api, user)).toEqual([old]);
    expect(await revokedOf(sent)).toHaveLength(1);
  });

  test("is not revoked later if the new file is fetched again", async () => {
    const user = await person();
    const { visitor, page } = await claim(user, await ending(user, 200));
    await visitor.download(page);
    const endOf = () =>
      api.database.owner.query(sql`select replaced_ends_at from issuances where user_id = ${user.id}`);
    const before = await endOf();
    expect(before).not.toEqual([{ replaced_ends_at: null }]);
    expect(await visitor.get(fileOn(await visitor.get(page.url)))).toMatchObject({ status: 200 });
    expect(await endOf()).toEqual(before);
  });

  test.each([
    ["revoked if it was beyond the limit", true],
    ["kept if it was not", false],
  ])("of a renewal by the previous release is %s", async (_, beyondLimit) => {
    const { user, old } = await replaced();
    await api.database.owner.query(sql`
      update issuances set replaced_ends_at = null, beyond_limit = ${beyondLimit} where user_id = ${user.id}
    `);
    await upkeepAt(23 * hour);
    expect(await revokedOf(user)).toEqual([]);
    await upkeepAt(25 * hour);
    expect(await revokedOf(user)).toEqual(beyondLimit ? [{ serial: old, reason: 4 }] : []);
  });
});
