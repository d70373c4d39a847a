import { InsufficientScope } from "../http/token-errors.ts";
import { ServiceError } from "../../domain/errors.ts";
import { rolesHave } from "../../domain/people/roles.ts";
import { isMachineScope, type Scope } from "../../domain/people/scopes.ts";
import {
  isStaff,
  type GuestPrincipal,
  type Principal,
  type ServicePrincipal,
  type UserPrincipal,
} from "./principal.ts";

/**
 * Who may call an endpoint. `staff`: users with a role, and services. `user`: every user. `guest`: guest accounts.
 * `any`: every principal of the realm. `public`: anyone, without authentication.
 */
export type Access = "staff" | "user" | "guest" | "any" | "public";

/** The principal of an admitted call. */
export interface PrincipalFor {
  staff: UserPrincipal | ServicePrincipal;
  user: UserPrincipal;
  guest: GuestPrincipal;
  any: Principal;
  public: undefined;
}

/** Throws unless the principal is of the kind that `access` requires. */
function requireAccess(principal: Principal, access: Exclude<Access, "public">): void {
  switch (access) {
    case "staff":
      if (!isStaff(principal)) throw new ServiceError("forbidden");
      return;
    case "user":
      if (principal.kind !== "user") throw new ServiceError("user_required");
      return;
    case "guest":
      if (principal.kind !== "guest") throw new ServiceError("guest_account_required");
      return;
    case "any":
      return;
  }
}

/**
 * Throws unless the token has the scope. For the caller's own resources the scope is enough. A guest's token has no
 * scopes: its kind defines what the guest may do.
 */
export function requireScope(principal: Principal, scope: Scope): void {
  if (principal.kind !== "guest" && !principal.scopes.has(scope)) throw new InsufficientScope([scope]);
}

/** Returns whether the token has the scope and, for a user's token, whether one of the user's current roles has it. */
export const hasStaffScope = (principal: UserPrincipal | ServicePrincipal, scope: Scope): boolean =>
  principal.scopes.has(scope) && (principal.kind === "service" || rolesHave(principal.roles, scope));

/** Throws unless the caller has the scope for other people's resources. */
export function requireStaffScope(principal: UserPrincipal | ServicePrincipal, scope: Scope): void {
  if (!hasStaffScope(principal, scope)) throw new InsufficientScope([scope]);
}

/**
 * Throws unless the caller is of the kind that the endpoint admits and has the scopes that the endpoint always
 * requires. Machines are admitted only to endpoints that require a machine's scope.
 */
export function requireAdmission(
  principal: Principal,
  endpoint: { access: Access; scope: Scope | undefined; furtherScopes: readonly Scope[] },
): void {
  const { access } = endpoint;
  if (access !== "public") requireAccess(principal, access);
  for (const scope of scopesOf(endpoint)) {
    if (access === "staff" && principal.kind !== "guest") requireStaffScope(principal, scope);
    else requireScope(principal, scope);
  }
  requireOwnEndpoint(principal, endpoint);
}

/**
 * Throws if a machine calls an endpoint that does not require the machine's scope, even if the endpoint is open to
 * every service.
 */
function requireOwnEndpoint(principal: Principal, { scope }: { scope: Scope | undefined }): void {
  if (scope !== undefined && isMachineScope(scope)) return;
  if ([...principal.scopes].some(isMachineScope)) throw new ServiceError("forbidden");
}

/** Returns the scopes that an endpoint always requires. */
export const scopesOf = ({
  scope,
  furtherScopes,
}: {
  scope: Scope | undefined;
  furtherScopes: readonly Scope[];
}): Scope[] => [...(scope === undefined ? [] : [scope]), ...furtherScopes];
