import { sql } from "../../../db/sql.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { cpuBetween, cpuTotal } from "../cpu.ts";
import { figureOf, type Figure } from "../figures.ts";
import { openConnection, type Connection } from "../load/connection.ts";
import { largeRealm, seedRealm, smallerRealm } from "../seed.ts";
import type { Service } from "../service.ts";
import { figure, percentile } from "../statistics.ts";
import type { Scenario } from "./scenario.ts";

const requests = 40;
const concurrency = 2;
const goalMs = 50;
const dayMs = 24 * 60 * 60 * 1_000;

interface Question {
  /** `timeline of a person` */
  what: string;
  /** The paths. Each request uses a different path, so no result comes from the previous request's cache. */
  paths: readonly string[];
}

/** Measures the requests of a person's page and of the audit log, as during a call to the help desk. */
export const timeline: Scenario = {
  title: "What happened to somebody, in a large realm",
  about: `${largeRealm.users.toLocaleString("en-GB")} people, ${largeRealm.profiles.toLocaleString("en-GB")} profiles and twice as many audit entries, a twentieth of them by one administrator: ${requests} requests of each kind, at concurrency ${concurrency}.`,
  columns: ["question", "p50 ms", "p95 ms", "CPU µs each", "goal"],
  keptOnly: { columns: ["p50 ms", "CPU µs each"] },
  backends: ["postgres"],
  env: () => ({}),

  async run({ service, quick, cleanup }) {
    await seedRealm(service.db, service.realmId, quick ? smallerRealm : largeRealm);
    await recordProfiles(service);
    const connections = await Promise.all(Array.from({ length: concurrency }, () => openConnection(service.port)));
    cleanup.add(async () => {
      for (const connection of connections) connection.close();
      return Promise.resolve();
    });

    const rows: string[][] = [];
    const figures: Figure[] = [];
    const questions = await questionsAbout(service);
    // Sends each request once over each connection, so no measured request is the first.
    for (const { what, paths } of questions)
      await ask(connections, service, { what, paths: paths.slice(0, concurrency) });
    for (const question of questions) {
      const before = service.cpu();
      const latencies = await ask(connections, service, question);
      const cpuUs = cpuTotal(cpuBetween(before, service.cpu()));
      const [p50, p95] = [percentile(latencies, 0.5), percentile(latencies, 0.95)];
      figures.push(
        figureOf(question.what, "p50 ms", [p50], (ms) => ms),
        figureOf(question.what, "p95 ms", [p95], (ms) => ms),
        figureOf(question.what, "CPU µs each", [cpuUs], (us) => us / latencies.length),
      );
      rows.push([question.what, figure(p50), figure(p95), figure(cpuUs / latencies.length), `p95 < ${goalMs} ms`]);
    }
    return { rows, figures };
  },
};

/** Records the audit entries of the realm's profiles: most by the owners, a tenth by the first person in the realm. */
async function recordProfiles({ db, realmId }: Service): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(sql`set local session_replication_role = replica`);
    await tx.query(sql`set local synchronous_commit = off`);
    await tx.query(sql`
      insert into audit_entries (realm_id, at, event, user_id, properties)
      select c.realm_id, c.created_at,
             case c.kind when 'user' then 'profile_create' when 'guest' then 'guest_profile_create'
                         else 'infrastructure_profile_create' end,
             case when c.id % 10 = 0 then (select min(id) from users where realm_id = ${realmId}) else c.user_id end,
             jsonb_strip_nulls(jsonb_build_object(
               'serial', c.serial_number, 'user', c.user_id::text, 'guestAccount', c.guest_account_id::text,
               'deviceType', c.device_type, 'issuance', c.issuance_id, 'issuerID', c.issuer_id::text,
               'expirationTime', c.not_after))
        from certificates c
       where c.realm_id = ${realmId}
       order by c.id
    `);
  });
  await db.query(sql`vacuum (analyze) audit_entries`);
}

async function ask(connections: readonly Connection[], service: Service, { what, paths }: Question): Promise<number[]> {
  const latencies: number[] = [];
  let next = 0;
  await Promise.all(
    connections.map(async (connection) => {
      for (let index = next++; index < paths.length; index = next++) {
        const request = Buffer.from(
          `GET ${paths[index]} HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\nAuthorization: Bearer ${service.token}\r\n\r\n`,
        );
        const askedAt = performance.now();
        const { status, body } = await connection.ask(request);
        latencies.push(performance.now() - askedAt);
        if (status !== 200) throw new Error(`${what} was answered ${status}: ${body.slice(0, 300)}`);
        const { data } = JSON.parse(body) as { data: unknown[] | { profiles: unknown[] } };
        if ((Array.isArray(data) ? data : data.profiles).length === 0) throw new Error(`${what} has nothing in it`);
      }
    }),
  );
  return latencies.sort((a, b) => a - b);
}

/** Returns the requests about people, profiles and guest accounts of the realm. */
async function questionsAbout({ db, realmId }: Service): Promise<Question[]> {
  const profiles = await db.query<{ userId: string; serial: string }>(sql`
    select user_id as "userId", serial_number as serial
      from certificates
     where realm_id = ${realmId} and kind = 'user' and not lapsed and revoked_at is null
     order by md5(id::text)
     limit ${requests}
  `);
  const guestAccounts = await db.query<{ id: string }>(sql`
    select distinct guest_account_id as id
      from certificates
     where realm_id = ${realmId} and kind = 'guest'
     order by id desc
     limit ${requests}
  `);
  const [busy] = await db.query<{ id: string }>(sql`select min(id) as id from users where realm_id = ${realmId}`);
  const past = profiles.map((_, index) => new Date(systemClock.now().getTime() - index * dayMs).toISOString());
  const about = (what: string): string => `/api/audit?filter[about]=${encodeURIComponent(what)}`;
  return [
    { what: "activity of a person", paths: profiles.map(({ userId }) => `/api/user/${userId}/activity`) },
    { what: "timeline of a person", paths: profiles.map(({ userId }) => `/api/user/${userId}/timeline`) },
    {
      what: "timeline of the administrator, up to some day",
      paths: past.map((before) => `/api/user/${busy?.id}/timeline?before=${before}`),
    },
    { what: "audit log about a person", paths: profiles.map(({ userId }) => about(`user:${userId}`)) },
    { what: "audit log about a profile", paths: profiles.map(({ serial }) => about(`profile:${serial}`)) },
    { what: "audit log about a guest account", paths: guestAccounts.map(({ id }) => about(`guest:${id}`)) },
    {
      what: "audit log about a person and a profile",
      paths: profiles.map(({ userId }, index) => about(`user:${userId},profile:${profiles.at(-1 - index)?.serial}`)),
    },
  ];
}
