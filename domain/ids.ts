import { z } from "zod";
import { readSerial } from "./serial-digits.ts";

/** The largest value of PostgreSQL's bigint. */
const bigintMax = 9_223_372_036_854_775_807n;

/** A decimal identifier: no sign, no leading zero, within bigint. On the wire it is a string, because it may exceed 2^53. */
const decimalId = z
  .string()
  .regex(/^[1-9][0-9]{0,18}$/, { error: "must be a decimal identifier", abort: true })
  .refine((value) => BigInt(value) <= bigintMax, "must be a decimal identifier");

export const RealmID = decimalId.brand("RealmID");
export type RealmID = z.infer<typeof RealmID>;

export const UserID = decimalId.brand("UserID");
export type UserID = z.infer<typeof UserID>;

export const GuestAccountID = decimalId.brand("GuestAccountID");
export type GuestAccountID = z.infer<typeof GuestAccountID>;

export const IssuerID = decimalId.brand("IssuerID");
export type IssuerID = z.infer<typeof IssuerID>;

/** Identifies an application: its `client_id` (RFC 6749 section 2.2). */
export const ClientID = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,64}$/)
  .brand("ClientID");
export type ClientID = z.infer<typeof ClientID>;

/** Identifies a session of a signed-in user: the `sid` claim. */
export const SessionID = z.uuid().toLowerCase().brand("SessionID");
export type SessionID = z.infer<typeof SessionID>;

/** Identifies one creation of a certificate. The id is random, so knowing one id reveals nothing about another. */
export const IssuanceID = z.uuid().brand("IssuanceID");
export type IssuanceID = z.infer<typeof IssuanceID>;

/** Identifies an entry of the audit log. */
export const AuditEntryID = decimalId.brand("AuditEntryID");
export type AuditEntryID = z.infer<typeof AuditEntryID>;

/** Identifies a test of a realm's sign-in. */
export const SignInTestID = z.uuid().brand("SignInTestID");

/** Identifies a static token of an application: its row, not the token itself. */
export const StaticTokenID = z.uuid().toLowerCase().brand("StaticTokenID");

/** Identifies a bulk job. */
export const BulkJobID = z.uuid().toLowerCase().brand("BulkJobID");
export type BulkJobID = z.infer<typeof BulkJobID>;

/**
 * A certificate's serial number (RFC 5280 section 4.1.2.2) in decimal: positive, with at most 48 digits, the most that
 * 20 octets need. Converts every spelling that {@link readSerial} accepts.
 */
export const SerialNumber = z
  .string()
  .overwrite((text) => readSerial(text) ?? text)
  .regex(/^[1-9][0-9]{0,47}$/, "must be a decimal serial number")
  .brand("SerialNumber");
export type SerialNumber = z.infer<typeof SerialNumber>;

/** A serial number in an uploaded file. If it is refused, the row shows the reason. */
export const WrittenSerialNumber = z
  .string()
  .transform((text) => readSerial(text) ?? "")
  .refine(
    (digits) => SerialNumber.safeParse(digits).success,
    "must be a serial number, decimal or in hexadecimal octets",
  );
