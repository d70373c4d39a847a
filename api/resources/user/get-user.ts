import { z } from "zod";
import * as users from "../../../db/queries/people/users.ts";
import { UserID } from "../../../domain/ids.ts";
import { requireStaffScope } from "../../contract/access.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { isStaff } from "../../contract/principal.ts";
import { UserView, userView } from "../../contract/views/user-view.ts";

export const getUser = endpoint({
  operation: "getUser",
  summary: "One user",
  description:
    "People with a role see everyone, which needs the scope `user.read`; others see themselves; for any other ID the answer is `user_not_found`.",
  method: "get",
  path: "/api/user/:userID",
  access: "any",
  params: z.object({ userID: UserID }),
  data: UserView,
  errors: ["user_not_found", "insufficient_scope"],
  unknown: { userID: "user_not_found" },

  async handle({ params: { userID: userId }, principal, deps: { db, clock }, fail }) {
    const isSelf = principal.kind === "user" && principal.userId === userId;
    if (!isSelf) {
      if (!isStaff(principal)) throw fail("user_not_found");
      requireStaffScope(principal, "user.read");
    }
    const user = await users.find(db, { realmId: principal.realmId, userId, at: clock.now() });
    if (user === undefined) throw fail("user_not_found");
    return userView(user);
  },
});
