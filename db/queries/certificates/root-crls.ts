import { first, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** The current CRL of a root. */
export interface RootCrlRow {
  /** SHA-256 of the root's certificate, in hexadecimal. */
  fingerprint: string;
  number: string;
  thisUpdate: Date;
  nextUpdate: Date;
  /** How many issuing CAs the CRL lists. */
  entries: number;
  der: Buffer;
}

const columns = sql`
  encode(root_fingerprint, 'hex') as fingerprint, number, this_update as "thisUpdate", next_update as "nextUpdate", entries,
  der`;

/** Lists the CRLs of all roots. */
export const list = (db: Db): Promise<RootCrlRow[]> => db.query<RootCrlRow>(sql`select ${columns} from root_crls`);

/** Returns the CRL of a root; undefined if no CRL was published. */
export const find = async (db: Db, fingerprint: string): Promise<RootCrlRow | undefined> =>
  first(
    await db.query<RootCrlRow>(
      sql`select ${columns} from root_crls where root_fingerprint = decode(${fingerprint}, 'hex')`,
    ),
  );

/**
 * Makes a CRL its root's current one. Returns false if the current CRL is not the one that this CRL replaces: somebody
 * else has published a CRL in the meantime, and this CRL may lack its entries.
 */
export async function publish(
  tx: Db,
  crl: Omit<RootCrlRow, "entries" | "der"> & {
    entries: readonly unknown[];
    der: Uint8Array;
    /** The number of the CRL that this CRL replaces; null for a root's first CRL. */
    replaces: string | null;
  },
): Promise<boolean> {
  const published = await tx.query(sql`
    insert into root_crls (root_fingerprint, number, this_update, next_update, entries, der)
    values (decode(${crl.fingerprint}, 'hex'), ${crl.number}, ${crl.thisUpdate}, ${crl.nextUpdate}, ${crl.entries.length},
            ${crl.der})
    on conflict (root_fingerprint) do update
       set number = excluded.number,
           this_update = excluded.this_update,
           next_update = excluded.next_update,
           entries = excluded.entries,
           der = excluded.der
     where root_crls.number = ${crl.replaces}
    returning number
  `);
  return published.length > 0;
}
