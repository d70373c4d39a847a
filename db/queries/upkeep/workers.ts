import { only, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** A worker that was not seen for longer than this counts as gone. */
export const workerSilenceSecondsMax = 15;

/** Says that this worker is alive. */
export async function heartbeat(db: Db, { workerId, at }: { workerId: string; at: Date }): Promise<void> {
  await db.query(sql`
    insert into workers (id, started_at, seen_at)
    values (${workerId}, ${at}, ${at})
    on conflict (id) do update set seen_at = excluded.seen_at
  `);
}

/** Forgets a worker that stops, and any that went away long ago without a word. */
export async function deregister(db: Db, { workerId, at }: { workerId: string; at: Date }): Promise<void> {
  await db.query(sql`delete from workers where id = ${workerId} or seen_at < ${at}::timestamptz - interval '1 hour'`);
}

/** How many workers are alive. */
export async function countAlive(db: Db, { at }: { at: Date }): Promise<number> {
  const rows = await db.query<{ alive: number }>(sql`
    select count(*)::integer as alive
      from workers
     where seen_at > ${at}::timestamptz - make_interval(secs => ${workerSilenceSecondsMax})
  `);
  return only(rows).alive;
}

/** Says that this worker is alive and where its OCSP listener is reached; null: it has none any more. */
export async function announceOcsp(
  db: Db,
  { workerId, ocspUrl, at }: { workerId: string; ocspUrl: string | null; at: Date },
): Promise<void> {
  await db.query(sql`
    insert into workers (id, started_at, seen_at, ocsp_url)
    values (${workerId}, ${at}, ${at}, ${ocspUrl})
    on conflict (id) do update set seen_at = excluded.seen_at, ocsp_url = excluded.ocsp_url
  `);
}

/** Where the OCSP listeners of the workers that are alive are reached. */
export async function listOcspUrls(db: Db, { at }: { at: Date }): Promise<string[]> {
  const rows = await db.query<{ ocspUrl: string }>(sql`
    select ocsp_url as "ocspUrl"
      from workers
     where ocsp_url is not null
       and seen_at > ${at}::timestamptz - make_interval(secs => ${workerSilenceSecondsMax})
     order by id
  `);
  return rows.map(({ ocspUrl }) => ocspUrl);
}
