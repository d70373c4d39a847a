import { z } from "zod";
import type { OnboardingSteps } from "../../../../db/queries/issuance/onboarding-steps.ts";
import { DeviceType } from "../../../../domain/certificate/device.ts";
import { Timestamp } from "../timestamp.ts";

/** How many requests for profiles reached each step, by device type. */
export const OnboardingPictureView = z
  .object({
    at: Timestamp.describe("When this was counted."),
    since: Timestamp.describe("Requests since then count: 30 days, or less if these have more than 100,000 profiles."),
    devices: z
      .array(
        z.object({
          deviceType: DeviceType.nullable(),
          asked: z.int().describe("Requests for a profile; the further numbers are of these."),
          made: z.int(),
          fetched: z.int().describe("The file was fetched, or the profile was seen; a bulk job records no fetches."),
          seen: z.int().describe("A RADIUS server asked about the profile."),
        }),
      )
      .describe("Most requests first."),
  })
  .meta({ id: "OnboardingPicture" });
export type OnboardingPictureView = z.infer<typeof OnboardingPictureView>;

export interface OnboardingPicture {
  at: Date;
  since: Date;
  devices: readonly (OnboardingSteps & { deviceType: DeviceType | null })[];
}

export const onboardingPictureView = ({ at, since, devices }: OnboardingPicture): OnboardingPictureView => ({
  at: at.toISOString(),
  since: since.toISOString(),
  devices: devices.map((device) => ({ ...device })),
});
