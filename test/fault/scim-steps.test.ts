import { expect } from "vitest";
import { only } from "../../db/client.ts";
import { sql } from "../../db/sql.ts";
import { unconfirmedRemovalsMax } from "../../domain/limits.ts";
import { givenRows } from "../support/given/given.ts";
import { ended } from "../support/run/services.ts";
import { faultTest, givenProfiles, hold } from "../support/service/fault.ts";
import type { Answer, RunningService } from "../support/service/service.ts";

/**
 * The api is killed while a directory deactivates somebody: before the commit nothing has changed, and after it
 * everything has.
 */

const step = faultTest("postgres");

/** Connects a directory with this many people, each with a device. */
async function givenConnection(service: RunningService, people: number) {
  const { owner, realmId } = service;
  const given = givenRows(() => owner);
  const application = await given.application({ realmId, scopes: ["scim"] });
  const { clientId } = application;
  const token = await given.token(application, { scopes: ["scim"] });
  const rows = await owner.query<{ id: string }>(sql`
    with people as (
      insert into users (realm_id, pairwise_id, created_at)
      select ${realmId}, 'managed-' || n, now() from generate_series(1, ${people}::integer) as n
      returning id, pairwise_id
    )
    insert into scim_users (user_id, realm_id, client_id, external_id, user_name, active, created_at, updated_at)
    select id, ${realmId}, ${clientId}, pairwise_id, pairwise_id, true, now(), now() from people
    returning user_id as id
  `);
  const ids = rows.map(({ id }) => id);
  await givenProfiles(service, ids, 1);
  const deactivate = (id: string | undefined): Promise<Answer> =>
    service.call(
      "PATCH",
      `/scim/v2/Users/${id}`,
      { Operations: [{ op: "replace", path: "active", value: "False" }] },
      { authorization: `Bearer ${token}` },
    );
  return { ids, deactivate };
}

interface Standing {
  out: number;
  good: number;
  entries: number;
  jobs: number;
  rows: number;
}

const standing = async ({ owner }: RunningService): Promise<Standing> =>
  only(
    await owner.query<Standing>(sql`
      select (select count(*) from users where offboarded_at is not null)::integer as out,
             (select count(*) from certificates where revoked_at is null)::integer as good,
             (select count(*) from audit_entries where event = 'user_offboard')::integer as entries,
             (select count(*) from jobs where origin = 'scim')::integer as jobs,
             (select count(*) from job_rows)::integer as rows
    `),
  );

/** Kills the api while its request waits for a lock. */
async function killedAt(
  service: RunningService,
  {
    lock,
    statement,
    request,
  }: { lock: "revocations" | "job_rows" | "audit_entries"; statement: string; request: () => Promise<Answer> },
): Promise<void> {
  const locks = {
    revocations: sql`lock table revocations in share mode`,
    job_rows: sql`lock table job_rows in share mode`,
    audit_entries: sql`lock table audit_entries in share mode`,
  };
  const point = await hold(service, locks[lock]);
  const first = request().catch(() => undefined);
  await point.reached("api", statement);
  await ended(service.api[0]!, "SIGKILL");
  await first;
  await point.drop();
  await point.release();
}

for (const [lock, statement] of [
  ["revocations", "insert into revocations"],
  ["audit_entries", "insert into audit_entries"],
] as const) {
  step(
    `if the api is killed before it writes ${lock}, nothing changes, and a retry offboards the person and revokes the device once`,
    async (service) => {
      const { ids, deactivate } = await givenConnection(service, 1);
      await killedAt(service, { lock, statement, request: () => deactivate(ids[0]) });
      expect(await standing(service)).toEqual({ out: 0, good: 1, entries: 0, jobs: 0, rows: 0 });
      await service.startApi();
      expect(await deactivate(ids[0])).toMatchObject({ status: 200, body: { active: false } });
      expect(await deactivate(ids[0])).toMatchObject({ status: 200, body: { active: false } });
      expect(await standing(service)).toEqual({ out: 1, good: 0, entries: 1, jobs: 0, rows: 0 });
    },
  );
}

for (const [lock, statement] of [
  ["job_rows", "with again as"],
  ["audit_entries", "insert into audit_entries"],
] as const) {
  step(
    `if the api is killed before it writes ${lock} of a held job, nobody is locked out without a job row`,
    async (service) => {
      const { ids, deactivate } = await givenConnection(service, unconfirmedRemovalsMax + 2);
      await service.owner.query(sql`
      update scim_users set offboarded_at = now() where user_id <> all(${ids.slice(-2)}::bigint[])
    `);
      const [one, other] = ids.slice(-2);
      const good = ids.length;
      await killedAt(service, { lock, statement, request: () => deactivate(one) });
      expect(await standing(service)).toEqual({ out: 0, good, entries: 0, jobs: 0, rows: 0 });
      await service.startApi();
      for (const id of [one, one, other]) {
        expect(await deactivate(id)).toMatchObject({ status: 200, body: { active: false } });
      }
      expect(await standing(service)).toEqual({ out: 2, good, entries: 2, jobs: 1, rows: 2 });
    },
  );
}

/**
 * Deactivates people, 25 at a time, and returns those whose response was 200. After `until` such responses it calls
 * `then` and starts no further request; requests in progress may fail.
 */
async function wave(
  ids: readonly string[],
  deactivate: (id: string) => Promise<Answer>,
  { until, then }: { until: number; then: () => Promise<void> } = { until: Infinity, then: () => Promise.resolve() },
): Promise<string[]> {
  const left = [...ids];
  const confirmed: string[] = [];
  const isOver = (): boolean => confirmed.length >= until;
  const work = async (): Promise<void> => {
    for (let id = isOver() ? undefined : left.shift(); id !== undefined; id = isOver() ? undefined : left.shift()) {
      const answer = await deactivate(id).catch(() => undefined);
      if (answer?.status === 200) {
        confirmed.push(id);
        if (confirmed.length === until) await then();
      } else {
        expect(isOver(), `${answer?.status} ${JSON.stringify(answer?.body)}`).toBe(true);
      }
    }
  };
  await Promise.all(Array.from({ length: 25 }, work));
  return confirmed;
}

/**
 * The possible states of a person: active with a device, locked out without a device, or locked out with a device that
 * is in a held job.
 */
const fits = [
  { out: false, revoked: false, rows: 0, entries: 0 },
  { out: true, revoked: true, rows: 0, entries: 1 },
  { out: true, revoked: false, rows: 1, entries: 1 },
];

step(
  "if the api is killed three times in a wave of deactivations, each locked-out person has lost the device or has one job row",
  async (service) => {
    const { ids, deactivate } = await givenConnection(service, 3 * unconfirmedRemovalsMax);
    const confirmed = new Set<string>();
    for (const until of [30, 60, 60]) {
      const left = ids.filter((id) => !confirmed.has(id));
      const then = () => ended(service.api.at(-1)!, "SIGKILL").then(() => undefined);
      for (const id of await wave(left, deactivate, { until, then })) confirmed.add(id);
      // The sessions of the killed api roll back what they had not committed.
      await service.startApi();
      const people = await service.owner.query<{ id: string } & (typeof fits)[number]>(sql`
        select u.id, u.offboarded_at is not null as out, c.revoked_at is not null as revoked,
               (select count(*) from job_rows r where r.user_id = u.id and r.status = 'working')::integer as rows,
               (select count(*)
                  from audit_entries e
                 where e.event = 'user_offboard' and e.properties ->> 'userID' = u.id::text)::integer as entries
          from users u
          join certificates c on c.user_id = u.id
      `);
      for (const { id, ...state } of people) {
        expect(fits, id).toContainEqual(state);
        if (confirmed.has(id)) expect(state.out, id).toBe(true);
      }
    }
    expect(await wave(ids, deactivate)).toHaveLength(ids.length);
    const held = ids.length - unconfirmedRemovalsMax;
    expect(await standing(service)).toEqual({ out: ids.length, good: held, entries: ids.length, jobs: 1, rows: held });
  },
);
