import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { only } from "../../db/client.ts";
import { sql } from "../../db/sql.ts";
import { auditOf, eventuallyIn, expectCountsToAddUp, rowsOf } from "../support/given/bulk-jobs.ts";
import { ended } from "../support/run/services.ts";
import { faultTest, givenProfiles, givenUsers, hold, holdEnqueuing, onBothBackends } from "../support/service/fault.ts";
import type { Answer, RunningService } from "../support/service/service.ts";

/**
 * Jobs from a search and filter. docs/jobs.md lists the steps that these tests interrupt; steps 1 and 2 are one
 * transaction.
 */

const offboardMatching = (service: RunningService, key: string): Promise<Answer> =>
  service.call(
    "POST",
    "/api/jobs/offboarding",
    { matching: { search: "leaving", filter: { blacklisted: "false" } } },
    { "idempotency-key": key },
  );

/** Counts the jobs and all of their traces. */
const traces = async ({ owner }: RunningService) =>
  only(
    await owner.query<{ jobs: number; rows: number; entries: number; keys: number }>(sql`
      select (select count(*) from jobs)::integer as jobs, (select count(*) from job_rows)::integer as rows,
             (select count(*) from audit_entries where event = 'job_create')::integer as entries,
             (select count(*) from idempotency_keys)::integer as keys
    `),
  );

/** Expects every person in the job to be offboarded exactly once. */
async function expectDoneOnce(service: RunningService, jobId: string, leaving: readonly string[]): Promise<void> {
  await eventuallyIn(service.owner, jobId, ["completed"], 60_000);
  await expectCountsToAddUp(service.owner, jobId);
  expect((await rowsOf(service.owner, jobId)).map(({ userId }) => userId).sort()).toEqual([...leaving].sort());
  const entries = (await auditOf(service.owner, jobId)).map(({ event }) => event);
  for (const [event, times] of [
    ["job_create", 1],
    ["job_finish", 1],
    ["user_offboard", leaving.length],
  ] as const) {
    expect(
      entries.filter((one) => one === event),
      event,
    ).toHaveLength(times);
  }
}

onBothBackends((kind) => {
  const step = faultTest(kind);

  step(
    "if the api is killed after it finds the rows but before the job begins, nothing is kept, and a retry makes one job",
    async (service) => {
      const leaving = await givenUsers(service, 40, "leaving");
      await givenProfiles(service, leaving, 1);
      const key = randomUUID();
      const recording = await hold(service, sql`lock table audit_entries in share mode`);
      const first = offboardMatching(service, key).catch(() => undefined);
      await recording.reached("api", "insert into audit_entries");
      await ended(service.api[0]!, "SIGKILL");
      await first;
      await recording.drop();
      await recording.release();
      expect(await traces(service)).toEqual({ jobs: 0, rows: 0, entries: 0, keys: 0 });

      await service.startApi();
      const again = await offboardMatching(service, key);
      expect(again.status).toBe(202);
      await expectDoneOnce(service, (again.body.data as { id: string }).id, leaving);
    },
  );

  step(
    "if the api is killed after step 2 (begin), the job continues, and a retry returns it with the people who matched at first",
    async (service) => {
      const leaving = await givenUsers(service, 40, "leaving");
      const key = randomUUID();
      const enqueuing = await holdEnqueuing(service);
      const first = offboardMatching(service, key).catch(() => undefined);
      await enqueuing.reached(async () => {
        expect(await service.owner.query(sql`select from jobs where state <> 'receiving'`)).toHaveLength(1);
      });
      await ended(service.api.at(-1)!, "SIGKILL");
      await first;
      await enqueuing.release();
      const { id } = only(await service.owner.query<{ id: string }>(sql`select id from jobs`));
      await givenUsers(service, 1, "leaving-later");

      await expectDoneOnce(service, id, leaving);
      await service.startApi();
      expect(await offboardMatching(service, key)).toMatchObject({ body: { data: { id, state: "completed" } } });
      expect(await traces(service)).toMatchObject({ jobs: 1, entries: 1 });
    },
  );
});
