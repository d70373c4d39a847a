import { z } from "zod";
import * as userRoles from "../../../db/queries/people/user-roles.ts";
import { Role, roles, scopesOfRoles } from "../../../domain/people/roles.ts";
import { Scope } from "../../../domain/people/scopes.ts";
import { hasStaffScope } from "../../contract/access.ts";
import { endpoint } from "../../contract/endpoint.ts";

const RoleView = z
  .object({
    role: Role,
    scopes: z.array(Scope).describe("The scopes of people with the role, if an application requests them."),
    people: z
      .int()
      .nullable()
      .describe("How many people who are not offboarded have it; null for a token without `user.read`."),
  })
  .meta({ id: "Role" });

export const listRoles = endpoint({
  operation: "listRoles",
  summary: "The roles that people may have",
  description: "Fixed lists of scopes; a person may have several roles. For users with a role, and services.",
  method: "get",
  path: "/api/roles",
  access: "staff",
  data: z.array(RoleView),
  errors: [],

  async handle({ principal, deps: { db } }) {
    const people = hasStaffScope(principal, "user.read")
      ? await userRoles.count(db, { realmId: principal.realmId })
      : undefined;
    return roles.map((role) => ({ role, scopes: [...scopesOfRoles([role])], people: people?.[role] ?? null }));
  },
});
