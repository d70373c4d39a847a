import type { ChainEnd, ChainedEntry } from "../../../domain/audit/chain.ts";
import { first, only, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";
import * as audit from "./audit-entries.ts";

/** The signed end of a realm's chain. */
export interface SignedHead {
  position: number;
  hash: string;
  /** Compact JWS (RFC 7515). */
  signature: string;
}

const headColumns = sql`position::float8 as position, encode(hash, 'hex') as hash, signature`;

/** Returns the realms with unsealed entries. */
export async function realmsWaiting(db: Db): Promise<string[]> {
  const rows = await db.query<{ realmId: string }>(
    sql`select distinct realm_id as "realmId" from audit_unsealed order by realm_id`,
  );
  return rows.map(({ realmId }) => realmId);
}

/** Returns how many entries of a realm are not sealed yet. */
export async function countWaiting(db: Db, realmId: string): Promise<number> {
  return only(
    await db.query<{ count: number }>(
      sql`select count(*)::integer as count from audit_unsealed where realm_id = ${realmId}`,
    ),
  ).count;
}

/**
 * Returns the date of a realm's first unsealed entry; undefined if every entry is sealed. Looks entries up by id: soon
 * after many were added, the planner chooses a join that reads all of them.
 */
export async function waitingSince(db: Db, realmId: string): Promise<Date | undefined> {
  const row = first(
    await db.query<{ at: Date }>(sql`
      select e.at
        from (select entry_id from audit_unsealed where realm_id = ${realmId} order by entry_id offset 0) as u
       cross join lateral (select at from audit_entries where id = u.entry_id offset 0) as e
       limit 1
    `),
  );
  return row?.at;
}

/**
 * Returns unsealed entries of a realm in the order they were recorded, and whether there are more. Reads ids first,
 * then their entries: just after many were added, the planner chooses a bad join. Skips ids whose entries are gone.
 */
export async function waiting(
  db: Db,
  { realmId, limit }: { realmId: string; limit: number },
): Promise<{ entries: ChainedEntry[]; more: boolean }> {
  for (let afterId = "0"; ;) {
    const found = await db.query<{ id: string }>(sql`
      select entry_id as id
        from audit_unsealed
       where realm_id = ${realmId}
         and entry_id > ${afterId}::bigint
       order by entry_id
       limit ${limit + 1}
    `);
    const ids = found.slice(0, limit).map(({ id }) => id);
    const more = found.length > limit;
    const entries = await db.query<ChainedEntry>(sql`
      select ${audit.chainedColumns}
        from audit_entries e
       where e.realm_id = ${realmId}
         and e.id = any(${ids}::bigint[])
       order by e.id
    `);
    if (entries.length > 0 || !more) return { entries, more };
    afterId = ids.at(-1) ?? afterId;
  }
}

/** Returns the latest head of a realm. */
export async function latestHead(db: Db, realmId: string): Promise<SignedHead | undefined> {
  return first(
    await db.query<SignedHead>(sql`
      select ${headColumns}
        from audit_heads
       where realm_id = ${realmId}
       order by position desc
       limit 1
    `),
  );
}

export interface Seal extends ChainEnd {
  entryId: string;
}

/** Seals entries. Throws a unique violation when a position or an entry is already sealed. Call in a transaction. */
export async function addSeals(tx: Db, { realmId, seals }: { realmId: string; seals: readonly Seal[] }): Promise<void> {
  const entryIds = seals.map(({ entryId }) => entryId);
  await tx.query(sql`
    insert into audit_seals (realm_id, position, entry_id, hash)
    select ${realmId}, s.position, s.entry_id, decode(s.hash, 'hex')
      from unnest(${seals.map(({ position }) => position)}::bigint[], ${entryIds}::bigint[],
                  ${seals.map(({ hash }) => hash)}::text[]) as s (position, entry_id, hash)
  `);
  await tx.query(sql`delete from audit_unsealed where realm_id = ${realmId} and entry_id = any(${entryIds}::bigint[])`);
}

export async function addHead(
  tx: Db,
  { realmId, position, hash, signature, at }: SignedHead & { realmId: string; at: Date },
): Promise<void> {
  await tx.query(sql`
    insert into audit_heads (realm_id, position, hash, sealed_at, signature)
    values (${realmId}, ${position}, decode(${hash}, 'hex'), ${at}, ${signature})
  `);
}

/** A seal; its entry's fields are null when the entry is gone. */
export interface SealRow extends Omit<ChainedEntry, "id"> {
  position: number;
  entryId: string;
  id: string | null;
  realm: string | null;
  hash: string;
}

/** Returns the seals between two positions of a realm's chain, whether or not their entries still exist. */
export const sealsBetween = (
  db: Db,
  { realmId, after, to }: { realmId: string; after: number; to: number },
): Promise<SealRow[]> =>
  db.query<SealRow>(sql`
    select s.position::float8 as position, s.entry_id as "entryId", encode(s.hash, 'hex') as hash, ${audit.chainedColumns}
      from audit_seals s
      left join ${audit.entryOf(sql`s.entry_id`)} on true
     where s.realm_id = ${realmId}
       and s.position > ${after}::bigint
       and s.position <= ${to}::bigint
     order by s.position
  `);

/** Returns the hashes between two positions of a realm's chain, by position. */
export async function hashesBetween(
  db: Db,
  { realmId, after, to }: { realmId: string; after: number; to: number },
): Promise<Map<number, string>> {
  const rows = await db.query<ChainEnd>(sql`
    select position::float8 as position, encode(hash, 'hex') as hash
      from audit_seals
     where realm_id = ${realmId}
       and position > ${after}::bigint
       and position <= ${to}::bigint
  `);
  return new Map(rows.map(({ position, hash }) => [position, hash]));
}

/** Returns the heads after one position of a realm's chain, up to and including another. */
export const headsBetween = (
  db: Db,
  { realmId, after, to }: { realmId: string; after: number; to: number },
): Promise<SignedHead[]> =>
  db.query<SignedHead>(sql`
    select ${headColumns}
      from audit_heads
     where realm_id = ${realmId}
       and position > ${after}::bigint
       and position <= ${to}::bigint
     order by position
  `);

/** Returns the last position of a realm's seals and heads. Seals and heads added later are beyond this position. */
export async function lastPosition(db: Db, realmId: string): Promise<number> {
  return only(
    await db.query<{ position: number }>(sql`
      select greatest((select max(position) from audit_seals where realm_id = ${realmId}),
                      (select max(position) from audit_heads where realm_id = ${realmId}), 0)::float8 as position
    `),
  ).position;
}

/** Returns the next position among a realm's seals and heads; undefined at the end. */
export async function nextPosition(
  db: Db,
  { realmId, after }: { realmId: string; after: number },
): Promise<number | undefined> {
  const { position } = only(
    await db.query<{ position: number | null }>(sql`
      select least((select min(position) from audit_seals where realm_id = ${realmId} and position > ${after}::bigint),
                   (select min(position) from audit_heads where realm_id = ${realmId} and position > ${after}::bigint)
                  )::float8 as position
    `),
  );
  return position ?? undefined;
}

/**
 * Returns entries of a realm that are neither sealed nor queued, and queued entries that do not exist: up to a limit
 * each.
 */
export async function findUnchained(
  db: Db,
  { realmId, limit }: { realmId: string; limit: number },
): Promise<{ unknown: string[]; lost: string[] }> {
  const [unknown, lost] = await Promise.all([
    db.query<{ id: string }>(sql`
      select e.id
        from audit_entries e
       where e.realm_id = ${realmId}
         and not exists (select from audit_seals s where s.entry_id = e.id and s.realm_id = e.realm_id)
         and not exists (select from audit_unsealed u where u.realm_id = e.realm_id and u.entry_id = e.id)
       order by e.id
       limit ${limit}
    `),
    db.query<{ id: string }>(sql`
      select u.entry_id as id
        from audit_unsealed u
       where u.realm_id = ${realmId}
         and not exists (select from audit_entries e where e.id = u.entry_id and e.realm_id = u.realm_id)
       order by u.entry_id
       limit ${limit}
    `),
  ]);
  return { unknown: unknown.map(({ id }) => id), lost: lost.map(({ id }) => id) };
}
