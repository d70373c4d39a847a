import type { User } from "../../../db/queries/people/users.ts";
import type { Scope } from "../../../domain/scopes.ts";
import type { Principal } from "../../contract/principal.ts";
import { personView } from "../../contract/views/person-view.ts";
import type { KnownPersonView } from "../../contract/views/activity-view.ts";

/** Whether the token has a scope without which an answer says less. */
export const scopeOf = ({ scopes }: Principal, scope: Scope): boolean => scopes.has(scope);

/** A person, with all that the token may know. */
export function knownPerson(user: User, principal: Principal): KnownPersonView {
  const { id: userID, profileCount } = user;
  if (!scopeOf(principal, "user.read")) return { userID };
  return { userID, ...personView(user), ...(user.forgottenAt !== null && { pairwiseID: "" }), profileCount };
}
