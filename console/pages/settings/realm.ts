import { api, dataOf, listOf, type Schemas } from "../../api-client.ts";

export type Realm = Schemas["Realm"];

/** What of a realm can be changed. */
export type RealmSettings = Omit<Realm, "realmName">;

export const realmKey = ["realm"] as const;

/** In the order in which they are asked for. */
export const settingNames = [
  "displayName",
  "logoURI",
  "maxProfiles",
  "maxValid",
] as const satisfies readonly (keyof RealmSettings)[];

/** Only what differs. */
export const changesBetween = (before: RealmSettings, after: RealmSettings): Partial<RealmSettings> =>
  Object.fromEntries(settingNames.filter((name) => before[name] !== after[name]).map((name) => [name, after[name]]));

/** How many users have more active profiles than this. */
export async function usersWithMoreThan(profiles: number, signal: AbortSignal): Promise<number> {
  const query = { limit: 1, filter: { minProfileCount: String(profiles + 1) } };
  return (await listOf(api.GET("/api/user", { params: { query }, signal }))).total;
}

export const loadRealm = (signal: AbortSignal): Promise<Realm> => dataOf(api.GET("/api/realm", { signal }));

export const updateRealm = (body: Partial<RealmSettings>): Promise<unknown> => dataOf(api.PUT("/api/realm", { body }));
