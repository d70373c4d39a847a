import { scopeToRead } from "./certificate/profile.ts";
import type { Scope } from "./people/scopes.ts";

/** Kinds of match, each with the scope that it needs. */
export const scopeToFind = {
  person: "user.read",
  profile: scopeToRead.user,
  guestAccount: "guest.view",
  guestProfile: scopeToRead.guest,
  infrastructureProfile: scopeToRead.infrastructure,
  application: "application.read",
  job: "job.read",
} as const satisfies Record<string, Scope>;
export type SearchFind = keyof typeof scopeToFind;

/**
 * The kinds of match in each list: first the list's own rows, then what a row is related to. The audit log finds
 * entries only by what they are related to.
 */
export const searchPlaces = {
  people: ["person", "profile"],
  profiles: ["profile", "person"],
  guestAccounts: ["guestAccount", "guestProfile"],
  infrastructure: ["infrastructureProfile"],
  applications: ["application"],
  jobs: ["job", "person", "profile", "application"],
  audit: ["person", "profile", "guestAccount", "guestProfile", "infrastructureProfile", "application", "job"],
} as const satisfies Record<string, readonly SearchFind[]>;
export type SearchPlace = keyof typeof searchPlaces;

/** Returns the kinds of match that a caller's search of this list can return. */
export const findsIn = (place: SearchPlace, may: (scope: Scope) => boolean): ReadonlySet<SearchFind> =>
  new Set(searchPlaces[place].filter((find) => may(scopeToFind[find])));
