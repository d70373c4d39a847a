import { z } from "zod";
import { certificateFormats } from "../../certificate/format.ts";
import { deviceTypes } from "../../certificate/device.ts";
import { EmailAddress } from "../../people/email.ts";
import { cellFaults, noIdFault } from "./cell-faults.ts";
import { UserID, WrittenSerialNumber } from "../../ids.ts";
import { KnownPairwiseID, PairwiseID } from "../../people/pairwise-id.ts";
import { withoutEnds } from "../../text.ts";
import { ProfileName } from "../../certificate/profile.ts";
import { realmLimits } from "../../realm.ts";
import { jobColumns, neededColumns, profileColumns, type JobColumn } from "./columns.ts";
import type { JobKind } from "../job.ts";

/** The values of a row, which is about a person or a profile. */
export interface RowValues {
  userID: string | null;
  pairwiseID: string | null;
  email: string | null;
  maxProfiles: number | null;
  profileName: string | null;
  deviceType: string | null;
  format: string | null;
  serial: string | null;
}

export interface ReadRow {
  /** All null in a row that cannot be used. */
  values: RowValues;
  /** Why a row cannot be used: `maxProfiles: must be …`. */
  message: string | null;
}

/** A row as a job receives it. */
export interface ReceivedRow extends RowValues {
  position: number;
  /** The cells as uploaded, in the order of the job's columns. */
  input: readonly (string | null)[];
  /** Why the row cannot be used. */
  message: string | null;
}

/** Values by column, unchecked: the text of a table, or any JSON value. */
export type RowCells = ReadonlyMap<JobColumn, unknown>;

const nothing: RowValues = {
  userID: null,
  pairwiseID: null,
  email: null,
  maxProfiles: null,
  profileName: null,
  deviceType: null,
  format: null,
  serial: null,
};

const wholeNumber = `must be a whole number from 0 to ${realmLimits.maxProfiles}`;
const profileLimit = z.int(wholeNumber).min(0, wholeNumber).max(realmLimits.maxProfiles, wholeNumber);

/** Reads an id in a file. Rejects values that a spreadsheet or a database wrote in place of an id. */
const idInFile = (id: z.ZodType<string, string>) =>
  z
    .string()
    .superRefine((value, context) => {
      const fault = noIdFault(value);
      if (fault !== undefined) context.addIssue({ code: "custom", message: cellFaults[fault] });
    })
    .pipe(id);

const newId = idInFile(PairwiseID);

/** A schema for the text of each column. */
const readers = {
  userID: UserID,
  pairwiseID: idInFile(KnownPairwiseID),
  email: EmailAddress,
  maxProfiles: z
    .string()
    .regex(/^[0-9]{1,3}$/, { error: wholeNumber, abort: true })
    .transform(Number)
    .pipe(profileLimit),
  profileName: ProfileName,
  deviceType: z.enum(deviceTypes, `must be one of ${deviceTypes.join(", ")}`),
  format: z
    .string()
    .toLowerCase()
    .pipe(z.enum(certificateFormats, `must be one of ${certificateFormats.join(", ")}`)),
  serial: idInFile(WrittenSerialNumber),
} as const satisfies { [Column in JobColumn]: z.ZodType<RowValues[Column], string> };

/**
 * Returns the schema for a column. Only an onboarding creates people, so only an onboarding checks a pairwise id
 * against the rules for new ids.
 */
const readerOf = (kind: JobKind, column: JobColumn): z.ZodType =>
  kind === "onboarding" && column === "pairwiseID" ? newId : readers[column];

/**
 * Reads a row. Blanks around a value are removed, and an empty value is null. The row must identify a person or a
 * profile. If it has a name, device type or format for a profile, it must have all three.
 */
export function readRow(kind: JobKind, cells: RowCells): ReadRow {
  const values: Record<string, unknown> = { ...nothing };
  for (const column of jobColumns[kind]) {
    const value = valueOf(cells, column);
    if (value === undefined || value === null || value === "") continue;
    if (column === "email" && !namesByEmail(kind, cells)) continue;
    const ofNumber = column === "maxProfiles" && typeof value !== "string";
    if (typeof value !== "string" && !ofNumber) return unusable(column, "must be text");
    const reader: z.ZodType = ofNumber ? profileLimit : readerOf(kind, column);
    const parsed = reader.safeParse(value);
    if (!parsed.success) return unusable(column, parsed.error.issues[0]?.message ?? "is not valid");
    values[column] = parsed.data;
  }
  const read = values as unknown as RowValues;
  const missing = missingFrom(kind, read);
  return missing === undefined ? { values: read, message: null } : unusable(missing, "is missing");
}

function valueOf(cells: RowCells, column: JobColumn): unknown {
  const given = cells.get(column);
  if (typeof given !== "string") return given;
  return column === "profileName" ? given.trim() : withoutEnds(given);
}

/**
 * Whether the e-mail address of a row is used. An onboarding stores the address. Other jobs use the address only if no
 * other column identifies the person, or if a list without headings has the same text in each of these columns.
 */
function namesByEmail(kind: JobKind, cells: RowCells): boolean {
  if (kind === "onboarding") return true;
  const others = [valueOf(cells, "userID"), valueOf(cells, "pairwiseID")].filter(
    (value) => value !== undefined && value !== null && value !== "",
  );
  return others.every((value) => value === valueOf(cells, "email"));
}

const unusable = (where: string, reason: string): ReadRow => ({ values: nothing, message: `${where}: ${reason}` });

/** Returns the unusable row for input that is not a row: a line that is not JSON, or an array instead of an object. */
export const unreadableRow = (reason: string): ReadRow => ({ values: nothing, message: reason });

function missingFrom(kind: JobKind, values: RowValues): string | undefined {
  const needed: readonly JobColumn[] = neededColumns[kind];
  if (needed.every((column) => values[column] === null)) return needed.join(" or ");
  const absent = profileColumns.filter((column) => values[column] === null);
  return absent.length < profileColumns.length ? absent[0] : undefined;
}
