import type { User } from "../../../db/queries/people/users.ts";
import { hasStaffScope, type PrincipalFor } from "../../contract/access.ts";
import { personView } from "../../contract/views/person-view.ts";
import type { KnownPersonView } from "../../contract/views/activity-view.ts";

/** A person, with all that the caller may know. */
export function knownPerson(user: User, principal: PrincipalFor["staff"]): KnownPersonView {
  const { id: userID, profileCount } = user;
  if (!hasStaffScope(principal, "user.read")) return { userID };
  return { userID, ...personView(user), profileCount };
}
