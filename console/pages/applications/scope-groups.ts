import { isMachineScope } from "../../../domain/scopes.ts";
import type { ApplicationScope, ApplicationType } from "./applications.ts";

interface ScopeGroup {
  /** What they are about. */
  name: string;
  scopes: readonly ApplicationScope[];
}

/** Every scope, by what it is about, in the order in which they are offered. */
export const scopeGroups: readonly ScopeGroup[] = [
  { name: "person", scopes: ["openid", "offline_access"] },
  { name: "profile", scopes: ["profile.read", "profile.create", "profile.modify", "profile.delete"] },
  { name: "user", scopes: ["user.read", "user.modify", "user.lock", "user.delete"] },
  { name: "guest", scopes: ["guest.read", "guest.view", "guest.create", "guest.modify", "guest.delete"] },
  { name: "infrastructure", scopes: ["infrastructure.read", "infrastructure.create", "infrastructure.delete"] },
  { name: "job", scopes: ["job.read", "job.create"] },
  { name: "audit", scopes: ["audit.read"] },
  { name: "application", scopes: ["application.read", "application.modify"] },
  { name: "realm", scopes: ["realm.read", "realm.modify"] },
  { name: "role", scopes: ["role.modify"] },
  { name: "radius", scopes: ["radius.read"] },
];

/** What an application of a type can be given. A service has nobody signed in, and gives no roles; what a machine does, nobody consents to. */
export const scopeGroupsOf = (type: ApplicationType): readonly ScopeGroup[] =>
  scopeGroups.filter(({ name }) => (type === "useragent" ? name !== "radius" : name !== "person" && name !== "role"));

/** The scopes with one more, or one fewer. A machine's goes with no other. */
export function toggled(
  scopes: readonly ApplicationScope[],
  scope: ApplicationScope,
  on: boolean,
): readonly ApplicationScope[] {
  if (!on) return scopes.filter((each) => each !== scope);
  return isMachineScope(scope) ? [scope] : [...scopes.filter((each) => !isMachineScope(each)), scope];
}

/** What an application of a type begins with. */
export const firstScopes = {
  useragent: ["openid", "offline_access", "profile.read", "profile.create"],
  service: [],
} as const satisfies Record<ApplicationType, readonly ApplicationScope[]>;

/** The words for a scope: dots separate the parts of a text's name. */
export const scopeTextKey = (scope: ApplicationScope): string => `applications.scopes.${scope.replace(".", "_")}`;
