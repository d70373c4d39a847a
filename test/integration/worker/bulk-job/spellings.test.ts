import { describe, expect, test } from "vitest";
import type { Database } from "../../../../db/client.ts";
import { sql } from "../../../../db/sql.ts";
import type { JobKind } from "../../../../domain/bulk-job/job.ts";
import { driveJobs, expectCountsToAddUp, givenJob, rowsOf, type GivenRow } from "../../../support/given/bulk-jobs.ts";
import { fromNow, givenRows } from "../../../support/given/given.ts";
import { givenIssuingRealm } from "../../../support/given/issuing.ts";
import { givenTwins } from "../../../support/given/spellings.ts";
import { useDatabase } from "../../../support/run/database.ts";
import { eventually } from "../../../support/run/eventually.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
let worker: Database | undefined;
const jobs = driveJobs(() => (worker ??= database.open("realmpass_worker")));

async function run(realmId: string, kind: JobKind, rows: readonly GivenRow[]) {
  const jobId = await givenJob(database.owner, { realmId, kind, rows });
  await jobs.run(jobId);
  await expectCountsToAddUp(database.owner, jobId);
  return rowsOf(database.owner, jobId);
}

const peopleOf = async (realmId: string): Promise<string[]> =>
  (
    await database.owner.query<{ id: string }>(
      sql`select pairwise_id as id from users where realm_id = ${realmId} order by id`,
    )
  ).map(({ id }) => id);

const offboardedOf = async (realmId: string): Promise<string[]> =>
  (
    await database.owner.query<{ id: string }>(sql`
      select pairwise_id as id from users where realm_id = ${realmId} and offboarded_at is not null order by id
    `)
  ).map(({ id }) => id);

describe("onboarding", () => {
  test("makes one person from two spellings in one file, in the first spelling", async () => {
    const { realmId } = await givenIssuingRealm(database.owner);
    const rows = await run(realmId, "onboarding", [
      { pairwiseId: "JDoe@uni.example" },
      { pairwiseId: "jdoe@uni.example" },
      { pairwiseId: "ann@uni.example" },
    ]);
    expect(rows).toMatchObject([
      { status: "changed" },
      { status: "failed", errorCode: "duplicate_row", message: "the same person as row 1" },
      { status: "changed" },
    ]);
    expect(await peopleOf(realmId)).toEqual(["JDoe@uni.example", "ann@uni.example"]);
  });

  test("changes a person known in another spelling, and keeps the id", async () => {
    const { realmId } = await givenIssuingRealm(database.owner);
    const { id } = await given.user({ realmId, pairwiseId: "J\u00e4ger" });
    const rows = await run(realmId, "onboarding", [
      { pairwiseId: "JA\u0308GER", email: "j@uni.example", maxProfiles: 3 },
    ]);
    expect(rows).toMatchObject([{ status: "changed", userId: id }]);
    expect(await peopleOf(realmId)).toEqual(["J\u00e4ger"]);
  });

  test("distinguishes two people whose ids differ only in spelling by the exact spelling; a third spelling fails and names both people", async () => {
    const { realmId } = await givenIssuingRealm(database.owner);
    const [first, second] = await givenTwins(database.owner, { realmId, ids: ["JDoe", "jdoe"] });
    const rows = await run(realmId, "onboarding", [
      { pairwiseId: "jdoe", email: "second@uni.example" },
      { pairwiseId: "JDoe", email: "first@uni.example" },
      { pairwiseId: "JDOE", email: "third@uni.example" },
    ]);
    expect(rows).toMatchObject([
      { status: "changed", userId: second!.id },
      { status: "changed", userId: first!.id },
      {
        status: "failed",
        errorCode: "ambiguous_user",
        message: "several people have this id in other spellings: JDoe, jdoe",
        userId: null,
      },
    ]);
    expect(await peopleOf(realmId)).toEqual(["JDoe", "jdoe"]);
  });

  test("does not duplicate a person who appears in another spelling after the check", async () => {
    const { realmId } = await givenIssuingRealm(database.owner);
    const jobId = await givenJob(database.owner, { realmId, kind: "onboarding", rows: [{ pairwiseId: "JDoe" }] });
    await jobs.advance(jobId);
    const chunks = jobs.waiting.splice(0);
    // A sign-in has created the person but has not committed when the job creates its people.
    const api = database.open("realmpass_api");
    let worked: Promise<void>[] = [];
    await api.transaction(async (tx) => {
      await tx.query(sql`insert into users (realm_id, pairwise_id, created_at) values (${realmId}, 'jdoe', now())`);
      worked = chunks.map((chunk) => jobs.work(chunk));
      await eventually(async () => {
        const waiting = await database.owner.query(
          sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        expect(waiting).toHaveLength(1);
      });
    });
    await Promise.all(worked);
    for (let chunk = jobs.waiting.shift(); chunk !== undefined; chunk = jobs.waiting.shift()) await jobs.work(chunk);
    expect(await rowsOf(database.owner, jobId)).toMatchObject([{ status: "unchanged", errorCode: null }]);
    expect(await peopleOf(realmId)).toEqual(["jdoe"]);
  });
});

describe.each([
  ["offboarding", null],
  ["reactivation", fromNow(-3600)],
] as const)("%s", (kind, offboardedAt) => {
  /** Returns the people whom the job has changed. */
  const changedIn = async (realmId: string): Promise<string[]> => {
    const offboarded = await offboardedOf(realmId);
    return (await peopleOf(realmId)).filter((id) => offboarded.includes(id) === (kind === "offboarding"));
  };

  test("finds a person in every spelling, by the id alone and together with the userID", async () => {
    const { realmId } = await givenIssuingRealm(database.owner);
    const ids = ["JDoe@uni.example", "J\u00e4ger", "al\u200bice", "carol", "dave"];
    const people = [];
    for (const pairwiseId of ids) people.push(await given.user({ realmId, pairwiseId, offboardedAt }));
    const rows = await run(realmId, kind, [
      { pairwiseId: "jdoe@UNI.example" },
      { pairwiseId: "JA\u0308GER" },
      { pairwiseId: "ALICE" },
      { pairwiseId: "CAROL", userId: people[3]!.id },
      { pairwiseId: "dave" },
      { pairwiseId: "dave2" },
      { pairwiseId: "DAVE" },
    ]);
    expect(rows.map(({ status, errorCode, userId }) => [status, errorCode, userId])).toEqual([
      ...people.map(({ id }) => ["changed", null, id]),
      ["failed", "user_not_found", null],
      ["failed", "duplicate_row", null],
    ]);
    expect(await changedIn(realmId)).toEqual(ids);
  });

  test("distinguishes two people whose ids differ only in spelling by the exact spelling; a third spelling fails and names both people", async () => {
    const { realmId } = await givenIssuingRealm(database.owner);
    const [, second] = await givenTwins(database.owner, { realmId, ids: ["JDoe", "jdoe"], offboardedAt });
    const rows = await run(realmId, kind, [{ pairwiseId: "JDOE" }, { pairwiseId: "jdoe" }]);
    expect(rows).toMatchObject([
      {
        status: "failed",
        errorCode: "ambiguous_user",
        message: "several people have this id in other spellings: JDoe, jdoe",
      },
      { status: "changed", userId: second!.id },
    ]);
    expect(await changedIn(realmId)).toEqual(["jdoe"]);
  });
});
