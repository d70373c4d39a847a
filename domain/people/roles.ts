import { z } from "zod";
import { allScopes, impliedScopes, withImplied, type Scope } from "./scopes.ts";

/** What people of a realm may be beyond owners of their own profiles. One person may have several roles. */
export const roles = ["administrator", "help_desk", "guest_manager", "auditor"] as const;
export const Role = z.enum(roles);
export type Role = z.infer<typeof Role>;

/** What everybody may do with what is their own. */
export const ownScopes: readonly Scope[] = [
  "openid",
  "offline_access",
  "profile.read",
  "profile.create",
  "profile.delete",
  "profile.modify",
  "realm.read",
];

/** What a profile that signs in gives at most: what is its owner's own, and nothing of a role. It cannot stay signed in. */
export const deviceScopes: readonly Scope[] = ownScopes.filter((scope) => scope !== "offline_access");

/** What each role lets people do. */
export const scopesOfRole: Readonly<Record<Role, readonly Scope[]>> = {
  administrator: allScopes,
  help_desk: ["user.read", "user.lock", "profile.read", "profile.delete", "guest.view"],
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

/** All that somebody with these roles may do as one of the staff. */
export const scopesOfRoles = (held: readonly Role[]): ReadonlySet<Scope> =>
  withImplied(held.flatMap((role) => scopesOfRole[role]));

const withImpliedOf = Object.fromEntries(roles.map((role) => [role, scopesOfRoles([role])])) as Record<
  Role,
  ReadonlySet<Scope>
>;

/** Whether one of these roles has the scope. */
export const rolesHave = (held: readonly Role[], scope: Scope): boolean =>
  held.some((role) => withImpliedOf[role].has(scope));

/** The roles that have all of these scopes. */
export const rolesWith = (needed: readonly Scope[]): Role[] =>
  roles.filter((role) => needed.every((scope) => withImpliedOf[role].has(scope)));

/**
 * What somebody with these roles can give an application that asks for scopes: those of them that are their own or one of
 * the roles', and what a scope that they cannot give implies and they can.
 */
export function givableScopes(asked: readonly Scope[], held: readonly Role[]): Scope[] {
  const mine = (scope: Scope): boolean => ownScopes.includes(scope) || rolesHave(held, scope);
  return [
    ...new Set(
      asked.flatMap((scope) => (mine(scope) ? [scope] : (impliedScopes[scope] ?? []).filter((one) => mine(one)))),
    ),
  ];
}

/** Several roles, each once and in the order of the list. */
export const inOrder = (held: Iterable<Role>): Role[] => {
  const given = new Set(held);
  return roles.filter((role) => given.has(role));
};
