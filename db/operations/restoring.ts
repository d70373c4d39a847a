import { operatorActor, type AuditEvent } from "../../domain/audit/audit.ts";
import type { RevocationReason } from "../../domain/certificate/revocation.ts";
import type { Role } from "../../domain/people/roles.ts";
import { jobNotices, type JobState } from "../../domain/bulk-job/job.ts";
import type { Db } from "../client.ts";
import * as audit from "../queries/audit/audit-entries.ts";
import * as checks from "../queries/bulk-job/plan/check.ts";
import * as waiting from "../queries/bulk-job/plan/transitions.ts";
import * as running from "../queries/bulk-job/run/transitions.ts";
import * as staticTokens from "../queries/oauth/static-tokens.ts";
import * as userRoles from "../queries/people/user-roles.ts";
import * as users from "../queries/people/users.ts";
import { sql } from "../sql.ts";
import * as offboarding from "./offboarding.ts";
import * as roles from "./roles.ts";

/**
 * Prepares the service after a restore from a backup: no number is assigned twice, all sign-ins end, and lost removals
 * of access are replayed.
 */

/** How far sequences advance: more numbers than can have been assigned since any backup. */
const numbersSkipped = 1_000_000;

/**
 * Advances the sequences of users, guest accounts, issuers and everything else that is numbered, so no number assigned
 * in the lost time is assigned again. Ends all sessions, sign-in links, hand-overs and tokens other than static tokens:
 * they may have ended since the backup. Stops reactivations that have not ended. Writes `database_restore` into each
 * realm's audit log, with the last position of its chain. Needs the owner's rights. Call in a transaction.
 */
export async function markRestored(
  tx: Db,
  { at }: { at: Date },
): Promise<{ realmId: string; id: string; position: number }[]> {
  await tx.query(sql`
    select setval(s.name::regclass, coalesce(pg_sequence_last_value(s.name::regclass), 0) + ${numbersSkipped}::bigint)
      from (select pg_get_serial_sequence(format('%I.%I', n.nspname, c.relname), a.attname) as name
              from pg_attribute a
              join pg_class c on c.oid = a.attrelid
              join pg_namespace n on n.oid = c.relnamespace
             where n.nspname = 'public' and c.relkind = 'r' and a.attidentity <> '') s
  `);
  await tx.query(sql`delete from access_tokens`);
  await tx.query(sql`delete from authorization_codes`);
  await tx.query(sql`delete from sessions`);
  await tx.query(sql`delete from logins`);
  await tx.query(sql`delete from console_sessions`);
  await tx.query(sql`delete from sign_in_links`);
  await tx.query(sql`delete from hand_overs`);
  await tx.query(sql`delete from idempotency_keys`);
  await tx.query(sql`delete from upstream_attempts`);
  const restores = await tx.query<{ realmId: string; id: string; position: number }>(sql`
    insert into audit_entries (realm_id, at, event, properties)
    select r.id, ${at}, 'database_restore',
           jsonb_build_object('position', coalesce((select max(position) from audit_seals where realm_id = r.id), 0))
      from realms r
     order by r.id
    returning realm_id as "realmId", id, (properties->>'position')::float8 as position
  `);
  await stopReactivations(tx, { at });
  return restores;
}

/**
 * Lets no reactivation continue by itself: it would let in people who were offboarded in the lost time too. One that
 * has not begun waits for a user to start it, and one that runs is cancelled.
 */
async function stopReactivations(tx: Db, { at }: { at: Date }): Promise<void> {
  const jobs = await tx.query<{ id: string; realmId: string; kind: string; state: JobState }>(sql`
    select id, realm_id as "realmId", kind, state
      from jobs
     where finished_at is null
       and kind = 'reactivation'
       and state in ('checking', 'scheduled', 'queued', 'running')
     order by id
       for no key update
  `);
  for (const { id: jobId, realmId, kind, state } of jobs) {
    const job = { realmId, jobId, at };
    if (state === "checking") {
      await tx.query(sql`update jobs set dry_run = true where id = ${jobId}`);
    } else if (state === "running") {
      await running.toCancelling(tx, { ...job, actor: operatorActor });
      const properties = { job: jobId, kind, state };
      await audit.record(tx, { realmId, event: "job_cancel", actor: operatorActor, at, properties });
    } else {
      const found = await checks.findings(tx, jobId);
      await waiting.toReady(tx, { ...job, found, expectedChange: found.changed, notice: jobNotices.restored });
    }
  }
}

/**
 * Locks out a person whose devices were held when the lost time ended, with an audit entry; they keep their devices.
 * Returns false if they are already offboarded, or are not in the realm. Call in a transaction.
 */
export async function lockOutAgain(
  tx: Db,
  { realmId, userId, reason, at }: { realmId: string; userId: string; reason: RevocationReason; at: Date },
): Promise<boolean> {
  const found = await users.lock(tx, { realmId, userId });
  if (found?.offboardedAt !== null) return false;
  await offboarding.lockOut(tx, { realmId, userIds: [userId], jobId: null, at });
  await audit.record(tx, {
    realmId,
    event: "user_offboard",
    actor: operatorActor,
    at,
    properties: {
      userID: userId,
      reason,
      profiles: 0,
      serials: [],
      ...(found.roles.length > 0 && { roles: found.roles }),
      replayed: true,
    },
  });
  return true;
}

/**
 * Revokes a certificate with the date and reason of a lost entry, with an audit entry. Returns undefined when the realm
 * has no certificate with this serial number. Call in a transaction.
 */
export async function revokeAgain(
  tx: Db,
  {
    realmId,
    event,
    serialNumber,
    reason,
    revokedAt,
    at,
  }: { realmId: string; event: AuditEvent; serialNumber: string; reason: RevocationReason; revokedAt: Date; at: Date },
): Promise<"revoked" | "unchanged" | undefined> {
  const revoked = await tx.query<{ owner: Record<string, string> }>(sql`
    with revoked as (
      insert into revocations (certificate_id, revoked_at, reason)
      select id, ${revokedAt}, ${reason}
        from certificates
       where realm_id = ${realmId}
         and serial_number = ${serialNumber}
      on conflict (certificate_id) do nothing
      returning certificate_id
    )
    select jsonb_strip_nulls(jsonb_build_object(
             'name', case when c.user_id is null then c.name end, 'user', c.user_id::text,
             'guestAccount', c.guest_account_id::text)) as owner
      from revoked
      join certificates c on c.id = revoked.certificate_id
  `);
  const [found] = revoked;
  if (found === undefined) return (await isKnown(tx, { realmId, serialNumber })) ? "unchanged" : undefined;
  await audit.record(tx, {
    realmId,
    event,
    actor: operatorActor,
    at,
    properties: { serial: serialNumber, ...found.owner, reason, replayed: true },
  });
  return "revoked";
}

/** Returns whether the realm has a certificate with this serial number. */
export async function isKnown(
  db: Db,
  { realmId, serialNumber }: { realmId: string; serialNumber: string },
): Promise<boolean> {
  const rows = await db.query(
    sql`select from certificates where realm_id = ${realmId} and serial_number = ${serialNumber}`,
  );
  return rows.length > 0;
}

/** Locks a user, with the audit entry; "unchanged" if they are already locked. Call in a transaction. */
export async function lockAgain(
  tx: Db,
  { realmId, userId, at }: { realmId: string; userId: string; at: Date },
): Promise<"locked" | "unchanged" | "not_found"> {
  const user = await users.lock(tx, { realmId, userId });
  if (user === undefined) return "not_found";
  if (user.lockedAt !== null) return "unchanged";
  await users.setLockedAt(tx, { realmId, userId, lockedAt: at });
  await audit.record(tx, {
    realmId,
    event: "user_lock",
    actor: operatorActor,
    at,
    properties: { userID: userId, before: { locked: false }, after: { locked: true }, replayed: true },
  });
  return "locked";
}

/**
 * Removes roles from a user, assigned here or by the provider, with the audit entry. Returns false if the user does not
 * exist or lacks all these roles; throws as {@link roles.set} does. Roles from the identity provider return with the
 * next sign-in through it. Call in a transaction.
 */
export async function takeRolesAgain(
  tx: Db,
  { realmId, userId, taken, at }: { realmId: string; userId: string; taken: readonly Role[]; at: Date },
): Promise<boolean> {
  const before = await userRoles.lock(tx, { realmId, userId });
  if (before === undefined || !roles.heldRoles(before).some((role) => taken.includes(role))) return false;
  const stays = (role: Role): boolean => !taken.includes(role);
  const after = { given: before.given.filter(stays), fromProvider: before.fromProvider.filter(stays) };
  const change = { realmId, userId, before, after, source: "operator", actor: operatorActor, at } as const;
  await roles.set(tx, { ...change, replayed: true });
  return true;
}

/**
 * Deactivates an application, with the audit entry; returns false when it is already inactive or does not exist. Call
 * in a transaction.
 */
export async function switchOff(
  tx: Db,
  { realmId, clientId, at }: { realmId: string; clientId: string; at: Date },
): Promise<boolean> {
  const switched = await tx.query(sql`
    update applications
       set active = false
     where realm_id = ${realmId}
       and client_id = ${clientId}
       and active
    returning client_id
  `);
  if (switched.length === 0) return false;
  await recordUpdate(tx, { realmId, clientId, at, properties: { before: { active: true }, after: { active: false } } });
  return true;
}

/**
 * Removes the secrets of an application created before an instant, with the audit entry; returns false if there are no
 * such secrets. Call in a transaction.
 */
export async function removeSecretsBefore(
  tx: Db,
  { realmId, clientId, before, at }: { realmId: string; clientId: string; before: Date; at: Date },
): Promise<boolean> {
  const removed = await tx.query(sql`
    delete from application_secrets s
     using applications a
     where a.client_id = s.client_id
       and a.realm_id = ${realmId}
       and s.client_id = ${clientId}
       and s.created_at < ${before}
    returning s.client_id
  `);
  if (removed.length === 0) return false;
  await recordUpdate(tx, { realmId, clientId, at, properties: { removedSecrets: removed.length } });
  return true;
}

/**
 * Deletes a static token of an application, with the audit entry; returns false if no token has this id. Call in a
 * transaction.
 */
export async function deleteTokenAgain(
  tx: Db,
  { realmId, clientId, id, at }: { realmId: string; clientId: string; id: string; at: Date },
): Promise<boolean> {
  if (!(await staticTokens.remove(tx, { realmId, clientId, id }))) return false;
  await audit.record(tx, {
    realmId,
    event: "static_token_delete",
    actor: operatorActor,
    at,
    properties: { clientID: clientId, tokenID: id, replayed: true },
  });
  return true;
}

const recordUpdate = (
  tx: Db,
  { realmId, clientId, at, properties }: { realmId: string; clientId: string; at: Date; properties: object },
): Promise<void> =>
  audit.record(tx, {
    realmId,
    event: "client_update",
    actor: operatorActor,
    at,
    properties: { clientID: clientId, ...properties, replayed: true },
  });
