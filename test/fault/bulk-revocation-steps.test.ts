import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { only } from "../../db/client.ts";
import { sql } from "../../db/sql.ts";
import { auditOf, eventuallyIn, expectCountsToAddUp, jobOf } from "../support/given/bulk-jobs.ts";
import { ended } from "../support/run/services.ts";
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
import type { Answer, RunningService } from "../support/service/service.ts";

/** Revocation of many profiles. docs/jobs.md lists the steps that these tests interrupt. */

const goneOnWithinMs = 60_000;

/**
 * Makes people with two profiles each; returns the serial numbers in the order of creation, in two halves of `count`.
 */
async function givenSerials(service: RunningService, count: number): Promise<{ listed: string[]; others: string[] }> {
  const userIds = await givenUsers(service, count, "owner");
  await givenProfiles(service, userIds, 2);
  const rows = await service.owner.query<{ serial: string }>(
    sql`select serial_number as serial from certificates order by id`,
  );
  const serials = rows.map(({ serial }) => serial);
  return { listed: serials.slice(0, count), others: serials.slice(count) };
}

const send = (
  service: RunningService,
  serials: readonly string[],
  { query = "", key = randomUUID() }: { query?: string; key?: string } = {},
): Promise<Answer> =>
  service.call(
    "POST",
    `/api/jobs/revocation?confirmTotal=${serials.length}${query}`,
    { serials },
    { "idempotency-key": key },
  );

/** Returns the id of an accepted job. */
function jobIdOf(answer: Answer): string {
  expect([200, 202], JSON.stringify(answer.body)).toContain(answer.status);
  return (answer.body.data as { id: string }).id;
}

/** Sends the serial numbers while the worker is stopped, so the test can take its locks before the job begins. */
async function sendUnworked(service: RunningService, serials: readonly string[], query = ""): Promise<string> {
  service.workers[0]!.kill("SIGSTOP");
  return jobIdOf(await send(service, serials, { query }));
}

/** Counts the revocations, the profiles marked as revoked, and the audit entries of revocations. */
const standing = async ({ owner }: RunningService) =>
  only(
    await owner.query<{ revoked: number; marked: number; audited: number }>(sql`
      select (select count(*) from revocations)::integer as revoked,
             (select count(*) from certificates where revoked_at is not null)::integer as marked,
             (select count(*) from audit_entries where event = 'profile_revoke')::integer as audited
    `),
  );

const allOf = (count: number) => ({ revoked: count, marked: count, audited: count });

/** Expects the job to have revoked exactly these profiles, each with one audit entry that names the job. */
async function expectRevokedOnce(
  service: RunningService,
  jobId: string,
  { listed, others }: { listed: readonly string[]; others: readonly string[] },
): Promise<void> {
  const job = await eventuallyIn(service.owner, jobId, ["completed"], goneOnWithinMs);
  expect(job).toMatchObject({ total: listed.length, changed: listed.length, failed: 0, skipped: 0 });
  await expectCountsToAddUp(service.owner, jobId);
  const entries = await auditOf(service.owner, jobId);
  const revoked = entries.flatMap(({ event, properties }) =>
    event === "profile_revoke" ? [properties["serial"] as string] : [],
  );
  expect(revoked.sort()).toEqual([...listed].sort());
  expect(entries.filter(({ event }) => event === "job_finish")).toHaveLength(1);
  expect(await standing(service)).toEqual(allOf(listed.length));
  const kept = await service.owner.query(
    sql`select from certificates where serial_number = any(${others}::text[]) and revoked_at is null`,
  );
  expect(kept).toHaveLength(others.length);
}

onBothBackends((kind) => {
  const step = faultTest(kind);

  step(
    "if the api is killed after step 2 (begin), the job continues without the queue, and a retry finds it",
    async (service) => {
      const given = await givenSerials(service, 40);
      const key = randomUUID();
      const enqueuing = await holdEnqueuing(service);
      const first = send(service, given.listed, { key }).catch(() => undefined);
      await enqueuing.reached(async () => {
        expect(await service.owner.query(sql`select from jobs where state = 'checking'`)).toHaveLength(1);
      });
      await ended(service.api.at(-1)!, "SIGKILL");
      await first;
      await enqueuing.release();
      expect(await queueDepths(service)).toMatchObject({ "bulk-job-steps": 0 });
      const { id } = only(await service.owner.query<{ id: string }>(sql`select id from jobs`));

      await expectRevokedOnce(service, id, given);
      await service.startApi();
      expect(jobIdOf(await send(service, given.listed, { key }))).toBe(id);
    },
  );

  step(
    "if the worker is killed between slices of step 4 (check), the next worker checks the other rows and revokes nothing",
    async (service) => {
      const { listed } = await givenSerials(service, 12_000);
      const id = await sendUnworked(service, listed, "&dryRun=true");
      const checking = await hold(service, sql`select from job_rows where position = 11000 for update`);
      service.workers[0]!.kill("SIGCONT");
      await checking.reached("worker", "set (expected, error_code");
      await ended(service.workers[0]!, "SIGKILL");
      await checking.drop();
      await checking.release();
      expect(await jobOf(service.owner, id)).toMatchObject({ state: "checking", changed: 10_000 });

      await service.startWorker();
      expect(await eventuallyIn(service.owner, id, ["ready"], goneOnWithinMs)).toMatchObject({
        changed: 12_000,
        expectedChange: 12_000,
      });
      expect(await standing(service)).toEqual(allOf(0));
    },
  );

  for (const state of ["queued", "running"]) {
    step(`if the worker is killed before the job is ${state}, each profile is revoked once`, async (service) => {
      const given = await givenSerials(service, 40);
      const entering = await holdWhere(service, `new.state = '${state}' and old.state <> '${state}'`);
      const id = jobIdOf(await send(service, given.listed));
      await entering.reached("worker");
      await ended(service.workers[0]!, "SIGKILL");
      await entering.gone();
      expect(await standing(service)).toEqual(allOf(0));

      await service.startWorker();
      await expectRevokedOnce(service, id, given);
    });
  }

  step(
    "if the worker is killed after step 7 (distribute) before its first slice, each profile is revoked once",
    async (service) => {
      const given = await givenSerials(service, 600);
      const id = await sendUnworked(service, given.listed);
      const beginning = await hold(
        service,
        sql`select pg_advisory_xact_lock(hashtextextended(${`slices of ${id}`}::text, 0))`,
      );
      service.workers[0]!.kill("SIGCONT");
      await beginning.reached("worker", "pg_advisory_xact_lock");
      await ended(service.workers[0]!, "SIGKILL");
      await beginning.drop();
      await beginning.release();
      expect(await jobOf(service.owner, id)).toMatchObject({ state: "running", done: 0 });
      expect(await standing(service)).toEqual(allOf(0));

      await service.startWorker();
      await expectRevokedOnce(service, id, given);
    },
  );

  step(
    "if the worker is killed after a slice revokes but before its rows are updated, the slice is rolled back and revoked once",
    async (service) => {
      const given = await givenSerials(service, 500);
      const revoking = await holdWhere(service, "new.position > 250 and new.status = 'changed'", { table: "job_rows" });
      const id = jobIdOf(await send(service, given.listed));
      await revoking.reached("worker", "with touched as");
      await ended(service.workers[0]!, "SIGKILL");
      await revoking.gone();
      expect(await jobOf(service.owner, id)).toMatchObject({ state: "running", changed: 250 });
      expect(await standing(service)).toEqual(allOf(250));

      await service.startWorker();
      await expectRevokedOnce(service, id, given);
    },
  );

  step(
    "if the worker is killed while a slice revokes, the slice is rolled back and revoked once, and earlier slices stay",
    async (service) => {
      const given = await givenSerials(service, 500);
      const someProfile = sql`(select id from certificates where serial_number = ${given.listed[400]!})`;
      const revoking = await hold(
        service,
        sql`insert into revocations (certificate_id, revoked_at, reason) values (${someProfile}, now(), 5)`,
      );
      const id = jobIdOf(await send(service, given.listed));
      await revoking.reached("worker", "insert into revocations");
      await ended(service.workers[0]!, "SIGKILL");
      await revoking.drop();
      await revoking.release();
      expect(await jobOf(service.owner, id)).toMatchObject({ state: "running", changed: 250 });
      expect(await standing(service)).toEqual(allOf(250));

      await service.startWorker();
      await expectRevokedOnce(service, id, given);
    },
  );

  step(
    "if the worker is killed before a slice is counted, the slice is rolled back and revoked once",
    async (service) => {
      const given = await givenSerials(service, 500);
      const counting = await holdWhere(service, "new.changed = 500 and old.changed = 250 and new.state = 'running'");
      const id = jobIdOf(await send(service, given.listed));
      await counting.reached("worker", "with touched as");
      await ended(service.workers[0]!, "SIGKILL");
      await counting.gone();
      expect(await jobOf(service.owner, id)).toMatchObject({ state: "running", changed: 250 });
      expect(await standing(service)).toEqual(allOf(250));

      await service.startWorker();
      await expectRevokedOnce(service, id, given);
    },
  );

  step("if the worker is killed after the last row, the job ends once", async (service) => {
    const given = await givenSerials(service, 40);
    const ending = await holdWhere(service, "new.state = 'completed'");
    const id = jobIdOf(await send(service, given.listed));
    await ending.reached("worker", "state = case when failed");
    await ended(service.workers[0]!, "SIGKILL");
    await ending.gone();
    expect(await jobOf(service.owner, id)).toMatchObject({ state: "running", done: 40, finishedAt: null });
    expect(await standing(service)).toEqual(allOf(40));

    await service.startWorker();
    await expectRevokedOnce(service, id, given);
  });

  step(
    "if the worker is killed while a cancelled job skips the rest, revoked profiles stay revoked, and the rest stay good",
    async (service) => {
      const given = await givenSerials(service, 500);
      const revoking = await holdWhere(service, "new.position = 400 and new.status = 'changed'", { table: "job_rows" });
      const id = jobIdOf(await send(service, given.listed));
      await revoking.reached("worker", "with touched as");
      await ended(service.workers[0]!, "SIGKILL");
      await revoking.gone();
      const skipping = await holdWhere(service, "new.status = 'skipped'", { table: "job_rows" });
      expect(await service.call("POST", `/api/jobs/${id}/cancel`)).toMatchObject({ status: 202 });
      await service.startWorker();
      await skipping.reached("worker", "with touched as");
      await ended(service.workers[1]!, "SIGKILL");
      await skipping.gone();
      expect(await jobOf(service.owner, id)).toMatchObject({ state: "cancelling", changed: 250, skipped: 0 });

      await service.startWorker();
      expect(await eventuallyIn(service.owner, id, ["cancelled"], goneOnWithinMs)).toMatchObject({
        changed: 250,
        skipped: 250,
      });
      await expectCountsToAddUp(service.owner, id);
      expect(await standing(service)).toEqual(allOf(250));
    },
  );

  step(
    "if the worker is killed while it revokes and the file is sent again, exactly one of the jobs revokes each profile",
    async (service) => {
      const given = await givenSerials(service, 500);
      const revoking = await holdWhere(service, "new.position = 400 and new.status = 'changed'", { table: "job_rows" });
      const first = jobIdOf(await send(service, given.listed));
      await revoking.reached("worker", "with touched as");
      await ended(service.workers[0]!, "SIGKILL");
      await revoking.gone();

      await service.startWorker();
      // In the meantime the interrupted job continues.
      const second = jobIdOf(await send(service, [...given.listed].reverse(), { query: "&dryRun=true" }));
      const checked = await eventuallyIn(service.owner, second, ["ready", "completed"], goneOnWithinMs);
      // The second job may have found no work left.
      await service.call("POST", `/api/jobs/${second}/start`, { confirmTotal: checked.changed });
      const jobs = await Promise.all(
        [first, second].map((id) => eventuallyIn(service.owner, id, ["completed"], goneOnWithinMs)),
      );
      expect(jobs.map(({ done }) => done)).toEqual([500, 500]);
      expect(jobs.reduce((sum, { changed }) => sum + changed, 0)).toBe(500);
      expect(await standing(service)).toEqual(allOf(500));
    },
  );
});
