import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../../../../db/client.ts";
import { sql, type Sql } from "../../../../db/sql.ts";
import { systemClock } from "../../../../runtime/clock.ts";
import { purgeExpired } from "../../../../worker/upkeep/upkeep.ts";
import { useDatabase } from "../../../support/run/database.ts";
import { extent } from "../../../support/run/extent.ts";
import { givenRows, type GivenUser } from "../../../support/given/given.ts";
import { silentLog } from "../../../support/service/worker.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);

const minute = 60_000;
const day = 24 * 60 * minute;
const now = systemClock.now();
const fromNow = (ms: number): Date => new Date(now.getTime() + ms);

let worker: Database | undefined;
const tidyUp = (at = now): Promise<void> =>
  purgeExpired({ db: (worker ??= database.open("realmpass_worker")), clock: { now: () => at }, log: silentLog });

const rowsOf = async (statement: Sql): Promise<number> => {
  const [row] = await database.owner.query<{ count: number }>(
    sql`select count(*)::integer as count from (${statement}) as rows`,
  );
  return row?.count ?? 0;
};

let user: GivenUser;
beforeEach(async () => {
  user = await given.user({ realmId: await given.realm() });
});

/**
 * The kinds of rows that end at an instant, each with a function that makes a row and returns a statement that finds
 * the row.
 */
const kinds: readonly [string, (expiresAt: Date) => Promise<Sql>][] = [
  [
    "a login",
    async (expiresAt) => {
      await given.login(user);
      await database.owner.query(sql`update logins set expires_at = ${expiresAt} where user_id = ${user.id}`);
      return sql`select from logins where user_id = ${user.id}`;
    },
  ],
  [
    "a session",
    async (expiresAt) => {
      const { id } = await given.session({ user });
      await database.owner.query(sql`update sessions set expires_at = ${expiresAt} where id = ${id}`);
      return sql`select from sessions where id = ${id}`;
    },
  ],
  [
    "a sign-in that came back from the identity provider",
    async (expiresAt) => {
      const tokenHash = randomBytes(32);
      await database.owner.query(sql`
        insert into upstream_attempts (token_hash, realm_id, expires_at)
        values (${tokenHash}, ${user.realmId}, ${expiresAt})
      `);
      return sql`select from upstream_attempts where token_hash = ${tokenHash}`;
    },
  ],
  [
    "a draft of a sign-in",
    async (expiresAt) => {
      const { id, realmId } = await given.user({ realmId: await given.realm() });
      await database.owner.query(sql`
        insert into sign_in_drafts (realm_id, version, settings, found, updated_by, expires_at)
        values (${realmId}, gen_random_uuid(), '{}', '{}', ${id}, ${expiresAt})
      `);
      return sql`select from sign_in_drafts where realm_id = ${realmId}`;
    },
  ],
  [
    "a test of a sign-in",
    async (expiresAt) => {
      const rows = await database.owner.query<{ id: string }>(sql`
        insert into sign_in_tests (id, realm_id, user_id, expires_at)
        values (gen_random_uuid(), ${user.realmId}, ${user.id}, ${expiresAt})
        returning id
      `);
      return sql`select from sign_in_tests where id = ${rows[0]!.id}`;
    },
  ],
  [
    "a count of guesses",
    async (expiresAt) => {
      const key = randomBytes(32).toString("base64url");
      await database.owner.query(sql`
        insert into guesses (key, points, expire) values (${key}, 3, ${expiresAt.getTime()})
      `);
      return sql`select from guesses where key = ${key}`;
    },
  ],
  [
    "an access token",
    async (expiresAt) => {
      await given.token({ realmId: user.realmId, userId: user.id }, { expiresAt });
      return sql`select from access_tokens where user_id = ${user.id}`;
    },
  ],
];

describe.each(kinds)("%s", (_, make) => {
  test("is removed once it has ended", async () => {
    const found = await make(fromNow(-minute));
    expect(await rowsOf(found)).toBe(1);
    await tidyUp();
    expect(await rowsOf(found)).toBe(0);
  });

  test("stays until then", async () => {
    const found = await make(fromNow(minute));
    await tidyUp();
    expect(await rowsOf(found)).toBe(1);
    await tidyUp(fromNow(2 * minute));
    expect(await rowsOf(found)).toBe(0);
  });
});

test("counts of status requests are kept for 35 days", async () => {
  await database.owner.query(sql`
    insert into status_counts (realm_id, hour, address, good, refused, last_at)
    select ${user.realmId}, hour, '192.0.2.1', 1, 0, hour
      from generate_series(date_trunc('hour', ${now}::timestamptz) - interval '40 days', ${now}, interval '1 hour') as hour
  `);
  await tidyUp();
  const [kept] = await database.owner.query<{ hours: number; first: Date }>(sql`
    select count(*)::integer as hours, min(hour) as first from status_counts where realm_id = ${user.realmId}
  `);
  expect(kept?.first.getTime()).toBeGreaterThanOrEqual(now.getTime() - 35 * day);
  expect([35 * 24, 35 * 24 + 1]).toContain(kept?.hours);
});

test("counts of applications' requests are kept for 14 days", async () => {
  const { clientId } = await given.application({ realmId: user.realmId });
  await database.owner.query(sql`
    insert into application_requests (client_id, hour, status, requests)
    select ${clientId}, hour, 200, 1
      from generate_series(date_trunc('hour', ${now}::timestamptz) - interval '20 days', ${now}, interval '1 hour') as hour
  `);
  await tidyUp();
  const [kept] = await database.owner.query<{ first: Date }>(sql`
    select min(hour) as first from application_requests where client_id = ${clientId}
  `);
  expect(kept?.first.getTime()).toBeGreaterThanOrEqual(now.getTime() - 14 * day);
  expect(kept?.first.getTime()).toBeLessThan(now.getTime() - 14 * day + 60 * minute);
});

test("a session idle for 30 days is removed with its code and tokens; a session used since then stays", async () => {
  const [idle, used] = [await given.session({ user }), await given.session({ user })];
  const usedAt = (id: string, at: Date) =>
    database.owner.query(sql`update sessions set last_used_at = ${at} where id = ${id}`);
  await usedAt(idle.id, fromNow(-30 * day - minute));
  await usedAt(used.id, fromNow(-30 * day + minute));

  await tidyUp();

  for (const table of [sql`authorization_codes`, sql`refresh_tokens`, sql`access_tokens`]) {
    expect(await rowsOf(sql`select from ${table} where session_id = ${idle.id}`)).toBe(0);
    expect(await rowsOf(sql`select from ${table} where session_id = ${used.id}`)).toBe(1);
  }
  expect(await rowsOf(sql`select from sessions where id = ${idle.id}`)).toBe(0);
  expect(await rowsOf(sql`select from sessions where id = ${used.id}`)).toBe(1);
});

test("a session outlives the login that it started with", async () => {
  const { id } = await given.session({ user });
  await given.login(user);
  await database.owner.query(sql`
    update sessions set login_id = (select id from logins where user_id = ${user.id}) where id = ${id}
  `);
  await database.owner.query(sql`update logins set expires_at = ${fromNow(-minute)} where user_id = ${user.id}`);

  await tidyUp();

  expect(await rowsOf(sql`select from logins where user_id = ${user.id}`)).toBe(0);
  expect(await rowsOf(sql`select from sessions where id = ${id} and login_id is null`)).toBe(1);
});

test("an accumulated backlog is removed in one turn", async () => {
  await database.owner.query(sql`
    insert into guesses (key, points, expire)
    select 'piled up ' || n, 1, ${fromNow(-minute).getTime()}::bigint from generate_series(1, 12000) n
  `);
  await database.owner.query(sql`
    insert into logins (id, token_hash, realm_id, user_id, method, signed_in_at, expires_at)
    select gen_random_uuid(), sha256(n::text::bytea), ${user.realmId}, ${user.id}, 'local', ${fromNow(-day)},
           ${fromNow(-minute)}
      from generate_series(1, 6000) n
  `);
  const left = () =>
    Promise.all([
      rowsOf(sql`select from guesses where key like 'piled up %'`),
      rowsOf(sql`select from logins where user_id = ${user.id}`),
    ]);

  await tidyUp();
  expect(await left()).toEqual([0, 0]);
});

describe("collected private keys", () => {
  /** Makes this many outputs, made at this instant and, by default, collected at the same instant. */
  const givenCollected = async (count: number, at: Date, { collected = true } = {}): Promise<void> => {
    await database.owner.query(sql`
      with key as (
        insert into output_data_keys (id, wrapped, created_at) values (gen_random_uuid(), 'key', ${at}) returning id
      ), made as (
        insert into issuances (id, realm_id, kind, user_id, name, format, key_type, validity_months, created_at, status,
                               finished_at, error_code)
        select gen_random_uuid(), ${user.realmId}, 'user', ${user.id}, 'Laptop', 'pem', 'ec-p256', 12, ${at}, 'failed',
               ${at}, 'issuance_failed'
          from generate_series(1, ${count}::integer)
        returning id
      )
      insert into issuance_outputs (issuance_id, data_key_id, sealed, created_at, collected_at)
      select made.id, key.id, 'sealed', ${at}, ${collected ? at : null}::timestamptz from made, key
    `);
  };
  const sealed = () =>
    rowsOf(sql`
      select from issuance_outputs o join issuances i on i.id = o.issuance_id
       where i.user_id = ${user.id} and o.sealed is not null
    `);

  test("are erased after ten minutes, however many there are, in one turn", async () => {
    const count = extent(200_000, 0.06);
    // In portions, because statements of this login time out after some seconds.
    for (let left = count; left > 0; left -= 10_000) {
      await givenCollected(Math.min(left, 10_000), fromNow(-10 * minute - 1));
    }
    await givenCollected(3, fromNow(-9 * minute));

    await tidyUp();

    expect(await sealed()).toBe(3);
    await tidyUp(fromNow(2 * minute));
    expect(await sealed()).toBe(0);
  });

  test("are erased after a day if they are not collected", async () => {
    await givenCollected(2, fromNow(-day - minute), { collected: false });
    await givenCollected(1, fromNow(-day + minute), { collected: false });
    await tidyUp();
    expect(await sealed()).toBe(1);
    await tidyUp(fromNow(2 * minute));
    expect(await sealed()).toBe(0);
  });

  test("are erased even if a row due for removal is locked, and the next turn removes that row", async () => {
    await givenCollected(1, fromNow(-11 * minute));
    const { id } = await given.session({ user });
    await database.owner.query(sql`update sessions set expires_at = ${fromNow(-minute)} where id = ${id}`);
    const login = await kinds[0]![1](fromNow(-minute));

    await database.owner.transaction(async (tx) => {
      await tx.query(sql`select id from sessions where id = ${id} for update`);
      await expect(tidyUp()).rejects.toThrow(/lock timeout/);
      expect(await sealed()).toBe(0);
      expect(await rowsOf(login)).toBe(0);
    });

    await tidyUp();
    expect(await rowsOf(sql`select from sessions where id = ${id}`)).toBe(0);
  });
});

describe("expired certificates of OCSP responders", () => {
  /**
   * The margin before and after an end: the database compares with its own clock, and a slow run must not cross the
   * end.
   */
  const hour = 60 * minute;
  const counts = async () => ({
    ended: await rowsOf(sql`select from ocsp_responders where not_after < ${fromNow(-day)}`),
    others: await rowsOf(sql`select from ocsp_responders where not_after >= ${fromNow(-day)}`),
  });
  /** Makes this many responder certificates that ended at this instant. */
  const givenResponders = async (notAfter: Date, count = 1): Promise<void> => {
    await database.owner.query(sql`
      insert into ocsp_responders (issuer_id, serial_number, worker_id, public_key, not_before, not_after, created_at)
      select i.id, (extract(epoch from ${notAfter}::timestamptz)::bigint * 10000 + n)::text, gen_random_uuid(),
             uuid_send(gen_random_uuid()), ${notAfter}::timestamptz - interval '7 days', ${notAfter}, now()
        from issuers i
       cross join generate_series(1, ${count}::integer) as n
       where i.realm_id = ${user.realmId}
    `);
  };

  test("are forgotten a day after their end", async () => {
    await givenResponders(fromNow(-day - hour), 6_000);
    await givenResponders(fromNow(-day + hour));
    expect(await counts()).toEqual({ ended: 6_000, others: 1 });

    await tidyUp();
    expect(await counts()).toEqual({ ended: 0, others: 1 });
  });

  test("stay for that day, whatever a worker's clock shows and whatever a worker does", async () => {
    const before = await counts();
    await givenResponders(fromNow(hour));

    await tidyUp(fromNow(30 * day));

    expect(await counts()).toEqual({ ...before, others: before.others + 1 });
    for (const statement of [sql`delete from ocsp_responders`, sql`truncate ocsp_responders`])
      await expect(worker!.query(statement)).rejects.toMatchObject({ code: "42501" });
    expect(await counts()).toEqual({ ...before, others: before.others + 1 });
  });
});

test("while one worker runs upkeep, another worker does nothing", async () => {
  const found = await kinds[3]![1](fromNow(-minute));
  await database.owner.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(7246712)`);
    await tidyUp();
    expect(await rowsOf(found)).toBe(1);
  });
  await tidyUp();
  expect(await rowsOf(found)).toBe(0);
});
