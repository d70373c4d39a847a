import { Registry } from "prom-client";
import { describe, expect, test } from "vitest";
import { endpoints } from "../../../../../api/endpoints.ts";
import { sql } from "../../../../../db/sql.ts";
import { nobodysSubject, samplesOf } from "../../../../support/given/endpoint-samples.ts";
import { fromNow } from "../../../../support/given/given.ts";
import { eventually } from "../../../../support/run/eventually.ts";
import { sendRequest, useApi, type ApiAnswer } from "../../../../support/service/api.ts";

const registry = new Registry();
let reads = 0;
const api = useApi({
  registry,
  watch: (db) => ({
    ...db,
    query: (statement) => {
      if (statement.text.includes(`as "hasGrown"`)) reads++;
      return db.query(statement);
    },
  }),
});
const { as, given } = api;

const waitingClients = async (): Promise<number> =>
  (await registry.getSingleMetric("realmpass_revoked_feed_waiting")?.get())?.values[0]?.value ?? 0;

const waiting = (clients: number) =>
  eventually(async () => {
    expect(await waitingClients()).toBe(clients);
  });

const lines = ({ text }: ApiAnswer): string[][] =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split("\t"));
const identities = (answer: ApiAnswer): string[] => lines(answer).map(([identity = ""]) => identity);

const untilOf = ({ headers }: ApiAnswer): string => String(headers["x-until"]);

/** Returns a token of an application whose only scope is radius.read. */
async function givenReader(realmId: string): Promise<string> {
  const { clientId } = await given.application({ realmId, scopes: ["radius.read"] });
  return given.token({ realmId, clientId }, { scopes: ["radius.read"] });
}

/** Makes a realm with a user and a reader of the realm's revocations. */
async function givenRealm() {
  const realmId = await given.realm();
  const user = await given.user({ realmId });
  const reader = as.token(await givenReader(realmId));
  const read = (query = ""): Promise<ApiAnswer> => reader.get(`/api/radius/revoked${query}`);
  return { realmId, user, read };
}

/** Writes a revocation; the trigger sends the notification. Returns the profile's identity. */
async function revoke(user: { id: string; realmId: string }, revokedAt = fromNow(0)): Promise<string> {
  const serialNumber = await given.profile(user);
  const [row] = await api.database.owner.query<{ id: string; identity: string }>(
    sql`select id, identity from certificates where serial_number = ${serialNumber}`,
  );
  await api.database.owner.query(
    sql`insert into revocations (certificate_id, revoked_at, reason) values (${row?.id}, ${revokedAt}, 0)`,
  );
  return row?.identity ?? "";
}

describe("the response", () => {
  test("has a line of identity, tab and time for every kind of profile, oldest first; the next `since` is the database's time", async () => {
    const { realmId, user, read } = await givenRealm();
    const guestAccount = await given.guestAccount({ realmId });
    const admin = as.admin({ realmId });
    const serials = [
      await given.profile(user),
      await given.profile({ realmId }, { guestAccountId: guestAccount.id }),
      await given.profile({ realmId }, { kind: "infrastructure" }),
    ];
    const since = fromNow(0).toISOString();
    expect(await admin.delete(`/api/profiles/${serials[0]}`)).toMatchObject({ status: 200 });
    expect(await admin.delete(`/api/guest-profile/${serials[1]}`)).toMatchObject({
      status: 200,
    });
    expect(await admin.delete(`/api/infrastructure-profile/${serials[2]}`)).toMatchObject({ status: 200 });

    const answer = await read(`?since=${since}`);

    expect(answer).toMatchObject({ status: 200, headers: { "content-type": "text/plain; charset=utf-8" } });
    const rows = await api.database.owner.query<{ identity: string; revokedAt: Date }>(sql`
      select identity, revoked_at as "revokedAt" from certificates where realm_id = ${realmId} order by revoked_at, id
    `);
    expect(answer.text).toBe(
      rows.map(({ identity, revokedAt }) => `${identity}\t${revokedAt.toISOString()}\n`).join(""),
    );
    expect(rows).toHaveLength(3);
    const [now] = await api.database.owner.query<{ isPast: boolean; isLater: boolean }>(sql`
      select ${untilOf(answer)}::timestamptz <= now() as "isPast", ${untilOf(answer)}::timestamptz >= ${since} as "isLater"
    `);
    expect(now).toEqual({ isPast: true, isLater: true });
  });

  test("is empty with a time if nothing was revoked, and is sent immediately if the request has no wait", async () => {
    const { read } = await givenRealm();
    const answer = await read();
    expect(answer).toMatchObject({ status: 200, text: "" });
    expect(untilOf(answer)).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  test("begins 60 s before `since`, or 60 s ago without `since`", async () => {
    const { user, read } = await givenRealm();
    await revoke(user, fromNow(-150_000));
    await revoke(user, fromNow(-90_000));
    const again = await revoke(user, fromNow(-20_000));
    expect(identities(await read())).toEqual([again]);
    const earlier = identities(await read(`?since=${fromNow(-80_000).toISOString()}`));
    expect(earlier).toHaveLength(2);
    expect(earlier[1]).toBe(again);
  });

  test("treats a `since` of more than 24 hours ago as 24 hours ago", async () => {
    const { user, read } = await givenRealm();
    await revoke(user, fromNow(-25 * 3_600_000));
    const known = await revoke(user, fromNow(-23 * 3_600_000));
    expect(identities(await read("?since=2020-01-01T00:00:00Z"))).toEqual([known]);
  });

  test.each([
    ["a since that is yet to come", () => `?since=${fromNow(600_000).toISOString()}`, "since"],
    ["a since that is no time", () => "?since=yesterday", "since"],
    ["a since that is given twice, as two times", () => "?since=2026-01-01&since=2026-01-02", "since"],
    ["a wait beyond 60 s", () => "?wait=61", "wait"],
    ["a negative wait", () => "?wait=-1", "wait"],
  ])("refuses %s, and names the parameter", async (_, query, path) => {
    const { read } = await givenRealm();
    const answer = await read(query());
    expect(answer).toBeError("invalid_request");
    expect(answer.body.fields).toMatchObject([{ path }]);
  });

  test("accepts a `since` that is ahead by less than the clock tolerance", async () => {
    const { user, read } = await givenRealm();
    const known = await revoke(user);
    expect(identities(await read(`?since=${fromNow(20_000).toISOString()}`))).toEqual([known]);
  });

  test("has each of thousands of lines once, even if many share a time", async () => {
    const { realmId, user, read } = await givenRealm();
    const at = fromNow(-1_000);
    await api.database.owner.query(sql`
      with made as (
        insert into certificates (realm_id, issuer_id, serial_number, issuance_id, kind, user_id, name, device_type,
                                  identity, certificate, spki_sha256, created_at, not_before, not_after)
        select ${realmId}, i.id, (100000000 + n)::text, gen_random_uuid(), 'user', ${user.id}, 'laptop', 'Linux',
               'device' || n || '@example.org', 'x', sha256(('page' || n)::bytea), now(), now(), now() + interval '1 year'
          from issuers i, generate_series(1, 3500) n
         where i.realm_id = ${realmId}
        returning id
      )
      select count(*) from made
    `);
    await api.database.owner.query(sql`
      insert into revocations (certificate_id, revoked_at, reason)
      select id, ${at}::timestamptz + make_interval(secs => case when id % 3 = 0 then 0.0001234 else 0 end), 0
        from certificates where realm_id = ${realmId}
    `);
    const before = await linesSent();
    const answer = await read(`?since=${fromNow(-60_000).toISOString()}`);
    const got = identities(answer);
    expect(got).toHaveLength(3_500);
    expect(new Set(got).size).toBe(3_500);
    expect((await linesSent()) - before).toBe(3_500);
  });

  const linesSent = async (): Promise<number> =>
    (await registry.getSingleMetric("realmpass_revoked_feed_lines_total")?.get())?.values[0]?.value ?? 0;
});

describe("waiting", () => {
  test("ends when the API revokes a profile", async () => {
    const { realmId, user, read } = await givenRealm();
    const serial = await given.profile(user);
    const since = untilOf(await read());
    const answer = read(`?since=${since}&wait=60`);
    await waiting(1);
    await as.admin({ realmId }).delete(`/api/profiles/${serial}`);
    expect(lines(await answer)).toHaveLength(1);
    await waiting(0);
  });

  test("ends immediately if a line is newer than `since`", async () => {
    const { user, read } = await givenRealm();
    const since = untilOf(await read());
    const known = await revoke(user);
    expect(identities(await read(`?since=${since}&wait=60`))).toEqual([known]);
  });

  test("does not end for lines of the overlap alone; they are repeated when the wait expires", async () => {
    const { user, read } = await givenRealm();
    const known = await revoke(user);
    await revoke(user, fromNow(-40_000));
    const since = fromNow(10_000).toISOString();
    const answer = read(`?since=${since}&wait=1`);
    await waiting(1);
    expect(identities(await answer)).toContain(known);
  });

  test("ends for a revocation that is committed late, with a time before the last response", async () => {
    const { user, read } = await givenRealm();
    const serialNumber = await given.profile(user);
    let commit = (): void => undefined;
    let written = (): void => undefined;
    const isWritten = new Promise<void>((resolve) => (written = resolve));
    const late = api.database.owner.transaction(async (tx) => {
      await tx.query(sql`
        insert into revocations (certificate_id, revoked_at, reason)
        select id, ${fromNow(-5_000)}, 0 from certificates where serial_number = ${serialNumber}
      `);
      written();
      await new Promise<void>((resolve) => (commit = resolve));
    });
    await isWritten;
    const before = await read();
    expect(before.text).toBe("");
    const answer = read(`?since=${untilOf(before)}&wait=60`);
    await waiting(1);
    commit();
    await late;
    expect(lines(await answer)).toHaveLength(1);
  });

  test("survives a lost notification: rows are read again before the wait expires", async () => {
    const { user, read } = await givenRealm();
    const other = await givenRealm();
    const since = untilOf(await read());
    // Control: the wait of another realm's client, which began earlier, continues.
    const control = other.read(`?since=${since}&wait=60`);
    await waiting(1);
    const answer = read(`?since=${since}&wait=60`);
    await waiting(2);
    await api.database.owner.query(sql`alter table revocations disable trigger revocations_notify`);
    try {
      const known = await revoke(user);
      expect(identities(await answer)).toEqual([known]);
      await waiting(1);
    } finally {
      await api.database.owner.query(sql`alter table revocations enable trigger revocations_notify`);
    }
    await revoke(other.user);
    expect(lines(await control)).toHaveLength(1);
  });

  test("ignores other realms' revocations", async () => {
    const { user, read } = await givenRealm();
    const other = await givenRealm();
    const since = untilOf(await read());
    const answer = read(`?since=${since}&wait=60`);
    const others = other.read(`?since=${since}&wait=60`);
    await waiting(2);
    const foreign = await revoke(other.user);
    expect(identities(await others)).toEqual([foreign]);
    await waiting(1);
    const known = await revoke(user);
    expect(identities(await answer)).toEqual([known]);
  });

  test("shares one query among all clients, at most 4 a second", async () => {
    const { user, read } = await givenRealm();
    const since = untilOf(await read());
    const answers = Array.from({ length: 30 }, () => read(`?since=${since}&wait=60`));
    await waiting(30);
    const other = await givenRealm();
    const before = reads;
    const from = performance.now();
    for (let n = 0; n < 25; n++) await revoke(other.user);
    const known = await revoke(user);
    for (const answer of await Promise.all(answers)) expect(identities(answer)).toEqual([known]);
    expect(reads - before).toBeGreaterThan(0);
    expect(reads - before).toBeLessThanOrEqual(2 + (performance.now() - from) / 250);
  });

  test("stops when the client disconnects", async () => {
    const { realmId } = await givenRealm();
    const token = await givenReader(realmId);
    const gone = new AbortController();
    const answer = fetch(`${api.url}/api/radius/revoked?wait=60`, {
      headers: { authorization: `Bearer ${token}` },
      signal: gone.signal,
    });
    await waiting(1);
    gone.abort();
    await expect(answer).rejects.toThrow();
    await waiting(0);
  });
});

describe("the scope radius.read", () => {
  test("is required, even of an administrator with every other scope", async () => {
    for (const caller of [as.admin(), as.service()]) {
      expect(await caller.get("/api/radius/revoked")).toBeError("insufficient_scope");
    }
  });

  test("allows no other request", async () => {
    const caller = as.token(await givenReader(api.realmId));
    const elsewhere = samplesOf(
      endpoints.filter(({ access, scope }) => (access === "staff" || access === "any") && scope !== "radius.read"),
      nobodysSubject,
    );
    expect(elsewhere.length).toBeGreaterThan(50);
    for (const { method, path, body } of elsewhere) {
      const { status } = await caller.send(method.toUpperCase(), path, { body });
      expect([method, path, status]).toEqual([method, path, 403]);
    }
    expect(await caller.get("/api/radius/revoked")).toMatchObject({ status: 200 });
  });

  test("is in a token only if requested", async () => {
    const { clientId, secret } = await given.application({ realmId: api.realmId, scopes: ["radius.read"] });
    const ask = (scope: string) =>
      sendRequest(`${api.url}/oauth/token`, "POST", {
        raw: `grant_type=client_credentials&client_id=${clientId}&client_secret=${secret}${scope}`,
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
    expect(await ask("")).toMatchObject({ status: 400, body: { error: "invalid_scope" } });
    const { body } = await ask("&scope=radius.read");
    expect(await as.token(body.access_token).get("/api/radius/revoked")).toMatchObject({ status: 200 });
  });

  test("records the time of the application's request, at most once a minute", async () => {
    const { realmId, read } = await givenRealm();
    const found = () =>
      api.database.owner.query<{ readAt: Date }>(
        sql`select read_at as "readAt" from revoked_feed_readers where realm_id = ${realmId}`,
      );
    await read();
    const first = await found();
    expect(first).toHaveLength(1);
    await read();
    expect(await found()).toEqual(first);
    await api.database.owner.query(
      sql`update revoked_feed_readers set read_at = now() - interval '61 seconds' where realm_id = ${realmId}`,
    );
    await read();
    expect((await found())[0]!.readAt.getTime()).toBeGreaterThanOrEqual(first[0]!.readAt.getTime());
  });
});
