import * as roleOperations from "../../../db/operations/roles.ts";
import * as heldRoles from "../../../db/queries/people/user-roles.ts";
import * as localCredentials from "../../../db/queries/sign-in/local-credentials.ts";
import { operatorActor } from "../../../domain/audit/audit.ts";
import { inOrder } from "../../../domain/people/roles.ts";
import { GivenUsername } from "../../../domain/people/user-name.ts";
import { option } from "../../../terminal/command.ts";
import { CommandError, usageError } from "../../../terminal/failure.ts";
import { command } from "../command.ts";
import { RoleNames } from "../inputs.ts";
import { lines } from "../views.ts";

export const userRoles = command({
  name: "user roles",
  about: "Shows a user's roles, assigns and removes them. Even the last administrator's role can be removed here.",
  options: {
    username: option("name", "the name with which the user signs in", GivenUsername),
    give: option("roles", "roles to assign, separated by commas: help_desk,auditor", RoleNames.optional()),
    take: option("roles", "roles to remove, separated by commas", RoleNames.optional()),
  },
  async run({ username, give = [], take = [] }, context) {
    const both = give.find((role) => take.includes(role));
    if (both !== undefined) throw usageError(`The role ${both} cannot be both given and taken.`);
    const at = context.clock.now();
    const realm = await context.realm();
    const db = await context.db();
    const userId = await localCredentials.findUserId(db, { realmId: realm.id, username });
    const after = await db.transaction(async (tx) => {
      const before = userId === undefined ? undefined : await heldRoles.lock(tx, { realmId: realm.id, userId });
      if (userId === undefined || before === undefined) {
        throw new CommandError("user_not_found", `There is no user "${username}" in realm ${realm.name}.`);
      }
      if (before.isOffboarded && give.length > 0) {
        throw new CommandError(
          "user_offboarded",
          `"${username}" is offboarded and gets no role: reactivate them first, in the console.`,
        );
      }
      const given = inOrder([...before.given, ...give].filter((role) => !take.includes(role)));
      const now = { given, fromProvider: before.fromProvider };
      const change = {
        realmId: realm.id,
        userId,
        before,
        after: now,
        source: "operator",
        actor: operatorActor,
        at,
      } as const;
      return roleOperations.set(tx, change);
    });

    const stays = take.filter((role) => after.fromProvider.includes(role));
    if (stays.length > 0) {
      context.say(`The identity provider gives ${stays.join(", ")}: until it no longer does, the user keeps that.`);
    }
    const { given, fromProvider } = after;
    const answer = { userID: userId, username, roles: roleOperations.heldRoles(after), given, fromProvider };
    return { json: answer, text: lines(answer) };
  },
});
