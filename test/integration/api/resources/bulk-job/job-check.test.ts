import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import type { JobKind } from "../../../../../domain/bulk-job/job.ts";
import { allScopes } from "../../../../../domain/people/scopes.ts";
import { auditOf, driveJobs, expectCountsToAddUp, rowsOf } from "../../../../support/given/bulk-jobs.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";

/** Tests the result of a check before a job is started: the people that the job would change, and its problems. */

const api = useApi();
const worker = driveJobs(() => api.database.open("realmpass_worker"));
let admin: Caller;
beforeAll(() => {
  admin = api.as.admin();
});

interface Somebody {
  id: string;
  name: string;
}

async function people(count: number, { profiles = 0, email = "" } = {}): Promise<Somebody[]> {
  const made: Somebody[] = [];
  for (let index = 0; index < count; index++) {
    const name = `check-${randomUUID()}`;
    const { id } = await api.given.user({ realmId: api.realmId, pairwiseId: name, email });
    for (let each = 0; each < profiles; each++) await api.given.profile({ id, realmId: api.realmId });
    made.push({ id, name });
  }
  return made;
}

async function check(kind: JobKind, raw: string, query = ""): Promise<string> {
  const answer = await admin.send("POST", `/api/jobs/${kind}?dryRun=true${query}`, {
    raw,
    headers: { "content-type": "text/csv" },
  });
  expect(answer.status, answer.text).toBe(202);
  await worker.run(answer.body.data.id);
  return answer.body.data.id;
}

const jobOf = async (id: string) => (await admin.get(`/api/jobs/${id}`)).body.data;
const offboarding = (of: readonly Somebody[], query = "") =>
  check("offboarding", `Kennung\n${of.map(({ name }) => name).join("\n")}\n`, query);

describe("a job", () => {
  test("has the name that the client gives it, and the position of its rows in the file", async () => {
    const id = await offboarding(await people(1), "&name=Exmatrikulation%20M%C3%A4rz.xlsx&rowOffset=4");
    const retried = await check("offboarding", `Kennung\nnobody\n`, "&name=second&rowOffset=1");

    expect(await jobOf(id)).toMatchObject({ name: "Exmatrikulation März.xlsx", rowOffset: 4 });
    expect((await admin.post(`/api/jobs/${retried}/retry`)).body.data).toMatchObject({ name: "second", rowOffset: 1 });
  });

  test("has no name if the client gives none, and starts at its first row", async () => {
    expect(await jobOf(await offboarding(await people(1)))).toMatchObject({ name: null, rowOffset: 0 });
  });

  test("that offboards shows how many profiles it revokes, not counting profiles of excluded users", async () => {
    const id = await offboarding([...(await people(2, { profiles: 2 })), ...(await people(1))]);
    expect(await jobOf(id)).toMatchObject({ state: "ready", changed: 3, affectedProfiles: 4 });

    await admin.delete(`/api/jobs/${id}/rows`, { rows: [1] });
    expect(await jobOf(id)).toMatchObject({ changed: 2, skipped: 1, affectedProfiles: 2 });

    await admin.put(`/api/jobs/${id}/rows`, { rows: [1, 2] });
    expect(await jobOf(id)).toMatchObject({ changed: 3, skipped: 0, affectedProfiles: 4 });
  });

  test("that onboards shows no number of profiles", async () => {
    expect(await jobOf(await check("onboarding", `Kennung\nnew-${randomUUID()}\n`))).toMatchObject({
      affectedProfiles: null,
      hasOutput: false,
    });
  });
});

describe("a check that leaves the job no rows to process", () => {
  test("completes the job if nothing has to change", async () => {
    const gone = await people(2);
    for (const { id } of gone) await admin.delete(`/api/user/${id}`);

    const id = await offboarding(gone);

    expect(await jobOf(id)).toMatchObject({
      state: "completed",
      changed: 0,
      unchanged: 2,
      done: 2,
      error: null,
      startedAt: null,
      finishedAt: expect.any(String),
    });
    await expectCountsToAddUp(api.database.owner, id);
    expect((await auditOf(api.database.owner, id)).map(({ event }) => event)).toEqual(["job_create", "job_finish"]);
  });

  test("completes the job with errors if some rows are unusable", async () => {
    const [gone] = await people(1);
    await admin.delete(`/api/user/${gone?.id ?? ""}`);
    const id = await check("offboarding", `Kennung\n${gone?.name ?? ""}\nnobody\n`);

    expect(await jobOf(id)).toMatchObject({ state: "completed_with_errors", unchanged: 1, failed: 1, done: 2 });
    await expectCountsToAddUp(api.database.owner, id);
  });

  test("fails the job if every row is unusable, and reports that", async () => {
    const id = await check("offboarding", `Kennung;userID\nnobody;\n;no-number\n`);

    expect(await jobOf(id)).toMatchObject({ state: "failed", error: "nothing_usable", failed: 2, done: 2 });
    expect(await rowsOf(api.database.owner, id)).toMatchObject([{ status: "failed" }, { status: "failed" }]);
    expect((await auditOf(api.database.owner, id)).at(-1)).toMatchObject({
      event: "job_finish",
      properties: { state: "failed", failed: 2 },
    });
  });

  test("continues after a crash between two slices", async () => {
    const gone = await people(3);
    for (const { id } of gone) await admin.delete(`/api/user/${id}`);
    const answer = await admin.send("POST", "/api/jobs/offboarding?dryRun=true", {
      raw: `Kennung\n${gone.map(({ name }) => name).join("\n")}\n`,
      headers: { "content-type": "text/csv" },
    });
    const { id } = answer.body.data;
    await api.database.owner.query(sql`
      update job_rows set status = 'unchanged', expected = 'unchanged' where job_id = ${id} and position = 1
    `);

    await worker.run(id);

    expect(await jobOf(id)).toMatchObject({ state: "completed", unchanged: 3, done: 3 });
  });
});

describe("the rows of a job", () => {
  const list = async (id: string, query = "") => {
    const { body, status, text } = await admin.get(`/api/jobs/${id}/rows${query}`);
    expect(status, text).toBe(200);
    return body;
  };

  test("list every user whom the job will change, with their identity and what they lose", async () => {
    const [first, second] = await people(2, { profiles: 3, email: "seen@x.example" });
    const [gone] = await people(1);
    await admin.delete(`/api/user/${gone?.id ?? ""}`);
    const id = await check(
      "offboarding",
      `Kennung\n${first?.name ?? ""}\nnobody\n${gone?.name ?? ""}\n${second?.name ?? ""}\n`,
    );

    const changed = await list(id, "?filter[status]=changed&include=people");
    expect(changed).toMatchObject({
      total: 2,
      data: [
        { row: 1, pairwiseID: first?.name, user: first?.id, profiles: 3, status: "changed" },
        { row: 4, pairwiseID: second?.name, user: second?.id, profiles: 3, status: "changed" },
      ],
      people: {
        [first?.id ?? ""]: { pairwiseID: first?.name, email: "seen@x.example", displayName: null, state: "active" },
      },
    });
    expect(Object.keys(changed.people)).toHaveLength(2);
    expect((await list(id, "?filter[status]=failed,unchanged&include=people")).people).toEqual({
      [gone?.id ?? ""]: expect.objectContaining({ state: "offboarded" }),
    });
    expect(await list(id, "?limit=1&offset=3")).toMatchObject({ total: 4, data: [{ row: 4 }] });
    expect(await list(id, "?sort[row]=desc&limit=1")).toMatchObject({ data: [{ row: 4 }] });
    expect(await list(id)).not.toHaveProperty("people");
  });

  test("are found by the given value, and by the user's data", async () => {
    const [somebody] = await people(1, { email: `found-${randomUUID()}@x.example` });
    await api.database.owner.query(sql`update users set display_name = 'Zoë 100%' where id = ${somebody?.id ?? ""}`);
    const id = await offboarding([somebody, ...(await people(2))].filter((one) => one !== undefined));

    for (const search of [somebody?.name.slice(3).toUpperCase() ?? "", "found-", "ZOË 100%"]) {
      expect(await list(id, `?search=${encodeURIComponent(search)}`)).toMatchObject({ total: 1, data: [{ row: 1 }] });
    }
    expect(await list(id, "?search=%25%25")).toMatchObject({ total: 0, data: [] });
    const posted = await admin.post(`/api/jobs/${id}/rows`, { search: "found-", filter: { status: "changed" } });
    expect(posted.body).toMatchObject({ total: 1, data: [{ row: 1 }] });
  });

  test("name users only to callers with user.read, and include nothing else", async () => {
    const id = await offboarding(await people(1));
    const blind = api.as.user(api.given.user({ realmId: api.realmId, administrator: true }), {
      scopes: allScopes.filter((scope) => scope !== "user.read"),
    });

    expect((await blind.get(`/api/jobs/${id}/rows`)).status).toBe(200);
    expect(await blind.get(`/api/jobs/${id}/rows?include=people`)).toBeError("insufficient_scope");
    const unknown = await admin.get(`/api/jobs/${id}/rows?include=people,secrets`);
    expect(unknown).toBeError("invalid_request");
    expect(unknown.body.fields).toEqual([{ path: "include", reason: "there is no “secrets” to include" }]);
  });

  test("of an onboarding show, until the job runs, the old and the new limit of each user whose limit changes", async () => {
    const realmId = await api.given.realm();
    await api.database.owner.query(sql`update realms set max_profiles = 5 where id = ${realmId}`);
    const caller = api.as.admin({ realmId });
    for (const [name, override] of Object.entries({ more: 0, same: 7, back: 8, kept: 9, equal: 0 })) {
      const { id } = await api.given.user({ realmId, pairwiseId: name });
      await caller.put(`/api/user/${id}/limit`, { profileOverride: override });
    }
    const answer = await caller.send("POST", "/api/jobs/onboarding?dryRun=true", {
      raw: "Kennung;max Profile;E-Mail\nmore;10;\nsame;7;\nback;0;\nkept;;new@x.example\nnewcomer;10;n@x.example\nequal;5;\nmany;x;\n",
      headers: { "content-type": "text/csv" },
    });
    const { id } = answer.body.data;
    await worker.run(id);
    const limits = async (by: Caller) =>
      ((await by.get(`/api/jobs/${id}/rows`)).body.data as { limit: unknown }[]).map(({ limit }) => limit);

    const withoutPeople = api.as.service({ realmId, scopes: ["job.read"] });
    expect(await limits(caller)).toEqual([
      { before: 5, after: 10 },
      null,
      { before: 8, after: 5 },
      ...[null, null, null, null],
    ]);
    expect(await limits(withoutPeople)).toEqual([null, null, null, null, null, null, null]);

    await caller.post(`/api/jobs/${id}/start`, {});
    await worker.run(id);
    expect(await limits(caller)).toEqual([null, null, null, null, null, null, null]);
    const [more] = (await caller.post("/api/user", { search: "more" })).body.data;
    expect(more).toMatchObject({ maxProfiles: 10 });
  });

  test("that are excluded stay unchanged, and rows included again are carried out", async () => {
    const three = await people(3);
    const id = await offboarding(three);
    await admin.delete(`/api/jobs/${id}/rows`, { rows: [1, 2] });
    const back = await admin.put(`/api/jobs/${id}/rows`, { rows: [2] });
    expect(back.body.data).toMatchObject({ state: "ready", changed: 2, skipped: 1 });

    await admin.post(`/api/jobs/${id}/start`, {});
    await worker.run(id);

    const left = await Promise.all(
      three.map(async (one) => (await admin.get(`/api/user/${one.id}`)).body.data.blacklisted),
    );
    expect(left).toEqual([false, true, true]);
    await expectCountsToAddUp(api.database.owner, id);
  });

  test("that are included again are checked again; failed rows and rows that were never excluded stay unchanged", async () => {
    const [leaving, other] = await people(2);
    const id = await check("offboarding", `Kennung\n${leaving?.name ?? ""}\n${other?.name ?? ""}\nnobody\n,\n`);
    const before = await rowsOf(api.database.owner, id);
    await admin.delete(`/api/jobs/${id}/rows`, { rows: [1, 3] });
    await admin.delete(`/api/user/${leaving?.id ?? ""}`);

    const back = await admin.put(`/api/jobs/${id}/rows`, { rows: [1, 2, 3] });

    expect(back.body.data).toMatchObject({ changed: 1, unchanged: 1, failed: 1, skipped: 0 });
    const after = await rowsOf(api.database.owner, id);
    expect(after[0]).toMatchObject({ status: "pending", expected: "unchanged" });
    expect(after.slice(1)).toEqual(before.slice(1));
  });

  test("that do not exist cannot be included", async () => {
    const id = await offboarding(await people(1));
    const answer = await admin.put(`/api/jobs/${id}/rows`, { rows: [1, 7] });
    expect(answer).toBeError("invalid_request");
    expect(answer.body.fields).toEqual([{ path: "rows", reason: "the job has no row 7" }]);
  });
});

describe("the problems of a job", () => {
  test("are listed once for each cause, with the first rows and the file's column name", async () => {
    const nobodies = Array.from({ length: 12 }, (_, index) => `nobody-${index}`);
    const id = await check(
      "onboarding",
      `Kennung;max Profile;E-Mail\n${nobodies.map((name) => `${name};many;`).join("\n")}\nx;;no-email\n;1;\nsame;1;\nsame;2;\n`,
    );

    const { body } = await admin.get(`/api/jobs/${id}/problems`);

    expect(body.data).toEqual([
      {
        error: "invalid_row",
        column: "max Profile",
        message: "must be a whole number from 0 to 100",
        count: 12,
        rows: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      },
      { error: "invalid_row", column: "E-Mail", message: "is no address", count: 1, rows: [13] },
      { error: "invalid_row", column: "Kennung or E-Mail", message: "is missing", count: 1, rows: [14] },
      {
        error: "duplicate_row",
        column: null,
        message: "An earlier row is about the same person or profile.",
        count: 1,
        rows: [16],
      },
    ]);
  });

  test("are empty if nothing is wrong", async () => {
    expect((await admin.get(`/api/jobs/${await offboarding(await people(1))}/problems`)).body.data).toEqual([]);
  });
});
