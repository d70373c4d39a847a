import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Database } from "../../../../../db/client.ts";
import { sql } from "../../../../../db/sql.ts";
import { allScopes } from "../../../../../domain/people/scopes.ts";
import { resumeStalledJobs } from "../../../../../worker/bulk-job/resume-stalled-jobs.ts";
import { extent } from "../../../../support/run/extent.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";
import { fromNow, type GivenUser } from "../../../../support/given/given.ts";
import {
  auditOf,
  driveJobs,
  expectCountsToAddUp,
  givenJob,
  jobOf,
  rowsOf,
} from "../../../../support/given/bulk-jobs.ts";

const api = useApi();
const day = 24 * 3_600_000;
let worker: Database | undefined;
const jobs = driveJobs(() => (worker ??= api.database.open("realmpass_worker")));

interface Realm {
  realmId: string;
  admin: Caller;
}

async function givenRealm(): Promise<Realm> {
  const realmId = await api.given.realm();
  return { realmId, admin: api.as.admin({ realmId }) };
}

async function people({ realmId }: Realm, count: number, profilesEach = 1): Promise<GivenUser[]> {
  const made: GivenUser[] = [];
  for (let index = 0; index < count; index++) {
    const user = await api.given.user({ realmId });
    for (let profile = 0; profile < profilesEach; profile++) await api.given.profile(user, { name: `d-${profile}` });
    made.push(user);
  }
  return made;
}

/** Offboards these people, runs the job to its end and returns its ID. */
async function offboarded({ realmId }: Realm, leavers: readonly GivenUser[], graceDays?: number): Promise<string> {
  const jobId = await givenJob(api.database.owner, {
    realmId,
    kind: "offboarding",
    rows: leavers.map(({ id }) => ({ userId: id })),
    ...(graceDays !== undefined && { graceDays }),
  });
  await jobs.run(jobId);
  return jobId;
}

/** Ends a job's grace period. */
const endDays = (jobId: string) => api.database.owner.query(sql`update jobs set revoke_at = now() where id = ${jobId}`);

/** Undoes a job, runs the undo to its end and returns the undo's job ID. */
async function undo({ admin }: Realm, jobId: string, body = {}): Promise<string> {
  const answer = await admin.post(`/api/jobs/${jobId}/undo`, body);
  expect(answer.status, answer.text).toBe(202);
  await jobs.run(answer.body.data.id);
  return answer.body.data.id;
}

const outOf = async ({ realmId }: Realm): Promise<string[]> =>
  (
    await api.database.owner.query<{ id: string }>(
      sql`select id from users where realm_id = ${realmId} and offboarded_at is not null order by id`,
    )
  ).map(({ id }) => id);

const goodProfiles = async ({ realmId }: Realm): Promise<number> =>
  (await api.database.owner.query(sql`select from certificates where realm_id = ${realmId} and revoked_at is null`))
    .length;

const statuses = async (jobId: string) =>
  (await rowsOf(api.database.owner, jobId)).map(({ status, errorCode }) => [status, errorCode]);

describe("undoing a completed offboarding", () => {
  test("reactivates exactly the users whom the offboarding changed and no one has changed since, and reports why the others stay offboarded", async () => {
    const realm = await givenRealm();
    const [ann, bob, cyd, dan] = await people(realm, 4);
    const early = await api.given.user({ realmId: realm.realmId, offboardedAt: fromNow(-day) });
    const jobId = await offboarded(realm, [ann!, bob!, early, cyd!, dan!]);
    expect(await statuses(jobId)).toEqual([
      ["changed", null],
      ["changed", null],
      ["unchanged", null],
      ["changed", null],
      ["changed", null],
    ]);
    // Bob is reactivated; Cyd is reactivated and offboarded again.
    await realm.admin.put(`/api/user/${bob!.id}/undelete`);
    await realm.admin.put(`/api/user/${cyd!.id}/undelete`);
    await realm.admin.delete(`/api/user/${cyd!.id}`);

    expect((await realm.admin.get(`/api/jobs/${jobId}/undo`)).body.data).toEqual({
      people: 2,
      changedSince: 2,
      devicesKept: 0,
      devicesRevoked: 2,
      until: expect.any(String),
    });
    const undone = await undo(realm, jobId);

    expect(
      (await rowsOf(api.database.owner, undone)).map(({ position, status, errorCode }) => [
        position,
        status,
        errorCode,
      ]),
    ).toEqual([
      [1, "changed", null],
      [2, "unchanged", null],
      [4, "failed", "changed_since"],
      [5, "changed", null],
    ]);
    expect(await outOf(realm)).toEqual([cyd!.id, early.id].sort((a, b) => Number(a) - Number(b)));
    expect(await goodProfiles(realm)).toBe(0);
    await expectCountsToAddUp(api.database.owner, undone);
    expect((await realm.admin.get(`/api/jobs/${jobId}`)).body.data).toMatchObject({
      state: "completed",
      changed: 4,
      undoneBy: undone,
    });
    expect((await realm.admin.get(`/api/jobs/${undone}`)).body.data).toMatchObject({
      kind: "reactivation",
      origin: "undo",
      undoOf: jobId,
      state: "completed_with_errors",
    });
    expect((await realm.admin.get(`/api/jobs/${undone}/results`)).body.data[2]).toMatchObject({
      row: 4,
      status: "failed",
      error: "changed_since",
      message: expect.stringMatching(/has since been added, reactivated/),
    });
    const audited = await auditOf(api.database.owner, undone);
    expect(audited.map(({ event }) => event)).toEqual(["job_create", "user_undelete", "user_undelete", "job_finish"]);
    expect(audited[0]!.properties).toMatchObject({ undoOf: jobId, total: 4 });
    expect(audited[1]!.properties).toMatchObject({ userID: ann!.id, undoOf: jobId, profilesKept: 0 });
  });

  test("reactivates all users of a large job except those changed since", async () => {
    const realm = await givenRealm();
    const count = extent(10_000, 0.3);
    const changed = 100;
    const { owner } = api.database;
    const rows = await owner.query<{ userId: string }>(sql`
      insert into users (realm_id, pairwise_id, created_at)
      select ${realm.realmId}::bigint, 'crowd-' || n, now() from generate_series(1, ${count}::integer) n order by n
      returning id as "userId"
    `);
    const jobId = await givenJob(owner, { ...realm, kind: "offboarding", rows, confirmTotal: count });
    await jobs.run(jobId);
    expect(await jobOf(owner, jobId)).toMatchObject({ state: "completed", changed: count });
    const ids = rows.map(({ userId }) => userId);
    const [back, again] = [ids.slice(100, 100 + changed), ids.slice(-1_000, changed - 1_000)];
    for (const id of [...back, ...again]) await realm.admin.put(`/api/user/${id}/undelete`);
    for (const id of again) await realm.admin.delete(`/api/user/${id}`);
    const before = await api.database.owner.query(sql`select id from audit_entries where event = 'user_undelete'`);

    const undone = await undo(realm, jobId, { confirmTotal: count - 2 * changed });

    expect(await jobOf(owner, undone)).toMatchObject({
      state: "completed_with_errors",
      total: count,
      changed: count - 2 * changed,
      unchanged: changed,
      failed: changed,
    });
    await expectCountsToAddUp(owner, undone);
    expect(await outOf(realm)).toEqual(again);
    const after = await owner.query(sql`select id from audit_entries where event = 'user_undelete'`);
    expect(after.length - before.length).toBe(count - 2 * changed);
    const toNotify = await owner.query(sql`
      select from users u join absences a on a.user_id = u.id where u.realm_id = ${realm.realmId} and offboarded_at is null
    `);
    expect(toNotify, "notified at their next visit").toHaveLength(count - changed);
  });

  test("keeps locks, limits and e-mail addresses", async () => {
    const realm = await givenRealm();
    const user = await api.given.user({
      realmId: realm.realmId,
      lockedAt: fromNow(-day),
      email: "ann@x.example",
      profileOverride: 3,
    });
    await undo(realm, await offboarded(realm, [user]));

    expect((await realm.admin.get(`/api/user/${user.id}`)).body.data).toMatchObject({
      blacklisted: false,
      locked: true,
      email: "ann@x.example",
      profileOverride: 3,
    });
  });

  test("as a dry run changes no user, reports the expected changes, and runs when started", async () => {
    const realm = await givenRealm();
    const [ann, bob] = await people(realm, 2);
    const jobId = await offboarded(realm, [ann!, bob!]);

    const checked = await undo(realm, jobId, { dryRun: true });
    expect((await realm.admin.get(`/api/jobs/${checked}`)).body.data).toMatchObject({ state: "ready", changed: 2 });
    expect(await outOf(realm)).toHaveLength(2);
    expect((await realm.admin.get(`/api/jobs/${jobId}`)).body.data.undoneBy).toBeNull();

    await realm.admin.put(`/api/user/${bob!.id}/undelete`);
    await realm.admin.post(`/api/jobs/${checked}/start`, {});
    await jobs.run(checked);
    expect(await statuses(checked)).toEqual([
      ["changed", null],
      ["unchanged", null],
    ]);
  });

  test("twice concurrently reactivates each user once", async () => {
    const realm = await givenRealm();
    const leavers = await people(realm, 6);
    const jobId = await offboarded(realm, leavers);
    const first = await undo(realm, jobId, { dryRun: true });
    const second = await undo(realm, jobId, { dryRun: true });
    for (const id of [first, second]) {
      expect((await realm.admin.post(`/api/jobs/${id}/start`, {})).status).toBe(202);
      await jobs.advance(id);
    }
    const chunks = jobs.waiting.splice(0);
    expect(chunks).toHaveLength(2);

    await Promise.all(chunks.map((chunk) => jobs.work(chunk)));

    expect(await outOf(realm)).toEqual([]);
    const [one, two] = [await jobOf(api.database.owner, first), await jobOf(api.database.owner, second)];
    expect(one.changed + two.changed).toBe(6);
    expect(one.unchanged + two.unchanged).toBe(6);
    const undeleted = [...(await auditOf(api.database.owner, first)), ...(await auditOf(api.database.owner, second))];
    expect(undeleted.filter(({ event }) => event === "user_undelete")).toHaveLength(6);
  });

  test("skips users whom a later offboarding took over; undoing the later one reactivates them", async () => {
    const realm = await givenRealm();
    const [ann] = await people(realm, 1);
    const first = await offboarded(realm, [ann!], 7);
    const second = await offboarded(realm, [ann!]);

    expect(await realm.admin.post(`/api/jobs/${first}/undo`, {})).toBeError("job_state");
    await undo(realm, second);
    expect(await outOf(realm)).toEqual([]);
  });

  test("is possible if only failed rows still lock users out", async () => {
    const realm = await givenRealm();
    const [ann] = await people(realm, 1);
    const jobId = await offboarded(realm, [ann!]);
    await api.database.owner.query(sql`
      update job_rows set status = 'failed', error_code = 'internal_error' where job_id = ${jobId}
    `);
    await api.database.owner.query(sql`
      update jobs set state = 'completed_with_errors', changed = 0, failed = 1 where id = ${jobId}
    `);

    expect(await statuses(await undo(realm, jobId))).toEqual([["changed", null]]);
    expect(await outOf(realm)).toEqual([]);
  });
});

describe("undoing an offboarding in its grace period", () => {
  test("revokes no device and cancels the offboarding", async () => {
    const realm = await givenRealm();
    const jobId = await offboarded(realm, await people(realm, 3, 2), 7);
    expect((await realm.admin.get(`/api/jobs/${jobId}/undo`)).body.data).toMatchObject({
      people: 3,
      devicesKept: 6,
      devicesRevoked: 0,
    });

    const undone = await undo(realm, jobId);
    await jobs.advance(jobId);
    await endDays(jobId);
    await resumeStalledJobs(jobs.deps());

    expect(await statuses(jobId)).toEqual(Array.from({ length: 3 }, () => ["skipped", "undone"]));
    expect(await jobOf(api.database.owner, jobId)).toMatchObject({ state: "cancelled", skipped: 3 });
    await expectCountsToAddUp(api.database.owner, jobId);
    expect(await outOf(realm)).toEqual([]);
    expect(await goodProfiles(realm)).toBe(6);
    const entries = (await auditOf(api.database.owner, undone)).filter(({ event }) => event === "user_undelete");
    expect(entries.map(({ properties }) => properties["profilesKept"])).toEqual([2, 2, 2]);
  });

  test("cancels the offboarding even if one of its users was already reactivated separately", async () => {
    const realm = await givenRealm();
    const [ann, bob] = await people(realm, 2);
    const jobId = await offboarded(realm, [ann!, bob!], 7);
    await realm.admin.put(`/api/user/${bob!.id}/undelete`);

    await undo(realm, jobId);
    await jobs.advance(jobId);

    expect(await statuses(jobId)).toEqual([
      ["skipped", "undone"],
      ["skipped", "changed_since"],
    ]);
    expect((await jobOf(api.database.owner, jobId)).state).toBe("cancelled");
  });

  test.each(["undo", "revocation"])(
    "if the grace period ends during the undo and the %s comes first, the jobs report what happened to the devices",
    async (first) => {
      const realm = await givenRealm();
      const leavers = await people(realm, 4);
      const jobId = await offboarded(realm, leavers, 7);
      const answer = await realm.admin.post(`/api/jobs/${jobId}/undo`, {});
      const undoId = answer.body.data.id as string;
      await jobs.advance(undoId);
      const [letIn] = jobs.waiting.splice(0);
      await endDays(jobId);
      await jobs.advance(jobId);
      const [revoke] = jobs.waiting.splice(0);

      if (first === "undo") {
        await jobs.work(letIn!);
        await jobs.work(revoke!);
      } else {
        await jobs.work(revoke!);
        await jobs.work(letIn!);
      }
      await jobs.advance(jobId);

      const kept = first === "undo" ? 4 : 0;
      expect(await outOf(realm)).toEqual([]);
      expect(await goodProfiles(realm)).toBe(kept);
      expect(await statuses(jobId)).toEqual(
        Array.from({ length: 4 }, () => (first === "undo" ? ["skipped", "undone"] : ["changed", null])),
      );
      expect((await jobOf(api.database.owner, jobId)).state).toBe("completed");
      expect(await jobOf(api.database.owner, undoId)).toMatchObject({ state: "completed", changed: 4 });
      const entries = (await auditOf(api.database.owner, undoId)).filter(({ event }) => event === "user_undelete");
      expect(entries.map(({ properties }) => properties["profilesKept"])).toEqual(Array(4).fill(kept / 4));
    },
  );

  test("during the revocation leaves as many profiles active as the job reports undone rows", async () => {
    const realm = await givenRealm();
    const leavers = await people(realm, 40);
    const jobId = await offboarded(realm, leavers, 7);
    const undoId = (await realm.admin.post(`/api/jobs/${jobId}/undo`, {})).body.data.id as string;
    await jobs.advance(undoId);
    await endDays(jobId);
    await jobs.advance(jobId);

    await Promise.all(jobs.waiting.splice(0).map((chunk) => jobs.work(chunk)));

    expect(await outOf(realm)).toEqual([]);
    const undone = (await statuses(jobId)).filter(([status]) => status === "skipped").length;
    expect(await goodProfiles(realm)).toBe(undone);
    await expectCountsToAddUp(api.database.owner, jobId);
    await expectCountsToAddUp(api.database.owner, undoId);
  });

  test("is named as the alternative if cancelling the offboarding or excluding its rows is refused", async () => {
    const realm = await givenRealm();
    const jobId = await offboarded(realm, await people(realm, 1), 7);
    for (const answer of [
      await realm.admin.post(`/api/jobs/${jobId}/cancel`),
      await realm.admin.delete(`/api/jobs/${jobId}/rows`, { rows: [1] }),
    ]) {
      expect(answer).toBeError("job_state");
      expect(answer.body.error_description).toMatch(/undo lets them in again/);
    }
  });

  test("is not needed to revoke the devices early, if the number of users is confirmed", async () => {
    const realm = await givenRealm();
    const jobId = await offboarded(realm, await people(realm, 2), 7);

    const asked = await realm.admin.post(`/api/jobs/${jobId}/start`, { confirmTotal: 3 });
    expect(asked).toBeError("confirmation_required");
    expect(await realm.admin.post(`/api/jobs/${jobId}/start`, { confirmTotal: 2, graceDays: 3 })).toBeError(
      "invalid_request",
    );
    expect(await goodProfiles(realm)).toBe(2);
    expect((await realm.admin.post(`/api/jobs/${jobId}/start`, { confirmTotal: 2 })).status).toBe(202);
    await jobs.run(jobId);

    expect(await goodProfiles(realm)).toBe(0);
    expect(await jobOf(api.database.owner, jobId)).toMatchObject({ state: "completed", changed: 2 });
    expect((await auditOf(api.database.owner, jobId)).map(({ event }) => event)).toContain("job_start");
  });
});

describe("an undo", () => {
  test("is refused for another realm's job, a job of another kind, a running job and a job that changed no user", async () => {
    const realm = await givenRealm();
    const other = await givenRealm();
    const leavers = await people(realm, 1);
    const jobId = await offboarded(realm, leavers);
    expect(await other.admin.post(`/api/jobs/${jobId}/undo`, {})).toBeError("job_not_found");
    expect(await other.admin.get(`/api/jobs/${jobId}/undo`)).toBeError("job_not_found");
    expect(await realm.admin.post(`/api/jobs/${randomUUID()}/undo`, {})).toBeError("job_not_found");

    const undone = await undo(realm, jobId);
    const nobody = await offboarded(realm, [
      await api.given.user({ realmId: realm.realmId, offboardedAt: fromNow(-1_000) }),
    ]);
    const waiting = await givenJob(api.database.owner, {
      realmId: realm.realmId,
      kind: "offboarding",
      rows: [{ userId: leavers[0]!.id }],
    });
    const running = await offboarded(realm, await people(realm, 1));
    await api.database.owner.query(sql`update jobs set state = 'running', finished_at = null where id = ${running}`);
    for (const id of [jobId, undone, nobody, waiting, running]) {
      expect(await realm.admin.post(`/api/jobs/${id}/undo`, {}), id).toBeError("job_state");
      expect((await realm.admin.get(`/api/jobs/${id}/undo`)).body.data).toMatchObject({ people: 0, until: null });
    }
  });

  test("is possible until the date that it shows, 90 days after the offboarding's end", async () => {
    const realm = await givenRealm();
    const jobId = await offboarded(realm, await people(realm, 1));
    const finished = (await jobOf(api.database.owner, jobId)).finishedAt;
    const until = new Date((finished ?? new Date(0)).getTime() + 90 * day).toISOString();
    expect((await realm.admin.get(`/api/jobs/${jobId}`)).body.data).toMatchObject({ undoUntil: until });
    expect((await realm.admin.get(`/api/jobs/${jobId}/undo`)).body.data).toMatchObject({ people: 1, until });
  });

  test("is refused after 90 days, even before the job has been removed", async () => {
    const realm = await givenRealm();
    const leavers = await people(realm, 1);
    const jobId = await offboarded(realm, leavers);
    const endedDaysAgo = (days: number) =>
      api.database.owner.query(
        sql`update jobs set finished_at = now() - make_interval(days => ${days}, mins => -1) where id = ${jobId}`,
      );

    await endedDaysAgo(91);
    expect((await realm.admin.get(`/api/jobs/${jobId}/undo`)).body.data).toMatchObject({ until: null });
    expect(await realm.admin.post(`/api/jobs/${jobId}/undo`, {})).toBeError("job_state");
    expect(await outOf(realm)).toEqual(leavers.map(({ id }) => id));

    await endedDaysAgo(90);
    await undo(realm, jobId);
    expect(await outOf(realm)).toEqual([]);
  });

  test("is refused while another undo runs; afterwards the remaining rows can be undone", async () => {
    const realm = await givenRealm();
    const jobId = await offboarded(realm, await people(realm, 2));
    const first = await realm.admin.post(`/api/jobs/${jobId}/undo`, {});
    expect(await realm.admin.post(`/api/jobs/${jobId}/undo`, {})).toBeError("job_state");
    await realm.admin.post(`/api/jobs/${first.body.data.id}/cancel`);
    await jobs.run(first.body.data.id);

    await undo(realm, jobId);
    expect(await outOf(realm)).toEqual([]);
  });

  test("is refused without the scope to reactivate users", async () => {
    const realm = await givenRealm();
    const jobId = await offboarded(realm, await people(realm, 1));
    const scopes = allScopes.filter((scope) => scope !== "user.modify");
    expect(await api.as.admin({ realmId: realm.realmId, scopes }).post(`/api/jobs/${jobId}/undo`, {})).toBeError(
      "insufficient_scope",
    );
  });

  test("requested again with the same key returns the same job", async () => {
    const realm = await givenRealm();
    const jobId = await offboarded(realm, await people(realm, 1));
    const headers = { "idempotency-key": randomUUID() };
    const first = await realm.admin.post(`/api/jobs/${jobId}/undo`, {}, { headers });
    const again = await realm.admin.post(`/api/jobs/${jobId}/undo`, {}, { headers });
    expect(again.body.data.id).toBe(first.body.data.id);
  });
});

describe("a grace period in requests", () => {
  const file = (users: readonly GivenUser[]) => ({ users: users.map(({ id }) => ({ userID: id })) });

  test("is accepted when an offboarding is created or started", async () => {
    const realm = await givenRealm();
    const leavers = await people(realm, 3);
    const created = await realm.admin.post("/api/jobs/offboarding?graceDays=7&dryRun=true", file([leavers[0]!]));
    expect(created.body.data).toMatchObject({ graceDays: 7, revokeAt: null, origin: "upload" });
    const id = created.body.data.id as string;
    await jobs.run(id);
    const started = await realm.admin.post(`/api/jobs/${id}/start`, {});
    expect(started.body.data).toMatchObject({ graceDays: 7 });
    await jobs.run(id);
    expect((await realm.admin.get(`/api/jobs/${id}`)).body.data).toMatchObject({
      state: "grace",
      revokeAt: expect.any(String),
      undoUntil: expect.any(String),
    });

    for (const [user, graceDays, state] of [
      [leavers[1]!, 3, "grace"],
      [leavers[2]!, null, "completed"],
    ] as const) {
      const plain = await realm.admin.post("/api/jobs/offboarding?graceDays=7&dryRun=true", file([user]));
      await jobs.run(plain.body.data.id);
      await realm.admin.post(`/api/jobs/${plain.body.data.id}/start`, { graceDays });
      await jobs.run(plain.body.data.id);
      expect((await realm.admin.get(`/api/jobs/${plain.body.data.id}`)).body.data).toMatchObject({ state, graceDays });
    }
  });

  test.each(["0", "31", "x", ""])("%j days are refused", async (days) => {
    const realm = await givenRealm();
    const answer = await realm.admin.post(`/api/jobs/offboarding?graceDays=${days}`, file(await people(realm, 1)));
    expect(answer).toBeError("invalid_request");
  });

  test("is refused when another kind of job is created or started", async () => {
    const realm = await givenRealm();
    const rows = file(await people(realm, 1));
    for (const kind of ["onboarding", "reactivation", "revocation"]) {
      const answer = await realm.admin.post(`/api/jobs/${kind}?graceDays=3&dryRun=true`, rows);
      expect(answer).toBeError("invalid_request");
      expect(answer.body.fields).toEqual([{ path: "graceDays", reason: "is for an offboarding" }]);
    }
    expect((await realm.admin.get("/api/jobs")).body.total).toBe(0);
    const made = await realm.admin.post("/api/jobs/reactivation?dryRun=true", rows);
    expect(made.body.data).toMatchObject({ kind: "reactivation", origin: "upload", graceDays: null });
    await jobs.run(made.body.data.id);
    expect(await realm.admin.post(`/api/jobs/${made.body.data.id}/start`, { graceDays: 3 })).toBeError(
      "invalid_request",
    );
  });
});

describe("a parameter that would have no effect", () => {
  test("is refused when a job is created that has no reason", async () => {
    const realm = await givenRealm();
    const users = (await people(realm, 1)).map(({ id }) => ({ userID: id }));
    for (const kind of ["onboarding", "offboarding", "reactivation"]) {
      const answer = await realm.admin.post(`/api/jobs/${kind}?reason=1`, { users });
      expect(answer).toBeError("invalid_request");
      expect(answer.body.fields).toEqual([{ path: "reason", reason: "is for a revocation" }]);
    }
    expect((await realm.admin.get("/api/jobs")).body.total).toBe(0);
  });

  test("is refused in the query of an undo, a start or a retry, which changes nothing", async () => {
    const realm = await givenRealm();
    const [ann, bob] = await people(realm, 2);
    const undone = await offboarded(realm, [ann!]);
    const created = await realm.admin.post("/api/jobs/offboarding?dryRun=true", { users: [{ userID: bob!.id }] });
    const ready = created.body.data.id as string;
    await jobs.run(ready);
    const later = fromNow(day).toISOString();
    for (const [path, name] of [
      [`${undone}/undo?dryRun=true`, "dryRun"],
      [`${undone}/undo?executeAt=${later}`, "executeAt"],
      [`${undone}/undo?graceDays=3`, "graceDays"],
      [`${undone}/retry?dryRun=true`, "dryRun"],
      [`${undone}/retry?executeAt=${later}`, "executeAt"],
      [`${undone}/retry?graceDays=3`, "graceDays"],
      [`${ready}/start?dryRun=true`, "dryRun"],
      [`${ready}/start?executeAt=${later}`, "executeAt"],
      [`${ready}/start?graceDays=3`, "graceDays"],
    ]) {
      const answer = await realm.admin.post(`/api/jobs/${path}`, {});
      expect(answer, path).toBeError("invalid_request");
      expect(answer.body.fields, path).toMatchObject([{ path: name }]);
    }
    const { body } = await realm.admin.get("/api/jobs");
    expect(body.data.map(({ id, state }: { id: string; state: string }) => [id, state])).toEqual([
      [ready, "ready"],
      [undone, "completed"],
    ]);
  });
});

test("a forgotten user is never reactivated, by an undo or by a reactivation", async () => {
  const realm = await givenRealm();
  const [ann, bob] = await people(realm, 2);
  const jobId = await offboarded(realm, [ann!, bob!]);
  const { owner } = api.database;
  await owner.query(sql`update realms set forget_after_months = 1 where id = ${realm.realmId}`);
  await owner.query(sql`update users set offboarded_at = now() - interval '2 months' where id = ${ann!.id}`);
  await owner.query(sql`select forget_users(array[${ann!.id}]::bigint[], now())`);

  expect(await statuses(await undo(realm, jobId))).toEqual([
    ["failed", "user_not_found"],
    ["changed", null],
  ]);
  const reactivation = await givenJob(owner, {
    realmId: realm.realmId,
    kind: "reactivation",
    rows: [{ userId: ann!.id }],
  });
  await jobs.run(reactivation);
  expect(await statuses(reactivation)).toEqual([["failed", "user_not_found"]]);
  expect(await outOf(realm)).toEqual([ann!.id]);
});
