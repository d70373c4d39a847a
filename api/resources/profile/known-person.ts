import type { User } from "../../../db/queries/people/users.ts";
import { hasStaffScope, type PrincipalFor } from "../../contract/access.ts";
import { personView } from "../../contract/views/person-view.ts";
import type { KnownPersonView } from "../../contract/views/activity-view.ts";

/** Returns the details that the caller may know about a person. */
export function knownPerson(user: User, principal: PrincipalFor["staff"]): KnownPersonView {
  const { id: userID, profileCount } = user;
  if (!hasStaffScope(principal, "user.read")) return { userID };
  return { userID, ...personView(user), profileCount };
}
