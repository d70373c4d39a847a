import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { jobStates, type JobKind, type JobState } from "../../../../../domain/bulk-job/job.ts";
import { allScopes } from "../../../../../domain/people/scopes.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";
import { fromNow } from "../../../../support/given/given.ts";
import {
  auditOf,
  bulkClientOf,
  givenJob,
  jobOf,
  leaveIn,
  rowsOf,
  type GivenRow,
} from "../../../../support/given/bulk-jobs.ts";

const api = useApi();
let admin: Caller;
beforeAll(() => {
  admin = api.as.admin();
});

const people = (count: number): GivenRow[] =>
  Array.from({ length: count }, () => ({ pairwiseId: `user-${randomUUID()}` }));

async function given(
  state: JobState,
  {
    kind = "onboarding",
    rows = [...people(3), { invalid: "pairwiseID: is missing" }],
    realmId = api.realmId,
  }: { kind?: JobKind; rows?: GivenRow[]; realmId?: string } = {},
): Promise<string> {
  const id = await givenJob(api.database.owner, { realmId, kind, rows });
  await leaveIn(api.database.owner, id, state);
  return id;
}

const actions = {
  start: (as: Caller, id: string) => as.post(`/api/jobs/${id}/start`, {}),
  cancel: (as: Caller, id: string) => as.post(`/api/jobs/${id}/cancel`),
  retry: (as: Caller, id: string) => as.post(`/api/jobs/${id}/retry`),
  rows: (as: Caller, id: string) => as.delete(`/api/jobs/${id}/rows`, { rows: [1] }),
  rowsBack: (as: Caller, id: string) => as.put(`/api/jobs/${id}/rows`, { rows: [1] }),
  results: (as: Caller, id: string) => as.delete(`/api/jobs/${id}/results`),
};
type Action = keyof typeof actions;

const allowed: Record<JobState, Action[]> = {
  checking: ["cancel"],
  ready: ["start", "cancel", "rows", "rowsBack"],
  scheduled: ["cancel", "rows", "rowsBack"],
  queued: ["cancel"],
  running: ["cancel"],
  grace: [],
  cancelling: ["cancel"],
  cancelled: ["retry", "results"],
  completed: ["retry", "results"],
  completed_with_errors: ["retry", "results"],
  failed: ["retry", "results"],
};

const reads = [
  (as: Caller, id: string) => as.get(`/api/jobs/${id}`),
  (as: Caller, id: string) => as.get(`/api/jobs/${id}/results`),
  (as: Caller, id: string) => as.get(`/api/jobs/${id}/events`),
  (as: Caller, id: string) => as.get(`/api/jobs/${id}/rows`),
  (as: Caller, id: string) => as.get(`/api/jobs/${id}/problems`),
];

describe.each(jobStates)("a job that is %s", (state) => {
  test.each(Object.keys(actions) as Action[])("%s", async (action) => {
    const id = await given(state);
    const before = await jobOf(api.database.owner, id);
    const answer = await actions[action](admin, id);

    if (allowed[state].includes(action)) {
      expect(answer.status, answer.text).toBeLessThan(300);
    } else {
      // Starting a job in its grace period first needs the number of people, which is missing here.
      expect(answer).toBeError(state === "grace" && action === "start" ? "confirmation_required" : "job_state");
      expect(await jobOf(api.database.owner, id)).toEqual(before);
      expect(await auditOf(api.database.owner, id)).toEqual([]);
    }
  });

  test("has an HTTP status that shows whether to poll again", async () => {
    const { status, headers, body } = await admin.get(`/api/jobs/${await given(state)}`);
    const atRest = ["ready", "grace", "cancelled", "completed", "completed_with_errors", "failed"].includes(state);
    expect(body.data.state).toBe(state);
    expect(status).toBe(atRest ? 200 : 202);
    expect(headers["retry-after"]).toBe(atRest ? undefined : "1");
  });
});

describe("another realm's job", () => {
  test("gets the same bytes as an unknown job", async () => {
    const id = await given("ready", { realmId: await api.given.realm() });
    for (const call of [...Object.values(actions), ...reads]) {
      const [other, none, nonsense] = await Promise.all([
        call(admin, id),
        call(admin, randomUUID()),
        call(admin, "not-an-id"),
      ]);
      expect(other).toBeError("job_not_found");
      const plain = (answer: typeof other) =>
        `${answer.status} ${answer.text.replaceAll(String(answer.headers["x-request-id"]), "…")}`;
      expect(plain(other)).toBe(plain(none));
      expect(plain(other)).toBe(plain(nonsense));
    }
    expect((await jobOf(api.database.owner, id)).state).toBe("ready");
  });

  test("is not listed", async () => {
    const id = await given("ready", { realmId: await api.given.realm() });
    const own = await given("ready");
    const { text } = await admin.get("/api/jobs?limit=1000");
    expect(text).toContain(own);
    expect(text).not.toContain(id);
  });
});

describe("starting", () => {
  test("queues the job, or schedules it for its time", async () => {
    const now = await given("ready");
    const later = await given("ready");
    const past = await given("ready");

    expect((await admin.post(`/api/jobs/${now}/start`, {})).body.data).toMatchObject({ state: "queued", error: null });
    const scheduled = await admin.post(`/api/jobs/${later}/start`, { executeAt: fromNow(30_000).toISOString() });
    expect(scheduled.status).toBe(202);
    expect(scheduled.body.data.state).toBe("scheduled");
    expect(Number(scheduled.headers["retry-after"])).toBeGreaterThan(20);
    const begun = await admin.post(`/api/jobs/${past}/start`, { executeAt: "2000-01-01" });
    expect(begun.body.data.state).toBe("queued");
  });

  test("keeps the time that the job was created with, unless the call has another time or null", async () => {
    const executeAt = fromNow(30_000);
    const created = async (at: Date) => {
      const id = await givenJob(api.database.owner, {
        ...{ realmId: api.realmId, kind: "onboarding", rows: people(1), executeAt: at },
      });
      await leaveIn(api.database.owner, id, "ready");
      return id;
    };
    const other = fromNow(60_000);
    const outcomes = [
      { own: executeAt, body: {}, runsAt: executeAt },
      { own: executeAt, body: { executeAt: other.toISOString() }, runsAt: other },
      { own: executeAt, body: { executeAt: null }, runsAt: null },
      { own: executeAt, body: { executeAt: "2000-01-01" }, runsAt: null },
      { own: fromNow(-30_000), body: {}, runsAt: null },
    ];
    for (const { own, body, runsAt } of outcomes) {
      const id = await created(own);
      expect((await admin.get(`/api/jobs/${id}`)).body.data).toMatchObject({ executeAt: own.toISOString() });
      const { data } = (await admin.post(`/api/jobs/${id}/start`, body)).body;
      expect([body, data.state, data.executeAt]).toEqual([
        body,
        runsAt === null ? "queued" : "scheduled",
        runsAt?.toISOString() ?? null,
      ]);
    }

    const id = await created(executeAt);
    await admin.post(`/api/jobs/${id}/start`);
    expect(await auditOf(api.database.owner, id)).toMatchObject([
      { event: "job_change", properties: { change: "start", executeAt: executeAt.toISOString() } },
    ]);
  });

  test("a job can be scheduled for at most 90 days from now", async () => {
    const day = 24 * 3_600_000;
    const id = await given("ready");
    const late = await admin.post(`/api/jobs/${id}/start`, { executeAt: fromNow(90 * day + 60_000).toISOString() });
    expect(late).toBeError("invalid_request");
    expect(late.body.fields).toEqual([{ path: "executeAt", reason: "must be within 90 days" }]);
    expect(await jobOf(api.database.owner, id)).toMatchObject({ state: "ready" });
    const soon = await admin.post(`/api/jobs/${id}/start`, { executeAt: fromNow(90 * day - 60_000).toISOString() });
    expect(soon.body.data).toMatchObject({ state: "scheduled" });
  });

  test.each([{ executeAt: "soon" }, { confirmTotal: -1 }, { confirmTotal: "3" }, []])("%j is refused", async (body) => {
    expect(await admin.post(`/api/jobs/${await given("ready")}/start`, body)).toBeError("invalid_request");
  });

  test("an offboarding of a large share of the realm's users requires the number of people to offboard as confirmation", async () => {
    const realmId = await api.given.realm();
    const as = api.as.service({ realmId });
    const id = await given("ready", { realmId, kind: "offboarding", rows: people(101) });
    await api.database.owner.query(sql`
      insert into users (realm_id, pairwise_id, created_at) select ${realmId}, 'u' || n, now() from generate_series(1, 504) n
    `);

    for (const body of [{}, { confirmTotal: 100 }, { confirmTotal: null }]) {
      const answer = await as.post(`/api/jobs/${id}/start`, body);
      expect(answer).toBeError("confirmation_required");
      expect(answer.body.error_description).toContain("101");
    }
    expect((await as.post(`/api/jobs/${id}/start`, { confirmTotal: 101 })).body.data.state).toBe("queued");

    // With one more person in the realm, the job is within the share.
    await api.database.owner.query(sql`
      insert into users (realm_id, pairwise_id, created_at) values (${realmId}, 'one more', now())
    `);
    const fewer = await given("ready", { realmId, kind: "offboarding", rows: people(101) });
    expect(await as.post(`/api/jobs/${fewer}/start`, { confirmTotal: 5 })).toBeError("confirmation_required");
    expect((await as.post(`/api/jobs/${fewer}/start`, {})).body.data.state).toBe("queued");
  });

  test("an offboarding of a hundred users requires no number, even in the smallest realm", async () => {
    const realmId = await api.given.realm();
    const id = await given("ready", { realmId, kind: "offboarding", rows: people(100) });
    const answer = await api.as.service({ realmId }).post(`/api/jobs/${id}/start`);
    expect(answer.body.data.state).toBe("queued");
  });

  test.each([
    ["onboarding", "user.modify", people(1)],
    ["offboarding", "user.delete", people(1)],
    ["onboarding", "profile.create", [{ pairwiseId: "a", profileName: "p", deviceType: "iOS", format: "pem" }]],
  ] as const)("%s needs the scope %s, and so does retrying", async (kind, scope, rows) => {
    const as = api.as.user(api.given.user({ realmId: api.realmId, administrator: true }), {
      scopes: allScopes.filter((one) => one !== scope),
    });
    const id = await given("ready", { kind, rows: [...rows] });
    expect(await as.post(`/api/jobs/${id}/start`)).toBeError("insufficient_scope");
    await leaveIn(api.database.owner, id, "completed_with_errors");
    await api.database.owner.query(sql`
      update job_rows set status = 'failed', error_code = 'internal_error' where job_id = ${id}
    `);
    await leaveIn(api.database.owner, id, "completed_with_errors");
    expect(await as.post(`/api/jobs/${id}/retry`)).toBeError("insufficient_scope");
  });

  test("a job whose creator was offboarded passes to the caller; another user's job keeps its creator", async () => {
    const { given: rows, realmId } = api;
    const [boss, colleague] = [
      await rows.user({ realmId, administrator: true }),
      await rows.user({ realmId, administrator: true }),
    ];
    const ofBoss = () =>
      givenJob(api.database.owner, { realmId, kind: "onboarding", rows: people(1), createdByUserId: boss.id });
    const [before, after] = [await ofBoss(), await ofBoss()];
    for (const id of [before, after]) await leaveIn(api.database.owner, id, "ready", { errorCode: "creator_ended" });
    const as = api.as.user(Promise.resolve(colleague));

    expect((await as.post(`/api/jobs/${before}/start`)).body.data).toMatchObject({ createdBy: boss.id, error: null });
    expect(await auditOf(api.database.owner, before)).toMatchObject([{ event: "job_change" }]);
    await admin.delete(`/api/user/${boss.id}`);
    expect((await as.post(`/api/jobs/${after}/start`)).body.data).toMatchObject({
      createdBy: colleague.id,
      state: "queued",
      error: null,
    });
    expect(await auditOf(api.database.owner, after)).toMatchObject([
      { event: "job_take_over", properties: { from: { user: boss.id }, to: { user: colleague.id } } },
      { event: "job_change", properties: { change: "start" } },
    ]);
  });

  test("a repeat with the same key starts the job once", async () => {
    const id = await given("ready");
    const headers = { "idempotency-key": randomUUID() };
    const first = await admin.post(`/api/jobs/${id}/start`, {}, { headers });
    const again = await admin.post(`/api/jobs/${id}/start`, {}, { headers });
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(await admin.post(`/api/jobs/${id}/start`, {})).toBeError("job_state");
    expect(await auditOf(api.database.owner, id)).toHaveLength(1);
  });
});

describe("cancelling", () => {
  test("is in the audit log once, however often it is requested", async () => {
    const id = await given("running");
    const first = await admin.post(`/api/jobs/${id}/cancel`);
    expect(first).toMatchObject({ status: 202, headers: { location: `/api/jobs/${id}` } });
    expect(first.body.data.state).toBe("cancelling");
    expect((await admin.post(`/api/jobs/${id}/cancel`)).status).toBe(202);

    expect(await auditOf(api.database.owner, id)).toMatchObject([
      { event: "job_cancel", properties: { kind: "onboarding", state: "running" } },
    ]);
  });
});

describe("excluding rows", () => {
  test("counts them as skipped and lowers the expected changes", async () => {
    const id = await given("ready", { rows: [...people(4), { invalid: "pairwiseID: is missing" }] });

    const answer = await admin.delete(`/api/jobs/${id}/rows`, { rows: [2, 3, 3, 5] });

    expect(answer.body.data).toMatchObject({ state: "ready", total: 5, changed: 2, failed: 1, skipped: 2, done: 5 });
    expect(await jobOf(api.database.owner, id)).toMatchObject({ expectedChange: 2 });
    expect(await rowsOf(api.database.owner, id)).toMatchObject([
      { status: "pending" },
      { status: "skipped", errorCode: "taken_out" },
      { status: "skipped", errorCode: "taken_out" },
      { status: "pending" },
      { status: "failed", errorCode: "invalid_row" },
    ]);
    expect((await admin.delete(`/api/jobs/${id}/rows`, { rows: [2] })).body.data).toMatchObject({ skipped: 2 });
  });

  test("excludes no row if one number does not exist", async () => {
    const id = await given("ready");
    const answer = await admin.delete(`/api/jobs/${id}/rows`, { rows: [1, 99] });
    expect(answer).toBeError("invalid_request");
    expect(answer.body.fields).toEqual([{ path: "rows", reason: "the job has no row 99" }]);
    expect(await jobOf(api.database.owner, id)).toMatchObject({ skipped: 0 });
  });

  test.each([{}, { rows: [] }, { rows: [0] }, { rows: ["1"] }, { rows: [2_147_483_648] }])(
    "%j is refused",
    async (body) => {
      expect(await admin.delete(`/api/jobs/${await given("ready")}/rows`, body)).toBeError("invalid_request");
    },
  );
});

describe("retrying", () => {
  test("creates a job from the failed rows, which keep their numbers", async () => {
    const owner = api.database.owner;
    const id = await given("running", { kind: "offboarding", rows: [...people(4), { invalid: "userID: is wrong" }] });
    await owner.query(sql`
      update job_rows set status = 'failed', error_code = case position when 2 then 'internal_error' else 'duplicate_row' end,
                          message = 'once', user_id = position
       where job_id = ${id} and position in (2, 4)
    `);
    await leaveIn(owner, id, "completed_with_errors");

    const answer = await admin.post(`/api/jobs/${id}/retry`);

    expect(answer.status, answer.text).toBe(202);
    const { data } = answer.body;
    expect(data.id).not.toBe(id);
    expect(answer.headers.location).toBe(`/api/jobs/${data.id}`);
    expect(data).toMatchObject({ kind: "offboarding", state: "checking", total: 3, done: 0 });
    expect(await rowsOf(owner, data.id)).toMatchObject([
      { position: 2, status: "pending", errorCode: null, message: null, userId: "2" },
      { position: 4, status: "failed", errorCode: "duplicate_row", message: "once" },
      { position: 5, status: "failed", errorCode: "invalid_row", message: "userID: is wrong" },
    ]);
    expect(await auditOf(owner, data.id)).toMatchObject([
      { event: "job_create", properties: { retryOf: id, total: 3 } },
    ]);
    expect((await jobOf(owner, id)).state).toBe("completed_with_errors");
  });

  test("a repeat with the same key returns the same job", async () => {
    const id = await given("completed_with_errors");
    const headers = { "idempotency-key": randomUUID() };
    const first = await admin.post(`/api/jobs/${id}/retry`, undefined, { headers });
    const again = await admin.post(`/api/jobs/${id}/retry`, undefined, { headers });
    expect(again.body.data.id).toBe(first.body.data.id);
  });

  test("includes the rows that a failed job left undone", async () => {
    const owner = api.database.owner;
    const id = await given("failed", { rows: people(2) });
    await owner.query(sql`
      update job_rows set status = 'skipped', error_code = 'internal_error' where job_id = ${id} and position = 2
    `);
    const { body } = await admin.post(`/api/jobs/${id}/retry`);
    expect(await rowsOf(owner, body.data.id)).toMatchObject([{ position: 2, status: "pending", errorCode: null }]);
  });

  test("needs a failed row", async () => {
    const id = await given("completed", { rows: people(2) });
    expect(await admin.post(`/api/jobs/${id}/retry`)).toBeError("job_state");
  });
});

describe("the list", () => {
  test("can be filtered by creating user or client", async () => {
    const realmId = await api.given.realm();
    const [one, other] = [await api.given.user({ realmId }), await api.given.user({ realmId })];
    const rows = people(1);
    const of = (createdByUserId?: string) =>
      givenJob(api.database.owner, {
        realmId,
        kind: "onboarding",
        rows,
        ...(createdByUserId !== undefined && { createdByUserId }),
      });
    const ids = [await of(one.id), await of(other.id), await of()];
    const { clientId } = await api.given.application({ realmId });
    // A person's job belongs to the person, whichever client they used.
    await api.database.owner.query(sql`update jobs set created_by_client_id = ${clientId} where id = ${ids[0] ?? ""}`);
    const listed = async (createdBy: string): Promise<string[]> =>
      (await api.as.service({ realmId }).get(`/api/jobs?sort[createdAt]=asc&filter[createdBy]=${createdBy}`)).body.data
        .map(({ id }: { id: string }) => id)
        .sort();

    expect(await listed(one.id)).toEqual([ids[0]]);
    expect(await listed(`${one.id},${other.id}`)).toEqual(ids.slice(0, 2).sort());
    expect(await listed(bulkClientOf(realmId))).toEqual([ids[2]]);
    expect(await listed(clientId)).toEqual([]);
    expect(await listed("no%20such")).toEqual([]);
  });

  test("includes the creators' names with user.read", async () => {
    const realmId = await api.given.realm();
    const as = api.as.service({ realmId });
    const mia = await api.given.user({ realmId, email: "mia@x.example" });
    const gone = await api.given.user({ realmId, offboardedAt: fromNow(-1_000) });
    await api.database.owner.query(sql`
      update users set forgotten_at = now(), email = '', display_name = null, pairwise_id = chr(127) || id where id = ${gone.id}
    `);
    for (const createdByUserId of [mia.id, gone.id]) {
      await givenJob(api.database.owner, { realmId, kind: "onboarding", rows: people(1), createdByUserId });
    }
    await givenJob(api.database.owner, { realmId, kind: "onboarding", rows: people(1) });

    const { body } = await as.get("/api/jobs?include=people");
    expect(body.total).toBe(3);
    expect(body.people).toEqual({
      [mia.id]: { pairwiseID: expect.any(String), email: "mia@x.example", displayName: null, state: "active" },
      [gone.id]: { pairwiseID: "", email: "", displayName: null, state: "offboarded" },
    });
    expect((await as.get("/api/jobs")).body.people).toBeUndefined();
    const blind = api.as.admin({ realmId, scopes: allScopes.filter((scope) => scope !== "user.read") });
    expect(await blind.get("/api/jobs?include=people")).toBeError("insufficient_scope");
    expect(await as.get("/api/jobs?include=people,owners")).toBeError("invalid_request");
  });

  test("is sorted newest first by default, and accepts filters and other orders", async () => {
    const realmId = await api.given.realm();
    const as = api.as.service({ realmId });
    const ids = [];
    for (const [kind, state] of [
      ["onboarding", "completed"],
      ["offboarding", "ready"],
      ["offboarding", "running"],
    ] as const) {
      ids.push(await given(state, { realmId, kind }));
    }
    const listed = async (query: string): Promise<string[]> => {
      const answer = await as.get(`/api/jobs${query}`);
      expect(answer.status, answer.text).toBe(200);
      expect(answer.body.total).toBe(answer.body.data.length);
      return answer.body.data.map(({ id }: { id: string }) => id);
    };

    expect(await listed("")).toEqual([...ids].reverse());
    expect(await listed("?sort[createdAt]=asc")).toEqual(ids);
    expect((await listed("?sort[finishedAt]=asc"))[0]).toBe(ids[0]);
    expect(await listed("?filter[kind]=onboarding")).toEqual([ids[0]]);
    expect(await listed("?filter[state]=ready,running")).toEqual([ids[2], ids[1]]);
    expect(await listed("?filter[dryRun]=true")).toEqual([]);
    expect(await listed("?filter[minCreated]=2999-01-01")).toEqual([]);
    expect(await listed("?filter[minStarted]=2026-01-01")).toEqual([ids[2], ids[0]]);
    expect(await listed("?filter[minStarted]=2999-01-01")).toEqual([]);
    expect((await as.post("/api/jobs", { limit: 1, filter: { state: "ready" } })).body.data).toHaveLength(1);
    expect(await as.get("/api/jobs?filter[state]=receiving")).toBeError("invalid_request");
    expect(await as.get("/api/jobs?filter[kind]=other")).toBeError("invalid_request");
  });
});

describe("a job on the wire", () => {
  test("has exactly these fields", async () => {
    const { body } = await admin.get(`/api/jobs/${await given("ready")}`);
    expect(Object.keys(body.data)).toEqual([
      ...["id", "kind", "state", "dryRun", "createdAt", "startedAt", "finishedAt", "executeAt"],
      ...["createdBy", "total", "done"],
      ...["changed", "unchanged", "failed", "skipped", "ratePerSecond", "etaSeconds", "error"],
      ...["origin", "matching", "reason", "graceDays", "revokeAt", "undoOf", "undoneBy", "undoUntil"],
      ...["name", "rowOffset", "affectedProfiles", "hasOutput"],
    ]);
  });

  test("calculates rate and remaining time from the worker's window", async () => {
    const id = await given("running", { rows: people(1000) });
    await api.database.owner.query(sql`
      update jobs set changed = 300, started_at = now() - interval '20 s', rate_from_at = now() - interval '10 s', rate_from_done = 100
       where id = ${id}
    `);
    const { data } = (await admin.get(`/api/jobs/${id}`)).body;
    expect(data.done).toBe(300);
    expect(data.ratePerSecond).toBeGreaterThan(10);
    expect(data.ratePerSecond).toBeLessThanOrEqual(20);
    expect(data.etaSeconds).toBeGreaterThanOrEqual(35);
    expect(data.etaSeconds).toBeLessThan(70);
  });

  test("has no remaining time at the very beginning, and has a rate only while the job runs", async () => {
    const id = await given("running", { rows: people(1000) });
    await api.database.owner.query(sql`
      update jobs set changed = 19, started_at = now() - interval '1 s', rate_from_at = now() - interval '1 s' where id = ${id}
    `);
    expect((await admin.get(`/api/jobs/${id}`)).body.data).toMatchObject({ etaSeconds: null });
    await api.database.owner.query(sql`update jobs set changed = 20 where id = ${id}`);
    expect((await admin.get(`/api/jobs/${id}`)).body.data.etaSeconds).toBeGreaterThan(0);
    await leaveIn(api.database.owner, id, "completed");
    expect((await admin.get(`/api/jobs/${id}`)).body.data).toMatchObject({ ratePerSecond: null, etaSeconds: null });
  });

  test.each([
    ["checking", "stalled"],
    ["running", "stalled"],
    ["cancelling", "stalled"],
    ["ready", null],
    ["scheduled", null],
    ["completed", null],
  ] as const)("that is %s and has made no progress for a minute has the error %s", async (state, error) => {
    const id = await given(state, { realmId: await api.given.realm() });
    await api.database.owner.query(sql`update jobs set progress_at = now() - interval '61 s' where id = ${id}`);
    const [job] = await api.database.owner.query<{ realmId: string }>(sql`
      select realm_id as "realmId" from jobs where id = ${id}
    `);
    const { body } = await api.as.service({ realmId: job?.realmId ?? "" }).get(`/api/jobs/${id}`);
    expect(body.data.error).toBe(error);
  });

  test("that is queued counts as stalled only if it could run", async () => {
    const realmId = await api.given.realm();
    const as = api.as.service({ realmId });
    const id = await given("queued", { realmId });
    await api.database.owner.query(sql`update jobs set progress_at = now() - interval '61 s' where id = ${id}`);
    expect((await as.get(`/api/jobs/${id}`)).body.data.error).toBe("stalled");
    await given("running", { realmId });
    await given("running", { realmId });
    expect((await as.get(`/api/jobs/${id}`)).body.data.error).toBeNull();
  });
});
