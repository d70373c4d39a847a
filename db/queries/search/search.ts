import type { ProfileKind } from "../../../domain/certificate/profile.ts";
import type { SearchText } from "../../../domain/people/search-text.ts";
import type { Database } from "../../client.ts";
import { tookTooLong } from "../../outage.ts";
import { all, beginningWith, containsWord, serialContains } from "../../page.ts";
import { isActive } from "../../rules.ts";
import { join, sql, unprepared, type Sql } from "../../sql.ts";
import * as certificates from "../certificates/certificates.ts";
import type { Certificate } from "../certificates/certificates.ts";
import * as applications from "../oauth/applications.ts";
import * as users from "../people/users.ts";

/** The rows of one statement are ranked afterwards: sorting in the statement would read every match. */
const rowsMax = 200;

const statementMsMax = 150;

/** The matches, and whether a statement exceeded its time. */
export interface Findings<Row> {
  rows: Row[];
  isLate: boolean;
}

export interface Search {
  realmId: string;
  searched: SearchText;
}

/**
 * Runs statements one after the other, each with its own time limit: a slow one takes no time from the others. Forces
 * index scans: for two frequent words the planner would read whole tables.
 */
async function findAll<Row extends object>(db: Database, statements: readonly Sql[]): Promise<Findings<Row>> {
  const findings: Findings<Row> = { rows: [], isLate: false };
  for (const statement of statements) {
    try {
      const [, rows = []] = await db.pipelined([
        sql`select set_config('statement_timeout', ${String(statementMsMax)}, true), set_config('enable_seqscan', 'off', true)`,
        unprepared(sql`${statement} limit ${rowsMax}`),
      ]);
      findings.rows.push(...(rows as Row[]));
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

/** Finds people with every word in their pairwise id, e-mail address or name, and the one with this id. */
export const findUsers = (
  db: Database,
  { realmId, searched, userId }: Search & { userId: string | undefined },
): Promise<Findings<FoundUser>> =>
  findAll<FoundUser>(db, [
    ...(userId === undefined
      ? []
      : [sql`select ${userColumns} from users u where u.realm_id = ${realmId} and u.id = ${userId}`]),
    ...users
      .spells(searched.whole)
      .map((isSpelled) => sql`select ${userColumns} from users u where u.realm_id = ${realmId} and ${isSpelled}`),
    sql`select ${userColumns} from users u
         where u.realm_id = ${realmId} and u.forgotten_at is null and ${users.mentions(searched.words)}`,
  ]);

/** Finds profiles of these kinds by serial number or identity, ended or not, and active ones also by name. */
export function findProfiles(
  db: Database,
  { realmId, searched, kinds, at }: Search & { kinds: readonly ProfileKind[]; at: Date },
): Promise<Findings<Certificate>> {
  const { digits, serials, identity, words } = searched;
  const found = (matching: Sql): Sql => sql`
    select ${certificates.columns}
      from certificates c
     where c.realm_id = ${realmId} and c.kind = any(${kinds}::text[]) and ${matching}`;
  return findAll<Certificate>(db, [
    ...(serials.length === 0 ? [] : [found(sql`c.serial_number = any(${serials}::text[])`)]),
    ...(digits === undefined
      ? []
      : [
          found(sql`c.serial_number like ${beginningWith(digits)}`),
          found(sql`reverse(c.serial_number) like ${beginningWith(Array.from(digits).reverse().join(""))}`),
          sql`select ${certificates.columns}
                from active_profiles a
                join certificates c on c.id = a.id
               where a.realm_id = ${realmId} and a.not_after > ${at} and ${serialContains(sql`a.serial_number`, digits)}
                 and c.kind = any(${kinds}::text[])`,
        ]),
    ...(identity === undefined ? [] : [found(identityBeginsWith(identity))]),
    found(sql`not c.lapsed and ${isActive(sql`c`, at)} and ${all(words.map(isInName))}`),
  ]);
}

/** A trigram index finds two characters only where a word begins; reading every name would take too long. */
function isInName(word: string): Sql {
  const name = sql`lower(c.name)`;
  if (Array.from(word).length > 2) return containsWord(name, word);
  const beginning = beginningWith(word.toLowerCase());
  const patterns = [beginning, `% ${beginning}`, `%-${beginning}`];
  return sql`(${join(
    patterns.map((pattern) => sql`${name} like ${pattern}`),
    sql` or `,
  )})`;
}

/** Identities are in lower case, except names of servers, which people write as they like. */
const identityBeginsWith = (beginning: string): Sql => {
  const spellings = [...new Set([beginning, beginning.toLowerCase()])];
  return sql`(${join(
    spellings.map((spelling) => sql`c.identity like ${beginningWith(spelling)}`),
    sql` or `,
  )})`;
};

export interface FoundGuestAccount {
  id: string;
  name: string;
  createdAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
}

/** Finds guest accounts with every word in their name, and the one with this id. */
export const findGuestAccounts = (
  db: Database,
  { realmId, searched, guestAccountId }: Search & { guestAccountId: string | undefined },
): Promise<Findings<FoundGuestAccount>> =>
  findAll<FoundGuestAccount>(db, [
    sql`select g.id, g.name, g.created_at as "createdAt", g.expires_at as "expiresAt", g.revoked_at as "revokedAt"
          from guest_accounts g
         where g.realm_id = ${realmId}
           and (${all(searched.words.map((word) => containsWord(sql`lower(g.name)`, word)))}
                ${guestAccountId === undefined ? sql`` : sql`or g.id = ${guestAccountId}`})`,
  ]);

export interface FoundApplication {
  clientId: string;
  name: string;
  type: "useragent" | "service";
  active: boolean;
  createdAt: Date;
}

/** Finds applications with every word in their name, and the one with this client id. */
export const findApplications = (db: Database, { realmId, searched }: Search): Promise<Findings<FoundApplication>> =>
  findAll<FoundApplication>(db, [
    sql`select a.client_id as "clientId", a.name, a.type, a.active, a.created_at as "createdAt"
          from applications a
         where a.realm_id = ${realmId}
           and ${applications.notTheConsole}
           and (${all(searched.words.map((word) => containsWord(sql`lower(a.name)`, word)))}
                or a.client_id = ${searched.whole})`,
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
