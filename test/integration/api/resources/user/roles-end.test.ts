import { describe, expect, test } from "vitest";
import type { Database } from "../../../../../db/client.ts";
import { sql } from "../../../../../db/sql.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { driveJobs, givenJob, type GivenJob } from "../../../../support/given/bulk-jobs.ts";
import type { GivenUser } from "../../../../support/given/given.ts";
import { useApi } from "../../../../support/service/api.ts";

/** An offboarding removes a person's roles, so a reactivation never makes an administrator. */

const api = useApi();
const { as, given, database } = api;
let worker: Database | undefined;
const jobs = driveJobs(() => (worker ??= database.open("realmpass_worker")));

/**
 * Makes a realm with an administrator and a person who has assigned roles, roles from the identity provider, and a
 * device.
 */
async function givenPerson(): Promise<{ realmId: string; person: GivenUser }> {
  const realmId = await given.realm();
  await given.user({ realmId, roles: ["administrator"] });
  const person = await given.user({ realmId, roles: ["administrator", "help_desk"] });
  await database.owner.query(sql`update users set provider_roles = '{administrator,auditor}' where id = ${person.id}`);
  await given.profile(person);
  return { realmId, person };
}

/** Returns a caller who may offboard and reactivate people and start jobs, but cannot assign roles. */
const staff = (realmId: string) => as.service({ realmId });

const run = async (realmId: string, job: Pick<GivenJob, "kind" | "graceDays">, { id }: GivenUser): Promise<string> => {
  const jobId = await givenJob(database.owner, { realmId, rows: [{ userId: id }], ...job });
  await jobs.run(jobId);
  return jobId;
};

type Leave = (person: GivenUser) => Promise<string>;
const single =
  (body: object): Leave =>
  async ({ id, realmId }) => {
    const answer = await staff(realmId).send("DELETE", `/api/user/${id}`, { body });
    expect(answer.status, answer.text).toBe(200);
    return (answer.headers.location ?? "").replace("/api/jobs/", "");
  };

/**
 * Ways to offboard a person, each with the number of `returning` ways that apply: the last is an undo, which requires a
 * job.
 */
const leaving: [string, Leave, number][] = [
  ["a call", single({}), 2],
  ["a call with a grace period", single({ graceDays: 3 }), 3],
  ["a job", (person) => run(person.realmId, { kind: "offboarding" }, person), 3],
  ["a job with a grace period", (person) => run(person.realmId, { kind: "offboarding", graceDays: 3 }, person), 3],
];

type Return = (person: GivenUser, jobId: string) => Promise<unknown>;
const returning: [string, Return][] = [
  ["a call", ({ id, realmId }) => staff(realmId).put(`/api/user/${id}/undelete`)],
  ["a job", (person) => run(person.realmId, { kind: "reactivation" }, person)],
  [
    "an undo",
    async ({ realmId }, jobId) => {
      const answer = await staff(realmId).post(`/api/jobs/${jobId}/undo`, {});
      expect(answer.status, answer.text).toBe(202);
      await jobs.run(answer.body.data.id as string);
    },
  ],
];

const stateOf = async ({ id }: GivenUser) => {
  const [row] = await database.owner.query(sql`
    select roles, provider_roles as "providerRoles", administrator, offboarded_at is not null as "isOffboarded"
      from users
     where id = ${id}
  `);
  return row;
};

const none = { roles: [], providerRoles: [], administrator: false };

describe.each(leaving)("a user who is offboarded by %s", (_, leave, ways) => {
  test("has no role from that moment, and the audit entry lists the removed roles", async () => {
    const { person } = await givenPerson();
    expect(await stateOf(person)).toMatchObject({ administrator: true, isOffboarded: false });
    await leave(person);
    expect(await stateOf(person)).toEqual({ ...none, isOffboarded: true });
    const entries = await auditOf(database, "userID", person.id);
    expect(entries.filter(({ event }) => event === "user_offboard")).toMatchObject([
      { properties: { roles: ["administrator", "help_desk", "auditor"] } },
    ]);
  });

  test.each(returning.slice(0, ways))(
    "and is reactivated by %s has no role, and cannot read other users' data",
    async (_, comeBack) => {
      const { person } = await givenPerson();
      expect((await as.user(person).get("/api/user")).status).toBe(200);
      const jobId = await leave(person);
      await comeBack(person, jobId);
      expect(await stateOf(person)).toEqual({ ...none, isOffboarded: false });
      expect(await as.user(person).get("/api/user")).toBeError("forbidden");
    },
  );
});

test("the audit entry for offboarding a user without a role lists no roles", async () => {
  const { realmId } = await givenPerson();
  const people = [await given.user({ realmId }), await given.user({ realmId })];
  await single({})(people[0]!);
  await run(realmId, { kind: "offboarding" }, people[1]!);
  for (const { id } of people) {
    const [entry] = await auditOf(database, "userID", id);
    expect(entry).toMatchObject({ event: "user_offboard" });
    expect(entry!.properties).not.toHaveProperty("roles");
  }
});

test("locking and unlocking keep the roles", async () => {
  const { realmId, person } = await givenPerson();
  const before = await stateOf(person);
  for (const locked of [true, false]) {
    expect((await as.admin({ realmId }).put(`/api/user/${person.id}/status`, { locked })).status).toBe(200);
  }
  expect(await stateOf(person)).toEqual(before);
});

test.each(returning.slice(0, 2))(
  "a user whom an earlier version offboarded with their roles is reactivated by %s without them",
  async (_, comeBack) => {
    const { person } = await givenPerson();
    await single({})(person);
    await database.owner.query(sql`
      update users set roles = '{administrator}', provider_roles = '{auditor}' where id = ${person.id}
    `);
    expect(await stateOf(person)).toMatchObject({ administrator: true, isOffboarded: true });
    await comeBack(person, "");
    expect(await stateOf(person)).toEqual({ ...none, isOffboarded: false });
  },
);

test("an offboarded user cannot be given a role, but a remaining role can be removed", async () => {
  const { realmId, person } = await givenPerson();
  const admin = as.admin({ realmId });
  const set = (roles: string[]) => admin.put(`/api/user/${person.id}/roles`, { roles });
  await single({})(person);
  expect(await set(["auditor"])).toBeError("user_offboarded");
  await database.owner.query(sql`update users set roles = '{administrator,auditor}' where id = ${person.id}`);
  expect(await set(["administrator", "auditor", "help_desk"])).toBeError("user_offboarded");
  expect((await set(["auditor"])).status).toBe(200);
  await staff(realmId).put(`/api/user/${person.id}/undelete`);
  expect((await set(["help_desk"])).status).toBe(200);
});

test("the last administrator cannot be offboarded and keeps the role", async () => {
  const realmId = await given.realm();
  const last = await given.user({ realmId, roles: ["administrator"] });
  for (const body of [{}, { graceDays: 3 }]) {
    expect(await staff(realmId).send("DELETE", `/api/user/${last.id}`, { body })).toBeError("last_administrator");
  }
  await run(realmId, { kind: "offboarding" }, last);
  expect(await stateOf(last)).toEqual({
    roles: ["administrator"],
    providerRoles: [],
    administrator: true,
    isOffboarded: false,
  });
});
