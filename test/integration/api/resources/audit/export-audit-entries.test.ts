import { request, type IncomingMessage } from "node:http";
import { pino } from "pino";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as audit from "../../../../../db/queries/audit/audit-entries.ts";
import { sql } from "../../../../../db/sql.ts";
import type { AuditEvent } from "../../../../../domain/audit/audit.ts";
import { createHeadVerifier, generateAuditKey } from "../../../../../runtime/keys/audit-key.ts";
import { systemClock } from "../../../../../runtime/clock.ts";
import { useApi, type ApiAnswer, type Caller } from "../../../../support/service/api.ts";
import { insertEntries, sealEntries } from "../../../../support/given/audit-chain.ts";
import { eventually } from "../../../../support/run/eventually.ts";
import { extent } from "../../../../support/run/extent.ts";
import { heldBytes } from "../../../../support/run/memory.ts";

const requests: unknown[] = [];
const log = pino({ level: "info" }, { write: (line) => void requests.push(JSON.parse(line)) });
const api = useApi({ log });
const key = generateAuditKey();
let realmId: string;
let clientId: string;
let token: string;
let service: Caller;

beforeEach(async () => {
  realmId = await api.given.realm();
  ({ clientId } = await api.given.application({ realmId }));
  token = await api.given.token({ realmId, clientId });
  service = api.as.token(token);
});

const write = (event: AuditEvent, properties = {}, client: string | null = null): Promise<void> =>
  audit.record(api.database.owner, {
    realmId,
    event,
    actor: { userId: null, clientId: client },
    at: systemClock.now(),
    properties,
  });
const seal = (): Promise<void> => sealEntries(api.database, { key });

const linesOf = ({ text }: ApiAnswer): Record<string, unknown>[] =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const csv = { headers: { accept: "text/csv" } };

test("a failure before the first line is returned as an error, without a file's headers", async () => {
  await write("user_lock", { userID: "1" });
  await seal();
  await api.database.owner.query(sql`revoke select on audit_seals from realmpass_api`);
  const failed = await service.get("/api/audit/export");
  await api.database.owner.query(sql`grant select on audit_seals to realmpass_api`);

  expect(failed.status).toBe(500);
  expect(failed.body).toMatchObject({ result: "error", code: 500 });
  expect(failed.headers).not.toHaveProperty("content-disposition");
  expect((await service.get("/api/audit/export")).status).toBe(200);
});

test("the export has all sealed entries in chain order, then unsealed ones, then the head", async () => {
  await write("user_lock", { userID: "1" });
  await write("user_unlock");
  await seal();
  await write("client_create");

  const answer = await service.get("/api/audit/export");

  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({
    "content-type": "application/x-ndjson",
    "content-disposition": 'attachment; filename="audit.ndjson"',
    "cache-control": "no-store",
    "x-rate-limit-limit": expect.any(String),
  });
  const lines = linesOf(answer);
  const head = lines.pop();
  expect(lines.map(({ event, position }) => [event, position])).toEqual([
    ["user_lock", 1],
    ["user_unlock", 2],
    ["client_create", null],
    ["audit_export", null],
  ]);
  expect(lines[0]).toEqual({
    id: expect.stringMatching(/^[1-9][0-9]*$/),
    date: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    event: "user_lock",
    properties: '{"userID": "1"}',
    realm: Number(realmId),
    user: null,
    client: null,
    position: 1,
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(await (await createHeadVerifier(key)).verify(String(head?.["head"]))).toMatchObject({
    realm: realmId,
    position: 2,
    hash: lines[1]?.["hash"],
  });
});

test("an export leaves one audit entry with the caller and the filter", async () => {
  await service.get("/api/audit/export?filter[event]=user_lock&filter[minDate]=2026-01-01");

  const { body } = await service.get("/api/audit?filter[event]=audit_export");
  expect(body.data).toMatchObject([{ event: "audit_export", client: clientId, user: null }]);
  expect(JSON.parse(body.data[0].properties)).toEqual({
    format: "ndjson",
    filter: { event: ["user_lock"], minDate: "2026-01-01T00:00:00.000Z" },
  });
});

test("a refused export leaves no audit entry", async () => {
  await service.get("/api/audit/export?filter[event]=nonsense");
  await api.as.user(api.given.user({ realmId })).get("/api/audit/export");
  expect((await service.get("/api/audit")).body.total).toBe(0);
});

test("a filter excludes the head and every entry that does not match, sealed or not", async () => {
  await write("user_lock");
  await write("user_unlock");
  await seal();
  await write("user_lock");
  await write("client_create", {}, "console");

  const events = async (query: string): Promise<unknown[]> =>
    linesOf(await service.get(`/api/audit/export?${query}`)).map(
      ({ event, position }) => `${String(event)} ${String(position)}`,
    );

  expect(await events("filter[event]=user_lock")).toEqual(["user_lock 1", "user_lock null"]);
  expect(await events("filter[client]=console")).toEqual(["client_create null"]);
  expect(await events("filter[maxDate]=2020-01-01")).toEqual([]);
});

test.each([
  "filter[event]=user_lick",
  "filter[nonsense]=1",
  "filter=user_lock",
  "filter[minDate]=now",
  "filter[user]=x",
  "filter[event]=user_lock&filter[event]=user_unlock",
])("?%s is refused", async (query) => {
  expect(await service.get(`/api/audit/export?${query}`)).toBeError("invalid_request");
});

test("an empty export has a head with a count of zero, and CSV has its header", async () => {
  expect(linesOf(await service.get("/api/audit/export"))).toMatchObject([{ event: "audit_export" }, { head: null }]);
  expect((await service.get("/api/audit/export?filter[maxDate]=2020-01-01", csv)).text).toBe(
    "id,date,event,properties,realm,user,client,position,hash\r\n",
  );
});

test("an export contains no entries of other realms", async () => {
  await write("user_lock", { secret: "of the first" });
  await seal();
  await write("user_lock", { secret: "of the first" });
  const { text } = await api.as.service({ realmId: await api.given.realm() }).get("/api/audit/export");
  expect(text).not.toContain("of the first");
});

describe("Accept", () => {
  test.each([
    ["text/csv", "text/csv"],
    ["text/csv;q=0.9, application/x-ndjson;q=0.5", "text/csv"],
    ["application/x-ndjson", "application/x-ndjson"],
    ["*/*", "application/x-ndjson"],
    ["application/json", "application/x-ndjson"],
    ["text/*", "text/csv"],
  ])("%s selects %s", async (accept, type) => {
    const { headers } = await service.get("/api/audit/export", { headers: { accept } });
    expect(headers["content-type"]?.split(";")[0]).toBe(type);
  });
});

test("CSV follows RFC 4180, and no cell is a formula", async () => {
  await write("user_lock", { name: 'a "b", c' }, "=cmd|'/C calc'!A0");
  await write("user_lock", {}, "-1+1");
  await write("user_lock", {}, "@SUM(1)");
  await write("user_lock", {}, "\tx");
  await write("user_lock", {}, "+1");
  await write("user_lock", {}, "a;=1");
  await write("user_lock", {}, "plain");
  await seal();

  const { text, headers } = await service.get("/api/audit/export?filter[event]=user_lock", csv);

  expect(headers["content-type"]).toBe("text/csv; charset=utf-8; header=present");
  const rows = text.split("\r\n");
  expect(rows[0]).toBe("id,date,event,properties,realm,user,client,position,hash");
  expect(rows[1]).toMatch(
    /^\d+,[^,]+,user_lock,"\{""name"": ""a \\""b\\"", c""\}",\d+,,'=cmd\|'\/C calc'!A0,1,[0-9a-f]{64}$/,
  );
  expect(rows.slice(2, 8).map((row) => row.split(",")[6])).toEqual([
    "'-1+1",
    "'@SUM(1)",
    "'\tx",
    "'+1",
    "a;'=1",
    "plain",
  ]);
  expect(rows.at(-1)).toBe("");
});

test("HEAD gets 405 and leaves no audit entry, since nothing is exported", async () => {
  const answer = await service.send("HEAD", "/api/audit/export");
  expect({ status: answer.status, allow: answer.headers.allow }).toEqual({ status: 405, allow: "GET, OPTIONS" });
  expect((await service.get("/api/audit")).body.total).toBe(0);
});

describe("of many entries", () => {
  const many = extent(60_000, 0.3);

  const open = (): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const sent = request(`${api.url}/api/audit/export`, { headers: { authorization: `Bearer ${token}` } }, resolve);
      sent.once("error", reject);
      sent.end();
    });

  // Sealing this many entries takes seconds, so these tests share the entries.
  let shared: string;
  beforeAll(async () => {
    shared = await api.given.realm();
    await insertEntries(api.database, shared, many);
    await seal();
  });

  beforeEach(async () => {
    realmId = shared;
    token = await api.given.token({
      realmId: shared,
      clientId: (await api.given.application({ realmId: shared })).clientId,
    });
    service = api.as.token(token);
  });

  test("the export is complete and in order while the chain grows", async () => {
    await seal();
    const { total: sealed } = (await service.get("/api/audit?limit=1")).body as { total: number };
    await write("user_lock");

    const response = await open();
    let text = "";
    for await (const chunk of response.setEncoding("utf8") as AsyncIterable<string>) {
      // Seals more entries in the middle of the export.
      if (text === "") await seal();
      text += chunk;
    }

    const lines = linesOf({ text } as ApiAnswer);
    expect(sealed).toBeGreaterThanOrEqual(many);
    expect(lines).toHaveLength(sealed + 3);
    expect(lines.slice(0, sealed).map(({ position }) => position)).toEqual(
      Array.from({ length: sealed }, (_, index) => index + 1),
    );
    expect(lines.slice(sealed).map(({ event, position }) => [event, position])).toEqual([
      ["user_lock", null],
      ["audit_export", null],
      [undefined, undefined],
    ]);
  });

  test("an export that fails midway is aborted, so no client takes it for complete", async () => {
    const response = await open();
    await api.database.owner.query(sql`revoke select on audit_seals from realmpass_api`);
    const read = async (): Promise<number> => {
      let length = 0;
      for await (const chunk of response as AsyncIterable<Buffer>) length += chunk.length;
      return length;
    };
    try {
      await expect(read()).rejects.toThrow("aborted");
    } finally {
      await api.database.owner.query(sql`grant select on audit_seals to realmpass_api`);
    }
    expect(response.statusCode).toBe(200);
  });

  test("a client that does not read holds no database connection and little memory, and its disconnect ends the export", async () => {
    const before = heldBytes();
    const disconnects = () => requests.filter((entry) => (entry as { status?: number }).status === 499).length;
    const earlier = disconnects();

    const idle = await Promise.all(Array.from({ length: 12 }, open));

    // The pool has 8 connections: if any of these exports held one, every other request would wait.
    expect((await service.get("/api/audit?limit=1")).status).toBe(200);
    expect(heldBytes() - before).toBeLessThan(50_000_000);
    for (const response of idle) response.destroy();
    await eventually(() => {
      expect(disconnects() - earlier).toBe(idle.length);
    });
    await eventually(async () => {
      const [row] = await api.database.owner.query<{ active: number }>(sql`
        select count(*)::integer as active
          from pg_stat_activity
         where datname = current_database()
           and application_name = 'realmpass test api'
           and state <> 'idle'
      `);
      expect(row?.active).toBe(0);
    });
  });
});
