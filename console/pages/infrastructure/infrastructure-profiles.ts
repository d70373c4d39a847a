import { api, dataOf, listOf, type Schemas } from "../../api/api-client.ts";
import { byText } from "../../list/by-text.ts";
import type { ListQuery } from "../../list/list-state.ts";
import { profileStatus } from "../../ui/value/status-badge.tsx";

export type InfrastructureProfile = Schemas["InfrastructureProfile"];
export type CreatedInfrastructureProfile = Schemas["CreatedInfrastructureProfile"];

/** The cache key of the list of infrastructure profiles. */
export const infrastructureKey = "infrastructure-profiles";

export const loadInfrastructureProfiles = (query: ListQuery, signal: AbortSignal) =>
  listOf(api.GET("/api/infrastructure-profile", { params: { query: byText(query) }, signal }));

/** Returns the profile with the full serial number, or null if there is none. */
export async function findInfrastructureProfile(
  serial: string,
  signal: AbortSignal,
): Promise<InfrastructureProfile | null> {
  const { data } = await loadInfrastructureProfiles({ limit: 100, offset: 0, search: serial }, signal);
  return data.find((profile) => profile.serial === serial) ?? null;
}

export const revokeInfrastructureProfile = (serialOrName: string, confirmTotal?: number): Promise<unknown> =>
  dataOf(
    api.DELETE("/api/infrastructure-profile/{serialOrName}", {
      params: { path: { serialOrName } },
      body: confirmTotal === undefined ? {} : { confirmTotal },
    }),
  );

export const infrastructureStatus = ({ revokeDate, expirationDate }: InfrastructureProfile) =>
  profileStatus({ revokedAt: revokeDate, expiresAt: expirationDate }, new Date());
