import { describe, expect, test } from "vitest";
import type { Database } from "../../../../db/client.ts";
import * as offboardingOperations from "../../../../db/operations/offboarding.ts";
import * as revocations from "../../../../db/operations/revocations.ts";
import * as transitions from "../../../../db/queries/bulk-job/run/transitions.ts";
import { sql, verbatim } from "../../../../db/sql.ts";
import type { QueueBackend } from "../../../../runtime/queue/queues.ts";
import { useDatabase } from "../../../support/run/database.ts";
import { fromNow, givenRows } from "../../../support/given/given.ts";
import {
  auditOf,
  bulkClientOf,
  driveJobs,
  eventuallyIn,
  expectCountsToAddUp,
  givenJob,
  jobOf,
  rowsOf,
  notifyWorkers,
  type GivenJob,
} from "../../../support/given/bulk-jobs.ts";
import { describeWithTool } from "../../../support/run/tools.ts";
import { startTestWorker } from "../../../support/service/worker.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
let worker: Database | undefined;
const jobs = driveJobs(() => (worker ??= database.open("realmpass_worker")));

const revocation = (realmId: string, serials: readonly string[], rest: Partial<GivenJob> = {}) =>
  givenJob(database.owner, {
    realmId,
    kind: "revocation",
    rows: serials.map((serialNumber) => ({ serialNumber })),
    confirmTotal: serials.length,
    ...rest,
  });

/** Makes this many active profiles, two for each person. */
async function profiles(realmId: string, count: number): Promise<string[]> {
  const rows = await database.owner.query<{ serial: string }>(sql`
    with people as (
      insert into users (realm_id, pairwise_id, created_at)
      select ${realmId}::bigint, 'owner-' || gen_random_uuid(), now() from generate_series(1, ceil(${count}::numeric / 2))
      returning id
    ), numbered as (
      select id, row_number() over () as number from people
    )
    insert into certificates (realm_id, issuer_id, serial_number, issuance_id, kind, user_id, name, device_type, authable,
                              identity, certificate, spki_sha256, created_at, not_before, not_after)
    select ${realmId}, i.id, '1' || lpad((abs(hashtextextended(gen_random_uuid()::text, 0)))::text, 20, '0') || p.number,
           gen_random_uuid(), 'user', p.id, 'laptop', 'Linux', false, gen_random_uuid()::text, 'x',
           sha256(gen_random_uuid()::text::bytea), now(), now(), now() + interval '1 year'
      from (select id, (number - 1) * 2 + n as number from numbered, generate_series(1, 2) as n) as p
      join issuers i on i.realm_id = ${realmId}
     where p.number <= ${count}
    returning serial_number as serial
  `);
  return rows.map(({ serial }) => serial);
}

const revokedOf = async (serials: readonly string[]): Promise<string[]> =>
  (
    await database.owner.query<{ serial: string }>(sql`
      select serial_number as serial
        from certificates
       where serial_number = any(${serials}::text[])
         and revoked_at is not null
    `)
  ).map(({ serial }) => serial);

/** Returns the serial numbers that the audit log records as revoked, each as often as recorded. */
const auditedOf = async (realmId: string): Promise<string[]> =>
  (
    await database.owner.query<{ serial: string }>(sql`
      select properties ->> 'serial' as serial
        from audit_entries
       where realm_id = ${realmId}
         and event = 'profile_revoke'
    `)
  ).map(({ serial }) => serial);

const sorted = (texts: readonly string[]): string[] => [...texts].sort();

function behaviour(kind: QueueBackend["kind"]): void {
  test("each listed profile is revoked and audited once, and other profiles stay unchanged", async () => {
    const realmId = await given.realm();
    const [listed, others] = [await profiles(realmId, 1_201), await profiles(realmId, 40)];
    const { queues, stop } = await startTestWorker({ databaseUrl: database.url, kind });
    const jobId = await revocation(realmId, listed);

    await notifyWorkers(queues, jobId);

    expect(await eventuallyIn(database.owner, jobId, ["completed", "completed_with_errors"])).toMatchObject({
      state: "completed",
      changed: 1_201,
      done: 1_201,
    });
    expect(sorted(await revokedOf([...listed, ...others]))).toEqual(sorted(listed));
    expect(sorted(await auditedOf(realmId))).toEqual(sorted(listed));
    await stop();
  });
}

describe("on Postgres", () => {
  behaviour("postgres");
});
describeWithTool("redis", "on Redis", () => {
  behaviour("redis");
});

test("every kind of row gets its result, all in one job", async () => {
  const realmId = await given.realm();
  const user = await given.user({ realmId });
  const gone = await given.user({ realmId, offboardedAt: fromNow(-1000) });
  const stranger = await given.user({ realmId: await given.realm() });
  const guest = await given.guestAccount({ realmId });
  const [good, again, ended, left] = [
    await given.profile(user),
    await given.profile(user),
    await given.profile(user, { createdAt: fromNow(-2000), notAfter: fromNow(-1000) }),
    await given.profile(gone),
  ];
  const others = [
    await given.profile(stranger),
    await given.profile({ realmId }, { guestAccountId: guest.id }),
    await given.profile({ realmId }, { kind: "infrastructure" }),
  ];
  const actor = { userId: null, clientId: null };
  await database.owner.transaction((tx) =>
    revocations.revoke(tx, { realmId, serialNumber: again, kind: "user", reason: 4, actor, at: fromNow(-500) }),
  );
  const jobId = await givenJob(database.owner, {
    realmId,
    kind: "revocation",
    reason: 1,
    rows: [
      ...[good, again, ended, left, ...others, "4711", good].map((serialNumber) => ({ serialNumber })),
      { invalid: "serial: is missing" },
    ],
  });

  await jobs.run(jobId);

  await expectCountsToAddUp(database.owner, jobId);
  const notFound = ["failed", "profile_not_found", "There is no such profile of a user in this realm.", null];
  expect(
    (await rowsOf(database.owner, jobId)).map(({ status, errorCode, message, userId }) => [
      status,
      errorCode,
      message,
      userId,
    ]),
  ).toEqual([
    ["changed", null, null, user.id],
    ["unchanged", null, null, user.id],
    ["changed", null, null, user.id],
    ["changed", null, null, gone.id],
    notFound,
    notFound,
    notFound,
    notFound,
    ["failed", "duplicate_row", "the same profile as row 1", null],
    ["failed", "invalid_row", "serial: is missing", null],
  ]);
  expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "completed_with_errors", expectedChange: 3 });
  expect(sorted(await revokedOf([good, again, ended, left, ...others]))).toEqual(sorted([good, again, ended, left]));
  expect(
    await database.owner.query(sql`
      select serial_number as serial, revocation_reason as reason from certificates where user_id = ${user.id} order by id
    `),
  ).toEqual([
    { serial: good, reason: 1 },
    { serial: again, reason: 4 },
    { serial: ended, reason: 1 },
  ]);
});

test("each audit entry records the owner, the reason and the job", async () => {
  const realmId = await given.realm();
  const user = await given.user({ realmId });
  const serial = await given.profile(user);
  const jobId = await revocation(realmId, [serial], { reason: 4 });

  await jobs.run(jobId);

  expect(await auditOf(database.owner, jobId)).toMatchObject([
    {
      event: "profile_revoke",
      clientId: bulkClientOf(realmId),
      properties: { serial, user: user.id, reason: 4, job: jobId },
    },
    { event: "job_finish", properties: { job: jobId, kind: "revocation", state: "completed", changed: 1 } },
  ]);
});

describe("a revocation of more than a fifth of the realm's active profiles", () => {
  test.each([
    { count: 100, of: 100, confirmTotal: undefined, state: "completed", why: "of no more than 100" },
    { count: 101, of: 101, confirmTotal: undefined, state: "ready", why: "of 101" },
    { count: 101, of: 505, confirmTotal: undefined, state: "completed", why: "that is exactly a fifth" },
    { count: 101, of: 504, confirmTotal: undefined, state: "ready", why: "that is slightly more than a fifth" },
    { count: 101, of: 101, confirmTotal: 101, state: "completed", why: "whose number is right" },
    { count: 101, of: 101, confirmTotal: 100, state: "ready", why: "whose number is wrong" },
  ])("$why: $count of $of, confirmed $confirmTotal: $state", async ({ count, of, confirmTotal, state }) => {
    const realmId = await given.realm();
    const all = await profiles(realmId, of);
    const jobId = await givenJob(database.owner, {
      realmId,
      kind: "revocation",
      rows: all.slice(0, count).map((serialNumber) => ({ serialNumber })),
      ...(confirmTotal === undefined ? {} : { confirmTotal }),
    });

    await jobs.run(jobId);

    const job = await jobOf(database.owner, jobId);
    expect(job.state).toBe(state);
    expect(job.errorCode).toBe(state === "ready" ? "confirmation_required" : null);
    expect(await revokedOf(all)).toHaveLength(state === "ready" ? 0 : count);
  });
});

test("a revocation job that is cancelled while it runs revokes nothing more and skips the remaining rows", async () => {
  const realmId = await given.realm();
  const serials = await profiles(realmId, 600);
  const jobId = await revocation(realmId, serials);
  await jobs.advance(jobId);
  const [first, second] = jobs.waiting.splice(0);
  await jobs.work(first!);
  const actor = { userId: null, clientId: bulkClientOf(realmId) };
  await transitions.toCancelling(database.owner, { realmId, jobId, actor, at: fromNow(0) });
  await jobs.work(second!);

  await jobs.run(jobId);

  expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "cancelled", changed: 500, skipped: 100 });
  await expectCountsToAddUp(database.owner, jobId);
  expect(sorted(await revokedOf(serials))).toEqual(sorted(serials.slice(0, 500)));
});

test("a profile that the database refuses to revoke fails alone", async () => {
  const realmId = await given.realm();
  const serials = await profiles(realmId, 12);
  const refused = serials[4]!;
  await database.owner.query(
    verbatim(`create function refuse() returns trigger language plpgsql as $$
              begin if new.certificate_id = (select id from certificates where serial_number = '${refused}')
                    then raise exception 'a bug'; end if; return new; end $$`),
  );
  await database.owner.query(
    sql`create trigger refuse before insert on revocations for each row execute function refuse()`,
  );
  const jobId = await revocation(realmId, serials);
  try {
    await jobs.run(jobId);
  } finally {
    await database.owner.query(sql`drop function refuse() cascade`);
  }

  expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "completed_with_errors", changed: 11, failed: 1 });
  expect((await rowsOf(database.owner, jobId))[4]).toMatchObject({ status: "failed", errorCode: "internal_error" });
  expect(await revokedOf(serials)).toHaveLength(11);
  expect(await auditedOf(realmId)).toHaveLength(11);
});

test("simultaneous revocation jobs, an offboarding and single calls revoke each profile once", async () => {
  const realmId = await given.realm();
  const serials = await profiles(realmId, 400);
  const owners = await database.owner.query<{ id: string }>(
    sql`select distinct user_id as id from certificates where serial_number = any(${serials.slice(100, 300)}::text[])`,
  );
  const both = [await revocation(realmId, serials), await revocation(realmId, [...serials].reverse())];
  for (const jobId of both) await jobs.advance(jobId);
  const actor = { userId: null, clientId: null };

  await Promise.all([
    ...jobs.waiting.splice(0).map((chunk) => jobs.work(chunk)),
    ...owners.map(({ id: userId }) =>
      database.owner.transaction((tx) =>
        offboardingOperations.offboard(tx, { realmId, userId, reason: 5, actor, at: fromNow(0) }),
      ),
    ),
    ...serials
      .slice(0, 50)
      .map((serialNumber) =>
        database.owner.transaction((tx) =>
          revocations.revoke(tx, { realmId, serialNumber, kind: "user", reason: 0, actor, at: fromNow(0) }),
        ),
      ),
  ]);

  expect(await revokedOf(serials)).toHaveLength(400);
  let changed = 0;
  for (const jobId of both) {
    const job = await jobOf(database.owner, jobId);
    expect(job).toMatchObject({ state: "completed", done: 400, failed: 0 });
    await expectCountsToAddUp(database.owner, jobId);
    changed += job.changed;
  }
  const audited = await auditedOf(realmId);
  expect(new Set(audited).size).toBe(audited.length);
  const byJobs = await Promise.all(both.map((jobId) => auditOf(database.owner, jobId)));
  expect(byJobs.flat().filter(({ event }) => event === "profile_revoke")).toHaveLength(changed);
});

test("a job whose creator has lost the right to revoke profiles does not start by itself", async () => {
  const realmId = await given.realm();
  const serials = await profiles(realmId, 3);
  const jobId = await revocation(realmId, serials, { executeAt: fromNow(60_000) });
  await jobs.advance(jobId);
  await database.owner.query(sql`
    update applications set scopes = array_remove(scopes, 'profile.delete') where client_id = ${bulkClientOf(realmId)}
  `);
  await database.owner.query(sql`update jobs set state = 'queued' where id = ${jobId}`);

  await jobs.run(jobId);

  expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "ready", errorCode: "creator_ended", changed: 3 });
  expect(await revokedOf(serials)).toEqual([]);
});
