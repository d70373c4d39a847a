import { randomUUID } from "node:crypto";
import type { Database } from "../../../db/client.ts";
import { sql } from "../../../db/sql.ts";
import type { ErrorCode } from "../../../domain/errors.ts";
import { fromNow } from "./given.ts";

/** Returns functions that record what RADIUS servers and workers leave about profiles and realms. */
export const givenActivity = (owner: () => Database) => ({
  /** Records a check of a profile. */
  async check(serial: string, at: Date): Promise<void> {
    await owner().query(sql`update certificates set last_ocsp_at = ${at} where serial_number = ${serial}`);
  },

  /** Records a RADIUS server that asks the realm's issuer. */
  async asker(realmId: string, { address = "192.0.2.7", at = fromNow(0) }: { address?: string; at?: Date } = {}) {
    await owner().query(sql`
      insert into status_askers (issuer_id, kind, address, first_at, last_at)
      select id, 'ocsp', ${address}::inet, ${at}, ${at} from issuers where realm_id = ${realmId}
    `);
  },

  /** Records the issuance that made a profile, which can be a renewal of another. */
  async issuanceOf(serial: string, { renews }: { renews?: string } = {}): Promise<void> {
    await owner().query(sql`
      insert into issuances (id, realm_id, kind, user_id, name, device_type, format, key_type, validity_months, created_at,
                             status, issuer_id, serial_number, identity, not_before, not_after, finished_at,
                             renews_certificate_id)
      select c.issuance_id, c.realm_id, c.kind, c.user_id, c.name, c.device_type, 'pem', 'ec-p256', 12, c.created_at,
             'issued', c.issuer_id, c.serial_number, c.identity, c.not_before, c.not_after, c.created_at,
             (select id from certificates where serial_number = ${renews ?? null})
        from certificates c
       where c.serial_number = ${serial}
    `);
  },

  /** Records the file of a profile, fetched or not. */
  async output(serial: string, { collectedAt, jobId = null }: { collectedAt: Date | null; jobId?: string | null }) {
    const key = randomUUID();
    await owner().query(
      sql`insert into output_data_keys (id, wrapped, created_at) values (${key}, ${Buffer.from("x")}, now())`,
    );
    await owner().query(sql`
      insert into issuance_outputs (issuance_id, data_key_id, sealed, created_at, collected_at, job_id)
      select issuance_id, ${key}, null, created_at, ${collectedAt}, ${jobId} from certificates where serial_number = ${serial}
    `);
  },

  /** Records a failed issuance for a user. */
  async failure(user: { id: string; realmId: string }, { at, error }: { at: Date; error: ErrorCode }): Promise<void> {
    await owner().query(sql`
      insert into issuances (id, realm_id, kind, user_id, name, device_type, format, key_type, validity_months, created_at,
                             status, finished_at, error_code)
      values (${randomUUID()}, ${user.realmId}, 'user', ${user.id}, 'phone', 'iOS', 'pem', 'ec-p256', 12, ${at}, 'failed',
              ${at}, ${error})
    `);
  },
});
