import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "../../api/api-client.ts";

export type Diagnosis = Schemas["Diagnosis"];
export type ProfileActivity = Schemas["ProfileActivity"];
export type TimelineItem = Schemas["TimelineItem"];

/** Why a person's devices may not be on the network. Asked for again when something about the person changes. */
export const userActivityQuery = (userID: string) =>
  queryOptions({
    queryKey: ["user", userID, "activity"],
    queryFn: ({ signal }) => dataOf(api.GET("/api/user/{userID}/activity", { params: { path: { userID } }, signal })),
  });

/** The same of one profile. */
export const profileActivityQuery = (serial: string) =>
  queryOptions({
    queryKey: ["profile", serial, "activity"],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/profiles/{serial}/activity", { params: { path: { serial } }, signal })),
  });

/** What the last check of a profile was answered: a check since the revocation was refused. */
export const checkOf = ({
  at,
  revokedAt,
}: {
  at: string | null;
  revokedAt: string | null;
}): ProfileActivity["lastCheck"] =>
  at === null ? null : { at, result: revokedAt !== null && at >= revokedAt ? "revoked" : "good" };
