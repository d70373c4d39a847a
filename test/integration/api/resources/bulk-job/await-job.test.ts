import { expect, test } from "vitest";
import { useApi } from "../../../../support/service/api.ts";
import { eventually } from "../../../../support/run/eventually.ts";
import { sql } from "../../../../../db/sql.ts";
import { givenJob, leaveIn } from "../../../../support/given/bulk-jobs.ts";
import type { JobState } from "../../../../../domain/bulk-job/job.ts";

const api = useApi();

const given = async (state: JobState): Promise<string> => {
  const { owner } = api.database;
  const id = await givenJob(owner, { realmId: api.realmId, kind: "onboarding", rows: [{ pairwiseId: "a" }] });
  await leaveIn(owner, id, state);
  return id;
};

test("a read with a wait returns when the job has ended", async () => {
  const [id, other] = [await given("running"), await given("running")];
  const read = (job: string, seconds = 60) =>
    api.as.admin().get(`/api/jobs/${job}`, { headers: { prefer: `wait=${seconds}` } });
  // Control: a read of another job, whose wait expires earlier, still waits.
  let isOver = false;
  const control = read(other, 50).finally(() => (isOver = true));
  const awaited = read(id);
  await leaveIn(api.database.owner, id, "completed");
  const { status, headers, body } = await awaited;

  expect(isOver).toBe(false);
  expect(status).toBe(200);
  expect(headers).toMatchObject({ "preference-applied": "wait=60" });
  expect(body.data).toMatchObject({ state: "completed", done: 1 });
  await leaveIn(api.database.owner, other, "completed");
  await control;
});

test("an expired wait returns the job's current state", async () => {
  const id = await given("running");
  const { status, headers, body } = await api.as.admin().get(`/api/jobs/${id}`, { headers: { prefer: "wait=1" } });

  expect(status).toBe(202);
  expect(headers).toMatchObject({ "preference-applied": "wait=1", "retry-after": "1", location: `/api/jobs/${id}` });
  expect(body).toMatchObject({ code: 202, data: { state: "running" } });
});

test("creating a job returns 202 immediately, or after the check if the client asks to wait", async () => {
  const admin = api.as.admin();
  const create = (prefer: string) =>
    admin.send("POST", "/api/jobs/onboarding?dryRun=true", {
      raw: "pairwiseID\nsomebody\n",
      headers: { "content-type": "text/csv", prefer },
    });

  const { status, headers } = await create("respond-async");
  expect(status).toBe(202);
  expect(headers).toMatchObject({ "preference-applied": "respond-async" });

  const awaited = create("wait=30");
  const id = await eventually(async () => {
    const jobs = await api.database.owner.query<{ id: string }>(sql`
      select id from jobs where state = 'checking' order by created_at desc
    `);
    expect(jobs).toHaveLength(2);
    return jobs[0]?.id ?? "";
  });
  await leaveIn(api.database.owner, id, "ready");

  const answer = await awaited;
  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({ "preference-applied": "wait=30", location: `/api/jobs/${id}` });
  expect(answer.body.data).toMatchObject({ id, state: "ready", dryRun: true, changed: 1 });
});

test("starting a job waits for its end if the client asks to wait, and ignores the job's state before the start", async () => {
  const admin = api.as.admin();
  const id = await given("ready");
  const watching = admin.get(`/api/jobs/${id}/events`).catch(() => undefined);
  const awaited = admin.post(`/api/jobs/${id}/start`, {}, { headers: { prefer: "wait=20" } });
  await eventually(async () => {
    expect((await admin.get(`/api/jobs/${id}`)).body.data.state).toBe("queued");
  });
  await leaveIn(api.database.owner, id, "completed");

  expect((await awaited).body).toMatchObject({ code: 200, data: { state: "completed" } });
  await watching;
});
