import { api, ApiError, dataOf, type Schemas } from "./api-client.ts";

/** How long the service can hold a request open (RFC 7240 section 4.3), in seconds. */
export const waitSeconds = 20;

type Issued = Schemas["CreatedProfile" | "CreatedGuestProfile" | "CreatedInfrastructureProfile"];

/**
 * Waits until a worker has issued a profile, however long that takes, and returns the profile. Throws the service's
 * error if issuing fails, `insufficient_scope` if the user may no longer see the profile, and the signal's reason once the signal is aborted; sends no request after that.
 */
export async function awaitIssuance<Profile extends Issued>(
  id: string,
  { isWanted, signal }: { isWanted: (profile: Issued) => profile is Profile; signal: AbortSignal },
): Promise<Profile> {
  for (;;) {
    const { state, profile, error } = await dataOf(
      api.GET("/api/issuances/{id}", {
        params: { path: { id }, header: { Prefer: `wait=${waitSeconds}` } },
        signal,
      }),
    );
    if (state === "failed") throw new ApiError(error?.error ?? "issuance_failed", error?.error_description ?? "");
    if (state !== "issued") continue;
    if (profile !== null && isWanted(profile)) return profile;
    // The user has lost the right to see it: asking again would not end.
    throw new ApiError("insufficient_scope", "");
  }
}
