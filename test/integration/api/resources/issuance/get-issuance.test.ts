import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { beforeAll, expect, test } from "vitest";
import { useApi, type Caller } from "../../../../support/service/api.ts";
import { eventually } from "../../../../support/run/eventually.ts";
import { givenIssuingRealm } from "../../../../support/given/issuing.ts";
import { sql } from "../../../../../db/sql.ts";

const requests: unknown[] = [];
const log = pino({ level: "info" }, { write: (line) => void requests.push(JSON.parse(line)) });
const api = useApi({ log });
const { as, given } = api;
const linux = { format: "pem", deviceType: "Linux", keyType: "ec-p256" };
const respondAsync = { headers: { prefer: "respond-async" } };

let realmId: string;
let clientId: string;
let service: Caller;

beforeAll(async () => {
  ({ realmId } = await givenIssuingRealm(api.database.owner));
  ({ clientId } = await given.application({ realmId }));
  service = as.token(await given.token({ realmId, clientId }));
});

const begin = async (): Promise<string> => {
  const user = await given.user({ realmId });
  const answer = await service.post(`/api/user/${user.id}/profiles/laptop`, linux, respondAsync);
  return String(answer.headers.location);
};

test("a pending issuance returns 202 with its address and the time to wait before polling again", async () => {
  const location = await begin();
  for (const headers of [{}, { prefer: "wait=1" }]) {
    expect(await service.get(location, { headers: headers })).toMatchObject({
      status: 202,
      headers: { location, "retry-after": "1" },
      body: { result: "ok", code: 202, data: { state: "queued", finishedAt: null, error: null, profile: null } },
    });
  }
});

test("an issuance is visible only to its creator", async () => {
  const location = await begin();
  const user = await given.user({ realmId });
  const strangers = [as.admin({ realmId }), as.service({ realmId }), as.user(user), as.service(), as.guest()];

  for (const stranger of strangers) expect(await stranger.get(location)).toBeError("issuance_not_found");
  expect(await service.get(`/api/issuances/${randomUUID()}`)).toBeError("issuance_not_found");
  expect(await service.get("/api/issuances/1")).toBeError("issuance_not_found");
});

test("through another application, the user who created an issuance sees that it is queued, without output", async () => {
  const user = await given.user({ realmId });
  const [creator, other] = [as.user(user), as.user(user)];
  const begun = await creator.post("/api/profile/laptop", linux, respondAsync);
  const location = String(begun.headers.location);

  for (const caller of [creator, other]) {
    expect(await caller.get(location, { headers: { prefer: "wait=1" } })).toMatchObject({
      status: 202,
      headers: { location, "retry-after": "1", "preference-applied": "wait=1" },
      body: { data: { ...begun.body.data, state: "queued", profile: null } },
    });
  }
});

test("through another application, the user who created an issuance sees that it was issued, but cannot collect its output", async () => {
  await api.startWorker();
  const user = await given.user({ realmId });
  const [creator, other] = [as.user(user), as.user(user)];
  const begun = await creator.post("/api/profile/laptop", linux, respondAsync);
  const location = String(begun.headers.location);
  const read = (caller: Caller) => caller.get(location, { headers: { prefer: "wait=30" } });
  const collected = () =>
    api.database.owner.query(sql`
      select from issuance_outputs
       where issuance_id = ${location.split("/").at(-1)} and collected_at is not null
    `);

  expect(await read(other)).toMatchObject({ status: 200, body: { data: { state: "issued", profile: null } } });
  expect(await collected()).toHaveLength(0);
  expect(await read(creator)).toMatchObject({ body: { data: { state: "issued", profile: { name: "laptop" } } } });
  expect(await collected()).toHaveLength(1);
});

test("a failed issuance contains the reason", async () => {
  const location = await begin();
  const id = location.split("/").at(-1);
  await api.database.owner.query(sql`
    update issuances set status = 'failed', finished_at = now(), error_code = 'user_offboarded' where id = ${id}
  `);
  const withoutScope = as.token(await given.token({ realmId, clientId }, { scopes: [] }));
  for (const caller of [service, withoutScope])
    expect(await caller.get(location)).toMatchObject({
      status: 200,
      body: {
        data: {
          state: "failed",
          error: { error: "user_offboarded", error_description: expect.any(String) },
          profile: null,
        },
      },
    });
});

test("the output can be read again until it is erased", async () => {
  await api.startWorker();
  const location = await begin();
  const wait = { headers: { prefer: "wait=30" } };
  const first = await service.get(location, wait);

  expect(first).toMatchObject({ status: 200, body: { data: { state: "issued" } } });
  expect((await service.get(location)).text).toBe(first.text);

  await api.database.owner.query(sql`update issuance_outputs set sealed = null`);
  expect(await service.get(location)).toBeError("output_erased");
});

test("reading the output again does not postpone its erasure", async () => {
  await api.startWorker();
  const location = await begin();
  const id = location.split("/").at(-1);
  const collectedAt = async () =>
    (
      await api.database.owner.query<{ at: Date | null }>(
        sql`select collected_at as at from issuance_outputs where issuance_id = ${id}`,
      )
    )[0]?.at;
  await service.get(location, { headers: { prefer: "wait=30" } });
  expect(await collectedAt()).toBeInstanceOf(Date);

  const first = new Date("2027-01-01T00:00:00Z");
  await api.database.owner.query(
    sql`update issuance_outputs set collected_at = ${first}, created_at = ${first} where issuance_id = ${id}`,
  );
  expect(await service.get(location)).toMatchObject({ status: 200, body: { data: { state: "issued" } } });
  expect(await collectedAt()).toEqual(first);
});

test("a waiting client is notified by the worker, without polling", async () => {
  await api.startWorker();
  const wait = { headers: { prefer: "wait=60" } };
  // Control: a wait that began earlier, in a realm whose issuer no worker can use, continues.
  const [user, other] = [await given.user({ realmId: api.realmId }), as.service()];
  const begun = await other.post(`/api/user/${user.id}/profiles/laptop`, linux, respondAsync);
  let isOver = false;
  const control = other.get(String(begun.headers.location), wait).finally(() => (isOver = true));
  const answer = await service.get(await begin(), wait);
  expect(answer).toMatchObject({ status: 200, body: { data: { state: "issued" } } });
  expect(isOver).toBe(false);
  await as.admin().delete(`/api/user/${user.id}`);
  expect(await control).toMatchObject({ body: { data: { state: "failed" } } });
});

test("the output of a client that disconnects is not marked as collected", async () => {
  await api.startWorker();
  await api.database.owner.query(sql`
    create function hold() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(1); return new; end $$`);
  await api.database.owner.query(
    sql`create trigger hold before insert on certificates for each row execute function hold()`,
  );
  const user = await given.user({ realmId });
  const path = `/api/user/${user.id}/profiles/laptop`;
  const token = await given.token({ realmId, clientId: (await given.application({ realmId })).clientId });
  const controller = new AbortController();

  // The issuance begins only after the api has noticed that the client has disconnected.
  await api.database.owner.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(1)`);
    const gone = fetch(`${api.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(linux),
      signal: controller.signal,
    });
    await eventually(async () => {
      const rows = await api.database.owner.query(sql`select 1 from issuances where user_id = ${user.id}`);
      expect(rows).toHaveLength(1);
    });
    controller.abort();
    await expect(gone).rejects.toThrow();
    await eventually(() => {
      expect(requests).toContainEqual(expect.objectContaining({ method: "POST", status: 499 }));
    });
  });

  await eventually(async () => {
    const rows = await api.database.owner.query<{ collected: Date | null }>(sql`
      select o.collected_at as collected from issuance_outputs o join issuances i on i.id = o.issuance_id where i.user_id = ${user.id}
    `);
    expect(rows).toEqual([{ collected: null }]);
  });
});
