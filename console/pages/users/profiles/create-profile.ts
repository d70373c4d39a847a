import { api, ApiError, dataOf, type Schemas } from "../../../api/api-client.ts";
import type { DeviceType } from "../../../../domain/certificate/device.ts";
import type { OfferedFormat } from "../../../../domain/certificate/offered-formats.ts";

export type CreatedProfile = Schemas["CreatedProfile"];

export interface ProfileRequest {
  name: string;
  deviceType: DeviceType;
  format: OfferedFormat;
}

/** How long the service holds a request open. */
const waitSeconds = 20;

/** Creates a profile and waits until it is issued, however long that takes. */
export async function createProfile(
  userID: string,
  { name: profileName, deviceType, format }: ProfileRequest,
  { key, signal }: { key: string; signal: AbortSignal },
): Promise<CreatedProfile> {
  const answer = await dataOf(
    api.POST("/api/user/{userID}/profiles/{profileName}", {
      params: { path: { userID, profileName }, header: { "Idempotency-Key": key } },
      body: { deviceType, format },
      signal,
    }),
  );
  return "state" in answer ? awaitIssuance(answer.id, signal) : answer;
}

async function awaitIssuance(id: string, signal: AbortSignal): Promise<CreatedProfile> {
  for (;;) {
    const { state, profile, error } = await dataOf(
      api.GET("/api/issuances/{id}", {
        params: { path: { id }, header: { Prefer: `wait=${waitSeconds}` } },
        signal,
      }),
    );
    if (state === "failed") throw new ApiError(error?.error ?? "issuance_failed", error?.error_description ?? "");
    if (state === "issued" && profile !== null && "deviceType" in profile && "owner" in profile) return profile;
  }
}
