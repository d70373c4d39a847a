import { z } from "zod";
import * as roleOperations from "../../../db/operations/roles.ts";
import type { HeldRoles } from "../../../db/queries/people/user-roles.ts";
import { Role } from "../../../domain/people/roles.ts";

/** A person's roles in the API's format. */
export const UserRolesView = z
  .object({
    roles: z.array(Role).describe("All roles of the user: given and fromProvider together."),
    given: z.array(Role).describe("Given here."),
    fromProvider: z.array(Role).describe("Given by the identity provider, at the latest sign-in through it."),
  })
  .meta({ id: "UserRoles" });
type UserRolesView = z.infer<typeof UserRolesView>;

export const userRolesView = ({ given, fromProvider }: HeldRoles): UserRolesView => ({
  roles: roleOperations.heldRoles({ given, fromProvider }),
  given,
  fromProvider,
});
