import type { Db } from "../../../db/client.ts";
import * as userRoles from "../../../db/queries/people/user-roles.ts";
import { deviceScopes, scopesToReach } from "../../../domain/people/roles.ts";
import type { Scope } from "../../../domain/people/scopes.ts";
import { hasStaffScope } from "../../contract/access.ts";
import type { Principal } from "../../contract/principal.ts";
import { InsufficientScope } from "../../http/token-errors.ts";

/**
 * Throws unless the caller may create a profile that its owner can sign in with: a credential never grants more than
 * its creator holds. A person's token needs all {@link deviceScopes}, even for that person's own profile. A service's
 * token does not: a service's profiles never sign in with more than the service is registered for. For another person's
 * profile, the caller also needs every scope of the owner's roles.
 */
export async function requireAllowAuth(
  db: Db,
  { principal, userId }: { principal: Principal; userId: string },
): Promise<void> {
  if (principal.kind === "guest") return;
  const missing: Scope[] = [];
  if (principal.kind === "user") missing.push(...deviceScopes.filter((scope) => !principal.scopes.has(scope)));
  if (principal.kind !== "user" || principal.userId !== userId) {
    const roles = await userRoles.find(db, { realmId: principal.realmId, userId });
    const needed = scopesToReach([...(roles?.given ?? []), ...(roles?.fromProvider ?? [])]);
    missing.push(...needed.filter((scope) => !hasStaffScope(principal, scope)));
  }
  if (missing.length === 0) return;
  const names = [...new Set(missing)];
  throw new InsufficientScope(names, {
    description: `The access token lacks scopes that the owner of this profile can sign in with: ${names.join(" ")}.`,
  });
}
