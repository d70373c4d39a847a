import { z } from "zod";
import { allScopes, impliedScopes, isClaimScope, signInScopes, withImplied, type Scope } from "./scopes.ts";

/** The roles that people can have in addition to owning profiles. One person can have several roles. */
export const roles = ["administrator", "help_desk", "guest_manager", "auditor"] as const;
export const Role = z.enum(roles);
export type Role = z.infer<typeof Role>;

/** The scopes of every user, for their own data and devices. */
export const ownScopes: readonly Scope[] = [
  "openid",
  "offline_access",
  "profile.read",
  "profile.create",
  "profile.delete",
  "profile.modify",
  "realm.read",
];

/**
 * The most that a sign-in with a profile grants: every user's scopes except `offline_access`, because this sign-in
 * cannot be refreshed, and no scope of a role.
 */
export const deviceScopes: readonly Scope[] = ownScopes.filter((scope) => scope !== "offline_access");

export const scopesOfRole: Readonly<Record<Role, readonly Scope[]>> = {
  administrator: allScopes,
  help_desk: ["user.read", "user.lock", "profile.read", "profile.offer", "profile.delete", "guest.view"],
  guest_manager: ["guest.read", "guest.create", "guest.modify", "guest.delete"],
  auditor: [
    "user.read",
    "profile.read",
    "guest.view",
    "infrastructure.read",
    "application.read",
    "job.read",
    "audit.read",
    "realm.read",
  ],
};

/** Returns all scopes of these roles. */
export const scopesOfRoles = (held: readonly Role[]): ReadonlySet<Scope> =>
  withImplied(held.flatMap((role) => scopesOfRole[role]));

/**
 * Returns the scopes that somebody must hold to act on a person with these roles. `profile.offer` is not required:
 * older clients do not have it, and it gives no access to people whom its holder cannot reach.
 */
export const scopesToReach = (held: readonly Role[]): Scope[] =>
  [...scopesOfRoles(held)].filter((scope) => !signInScopes.includes(scope) && scope !== "profile.offer");

const withImpliedOf = Object.fromEntries(roles.map((role) => [role, scopesOfRoles([role])])) as Record<
  Role,
  ReadonlySet<Scope>
>;

/** Whether one of these roles has the scope. */
export const rolesHave = (held: readonly Role[], scope: Scope): boolean =>
  held.some((role) => withImpliedOf[role].has(scope));

/** Returns the roles that have all of these scopes. */
export const rolesWith = (needed: readonly Scope[]): Role[] =>
  roles.filter((role) => needed.every((scope) => withImpliedOf[role].has(scope)));

/**
 * Returns the scopes that a person with these roles can grant to an application. The person can grant a requested scope
 * if it is a claim scope, if every user has it, or if one of the roles has it. Any other requested scope is replaced by
 * its implied scopes that the person can grant.
 */
export function givableScopes(asked: readonly Scope[], held: readonly Role[]): Scope[] {
  const mine = (scope: Scope): boolean => isClaimScope(scope) || ownScopes.includes(scope) || rolesHave(held, scope);
  return [
    ...new Set(
      asked.flatMap((scope) => (mine(scope) ? [scope] : (impliedScopes[scope] ?? []).filter((one) => mine(one)))),
    ),
  ];
}

/** Returns the roles without duplicates, in the order of {@link roles}. */
export const inOrder = (held: Iterable<Role>): Role[] => {
  const given = new Set(held);
  return roles.filter((role) => given.has(role));
};
