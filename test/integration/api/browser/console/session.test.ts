import { expect, test } from "vitest";
import { sql, verbatim } from "../../../../../db/sql.ts";
import { allScopes } from "../../../../../domain/people/scopes.ts";
import { systemClock } from "../../../../../runtime/clock.ts";
import { purgeExpired } from "../../../../../worker/upkeep/upkeep.ts";
import { useApi } from "../../../../support/service/api.ts";
import { answerOf, authorizationOn } from "../../../../support/given/authorization.ts";
import { openConsole, type ConsoleBrowser } from "../../../../support/browser/console-browser.ts";
import type { GivenUser } from "../../../../support/given/given.ts";
import { silentLog } from "../../../../support/service/worker.ts";

const api = useApi();
const { given, database, as } = api;

const minutes = 60_000;
const admin = (realmId = api.realmId): Promise<GivenUser> =>
  given.user({ realmId, administrator: true, email: "ada@uni.example" });
const expiresInMs = ({ body }: { body: { expiresAt: string } }): number =>
  Date.parse(body.expiresAt) - systemClock.now().getTime();
/** Ages the console's session by this many idle minutes. */
const idle = (user: GivenUser, count: number) =>
  database.owner.query(sql`
    update console_sessions set expires_at = expires_at - make_interval(mins => ${count}) where user_id = ${user.id}
  `);
const isOpen = async ({ send }: Pick<ConsoleBrowser, "send">, at: { url: string }[] = [api]): Promise<boolean[]> => {
  const states: boolean[] = [];
  for (const one of at) {
    const answers = [
      await send("GET", "/console/session", { at: one }),
      await send("GET", "/console/api/realm", { at: one }),
    ];
    expect(answers[0]?.status).toBe(answers[1]?.status);
    states.push(answers[0]?.status === 200);
  }
  return states;
};

test("the session shows who is signed in, to which realm, and until when", async () => {
  const user = await admin();
  const { send } = await openConsole(api, user);
  const answer = await send("GET", "/console/session");
  const [realm] = await database.owner.query<{ name: string }>(sql`select name from realms where id = ${api.realmId}`);
  expect(answer).toMatchObject({ status: 200, headers: { "cache-control": "no-store" } });
  expect(answer.body).toEqual({
    signedIn: true,
    user: { userID: user.id, name: "ada@uni.example", email: "ada@uni.example" },
    realm: { name: realm?.name, displayName: realm?.name, logoURI: "", timeZone: "UTC" },
    roles: ["administrator"],
    scopes: expect.toSatisfy((scopes: string[]) => scopes.toSorted().join() === allScopes.toSorted().join()),
    guestBounds: null,
    expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
    canExtend: true,
  });
  expect(expiresInMs(answer)).toBeGreaterThan(59 * minutes);
  expect(expiresInMs(answer)).toBeLessThanOrEqual(60 * minutes);
});

test('a session ends after an hour without use; a change or "stay" is use, a read is not', async () => {
  const user = await admin();
  const opened = await openConsole(api, user);
  const { send } = opened;
  await idle(user, 50);
  await send("GET", "/console/api/realm");
  expect(expiresInMs(await send("GET", "/console/session"))).toBeLessThan(10 * minutes);
  expect(expiresInMs(await send("POST", "/console/session/extend"))).toBeGreaterThan(59 * minutes);

  await idle(user, 50);
  await send("PUT", `/console/api/user/${user.id}/limit`, { body: { profileOverride: 3 } });
  expect(expiresInMs(await send("GET", "/console/session"))).toBeGreaterThan(59 * minutes);

  await idle(user, 61);
  expect(await isOpen(opened)).toEqual([false]);
  expect(await send("POST", "/console/session/extend")).toBeError("unauthenticated");
});

test("a session never outlives the browser's sign-in", async () => {
  const user = await admin();
  const { send } = await openConsole(api, user);
  await database.owner.query(sql`
    update console_sessions
       set absolute_expires_at = now() + interval '20 minutes', expires_at = now() + interval '5 minutes'
     where user_id = ${user.id}
  `);
  const answer = await send("POST", "/console/session/extend");
  expect(answer.body).toMatchObject({ canExtend: false });
  expect(expiresInMs(answer)).toBeGreaterThan(19 * minutes);
  expect(expiresInMs(answer)).toBeLessThanOrEqual(20 * minutes);

  const late = await given.user({ realmId: api.realmId });
  const opened = await openConsole(api, late);
  const [row] = await database.owner.query(sql`
    select c.absolute_expires_at = l.expires_at as "withLogin", s.expires_at = l.expires_at as "sessionToo"
      from console_sessions c
      join logins l on l.id = c.login_id
      join sessions s on s.id = c.session_id
     where c.user_id = ${late.id}
  `);
  expect(row).toEqual({ withLogin: true, sessionToo: true });
  expect(await isOpen(opened)).toEqual([true]);
});

test("signing out ends the console session and the browser's sign-in, and returns where to go", async () => {
  const user = await admin();
  const opened = await openConsole(api, user);
  const answer = await opened.send("POST", "/console/sign-out");
  expect(answer).toMatchObject({
    status: 200,
    body: { location: expect.stringMatching(/^\/login\/ended\?realm=[a-z0-9-]+$/) },
  });
  expect(answer.headers["set-cookie"]).toEqual([
    expect.stringMatching(/^realmpass-login=; .*Max-Age=0$/),
    expect.stringMatching(/^realmpass-console=; .*Max-Age=0$/),
  ]);
  expect(await isOpen(opened)).toEqual([false]);
  for (const table of ["console_sessions", "sessions", "logins", "access_tokens"]) {
    const rows = await database.owner.query(verbatim(`select from ${table} where user_id = $1`, [user.id]));
    expect(rows).toEqual([]);
  }
  const entries = await database.owner.query(sql`
    select properties->>'reason' as reason from audit_entries where event = 'session_end' and user_id = ${user.id}
  `);
  expect(entries).toEqual([{ reason: "logout" }]);
  expect(await opened.send("POST", "/console/sign-out")).toMatchObject({ status: 200 });
});

test.each<[string, (user: GivenUser, opened: ConsoleBrowser) => Promise<unknown>]>([
  ["offboarding the person", async ({ id }) => as.admin().delete(`/api/user/${id}`)],
  [
    "ending the session in the API",
    async (user) => {
      const [session] = (await as.admin().get(`/api/user/${user.id}/sessions`)).body.data;
      return as.admin().delete(`/api/user/${user.id}/sessions/${session.id}`);
    },
  ],
  [
    "signing out of the browser",
    async (_, { browser }) => browser.submit(await browser.get(`${api.url}/login`), {}, { follow: false }),
  ],
  [
    "signing in to the browser as somebody else",
    async (_, { browser }) => {
      const link = await given.signInLink(await given.user({ realmId: api.realmId }));
      return browser.submit(await browser.get(`${api.url}/sign-in/${link}`), {}, { follow: false });
    },
  ],
  [
    "logging out of another application that the same sign-in was for",
    async (user, { browser }) => {
      const { allow, authorizeUrl, redeem, logoutUrl } = authorizationOn(api);
      const application = await given.application({ realmId: user.realmId, type: "useragent" });
      const { code = "" } = answerOf(await allow(browser, authorizeUrl(application)));
      const { body } = await redeem(application, code);
      return browser.get(logoutUrl({ id_token: body.id_token, client_id: application.clientId }), { follow: false });
    },
  ],
])("%s ends the console session immediately, in every process", async (_, end) => {
  const user = await admin();
  const opened = await openConsole(api, user);
  const apis = [api, await api.another()];
  expect(await isOpen(opened, apis)).toEqual([true, true]);
  await end(user, opened);
  expect(await isOpen(opened, apis)).toEqual([false, false]);
});

test("a locked administrator stays signed in and keeps the role", async () => {
  const user = await admin();
  const opened = await openConsole(api, user);
  expect(await as.admin().put(`/api/user/${user.id}/status`, { locked: true })).toMatchObject({ status: 200 });
  expect(await isOpen(opened)).toEqual([true]);
  expect((await opened.send("GET", "/console/session")).body).toMatchObject({ roles: ["administrator"] });
});

test("a user who loses the administrator role loses access with the next request", async () => {
  const user = await admin();
  const { send } = await openConsole(api, user);
  await database.owner.query(sql`update users set administrator = false where id = ${user.id}`);
  expect((await send("GET", "/console/session")).body).toMatchObject({ roles: [], scopes: [] });
  expect(await send("GET", "/console/api/user")).toBeError("forbidden");
});

test("upkeep deletes expired console sessions and no others", async () => {
  const [gone, stays] = [await admin(), await admin()];
  await openConsole(api, gone);
  const opened = await openConsole(api, stays);
  await idle(gone, 61);
  await purgeExpired({ db: database.open("realmpass_worker"), clock: systemClock, log: silentLog });
  const left = await database.owner.query<{ userId: string }>(sql`
    select user_id as "userId" from sessions where user_id = any(${[gone.id, stays.id]}::bigint[])
  `);
  expect(left).toEqual([{ userId: stays.id }]);
  expect(await isOpen(opened)).toEqual([true]);
});

test("each address accepts only its own method", async () => {
  const { send } = await openConsole(api, await admin());
  for (const [method, path, allow] of [
    ["POST", "/console/session", "GET, HEAD"],
    ["GET", "/console/session/extend", "POST"],
    ["GET", "/console/sign-out", "POST"],
  ] as const) {
    const answer = await send(method, path);
    expect(answer).toBeError("method_not_allowed");
    expect(answer.headers.allow).toBe(allow);
  }
});

test("the session contains the limits that guest managers have for guest accounts", async () => {
  const { send } = await openConsole(api, await given.user({ realmId: api.realmId, roles: ["guest_manager"] }));
  expect((await send("GET", "/console/session")).body).toMatchObject({
    guestBounds: { guestDaysMax: 90, guestLimitMax: 200 },
  });
});
