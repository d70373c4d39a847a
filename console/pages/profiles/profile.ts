import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "../../api/api-client.ts";
import { profileStatus } from "../../ui/value/status-badge.tsx";

export type Profile = Schemas["Profile"];

/** Loads one profile in any state. */
export const profileQuery = (serial: string) =>
  queryOptions({
    queryKey: ["profile", serial],
    queryFn: ({ signal }) => dataOf(api.GET("/api/profiles/{serial}", { params: { path: { serial } }, signal })),
  });

export const statusOf = ({ revokeTime, expirationTime }: Profile) =>
  profileStatus({ revokedAt: revokeTime, expiresAt: expirationTime }, new Date());

/** Returns true if the profile can still be revoked. */
export const isLive = (profile: Profile): boolean => ["active", "expiring"].includes(statusOf(profile));
