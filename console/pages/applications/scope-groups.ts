import { isMachineScope } from "../../../domain/people/scopes.ts";
import type { ApplicationScope, ApplicationType } from "./applications.ts";

interface ScopeGroup {
  /** The subject of the scopes. */
  name: string;
  scopes: readonly ApplicationScope[];
}

/** All scopes by subject, in the order of the form. */
export const scopeGroups: readonly ScopeGroup[] = [
  { name: "person", scopes: ["openid", "offline_access"] },
  { name: "profile", scopes: ["profile.read", "profile.create", "profile.offer", "profile.modify", "profile.delete"] },
  { name: "user", scopes: ["user.read", "user.modify", "user.lock", "user.delete"] },
  { name: "guest", scopes: ["guest.read", "guest.view", "guest.create", "guest.modify", "guest.delete"] },
  { name: "infrastructure", scopes: ["infrastructure.read", "infrastructure.create", "infrastructure.delete"] },
  { name: "job", scopes: ["job.read", "job.create"] },
  { name: "audit", scopes: ["audit.read"] },
  { name: "application", scopes: ["application.read", "application.modify"] },
  { name: "realm", scopes: ["realm.read", "realm.modify"] },
  { name: "role", scopes: ["role.modify"] },
  { name: "radius", scopes: ["radius.read"] },
  { name: "directory", scopes: ["scim"] },
];

/**
 * Returns the scopes that an application of a type can have. A service has no signed-in user and cannot change roles;
 * only a service can have a machine scope.
 */
export const scopeGroupsOf = (type: ApplicationType): readonly ScopeGroup[] =>
  scopeGroups.filter(({ name, scopes }) =>
    type === "useragent" ? !scopes.some(isMachineScope) : name !== "person" && name !== "role",
  );

/** Returns the scopes with one scope added or removed. A machine scope excludes all other scopes. */
export function toggled(
  scopes: readonly ApplicationScope[],
  scope: ApplicationScope,
  on: boolean,
): readonly ApplicationScope[] {
  if (!on) return scopes.filter((each) => each !== scope);
  return isMachineScope(scope) ? [scope] : [...scopes.filter((each) => !isMachineScope(each)), scope];
}

export const firstScopes = {
  useragent: ["openid", "offline_access", "profile.read", "profile.create"],
  service: [],
} as const satisfies Record<ApplicationType, readonly ApplicationScope[]>;

/** Returns the text key of a scope. The key has no dot, because a dot separates levels in text keys. */
export const scopeTextKey = (scope: ApplicationScope): string => `applications.scopes.${scope.replace(".", "_")}`;
