import type { IssuerID } from "../../../domain/ids.ts";
import { crlIntervalSecondsMin, crlOverdueShare, crlRenewalShare } from "../../../domain/lifetimes.ts";
import { first, type Db } from "../../client.ts";
import { sql, type Sql } from "../../sql.ts";

/** A CRL dated further ahead than this was signed with a wrong clock. */
const skewSecondsMax = 60;

/** The current time and the validity of CRLs, which decide whether a CRL is due. */
interface Due {
  at: Date;
  /** How long a CRL is valid, in hours. */
  validityHours: number;
}

const isDue = ({ at, validityHours }: Due) => sql`
  i.not_after > ${at}
  and (c.issuer_id is null
       or (c.published_at not between clock_timestamp() - make_interval(secs => ${crlIntervalSecondsMin}) and clock_timestamp()
           and (${at} >= c.this_update
                         + least(c.next_update - c.this_update, make_interval(hours => ${validityHours})) * ${crlRenewalShare}::double precision
                or ${at} < c.this_update - make_interval(secs => ${skewSecondsMax})
                or exists (select from crl_unpublished u where u.issuer_id = i.id)
                or exists (select from crl_pieces p where p.issuer_id = i.id and p.id > c.last_piece)
                or exists (select from crl_requests r where r.issuer_id = i.id))))`;

/** Tests whether the CRL `c` should have been replaced by this time. */
export const isOverdue = (c: Sql, at: Date): Sql => sql`
  ${at} >= ${c}.this_update + (${c}.next_update - ${c}.this_update) * ${crlOverdueShare}::double precision`;

/**
 * Returns unexpired issuers that need a new CRL: they have no CRL, or their CRL was not published within the last
 * {@link crlIntervalSecondsMin} seconds and a serial number waits to be listed, an operator requested a CRL, {@link
 * crlRenewalShare} of the validity has passed, or the CRL is dated in the future.
 */
export async function listDue(db: Db, due: Due): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select i.id
      from issuers i
      left join crls c on c.issuer_id = i.id
     where ${isDue(due)}
     order by i.id
  `);
  return rows.map(({ id }) => id);
}

export interface DueCrl {
  issuerId: IssuerID;
  realmId: string;
  /** The number of the next CRL. */
  number: string;
}

/**
 * Returns the data for the CRL that follows an issuer's current one; undefined if no new CRL is due. Numbers start from
 * the seconds since 1970, so they increase even when the database was restored from a backup.
 */
export async function findDue(tx: Db, { issuerId, ...due }: Due & { issuerId: string }): Promise<DueCrl | undefined> {
  return first(
    await tx.query<DueCrl>(sql`
      select i.id as "issuerId", i.realm_id as "realmId",
             greatest(c.number + 1, floor(extract(epoch from ${due.at}::timestamptz))::bigint) as number
        from issuers i
        left join crls c on c.issuer_id = i.id
       where i.id = ${issuerId}
         and ${isDue(due)}
    `),
  );
}

/**
 * Removes an operator's request for a CRL; the caller's transaction fulfils it. Returns whether there was a request.
 */
export async function takeRequest(tx: Db, issuerId: string): Promise<boolean> {
  const taken = await tx.query(sql`delete from crl_requests where issuer_id = ${issuerId} returning issuer_id`);
  return taken.length > 0;
}

export interface UnpublishedEntry {
  serialNumber: string;
  revokedAt: Date;
  reason: number | null;
  notAfter: Date;
}

/** Returns whether at least this many serial numbers wait for an issuer's CRL. */
export async function areUnpublished(
  tx: Db,
  { issuerId, count }: { issuerId: string; count: number },
): Promise<boolean> {
  const rows = await tx.query(sql`
    select from crl_unpublished where issuer_id = ${issuerId} order by id offset ${count - 1} limit 1
  `);
  return rows.length > 0;
}

/**
 * Removes the oldest serial numbers waiting for an issuer's CRL; the caller's transaction adds them to the CRL. Deletes
 * by ctid, which never changes here: any other way would read the whole of a long queue again for each slice.
 */
export const takeUnpublished = (
  tx: Db,
  { issuerId, limit }: { issuerId: string; limit: number },
): Promise<UnpublishedEntry[]> =>
  tx.query<UnpublishedEntry>(sql`
    delete from crl_unpublished
     where ctid = any(array(select ctid from crl_unpublished where issuer_id = ${issuerId} order by id limit ${limit}))
    returning serial_number as "serialNumber", revoked_at as "revokedAt", reason, not_after as "notAfter"
  `);

export interface PieceContent {
  week: number;
  notAfter: Date;
  entries: number;
  der: Buffer;
}

export interface Piece extends PieceContent {
  id: string;
}

/**
 * Returns the last piece of each of these weeks if that piece has room for more entries; with `published` false only
 * pieces that no CRL contains yet.
 */
export const listOpenPieces = (
  tx: Db,
  {
    issuerId,
    weeks,
    published,
    entriesMax,
  }: { issuerId: string; weeks: readonly number[]; published: boolean; entriesMax: number },
): Promise<Piece[]> =>
  tx.query<Piece>(sql`
    select p.id, p.week, p.not_after as "notAfter", p.entries, p.der
      from unnest(${weeks}::integer[]) as w (week)
     cross join lateral (
       select *
         from crl_pieces
        where issuer_id = ${issuerId}
          and week = w.week
        order by id desc
        limit 1) p
     where p.entries < ${entriesMax}
       and (${published}
            or p.id > coalesce((select last_piece from crls where issuer_id = ${issuerId}), 0))
  `);

/** Adds pieces, and removes the pieces that they continue. */
export async function addPieces(
  tx: Db,
  { issuerId, pieces }: { issuerId: string; pieces: readonly (PieceContent & { continues: string | null })[] },
): Promise<void> {
  await tx.query(sql`
    insert into crl_pieces (issuer_id, week, not_after, entries, der, continues)
    select ${issuerId}, week, not_after, entries, der, continues
      from unnest(${pieces.map(({ week }) => week)}::integer[],
                  ${pieces.map(({ notAfter }) => notAfter)}::timestamptz[],
                  ${pieces.map(({ entries }) => entries)}::integer[],
                  ${pieces.map(({ der }) => der)}::bytea[],
                  ${pieces.map(({ continues }) => continues)}::bigint[])
           with ordinality as p (week, not_after, entries, der, continues, position)
     order by position
  `);
  const continued = pieces.flatMap(({ continues }) => continues ?? []);
  if (continued.length === 0) return;
  await tx.query(sql`
    delete from crl_pieces where issuer_id = ${issuerId} and id = any(${continued}::bigint[])
  `);
}

/** Removes pieces whose certificates had all expired when the current CRL, which contains them, was published. */
export async function removeEndedPieces(tx: Db, issuerId: string): Promise<void> {
  await tx.query(sql`
    delete from crl_pieces p
     using crls c
     where p.issuer_id = ${issuerId}
       and c.issuer_id = ${issuerId}
       and p.id <= c.last_piece
       and p.not_after < c.this_update
  `);
}

/** Lists the pieces of an issuer's CRL, in order. */
export const listPieces = (tx: Db, issuerId: string): Promise<{ id: string; entries: number }[]> =>
  tx.query(sql`select id, entries from crl_pieces where issuer_id = ${issuerId} order by id`);

/** Returns the contents of pieces. */
export const readPieces = (
  db: Db,
  { issuerId, ids }: { issuerId: string; ids: readonly string[] },
): Promise<Pick<Piece, "id" | "der">[]> =>
  db.query(sql`select id, der from crl_pieces where issuer_id = ${issuerId} and id = any(${ids}::bigint[])`);

export interface NewCrl {
  issuerId: string;
  number: string;
  thisUpdate: Date;
  nextUpdate: Date;
  entries: number;
  size: number;
  tag: string;
  head: Uint8Array;
  /** The ids of the pieces, in order. */
  pieces: readonly string[];
  tail: Uint8Array;
}

/** Makes a CRL the current CRL of its issuer. */
export async function publish(tx: Db, crl: NewCrl): Promise<void> {
  await tx.query(sql`
    insert into crls (issuer_id, number, this_update, next_update, entries, size, tag, head, pieces, tail, last_piece)
    values (${crl.issuerId}, ${crl.number}, ${crl.thisUpdate}, ${crl.nextUpdate}, ${crl.entries}, ${crl.size}, ${crl.tag},
            ${crl.head}, ${crl.pieces}::bigint[], ${crl.tail},
            (select coalesce(max(id), 0) from crl_pieces where issuer_id = ${crl.issuerId}))
    on conflict (issuer_id) do update
       set number = excluded.number,
           this_update = excluded.this_update,
           next_update = excluded.next_update,
           published_at = excluded.published_at,
           entries = excluded.entries,
           size = excluded.size,
           tag = excluded.tag,
           head = excluded.head,
           pieces = excluded.pieces,
           tail = excluded.tail,
           last_piece = greatest(crls.last_piece, excluded.last_piece)
  `);
}

/** Requests a new CRL of each of these issuers from the workers. */
export async function request(db: Db, { issuerIds, at }: { issuerIds: readonly string[]; at: Date }): Promise<void> {
  await db.query(sql`
    insert into crl_requests (issuer_id, requested_at)
    select unnest(${issuerIds}::bigint[]), ${at}
    on conflict do nothing
  `);
}

export interface CrlState {
  issuerId: string;
  realmId: string;
  /** Null for an issuer that has no CRL yet. */
  crl: { number: string; thisUpdate: Date; nextUpdate: Date; entries: number; size: number } | null;
  /** `overdue`: {@link isOverdue}. `stale`: the CRL has expired. */
  standing: "current" | "overdue" | "stale" | "missing";
}

/** Returns the state of the CRL of each unexpired issuer. */
export async function listStates(db: Db, { at }: { at: Date }): Promise<CrlState[]> {
  const rows = await db.query<{
    issuerId: string;
    realmId: string;
    number: string | null;
    thisUpdate: Date;
    nextUpdate: Date;
    entries: number;
    size: string;
    standing: CrlState["standing"];
  }>(sql`
    select i.id as "issuerId", i.realm_id as "realmId", c.number, c.this_update as "thisUpdate",
           c.next_update as "nextUpdate", c.entries, c.size,
           case when c.issuer_id is null then 'missing'
                when ${at} >= c.next_update then 'stale'
                when ${isOverdue(sql`c`, at)} then 'overdue'
                else 'current'
           end as standing
      from issuers i
      left join crls c on c.issuer_id = i.id
     where i.not_after > ${at}
     order by i.id
  `);
  return rows.map(({ issuerId, realmId, standing, number, size, ...crl }) => ({
    issuerId,
    realmId,
    standing,
    crl: number === null ? null : { number, size: Number(size), ...crl },
  }));
}

/** Lists every issuer with the tag of its current CRL, if any, so a cache can be checked. */
export const listTags = (db: Db): Promise<{ issuerId: string; tag: string | null }[]> =>
  db.query(sql`select i.id as "issuerId", c.tag from issuers i left join crls c on c.issuer_id = i.id`);

/** Returns the beginning of an issuer's current CRL; undefined if the issuer has no CRL. */
export async function findHead(db: Db, issuerId: string): Promise<{ head: Buffer; publishedAt: Date } | undefined> {
  return first(
    await db.query<{ head: Buffer; publishedAt: Date }>(sql`
      select head, published_at as "publishedAt" from crls where issuer_id = ${issuerId}
    `),
  );
}

export interface StoredCrl {
  tag: string;
  number: string;
  thisUpdate: Date;
  nextUpdate: Date;
  head: Buffer;
  /** Ids, in order. */
  pieces: string[];
  tail: Buffer;
  /** The contents of the pieces that the caller did not know. */
  unknown: ReadonlyMap<string, Buffer>;
}

/**
 * Returns an issuer's current CRL, with the pieces that are not `known`, in one snapshot; undefined if the issuer has
 * no CRL.
 */
export async function find(
  db: Db,
  { issuerId, known }: { issuerId: string; known: readonly string[] },
): Promise<StoredCrl | undefined> {
  const rows = await db.query<Omit<StoredCrl, "unknown"> & { pieceId: string | null; der: Buffer }>(sql`
    with current as materialized (select * from crls where issuer_id = ${issuerId})
    select c.tag, c.number, c.this_update as "thisUpdate", c.next_update as "nextUpdate", c.head, c.pieces, c.tail,
           null as "pieceId", null as der
      from current c
     union all
    select null, null, null, null, null, null, null, p.id, p.der
      from current c
      join crl_pieces p on p.issuer_id = c.issuer_id and p.id = any(c.pieces) and p.id <> all(${known}::bigint[])
  `);
  const row = rows.find(({ pieceId }) => pieceId === null);
  if (row === undefined) return undefined;
  const { tag, number, thisUpdate, nextUpdate, head, pieces, tail } = row;
  const unknown = new Map(rows.flatMap(({ pieceId, der }) => (pieceId === null ? [] : [[pieceId, der]])));
  return { tag, number, thisUpdate, nextUpdate, head, pieces, tail, unknown };
}
