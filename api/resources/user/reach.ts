import { hasStaffScope } from "../../contract/access.ts";
import type { ServicePrincipal, UserPrincipal } from "../../contract/principal.ts";
import { InsufficientScope } from "../../http/token-errors.ts";
import { scopesToReach, type Role } from "../../../domain/people/roles.ts";
import { scopesAllowedTo, type Scope } from "../../../domain/people/scopes.ts";

/**
 * Throws unless the caller has every scope that this person's roles grant and that a caller of this kind can have: a
 * caller who may lock people must not lock out a person with more permissions. For the caller's own account, requires
 * `user.modify`.
 */
export function requireReach(
  principal: UserPrincipal | ServicePrincipal,
  { userId, roles }: { userId: string; roles: readonly Role[] },
): void {
  const isOneself = principal.kind === "user" && principal.userId === userId;
  const possible = (scope: Scope): boolean => principal.kind === "user" || scopesAllowedTo("service").includes(scope);
  const needed: readonly Scope[] = isOneself ? ["user.modify"] : scopesToReach(roles).filter(possible);
  const missing = needed.filter((scope) => !hasStaffScope(principal, scope));
  if (missing.length > 0) throw new InsufficientScope(missing);
}
