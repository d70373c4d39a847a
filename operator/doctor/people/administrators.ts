import type { Db } from "../../../db/client.ts";
import * as userRoles from "../../../db/queries/people/user-roles.ts";
import type { Context } from "../../context/context.ts";
import { fails, passes, warns, type Check } from "../check.ts";

/** Checks that each realm has people who can administer it. */
export async function checkAdministrators(db: Db, context: Context): Promise<Check[]> {
  const realms = await context.realms();
  return Promise.all(
    realms.map(async ({ id, name: realm }) => {
      const { administrator: people } = await userRoles.count(db, { realmId: id });
      return checkRealm(`administrators ${realm}`, realm, people);
    }),
  );
}

function checkRealm(name: string, realm: string, people: number): Check {
  const give = `\`user roles --realm ${realm} --username U --give administrator\``;
  if (people === 0) {
    const make = `\`user create --realm ${realm} --username U --admin\``;
    return fails(name, "nobody administers the realm", `${make} creates an administrator, ${give} makes a user one.`);
  }
  if (people === 1) {
    return warns(
      name,
      "only one person administers the realm",
      `Give somebody else the role too, in the console or with ${give}.`,
    );
  }
  return passes(name, `${people} people administer the realm`);
}
