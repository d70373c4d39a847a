import { beforeAll, describe, expect, test } from "vitest";
import * as realms from "../../../../../db/queries/realm/realms.ts";
import { sql } from "../../../../../db/sql.ts";
import { sendRequest, useApi } from "../../../../support/service/api.ts";
import { fromNow, type GivenUser } from "../../../../support/given/given.ts";
import { givenIssuingRealm } from "../../../../support/given/issuing.ts";
import { userAgents } from "../../../../support/browser/user-agents.ts";
import { formOf, headingOf, serialsOf, visitorOf } from "./self-service-support.ts";

const api = useApi();
const { given } = api;
const day = 24 * 60 * 60 * 1000;
let realmId = "";

beforeAll(async () => {
  ({ realmId } = await givenIssuingRealm(api.database.owner));
  await realms.update(api.database.owner, realmId, { displayName: "University of Example" });
  await api.startWorker();
});

const person = (more: object = {}): Promise<GivenUser> => given.user({ realmId, ...more });
const revokedOf = (user: GivenUser) =>
  api.database.owner.query(sql`
    select serial_number as serial, revocation_reason as reason from certificates
     where user_id = ${user.id} and revoked_at is not null
  `);

describe("my devices", () => {
  test("show each active profile with its status, its end and a way to revoke it", async () => {
    const user = await person();
    const serial = await given.profile(user, { name: "My <b>phone</b>", deviceType: "iOS" });
    await given.profile(user, { name: "ended", createdAt: fromNow(-9 * day), notAfter: fromNow(-day) });
    await given.profile(await person(), { name: "somebody else's" });
    const page = await (await visitorOf(api, user)).get("/me");
    expect(page.text).toContain("1 of 5 profiles in use");
    expect(page.text).toContain('<meter min="0" max="5" value="1"');
    expect(page.text).toContain("My &lt;b&gt;phone&lt;/b&gt;");
    expect(page.text).toContain(`/me/devices/${serial}/revoke`);
    expect(page.text).toContain("Active");
    expect(page.text).toContain("Valid until <time ");
    expect(page.text).not.toMatch(/ended|somebody else|Renew/);
  });

  test("at the limit, the link to another device leads to the list first, and the page explains why", async () => {
    const user = await person({ profileOverride: 1 });
    await given.profile(user);
    const visitor = await visitorOf(api, user);
    const page = await visitor.get("/me");
    expect(page.text).toContain('href="#devices">Free a place first');
    expect(page.text).toContain('<ul id="devices"');
    expect(page.text).not.toContain("Add a device");
    expect(page.text).toContain("1 of 1 in use; revoke one you no longer need.");
    expect(await visitor.get("/me/devices/new")).toMatchObject({ status: 409 });
  });

  test("a locked user cannot add a device but can still revoke", async () => {
    const user = await person({ lockedAt: new Date(0) });
    const serial = await given.profile(user);
    const visitor = await visitorOf(api, user);
    const page = await visitor.get("/me");
    expect(page.text).toContain("Your account is locked");
    expect(page.text).toContain('aria-disabled="true">Add a device');
    expect((await visitor.get("/me/devices/new")).text).not.toContain("device_type");
    await visitor.send(await visitor.get(`/me/devices/${serial}/revoke`), {});
    expect(await serialsOf(api, user)).toEqual([]);
  });

  test("a user who is not signed in, or was offboarded, signs in and then returns", async () => {
    const nobody = await (await visitorOf(api)).get("/me/devices/new?lang=de", { follow: false });
    expect(nobody).toMatchObject({
      status: 303,
      headers: { location: `/login?continue=${encodeURIComponent("/me/devices/new")}` },
    });
    const user = await person();
    const visitor = await visitorOf(api, user);
    await api.database.owner.query(sql`update users set offboarded_at = now() where id = ${user.id}`);
    expect(await visitor.get("/me", { follow: false })).toMatchObject({
      status: 303,
      headers: { location: `/login?continue=${encodeURIComponent("/me")}` },
    });
  });

  test("input for a new device is restored after the session has ended and the user has signed in again", async () => {
    const user = await person();
    const visitor = await visitorOf(api, user);
    const cookie = `${new URL(api.url).host} realmpass-login`;
    const typed = { device_type: "Windows", name: "Ada's laptop", format: "pkcs12", place: "here" };
    const lose = async () => {
      const page = await visitor.get("/me/devices/new");
      await api.database.owner.query(sql`delete from logins where user_id = ${user.id}`);
      const form = formOf(page);
      return visitor.browser.post(form.action, { ...form.fields, ...typed }, { follow: false });
    };
    const answer = await lose();
    expect(answer).toMatchObject({
      status: 303,
      headers: { location: `/login?continue=${encodeURIComponent("/me/devices/new")}` },
    });
    expect(JSON.stringify(answer.headers)).not.toContain("laptop");
    visitor.browser.cookies.set(cookie, await api.given.login(user));
    const again = await visitor.get("/me/devices/new");
    expect(again.text).toContain('value="Ada&#39;s laptop"');
    expect(again.text).toMatch(/value="Windows"[^>]* checked/);
    expect(again.text).toMatch(/value="pkcs12" checked/);
    expect((await visitor.get("/me/devices/new")).text).not.toContain("Ada&#39;s laptop");

    await lose();
    const other = await person();
    visitor.browser.cookies.set(cookie, await api.given.login(other));
    expect((await visitor.get("/me/devices/new")).text).not.toContain("Ada&#39;s laptop");
    visitor.browser.cookies.set(cookie, await api.given.login(user));
    expect((await visitor.get("/me/devices/new")).text).not.toContain("Ada&#39;s laptop");
  });

  test("the input of a form that another site sends is not kept", async () => {
    const user = await person();
    const visitor = await visitorOf(api);
    const sent = await visitor.browser.post(
      `${api.url}/me/devices/new`,
      { device_type: "Windows", name: "planted", user: user.id, form_token: "forged" },
      { follow: false },
    );
    expect(sent).toMatchObject({ status: 303, headers: { location: `/login?continue=${encodeURIComponent("/me")}` } });
    expect(sent.headers["set-cookie"] ?? []).toEqual([]);
  });

  describe("a reactivated user", () => {
    const administrator = () => api.as.service({ realmId });
    const notice = /Your access ended on <time [^>]+>[^<]+<\/time> and came back on <time [^>]+>[^<]+<\/time>\./;

    test("sees once that their earlier devices must be set up again", async () => {
      const user = await person();
      await given.profile(user);
      await administrator().delete(`/api/user/${user.id}`);
      await administrator().put(`/api/user/${user.id}/undelete`);
      const visitor = await visitorOf(api, user);
      const page = await visitor.get("/me");
      expect(page.text).toMatch(notice);
      expect(page.text).toContain("Devices that you had before have to be set up again.");
      expect(page.text).not.toContain("stayed on the network");
      expect((await visitor.get("/me")).text).not.toMatch(notice);
    });

    test("sees that their devices stayed on if they return within the grace period, in German as well", async () => {
      const user = await person();
      await given.profile(user, { createdAt: fromNow(-day) });
      await administrator().delete(`/api/user/${user.id}`, { graceDays: 7 });
      await administrator().put(`/api/user/${user.id}/undelete`);
      const page = await (await visitorOf(api, user)).get("/me?lang=de");
      expect(page.text).toMatch(
        /Ihr Zugang endete am <time [^>]+>[^<]+<\/time> und besteht seit dem <time [^>]+>[^<]+<\/time> wieder\./,
      );
      expect(page.text).toContain("Ihre Geräte sind im Netz geblieben.");
      expect(page.text).not.toContain("neu einrichten");
    });

    test("sees the notice on only one of two pages that are loaded concurrently", async () => {
      const user = await person();
      await administrator().delete(`/api/user/${user.id}`);
      await administrator().put(`/api/user/${user.id}/undelete`);
      const visitor = await visitorOf(api, user);
      const pages = await Promise.all([visitor.get("/me"), visitor.get("/me")]);
      expect(pages.filter(({ text }) => notice.test(text))).toHaveLength(1);
    });
  });

  test("administrators see a link to the console, others do not", async () => {
    const admin = await visitorOf(api, await person({ administrator: true }));
    expect((await admin.get("/me")).text).toContain('href="/console"');
    expect((await (await visitorOf(api, await person())).get("/me")).text).not.toContain("/console");
  });

  test("the pages are small, run no script, are not cached, and exist in German as well", async () => {
    const user = await person();
    for (let count = 0; count < 5; count++) await given.profile(user);
    const visitor = await visitorOf(api, user);
    const shown = [await visitor.get("/me"), await visitor.get("/me/devices/new"), await visitor.get("/me/apps")];
    const other = await visitorOf(api, await person());
    shown.push(await other.add(), await other.add({ place: "elsewhere" }));
    for (const page of shown) {
      const style = await visitor.get(/href="(\/assets\/[^"]+\.css)"/.exec(page.text)![1]!);
      expect(page.text.length + style.text.length).toBeLessThan(20_000);
      expect(page.text).not.toMatch(/<script|<style|style=|(?:src|href)="https?:\/\/|\son\w+=/i);
      expect(page.headers).toMatchObject({
        "cache-control": "no-store",
        "content-security-policy":
          "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
      });
    }
    for (const path of ["/me/devices/new", "/me/apps", "/me"]) {
      expect((await visitor.get(`${path}?lang=de`)).text).toContain('<html lang="de"');
    }
    expect(headingOf(await visitor.get("/me?lang=de"))).toBe("Meine Geräte");
  });
});

describe("one device", () => {
  test("the page for another user's or another realm's serial number is the same as for an unknown one", async () => {
    const visitor = await visitorOf(api, await person());
    const theirs = await given.profile(await person());
    const elsewhere = await given.profile(await given.user({ realmId: api.realmId }));
    const guest = await given.guestAccount({ realmId });
    const guests = await given.profile({ realmId }, { guestAccountId: guest.id });
    const stable = (text: string) => text.replace(/<dl>.*?<\/dl>/gs, "");
    const pages = [];
    for (const serial of [theirs, elsewhere, guests, "12345", "x", "0", "1".repeat(60)]) {
      for (const path of ["", "/revoke"]) pages.push(await visitor.get(`/me/devices/${serial}${path}`));
    }
    expect(new Set(pages.map(({ status, text }) => `${status}${stable(text)}`)).size).toBe(1);
    expect(pages[0]).toMatchObject({ status: 404 });
  });

  test("revoking asks for confirmation, and the page then shows the profile as revoked", async () => {
    const user = await person();
    const serial = await given.profile(user, { name: "My phone" });
    const visitor = await visitorOf(api, user);
    const asked = await visitor.get(`/me/devices/${serial}/revoke`);
    expect(headingOf(asked)).toBe("Revoke My phone?");
    expect(await serialsOf(api, user)).toEqual([serial]);

    expect(await visitor.browser.post(asked.url, {}, { follow: false })).toMatchObject({ status: 403 });
    const { action, fields } = formOf(asked);
    const headers = { origin: "https://evil.example" };
    expect(await visitor.browser.post(action, fields, { follow: false, headers })).toMatchObject({ status: 403 });
    expect(await serialsOf(api, user)).toEqual([serial]);

    const done = await visitor.send(asked, {});
    expect(done.text).toContain("My phone is revoked.");
    expect(await revokedOf(user)).toEqual([{ serial, reason: 0 }]);
    const entries = await api.database.owner.query(sql`
      select event, client_id as client, properties->>'serial' as serial from audit_entries where user_id = ${user.id}
    `);
    expect(entries).toContainEqual({ event: "profile_revoke", client: null, serial });
    expect((await visitor.get(`/me/devices/${serial}`)).text).toContain("Revoked");
  });

  test("a user cannot revoke another user's profile with a form from their own page", async () => {
    const [one, other] = [await person(), await person()];
    const [mine, theirs] = [await given.profile(one), await given.profile(other)];
    const visitor = await visitorOf(api, one);
    const { fields } = formOf(await visitor.get(`/me/devices/${mine}/revoke`));
    expect(await visitor.browser.post(`${api.url}/me/devices/${theirs}/revoke`, fields)).toMatchObject({ status: 404 });
    expect(await serialsOf(api, other)).toEqual([theirs]);
  });
});

describe("connected applications", () => {
  test("each application is shown with its permissions, and withdrawing consent ends its sessions with an audit entry", async () => {
    const user = await person();
    const { clientId } = await given.application({ realmId, type: "useragent", name: "Course planner" });
    await given.consent(user, clientId, { scopes: ["profile.read"] });
    const session = await given.session({ user, clientId });
    const visitor = await visitorOf(api, user);
    const page = await visitor.get("/me/apps");
    expect(page.text).toContain("Course planner");
    expect(page.text).toContain("see profiles");

    expect(await visitor.browser.post(`${api.url}/me/apps/${clientId}/withdraw`, {})).toMatchObject({ status: 403 });
    const after = await visitor.send(page, {});
    expect(after.text).toContain("Withdrawn.");
    expect(after.text).not.toContain("Course planner");
    expect(await api.database.owner.query(sql`select id from sessions where id = ${session.id}`)).toEqual([]);
    const entries = await api.database.owner.query(sql`
      select event from audit_entries where user_id = ${user.id} and event = 'consent_withdraw'
    `);
    expect(entries).toHaveLength(1);
  });

  test("another user's consent stays", async () => {
    const [one, other] = [await person(), await person()];
    const { clientId } = await given.application({ realmId, type: "useragent" });
    await given.consent(one, clientId);
    await given.consent(other, clientId);
    const visitor = await visitorOf(api, one);
    await visitor.send(await visitor.get("/me/apps"), {});
    const left = await api.database.owner.query(sql`
      select user_id as user from consents where client_id = ${clientId}
    `);
    expect(left).toEqual([{ user: other.id }]);
  });
});

test.each([
  ["iPhone", "iOS", "iPhone of Mia"],
  ["windows", "Windows", "Laptop of Mia"],
  ["android", "Android", "Android phone of Mia"],
] as const)("the form preselects device and name from the User-Agent: %s", async (agent, deviceType, name) => {
  const user = await person();
  await api.database.owner.query(sql`update users set display_name = 'Mia Keller' where id = ${user.id}`);
  const cookie = `realmpass-login=${await given.login(user)}`;
  const page = await sendRequest(`${api.url}/me/devices/new`, "GET", {
    headers: { cookie, "user-agent": userAgents[agent] },
  });
  expect(page.text).toMatch(new RegExp(`value="${deviceType}"[^>]* checked`));
  expect(page.text).toContain(`value="${name}"`);
});
