import { operatorActor } from "../../domain/audit/audit.ts";
import type { ProfileKind } from "../../domain/certificate/profile.ts";
import type { RevocationReason } from "../../domain/certificate/revocation.ts";
import { first, type Db } from "../client.ts";
import * as audit from "../queries/audit/audit-entries.ts";
import { sql } from "../sql.ts";
import * as revocations from "./revocations.ts";

/** Revokes certificates by serial number, with or without a row: a restore loses some rows. */

/** The outcome for one serial number. `listed`: its certificate is unknown, and the number has been put on the CRL. */
export type SerialOutcome = "revoked" | "listed" | "unchanged";

/**
 * Puts the serial number of an unknown certificate on the CRL, and OCSP reports it as revoked. The number is listed for
 * the given issuer or, if no issuer is given or the issuer is unknown here, for all issuers of the realm: with so many
 * random bits, no other certificate has this number. Expired issuers are left out. `notAfter`: when the certificate
 * expires; default and latest: when the issuer expires. Writes an audit entry unless nothing was added to the list.
 * Call in a transaction.
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

/**
 * Revokes the certificate with a serial number of an issuer, or lists the number when the certificate is unknown. Call
 * in a transaction.
 */
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

/**
 * Returns whether an issuer assigned this serial number to an OCSP responder's certificate. A responder cannot respond
 * without its certificate.
 */
export async function isOfResponder(
  db: Db,
  { issuerId, serialNumber }: { issuerId: string; serialNumber: string },
): Promise<boolean> {
  const rows = await db.query(
    sql`select from ocsp_responders where issuer_id = ${issuerId} and serial_number = ${serialNumber}`,
  );
  return rows.length > 0;
}
