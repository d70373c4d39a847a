import { useQuery } from "@tanstack/react-query";
import { isBeyondShare, kindsOfJob } from "../../../../domain/bulk-job/job.ts";
import { unconfirmedShareMax } from "../../../../domain/limits.ts";
import { api, dataOf, listOf } from "../../../api/api-client.ts";
import type { Job } from "../job.ts";
import { kindsOnPage } from "../kinds.ts";

type Of = "people" | "profiles";

/**
 * The people or profiles that a job affects: their number, and their share of the realm's active people or profiles,
 * where 1 means all.
 */
export interface Touched {
  of: Of;
  count: number;
  /** Undefined if the number of active people or profiles is 0, not loaded, or not visible to this user. */
  share: number | undefined;
}

const countActive: Readonly<Record<Of, (signal: AbortSignal) => Promise<{ total: number }>>> = {
  people: (signal) =>
    listOf(api.GET("/api/user", { params: { query: { limit: 1, filter: { blacklisted: "false" } } }, signal })),
  profiles: (signal) => listOf(api.GET("/api/profiles", { params: { query: { limit: 1 } }, signal })),
};

/** Returns how many active people or profiles the realm has; undefined until the count is loaded. */
function useActive(of: Of, enabled: boolean): number | undefined {
  const { data } = useQuery({
    queryKey: [of === "people" ? "users" : "profiles", "active count"],
    queryFn: ({ signal }) => countActive[of](signal),
    enabled,
  });
  return data?.total;
}

/**
 * Returns the people and profiles that a checked job affects, and whether the realm requires the user to confirm their
 * number.
 */
export function useTouched(job: Job): { touched: Touched[]; isBeyond: boolean } {
  const { touches } = kindsOnPage[job.kind];
  const { of, confirmed } = kindsOfJob[job.kind];
  const active: Record<Of, number | undefined> = {
    people: useActive("people", touches.includes("people")),
    profiles: useActive("profiles", touches.includes("profiles")),
  };
  const { data: settings } = useQuery({
    queryKey: ["realm share"],
    queryFn: ({ signal }) => dataOf(api.GET("/api/realm/settings", { signal })),
    enabled: confirmed,
  });
  const sharePercent = settings?.offboardingShare ?? unconfirmedShareMax * 100;
  const whole = active[of];
  return {
    touched: touches.map((each) => {
      const count = each === of ? job.changed : (job.affectedProfiles ?? 0);
      const total = active[each];
      return { of: each, count, share: total === undefined || total === 0 ? undefined : count / total };
    }),
    isBeyond: confirmed && whole !== undefined && isBeyondShare(job.changed, { active: whole, sharePercent }),
  };
}
