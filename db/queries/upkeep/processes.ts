import type { Problem, ProcessKind } from "../../../domain/process.ts";
import { only, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** A process not seen for longer than this counts as gone. */
export const silenceSecondsMax = 15;

/** A process, as it reports itself. */
export interface Process {
  id: string;
  kind: ProcessKind;
  host: string;
  pid: number;
  version: string;
  /** The newest migration that the process's code knows. */
  migration: string;
  /** The queue that the process uses; null: none. */
  queue: string | null;
  connectionsMax: number;
  /** Where a responder serves OCSP; null for other processes. */
  ocspUrl: string | null;
  /** How far the clock of the process's machine is ahead of the database's, in milliseconds; null: not measured. */
  clockSkewMs: number | null;
  problems: readonly Problem[];
}

/** Reports that this process is alive, by the database's clock. */
export async function beat(db: Db, process: Process): Promise<void> {
  await db.query(sql`
    insert into processes (id, kind, host, pid, version, migration, queue, connections_max, ocsp_url, problems,
                           clock_skew_ms, started_at,
                           seen_at)
    values (${process.id}, ${process.kind}, ${process.host}, ${process.pid}, ${process.version}, ${process.migration},
            ${process.queue}, ${process.connectionsMax}, ${process.ocspUrl}, ${JSON.stringify(process.problems)},
            ${process.clockSkewMs},             clock_timestamp(), clock_timestamp())
    on conflict (id) do update set seen_at = excluded.seen_at, problems = excluded.problems,
                                   clock_skew_ms = excluded.clock_skew_ms
  `);
}

/** Removes a process that stops, and all processes that have been silent for more than an hour. */
export async function remove(db: Db, id: string): Promise<void> {
  await db.query(sql`
    delete from processes where id = ${id} or seen_at < clock_timestamp() - interval '1 hour'
  `);
}

/** Returns how far the clocks of the other live processes are ahead of the database's, in milliseconds. */
export async function listOtherSkews(db: Db, id: string): Promise<number[]> {
  const rows = await db.query<{ skewMs: number }>(sql`
    select clock_skew_ms as "skewMs"
      from processes
     where id <> ${id}
       and clock_skew_ms is not null
       and seen_at > clock_timestamp() - make_interval(secs => ${silenceSecondsMax})
  `);
  return rows.map(({ skewMs }) => skewMs);
}

/** Counts the live processes of a kind. */
export async function countAlive(db: Db, kind: ProcessKind): Promise<number> {
  const rows = await db.query<{ alive: number }>(sql`
    select count(*)::integer as alive
      from processes
     where kind = ${kind}
       and seen_at > clock_timestamp() - make_interval(secs => ${silenceSecondsMax})
  `);
  return only(rows).alive;
}

/** Returns the addresses of the live responders. */
export async function listOcspUrls(db: Db): Promise<string[]> {
  const rows = await db.query<{ ocspUrl: string }>(sql`
    select ocsp_url as "ocspUrl"
      from processes
     where ocsp_url is not null
       and seen_at > clock_timestamp() - make_interval(secs => ${silenceSecondsMax})
     order by id
  `);
  return rows.map(({ ocspUrl }) => ocspUrl);
}

/** The state of a process, for operators. */
export interface ProcessState {
  kind: ProcessKind;
  host: string;
  pid: number;
  version: string;
  /** How far the clock of the process's machine is ahead of the database's, in milliseconds; null: not measured. */
  clockSkewMs: number | null;
  /** The queue that the process uses; null: none. */
  queue: string | null;
  connectionsMax: number;
  alive: boolean;
  /** Seconds since the process was last seen, by the database's clock. */
  silentSeconds: number;
  problems: readonly { code: string; detail: string; since: string }[];
}

/** Lists the processes that have not stopped cleanly, alive or not. */
export const listStates = (db: Db): Promise<ProcessState[]> =>
  db.query<ProcessState>(sql`
    with seen as (
      select *, extract(epoch from clock_timestamp() - seen_at)::integer as seconds from processes
    )
    select kind, host, pid, version, clock_skew_ms as "clockSkewMs", queue,
           connections_max as "connectionsMax", seconds <= ${silenceSecondsMax} as alive,
           seconds as "silentSeconds", problems
      from seen
     order by kind, host, pid, started_at
  `);
