import type { Database, Db } from "../../client.ts";
import { isRadiusServer } from "../../rules.ts";
import { sql, type Sql } from "../../sql.ts";

/** The ways to check the status of certificates. */
export const askedFor = ["ocsp", "crl"] as const;
export type AskedFor = (typeof askedFor)[number];

/** An address that requested status from an issuer. */
export interface StatusAsker {
  issuerId: string;
  address: string;
  at: Date;
}

/** How many addresses are kept for each issuer and kind. */
export const askersMax = 64;

/**
 * An address silent for this long can be replaced by another address. A RADIUS server can replace any address that is
 * not a RADIUS server's.
 */
export const silentHours = 24;

/**
 * Records addresses that requested status. Beyond {@link askersMax}, a new address replaces an old one or is dropped.
 */
export async function record(
  db: Pick<Database, "query" | "transaction">,
  { kind, askers }: { kind: AskedFor; askers: readonly StatusAsker[] },
): Promise<void> {
  const known = await db.query<{ issuerId: string; address: string }>(sql`
    with free as (
      select s.issuer_id, s.kind, s.address, a.address as written, a.at
        from ${asRows(askers)}
        join status_askers s on s.issuer_id = a.issuer_id and s.kind = ${kind} and s.address = a.address::inet
         for no key update of s skip locked
    )
    update status_askers s
       set last_at = greatest(s.last_at, free.at)
      from free
     where s.issuer_id = free.issuer_id
       and s.kind = free.kind
       and s.address = free.address
    returning free.issuer_id as "issuerId", free.written as address
  `);
  const written = new Set(known.map(keyOf));
  const added = askers.filter((asker) => !written.has(keyOf(asker)));
  if (added.length > 0) await db.transaction((tx) => add(tx, { kind, askers: added }));
}

const keyOf = ({ issuerId, address }: Pick<StatusAsker, "issuerId" | "address">): string => `${issuerId} ${address}`;

const asRows = (askers: readonly StatusAsker[]): Sql => sql`
  unnest(${askers.map(({ issuerId }) => issuerId)}::bigint[], ${askers.map(({ address }) => address)}::text[],
         ${askers.map(({ at }) => at)}::timestamptz[]) as a (issuer_id, address, at)`;

/** Adds addresses one by one, in one process at a time, so the limit holds. */
async function add(tx: Db, { kind, askers }: { kind: AskedFor; askers: readonly StatusAsker[] }): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtext('status_askers'), 0)`);
  for (const { issuerId, address, at } of askers) {
    const inserted = await tx.query(sql`
      insert into status_askers (issuer_id, kind, address, first_at, last_at)
      select i.id, ${kind}, ${address}::inet, ${at}, ${at}
        from issuers i
       where i.id = ${issuerId}
         and (select count(*) from status_askers where issuer_id = ${issuerId} and kind = ${kind}) < ${askersMax}
      on conflict (issuer_id, kind, address) do update set last_at = greatest(status_askers.last_at, excluded.last_at)
      returning issuer_id
    `);
    if (inserted.length > 0) continue;
    await tx.query(sql`
      update status_askers
         set address = ${address}::inet, first_at = ${at}, last_at = ${at}
       where issuer_id = ${issuerId}
         and kind = ${kind}
         and address = (select s.address
                          from status_askers s
                          join issuers i on i.id = s.issuer_id
                          join realms r on r.id = i.realm_id
                         where s.issuer_id = ${issuerId}
                           and s.kind = ${kind}
                           and (s.last_at < ${at}::timestamptz - make_interval(hours => ${silentHours})
                                or (${isRadiusServer(sql`r`, sql`${address}::inet`)}
                                    and not ${isRadiusServer(sql`r`, sql`s.address`)}))
                         order by s.last_at
                         limit 1)
         and not exists (select from status_askers
                          where issuer_id = ${issuerId} and kind = ${kind} and address = ${address}::inet)
    `);
  }
}

/** The status checks by a realm's RADIUS servers, as far as recorded. */
export interface RealmChecks {
  /** Addresses that requested status within a day. */
  servers: number;
  /** The time of the last check; null: none is recorded. */
  lastAt: Date | null;
}

export async function ofRealm(db: Db, { realmId, at }: { realmId: string; at: Date }): Promise<RealmChecks> {
  const rows = await db.query<RealmChecks>(sql`
    select count(distinct s.address)
             filter (where s.last_at > ${at}::timestamptz - make_interval(hours => ${silentHours}))::integer as servers,
           max(s.last_at) as "lastAt"
      from issuers i
      join realms r on r.id = i.realm_id
      join status_askers s on s.issuer_id = i.id
     where i.realm_id = ${realmId}
       and ${isRadiusServer(sql`r`, sql`s.address`)}
  `);
  return rows[0] ?? { servers: 0, lastAt: null };
}
