import { randomInt, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { only } from "../../db/client.ts";
import { sql } from "../../db/sql.ts";
import { systemClock } from "../../runtime/clock.ts";
import type { QueueBackend } from "../../runtime/queue/queues.ts";
import { readCrl, storedCrl } from "../support/pki/crl.ts";
import { eventually } from "../support/run/eventually.ts";
import { startBreakablePostgres, startBreakableRedis } from "../support/service/fault-services.ts";
import { givenProfiles, givenUsers, useQuickKeys } from "../support/service/fault.ts";
import { ended, freePort } from "../support/run/services.ts";
import { startService, type Answer, type RunningService } from "../support/service/service.ts";
import { describeWithTool } from "../support/run/tools.ts";

/** Tests every kind of work at the same time, while every process is killed again and again. */

const creations = 5_000;
const owners = 250;
const clients = 48;
const joining = 5_000;
const leaving = 2_000;
/** How often each kind of disaster strikes. */
const rounds = 2;
const pendingSecondsMax = 180;

describe("on Postgres", () => {
  behaviour("postgres");
});
describeWithTool("redis-server", "on Redis", () => {
  behaviour("redis");
});

function behaviour(kind: QueueBackend["kind"]): void {
  test(`in a storm of kills and outages, ${creations} single profiles, ${joining} onboardings and ${leaving} offboardings are each done once`, async () => {
    const { service, disasters, call } = await startInStorm(kind);
    const seen = new Map<number, number>();
    const ask = async (path: string, body: unknown): Promise<Answer> => {
      const key = randomUUID();
      for (;;) {
        const answer = await call("POST", path, body, { "idempotency-key": key }).catch(() => undefined);
        if (answer !== undefined) seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
        if (answer !== undefined && answer.status !== 503) return answer;
        await delay(randomInt(50, 500));
      }
    };

    await useQuickKeys(service);
    const userIds = await givenUsers(service, owners, "owner");
    const leavingIds = await givenUsers(service, leaving, "leaving");
    await givenProfiles(service, leavingIds, 1);

    const asked = Promise.all([
      inTurns(clients, creations, async (index) => {
        const path = `/api/user/${userIds[index % owners]}/profiles/device-${index}`;
        return ask(path, { format: "pem", deviceType: "Linux" });
      }),
      ask("/api/jobs/onboarding", {
        users: Array.from({ length: joining }, (_, index) => ({
          pairwiseID: `joining-${index}`,
          profileName: "laptop",
          deviceType: "Linux",
          format: "pkcs12",
        })),
      }),
      ask(`/api/jobs/offboarding?confirmTotal=${leaving}`, { users: leavingIds.map((userID) => ({ userID })) }),
    ]);

    for (const name of Array.from({ length: rounds }, () => shuffled(Object.keys(disasters))).flat()) {
      await delay(randomInt(500, 2_500));
      await disasters[name]!();
    }
    // Single profiles come first, while clients keep sending; the jobs share the rest of the machine with them.
    const recovered = systemClock.now();
    await eventually(
      async () => {
        expect(await unfinished(service, recovered)).toMatchObject({ issuances: 0, revocations: 0 });
      },
      { withinMs: pendingSecondsMax * 1_000, everyMs: 250 },
    );
    const [answers, onboarding, offboarding] = await asked;
    await eventually(
      async () => {
        expect(await unfinished(service, systemClock.now())).toEqual({ issuances: 0, revocations: 0, jobs: 0 });
      },
      { withinMs: pendingSecondsMax * 1_000, everyMs: 250 },
    );

    expect([...seen.keys()].filter((status) => status >= 300 && status !== 503)).toEqual([]);
    await expectAnswersToHold(service, answers);
    expect(onboarding.status).toBe(202);
    expect(offboarding.status).toBe(202);
    await expectEverythingOnce(service);
    await expectJobsToAddUp(service);
  }, 600_000);
}

/** Starts two apis and two workers with a Postgres and a Redis of their own, and returns the disasters for them. */
async function startInStorm(kind: QueueBackend["kind"]) {
  const postgres = await startBreakablePostgres();
  onTestFinished(() => postgres.stop());
  const redis = kind === "redis" ? await startBreakableRedis() : undefined;
  onTestFinished(() => redis?.stop());
  const service = await startService({
    kind,
    redisUrl: redis?.url,
    clone: { url: postgres.url, drop: () => Promise.resolve() },
    atEnd: (stop) => {
      onTestFinished(stop, 30_000);
    },
  });
  const ports = [await freePort(), await freePort()];
  const first = service.api[0]!;
  const apis = await Promise.all(ports.map((port) => service.startApi({ PORT: String(port) })));
  await ended(first);
  const workers = [service.workers[0]!, await service.startWorker()];

  const killApi = async (index: number): Promise<void> => {
    await ended(apis[index]!, "SIGKILL");
    apis[index] = await insistently(() => service.startApi({ PORT: String(ports[index]) }));
  };
  const killWorker = async (index: number): Promise<void> => {
    await ended(workers[index]!, "SIGKILL");
    workers[index] = await insistently(() => service.startWorker());
  };
  const emptyTables = async (): Promise<void> => {
    await service.owner.query(sql`delete from bullmq.job`);
  };
  const disasters: Record<string, () => Promise<void>> = {
    "an api killed": () => killApi(randomInt(2)),
    "a worker killed": () => killWorker(randomInt(2)),
    "all workers killed": async () => {
      await Promise.all([killWorker(0), killWorker(1)]);
    },
    "Postgres stopped": () => postgres.crash(),
    "the queue emptied": redis === undefined ? emptyTables : () => redis.empty(),
    ...(redis && { "Redis killed": () => redis.crash() }),
  };

  let turn = 0;
  const call: RunningService["call"] = (...request) => service.callAt(ports[turn++ % 2]!, ...request);
  return { service, disasters, call };
}

/** Restarts a process as its supervisor would: a process that starts while Postgres is away exits. */
async function insistently<Result>(start: () => Promise<Result>): Promise<Result> {
  return eventually(start, { withinMs: 60_000, everyMs: 200 });
}

/** Runs work for each index in order, `lanes` at a time. */
async function inTurns<Result>(
  lanes: number,
  count: number,
  work: (index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  const left = [...items];
  return items.map(() => left.splice(randomInt(left.length), 1)[0]!);
}

/**
 * Counts the work that was accepted or revoked up to this time and is still unfinished: single profiles, revocations to
 * publish, jobs. A broken upload was not accepted: the job it left in `receiving` is removed after some minutes.
 */
const unfinished = async ({ owner }: RunningService, by: Date): Promise<Record<string, number>> =>
  only(
    await owner.query<Record<string, number>>(sql`
      select (select count(*)::integer from issuances
               where status in ('queued', 'signing') and batch_id is null and created_at <= ${by}) as issuances,
             (select count(*)::integer from jobs
               where finished_at is null and state <> 'receiving' and created_at <= ${by}) as jobs,
             (select count(*)::integer from crl_unpublished where revoked_at <= ${by}) as revocations
    `),
  );

/** Expects every profile in a response to exist, and to be in no other response. */
async function expectAnswersToHold({ owner }: RunningService, answers: readonly Answer[]): Promise<void> {
  expect(answers).toHaveLength(creations);
  expect(new Set(answers.map(({ status }) => status)).size).toBeLessThanOrEqual(2);
  const issued = answers.flatMap(({ status, body }) =>
    status === 200 ? [(body.data as { serial: string }).serial] : [],
  );
  expect(new Set(issued).size).toBe(issued.length);
  const known = await owner.query(sql`select from certificates where serial_number = any(${issued}::text[])`);
  expect(known).toHaveLength(issued.length);
}

async function expectEverythingOnce(service: RunningService): Promise<void> {
  const [row] = await service.owner.query<Record<string, number>>(sql`
    select (select count(*) from issuances where batch_id is null)::integer as "askedFor",
           (select count(*) from issuances where batch_id is not null)::integer as "ofTheJob",
           (select count(*) from issuances where status <> 'issued')::integer as "notIssued",
           (select count(*) from issuances i join certificates c on c.issuance_id = i.id
             where c.revoked_at is null and c.serial_number = i.serial_number)::integer as active,
           (select count(distinct serial_number) from certificates)::integer as "serialNumbers",
           (select count(distinct spki_sha256) from certificates)::integer as "publicKeys",
           (select count(*) from certificates)::integer as certificates,
           (select count(*) from issuance_outputs)::integer as outputs,
           (select count(*) from audit_entries where event = 'profile_create')::integer as audited,
           (select count(*) from abandoned_serial_numbers join certificates using (serial_number))::integer as "abandonedButUsed",
           ((select sum(claims) from issuances)
            - (select count(*) from issuances)
            - (select count(*) from abandoned_serial_numbers))::integer as "signedButUnknown"
  `);
  expect(row).toEqual({
    askedFor: creations,
    ofTheJob: joining,
    notIssued: 0,
    active: creations + joining,
    serialNumbers: creations + joining + leaving,
    publicKeys: creations + joining + leaving,
    certificates: creations + joining + leaving,
    outputs: creations + joining,
    audited: creations + joining,
    abandonedButUsed: 0,
    signedButUnknown: 0,
  });

  const invalid = await service.owner.query<{ serial: string }>(sql`
    select serial_number as serial from abandoned_serial_numbers
     union all
    select serial_number from certificates where revoked_at is not null
  `);
  const { entries } = readCrl(await storedCrl(service.owner, service.issuerId));
  expect([...entries.keys()].sort()).toEqual(invalid.map(({ serial }) => serial).sort());
}

async function expectJobsToAddUp({ owner }: RunningService): Promise<void> {
  const jobs = await owner.query(sql`
    select kind, state, total, changed, unchanged, failed, skipped,
           (select count(*) from job_rows where job_id = j.id and status = 'changed')::integer as rows,
           (select count(*) from audit_entries
             where event = 'job_create' and properties ->> 'job' = j.id::text)::integer as created,
           (select count(*) from audit_entries
             where event = 'job_finish' and properties ->> 'job' = j.id::text)::integer as finished
      from jobs j
     where state <> 'receiving'
     order by kind desc
  `);
  const all = (kind: string, total: number) => ({
    kind,
    state: "completed",
    total,
    changed: total,
    unchanged: 0,
    failed: 0,
    skipped: 0,
    rows: total,
    created: 1,
    finished: 1,
  });
  expect(jobs).toEqual([all("onboarding", joining), all("offboarding", leaving)]);

  const [people] = await owner.query(sql`
    with entries as (
      select event, coalesce(properties ->> 'userID', properties ->> 'user') as person, count(*) as times
        from audit_entries
       where properties ? 'job'
         and event not in ('job_create', 'job_finish')
       group by 1, 2
    )
    select (select count(*) from entries where event = 'user_create')::integer as joined,
           (select count(*) from entries where event = 'profile_create')::integer as equipped,
           (select count(*) from entries where event = 'user_offboard')::integer as left,
           (select count(*) from entries where event not in ('user_create', 'profile_create', 'user_offboard'))::integer as others,
           (select max(times) from entries)::integer as times,
           (select count(*) from users where pairwise_id like 'joining-%')::integer as users,
           (select count(*) from users where offboarded_at is not null)::integer as offboarded,
           (select count(*) from revocations)::integer as revoked
  `);
  expect(people).toEqual({
    joined: joining,
    equipped: joining,
    left: leaving,
    others: 0,
    times: 1,
    users: joining,
    offboarded: leaving,
    revoked: leaving,
  });
}
