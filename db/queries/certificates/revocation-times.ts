import type { DeviceType } from "../../../domain/certificate/device.ts";
import type { Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** A revoked profile of a user, and when the network learned of the revocation. */
export interface RevocationTimes {
  serialNumber: string;
  name: string;
  deviceType: DeviceType | null;
  revokedAt: Date;
  /** When a CRL that lists the profile was first published; null: not yet, or not recorded. */
  listedAt: Date | null;
  /** When a RADIUS server first received the answer that the profile is revoked; null: not yet, or not recorded. */
  refusedAt: Date | null;
}

/** Lists the latest revocations of users' profiles, newest first. */
export const listLatest = (
  db: Db,
  { realmId, limit }: { realmId: string; limit: number },
): Promise<RevocationTimes[]> =>
  db.query<RevocationTimes>(sql`
    select c.serial_number as "serialNumber", c.name, c.device_type as "deviceType", c.revoked_at as "revokedAt",
           l.published_at as "listedAt", c.first_refused_at as "refusedAt"
      from (select *
              from certificates
             where realm_id = ${realmId}
               and kind = 'user'
               and revoked_at is not null
             order by revoked_at desc, id desc
             limit ${limit}) as c
      left join crl_listings l on l.issuer_id = c.issuer_id and l.serial_number = c.serial_number
     order by c.revoked_at desc, c.id desc
  `);
