import { answerOf, api } from "../../api/api-client.ts";
import { awaitIssuance, waitSeconds } from "../../api/await-issuance.ts";
import type { CreatedInfrastructureProfile } from "./infrastructure-profiles.ts";

export interface InfrastructureProfileCreation {
  name: string;
  description: string | null;
  format: "pkcs12" | "pem";
  validityMonths: number;
}

/**
 * Creates a profile and waits until it is issued. Throws the service's error if the service refuses the request or
 * issuing fails, and the signal's reason if the signal is aborted during the wait.
 */
export async function createInfrastructureProfile(
  { name, ...body }: InfrastructureProfileCreation,
  { key, signal }: { key: string; signal: AbortSignal },
): Promise<CreatedInfrastructureProfile> {
  const params = { path: { serialOrName: name }, header: { "Idempotency-Key": key, Prefer: `wait=${waitSeconds}` } };
  const answer = await answerOf(api.POST("/api/infrastructure-profile/{serialOrName}", { params, body }));
  return "state" in answer.data ? awaitIssuance(answer.data.id, { isWanted, signal }) : answer.data;
}

const isWanted = (profile: object): profile is CreatedInfrastructureProfile => "radiusCA" in profile;
