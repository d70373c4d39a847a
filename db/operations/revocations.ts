import type { Actor, AuditEvent } from "../../domain/audit/audit.ts";
import { revocationEvent, type ProfileKind } from "../../domain/certificate/profile.ts";
import { revocationReasons, type RevocationReason } from "../../domain/certificate/revocation.ts";
import { handOverFileMinutes, replacedDaysMax, replacedHours } from "../../domain/lifetimes.ts";
import { only, type Db } from "../client.ts";
import * as audit from "../queries/audit/audit-entries.ts";
import * as certificates from "../queries/certificates/certificates.ts";
import { isActive, isUnfetched, limitOf, replacedEnd } from "../rules.ts";
import { sql, type Sql } from "../sql.ts";

/** How many serial numbers an audit entry lists at most. */
export const serialsMax = 100;

/** The outcome of a revocation. A revoked profile stays as it is, and an unknown serial number changes nothing. */
export type RevocationOutcome = "revoked" | "already_revoked" | "not_found";

/** Revokes one profile permanently, with its audit entry. Call in a transaction. */
export async function revoke(
  tx: Db,
  request: {
    realmId: string;
    serialNumber: string;
    kind: ProfileKind;
    reason: RevocationReason;
    actor: Actor;
    at: Date;
  },
): Promise<RevocationOutcome> {
  const { realmId, serialNumber, kind, reason, actor, at } = request;
  const found = await certificates.findBySerialNumber(tx, { realmId, serialNumber, kind });
  if (found === undefined) return "not_found";

  const revoked = await tx.query(sql`
    insert into revocations (certificate_id, revoked_at, reason)
    values (${found.id}, ${at}, ${reason})
    on conflict (certificate_id) do nothing
    returning certificate_id
  `);
  if (revoked.length === 0) return "already_revoked";

  // A device's name can contain its user's name, and entries are never changed: entries about users' profiles omit the
  // device's name.
  const owner = found.userId === null ? { name: found.name } : { user: found.userId };
  const guestAccount = found.guestAccountId === null ? {} : { guestAccount: found.guestAccountId };
  await audit.record(tx, {
    realmId,
    event: revocationEvent[kind],
    actor,
    at,
    properties: { serial: serialNumber, ...owner, ...guestAccount, reason },
  });
  return "revoked";
}

/**
 * Revokes profiles of one kind permanently, all or none, with an audit entry for each that was not revoked before.
 * Returns the number of newly revoked profiles or, with nothing changed, the first serial number that the realm does
 * not have. Call in a transaction.
 */
export async function revokeMany(
  tx: Db,
  request: {
    realmId: string;
    serialNumbers: readonly string[];
    kind: ProfileKind;
    reason: RevocationReason;
    actor: Actor;
    at: Date;
  },
): Promise<{ outcome: "done"; revoked: number } | { outcome: "not_found"; serialNumber: string }> {
  const { realmId, serialNumbers, kind, reason, actor, at } = request;
  const found = await tx.query<Pick<certificates.Certificate, "id" | "serialNumber">>(sql`
    select id, serial_number as "serialNumber"
      from certificates
     where realm_id = ${realmId}
       and kind = ${kind}
       and serial_number = any(${serialNumbers}::text[])
  `);
  const known = new Set(found.map(({ serialNumber }) => serialNumber));
  const unknown = serialNumbers.find((serialNumber) => !known.has(serialNumber));
  if (unknown !== undefined) return { outcome: "not_found", serialNumber: unknown };

  const revoked = await revokeWhere(tx, sql`c.id = any(${found.map(({ id }) => id)}::bigint[])`, {
    reason,
    at,
    auditedAs: { event: revocationEvent[kind], actor },
  });
  return { outcome: "done", revoked: revoked.length };
}

/**
 * Revokes every active profile of users permanently, and returns the serial numbers. The caller writes the audit
 * entries. Call in a transaction, with the users offboarded, so no profile can be issued for them in the meantime.
 */
export const revokeAllOfUsers = (
  tx: Db,
  {
    realmId,
    userIds,
    ...revocation
  }: { realmId: string; userIds: readonly string[]; reason: RevocationReason; at: Date },
): Promise<string[]> =>
  revokeWhere(
    tx,
    sql`c.realm_id = ${realmId} and c.user_id = any(${userIds}::bigint[]) and ${isActive(sql`c`, revocation.at)}`,
    revocation,
  );

/**
 * Revokes every active profile of a guest account permanently, as {@link revokeAllOfUsers} does for users. Call with
 * the account's row locked.
 */
export const revokeAllOfGuestAccount = (
  tx: Db,
  {
    realmId,
    guestAccountId,
    ...revocation
  }: { realmId: string; guestAccountId: string; reason: RevocationReason; at: Date },
): Promise<string[]> =>
  revokeWhere(
    tx,
    sql`c.realm_id = ${realmId} and c.guest_account_id = ${guestAccountId} and ${isActive(sql`c`, revocation.at)}`,
    revocation,
  );

/**
 * Revokes users' profiles permanently for a bulk job, with an audit entry that names the job for each that was not
 * revoked before. Returns the serial numbers of these newly revoked profiles. Call in a transaction.
 */
export const revokeInJob = (
  tx: Db,
  {
    certificateIds,
    jobId,
    reason,
    actor,
    at,
  }: { certificateIds: readonly string[]; jobId: string; reason: RevocationReason; actor: Actor; at: Date },
): Promise<string[]> =>
  revokeWhere(tx, sql`c.id = any(${certificateIds}::bigint[])`, {
    reason,
    at,
    auditedAs: { event: revocationEvent.user, actor, jobId },
  });

/** How many profiles upkeep revokes in one statement. */
const slice = 1_000;

/**
 * Revokes profiles that outlive their guest account, because the account's end was moved to an earlier time after they
 * were issued; the audit entries have no actor. Returns their serial numbers, at most 1,000: call until the result is
 * empty.
 */
export const revokeOfExpiredGuests = (db: Db, { at }: { at: Date }): Promise<string[]> =>
  revokeWhere(
    db,
    sql`c.id in (select c.id
                 from guest_accounts g
                 join certificates c on c.guest_account_id = g.id
                where g.expires_at <= ${at}
                  and ${isActive(sql`c`, at)}
                limit ${slice})`,
    {
      reason: revocationReasons.cessationOfOperation,
      at,
      auditedAs: { event: revocationEvent.guest, actor: { userId: null, clientId: null } },
    },
  );

/**
 * Revokes replaced profiles that are due; the audit entries have no actor. Keeps a profile whose successor was revoked
 * and, for some days, a profile that is still used instead of its successor. Returns the serial numbers, at most 1,000:
 * call until the result is empty.
 */
export const revokeSuperseded = (db: Db, { at }: { at: Date }): Promise<string[]> =>
  revokeWhere(db, sql`c.id in (select c.id ${replacedAndDue(at)} and not ${isStillUsed(at)} limit ${slice})`, {
    reason: revocationReasons.superseded,
    at,
    auditedAs: { event: revocationEvent.user, actor: { userId: null, clientId: null } },
  });

/**
 * Counts replaced profiles that are due but stay valid for now, because devices use them instead of their successors.
 */
export async function countKeptReplaced(db: Db, { at }: { at: Date }): Promise<number> {
  const rows = await db.query<{ count: number }>(
    sql`select count(distinct c.id)::integer as count ${replacedAndDue(at)} and ${isStillUsed(at)}`,
  );
  return only(rows).count;
}

/** For this many days after it became due, a profile is still found if no worker was running. */
const dueDaysMax = 60;

/** Matches active profiles `c` that issuance `i` replaced by `successor` and that are due for revocation. */
const replacedAndDue = (at: Date): Sql => {
  const [latest, earliest] = [sql`${at}::timestamptz`, sql`${at}::timestamptz - make_interval(days => ${dueDaysMax})`];
  const early = sql`make_interval(hours => ${replacedHours})`;
  return sql`
    from issuances i
    join certificates c on c.id = i.renews_certificate_id
    join certificates successor on successor.issuance_id = i.id and successor.revoked_at is null
    join users u on u.id = i.user_id
    join realms r on r.id = u.realm_id
   where (i.replaced_ends_at <= ${latest} and i.replaced_ends_at > ${earliest}
          or i.beyond_limit and i.replaced_ends_at is null
             and i.finished_at <= ${latest} - ${early} and i.finished_at > ${earliest} - ${early})
     and ${isActive(sql`c`, at)}`;
};

/**
 * Tests whether the network has asked about the replaced profile `c` since the new file was sent, and never about the
 * successor: a phone may still use the old profile. Applies only for some days, and within the owner's limit.
 */
const isStillUsed = (at: Date): Sql => sql`
  (coalesce(c.last_ocsp_at > ${replacedEnd(sql`i`)} - make_interval(hours => ${replacedHours}), false)
   and successor.last_ocsp_at is null
   and ${replacedEnd(sql`i`)} > ${at}::timestamptz + make_interval(hours => ${replacedHours}, days => ${-replacedDaysMax})
   and ${limitOf(sql`u`, sql`r`)} >= (select count(*)
                                        from certificates held
                                       where held.user_id = i.user_id
                                         and ${isActive(sql`held`, at)}))`;

/**
 * Erases files of hand-overs that were not fetched within the time limit, and revokes their profiles, whose keys no
 * longer exist; the audit entries have no actor. A file that is being sent stays: sending updates its hand-over first.
 * Erases at most 1,000 files and returns their number, with the serial numbers: call until the number is 0. Call in a
 * transaction.
 */
export async function revokeUnfetched(tx: Db, { at }: { at: Date }): Promise<{ files: number; revoked: string[] }> {
  const erased = await tx.query<{ issuanceId: string }>(sql`
    with due as (
      select o.issuance_id
        from issuance_outputs o
        join hand_overs h on h.issuance_id = o.issuance_id
       where ${isUnfetched(sql`h`, sql`o`)}
         and o.job_id is null
         and o.created_at < ${at}::timestamptz - make_interval(mins => ${handOverFileMinutes})
       order by h.id
       limit ${slice}
         for update of h skip locked
    )
    update issuance_outputs o
       set sealed = null
      from due
     where o.issuance_id = due.issuance_id
    returning o.issuance_id as "issuanceId"
  `);
  const issuanceIds = erased.map(({ issuanceId }) => issuanceId);
  const revoked: string[] = [];
  for (const kind of ["user", "guest"] as const) {
    revoked.push(
      ...(await revokeWhere(
        tx,
        sql`c.issuance_id = any(${issuanceIds}::uuid[]) and c.kind = ${kind} and ${isActive(sql`c`, at)}`,
        {
          reason: revocationReasons.cessationOfOperation,
          at,
          auditedAs: { event: revocationEvent[kind], actor: { userId: null, clientId: null }, unfetched: true },
        },
      )),
    );
  }
  return { files: erased.length, revoked };
}

/** Revokes the unrevoked certificates `c` that meet the condition, with an audit entry for each if requested. */
async function revokeWhere(
  tx: Db,
  condition: Sql,
  {
    reason,
    at,
    auditedAs,
  }: {
    reason: RevocationReason;
    at: Date;
    auditedAs?: { event: AuditEvent; actor: Actor; jobId?: string; unfetched?: true };
  },
): Promise<string[]> {
  const audited =
    auditedAs &&
    sql`, audited as (
      insert into audit_entries (realm_id, at, event, user_id, client_id, properties)
      select u.realm_id, ${at}, ${auditedAs.event}, ${auditedAs.actor.userId}, ${auditedAs.actor.clientId},
             jsonb_strip_nulls(jsonb_build_object(
               'serial', u.serial_number, 'name', case when u.user_id is null then u.name end, 'user', u.user_id::text,
               'guestAccount', u.guest_account_id::text, 'reason', ${reason}::integer,
               'job', ${auditedAs.jobId ?? null}::text, 'unfetched', ${auditedAs.unfetched ?? null}::boolean))
        from unrevoked u
        join revoked r on r.certificate_id = u.id
       order by u.id
    )`;
  const rows = await tx.query<{ serialNumber: string }>(sql`
    with unrevoked as (
      select c.id, c.realm_id, c.serial_number, c.name, c.user_id, c.guest_account_id
        from certificates c
       where ${condition}
         and c.revoked_at is null
       order by c.id
    ), revoked as (
      insert into revocations (certificate_id, revoked_at, reason)
      select id, ${at}, ${reason}
        from unrevoked
       order by id
      on conflict (certificate_id) do nothing
      returning certificate_id
    )${audited ?? sql``}
    select u.serial_number as "serialNumber"
      from unrevoked u
      join revoked r on r.certificate_id = u.id
     order by u.id
  `);
  return rows.map(({ serialNumber }) => serialNumber);
}
