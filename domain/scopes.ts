import { z } from "zod";

/** OAuth scopes (RFC 6749 section 3.3), and what each lets a client do. */
export const scopes = {
  openid: "sign you in",
  offline_access: "stay signed in",
  "profile.create": "create profiles",
  "profile.delete": "revoke profiles",
  "profile.modify": "change profiles",
  "profile.read": "see profiles",
  "realm.read": "see the realm's settings",
  "realm.modify": "change the realm's settings",
  "user.read": "see users",
  "user.modify": "create, lock and reactivate users",
  "user.delete": "offboard users",
  "guest.read": "see guest accounts and their tokens",
  "guest.create": "create guest accounts",
  "guest.modify": "change guest accounts",
  "guest.delete": "revoke guest accounts and their profiles",
  "infrastructure.read": "see infrastructure profiles",
  "infrastructure.create": "create infrastructure profiles",
  "infrastructure.delete": "revoke infrastructure profiles",
  "audit.read": "read the audit log",
  "application.read": "see applications",
  "application.modify": "register and change applications",
  "job.read": "see bulk jobs",
  "job.create": "start bulk jobs",
} as const satisfies Record<string, string>;

export type Scope = keyof typeof scopes;
export const allScopes = Object.keys(scopes) as Scope[];
export const Scope = z.enum(allScopes);

export const applicationTypes = ["useragent", "service"] as const;
/** `useragent` acts for a signed-in user; `service` acts on its own, with administrator permissions. */
export const ApplicationType = z.enum(applicationTypes);
export type ApplicationType = z.infer<typeof ApplicationType>;

/** Scopes about a signed-in person, which a service does not have. */
const personalScopes: ReadonlySet<Scope> = new Set<Scope>(["openid", "offline_access"]);

/** The scopes an application of this type may be registered for. */
export const scopesAllowedTo = (type: ApplicationType): Scope[] =>
  type === "service" ? allScopes.filter((scope) => !personalScopes.has(scope)) : [...allScopes];
