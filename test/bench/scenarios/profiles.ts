import type { KeyType } from "../../../domain/device.ts";
import { only } from "../../../db/client.ts";
import { sql } from "../../../db/sql.ts";
import { measure, type Measured } from "../load/index.ts";
import { addUsers } from "../service.ts";
import type { Run } from "./scenario.ts";

/** Profiles per user: few, so that neither the limit nor one user's row is in the way. */
const profilesPerUser = 4;

/** Creates profiles over HTTP, each of them answered with its PKCS#12, for users who have none yet. */
export async function createProfiles(
  { service, cleanup }: Run,
  { count, concurrency, keyType = "ec-p256" }: { count: number; concurrency: number; keyType?: KeyType },
): Promise<Measured> {
  const users = await addUsers(service, Math.ceil(count / profilesPerUser));
  const paths = users.map((id) => `/api/user/${id}/profiles/laptop`);
  const body = { format: "pkcs12", deviceType: "Windows", keyType };
  return measure(service, { method: "POST", paths, body, contains: '"data":"MI', count, concurrency }, cleanup);
}

/** Throws unless there are as many active certificates as there should be, all with keys and serial numbers of their own. */
export async function checkCertificates({ service: { db } }: Run, expected: number): Promise<void> {
  const found = only(
    await db.query<{ certificates: number; serials: number; keys: number; unsettled: number }>(sql`
      select count(*)::integer as certificates, count(distinct serial_number)::integer as serials,
             count(distinct spki_sha256)::integer as keys,
             (select count(*)::integer from issuances where status <> 'issued') as unsettled
        from certificates
       where revoked_at is null
         and not_after > now()
    `),
  );
  const { certificates, serials, keys, unsettled } = found;
  if (certificates !== expected || serials !== expected || keys !== expected || unsettled !== 0) {
    throw new Error(
      `expected ${expected} distinct active certificates and nothing else, found ${JSON.stringify(found)}`,
    );
  }
}
