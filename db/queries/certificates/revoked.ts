import { only, type Db } from "../../client.ts";
import { sql, unprepared } from "../../sql.ts";

/**
 * A transaction may commit a revocation this many seconds after the revocation's time: windows begin this much earlier.
 */
export const overlapSeconds = 60;

/** Older revocations are not returned. */
const hoursMax = 24;

/** A window of a realm's revocations. */
export interface RevokedWindow {
  realmId: string;
  /** The window contains revocations after this time, of every kind of profile. */
  after: Date;
}

export interface SeenWindow extends RevokedWindow {
  /** How many revocations the window contains. */
  lines: number;
  /** Whether one of these revocations is newer than the requested time, without the overlap. */
  hasNews: boolean;
  /** Whether the requested time is in the future, by more than clocks can differ. */
  isAhead: boolean;
}

/**
 * Returns the window of the revocations since an instant, at most {@link hoursMax} hours ago (default: now, by the
 * database's clock), and what the window contains. The window begins {@link overlapSeconds} before the instant.
 */
export async function look(
  db: Db,
  { realmId, since }: { realmId: string; since: Date | undefined },
): Promise<SeenWindow> {
  const seen = only(
    await db.query<Omit<SeenWindow, "realmId">>(
      unprepared(sql`
        with asked as materialized (
          select since, since - make_interval(secs => ${overlapSeconds}) as after,
                 since > now() + make_interval(secs => ${overlapSeconds}) as "isAhead"
            from (select greatest(coalesce(${since ?? null}::timestamptz, now()),
                                  now() - make_interval(hours => ${hoursMax})) as since) given
        )
        select asked.after, asked."isAhead", count(c.id)::integer as lines,
               coalesce(max(c.revoked_at) > asked.since, false) as "hasNews"
          from asked
          left join certificates c on c.realm_id = ${realmId} and c.revoked_at > asked.after
         group by asked.since, asked.after, asked."isAhead"
      `),
    ),
  );
  return { realmId, ...seen };
}

/**
 * Returns, for each of these windows in order, whether it contains more revocations than before. Revocations are never
 * undone.
 */
export const haveGrown = async (
  db: Db,
  windows: readonly Pick<SeenWindow, "realmId" | "after" | "lines">[],
): Promise<boolean[]> => {
  const rows = await db.query<{ hasGrown: boolean }>(sql`
    select (select count(*)
              from (select
                      from certificates c
                     where c.realm_id = w.realm_id
                       and c.revoked_at > w.after
                     order by c.revoked_at, c.id
                     limit w.lines + 1) found) > w.lines as "hasGrown"
      from unnest(${windows.map(({ realmId }) => realmId)}::bigint[], ${windows.map(({ after }) => after)}::timestamptz[],
                  ${windows.map(({ lines }) => lines)}::integer[]) with ordinality as w (realm_id, after, lines, place)
     order by w.place
  `);
  return rows.map(({ hasGrown }) => hasGrown);
};

export interface RevokedLine {
  id: string;
  identity: string;
  revokedAt: Date;
}

/**
 * Lists revocations of a window, oldest first, after the revocation with the id `behind`. Also returns when they were
 * read, by the database's clock.
 */
export async function list(
  db: Db,
  { realmId, after, behind, limit }: RevokedWindow & { behind: string | undefined; limit: number },
): Promise<{ at: Date; lines: RevokedLine[] }> {
  const start =
    behind === undefined
      ? sql``
      : sql`and (c.revoked_at, c.id) > (select last.revoked_at, last.id from certificates last where last.id = ${behind})`;
  const rows = await db.query<{ at: Date } & (RevokedLine | { id: null })>(sql`
    select read.at, c.id, c.identity, c.revoked_at as "revokedAt"
      from (select now() as at) read
      left join lateral (select c.id, c.identity, c.revoked_at
                           from certificates c
                          where c.realm_id = ${realmId}
                            and c.revoked_at > ${after}
                            ${start}
                          order by c.revoked_at, c.id
                          limit ${limit}) c on true
     order by c.revoked_at, c.id
  `);
  const [{ at } = { at: after }] = rows;
  return { at, lines: rows.filter((row): row is { at: Date } & RevokedLine => row.id !== null) };
}

/** Records that an application reads the feed, at most once a minute. */
export const noteReader = async (
  db: Db,
  { realmId, clientId }: { realmId: string; clientId: string },
): Promise<void> => {
  await db.query(sql`
    insert into revoked_feed_readers as known (client_id, realm_id, read_at)
    values (${clientId}, ${realmId}, now())
    on conflict (client_id) do update set read_at = excluded.read_at
     where known.read_at < excluded.read_at - interval '1 minute'
  `);
};

export interface FeedReader {
  clientId: string;
  name: string;
  readAt: Date;
  /** Whether the application's last read was longer ago than any reader waits. */
  isSilent: boolean;
}

/** A reader that has not read for this long is silent. */
const silentMinutes = 5;

/**
 * Lists the applications of a realm that have read the feed, except inactive applications and applications that may no
 * longer read it.
 */
export const listReaders = (db: Db, { realmId }: { realmId: string }): Promise<FeedReader[]> =>
  db.query<FeedReader>(sql`
    select r.client_id as "clientId", a.name, r.read_at as "readAt",
           r.read_at < now() - make_interval(mins => ${silentMinutes}) as "isSilent"
      from revoked_feed_readers r
      join applications a using (client_id)
     where r.realm_id = ${realmId}
       and a.active
       and 'radius.read' = any(a.scopes)
     order by r.client_id
  `);
