import { api, dataOf, type Schemas } from "../../../api/api-client.ts";
import { awaitIssuance } from "../../../api/await-issuance.ts";
import type { DeviceType } from "../../../../domain/certificate/device.ts";
import type { OfferedFormat } from "../../../../domain/certificate/offered-formats.ts";

export type CreatedProfile = Schemas["CreatedProfile"];

export interface ProfileRequest {
  name: string;
  deviceType: DeviceType;
  format: OfferedFormat;
}

/**
 * Creates a profile and waits until a worker has issued it, however long that takes. Throws if the service refuses the
 * request, issuing fails or the signal is aborted.
 */
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
  return "state" in answer ? awaitIssuance(answer.id, { isWanted, signal }) : answer;
}

const isWanted = (profile: object): profile is CreatedProfile => "deviceType" in profile && "owner" in profile;
