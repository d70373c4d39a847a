import { z } from "zod";
import {
  actedByKinds,
  diagnosisCodes,
  diagnosisText,
  nextSteps,
  noteText,
  personNotes,
  revokedHow,
  type Diagnosis,
  type PersonNote,
} from "../../../domain/certificate/diagnosis.ts";
import { DeviceType } from "../../../domain/certificate/device.ts";
import { profileKinds } from "../../../domain/certificate/profile.ts";
import { RevocationReason } from "../../../domain/certificate/revocation.ts";
import { PersonView } from "./person-view.ts";
import { Timestamp } from "./timestamp.ts";

/** The actor of an action. */
export const ActedByView = z
  .object({
    kind: z
      .enum(actedByKinds)
      .describe("`owner`: the person concerned. `person`: another person. `service`: the service itself."),
    name: z.string().nullable().describe("null: not known, or the token lacks `user.read`."),
    userID: z.string().optional(),
    client_id: z.string().optional(),
  })
  .meta({ id: "ActedBy" });
export type ActedByView = z.infer<typeof ActedByView>;

/** A person, with only the properties that the token may read. */
export const KnownPersonView = z
  .object({ userID: z.string(), ...PersonView.partial().shape, profileCount: z.int().optional() })
  .meta({ id: "KnownPerson", description: "Without the scope `user.read` only the `userID`." });
export type KnownPersonView = z.infer<typeof KnownPersonView>;

export const DiagnosisView = z
  .object({
    code: z.enum(diagnosisCodes),
    serial: z.string().nullable().describe("The profile that it is about; null: the person."),
    since: Timestamp.nullable(),
    text: z.string().describe("A sentence in English, times in UTC."),
    detail: z
      .object({
        at: Timestamp,
        triedAt: Timestamp,
        by: ActedByView.pick({ kind: true, name: true }),
        reason: RevocationReason,
        serial: z.string(),
        error: z.string(),
        activeCount: z.int(),
      })
      .partial()
      .describe("The values in the text, for clients that translate it."),
    next: z.array(z.enum(nextSteps)),
  })
  .meta({ id: "Diagnosis" });
export type DiagnosisView = z.infer<typeof DiagnosisView>;

export function diagnosisView(diagnosis: Diagnosis): DiagnosisView {
  const { code, serial, since, detail, next } = diagnosis;
  const { at, triedAt, ...rest } = detail;
  return {
    code,
    serial,
    since: since?.toISOString() ?? null,
    text: diagnosisText(diagnosis),
    detail: {
      ...rest,
      ...(at !== undefined && { at: at.toISOString() }),
      ...(triedAt !== undefined && { triedAt: triedAt.toISOString() }),
    },
    next: [...next],
  };
}

/** A profile's activity on the network, without its owner. */
export const ProfileActivityView = z
  .object({
    serial: z.string(),
    kind: z.enum(profileKinds),
    name: z.string(),
    deviceType: DeviceType.nullable(),
    state: z.enum(["active", "revoked", "expired"]),
    identity: z.string().describe("The identity that RADIUS servers log."),
    issuedAt: Timestamp,
    expiresAt: Timestamp,
    lastCheck: z
      .object({ at: Timestamp, result: z.enum(["good", "revoked"]) })
      .nullable()
      .describe("When a RADIUS server last asked about it; written at most once a minute."),
    firstCheckAt: Timestamp.nullable().describe("When one first asked about it; null also if that was not recorded."),
    firstRefusedAt: Timestamp.nullable().describe(
      "When one first got the answer that it is revoked; null also if that was not recorded.",
    ),
    otherCheckAt: Timestamp.nullable().describe(
      "When an address that the realm does not name as a RADIUS server last asked about it; null: none did, or the realm names none.",
    ),
    realmChecks: z
      .object({ servers: z.int(), lastAt: Timestamp.nullable() })
      .describe(
        "Addresses of RADIUS servers that asked about any profile of the realm within a day, or fetched its revocation list.",
      ),
    deliveredAt: Timestamp.nullable(),
    delivery: z.enum(["fetched", "not_fetched", "unknown"]).describe("`unknown`: a bulk job created it, or it is old."),
    revocation: z
      .object({
        at: Timestamp,
        reason: RevocationReason,
        how: z.enum(revokedHow).nullable(),
        by: ActedByView.nullable(),
        auditID: z.string().nullable(),
      })
      .nullable(),
    app: z
      .object({ client_id: z.string(), name: z.string() })
      .nullable()
      .describe("The geteduroam app that fetched it; null: it came another way."),
    replaces: z.string().nullable(),
    replacedBy: z.string().nullable(),
    diagnosis: DiagnosisView,
  })
  .meta({ id: "ProfileActivity" });
export type ProfileActivityView = z.infer<typeof ProfileActivityView>;

/** A profile's activity on the network, with its owner. */
export const OwnedProfileActivityView = ProfileActivityView.extend({
  owner: KnownPersonView.nullable(),
  guestAccount: z
    .object({ id: z.string(), name: z.string(), state: z.enum(["active", "revoked", "expired"]) })
    .nullable(),
}).meta({ id: "OwnedProfileActivity" });

export const PersonNoteView = z
  .object({ code: z.enum(personNotes), since: Timestamp.nullable(), until: Timestamp.nullable(), text: z.string() })
  .meta({ id: "PersonNote" });
export type PersonNoteView = z.infer<typeof PersonNoteView>;

export const personNoteView = (
  code: PersonNote,
  { since = null, until = null }: { since?: Date | null; until?: Date | null } = {},
): PersonNoteView => ({
  code,
  since: since?.toISOString() ?? null,
  until: until?.toISOString() ?? null,
  text: noteText(code, { until }),
});
