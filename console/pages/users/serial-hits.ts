import { queryOptions } from "@tanstack/react-query";
import { answerOf, api, ApiError, dataOf } from "../../api/api-client.ts";
import { rememberPeople } from "../../ui/value/person.tsx";
import type { Profile } from "../profiles/profile.ts";

/** Enough for a serial number that a user reads out to the help desk. */
export const hitsMax = 10;

export interface SerialHits {
  profiles: Profile[];
  total: number;
}

/**
 * Loads the active profiles whose serial number contains these digits; if there are none, loads the profile with
 * exactly this serial number.
 */
export const serialHitsQuery = (digits: string) =>
  queryOptions({
    queryKey: ["profiles", "serial", digits],
    queryFn: async ({ signal, client }): Promise<SerialHits> => {
      const query = { search: digits, limit: hitsMax, include: "people" };
      const {
        data: profiles,
        total = 0,
        people,
      } = await answerOf(api.GET("/api/profiles", { params: { query }, signal }));
      rememberPeople(client, people);
      if (total > 0) return { profiles, total };
      const exact = await findExactly(digits, signal);
      return { profiles: exact, total: exact.length };
    },
    staleTime: 10_000,
  });

async function findExactly(serial: string, signal: AbortSignal): Promise<Profile[]> {
  try {
    return [await dataOf(api.GET("/api/profiles/{serial}", { params: { path: { serial } }, signal }))];
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 400)) return [];
    throw error;
  }
}
