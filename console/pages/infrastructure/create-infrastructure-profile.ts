import { answerOf, api, ApiError } from "../../api/api-client.ts";
import type { CreatedInfrastructureProfile } from "./infrastructure-profiles.ts";

export interface InfrastructureProfileCreation {
  name: string;
  description: string | null;
  format: "pkcs12" | "pem";
  validityMonths: number;
}

/** How long a request may stay open (RFC 7240 section 4.3). */
const wait = { Prefer: "wait=20" } as const;

/** Creates a profile and waits until it is issued. Throws the service's error if issuing fails. */
export async function createInfrastructureProfile(
  { name, ...body }: InfrastructureProfileCreation,
  key: string,
): Promise<CreatedInfrastructureProfile> {
  const params = { path: { serialOrName: name }, header: { "Idempotency-Key": key, ...wait } };
  const answer = await answerOf(api.POST("/api/infrastructure-profile/{serialOrName}", { params, body }));
  return "state" in answer.data ? collected(answer.data.id) : answer.data;
}

async function collected(id: string): Promise<CreatedInfrastructureProfile> {
  for (;;) {
    const { data } = await answerOf(api.GET("/api/issuances/{id}", { params: { path: { id }, header: wait } }));
    if (data.error !== null) throw new ApiError(data.error.error, data.error.error_description);
    if (data.profile !== null && "radiusCA" in data.profile) return data.profile;
  }
}
