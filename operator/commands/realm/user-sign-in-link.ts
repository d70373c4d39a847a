import * as localCredentials from "../../../db/queries/sign-in/local-credentials.ts";
import * as users from "../../../db/queries/people/users.ts";
import { authUrl } from "../../../runtime/config/addresses.ts";
import { option } from "../../../terminal/command.ts";
import { command } from "../command.ts";
import { GivenUsername } from "../../../domain/people/user-name.ts";
import { addSignInLink } from "../../user/new-sign-in-link.ts";
import { CommandError } from "../../../terminal/failure.ts";

export const userSignInLink = command({
  name: "user sign-in-link",
  about: "Creates a link that signs a user in, once, within 15 minutes.",
  options: { username: option("name", "the name with which the user signs in", GivenUsername) },
  async run({ username }, context) {
    const at = context.clock.now();
    const realm = await context.realm();
    const db = await context.db();
    const userId = await localCredentials.findUserId(db, { realmId: realm.id, username });
    const user = userId === undefined ? undefined : await users.find(db, { realmId: realm.id, userId, at });
    if (user === undefined) {
      throw new CommandError("user_not_found", `There is no user "${username}" in realm ${realm.name}.`);
    }
    if (user.offboardedAt !== null) {
      throw new CommandError("user_offboarded", `The user "${username}" is offboarded and cannot sign in.`);
    }

    const url = await db.transaction((tx) =>
      addSignInLink(tx, { realmId: realm.id, userId: user.id, authUrl: authUrl(context.config), at }),
    );
    if (!realm.localSignIn) {
      context.say(`Local sign-in is off in realm ${realm.name}; \`realm set --local-sign-in on\` switches it on.`);
    }
    return { json: { url }, text: url };
  },
});
