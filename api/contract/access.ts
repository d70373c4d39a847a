import { InsufficientScope } from "../http/token-errors.ts";
import { ServiceError } from "../../domain/errors.ts";
import { isMachineScope, type Scope } from "../../domain/scopes.ts";
import {
  isAdministrator,
  type GuestPrincipal,
  type Principal,
  type ServicePrincipal,
  type UserPrincipal,
} from "./principal.ts";

/** Who may call an endpoint. `any`: every principal of the realm. `public`: nobody is asked who they are. */
export type Access = "admin" | "user" | "guest" | "any" | "public";

/** What is known about who is asking, once access is granted. */
export interface PrincipalFor {
  admin: UserPrincipal | ServicePrincipal;
  user: UserPrincipal;
  guest: GuestPrincipal;
  any: Principal;
  public: undefined;
}

/** Throws unless the principal is of the kind that `access` asks for. */
export function requireAccess(principal: Principal, access: Exclude<Access, "public">): void {
  switch (access) {
    case "admin":
      if (!isAdministrator(principal)) throw new ServiceError("forbidden");
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

/** Throws unless the token has the scope. A guest's token has none: what it may do lies in what it is. */
export function requireScope(principal: Principal, scope: Scope): void {
  if (principal.kind !== "guest" && !principal.scopes.has(scope)) throw new InsufficientScope([scope]);
}

/** Throws for a machine anywhere but where its scope is asked for, whatever else is open to a service. */
export function requireOwnEndpoint(principal: Principal, { scope }: { scope: Scope | undefined }): void {
  if (scope !== undefined && isMachineScope(scope)) return;
  if ([...principal.scopes].some(isMachineScope)) throw new ServiceError("forbidden");
}

/** The scopes that an endpoint always needs. */
export const scopesOf = ({
  scope,
  furtherScopes,
}: {
  scope: Scope | undefined;
  furtherScopes: readonly Scope[];
}): Scope[] => [...(scope === undefined ? [] : [scope]), ...furtherScopes];
