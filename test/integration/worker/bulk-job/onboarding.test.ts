import { describe, expect, test } from "vitest";
import type { Database } from "../../../../db/client.ts";
import { sql } from "../../../../db/sql.ts";
import type { QueueBackend } from "../../../../runtime/queue/queues.ts";
import { useDatabase } from "../../../support/run/database.ts";
import { fromNow, givenRows } from "../../../support/given/given.ts";
import { givenIssuingRealm } from "../../../support/given/issuing.ts";
import {
  auditOf,
  bulkClientOf,
  driveJobs,
  eventuallyIn,
  expectCountsToAddUp,
  givenJob,
  jobOf,
  rowsOf,
  notifyWorkers,
  type GivenRow,
} from "../../../support/given/bulk-jobs.ts";
import { describeWithTool } from "../../../support/run/tools.ts";
import { workRows } from "../../../../worker/bulk-job/run/work-rows.ts";
import { startTestWorker } from "../../../support/service/worker.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
let worker: Database | undefined;
const jobs = driveJobs(() => (worker ??= database.open("realmpass_worker")));

const laptop = { profileName: "laptop", deviceType: "Windows", format: "pkcs12" } as const;

const usersOf = (realmId: string) =>
  database.owner.query<{ id: string; pairwiseId: string; email: string; profileOverride: number }>(sql`
    select id, pairwise_id as "pairwiseId", email, profile_override as "profileOverride"
      from users
     where realm_id = ${realmId}
     order by pairwise_id
  `);

const profilesOf = (userId: string | null) =>
  database.owner.query<{ name: string; deviceType: string }>(sql`
    select name, device_type as "deviceType"
      from certificates
     where user_id = ${userId}
       and revoked_at is null
     order by id
  `);

async function onboard(realmId: string, rows: readonly GivenRow[]) {
  const jobId = await givenJob(database.owner, { realmId, kind: "onboarding", rows });
  await jobs.run(jobId);
  await expectCountsToAddUp(database.owner, jobId);
  return { jobId, job: await jobOf(database.owner, jobId), rows: await rowsOf(database.owner, jobId) };
}

function behaviour(kind: QueueBackend["kind"]): void {
  test("a job creates people and their profiles, row by row, each audited once", async () => {
    const { realmId } = await givenIssuingRealm(database.owner);
    const { queues, stop } = await startTestWorker({ databaseUrl: database.url, kind });
    const rows = Array.from({ length: 620 }, (_, index) => ({
      pairwiseId: `person-${String(index).padStart(4, "0")}`,
      email: `person-${index}@example.org`,
      ...(index % 4 === 0 ? laptop : {}),
    }));
    const jobId = await givenJob(database.owner, { realmId, kind: "onboarding", rows });

    await notifyWorkers(queues, jobId);

    const job = await eventuallyIn(database.owner, jobId, ["completed", "completed_with_errors", "failed"], 60_000);
    expect(job).toMatchObject({ state: "completed", total: 620, done: 620, changed: 620 });
    await expectCountsToAddUp(database.owner, jobId);
    expect((await usersOf(realmId)).map(({ pairwiseId, email }) => ({ pairwiseId, email }))).toEqual(
      rows.map(({ pairwiseId, email }) => ({ pairwiseId, email })),
    );
    const events = (await auditOf(database.owner, jobId)).map(({ event }) => event);
    expect(events.filter((event) => event === "user_create")).toHaveLength(620);
    expect(events.filter((event) => event === "profile_create")).toHaveLength(155);
    expect(events.filter((event) => event === "job_finish")).toHaveLength(1);
    const [outputs] = await database.owner.query<{ count: number; people: number }>(sql`
      select count(*)::integer as count, count(distinct c.user_id)::integer as people
        from issuance_outputs o
        join certificates c on c.issuance_id = o.issuance_id
       where o.job_id = ${jobId}
         and o.sealed is not null
    `);
    expect(outputs).toEqual({ count: 155, people: 155 });
    await stop();
  });
}

describe("on Postgres", () => {
  behaviour("postgres");
});
describeWithTool("redis", "on Redis", () => {
  behaviour("redis");
});

interface Case {
  name: string;
  /** The user before the job; absent if no user has that name. */
  person?: Omit<Parameters<typeof given.user>[0], "realmId">;
  profiles?: readonly NonNullable<Parameters<typeof given.profile>[1]>[];
  row: Omit<GivenRow, "pairwiseId">;
  status: "changed" | "unchanged" | "failed";
  errorCode?: string;
  after?: { email?: string; profileOverride?: number; profiles?: number };
}

const cases: readonly Case[] = [
  { name: "somebody new", row: { email: "a@b.c" }, status: "changed", after: { email: "a@b.c", profileOverride: 0 } },
  {
    name: "somebody new of whom nothing is said",
    row: {},
    status: "changed",
    after: { email: "", profileOverride: 0 },
  },
  {
    name: "somebody new with a limit and a profile",
    row: { maxProfiles: 7, ...laptop },
    status: "changed",
    after: { profileOverride: 7, profiles: 1 },
  },
  {
    name: "somebody who is so already",
    person: { email: "a@b.c", profileOverride: 3 },
    row: { email: "a@b.c", maxProfiles: 3 },
    status: "unchanged",
  },
  {
    name: "somebody of whom nothing is said",
    person: { email: "a@b.c" },
    row: {},
    status: "unchanged",
    after: { email: "a@b.c" },
  },
  {
    name: "another address",
    person: { email: "old@b.c", profileOverride: 3 },
    row: { email: "new@b.c" },
    status: "changed",
    after: { email: "new@b.c", profileOverride: 3 },
  },
  {
    name: "back to the realm's limit",
    person: { email: "a@b.c", profileOverride: 3 },
    row: { maxProfiles: 0 },
    status: "changed",
    after: { email: "a@b.c", profileOverride: 0 },
  },
  {
    name: "an offboarded person",
    person: { email: "old@b.c", offboardedAt: fromNow(-1000) },
    row: { email: "new@b.c", ...laptop },
    status: "failed",
    errorCode: "user_offboarded",
    after: { email: "old@b.c", profiles: 0 },
  },
  {
    name: "a locked person, without a profile",
    person: { lockedAt: fromNow(-1000) },
    row: { email: "new@b.c" },
    status: "changed",
    after: { email: "new@b.c" },
  },
  {
    name: "a locked person who would get a profile",
    person: { email: "old@b.c", lockedAt: fromNow(-1000) },
    row: { email: "new@b.c", ...laptop },
    status: "failed",
    errorCode: "user_locked",
    after: { email: "old@b.c", profiles: 0 },
  },
  {
    name: "one profile too many",
    person: { email: "old@b.c", profileOverride: 1 },
    profiles: [{ name: "phone" }],
    row: { email: "new@b.c", ...laptop },
    status: "failed",
    errorCode: "profile_limit_reached",
    after: { email: "old@b.c", profiles: 1 },
  },
  {
    name: "a limit that the row itself raises",
    person: { profileOverride: 1 },
    profiles: [{ name: "phone" }],
    row: { maxProfiles: 2, ...laptop },
    status: "changed",
    after: { profileOverride: 2, profiles: 2 },
  },
  {
    name: "a limit that the row itself lowers",
    person: { profileOverride: 5 },
    profiles: [{ name: "phone" }],
    row: { maxProfiles: 1, ...laptop },
    status: "failed",
    errorCode: "profile_limit_reached",
    after: { profileOverride: 5, profiles: 1 },
  },
  {
    name: "a profile that the person has",
    person: {},
    profiles: [{ name: "laptop", deviceType: "Windows" }],
    row: laptop,
    status: "unchanged",
    after: { profiles: 1 },
  },
  {
    name: "a profile that a locked person at the limit has",
    person: { lockedAt: fromNow(-1000), profileOverride: 1 },
    profiles: [{ name: "laptop", deviceType: "Windows" }],
    row: laptop,
    status: "unchanged",
    after: { profiles: 1 },
  },
  {
    name: "a profile of that name for another device",
    person: {},
    profiles: [{ name: "laptop", deviceType: "MacOS" }],
    row: laptop,
    status: "changed",
    after: { profiles: 2 },
  },
  {
    name: "a profile of that name that has run out",
    person: {},
    profiles: [{ name: "laptop", deviceType: "Windows", createdAt: fromNow(-2000), notAfter: fromNow(-1000) }],
    row: laptop,
    status: "changed",
    after: { profiles: 2 },
  },
  {
    name: "a row that cannot be used",
    row: { invalid: "email: must be …" },
    status: "failed",
    errorCode: "invalid_row",
  },
];

test("every kind of row gets its result, all in one job", async () => {
  const realmId = await given.realm();
  await Promise.all(
    cases.map(async ({ person, profiles = [] }, index) => {
      if (person === undefined) return;
      const user = await given.user({ realmId, pairwiseId: `case-${index}`, ...person });
      for (const profile of profiles) await given.profile(user, profile);
    }),
  );

  const { jobId, job, rows } = await onboard(
    realmId,
    cases.map(({ row }, index) => ("invalid" in row ? row : { pairwiseId: `case-${index}`, ...row })),
  );

  expect(job).toMatchObject({ state: "completed_with_errors", done: cases.length });
  const users = new Map((await usersOf(realmId)).map((user) => [user.pairwiseId, user]));
  for (const [index, { name, status, errorCode = null, after }] of cases.entries()) {
    const row = rows[index];
    expect({ name, status: row?.status, errorCode: row?.errorCode }).toEqual({ name, status, errorCode });
    expect({ name, message: row?.message === null }).toEqual({ name, message: errorCode === null });
    if (after === undefined) continue;
    const { profiles, ...fields } = after;
    const user = users.get(`case-${index}`);
    expect({ name, ...user }).toMatchObject({ name, ...fields });
    if (profiles !== undefined)
      expect({ name, count: (await profilesOf(user?.id ?? null)).length }).toEqual({ name, count: profiles });
  }

  const audited = await auditOf(database.owner, jobId);
  const about = (index: number) =>
    audited.filter(({ event, properties }) => {
      const userId = users.get(`case-${index}`)?.id;
      return event.startsWith("user_") && userId !== undefined && properties["userID"] === userId;
    });
  for (const [index, { name, person, status, row }] of cases.entries()) {
    const changesPerson = status === "changed" && (person === undefined || "email" in row || "maxProfiles" in row);
    expect({ name, entries: about(index).map(({ event }) => event) }).toEqual({
      name,
      entries: changesPerson ? [person === undefined ? "user_create" : "user_update"] : [],
    });
  }
  expect(audited.every(({ clientId }) => clientId === bulkClientOf(realmId))).toBe(true);
  const limit = cases.findIndex(({ name }) => name === "back to the realm's limit");
  expect(about(limit)[0]?.properties).toMatchObject({
    changed: ["profileOverride"],
    before: { profileOverride: 3 },
    after: { profileOverride: 0 },
  });
  expect(JSON.stringify(audited)).not.toContain("@b.c");
});

test("uploading the same file again changes nothing", async () => {
  const realmId = await given.realm();
  const file = Array.from({ length: 130 }, (_, index) => ({ pairwiseId: `again-${index}`, email: "a@b.c", ...laptop }));
  expect((await onboard(realmId, file)).job).toMatchObject({ state: "completed", changed: 130 });
  expect((await onboard(realmId, file)).job).toMatchObject({ state: "completed", changed: 0, unchanged: 130 });
  expect(await usersOf(realmId)).toHaveLength(130);
});

test("a person named twice is onboarded once, and the result of the later row names the first row", async () => {
  const realmId = await given.realm();
  const { job, rows } = await onboard(realmId, [
    { pairwiseId: "ann", email: "first@b.c" },
    { pairwiseId: "bob" },
    { pairwiseId: "ann", email: "second@b.c" },
    { pairwiseId: "ann" },
    { pairwiseId: "Ann" },
  ]);
  expect(job).toMatchObject({ changed: 2, failed: 3 });
  expect(rows.map(({ status, errorCode, message }) => [status, errorCode, message])).toEqual([
    ["changed", null, null],
    ["changed", null, null],
    ["failed", "duplicate_row", "the same person as row 1"],
    ["failed", "duplicate_row", "the same person as row 1"],
    ["failed", "duplicate_row", "the same person as row 1"],
  ]);
  expect((await usersOf(realmId)).find(({ pairwiseId }) => pairwiseId === "ann")?.email).toBe("first@b.c");
});

test("a new person named by id in one row and only by e-mail address in another row gets the profile of the first row alone", async () => {
  const realmId = await given.realm({ maxProfiles: 1 });
  const { job, rows } = await onboard(realmId, [
    { pairwiseId: "ann", email: "a@b.c", ...laptop },
    { email: "a@b.c", ...laptop, profileName: "phone" },
    { pairwiseId: "bob", email: "b@b.c", ...laptop },
  ]);
  expect(rows.map(({ status, errorCode, message }) => [status, errorCode, message])).toEqual([
    ["changed", null, null],
    ["failed", "duplicate_row", "the same person as row 1"],
    ["changed", null, null],
  ]);
  expect(job).toMatchObject({ changed: 2, failed: 1 });
  const [ann, bob] = await usersOf(realmId);
  expect((await profilesOf(ann!.id)).map(({ name }) => name)).toEqual(["laptop"]);
  expect(await profilesOf(bob!.id)).toHaveLength(1);
});

test.each([
  ["no_issuer", null],
  ["issuer_expiring", 100],
] as const)(
  "with %s, rows with a profile fail without a change, and the other rows continue",
  async (code, issuerEndsInDays) => {
    const realmId = await given.realm({ issuerEndsInDays });
    const { rows } = await onboard(realmId, [{ pairwiseId: "with", ...laptop }, { pairwiseId: "without" }]);
    expect(rows.map(({ status, errorCode }) => [status, errorCode])).toEqual([
      ["failed", code],
      ["changed", null],
    ]);
    expect((await usersOf(realmId)).map(({ pairwiseId }) => pairwiseId)).toEqual(["without"]);
  },
);

test("a person of the same name in another realm is a different person", async () => {
  const [realmId, other] = [await given.realm(), await given.realm()];
  const namesake = await given.user({ realmId: other, pairwiseId: "ann", email: "hers@b.c" });
  await onboard(realmId, [{ pairwiseId: "ann", email: "new@b.c" }]);
  expect(await usersOf(other)).toEqual([{ id: namesake.id, pairwiseId: "ann", email: "hers@b.c", profileOverride: 0 }]);
  expect(await usersOf(realmId)).toHaveLength(1);
});

test("a profile has the key type that the realm has set for the device, and RSA if the format requires it", async () => {
  const realmId = await given.realm();
  await database.owner.query(sql`update realms set key_types = '{"Windows":"rsa-3072"}' where id = ${realmId}`);
  const { jobId } = await onboard(realmId, [
    { pairwiseId: "win", ...laptop },
    { pairwiseId: "mac", ...laptop, deviceType: "MacOS" },
    { pairwiseId: "lin", ...laptop, deviceType: "Linux" },
    { pairwiseId: "iwd", ...laptop, deviceType: "Linux", format: "iwd" },
  ]);
  const made = await database.owner.query(sql`
    select device_type as "deviceType", key_type as "keyType", created_by_client_id as client
      from issuances
     where batch_id = ${jobId}
     order by batch_position
  `);
  expect(made).toEqual([
    { deviceType: "Windows", keyType: "rsa-3072", client: bulkClientOf(realmId) },
    { deviceType: "MacOS", keyType: "ec-p256", client: bulkClientOf(realmId) },
    { deviceType: "Linux", keyType: "ec-p256", client: bulkClientOf(realmId) },
    { deviceType: "Linux", keyType: "rsa-2048", client: bulkClientOf(realmId) },
  ]);
});

test("a person locked while their profile is being made gets no profile, and the row reports the reason", async () => {
  const realmId = await given.realm();
  const jobId = await givenJob(database.owner, {
    realmId,
    kind: "onboarding",
    rows: [{ pairwiseId: "ann", ...laptop }],
  });
  await jobs.advance(jobId);
  const deps = jobs.deps();
  const issueAll: typeof deps.issueAll = async (ids) => {
    await database.owner.query(sql`
      update issuances
         set status = 'failed', finished_at = now(), error_code = 'user_locked'
       where id = any(${ids}::uuid[])
    `);
    return new Map(ids.map((id) => [id, "failed"]));
  };

  await workRows({ ...deps, issueAll }, { jobId, from: 1, to: 501 });

  jobs.waiting.length = 0;
  expect(await rowsOf(database.owner, jobId)).toMatchObject([
    { status: "failed", errorCode: "user_locked", message: "A locked user cannot get a profile." },
  ]);
  expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "completed_with_errors", failed: 1 });
});
