import type { Database } from "../../db/client.ts";
import { DatabaseUnavailable } from "../../db/outage.ts";
import * as issuerKeys from "../../db/queries/issuer-keys.ts";
import type { SigningPool } from "../signing/pool.ts";

export interface Issuers {
  /** Sees to it that the signing threads have these issuers, reading new ones from the database. */
  ensure(issuerIds: readonly string[]): Promise<void>;
}

/** Issuers as they are needed, so that one made while workers run needs no restart. */
export function createIssuers({
  db,
  pool,
  publicationUrl,
}: {
  db: Database;
  pool: SigningPool;
  publicationUrl: string;
}): Issuers {
  const loaded = new Map<string, Promise<void>>();

  async function load(issuerId: string): Promise<void> {
    const [row] = await issuerKeys.listWithKeys(db, [issuerId]);
    if (row === undefined) throw new Error(`issuer ${issuerId} has no key here`);
    await pool.ensureIssuer({
      issuerId: row.id,
      certificate: row.certificate,
      chain: [row.certificate, ...row.chain.slice(0, -1)],
      encryptedKey: row.encryptedKey,
      urls: {
        crl: `${publicationUrl}/crl/${row.id}.crl`,
        ocsp: `${publicationUrl}/ocsp/${row.id}`,
        caIssuers: `${publicationUrl}/ca/${row.id}.cer`,
      },
    });
  }

  return {
    async ensure(issuerIds) {
      // Each load ends before anybody goes on: an issuer that fails must not let work begin that another is loaded for.
      const loads = await Promise.allSettled(
        [...new Set(issuerIds)].map((issuerId) => {
          const known = loaded.get(issuerId);
          if (known !== undefined) return known;
          const loading = load(issuerId);
          loaded.set(issuerId, loading);
          loading.catch(() => loaded.delete(issuerId));
          return loading;
        }),
      );
      const failures = loads.flatMap((load) => (load.status === "rejected" ? [load.reason as unknown] : []));
      if (failures.length > 0) throw failures.find((failure) => failure instanceof DatabaseUnavailable) ?? failures[0];
    },
  };
}
