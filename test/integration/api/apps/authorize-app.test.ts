import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import * as realms from "../../../../db/queries/realm/realms.ts";
import { only } from "../../../../db/client.ts";
import { sql } from "../../../../db/sql.ts";
import { appAuthorizationsPerHourMax } from "../../../../domain/limits.ts";
import { formsOf, type BrowserSession } from "../../../support/browser/browser-session.ts";
import { answerOf, expectShownOnPage, markedState } from "../../../support/given/authorization.ts";
import type { GivenUser } from "../../../support/given/given.ts";
import { useApi } from "../../../support/service/api.ts";
import { appsOn, mobile, windows } from "./apps-support.ts";

const api = useApi();
const { given } = api;
let realm = "";
let realmId = "";
let user: GivenUser;
const { authorizeUrl, browser, tap, redeem, base } = appsOn(api, () => realm);

const nameOf = async (id: string): Promise<string> => {
  await realms.update(api.database.owner, id, { onboardingApps: true });
  return (await realms.findById(api.database.owner, id))?.name ?? "";
};

beforeAll(async () => {
  realmId = await given.realm();
  realm = await nameOf(realmId);
  user = await given.user({ realmId, displayName: "Mia Keller" });
});

const ask = async (parameters: Record<string, string | undefined>) =>
  (await browser(user)).get(authorizeUrl(parameters), { follow: false });

const authorizationsOf = ({ id }: GivenUser) =>
  api.database.owner.query<{ id: string }>(sql`select id from app_authorizations where user_id = ${id}`);

describe("an error is shown on a page, never redirected", () => {
  test.each<[string, Record<string, string | undefined>]>([
    ["an unknown client", { client_id: "app.evil" }],
    ["no client", { client_id: undefined }],
    ["an address that is not the app's", { redirect_uri: "https://evil.example/" }],
    ["another app's address", { redirect_uri: mobile.redirect_uri }],
    ["localhost", { redirect_uri: "http://localhost:50000/" }],
    ["a port that does not exist", { redirect_uri: "http://127.0.0.1:65536/" }],
    ["no address", { redirect_uri: undefined }],
    ["a state of 5 kB", { state: "x".repeat(5_000) }],
  ])("%s", async (_, parameters) => {
    expectShownOnPage(await ask(parameters));
  });

  test("for a repeated address", async () => {
    const url = `${authorizeUrl()}&redirect_uri=${encodeURIComponent("https://evil.example/")}`;
    expectShownOnPage(await (await browser(user)).get(url, { follow: false }));
  });
});

describe("an error is sent to the app, with the state unchanged", () => {
  test.each<[string, Record<string, string | undefined>, string]>([
    ["another response type", { response_type: "token" }, "unsupported_response_type"],
    ["no response type", { response_type: undefined }, "invalid_request"],
    ["a request object", { request: "e30." }, "request_not_supported"],
    ["another scope", { scope: "openid" }, "invalid_scope"],
    ["a scope more", { scope: "eap-metadata openid" }, "invalid_scope"],
    ["no PKCE", { code_challenge: undefined, code_challenge_method: undefined }, "invalid_request"],
    ["PKCE without hash", { code_challenge_method: "plain" }, "invalid_request"],
    ["prompt none", { prompt: "none" }, "consent_required"],
  ])("%s", async (_, parameters, error) => {
    const visit = await ask({ state: markedState, ...parameters });
    expect({ status: visit.status, at: visit.headers.location?.split("?")[0] }).toEqual({
      status: 303,
      at: windows.redirect_uri,
    });
    expect(answerOf(visit)).toEqual({ error, error_description: expect.any(String), state: markedState });
  });

  test("for a repeated parameter", async () => {
    const visit = await (await browser(user)).get(`${authorizeUrl()}&scope=eap-metadata`, { follow: false });
    expect(answerOf(visit)).toMatchObject({ error: "invalid_request", state: "s" });
  });
});

test("a person who is not signed in to this realm signs in, and comes back with the same request", async () => {
  const stranger = await given.user({ realmId: await given.realm() });
  for (const person of [await browser(), await browser(stranger)]) {
    const visit = await person.get(authorizeUrl({ state: "a b" }), { follow: false });
    expect(visit.status).toBe(303);
    const path = new URL(visit.headers.location ?? "", api.url).searchParams.get("continue") ?? "";
    expect(`${api.url}${path}`).toBe(authorizeUrl({ state: "a b" }));
  }
});

test("the page shows who is signed in and which app asks on which device, and is shown every time", async () => {
  const person = await browser(user);
  for (let time = 1; time <= 2; time++) {
    const page = await person.get(authorizeUrl({}, mobile));
    expect(page.status).toBe(200);
    for (const shown of ["Mia Keller", "geteduroam", "an Android device", 'value="Android phone of Mia"']) {
      expect(page.text).toContain(shown);
    }
    expect(page.headers["content-security-policy"]).not.toContain("form-action");
    expect(page.headers["accept-ch"]).toBe("Sec-CH-UA-Model");
    const visit = await person.submit(page, { decision: "allow" }, { follow: false });
    expect(visit.headers.location).toMatch(/^app\.eduroam\.geteduroam:\/\?code=rpo_[\w-]{43}&state=s$/);
    await redeem(answerOf(visit)["code"] ?? "", mobile);
  }
});

test("Cancel returns to the app without a code", async () => {
  const person = await browser(user);
  const page = await person.get(authorizeUrl({ state: markedState }));
  const visit = await person.submit(page, { decision: "deny" }, { follow: false });
  expect(answerOf(visit)).toEqual({
    error: "access_denied",
    error_description: expect.any(String),
    state: markedState,
  });
});

describe("no code is issued without a tap", () => {
  const posted = async (change: (fields: Record<string, string>) => Record<string, string>) => {
    const person = await browser(await given.user({ realmId }));
    const page = await person.get(authorizeUrl());
    const [form] = formsOf(page);
    if (form === undefined) throw new Error(page.text);
    return person.post(form.action, change({ ...form.fields, decision: "allow" }), { follow: false });
  };

  test.each<[string, (fields: Record<string, string>) => Record<string, string>, number]>([
    ["a forged form", (fields) => ({ ...fields, form_token: "x" }), 403],
    ["a form of somebody else's page", (fields) => ({ ...fields, login: "00000000-0000-4000-8000-000000000000" }), 303],
    ["no decision", ({ decision: _, ...fields }) => fields, 400],
    ["an id that is none", (fields) => ({ ...fields, id: "1" }), 400],
    ["no name", (fields) => ({ ...fields, name: " " }), 400],
    [
      "an address that is not the app's",
      (fields) => ({
        ...fields,
        authorization: fields["authorization"]!.replace(
          /redirect_uri=[^&]*/,
          "redirect_uri=https%3A%2F%2Fevil.example%2F",
        ),
      }),
      400,
    ],
    ["another POST", ({ authorization: _, ...fields }) => fields, 303],
  ])("nor with %s", async (_, change, status) => {
    const visit = await posted(change);
    expect(visit.status).toBe(status);
    expect(visit.headers.location ?? "").not.toContain("code=");
    expect(visit.headers.location ?? "").not.toContain("evil");
  });

  test("control: the unchanged form gets a code", async () => {
    expect(answerOf(await posted((fields) => fields))["code"]).toMatch(/^rpo_/);
  });
});

test("the same form sent again gives a new code for the same authorization, until a code was used", async () => {
  const owner = await given.user({ realmId });
  const person = await browser(owner);
  const page = await person.get(authorizeUrl());
  const send = () => person.submit(page, { decision: "allow" }, { follow: false });
  const [first, second] = [answerOf(await send())["code"] ?? "", answerOf(await send())["code"] ?? ""];
  expect(first).not.toBe(second);
  expect(await authorizationsOf(owner)).toHaveLength(1);
  expect((await redeem(first)).body).toMatchObject({ error: "invalid_grant" });
  const { body } = await redeem(second);
  expect(body).toMatchObject({ token_type: "Bearer" });
  // Once a code is used, the person is asked again, and the app's authorization stays.
  expect((await send()).headers.location).toMatch(/^\/letswifi\//);
  expect(await authorizationsOf(owner)).toHaveLength(1);
});

test("the same form sent again with another name or profile to replace changes the authorization", async () => {
  const owner = await given.user({ realmId });
  const serial = await given.profile(owner);
  const person = await browser(owner);
  const page = await person.get(authorizeUrl());
  const send = (fields: Record<string, string>) =>
    person.submit(page, { decision: "allow", ...fields }, { follow: false });
  const wanted = () =>
    api.database.owner.query(
      sql`select name, renews_serial_number as "renews" from hand_overs where user_id = ${owner.id} and app is not null`,
    );
  await send({ name: "Laptop", replaces: "" });
  expect(await wanted()).toEqual([{ name: "Laptop", renews: null }]);
  await send({ name: "Work laptop", replaces: serial });
  expect(await wanted()).toEqual([{ name: "Work laptop", renews: serial }]);
});

test("the same form sent again gives the authorization its full time again, so that the new token does not outlive it", async () => {
  const owner = await given.user({ realmId });
  const person = await browser(owner);
  const page = await person.get(authorizeUrl());
  const send = () => person.submit(page, { decision: "allow" }, { follow: false });
  const secondsLeft = async () =>
    Number(
      only(
        await api.database.owner.query<{ left: string }>(
          sql`select extract(epoch from expires_at - now()) as left from hand_overs where user_id = ${owner.id}`,
        ),
      ).left,
    );
  await send();
  const first = await secondsLeft();
  await api.database.owner.query(
    sql`update hand_overs set expires_at = now() + interval '1 minute' where user_id = ${owner.id}`,
  );
  await send();
  expect(await secondsLeft()).toBeGreaterThan(first - 60);
});

test("the same form sent again after half an hour starts over and returns no code", async () => {
  const owner = await given.user({ realmId });
  const person = await browser(owner);
  const page = await person.get(authorizeUrl());
  const send = () => person.submit(page, { decision: "allow" }, { follow: false });
  await send();
  await api.database.owner.query(
    sql`update hand_overs set expires_at = now() - interval '1 second' where user_id = ${owner.id}`,
  );
  const late = await send();
  expect([late.status, late.headers.location]).toEqual([303, expect.stringMatching(/^\/letswifi\//)]);
  expect(answerOf(await tap(person))["code"]).toMatch(/^rpo_/);
});

describe("the page and the tap name the reason why no profile can be made", () => {
  const stands = async (owner: GivenUser, text: string, change: () => Promise<unknown>) => {
    const person = await browser(owner);
    const early = await person.get(authorizeUrl());
    expect(early.status).toBe(200);
    await change();
    for (const page of [
      await person.get(authorizeUrl()),
      await person.submit(early, { decision: "allow" }, { follow: false }),
    ]) {
      expect(page.status).toBe(409);
      expect(page.text).toContain(text);
      expect(page.text).not.toContain('value="allow"');
      expect(page.text).toContain('value="deny"');
    }
    expect(await authorizationsOf(owner)).toEqual([]);
  };

  test("for a locked account", async () => {
    const owner = await given.user({ realmId });
    await stands(owner, "Your account is locked", () =>
      api.database.owner.query(sql`update users set locked_at = now() where id = ${owner.id}`),
    );
  });

  test("for a person whom the provider or the directory excludes", async () => {
    const owner = await given.user({ realmId });
    await stands(owner, "This service is not open to you", () =>
      api.database.owner.query(sql`update users set not_permitted_since = now() where id = ${owner.id}`),
    );
  });

  test("at the limit", async () => {
    const owner = await given.user({ realmId, profileOverride: 1 });
    await stands(owner, "1 of 1 in use", () =>
      api.database.owner.query(sql`
        insert into issuances (id, realm_id, kind, user_id, name, format, key_type, validity_months, created_at)
        values (${randomUUID()}, ${realmId}, 'user', ${owner.id}, 'a', 'pem', 'ec-p256', 12, now())
      `),
    );
  });

  test("at the limit, reached after the page was shown: the tap asks which profile to replace", async () => {
    const owner = await given.user({ realmId, profileOverride: 1 });
    const person = await browser(owner);
    const page = await person.get(authorizeUrl());
    expect(page.text).not.toContain('name="replaces"');
    const serial = await given.profile(owner);
    const again = await person.submit(page, { decision: "allow" }, { follow: false });
    expect(again.headers.location).toBeUndefined();
    expect(again.text).toContain("All 1 profiles are in use");
    const visit = await person.submit(again, { decision: "allow", replaces: serial }, { follow: false });
    expect(answerOf(visit)["code"]).toMatch(/^rpo_/);
  });

  test("without an issuer, or with an issuer that ends too soon", async () => {
    const [id, other] = [await given.realm(), realm];
    realm = await nameOf(id);
    try {
      await stands(await given.user({ realmId: id }), "has to renew something", () =>
        api.database.owner.query(sql`update issuers set not_after = now() + interval '1 day' where realm_id = ${id}`),
      );
      await api.database.owner.query(
        sql`update issuers set not_after = now() + interval '9 years' where realm_id = ${id}`,
      );
      await stands(await given.user({ realmId: id }), "has not finished setting this up", () =>
        api.database.owner.query(sql`update issuers set issuing = false where realm_id = ${id}`),
      );
    } finally {
      realm = other;
    }
  });

  test("too many authorizations within an hour", async () => {
    const owner = await given.user({ realmId, profileOverride: 50 });
    const fresh = (): Promise<BrowserSession> => browser(owner);
    for (let count = 0; count < appAuthorizationsPerHourMax; count++) {
      expect((await tap(await fresh())).status).toBe(303);
    }
    const page = await (await fresh()).get(authorizeUrl());
    expect(page.status).toBe(429);
    expect(Number(page.headers["retry-after"])).toBeGreaterThan(3_500);
    expect(page.text).not.toContain('value="allow"');
    // One more authorization is allowed an hour after the oldest one.
    await api.database.owner.query(sql`
      update hand_overs set created_at = created_at - interval '61 minutes'
       where id = (select id from hand_overs where user_id = ${owner.id} order by created_at limit 1)
    `);
    expect((await tap(await fresh())).status).toBe(303);
    expect((await (await fresh()).get(authorizeUrl())).status).toBe(429);
    // Other people are not limited.
    expect((await tap(await browser(await given.user({ realmId })))).status).toBe(303);
  });
});

test("an offboarded person gets no code", async () => {
  const owner = await given.user({ realmId });
  const person = await browser(owner);
  const page = await person.get(authorizeUrl());
  await api.as.admin({ realmId }).delete(`/api/user/${owner.id}`);
  const visit = await person.submit(page, { decision: "allow" }, { follow: false });
  expect(visit.headers.location ?? "").not.toContain("code=");
  expect(await authorizationsOf(owner)).toEqual([]);
});

test("a hand-over for an app has no self-service page, file or short code", async () => {
  const owner = await given.user({ realmId });
  const person = await browser(owner);
  await tap(person);
  const [{ id } = { id: "" }] = await authorizationsOf(owner);
  expect((await person.get(`${api.url}/me/hand-overs/${id}`)).status).toBe(404);
  expect((await person.get(`${api.url}/me/hand-overs/${id}/file`)).status).toBe(404);
  const [row] = await api.database.owner.query<{ codeHash: Buffer | null }>(
    sql`select code_hash as "codeHash" from hand_overs where id = ${id}`,
  );
  expect(row?.codeHash).toBeNull();
});

test("a user of one realm must sign in again at another realm's path", async () => {
  const other = await nameOf(await given.realm());
  const visit = await (await browser(user)).get(authorizeUrl({}, windows, other), { follow: false });
  expect(visit.headers.location).toMatch(/^\/login\?/);
  expect(base(other)).not.toBe(base());
});
