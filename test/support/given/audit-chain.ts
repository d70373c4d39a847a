import * as auditSeals from "../../../db/queries/audit/audit-seals.ts";
import { sql } from "../../../db/sql.ts";
import { createHeadSigner } from "../../../runtime/keys/audit-key.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { createHeadLog, sealAudit } from "../../../worker/upkeep/audit-sealing.ts";
import type { TestDatabase } from "../run/database.ts";
import { silentLog } from "../service/worker.ts";

/** Seals the waiting entries with this key, as a worker does. Waits if a worker is sealing some of them. */
export async function sealEntries(
  database: TestDatabase,
  { key, ...slice }: { key: string; slice?: number },
): Promise<void> {
  const db = database.open("realmpass_worker", { connectionsMax: 2 });
  const shared = { clock: systemClock, log: silentLog };
  const signer = await createHeadSigner(key);
  do {
    await sealAudit({ db, signer, headLog: createHeadLog(shared), onRefused: () => undefined, ...shared }, slice);
  } while ((await auditSeals.realmsWaiting(db)).length > 0);
}

/** Inserts entries by SQL, one per second, the last one a second ago; every tenth has microseconds. */
export async function insertEntries({ owner }: TestDatabase, realmId: string, count: number): Promise<void> {
  await owner.query(sql`
    insert into audit_entries (realm_id, at, event, user_id, client_id, properties)
    select ${realmId}, date_trunc('milliseconds', ${systemClock.now()}::timestamptz) - make_interval(secs => ${count} - n)
                       - case when n % 10 = 0 then interval '7 microseconds' else interval '0' end,
           case when n % 2 = 0 then 'user_lock' else 'user_unlock' end,
           case when n % 3 = 0 then n end, case when n % 5 = 0 then 'client-' || n % 7 end,
           jsonb_build_object('userID', n::text, 'before', jsonb_build_object('locked', n % 2 = 1),
                              'after', jsonb_build_object('locked', n % 2 = 0), 'name', 'Zoë "' || n || '"')
      from generate_series(1, ${count}::integer) n
  `);
}
