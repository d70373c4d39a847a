import type { JobKind, JobState } from "../../../domain/bulk-job/job.ts";
import type { ProfileKind } from "../../../domain/certificate/profile.ts";
import type { SearchText } from "../../../domain/people/search-text.ts";
import type { Database } from "../../client.ts";
import { tookTooLong } from "../../outage.ts";
import { isActive } from "../../rules.ts";
import { sql, unprepared, type Sql } from "../../sql.ts";
import * as certificates from "../certificates/certificates.ts";
import type { Certificate } from "../certificates/certificates.ts";
import * as applications from "../oauth/applications.ts";
import * as matches from "../finding/matches.ts";

/**
 * How many rows one statement returns at most. They are ranked afterwards: sorting in the statement would read every
 * match.
 */
const rowsMax = 200;

const statementMsMax = 150;

/**
 * The matches, whether a statement exceeded its time limit, and whether a statement returned the most rows, so there
 * may be more matches.
 */
export interface Findings<Row> {
  rows: Row[];
  isLate: boolean;
  isFull: boolean;
}

export interface Search {
  realmId: string;
  searched: SearchText;
}

/**
 * Runs statements one after another, each with its own time limit, so a slow statement takes no time from the next
 * statements. Forces index scans: for two frequent words the planner would read whole tables.
 */
async function findAll<Row extends object>(db: Database, statements: readonly Sql[]): Promise<Findings<Row>> {
  const findings: Findings<Row> = { rows: [], isLate: false, isFull: false };
  for (const statement of statements) {
    try {
      const [, rows = []] = await db.pipelined([
        sql`select set_config('statement_timeout', ${String(statementMsMax)}, true), set_config('enable_seqscan', 'off', true)`,
        unprepared(sql`${statement} limit ${rowsMax}`),
      ]);
      findings.rows.push(...(rows as Row[]));
      findings.isFull ||= rows.length === rowsMax;
    } catch (error) {
      if (!tookTooLong(error)) throw error;
      findings.isLate = true;
    }
  }
  return findings;
}

export interface FoundUser {
  id: string;
  pairwiseId: string;
  email: string;
  displayName: string | null;
  createdAt: Date;
  lockedAt: Date | null;
  offboardedAt: Date | null;
  forgottenAt: Date | null;
}

const userColumns = sql`
  u.id, u.pairwise_id as "pairwiseId", u.email, u.display_name as "displayName", u.created_at as "createdAt",
  u.locked_at as "lockedAt", u.offboarded_at as "offboardedAt", u.forgotten_at as "forgottenAt"`;

/**
 * Finds people with every word in their pairwise id, e-mail address or name, people whose pairwise id is the whole text
 * in another spelling, and the person with this id.
 */
export const findUsers = (
  db: Database,
  { realmId, searched, userId }: Search & { userId: string | undefined },
): Promise<Findings<FoundUser>> =>
  findAll<FoundUser>(db, [
    ...(userId === undefined
      ? []
      : [sql`select ${userColumns} from users u where u.realm_id = ${realmId} and u.id = ${userId}`]),
    ...matches
      .spellsPerson(searched.whole)
      .map((isSpelled) => sql`select ${userColumns} from users u where u.realm_id = ${realmId} and ${isSpelled}`),
    sql`select ${userColumns} from users u
         where u.realm_id = ${realmId} and u.forgotten_at is null and ${matches.mentionsPerson(searched.words)}`,
  ]);

/** Finds profiles of these kinds, ended or not: see {@link matches.selectProfiles}. */
export const findProfiles = (
  db: Database,
  { realmId, searched, kinds, at }: Search & { kinds: readonly ProfileKind[]; at: Date },
): Promise<Findings<Certificate>> =>
  findAll<Certificate>(
    db,
    matches.selectProfiles(certificates.columns, { realmId, searched, kinds, at, digitsMin: 0 }),
  );

export interface FoundGuestAccount {
  id: string;
  name: string;
  createdAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
}

/** Finds guest accounts with every word in their name, and the account with this id. */
export const findGuestAccounts = (db: Database, { realmId, searched }: Search): Promise<Findings<FoundGuestAccount>> =>
  findAll<FoundGuestAccount>(db, [
    sql`select g.id, g.name, g.created_at as "createdAt", g.expires_at as "expiresAt", g.revoked_at as "revokedAt"
          from guest_accounts g
         where g.realm_id = ${realmId}
           and ${matches.ofGuestAccount(searched)}`,
  ]);

export interface FoundApplication {
  clientId: string;
  name: string;
  type: "useragent" | "service";
  active: boolean;
  createdAt: Date;
}

/** Finds applications with every word in their name, and the application with this client id. */
export const findApplications = (db: Database, { realmId, searched }: Search): Promise<Findings<FoundApplication>> =>
  findAll<FoundApplication>(db, [
    sql`select a.client_id as "clientId", a.name, a.type, a.active, a.created_at as "createdAt"
          from applications a
         where a.realm_id = ${realmId}
           and ${applications.notTheConsole}
           and ${matches.ofApplication(searched)}`,
  ]);

export interface FoundJob {
  id: string;
  kind: JobKind;
  name: string | null;
  state: JobState;
  createdAt: Date;
}

/** Finds bulk jobs with every word in their name, and the job with this id. */
export const findJobs = (db: Database, { realmId, searched }: Search): Promise<Findings<FoundJob>> =>
  findAll<FoundJob>(db, [
    sql`select j.id, j.kind, j.name, j.state, j.created_at as "createdAt"
          from jobs j
         where j.realm_id = ${realmId}
           and j.state <> 'receiving'
           and ${matches.ofJob(searched)}`,
  ]);

/** Counts the active profiles of each of these people. */
export const countProfiles = (
  db: Database,
  { realmId, userIds, at }: { realmId: string; userIds: readonly string[]; at: Date },
): Promise<{ userId: string; profileCount: number }[]> =>
  db.query(sql`
    select c.user_id as "userId", count(*)::integer as "profileCount"
      from certificates c
     where c.user_id = any(${userIds}::bigint[])
       and c.realm_id = ${realmId}
       and ${isActive(sql`c`, at)}
     group by c.user_id
  `);
