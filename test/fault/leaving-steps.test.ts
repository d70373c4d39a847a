import { expect } from "vitest";
import { only } from "../../db/client.ts";
import { sql } from "../../db/sql.ts";
import { eventually } from "../support/run/eventually.ts";
import {
  faultTest,
  givenProfiles,
  givenUsers,
  hold,
  holdEnqueuing,
  holdWhere,
  onBothBackends,
  queueDepths,
} from "../support/service/fault.ts";
import { auditOf, eventuallyIn, expectCountsToAddUp, jobOf, rowsOf } from "../support/given/bulk-jobs.ts";
import type { Answer, RunningService } from "../support/service/service.ts";
import { ended } from "../support/run/services.ts";

/** Grace periods and undo. docs/jobs.md lists the steps that these tests interrupt. */

const goneOnWithinMs = 60_000;

/** Returns the id of an accepted job. */
function jobIdOf(answer: Answer): string {
  expect([200, 202], JSON.stringify(answer.body)).toContain(answer.status);
  return (answer.body.data as { id: string }).id;
}

/** Makes people with two profiles each. */
async function givenLeaving(service: RunningService, count: number): Promise<string[]> {
  const userIds = await givenUsers(service, count, "leaving");
  await givenProfiles(service, userIds, 2);
  return userIds;
}

const offboard = (service: RunningService, userIds: readonly string[], query = ""): Promise<Answer> =>
  service.call("POST", `/api/jobs/offboarding?confirmTotal=${userIds.length}${query}`, {
    users: userIds.map((userID) => ({ userID })),
  });

/** Runs an offboarding until its grace period begins, or to its end. */
async function givenOffboarded(service: RunningService, userIds: readonly string[], query = ""): Promise<string> {
  const id = jobIdOf(await offboard(service, userIds, query));
  await eventuallyIn(service.owner, id, ["grace", "completed"], goneOnWithinMs);
  return id;
}

const undo = (service: RunningService, id: string, people: number): Promise<Answer> =>
  service.call("POST", `/api/jobs/${id}/undo`, { confirmTotal: people });

/** Ends the job's grace period. */
const endDays = ({ owner }: RunningService, id: string) =>
  owner.query(sql`update jobs set revoke_at = now() where id = ${id}`);

/** Returns how many people are locked out, and how many profiles are good. */
const standing = async ({ owner }: RunningService): Promise<{ out: number; good: number }> =>
  only(
    await owner.query<{ out: number; good: number }>(sql`
      select (select count(*) from users where offboarded_at is not null)::integer as out,
             (select count(*) from certificates where revoked_at is null)::integer as good
    `),
  );

const times = async ({ owner }: RunningService, event: string): Promise<number[]> =>
  (
    await owner.query<{ times: number }>(sql`
      select count(*)::integer as times from audit_entries where event = ${event} group by properties ->> 'userID'
    `)
  ).map((row) => row.times);

onBothBackends((kind) => {
  const step = faultTest(kind);

  step(
    "if the worker is killed after step 6 but before it records the grace period, the period begins, and nothing is revoked",
    async (service) => {
      const leaving = await givenLeaving(service, 40);
      const marking = await holdWhere(service, "new.state = 'grace' and old.state <> 'grace'");
      const id = jobIdOf(await offboard(service, leaving, "&graceDays=7"));
      await marking.reached("worker", "marked_at");
      await ended(service.workers[0]!, "SIGKILL");
      await marking.gone();
      expect(await jobOf(service.owner, id)).toMatchObject({ state: "running", markedAt: null, revokeAt: null });

      await service.startWorker();
      await eventuallyIn(service.owner, id, ["grace"], goneOnWithinMs);
      expect(await standing(service)).toEqual({ out: 40, good: 80 });
      expect(await times(service, "user_offboard")).toEqual(Array(40).fill(1));
    },
  );

  step(
    "if the worker is killed between slices of step 6, no device loses access before the grace period ends",
    async (service) => {
      const leaving = await givenLeaving(service, 1_500);
      const marking = await hold(service, sql`select from users where id = ${leaving[1_200]!} for update`);
      const id = jobIdOf(await offboard(service, leaving, "&graceDays=7"));
      await marking.reached("worker", "with people as materialized");
      await ended(service.workers[0]!, "SIGKILL");
      await marking.drop();
      await marking.release();
      expect(await standing(service)).toEqual({ out: 1_000, good: 3_000 });

      await service.startWorker();
      await eventuallyIn(service.owner, id, ["grace"], goneOnWithinMs);
      expect(await standing(service)).toEqual({ out: 1_500, good: 3_000 });
      expect(await times(service, "user_offboard")).toEqual(Array(1_500).fill(1));
    },
  );

  for (const state of ["queued", "running"]) {
    step(
      `if the worker is killed after the grace period but before the job is ${state}, each profile is revoked once`,
      async (service) => {
        const leaving = await givenLeaving(service, 40);
        const id = await givenOffboarded(service, leaving, "&graceDays=7");
        const { startedAt } = await jobOf(service.owner, id);
        const entering = await holdWhere(service, `new.state = '${state}' and old.state <> '${state}'`);
        await endDays(service, id);
        await entering.reached("worker");
        await ended(service.workers[0]!, "SIGKILL");
        await entering.gone();
        expect(await standing(service)).toEqual({ out: 40, good: 80 });

        await service.startWorker();
        expect(await eventuallyIn(service.owner, id, ["completed"], goneOnWithinMs)).toMatchObject({
          changed: 40,
          startedAt,
        });
        expect(await standing(service)).toEqual({ out: 40, good: 0 });
        await expectCountsToAddUp(service.owner, id);
      },
    );
  }

  step(
    "if the worker is killed between slices that revoke after the grace period, the next worker revokes the rest",
    async (service) => {
      const leaving = await givenLeaving(service, 500);
      const id = await givenOffboarded(service, leaving, "&graceDays=7");
      const someonesProfile = sql`(select min(id) from certificates where user_id = ${leaving[400]!})`;
      const revoking = await hold(
        service,
        sql`insert into revocations (certificate_id, revoked_at, reason) values (${someonesProfile}, now(), 5)`,
      );
      await endDays(service, id);
      await revoking.reached("worker", "revocations");
      await ended(service.workers[0]!, "SIGKILL");
      await revoking.drop();
      await revoking.release();
      expect(await standing(service)).toEqual({ out: 500, good: 500 });

      await service.startWorker();
      await eventuallyIn(service.owner, id, ["completed"], goneOnWithinMs);
      expect(await standing(service)).toEqual({ out: 500, good: 0 });
    },
  );

  step("if the api is killed after it accepts an undo, the undo continues without the queue", async (service) => {
    const leaving = await givenLeaving(service, 40);
    const id = await givenOffboarded(service, leaving);
    const enqueuing = await holdEnqueuing(service);
    const asked = undo(service, id, 40).catch(() => undefined);
    await enqueuing.reached(async () => {
      expect(await service.owner.query(sql`select from jobs where undo_of = ${id}`)).toHaveLength(1);
    });
    await ended(service.api.at(-1)!, "SIGKILL");
    await asked;
    await enqueuing.release();
    expect(await queueDepths(service)).toMatchObject({ "bulk-job-steps": 0 });

    const [undone] = await service.owner.query<{ id: string }>(sql`select id from jobs where undo_of = ${id}`);
    await eventuallyIn(service.owner, undone!.id, ["completed"], goneOnWithinMs);
    expect(await standing(service)).toEqual({ out: 0, good: 0 });
    expect(await times(service, "user_undelete")).toEqual(Array(40).fill(1));
  });

  step(
    "if the worker is killed between slices of an undo, everyone is reactivated once, except people changed since",
    async (service) => {
      const leaving = await givenLeaving(service, 1_200);
      const id = await givenOffboarded(service, leaving);
      const [back, outAgain] = [leaving.slice(0, 20), leaving.slice(1_000, 1_030)];
      await service.owner.query(sql`
      update users set offboarded_at = null, offboarding_job_id = null where id = any(${back}::bigint[])
    `);
      await service.owner.query(sql`
      update users set offboarded_at = now(), offboarding_job_id = null where id = any(${outAgain}::bigint[])
    `);
      const letting = await hold(service, sql`select from users where id = ${leaving[700]!} for update`);
      const undone = jobIdOf(await undo(service, id, 1_150));
      await letting.reached("worker", "with people as materialized");
      await ended(service.workers[0]!, "SIGKILL");
      await letting.drop();
      await letting.release();

      await service.startWorker();
      expect(await eventuallyIn(service.owner, undone, ["completed_with_errors"], goneOnWithinMs)).toMatchObject({
        total: 1_200,
        changed: 1_150,
        unchanged: 20,
        failed: 30,
      });
      await expectCountsToAddUp(service.owner, undone);
      expect(await standing(service)).toEqual({ out: 30, good: 0 });
      expect(await times(service, "user_undelete")).toEqual(Array(1_150).fill(1));
      const failed = (await rowsOf(service.owner, undone)).filter(({ status }) => status === "failed");
      expect(new Set(failed.map(({ errorCode }) => errorCode))).toEqual(new Set(["changed_since"]));
    },
  );

  step(
    "if the worker is killed between slices of an undo within the grace period, no device loses access",
    async (service) => {
      const leaving = await givenLeaving(service, 1_200);
      const id = await givenOffboarded(service, leaving, "&graceDays=7");
      const letting = await hold(service, sql`select from users where id = ${leaving[700]!} for update`);
      const undone = jobIdOf(await undo(service, id, 1_200));
      await letting.reached("worker", "with people as materialized");
      await ended(service.workers[0]!, "SIGKILL");
      await letting.drop();
      await letting.release();

      await service.startWorker();
      await eventuallyIn(service.owner, undone, ["completed"], goneOnWithinMs);
      expect(await eventuallyIn(service.owner, id, ["cancelled"], goneOnWithinMs)).toMatchObject({ skipped: 1_200 });
      expect(await service.owner.query(sql`select from revocations`)).toEqual([]);
      expect(await standing(service)).toEqual({ out: 0, good: 2_400 });
      for (const job of [id, undone]) await expectCountsToAddUp(service.owner, job);
    },
  );

  step("if the worker is killed after the last row of an undo, the undone offboarding ends once", async (service) => {
    const leaving = await givenLeaving(service, 40);
    const id = await givenOffboarded(service, leaving, "&graceDays=7");
    const ending = await holdWhere(service, `new.id = '${id}' and new.state = 'cancelled'`);
    const undone = jobIdOf(await undo(service, id, 40));
    await ending.reached("worker", "state = 'cancelled'");
    await ended(service.workers[0]!, "SIGKILL");
    await ending.gone();
    expect(await jobOf(service.owner, id)).toMatchObject({ state: "grace", skipped: 40 });

    await service.startWorker();
    await eventuallyIn(service.owner, id, ["cancelled"], goneOnWithinMs);
    await eventuallyIn(service.owner, undone, ["completed"], goneOnWithinMs);
    expect((await auditOf(service.owner, id)).filter(({ event }) => event === "job_finish")).toHaveLength(1);
    expect(await standing(service)).toEqual({ out: 0, good: 80 });
  });

  step(
    "if the worker is killed while two jobs are undone at once, both undos end, and everyone is reactivated once",
    async (service) => {
      const leaving = await givenLeaving(service, 1_400);
      const [first, second] = await Promise.all([
        givenOffboarded(service, leaving.slice(0, 700)),
        givenOffboarded(service, leaving.slice(700), "&graceDays=7"),
      ]);
      const letting = await hold(
        service,
        sql`
      select from users where id in (${leaving[600]!}, ${leaving[1_300]!}) for update
    `,
      );
      const undone = [jobIdOf(await undo(service, first, 700)), jobIdOf(await undo(service, second, 700))];
      await letting.reached("worker", "with people as materialized");
      await ended(service.workers[0]!, "SIGKILL");
      await letting.drop();
      await letting.release();

      await service.startWorker();
      for (const job of undone) {
        expect(await eventuallyIn(service.owner, job, ["completed"], goneOnWithinMs)).toMatchObject({ changed: 700 });
        await expectCountsToAddUp(service.owner, job);
      }
      expect(await standing(service)).toEqual({ out: 0, good: 1_400 });
      expect(await times(service, "user_undelete")).toEqual(Array(1_400).fill(1));
    },
  );

  step(
    "if the worker is killed during an undo at the end of the grace period, each device matches its row",
    async (service) => {
      const leaving = await givenLeaving(service, 1_000);
      const id = await givenOffboarded(service, leaving, "&graceDays=7");
      const letting = await hold(service, sql`select from users where id = ${leaving[300]!} for update`);
      const undone = jobIdOf(await undo(service, id, 1_000));
      await letting.reached("worker", "with people as materialized");
      await endDays(service, id);
      await eventually(async () => {
        expect((await jobOf(service.owner, id)).state).toBe("running");
      });
      await ended(service.workers[0]!, "SIGKILL");
      await letting.drop();
      await letting.release();

      await service.startWorker();
      await eventuallyIn(service.owner, undone, ["completed"], goneOnWithinMs);
      await eventuallyIn(service.owner, id, ["completed"], goneOnWithinMs);
      const undoneRows = (await rowsOf(service.owner, id)).filter(({ errorCode }) => errorCode === "undone");
      expect(await standing(service)).toEqual({ out: 0, good: undoneRows.length * 2 });
      for (const job of [id, undone]) await expectCountsToAddUp(service.owner, job);
    },
  );
});
