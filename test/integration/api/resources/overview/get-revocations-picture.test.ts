import { beforeAll, expect, test } from "vitest";
import * as revocationTimes from "../../../../../db/queries/certificates/revocation-times.ts";
import { sql, type Sql } from "../../../../../db/sql.ts";
import { systemClock } from "../../../../../runtime/clock.ts";
import { driveJobs, givenJob } from "../../../../support/given/bulk-jobs.ts";
import { givenActivity } from "../../../../support/given/activity.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given, database } = api;
const jobs = driveJobs(() => database.open("realmpass_worker"));
const made = givenActivity(() => database.owner);

const now = systemClock.now().getTime();
const ago = (ms: number) => new Date(now - ms);

const pictureOf = async (realmId: string) => {
  const { status, body } = await as.service({ realmId }).get("/api/overview/revocations");
  expect(status).toBe(200);
  return body.data.revocations;
};
const revoke = (serial: string, at: Date) =>
  database.owner.query(sql`
    insert into revocations (certificate_id, revoked_at, reason)
    select id, ${at}, 0 from certificates where serial_number = ${serial}
  `);
const listed = (serial: string, at: Date) =>
  database.owner.query(sql`
    insert into crl_listings (issuer_id, serial_number, revoked_at, published_at)
    select issuer_id, serial_number, revoked_at, ${at} from certificates where serial_number = ${serial}
  `);

test("the picture of a realm without revocations is empty", async () => {
  const realmId = await given.realm();
  await given.profile(await given.user({ realmId }));
  expect(await pictureOf(realmId)).toEqual([]);
});

test("users' revoked profiles are listed latest first, with the times of CRL listing and refusal", async () => {
  const realmId = await given.realm();
  const user = await given.user({ realmId });
  const [first, second] = [
    await given.profile(user, { name: "phone", deviceType: "Android" }),
    await given.profile(user, { name: "laptop", deviceType: "Linux" }),
  ];
  const guest = await given.profile({ realmId }, { kind: "infrastructure", name: "radius" });
  const elsewhere = await given.profile(await given.user({ realmId: await given.realm() }));
  await made.check(first, ago(90_000));
  await revoke(first, ago(60_000));
  await revoke(second, ago(30_000));
  for (const other of [guest, elsewhere]) await revoke(other, ago(10_000));
  await listed(first, ago(58_000));
  await made.check(first, ago(50_000));
  await made.check(first, ago(20_000));
  expect(await pictureOf(realmId)).toEqual([
    {
      serial: second,
      name: "laptop",
      deviceType: "Linux",
      revokedAt: ago(30_000).toISOString(),
      listedAt: null,
      refusedAt: null,
      job: null,
    },
    {
      serial: first,
      name: "phone",
      deviceType: "Android",
      revokedAt: ago(60_000).toISOString(),
      listedAt: ago(58_000).toISOString(),
      refusedAt: ago(50_000).toISOString(),
      job: null,
    },
  ]);
});

test("a profile that a bulk job revoked names the job to callers who may read jobs", async () => {
  const realmId = await given.realm();
  const [leaver, owner] = [await given.user({ realmId }), await given.user({ realmId })];
  const ofLeaver = await given.profile(leaver);
  const listedInFile = await given.profile(owner);
  const alone = await given.profile(owner);
  const given1 = { realmId, confirmTotal: 1 };
  const offboarding = await givenJob(database.owner, { ...given1, kind: "offboarding", rows: [{ userId: leaver.id }] });
  const rows = [{ serialNumber: listedInFile }];
  const revocation = await givenJob(database.owner, { ...given1, kind: "revocation", rows });
  await database.owner.query(sql`update jobs set name = 'stolen.csv' where id = ${revocation}`);
  for (const job of [offboarding, revocation]) await jobs.run(job);
  expect((await as.service({ realmId }).delete(`/api/profiles/${alone}`)).status).toBe(200);

  const jobOfEach = async (caller: Caller) => {
    const { body } = await caller.get("/api/overview/revocations");
    return Object.fromEntries(
      (body as { data: { revocations: { serial: string; job: unknown }[] } }).data.revocations.map(
        ({ serial, job }) => [serial, job],
      ),
    );
  };
  expect(await jobOfEach(as.service({ realmId }))).toEqual({
    [ofLeaver]: { id: offboarding, kind: "offboarding", name: null },
    [listedInFile]: { id: revocation, kind: "revocation", name: "stolen.csv" },
    [alone]: null,
  });
  expect(await jobOfEach(as.service({ realmId, scopes: ["realm.read", "profile.read"] }))).toEqual({
    [ofLeaver]: null,
    [listedInFile]: null,
    [alone]: null,
  });
});

/** The id of the last of three realms, each with 300 profiles, half of them revoked. */
let crowded: string;
beforeAll(async () => {
  for (let n = 0; n < 3; n++) {
    crowded = await given.realm();
    const serial = await given.profile(await given.user({ realmId: crowded }));
    await database.owner.query(sql`
      insert into certificates (realm_id, issuer_id, serial_number, issuance_id, kind, user_id, name, identity, certificate,
                                spki_sha256, created_at, not_before, not_after, revoked_at, revocation_reason)
      select realm_id, issuer_id, (1000000 + id * 1000 + n)::text, gen_random_uuid(), kind, user_id, 'laptop', identity,
             certificate, sha256(convert_to(id || ' ' || n, 'UTF8')), created_at, not_before, not_after,
             case when n % 2 = 0 then now() - make_interval(mins => n) end, case when n % 2 = 0 then 0 end
        from certificates, generate_series(1, 300) as n
       where serial_number = ${serial}
    `);
  }
  await database.owner.query(sql`
    insert into crl_listings (issuer_id, serial_number, revoked_at, published_at)
    select issuer_id, serial_number, revoked_at, revoked_at from certificates where revoked_at is not null and name = 'laptop'
    on conflict do nothing
  `);
  await database.owner.query(sql`analyze certificates, crl_listings`);
});

test("the last 50 of many revocations are read by index, only for the realm", async () => {
  expect(await pictureOf(crowded)).toHaveLength(50);
  const db = database.open("realmpass_api");
  let plan = "";
  const watched = {
    ...db,
    async query(statement: Sql) {
      const lines = await db.query<{ "QUERY PLAN": string }>(sql`explain ${statement}`);
      plan = lines.map((line) => line["QUERY PLAN"]).join("\n");
      return [];
    },
  };
  await revocationTimes.listLatest(watched, { realmId: crowded, limit: 50 });
  expect(plan).toMatch(/Index Scan Backward using certificates_revoked/);
  expect(plan).not.toMatch(/Seq Scan on certificates/);
});
