import { api, ApiError, dataOf, listOf, type Schemas } from "../../api/api-client.ts";

type Realm = Schemas["Realm"];

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

/** A realm as it was read, and the tag by which a change can say what it is a change of. */
export interface ReadRealm {
  realmName: string;
  settings: RealmSettings;
  tag: string;
}

export async function loadRealm(signal?: AbortSignal): Promise<ReadRealm> {
  const call = api.GET("/api/realm", { ...(signal !== undefined && { signal }) });
  const { realmName, ...settings } = await dataOf(call);
  // A proxy that compresses answers calls the service's tag weak.
  const tag = (await call).response.headers.get("ETag")?.replace(/^W\//, "") ?? "*";
  return { realmName, settings, tag };
}

/** Changes the realm if it still is what was read. */
export const updateRealm = (body: Partial<RealmSettings>, tag: string): Promise<unknown> =>
  dataOf(api.PUT("/api/realm", { body, params: { header: { "If-Match": tag } } }));

/** Whether a change was refused because the realm is no longer what was read. */
export const wasChangedMeanwhile = (error: unknown): boolean =>
  error instanceof ApiError && error.code === "precondition_failed";
