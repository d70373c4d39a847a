import { z } from "zod";
import type { Job } from "../../../../db/queries/bulk-job/jobs.ts";
import type { RevocationTimes } from "../../../../db/queries/certificates/revocation-times.ts";
import { jobKinds } from "../../../../domain/bulk-job/job.ts";
import { DeviceType } from "../../../../domain/certificate/device.ts";
import { Timestamp } from "../timestamp.ts";

/** The latest revocations, with the times at which the network learned of them. */
export const RevocationsPictureView = z
  .object({
    at: Timestamp.describe("When this was read."),
    revocations: z
      .array(
        z.object({
          serial: z.string(),
          name: z.string(),
          deviceType: DeviceType.nullable(),
          revokedAt: Timestamp,
          listedAt: Timestamp.nullable().describe(
            "When a revocation list with it was first published; null: not yet, or not recorded.",
          ),
          refusedAt: Timestamp.nullable().describe(
            "When a RADIUS server first got the answer that it is revoked; null: not yet, or not recorded.",
          ),
          job: z
            .object({ id: z.uuid(), kind: z.enum(jobKinds), name: z.string().nullable() })
            .nullable()
            .describe("The bulk job that revoked it, for tokens with `job.read`; null: none, or it is no longer kept."),
        }),
      )
      .describe("At most 50, the latest first."),
  })
  .meta({ id: "RevocationsPicture" });
export type RevocationsPictureView = z.infer<typeof RevocationsPictureView>;

export interface RevocationsPicture {
  at: Date;
  revocations: readonly RevocationTimes[];
  /** The bulk jobs that revoked the profiles, by serial number. */
  jobs: ReadonlyMap<string, Pick<Job, "id" | "kind" | "name">>;
}

export const revocationsPictureView = (
  { at, revocations, jobs }: RevocationsPicture,
  { showsJobs }: { showsJobs: boolean },
): RevocationsPictureView => ({
  at: at.toISOString(),
  revocations: revocations.map(({ serialNumber: serial, name, deviceType, revokedAt, listedAt, refusedAt }) => {
    const job = showsJobs ? jobs.get(serial) : undefined;
    return {
      serial,
      name,
      deviceType,
      revokedAt: revokedAt.toISOString(),
      listedAt: listedAt?.toISOString() ?? null,
      refusedAt: refusedAt?.toISOString() ?? null,
      job: job === undefined ? null : { id: job.id, kind: job.kind, name: job.name },
    };
  }),
});
