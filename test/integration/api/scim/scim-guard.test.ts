import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { sql } from "../../../../db/sql.ts";
import { entriesAbout, givenDirectory, type GivenDirectory } from "../../../support/given/directory.ts";
import { eventually } from "../../../support/run/eventually.ts";
import { extent } from "../../../support/run/extent.ts";
import { useApi } from "../../../support/service/api.ts";

const registry = new Registry();
const api = useApi({ registry });
const { as, given } = api;

/** Makes people with one profile each whom the directory manages, as if it had created them. */
async function givenStaff({ realmId, clientId }: GivenDirectory, count: number): Promise<string[]> {
  const { owner } = api.database;
  const rows = await owner.query<{ id: string }>(sql`
    with people as (
      insert into users (realm_id, pairwise_id, created_at)
      select ${realmId}, 'staff-' || n, now() from generate_series(1, ${count}::integer) as n
      returning id, pairwise_id
    ), known as (
      insert into scim_users (user_id, realm_id, client_id, external_id, user_name, active, created_at, updated_at)
      select id, ${realmId}, ${clientId}, pairwise_id, pairwise_id, true, now(), now() from people
    ), devices as (
      insert into certificates (realm_id, issuer_id, serial_number, issuance_id, kind, user_id, name, device_type, authable,
                                identity, certificate, spki_sha256, created_at, not_before, not_after, lapsed)
      select ${realmId}, i.id, (1000000000 + p.id * 1000 + ${realmId}::integer)::text, gen_random_uuid(), 'user', p.id, 'laptop', 'Linux', false,
             p.pairwise_id || '@example.org', 'x', sha256(p.pairwise_id::bytea || ${realmId}::text::bytea), now(), now(), now() + interval '1 year', false
        from people p, issuers i where i.realm_id = ${realmId}
    )
    select id from people order by id
  `);
  return rows.map(({ id }) => id);
}

/** Deactivates people in turn, eight at a time. */
async function deactivateAll(directory: GivenDirectory, ids: readonly string[]): Promise<void> {
  const left = [...ids];
  const work = async (): Promise<void> => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      expect(await directory.deactivate(id)).toMatchObject({ status: 200, body: { active: false } });
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
}

interface State {
  active: number;
  out: number;
  /** People who are offboarded and still have a valid profile. */
  held: number;
}
async function stateOf(ids: readonly string[]): Promise<State | undefined> {
  const [state] = await api.database.owner.query<State>(sql`
    select count(*) filter (where u.offboarded_at is null)::integer as active,
           count(*) filter (where u.offboarded_at is not null and not c.valid)::integer as out,
           count(*) filter (where u.offboarded_at is not null and c.valid)::integer as held
      from users u
     cross join lateral (select exists (select from certificates c where c.user_id = u.id and c.revoked_at is null) as valid) c
     where u.id = any(${ids}::bigint[])
  `);
  return state;
}

const heldJobOf = async (realmId: string) =>
  (await as.admin({ realmId }).get("/api/jobs")).body.data.find(({ origin }: { origin: string }) => origin === "scim");

test("if a directory deactivates many of 600 people, the realm's share of profiles is revoked and the others are held until confirmed", async () => {
  const directory = await givenDirectory(api);
  const { realmId } = directory;
  const admin = as.admin({ realmId });
  const staff = await givenStaff(directory, 600);
  const ids = staff.slice(0, extent(600, 0.25));
  // A fifth of 600.
  const share = 120;
  const held = ids.length - share;
  await deactivateAll(directory, ids);
  expect(await stateOf(staff)).toEqual({ active: 600 - ids.length, out: share, held });

  const job = await heldJobOf(realmId);
  expect(job).toMatchObject({
    kind: "offboarding",
    origin: "scim",
    state: "grace",
    revokeAt: null,
    error: "confirmation_required",
    total: held,
    done: 0,
  });
  const holds = await api.database.owner.query<{ event: string; clientId: string }>(sql`
    select event, client_id as "clientId" from audit_entries where realm_id = ${realmId} and event in ('scim_hold', 'job_create') order by id
  `);
  expect(holds).toEqual(["job_create", "scim_hold"].map((event) => ({ event, clientId: directory.clientId })));
  const [last = ""] = ids.slice(-1);
  const { body: access } = await admin.get(`/api/user/${last}/provisioning`);
  expect(access.data.offboarding).toMatchObject({ state: "held", job: job.id, revokeAt: null });
  const metrics = await registry.metrics();
  expect(metrics).toContain(`realmpass_scim_deactivations_total{outcome="held"} ${held}`);
  expect(metrics.split("\n")).toContain(`realmpass_scim_held_people ${held}`);

  // A repeat changes nothing, and people who leave later wait for the same decision.
  await deactivateAll(directory, ids.slice(-3));
  expect((await heldJobOf(realmId)).total).toBe(held);

  const start = (confirmTotal?: number) => admin.post(`/api/jobs/${job.id}/start`, { confirmTotal });
  expect(await start()).toBeError("confirmation_required");
  expect(await start(held - 1)).toBeError("confirmation_required");
  expect(await stateOf(ids)).toMatchObject({ held });
  const worker = await api.startWorker();
  expect((await start(held)).status).toBeLessThan(300);
  await eventually(async () => {
    expect(await stateOf(ids)).toEqual({ active: 0, out: ids.length, held: 0 });
  });
  await eventually(async () => {
    expect((await heldJobOf(realmId)).state).toBe("completed");
  });
  await worker.stop();

  // Once confirmed, a real wave continues without another confirmation.
  const next = await directory.person();
  await given.profile({ id: next, realmId });
  await directory.deactivate(next);
  expect(await stateOf([next])).toEqual({ active: 0, out: 1, held: 0 });
});

test("undoing the held job leaves every held device as it was, and reactivates the job's people", async () => {
  const directory = await givenDirectory(api);
  const { realmId } = directory;
  const ids = await givenStaff(directory, 130);
  await deactivateAll(directory, ids);
  // 20 % of 130 is fewer than the 100 that any realm may lose.
  expect(await stateOf(ids)).toEqual({ active: 0, out: 100, held: 30 });
  const { id } = await heldJobOf(realmId);
  const worker = await api.startWorker();
  expect((await as.admin({ realmId }).post(`/api/jobs/${id}/undo`, {})).status).toBeLessThan(300);
  await eventually(async () => {
    expect(await stateOf(ids)).toEqual({ active: 30, out: 100, held: 0 });
  });
  // The job ends, so the next person to leave is not held by a job that nobody looks at.
  await eventually(async () => {
    const job = (await as.admin({ realmId }).get(`/api/jobs/${id}`)).body.data;
    expect(job).toMatchObject({ state: "cancelled" });
  });
  await worker.stop();
  await api.database.owner.query(sql`update realms set offboarding_share_percent = 100 where id = ${realmId}`);
  await deactivateAll(directory, ids.slice(-1));
  expect(await stateOf(ids.slice(-1))).toEqual({ active: 0, out: 1, held: 0 });
});

test("a held person whom the directory reactivates is skipped by the job, and can be deactivated again", async () => {
  const directory = await givenDirectory(api);
  const { realmId } = directory;
  const ids = await givenStaff(directory, 102);
  await deactivateAll(directory, ids);
  expect(await stateOf(ids)).toMatchObject({ out: 100, held: 2 });
  const rows = await api.database.owner.query<{ id: string }>(sql`
    select user_id as id from job_rows r join jobs j on j.id = r.job_id where j.realm_id = ${realmId} order by position
  `);
  const [one = ""] = rows.map(({ id }) => id);
  await directory.patch(one, { op: "replace", path: "active", value: true });
  expect(await stateOf([one])).toEqual({ active: 1, out: 0, held: 0 });
  expect(await heldJobOf(realmId)).toMatchObject({ total: 2, done: 1, skipped: 1 });
  await directory.deactivate(one);
  expect(await stateOf([one])).toEqual({ active: 0, out: 0, held: 1 });
  expect(await heldJobOf(realmId)).toMatchObject({ total: 2, done: 0, skipped: 0 });
  expect((await entriesAbout(api, one)).map(({ event, properties }) => [event, properties["held"]])).toEqual([
    ["user_offboard", true],
    ["user_undelete", undefined],
    ["user_offboard", true],
  ]);
});

test("people without a device are never held, and do not count towards the share", async () => {
  const directory = await givenDirectory(api);
  const bare: string[] = [];
  for (let index = 0; index < 105; index++) bare.push(await directory.person());
  await deactivateAll(directory, bare);
  expect(await stateOf(bare)).toEqual({ active: 0, out: 105, held: 0 });
  const ids = await givenStaff(directory, 1);
  await deactivateAll(directory, ids);
  expect(await stateOf(ids)).toEqual({ active: 0, out: 1, held: 0 });
});
