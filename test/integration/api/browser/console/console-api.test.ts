import { get, type IncomingMessage } from "node:http";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { sendRequest, useApi } from "../../../../support/service/api.ts";
import { openConsole, type ConsoleBrowser } from "../../../../support/browser/console-browser.ts";
import type { GivenUser } from "../../../../support/given/given.ts";
import { givenJob, leaveIn } from "../../../../support/given/bulk-jobs.ts";

let lookups = 0;
const api = useApi({
  settings: { waitSeconds: 1 },
  watch: (db) => ({
    ...db,
    query: (statement) => {
      if (statement.text.includes("from console_sessions c")) lookups += 1;
      return db.query(statement);
    },
  }),
});
const { given, database } = api;

let admin: GivenUser;
let console: ConsoleBrowser;
beforeAll(async () => {
  admin = await given.user({ realmId: api.realmId, administrator: true });
  console = await openConsole(api, admin);
});

const age = (user: GivenUser, change: "near" | "over") =>
  database.owner.query(sql`
    update console_sessions
       set access_expires_at = now() + make_interval(secs => ${change === "near" ? 110 : -10}::integer)
     where user_id = ${user.id}
  `);
const accessTokensOf = async (user: GivenUser): Promise<number> => {
  const [row] = await database.owner.query<{ count: number }>(sql`
    select count(*)::integer as count from access_tokens where user_id = ${user.id}
  `);
  return row?.count ?? 0;
};

describe("the API itself serves the console's requests", () => {
  test("the console gets the same bytes as an API client", async () => {
    const subject = await given.user({ realmId: api.realmId });
    const client = api.as.service();
    for (const path of [`/api/user/${subject.id}`, "/api/realm", "/api/user?limit=2&filter[locked]=false"]) {
      const [viaConsole, viaApi] = [await console.send("GET", `/console${path}`), await client.get(path)];
      expect(viaConsole.status).toBe(200);
      expect(viaConsole.text).toBe(viaApi.text);
      expect(viaConsole.headers.etag).toBe(viaApi.headers.etag);
    }
    const tagged = await console.send("GET", `/console/api/user/${subject.id}`);
    const again = { headers: { "if-none-match": String(tagged.headers.etag) } };
    expect(await console.send("GET", `/console/api/user/${subject.id}`, again)).toMatchObject({
      status: 304,
      text: "",
    });
  });

  test("a console request acts in the signed-in user's name, and the audit log names the console", async () => {
    const subject = await given.user({ realmId: api.realmId });
    const answer = await console.send("PUT", `/console/api/user/${subject.id}/limit`, { body: { profileOverride: 7 } });
    expect(answer).toMatchObject({ status: 200, body: { data: true } });
    const entries = await database.owner.query(sql`
      select user_id as "userId", client_id as "clientId" from audit_entries
       where event = 'user_limit_update' and properties->>'userID' = ${subject.id}
    `);
    expect(entries).toEqual([{ userId: admin.id, clientId: `console-${api.realmId}` }]);
  });

  test("the console supports Idempotency-Key and respond-async like every client", async () => {
    const subject = await given.user({ realmId: api.realmId });
    const send = () =>
      console.send("POST", `/console/api/user/${subject.id}/profiles/phone`, {
        body: { format: "pem", deviceType: "iOS" },
        headers: { prefer: "respond-async", "idempotency-key": `key of ${subject.id}`.replaceAll(" ", "-") },
      });
    const [one, two] = [await send(), await send()];
    expect(one).toMatchObject({ status: 202, headers: { location: `/api/issuances/${one.body.data.id}` } });
    expect(two.body.data.id).toBe(one.body.data.id);
  });

  test("the console returns the API's errors", async () => {
    expect(await console.send("GET", "/console/api/nothing")).toBeError("not_found");
    expect(await console.send("GET", "/console/api/user/999999999")).toBeError("user_not_found");
    expect(await console.send("GET", "/console/api/user?limit=x")).toBeError("invalid_request");
    expect(await console.send("DELETE", "/console/api/realm")).toBeError("method_not_allowed");
    expect(await console.send("GET", "/console/api/user", { headers: { "x-api-version": "9" } })).toBeError(
      "unsupported_api_version",
    );
    for (const path of ["/console/api", "/console/api/", "/console/api/../oauth/jwks", "/console/api//user"]) {
      expect(await console.send("GET", path)).toBeError("not_found");
    }
  });

  test("a file can be uploaded, and a list is downloaded as a file", async () => {
    const uploaded = await console.send("POST", "/console/api/jobs/onboarding?dryRun=true", {
      raw: "pairwiseID,email\nmia@uni.example,mia@uni.example\nleo@uni.example,\n",
      headers: { "content-type": "text/csv", prefer: "respond-async" },
    });
    expect(uploaded).toMatchObject({ status: 202, body: { data: { state: "checking", total: 2 } } });

    const downloaded = await console.sendUnmarked("GET", "/console/api/audit/export", {
      headers: { accept: "text/csv", "sec-fetch-site": "same-origin" },
    });
    expect(downloaded.headers["content-disposition"]).toMatch(/^attachment; filename="audit[^"]*\.csv"$/);
    expect(downloaded.text.split("\r\n")[0]).toContain("event");
  });

  test("job events arrive while the job runs, without the header that an event source cannot send", async () => {
    const id = await givenJob(database.owner, {
      realmId: api.realmId,
      kind: "onboarding",
      rows: [{ pairwiseId: "x" }],
    });
    const { host } = new URL(api.url);
    const cookie = `realmpass-console=${String(console.browser.cookies.get(`${host} realmpass-console`))}`;
    const stream = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { cookie, accept: "text/event-stream", "sec-fetch-site": "same-origin" };
      get(`${api.url}/console/api/jobs/${id}/events`, { headers, agent: false }, resolve).once("error", reject);
    });
    expect(stream).toMatchObject({ statusCode: 200, headers: { "content-type": "text/event-stream" } });
    let text = "";
    for await (const piece of stream as AsyncIterable<Buffer>) {
      text += piece.toString();
      if (text.includes('"state":"checking"') && !text.includes('"cancelled"')) {
        await leaveIn(database.owner, id, "cancelled");
      }
    }
    expect(text).toContain('"state":"cancelled"');
  });
});

describe("only the console's own pages may call", () => {
  const path = "/console/api/realm";
  const marked = { "x-realmpass-console": "1" };
  const change = async () => `/console/api/user/${(await given.user({ realmId: api.realmId })).id}/limit`;

  test.each<[string, Record<string, string>]>([
    ["nothing that shows where it comes from", {}],
    ["another value of the header", { "x-realmpass-console": "0" }],
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["another site, and the header", { ...marked, "sec-fetch-site": "cross-site" }],
    ["a neighbouring site, and the header", { ...marked, "sec-fetch-site": "same-site" }],
    ["the address bar", { "sec-fetch-site": "none" }],
    ["another origin, and the header", { ...marked, origin: "https://evil.example" }],
    ["no origin in particular, and the header", { ...marked, origin: "null" }],
  ])("reading and changing are refused for %s", async (_, headers) => {
    expect(await console.sendUnmarked("GET", path, { headers })).toBeError("forbidden");
    const changing = await change();
    expect(await console.sendUnmarked("PUT", changing, { headers, body: { profileOverride: 9 } })).toBeError(
      "forbidden",
    );
    for (const [method, own] of [
      ["GET", "/console/session"],
      ["POST", "/console/session/extend"],
      ["POST", "/console/sign-out"],
    ] as const) {
      expect(await console.sendUnmarked(method, own, { headers })).toBeError("forbidden");
    }
  });

  test("a same-origin request without the header can read but not change", async () => {
    const headers = { "sec-fetch-site": "same-origin" };
    expect(await console.sendUnmarked("GET", path, { headers })).toMatchObject({ status: 200 });
    const changing = await change();
    expect(await console.sendUnmarked("PUT", changing, { headers, body: { profileOverride: 9 } })).toBeError(
      "forbidden",
    );
    const own = { headers: { ...marked, origin: api.url }, body: { profileOverride: 9 } };
    expect(await console.sendUnmarked("PUT", changing, own)).toMatchObject({ status: 200 });
  });

  test("other origins get no CORS header, and preflights are refused", async () => {
    const origin = { origin: "https://evil.example" };
    const paths = [
      path,
      "/console",
      "/console/sign-in",
      "/console/callback",
      "/console/session",
      "/console/assets/x.js",
    ];
    for (const one of paths) {
      for (const method of ["GET", "OPTIONS"]) {
        const { headers, status } = await console.sendUnmarked(method, one, {
          headers: { ...origin, "access-control-request-method": "PUT" },
        });
        expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
        if (method === "OPTIONS") expect(status).toBeGreaterThanOrEqual(400);
      }
    }
    const allowed = await console.send("GET", path);
    expect(Object.keys(allowed.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});

describe("only the cookie signs in", () => {
  test("a request without a session cookie, or with an unknown one, gets 401 as at the API", async () => {
    const headers = { "x-realmpass-console": "1" };
    for (const cookie of [undefined, "", "realmpass-console=", `realmpass-console=rpw_${"A".repeat(43)}`]) {
      const sent = { headers: { ...headers, ...(cookie === undefined ? {} : { cookie }) } };
      expect(await sendRequest(`${api.url}/console/api/realm`, "GET", sent)).toBeError("unauthenticated");
      expect(await sendRequest(`${api.url}/console/session`, "GET", sent)).toBeError("unauthenticated");
    }
  });

  test("an access token grants nothing without the cookie and does not replace the cookie's user", async () => {
    const token = await given.token({
      realmId: api.realmId,
      clientId: (await given.application({ realmId: api.realmId })).clientId,
    });
    const headers = { authorization: `Bearer ${token}`, "x-realmpass-console": "1" };
    const bare = await sendRequest(`${api.url}/console/api/realm`, "GET", { headers });
    expect(bare).toBeError("unauthenticated");
    expect(await console.send("GET", "/console/api/sessions", { headers })).toMatchObject({ status: 200 });
  });

  test("the API ignores the console's cookie", async () => {
    expect(await console.send("GET", "/api/realm")).toBeError("unauthenticated");
  });

  test("each request looks up its session with one query", async () => {
    lookups = 0;
    await console.send("GET", "/console/api/realm");
    expect(lookups).toBe(1);
  });
});

describe("users and realms", () => {
  test("a user without a role can sign in, has an empty list of roles, and gets 403 for requests that need one", async () => {
    const user = await given.user({ realmId: api.realmId });
    const { send } = await openConsole(api, user);
    expect((await send("GET", "/console/session")).body).toMatchObject({ signedIn: true, roles: [] });
    expect(await send("GET", "/console/api/user")).toBeError("forbidden");
    expect(await send("GET", "/console/api/profile")).toMatchObject({ status: 200 });
  });

  test("the console of one realm shows nothing of another realm", async () => {
    const elsewhere = await given.realm();
    const theirs = await given.user({ realmId: elsewhere, administrator: true });
    const other = await openConsole(api, theirs);
    expect(await other.send("GET", `/console/api/user/${admin.id}`)).toBeError("user_not_found");
    expect(await console.send("GET", `/console/api/user/${theirs.id}`)).toBeError("user_not_found");
    expect(await other.send("GET", "/console/api/user")).toMatchObject({ body: { total: 1 } });
  });
});

describe("an access token is renewed shortly before it ends", () => {
  test("concurrent requests in several processes renew the token once", async () => {
    const user = await given.user({ realmId: api.realmId, administrator: true });
    const { send } = await openConsole(api, user);
    const other = await api.another();
    for (const change of ["near", "over"] as const) {
      await age(user, change);
      if (change === "over") await database.owner.query(sql`delete from access_tokens where user_id = ${user.id}`);
      const before = await accessTokensOf(user);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          send("GET", "/console/api/realm", index % 2 === 0 ? {} : { at: other }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
      expect(await accessTokensOf(user)).toBe(before + 1);
    }
  });

  test("many sessions are renewed at the same time, even more than there are database connections", async () => {
    const users = await Promise.all(Array.from({ length: 15 }, () => given.user({ realmId: api.realmId })));
    const opened = [];
    for (const user of users) opened.push(await openConsole(api, user));
    for (const user of users) await age(user, "over");
    const answers = await Promise.all(opened.map(({ send }) => send("GET", "/console/api/realm")));
    expect(answers.map(({ status }) => status)).toEqual(Array(15).fill(200));
  });

  test("but not while it has more than two minutes left", async () => {
    const before = await accessTokensOf(admin);
    await database.owner.query(sql`
      update console_sessions set access_expires_at = now() + interval '130 seconds' where user_id = ${admin.id}
    `);
    await console.send("GET", "/console/api/realm");
    expect(await accessTokensOf(admin)).toBe(before);
  });

  test("a session that cannot be renewed ends", async () => {
    const user = await given.user({ realmId: api.realmId });
    const { send } = await openConsole(api, user);
    await age(user, "over");
    await database.owner.query(sql`
      delete from refresh_tokens where session_id in (select id from sessions where user_id = ${user.id})
    `);
    expect(await send("GET", "/console/api/realm")).toBeError("unauthenticated");
    expect(await database.owner.query(sql`select from console_sessions where user_id = ${user.id}`)).toEqual([]);
  });
});
