import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import type { JobKind, JobState } from "../../../../../domain/bulk-job/job.ts";
import type { Scope } from "../../../../../domain/people/scopes.ts";
import { createDataKey, outputPublicKey, seal } from "../../../../../runtime/keys/sealed-output.ts";
import { auditOf, givenJob, jobOf, leaveIn, rowsOf, type GivenRow } from "../../../../support/given/bulk-jobs.ts";
import { fromNow } from "../../../../support/given/given.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";
import { testOutputKeys } from "../../../../support/service/worker.ts";

/**
 * Tests which scopes are needed to change a job and to erase its outputs, and the audit entries of changes and of
 * reading and erasing its keys.
 */

const api = useApi();
const { as, given } = api;
let realmId: string;
beforeAll(() => {
  ({ realmId } = api);
});

/** Returns the actors in the audit entries of a job. */
const actorsOf = (id: string): Promise<{ userId: string | null }[]> =>
  api.database.owner.query(sql`
    select user_id as "userId" from audit_entries where properties ->> 'job' = ${id} order by id
  `);

const laptop = { profileName: "laptop", deviceType: "Linux", format: "pem" };
const person = (more: object = {}): GivenRow => ({ pairwiseId: `user-${randomUUID()}`, ...more });

const actions: Record<string, { state: JobState; act: (who: Caller, id: string) => ReturnType<Caller["post"]> }> = {
  "taking rows out": { state: "ready", act: (who, id) => who.delete(`/api/jobs/${id}/rows`, { rows: [1] }) },
  "taking rows in": { state: "ready", act: (who, id) => who.put(`/api/jobs/${id}/rows`, { rows: [1] }) },
  starting: { state: "ready", act: (who, id) => who.post(`/api/jobs/${id}/start`, {}) },
  cancelling: { state: "ready", act: (who, id) => who.post(`/api/jobs/${id}/cancel`) },
  "trying again": { state: "failed", act: (who, id) => who.post(`/api/jobs/${id}/retry`) },
  "erasing the results of others": { state: "failed", act: (who, id) => who.delete(`/api/jobs/${id}/results`) },
};

const kinds: [what: string, kind: JobKind, row: () => GivenRow, scopes: Scope[]][] = [
  ["an onboarding", "onboarding", person, ["user.modify"]],
  ["an onboarding with profiles", "onboarding", () => person(laptop), ["user.modify", "profile.create"]],
  ["an offboarding", "offboarding", person, ["user.delete"]],
  ["a reactivation", "reactivation", person, ["user.modify"]],
  ["a revocation", "revocation", () => ({ serialNumber: "4711" }), ["profile.delete"]],
];

describe.each(kinds)("%s", (_, kind, row, needed) => {
  async function job(state: JobState): Promise<string> {
    const id = await givenJob(api.database.owner, { realmId, kind, rows: [row(), row()] });
    await leaveIn(api.database.owner, id, state);
    if (state === "failed") {
      await api.database.owner.query(sql`
        update job_rows set status = 'failed', error_code = 'internal_error' where job_id = ${id}
      `);
    }
    return id;
  }

  test.each(Object.entries(actions))("%s requires each scope of its effects", async (__, { state, act }) => {
    for (const lacking of needed) {
      const id = await job(state);
      const [before, rows] = [await jobOf(api.database.owner, id), await rowsOf(api.database.owner, id)];
      const scopes: Scope[] = ["job.create", "job.read", ...needed.filter((scope) => scope !== lacking)];
      expect(await act(as.service({ scopes }), id)).toBeError("insufficient_scope");
      expect(await jobOf(api.database.owner, id)).toEqual(before);
      expect(await rowsOf(api.database.owner, id)).toEqual(rows);
      expect(await auditOf(api.database.owner, id)).toEqual([]);
    }
    // Control: with these scopes the action succeeds.
    const answer = await act(as.service({ scopes: ["job.create", ...needed] }), await job(state));
    expect(answer.status, answer.text).toBeLessThan(300);
  });
});

describe("a change of a waiting job is in the audit log", () => {
  async function waiting(): Promise<string> {
    const id = await givenJob(api.database.owner, {
      realmId,
      kind: "offboarding",
      rows: [person(), person(), person()],
    });
    await leaveIn(api.database.owner, id, "ready");
    return id;
  }

  test("if rows are excluded or included, but not if no row changes", async () => {
    const id = await waiting();
    const user = await given.user({ realmId, administrator: true });
    const admin = as.user(user);
    await admin.delete(`/api/jobs/${id}/rows`, { rows: [1, 3] });
    await admin.delete(`/api/jobs/${id}/rows`, { rows: [3] });
    await admin.put(`/api/jobs/${id}/rows`, { rows: [2, 3] });
    await admin.put(`/api/jobs/${id}/rows`, { rows: [2] });

    const change = { event: "job_change" };
    const properties = { job: id, kind: "offboarding" };
    expect(await auditOf(api.database.owner, id)).toMatchObject([
      { ...change, properties: { ...properties, change: "rows_out", total: 2, rows: [1, 3] } },
      { ...change, properties: { ...properties, change: "rows_in", total: 1, rows: [3] } },
    ]);
    expect(await actorsOf(id)).toEqual([{ userId: user.id }, { userId: user.id }]);
  });

  test("if it is started, with its time and grace period", async () => {
    const id = await waiting();
    const executeAt = fromNow(3_600_000).toISOString();
    expect((await as.admin().post(`/api/jobs/${id}/start`, { executeAt, confirmTotal: 3, graceDays: 5 })).status).toBe(
      202,
    );
    expect(await auditOf(api.database.owner, id)).toMatchObject([
      {
        event: "job_change",
        properties: {
          change: "start",
          total: 3,
          executeAt,
          confirmTotal: 3,
          before: { graceDays: null },
          after: { graceDays: 5 },
        },
      },
    ]);
  });
});

describe("the keys of a job", () => {
  const outputs = { certificate: "-----BEGIN CERTIFICATE-----", privateKey: "-----BEGIN PRIVATE KEY-----" };

  /** Makes a finished job of this person, with a profile in its first row. */
  async function finished(creatorId: string, clientId: string): Promise<string> {
    const { owner } = api.database;
    const rows = [person(laptop), person(laptop)];
    const id = await givenJob(owner, { realmId, kind: "onboarding", rows });
    await leaveIn(owner, id, "completed_with_errors");
    await owner.query(sql`
      update jobs set created_by_user_id = ${creatorId}, created_by_client_id = ${clientId} where id = ${id}
    `);
    const serial = await given.profile(await given.user({ realmId }));
    const { key, wrapped } = createDataKey(outputPublicKey(testOutputKeys.publicJwk));
    const [row] = await owner.query<{ id: string }>(sql`
      insert into issuances (id, realm_id, kind, user_id, name, device_type, format, key_type, authable, validity_months,
                             created_at, status, finished_at, error_code)
      select issuance_id, realm_id, 'user', user_id, 'laptop', 'Linux', 'pem', 'ec-p256', false, 12, now(), 'failed', now(),
             'issuance_failed'
        from certificates
       where serial_number = ${serial}
      returning id
    `);
    const issuanceId = row?.id ?? "";
    const sealed = seal(key, Buffer.from(JSON.stringify(outputs)), issuanceId);
    const dataKeyId = randomUUID();
    await owner.query(
      sql`insert into output_data_keys (id, wrapped, created_at) values (${dataKeyId}, ${wrapped}, now())`,
    );
    await owner.query(sql`
      insert into issuance_outputs (issuance_id, data_key_id, sealed, created_at, job_id)
      values (${issuanceId}, ${dataKeyId}, ${sealed}, now(), ${id})
    `);
    await owner.query(sql`update job_rows set issuance_id = ${issuanceId} where job_id = ${id} and position = 1`);
    return id;
  }

  async function creator(scopes?: readonly Scope[]): Promise<{ caller: Caller; userId: string; clientId: string }> {
    const { id: userId } = await given.user({ realmId, administrator: true });
    const { clientId } = await given.application({ realmId, type: "useragent" });
    const token = await given.token({ realmId, clientId, userId }, scopes === undefined ? {} : { scopes });
    return { caller: as.token(token), userId, clientId };
  }

  const read = (who: Caller, id: string, { query = "", type = "application/json" } = {}) =>
    who.get(`/api/jobs/${id}/results${query}`, { headers: { accept: type } });

  test("are in the audit log each time they are read; reads without keys are not", async () => {
    const { caller, userId, clientId } = await creator();
    const id = await finished(userId, clientId);

    for (const type of ["application/json", "application/x-ndjson", "text/csv"]) {
      expect((await read(caller, id, { type })).text).toContain("BEGIN PRIVATE KEY");
    }
    const entry = { event: "job_output_read", clientId, properties: { job: id, kind: "onboarding" } };
    expect(await auditOf(api.database.owner, id)).toMatchObject([entry, entry, entry]);
    expect(await actorsOf(id)).toEqual([{ userId }, { userId }, { userId }]);

    // Reading results without a key in them is not recorded.
    expect((await read(caller, id, { query: "?status=failed" })).text).not.toContain("PRIVATE KEY");
    expect((await read(as.admin(), id)).text).not.toContain("PRIVATE KEY");
    expect(await auditOf(api.database.owner, id)).toHaveLength(3);
  });

  test("can be erased by their creator with only job.create, once in the audit log", async () => {
    const { caller, userId, clientId } = await creator(["job.create"]);
    const id = await finished(userId, clientId);
    expect((await caller.delete(`/api/jobs/${id}/results`)).status).toBe(200);
    expect((await caller.delete(`/api/jobs/${id}/results`)).status).toBe(200);
    expect(await auditOf(api.database.owner, id)).toMatchObject([
      { event: "job_output_erase", properties: { job: id, kind: "onboarding", profiles: 1 } },
    ]);
    expect(await actorsOf(id)).toEqual([{ userId }]);
  });

  test("can be erased by other callers only with the scopes of the job", async () => {
    const { caller, userId, clientId } = await creator();
    const id = await finished(userId, clientId);
    for (const lacking of [["job.create"], ["job.create", "user.modify"], ["job.create", "profile.create"]] as const) {
      const refused = await as.service({ scopes: lacking }).delete(`/api/jobs/${id}/results`);
      expect(refused, String(lacking)).toBeError("insufficient_scope");
    }
    expect((await read(caller, id)).text).toContain("BEGIN PRIVATE KEY");
    const scopes: Scope[] = ["job.create", "user.modify", "profile.create"];
    expect((await as.service({ scopes }).delete(`/api/jobs/${id}/results`)).status).toBe(200);
    expect((await read(caller, id)).text).not.toContain("PRIVATE KEY");
  });
});
