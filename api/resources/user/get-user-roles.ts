import { z } from "zod";
import * as userRoles from "../../../db/queries/people/user-roles.ts";
import { UserID } from "../../../domain/ids.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { UserRolesView, userRolesView } from "./user-roles.ts";

export const getUserRoles = endpoint({
  operation: "getUserRoles",
  summary: "A user's roles and their origin",
  method: "get",
  path: "/api/user/:userID/roles",
  access: "staff",
  scope: "user.read",
  params: z.object({ userID: UserID }),
  data: UserRolesView,
  errors: ["user_not_found"],
  unknown: { userID: "user_not_found" },

  async handle({ params: { userID: userId }, principal: { realmId }, deps: { db }, fail }) {
    const held = await userRoles.find(db, { realmId, userId });
    if (held === undefined) throw fail("user_not_found");
    return userRolesView(held);
  },
});
