import { z } from "zod";
import { flag, option } from "../../../terminal/command.ts";
import { isSet } from "../../../terminal/inputs.ts";
import { command } from "../command.ts";
import { PairwiseID } from "../../../domain/people/pairwise-id.ts";
import { recognisableName, withoutEnds } from "../../../domain/text.ts";
import { addLocalUser, drawPairwiseId } from "../../user/new-user.ts";
import { hashPassword } from "../../user/password.ts";
import { inOrder, Role, roles } from "../../../domain/people/roles.ts";
import { lines } from "../views.ts";

const Email = z.email("must be an email address").max(320, "must have at most 320 characters");

export const userCreate = command({
  name: "user create",
  about: "Creates a user who signs in locally.",
  options: {
    username: option("name", "the name with which the user signs in", recognisableName(1, 255)),
    email: option("address", "the user's email address", Email.optional()),
    admin: flag("make the user an administrator, as --role administrator does", isSet),
    role: option("role", "a role of the user; repeat for each role", z.array(Role).optional(), {
      many: true,
      choices: roles,
    }),
    passwordStdin: flag(
      "read the password from standard input; without it, the user sets one after following a sign-in link",
      isSet,
    ),
    pairwiseId: option(
      "id",
      "the user's pseudonym in the realm; default: a random one",
      z.string().transform(withoutEnds).pipe(PairwiseID).optional(),
    ),
  },
  async run({ username, email = "", admin, role = [], passwordStdin, pairwiseId }, context) {
    const at = context.clock.now();
    const realm = await context.realm();
    const db = await context.db();
    const passwordHash = passwordStdin
      ? await hashPassword(await context.readSecret("Password (not shown): "), { cost: context.costs.password })
      : null;
    const held = inOrder([...role, ...(admin ? (["administrator"] as const) : [])]);
    const pairwiseID = pairwiseId ?? drawPairwiseId(realm);
    const userID = await db.transaction((tx) =>
      addLocalUser(tx, { realm, username, pairwiseId: pairwiseID, email, roles: held, passwordHash, at }),
    );

    if (!realm.localSignIn) {
      context.say(`Local sign-in is off in realm ${realm.name}; \`realm set --local-sign-in on\` switches it on.`);
    }
    const user = { userID, pairwiseID, username, email, administrator: held.includes("administrator"), roles: held };
    return { json: user, text: lines(user) };
  },
});
