import { z } from "zod";

/** OAuth scopes (RFC 6749 section 3.3), and what each lets a client do. */
export const scopes = {
  openid: "sign you in",
  offline_access: "stay signed in",
  profile: "see your name",
  email: "see your e-mail address",
  address: "see your postal address, if it is known",
  phone: "see your telephone number, if it is known",
  "profile.create": "create profiles",
  "profile.delete": "revoke profiles",
  "profile.modify": "change profiles",
  "profile.read": "see profiles",
  "profile.offer": "make links and codes with which people set up a device",
  "realm.read": "see the realm's settings",
  "realm.modify": "change the realm's settings",
  "user.read": "see people",
  "user.modify": "create, lock and reactivate people",
  "user.lock": "lock and unlock people, and end their sign-ins",
  "user.delete": "offboard people",
  "guest.read": "see guest accounts and their links",
  "guest.view": "see guest accounts without their links",
  "guest.create": "create guest accounts",
  "guest.modify": "change guest accounts",
  "guest.delete": "revoke guest accounts and their profiles",
  "infrastructure.read": "see server certificates",
  "infrastructure.create": "create server certificates",
  "infrastructure.delete": "revoke server certificates",
  "audit.read": "read the audit log",
  "application.read": "see applications",
  "application.modify": "register and change applications",
  "job.read": "see bulk jobs",
  "job.create": "start bulk jobs",
  "role.modify": "give and take roles",
  "radius.read": "see which profiles were revoked, to disconnect their devices, and the VLANs of devices",
  scim: "bring people from a directory, change them and offboard them",
} as const satisfies Record<string, string>;

export type Scope = keyof typeof scopes;
export const Scope = z.enum(Object.keys(scopes) as Scope[]);

/**
 * Scopes of programs that do one thing. A service with one of these scopes has no other scope and no other access, and
 * gets the scope only if its registration names it. The values are the scopes that a person must hold to grant the
 * scope.
 */
const machineScopes: Readonly<Partial<Record<Scope, readonly Scope[]>>> = {
  "radius.read": ["profile.read"],
  scim: ["user.modify", "user.delete"],
};

export const isMachineScope = (scope: Scope): boolean => Object.hasOwn(machineScopes, scope);

/**
 * Returns the scopes that a person must hold to grant a scope: the scope itself or, for a machine scope, which no
 * person has, other scopes.
 */
export const heldToGive = (scope: Scope): readonly Scope[] => machineScopes[scope] ?? [scope];

/**
 * Scopes of claims about a person (OpenID Connect Core section 5.4). Many clients request them by default, so every
 * useragent may request them, even without registration for them. They give no access to the API, and are granted only
 * if the request names them.
 */
export const claimScopes: readonly Scope[] = ["profile", "email", "address", "phone"];

export const isClaimScope = (scope: Scope): boolean => claimScopes.includes(scope);

/** All scopes except those of machines and of claims. */
export const allScopes = (Object.keys(scopes) as Scope[]).filter(
  (scope) => !isMachineScope(scope) && !isClaimScope(scope),
);

/** Implied scopes. They were added later; tokens of existing clients keep working. */
export const impliedScopes: Readonly<Partial<Record<Scope, readonly Scope[]>>> = {
  "user.modify": ["user.lock"],
  "guest.read": ["guest.view"],
};

/** Returns these scopes, followed by their implied scopes. */
export const withImplied = (given: readonly Scope[]): ReadonlySet<Scope> =>
  new Set([...given, ...given.flatMap((scope) => impliedScopes[scope] ?? [])]);

export const applicationTypes = ["useragent", "service"] as const;
/** `useragent` acts for a signed-in user; `service` acts on its own, with only its own scopes. */
export const ApplicationType = z.enum(applicationTypes);
export type ApplicationType = z.infer<typeof ApplicationType>;

/** Scopes that open nothing in the API: they control how a person signs in. */
export const signInScopes: readonly Scope[] = ["openid", "offline_access", ...claimScopes];

/**
 * Scopes that a service cannot have: those of a signed-in person, and the scope that assigns roles, so a leaked secret
 * cannot create an administrator.
 */
const personalScopes: ReadonlySet<Scope> = new Set<Scope>([...signInScopes, "role.modify"]);

/** Returns the scopes that an application of this type is registered for if its registration names no scopes. */
export const scopesAllowedTo = (type: ApplicationType): Scope[] =>
  type === "service" ? allScopes.filter((scope) => !personalScopes.has(scope)) : [...allScopes];

/** Returns why an application of this type cannot be registered for these scopes; undefined if it can. */
export function scopesFault(type: ApplicationType, given: readonly Scope[]): string | undefined {
  if (type === "service" && given.some(isMachineScope)) {
    return given.length === 1 ? undefined : `${given.filter(isMachineScope).join(" ")} goes with no other scope`;
  }
  const allowed = [...scopesAllowedTo(type), ...(type === "useragent" ? claimScopes : [])];
  const refused = given.filter((scope) => !allowed.includes(scope));
  return refused.length === 0 ? undefined : `a ${type} cannot have ${refused.join(" ")}`;
}
