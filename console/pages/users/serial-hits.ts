import { queryOptions } from "@tanstack/react-query";
import { api, ApiError, dataOf, listOf } from "../../api/api-client.ts";
import type { Profile } from "../profiles/profile.ts";

/** More than anybody means who reads a serial number to the help desk. */
export const hitsMax = 10;

export interface SerialHits {
  profiles: Profile[];
  total: number;
}

/** The profiles whose serial number has these digits: active ones, else the one with exactly this number. */
export const serialHitsQuery = (digits: string) =>
  queryOptions({
    queryKey: ["profiles", "serial", digits],
    queryFn: async ({ signal }): Promise<SerialHits> => {
      const active = await listOf(
        api.GET("/api/profiles", { params: { query: { search: digits, limit: hitsMax } }, signal }),
      );
      if (active.total > 0) return { profiles: active.data, total: active.total };
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
