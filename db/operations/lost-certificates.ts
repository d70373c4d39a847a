import { operatorActor } from "../../domain/audit/audit.ts";
import type { ProfileKind } from "../../domain/certificate/profile.ts";
import type { RevocationReason } from "../../domain/certificate/revocation.ts";
import { first, type Db } from "../client.ts";
import * as audit from "../queries/audit/audit-entries.ts";
import { sql } from "../sql.ts";
import * as revocations from "./revocations.ts";

/** Certificates by the serial numbers in them, whether or not a row knows of them: after a restore some are lost. */

/** What came of one serial number. `listed`: nothing is known of its certificate, and it is on the CRL. */
export type SerialOutcome = "revoked" | "listed" | "unchanged";

/**
 * Puts a serial number that no certificate here has on the CRL, and OCSP says that it is revoked: of its issuer; where that
 * is not said or not here, of all of the realm that have not ended, since nobody else has a number of so many random bits.
 * `notAfter`: when its certificate ends; default: when its issuer does. With an audit entry, where it was not there already. Call in a transaction.
 */
export async function list(
  tx: Db,
  {
    realmId,
    serialNumber,
    issuerId = null,
    issuanceId = null,
    notAfter = null,
    replayed,
    at,
  }: {
    realmId: string;
    serialNumber: string;
    issuerId?: string | null;
    issuanceId?: string | null;
    notAfter?: Date | null;
    replayed?: true;
    at: Date;
  },
): Promise<Exclude<SerialOutcome, "revoked">> {
  const listed = await tx.query<{ issuerId: string }>(sql`
    insert into abandoned_serial_numbers (issuer_id, serial_number, issuance_id, not_after, abandoned_at)
    select i.id, ${serialNumber}::text, ${issuanceId}::uuid, least(${notAfter}::timestamptz, i.not_after), ${at}
      from issuers i
     where i.realm_id = ${realmId}
       and i.not_after > ${at}
       and (i.id = ${issuerId}::bigint
            or not exists (select from issuers where realm_id = ${realmId} and id = ${issuerId}::bigint))
    on conflict do nothing
    returning issuer_id as "issuerId"
  `);
  if (listed.length === 0) return "unchanged";
  await audit.record(tx, {
    realmId,
    event: "serial_revoke",
    actor: operatorActor,
    at,
    properties: { serial: serialNumber, issuers: listed.map((row) => row.issuerId), ...(replayed && { replayed }) },
  });
  return "listed";
}

/** Revokes the certificate with a serial number of an issuer, or lists the number when nothing is known of it. Call in a transaction. */
export async function revoke(
  tx: Db,
  request: {
    realmId: string;
    issuerId: string;
    serialNumber: string;
    notAfter: Date | null;
    reason: RevocationReason;
    at: Date;
  },
): Promise<SerialOutcome> {
  const { realmId, issuerId, serialNumber, reason, at } = request;
  const found = first(
    await tx.query<{ kind: ProfileKind }>(
      sql`select kind from certificates where issuer_id = ${issuerId} and serial_number = ${serialNumber}`,
    ),
  );
  if (found === undefined) return list(tx, request);
  const outcome = await revocations.revoke(tx, {
    realmId,
    serialNumber,
    kind: found.kind,
    reason,
    actor: operatorActor,
    at,
  });
  return outcome === "revoked" ? "revoked" : "unchanged";
}

/** Whether an issuer has given this serial number to an OCSP responder, without which it answers nothing. */
export async function isOfResponder(
  db: Db,
  { issuerId, serialNumber }: { issuerId: string; serialNumber: string },
): Promise<boolean> {
  const rows = await db.query(
    sql`select from ocsp_responders where issuer_id = ${issuerId} and serial_number = ${serialNumber}`,
  );
  return rows.length > 0;
}
