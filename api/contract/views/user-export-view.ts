import { z } from "zod";
import { Role } from "../../../domain/people/roles.ts";
import { ConsentView } from "./consent-view.ts";
import { SessionView } from "./session-view.ts";
import { Timestamp } from "./timestamp.ts";
import { UserView } from "./user-view.ts";
import { UserVlanView } from "./user-vlan-view.ts";

const moment = Timestamp.nullable();

/** A profile of a user, active or ended, with its public data. */
export const ExportedProfileView = z
  .object({
    serial: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    deviceType: z.string().nullable(),
    identity: z.string(),
    authable: z.boolean(),
    creationTime: Timestamp,
    validFrom: Timestamp,
    expirationTime: Timestamp,
    revokeTime: moment,
    revokeReason: z.int().nullable(),
    firstOcsp: moment.describe("When the certificate's status was first asked for, if that was recorded."),
    firstRefusal: moment.describe("When the first answer was that it is revoked, if that was recorded."),
    lastOcsp: moment.describe(
      "When the certificate's status was last asked for; where the realm names its RADIUS servers, by one of them.",
    ),
    lastOtherOcsp: moment.describe("When somebody else than the realm's RADIUS servers last asked for it."),
    certificate: z.string().describe("PEM."),
  })
  .meta({ id: "ExportedProfile" });

/** A requested profile that was not issued, or is not issued yet. */
export const ExportedRequestView = z
  .object({
    state: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    deviceType: z.string().nullable(),
    csr: z.string().nullable(),
    creationTime: Timestamp,
    finishedAt: moment,
    error: z.string().nullable(),
  })
  .meta({ id: "ExportedRequest" });

/** A row of a bulk job about a user. */
export const ExportedJobRowView = z
  .object({
    job: z.string(),
    kind: z.string(),
    createdAt: Timestamp,
    row: z.int(),
    input: z.record(z.string(), z.string().nullable()).describe("The cells as uploaded, by column."),
    status: z.string(),
    error: z.string().nullable(),
    message: z.string().nullable(),
  })
  .meta({ id: "ExportedJobRow" });

/** An audit entry about something that the user did or that concerns them. */
export const ExportedActivityView = z
  .object({
    id: z.string(),
    date: Timestamp,
    event: z.string(),
    by: z.enum(["user", "other"]).describe("Whether the user did it. A user's data never names other people."),
    client: z.string().nullable(),
    properties: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("Null in entries about others, which the user made."),
  })
  .meta({ id: "ExportedActivity" });

/** All data held about a user. */
export const UserExportView = z
  .object({
    exportedAt: Timestamp,
    user: UserView.extend({ displayName: z.string().nullable(), administrator: z.boolean(), roles: z.array(Role) }),
    note: z.object({ note: z.string().nullable(), writtenAt: moment }).describe("Of staff on the user."),
    vlan: UserVlanView,
    signIn: z.object({
      username: z.string().nullable().describe("Of the local account; null: there is none."),
      identities: z.array(z.object({ issuer: z.string(), subject: z.string(), createdAt: Timestamp })),
      logins: z.array(z.object({ method: z.string(), signedInAt: Timestamp, expiresAt: Timestamp })),
      links: z.array(z.object({ createdAt: Timestamp, expiresAt: Timestamp, consumedAt: moment })),
      notPermittedSince: moment.describe(
        "When the realm first refused them because of the identity provider's claims; null: they may use it.",
      ),
    }),
    directory: z
      .object({
        connection: z.string().nullable().describe("The application through which it came; null: it was deleted."),
        userName: z.string(),
        externalId: z.string().nullable(),
        active: z.boolean().describe("The directory's last word."),
        attributes: z.record(z.string(), z.unknown()).describe("Attributes that the realm names, by path."),
        createdAt: Timestamp,
        updatedAt: Timestamp,
        deletedAt: moment,
      })
      .nullable()
      .describe("The directory's entry about them; null if no directory manages them."),
    sessions: z.array(SessionView),
    consents: z.array(ConsentView),
    handOvers: z.array(
      z.object({
        name: z.string(),
        deviceType: z.string(),
        createdAt: Timestamp,
        expiresAt: Timestamp,
        claimedAt: moment,
        pickedUpAt: moment,
        pickedUpBy: z.string().nullable(),
        app: z.string().nullable().describe("The app that fetches the file; null: self-service."),
      }),
    ),
    requests: z.array(ExportedRequestView),
    profiles: z.array(ExportedProfileView),
    jobRows: z.array(ExportedJobRowView),
    activity: z.array(ExportedActivityView),
  })
  .meta({ id: "UserExport" });
export type UserExportView = z.infer<typeof UserExportView>;
