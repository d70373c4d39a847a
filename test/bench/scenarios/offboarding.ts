import { only } from "../../../db/client.ts";
import { sql, verbatim } from "../../../db/sql.ts";
import { cpuTotal } from "../cpu.ts";
import { figureOf, type Figure } from "../figures.ts";
import { untilQuiet } from "../load/index.ts";
import { addUsers, type Service } from "../service.ts";
import { figure, median, withRange } from "../statistics.ts";
import { costCells, costColumns, costOfEach, runJob, type Cost, type MeasuredJob } from "./jobs.ts";
import { backendNames, type Scenario } from "./scenario.ts";

const people = 10_000;
const profilesEach = 3;
const rounds = 3;
const earlierRevocations = 1_000_000;

/** Measures bulk offboarding by user id, before and after a very large number of other profiles were revoked. */
export const offboarding: Scenario = {
  title: "Bulk offboarding",
  about: `\`POST /api/jobs/offboarding\` for ${people.toLocaleString("en-GB")} people with ${profilesEach} profiles and a session each: from the 202 until none can sign in, and until every profile is revoked; ${rounds} rounds before and after ${earlierRevocations.toLocaleString("en-GB")} other revocations.`,
  columns: [
    "queue",
    "revoked before",
    "until 202, s",
    "locked out, s",
    "revoked, s",
    ...costColumns("profile"),
    "goal",
  ],
  keptOnly: { columns: ["until 202, s"] },
  env: () => ({}),

  async run({ service, quick, once }) {
    const count = people / (quick ? 10 : 1);
    await offboard(service, count / 5);
    const rows: string[][] = [];
    const figures: Figure[] = [];
    for (const earlier of [0, earlierRevocations / (quick ? 10 : 1)]) {
      if (earlier > 0) await addRevocations(service, earlier);
      const measured: Offboarded[] = [];
      for (let round = 0; round < (once ? 1 : rounds); round++) {
        measured.push((await untilQuiet({ quick }, () => offboard(service, count)))[0]);
      }
      rows.push([
        backendNames[service.backend],
        earlier.toLocaleString("en-GB"),
        figure(median(measured.map(({ accepted }) => accepted))),
        withRange(measured.map(({ lockedOut }) => lockedOut)),
        withRange(measured.map(({ ended }) => ended)),
        ...costCells(measured),
        "< 1 s, < 10 s",
      ]);
      const of = `${earlier.toLocaleString("en-GB")} revoked before`;
      figures.push(
        figureOf(of, "CPU µs per profile", measured, ({ cpu }) => cpuTotal(cpu)),
        figureOf(of, "s until 202", measured, ({ accepted }) => accepted),
        figureOf(of, "s until locked out", measured, ({ lockedOut }) => lockedOut),
        figureOf(of, "s until revoked", measured, ({ ended }) => ended),
      );
    }
    return {
      rows,
      figures,
    };
  },
};

type Offboarded = MeasuredJob & Cost;

async function offboard(service: Service, count: number): Promise<Offboarded> {
  const userIds = await addUsers(service, count);
  await addProfiles(service, userIds, profilesEach);
  await addSessions(service, userIds);

  let measured: MeasuredJob = { accepted: Number.NaN, ended: Number.NaN, lockedOut: Number.NaN };
  const cost = await costOfEach(service, count * profilesEach, async () => {
    measured = await runJob(service, {
      kind: "offboarding",
      csv: ["userID", ...userIds, ""].join("\n"),
      total: count,
    });
  });

  const { left } = only(
    await service.db.query<{ left: number }>(sql`
      select ((select count(*) from certificates where user_id = any(${userIds}::bigint[]) and revoked_at is null)
              + (select count(*) from sessions where user_id = any(${userIds}::bigint[]))
              + (select count(*) from users where id = any(${userIds}::bigint[]) and offboarded_at is null))::integer as left
    `),
  );
  if (left > 0) throw new Error(`${left} profiles, sessions and people are left`);
  return { ...measured, ...cost };
}

/** Makes profiles in the state in which workers leave them, with certificates that are never read. */
export async function addProfiles({ db, realmId }: Service, userIds: readonly string[], each: number): Promise<void> {
  await db.query(sql`
    insert into certificates (realm_id, issuer_id, serial_number, issuance_id, kind, user_id, name, device_type, identity,
                              certificate, spki_sha256, created_at, not_before, not_after)
    select ${realmId}::bigint, i.id, '7' || lpad(u.id::text, 18, '0') || lpad(n::text, 18, '0'), gen_random_uuid(), 'user', u.id,
           'device ' || n, 'Windows', 'bench@mail.example', decode(repeat('30', 700), 'hex'),
           sha256(('profile ' || u.id || ' ' || n)::bytea), now(), now(), now() + interval '1 year'
      from unnest(${userIds}::bigint[]) as u (id)
     cross join generate_series(1, ${each}::integer) as n
      join issuers i on i.realm_id = ${realmId}::bigint and i.issuing
  `);
}

async function addSessions({ db, realmId, client }: Service, userIds: readonly string[]): Promise<void> {
  await db.query(sql`
    insert into sessions (id, realm_id, user_id, client_id, scopes, signed_in_at, created_at, last_used_at, expires_at)
    select gen_random_uuid(), ${realmId}::bigint, u.id, ${client.client_id}, '{openid}', now(), now(), now(),
           now() + interval '1 day'
      from unnest(${userIds}::bigint[]) as u (id)
  `);
}

/** Makes revoked profiles of one person, in portions and without triggers. */
async function addRevocations(service: Service, count: number): Promise<void> {
  const { db, realmId } = service;
  const [userId] = await addUsers(service, 1);
  const part = 50_000;
  for (let from = 0; from < count; from += part) {
    await db.transaction(async (tx) => {
      await tx.query(sql`set local session_replication_role = replica`);
      await tx.query(sql`
        with revoked as (
          insert into certificates (realm_id, issuer_id, serial_number, issuance_id, kind, user_id, name, device_type,
                                    identity, certificate, spki_sha256, created_at, not_before, not_after, revoked_at,
                                    revocation_reason)
          select ${realmId}::bigint, i.id, '8' || lpad(n::text, 18, '0'), gen_random_uuid(), 'user', ${userId}::bigint, 'device',
                 'Windows', 'bench@mail.example', decode(repeat('30', 700), 'hex'), sha256(('earlier ' || n)::bytea),
                 now(), now(), now() + interval '1 year', now(), 5
            from generate_series(${from}::integer, ${from}::integer + ${Math.min(part, count - from)}::integer - 1) as n
            join issuers i on i.realm_id = ${realmId}::bigint and i.issuing
          returning id
        )
        insert into revocations (certificate_id, revoked_at, reason) select id, now(), 5 from revoked
      `);
    });
  }
  for (const table of ["certificates", "revocations"]) {
    await db.query(verbatim(`vacuum (analyze) ${table}`));
  }
}
