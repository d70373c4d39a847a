import { skewMsMax, skewMsNoticed } from "../../../runtime/clock.ts";
import type { ProcessKind } from "../../../domain/process.ts";
import { only, type Db } from "../../client.ts";
import { isHeldJob } from "../../rules.ts";
import { sql } from "../../sql.ts";
import * as crls from "../certificates/crls.ts";
import * as processes from "./processes.ts";

/** The state of the whole service, as the database shows it. */
export interface ServiceState {
  /** The migrations that were run. */
  migrations: string[];
  /** Whether the database accepts no writes, so that no process can report that it is alive. */
  isReadOnly: boolean;
  /** How many processes of each kind are alive; kinds without live processes are omitted. */
  alive: Partial<Record<ProcessKind, number>>;
  /** The versions of the live processes of each kind. */
  versions: { kind: ProcessKind; version: string }[];
  /**
   * Kinds of process that lack replacements: within the last hour, more processes fell silent without a clean stop than
   * live processes have started since the first of them fell silent.
   */
  silent: ProcessKind[];
  /**
   * Kinds of process that fall silent repeatedly: a process fell silent within the last hour, and so did another
   * process that had started afterwards.
   */
  fallingSilent: ProcessKind[];
  /** Whether the clock of a live process's machine differs from the database's by enough for a warning. */
  isSkewed: boolean;
  /** Whether a process got an error because the disk of Postgres is full. */
  isDiskFull: boolean;
  /** Issuing CAs for which workers are alive but none can sign. */
  withoutSigner: string[];
  /** Issuers whose CRL is missing or has expired. */
  crlEnded: string[];
  /** Issuers whose CRL is past half of its validity: it should have been replaced after a quarter. */
  crlOverdue: string[];
  /** Whether audit entries have waited to be sealed for longer than {@link waitSecondsMax}. */
  isAuditWaiting: boolean;
  /** Whether a single issuance has waited for longer than {@link waitSecondsMax}. */
  isIssuanceWaiting: boolean;
  /** Whether people whom a directory has deactivated wait for a person's decision. */
  isHeld: boolean;
}

/** Longer waits are reported; in seconds. */
export const waitSecondsMax = 60;

/** Reads the state of the whole service. Every part uses an index, or tables of few rows. */
export async function read(db: Db, { at }: { at: Date }): Promise<ServiceState> {
  return only(
    await db.query<ServiceState>(sql`
      with seen as materialized (
        select kind, version, problems, started_at, seen_at, abs(coalesce(clock_skew_ms, 0)) as skew,
               seen_at > clock_timestamp() - make_interval(secs => ${processes.silenceSecondsMax}) as alive
          from processes
         where seen_at > clock_timestamp() - interval '1 hour'
      ), lists as materialized (
        select i.id,
               c.issuer_id is null or ${at} >= c.next_update as ended,
               ${crls.isOverdue(sql`c`, at)} as overdue
          from issuers i
          left join crls c on c.issuer_id = i.id
         where i.not_after > ${at}
      )
      select array(select name from knex_migrations) as migrations,
             current_setting('transaction_read_only')::boolean as "isReadOnly",
             (select coalesce(jsonb_object_agg(kind, count), '{}')
                from (select kind, count(*) from seen where alive group by kind) as counted) as alive,
             array(select jsonb_build_object('kind', kind, 'version', version)
                     from seen
                    where alive
                    group by kind, version
                    order by kind, version) as versions,
             array(select s.kind
                     from seen s
                    where not s.alive
                    group by s.kind
                   having count(*) > (select count(*)
                                        from seen other
                                       where other.alive
                                         and other.kind = s.kind
                                         and other.started_at > min(s.seen_at))) as silent,
             array(select distinct s.kind
                     from seen s
                     join seen later on later.kind = s.kind and later.started_at > s.seen_at
                    where not s.alive
                      and not later.alive) as "fallingSilent",
             exists (select from seen where alive and skew > ${skewMsNoticed}) as "isSkewed",
             exists (select from seen where alive and problems @> '[{"code": "disk_full"}]') as "isDiskFull",
             array(select i.id
                     from issuers i
                    where i.issuing
                      and i.not_after > ${at}
                      and exists (select from seen where alive and kind = 'worker')
                      and not exists (select
                                        from seen
                                       where alive
                                         and kind = 'worker'
                                         and skew <= ${skewMsMax}
                                         and not problems @> jsonb_build_array(
                                               jsonb_build_object('code', 'issuer_away', 'detail', 'issuer ' || i.id)))
                    order by i.id) as "withoutSigner",
             array(select id from lists where ended order by id) as "crlEnded",
             array(select id from lists where overdue and not ended order by id) as "crlOverdue",
             exists (select
                       from realms r
                      cross join lateral (
                        select e.at
                          from (select entry_id from audit_unsealed where realm_id = r.id order by entry_id offset 0) as u
                         cross join lateral (select at from audit_entries where id = u.entry_id offset 0) as e
                         limit 1) oldest
                      where oldest.at < ${at}::timestamptz - make_interval(secs => ${waitSecondsMax})) as "isAuditWaiting",
             exists (select
                       from issuances
                      where status in ('queued', 'signing')
                        and batch_id is null
                        and created_at < ${at}::timestamptz - make_interval(secs => ${waitSecondsMax})
                    ) as "isIssuanceWaiting",
             exists (select from jobs j where ${isHeldJob(sql`j`)}) as "isHeld"
    `),
  );
}

/** When the oldest item of each kind began to wait; null: none waits. */
export interface Oldest {
  issuance: Date | null;
  revocation: Date | null;
  audit_entry: Date | null;
}

/** The numbers that monitoring of the whole service watches. */
export interface ServiceNumbers {
  /** Live processes of each kind, and processes that fell silent within the last hour and did not stop cleanly. */
  processes: { kind: ProcessKind; alive: number; silent: number }[];
  /**
   * When the oldest single issuance, the oldest unpublished revocation and the oldest unsealed audit entry began to
   * wait.
   */
  oldest: Oldest;
  /** Bulk jobs that have not finished, counted by kind and state. */
  jobs: { kind: string; state: string; count: number }[];
  /** Unexpired issuers. */
  issuers: { id: string; state: "issuing" | "prepared" | "publishing"; notAfter: Date }[];
}

/** Reads the numbers. Like {@link read}, it uses only indexes and tables of few rows. */
export async function readNumbers(db: Db, { at }: { at: Date }): Promise<ServiceNumbers> {
  const [seen, oldest, jobs, issuers] = await Promise.all([
    db.query<ServiceNumbers["processes"][number]>(sql`
      with seen as (
        select kind, seen_at > clock_timestamp() - make_interval(secs => ${processes.silenceSecondsMax}) as alive
          from processes
         where seen_at > clock_timestamp() - interval '1 hour'
      )
      select kind, count(*) filter (where alive)::integer as alive, count(*) filter (where not alive)::integer as silent
        from seen
       group by kind
    `),
    readOldest(db),
    db.query<ServiceNumbers["jobs"][number]>(sql`
      select kind, state, count(*)::integer as count from jobs where finished_at is null group by kind, state
    `),
    db.query<ServiceNumbers["issuers"][number]>(sql`
      select id, not_after as "notAfter",
             case when issuing then 'issuing'
                  when exists (select from issuers e where e.realm_id = issuers.realm_id and e.issuing and e.id < issuers.id)
                    then 'prepared'
                  else 'publishing' end as state
        from issuers
       where not_after > ${at}
    `),
  ]);
  return { processes: seen, oldest, jobs, issuers };
}

/** Reads since when the oldest single issuance, unpublished revocation and unsealed audit entry have waited. */
export async function readOldest(db: Db): Promise<Oldest> {
  return only(
    await db.query<Oldest>(sql`
      select (select min(created_at) from issuances where status in ('queued', 'signing') and batch_id is null) as issuance,
             (select min(first.revoked_at)
                from issuers i
               cross join lateral (select revoked_at from crl_unpublished where issuer_id = i.id order by id limit 1) first) as revocation,
             (select min(first.at)
                from realms r
               cross join lateral (
                 select e.at
                   from (select entry_id from audit_unsealed where realm_id = r.id order by entry_id offset 0) as u
                  cross join lateral (select at from audit_entries where id = u.entry_id offset 0) as e
                  limit 1) first) as audit_entry
    `),
  );
}

/** Other work that workers should have done by now. */
export interface Undone {
  /** When the oldest key of a responder began to wait for its certificate. */
  responderRequest: Date | null;
  /** Active bulk jobs that have not progressed since `since`. */
  jobs: string[];
}

export async function readUndone(db: Db, { since }: { since: Date }): Promise<Undone> {
  return only(
    await db.query<Undone>(sql`
      select (select min(requested_at) from responder_requests) as "responderRequest",
             array(select id
                     from jobs
                    where finished_at is null
                      and state in ('checking', 'running', 'cancelling')
                      and progress_at < ${since}
                    order by created_at) as jobs
    `),
  );
}
