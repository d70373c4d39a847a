import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { expect } from "vitest";
import { only } from "../../db/client.ts";
import { sql, type Sql } from "../../db/sql.ts";
import type { JobKind } from "../../domain/bulk-job/job.ts";
import { eventually } from "../support/run/eventually.ts";
import {
  faultTest,
  givenProfiles,
  givenUsers,
  hold,
  holdEnqueuing,
  onBothBackends,
  queueDepths,
} from "../support/service/fault.ts";
import { auditOf, eventuallyIn, expectCountsToAddUp, jobOf, rowsOf, type SeenJob } from "../support/given/bulk-jobs.ts";
import type { Answer, RunningService } from "../support/service/service.ts";
import { ended } from "../support/run/services.ts";

/** docs/jobs.md lists the steps that these tests interrupt. */

const goneOnWithinMs = 60_000;

const joining = (count: number, profile = {}) =>
  Array.from({ length: count }, (_, index) => ({ pairwiseID: `person-${index + 1}`, ...profile }));
const withProfile = { profileName: "laptop", deviceType: "Linux", format: "pem" };

const send = (
  service: RunningService,
  kind: JobKind,
  { users, query = "", key = randomUUID() }: { users: readonly unknown[]; query?: string; key?: string },
): Promise<Answer> => service.call("POST", `/api/jobs/${kind}${query}`, { users }, { "idempotency-key": key });

/** Sends a file while the worker is stopped, so the test can take its locks before the job begins. */
async function sendUnworked(service: RunningService, kind: JobKind, file: Parameters<typeof send>[2]): Promise<string> {
  service.workers[0]!.kill("SIGSTOP");
  return jobIdOf(await send(service, kind, file));
}

/** Returns the id of an accepted job. */
function jobIdOf(answer: Answer): string {
  expect(answer.status).toBe(202);
  return (answer.body.data as { id: string }).id;
}

/** Makes people to offboard, with two profiles each. */
async function givenLeaving(service: RunningService, count: number): Promise<{ userID: string }[]> {
  const userIds = await givenUsers(service, count, "leaving");
  await givenProfiles(service, userIds, 2);
  return userIds.map((userID) => ({ userID }));
}

const countOf = async ({ owner }: RunningService, status: string): Promise<number> =>
  only(
    await owner.query<{ count: number }>(sql`
      select count(*)::integer as count from job_rows where status = ${status}
    `),
  ).count;

/** Returns how many people are offboarded, and how many of their profiles are revoked. */
const departures = async ({ owner }: RunningService): Promise<{ offboarded: number; revoked: number }> =>
  only(
    await owner.query<{ offboarded: number; revoked: number }>(sql`
      select (select count(*) from users where offboarded_at is not null)::integer as offboarded,
             (select count(*) from revocations)::integer as revoked
    `),
  );

/** Returns how many of these users are not offboarded, and how many of their profiles are not revoked. */
const active = async ({ owner }: RunningService, userIds: readonly string[]) =>
  only(
    await owner.query<{ people: number; profiles: number }>(sql`
      select (select count(*) from users where id = any(${userIds}::bigint[]) and offboarded_at is null)::integer as people,
             (select count(*) from certificates
               where user_id = any(${userIds}::bigint[]) and revoked_at is null)::integer as profiles
    `),
  );

type KillPoint = (service: RunningService, leaving: readonly string[], begin: () => Promise<unknown>) => Promise<void>;

/**
 * Returns a kill point: kills the newest worker once it waits for the held locks, so its waiting statement never runs.
 */
const killedAt =
  (held: (leaving: readonly string[]) => Sql, statement: string): KillPoint =>
  async (service, leaving, begin) => {
    const point = await hold(service, held(leaving));
    await begin();
    await point.reached("worker", statement);
    await ended(service.workers.at(-1)!, "SIGKILL");
    await point.drop();
    await point.release();
  };

const someonesProfile = (leaving: readonly string[]): Sql =>
  sql`(select min(id) from certificates where user_id = ${leaving[20]})`;

/** The points at which a test can interrupt an offboarding. */
const killPoints: Record<string, KillPoint> = {
  "while people are locked out": killedAt(
    (leaving) => sql`select from users where id = ${leaving[20]} for update`,
    "with people as materialized",
  ),
  "once all are locked out": killedAt(() => sql`lock table revocations in share mode`, "insert into revocations"),
  "while profiles are revoked": killedAt(
    (leaving) =>
      sql`insert into revocations (certificate_id, revoked_at, reason) values (${someonesProfile(leaving)}, now(), 5)`,
    "revocations",
  ),
  "while it gives up a failing job": async (service, leaving, begin) => {
    await service.owner.query(sql`
      create function refuse_marking() returns trigger language plpgsql as $$
      begin if new.marked_at is not null then raise exception 'a bug'; end if; return new; end $$
    `);
    await service.owner.query(
      sql`create trigger refuse_marking before update on jobs for each row execute function refuse_marking()`,
    );
    await killedAt(() => sql`lock table revocations in share mode`, "insert into revocations")(service, leaving, begin);
    await service.owner.query(sql`drop function refuse_marking() cascade`);
  },
};

/**
 * Expects the job to complete without help: everyone in the job is changed, with one audit entry of each kind per
 * person.
 */
async function expectDoneOnce(
  { owner }: RunningService,
  jobId: string,
  { total, events }: { total: number; events: readonly string[] },
): Promise<SeenJob> {
  const job = await eventuallyIn(owner, jobId, ["completed"], goneOnWithinMs);
  expect(job).toMatchObject({ total, changed: total, unchanged: 0, failed: 0, skipped: 0 });
  await expectCountsToAddUp(owner, jobId);
  const times = new Map<string, number>();
  for (const { event, properties } of await auditOf(owner, jobId)) {
    const person = (properties["userID"] ?? properties["user"] ?? "") as string;
    times.set(`${event} ${person}`, (times.get(`${event} ${person}`) ?? 0) + 1);
  }
  const people = (await rowsOf(owner, jobId)).map(({ userId }) => userId);
  expect([...times.keys()].sort()).toEqual(
    ["job_create ", "job_finish ", ...events.flatMap((event) => people.map((id) => `${event} ${id}`))].sort(),
  );
  expect(new Set(times.values())).toEqual(new Set([1]));
  return job;
}

/** Expects exactly one profile for each row. */
async function expectProfilesOnce({ owner }: RunningService, total: number): Promise<void> {
  const [row] = await owner.query(sql`
    select count(*)::integer as issued, count(distinct r.issuance_id)::integer as issuances,
           count(distinct c.user_id)::integer as people,
           (select count(*) from issuances)::integer as "allIssuances",
           (select count(*) from certificates)::integer as certificates
      from job_rows r
      join certificates c on c.issuance_id = r.issuance_id and c.user_id = r.user_id and c.revoked_at is null
  `);
  expect(row).toEqual({
    issued: total,
    issuances: total,
    people: total,
    allIssuances: total,
    certificates: total,
  });
}

onBothBackends((kind) => {
  const step = faultTest(kind);

  step(
    "if the api is killed during step 1 (receive), the partial job stays invisible and is removed, and the client can safely retry",
    async (service) => {
      const broken = sendInPart(service);
      await eventually(async () => {
        expect(await countOf(service, "pending")).toBe(2_000);
      });
      await ended(service.api[0]!, "SIGKILL");
      await broken;

      await service.startApi();
      expect(await service.call("GET", "/api/jobs")).toMatchObject({ status: 200, body: { data: [] } });
      const again = await send(service, "onboarding", { users: joining(10) });
      await expectDoneOnce(service, (again.body.data as { id: string }).id, { total: 10, events: ["user_create"] });
      // Moves the job's progress back by ten minutes.
      await service.owner.query(sql`
      update jobs set progress_at = progress_at - interval '10 minutes' where state = 'receiving'
    `);
      await eventually(async () => {
        expect(await service.owner.query(sql`select from jobs where state = 'receiving'`)).toEqual([]);
        expect(await countOf(service, "pending")).toBe(0);
      });
    },
  );

  step(
    "if the api is killed after step 2 (begin), the job continues without the queue, and a retry finds it",
    async (service) => {
      const file = { users: joining(20), key: randomUUID() };
      const enqueuing = await holdEnqueuing(service);
      const first = send(service, "onboarding", file).catch(() => undefined);
      await enqueuing.reached(async () => {
        expect(await service.owner.query(sql`select from jobs where state = 'checking'`)).toHaveLength(1);
      });
      await ended(service.api.at(-1)!, "SIGKILL");
      await first;
      await enqueuing.release();
      expect(await queueDepths(service)).toMatchObject({ "bulk-job-steps": 0 });
      const { id } = only(await service.owner.query<{ id: string }>(sql`select id from jobs`));

      await expectDoneOnce(service, id, { total: 20, events: ["user_create"] });
      await service.startApi();
      expect(await send(service, "onboarding", file)).toMatchObject({ body: { data: { id, state: "completed" } } });
    },
  );

  step(
    "if the worker is killed between slices of step 4 (check), the next worker checks the other rows and counts none twice",
    async (service) => {
      const total = 12_000;
      await givenUsers(service, total);
      const users = joining(total, { email: "new@mail.example" });
      const id = await sendUnworked(service, "onboarding", { users, query: "?dryRun=true" });
      const checking = await hold(service, sql`select from job_rows where position = 11000 for update`);
      service.workers[0]!.kill("SIGCONT");
      await checking.reached("worker", "set (expected, error_code");
      await ended(service.workers[0]!, "SIGKILL");
      await checking.drop();
      await checking.release();
      expect(await jobOf(service.owner, id)).toMatchObject({ state: "checking", changed: 10_000 });

      await service.startWorker();
      expect(await eventuallyIn(service.owner, id, ["ready"], goneOnWithinMs)).toMatchObject({
        total,
        changed: total,
        expectedChange: total,
      });
    },
  );

  step("if the worker is killed while a check without changes ends the job, the job ends once", async (service) => {
    const total = 20;
    await givenUsers(service, total);
    const id = await sendUnworked(service, "onboarding", { users: joining(total), query: "?dryRun=true" });
    const ending = await hold(service, sql`lock table audit_entries in share mode`);
    service.workers[0]!.kill("SIGCONT");
    await ending.reached("worker");
    await ended(service.workers[0]!, "SIGKILL");
    await ending.drop();
    await ending.release();
    expect(await jobOf(service.owner, id)).toMatchObject({ state: "checking", unchanged: total, finishedAt: null });
    expect(await countOf(service, "unchanged")).toBe(total);

    await service.startWorker();
    expect(await eventuallyIn(service.owner, id, ["completed"], goneOnWithinMs)).toMatchObject({ unchanged: total });
    const events = (await auditOf(service.owner, id)).map(({ event }) => event);
    expect(events).toEqual(["job_create", "job_finish"]);
  });

  step(
    "if the worker is killed between slices of step 6 (lock out), everyone is locked out once before any profile is revoked",
    async (service) => {
      const users = await givenLeaving(service, 3_000);
      const id = await sendUnworked(service, "offboarding", { users, query: "?confirmTotal=3000" });
      const marking = await hold(service, sql`select from users where id = ${users[2_500]!.userID} for update`);
      service.workers[0]!.kill("SIGCONT");
      await marking.reached("worker");
      await eventually(async () => {
        expect(await departures(service)).toEqual({ offboarded: 2_000, revoked: 0 });
      });
      await ended(service.workers[0]!, "SIGKILL");
      await marking.drop();
      await marking.release();
      expect(await jobOf(service.owner, id)).toMatchObject({ state: "running", markedAt: null, done: 0 });
      expect(await countOf(service, "working")).toBe(2_000);

      await service.startWorker();
      await expectDoneOnce(service, id, { total: 3_000, events: ["user_offboard"] });
      expect(await departures(service)).toEqual({ offboarded: 3_000, revoked: 6_000 });
    },
  );

  step(
    "if the worker is killed after step 6 (lock out), the next worker revokes everyone's profiles",
    async (service) => {
      const users = await givenLeaving(service, 600);
      const revoking = await hold(service, sql`lock table revocations in share mode`);
      const id = jobIdOf(await send(service, "offboarding", { users, query: "?confirmTotal=600" }));
      await revoking.reached("worker", "insert into revocations");
      await ended(service.workers[0]!, "SIGKILL");
      await revoking.drop();
      await revoking.release();
      expect(await departures(service)).toEqual({ offboarded: 600, revoked: 0 });
      expect(await jobOf(service.owner, id)).toMatchObject({ state: "running", done: 0 });

      await service.startWorker();
      await expectDoneOnce(service, id, { total: 600, events: ["user_offboard"] });
      expect(await departures(service)).toEqual({ offboarded: 600, revoked: 1_200 });
    },
  );

  step("if the worker is killed between slices that revoke, the next worker revokes the rest", async (service) => {
    const users = await givenLeaving(service, 500);
    const someonesProfile = sql`(select min(id) from certificates where user_id = ${users[400]!.userID})`;
    const revoking = await hold(
      service,
      sql`insert into revocations (certificate_id, revoked_at, reason) values (${someonesProfile}, now(), 5)`,
    );
    const id = jobIdOf(await send(service, "offboarding", { users, query: "?confirmTotal=500" }));
    await revoking.reached("worker", "revocations");
    await ended(service.workers[0]!, "SIGKILL");
    await revoking.drop();
    await revoking.release();
    expect(await departures(service)).toEqual({ offboarded: 500, revoked: 500 });
    expect(await jobOf(service.owner, id)).toMatchObject({ state: "running", changed: 250 });

    await service.startWorker();
    await expectDoneOnce(service, id, { total: 500, events: ["user_offboard"] });
    expect(await departures(service)).toEqual({ offboarded: 500, revoked: 1_000 });
  });

  for (const [where, killAt] of Object.entries(killPoints)) {
    step(
      `if the worker is killed ${where} and the file is sent again, everyone in it is offboarded, and nobody else`,
      async (service) => {
        const staying = await givenUsers(service, 5, "staying");
        const leaving = await givenUsers(service, 40, "leaving");
        await givenProfiles(service, [...staying, ...leaving], 2);
        const users = leaving.map((userID) => ({ userID }));
        await killAt(service, leaving, () => send(service, "offboarding", { users }));
        expect((await active(service, leaving)).profiles).toBeGreaterThan(0);

        await service.startWorker();
        // In the meantime the interrupted job continues.
        const again = jobIdOf(await send(service, "offboarding", { users }));
        await eventuallyIn(service.owner, again, ["completed"], goneOnWithinMs);
        await eventually(
          async () => {
            expect(await service.owner.query(sql`select state from jobs where finished_at is null`)).toEqual([]);
          },
          { withinMs: goneOnWithinMs },
        );
        expect(await active(service, leaving)).toEqual({ people: 0, profiles: 0 });
        expect(await active(service, staying)).toEqual({ people: 5, profiles: 10 });
        expect(await departures(service)).toEqual({ offboarded: 40, revoked: 80 });
      },
    );
  }

  step("if the worker is killed between slices that onboard, the next worker onboards the rest", async (service) => {
    const [first = ""] = await givenUsers(service, 1, "known");
    const users = [
      ...joining(150, withProfile),
      { pairwiseID: "known-1", ...withProfile },
      ...joining(200, withProfile).slice(150),
    ];
    const taking = await hold(service, sql`select from users where id = ${first} for update`);
    const id = jobIdOf(await send(service, "onboarding", { users }));
    await taking.reached("worker", "for no key update");
    await ended(service.workers[0]!, "SIGKILL");
    await taking.drop();
    await taking.release();
    expect(await jobOf(service.owner, id)).toMatchObject({ state: "running", changed: 100 });

    await service.startWorker();
    await eventuallyIn(service.owner, id, ["completed"], goneOnWithinMs);
    await expectCountsToAddUp(service.owner, id);
    await expectProfilesOnce(service, 201);
  });

  step(
    "if the worker is killed after a slice that onboards, the next worker issues the accepted profiles",
    async (service) => {
      const claiming = await hold(service, sql`lock table abandoned_serial_numbers in share mode`);
      const id = jobIdOf(await send(service, "onboarding", { users: joining(80, withProfile) }));
      await claiming.reached("worker", "with drawn as");
      await ended(service.workers[0]!, "SIGKILL");
      await claiming.drop();
      await claiming.release();
      expect(await countOf(service, "working")).toBe(80);
      expect(await service.owner.query(sql`select from issuances where status = 'queued'`)).toHaveLength(80);

      await service.startWorker();
      await expectDoneOnce(service, id, { total: 80, events: ["user_create", "profile_create"] });
      await expectProfilesOnce(service, 80);
    },
  );

  step(
    "if the worker is killed while it signs for a job, its claims expire, and each profile is made once",
    async (service) => {
      const settling = await hold(service, sql`lock table certificates in share mode`);
      const id = jobIdOf(await send(service, "onboarding", { users: joining(80, withProfile) }));
      await settling.reached("worker", "with signed as");
      await ended(service.workers[0]!, "SIGKILL");
      await settling.drop();
      await settling.release();
      expect(await service.owner.query(sql`select from issuances where status = 'signing'`)).toHaveLength(80);

      await service.startWorker();
      await expectDoneOnce(service, id, { total: 80, events: ["user_create", "profile_create"] });
      await expectProfilesOnce(service, 80);
      expect(await service.owner.query(sql`select from abandoned_serial_numbers`)).toHaveLength(80);
    },
  );

  step(
    "if the worker is killed after it issues but before the rows are updated, the next worker updates them and issues nothing again",
    async (service) => {
      const settling = await hold(service, sql`lock table certificates in share mode`);
      const id = jobIdOf(await send(service, "onboarding", { users: joining(80, withProfile) }));
      await settling.reached("worker", "with signed as");
      await ended(service.workers[0]!, "SIGKILL");
      await settling.release();
      await eventually(async () => {
        expect(await service.owner.query(sql`select from issuances where status = 'issued'`)).toHaveLength(80);
      });
      expect(await countOf(service, "working")).toBe(80);

      await service.startWorker();
      await expectDoneOnce(service, id, { total: 80, events: ["user_create", "profile_create"] });
      await expectProfilesOnce(service, 80);
      expect(await service.owner.query(sql`select from abandoned_serial_numbers`)).toEqual([]);
    },
  );

  step("if the worker is killed after the last row, the job ends once", async (service) => {
    const settling = await hold(service, sql`lock table certificates in share mode`);
    const id = jobIdOf(await send(service, "onboarding", { users: joining(20, withProfile) }));
    await settling.reached("worker", "with signed as");
    // This lock permits updates of the counts, but blocks statements that lock the whole row.
    const finishing = await hold(service, sql`select from jobs where id = ${id} for key share`);
    await settling.release();
    await finishing.reached("worker", "for update");
    await ended(service.workers[0]!, "SIGKILL");
    await finishing.drop();
    await finishing.release();
    expect(await jobOf(service.owner, id)).toMatchObject({ state: "running", done: 20, finishedAt: null });

    await service.startWorker();
    await expectDoneOnce(service, id, { total: 20, events: ["user_create", "profile_create"] });
  });
});

/** Sends 2,500 rows of an unfinished file, and resolves when the connection has broken. */
const sendInPart = ({ apiPort, accessToken }: RunningService): Promise<void> =>
  new Promise((resolve) => {
    const outgoing = request({
      host: "127.0.0.1",
      port: apiPort,
      method: "POST",
      path: "/api/jobs/onboarding",
      headers: { authorization: `Bearer ${accessToken}`, "content-type": "text/csv" },
    });
    outgoing.on("error", () => {
      resolve();
    });
    const names = Array.from({ length: 2_500 }, (_, index) => `half-${index}\n`);
    outgoing.write(`pairwiseID\n${names.join("")}`);
  });
