import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, idempotent } from "../../api/api-client.ts";
import type { Checked } from "../bulk-jobs/job.ts";

const whose = (userID: string) => ({ path: { userID } });

/** Loads how a person's access ended, and which directory manages the person. */
export const provisioningQuery = (userID: string) =>
  queryOptions({
    queryKey: ["user", userID, "provisioning"],
    queryFn: ({ signal }) => dataOf(api.GET("/api/user/{userID}/provisioning", { params: whose(userID), signal })),
  });

/** The actions on a user, one request each. */
export const userCalls = {
  lock: (userID: string) =>
    dataOf(api.PUT("/api/user/{userID}/status", { params: whose(userID), body: { locked: true } })),
  unlock: (userID: string) =>
    dataOf(api.PUT("/api/user/{userID}/status", { params: whose(userID), body: { locked: false } })),
  offboard: (userID: string, graceDays: number | null = null, confirmTotal?: number) =>
    dataOf(
      api.DELETE("/api/user/{userID}", {
        params: { ...whose(userID), header: idempotent() },
        body: { ...(graceDays !== null && { graceDays }), ...(confirmTotal !== undefined && { confirmTotal }) },
      }),
    ),
  reactivate: (userID: string) => dataOf(api.PUT("/api/user/{userID}/undelete", { params: whose(userID) })),
} as const;

export type UserAction = keyof typeof userCalls;

export type UserJobKind = Exclude<Checked["kind"], "revocation">;

/** The actions that a bulk job performs for several users. All other actions can stop halfway without harm. */
export const jobOf: Partial<Record<UserAction, UserJobKind>> = {
  offboard: "offboarding",
  reactivate: "reactivation",
};

export const isPossible: Readonly<
  Record<UserAction, (user: { locked: boolean; blacklisted: boolean; forgottenDate?: string }) => boolean>
> = {
  lock: ({ locked, blacklisted }) => !locked && !blacklisted,
  unlock: ({ locked }) => locked,
  offboard: ({ blacklisted }) => !blacklisted,
  reactivate: ({ blacklisted, forgottenDate }) => blacklisted && forgottenDate === undefined,
};
