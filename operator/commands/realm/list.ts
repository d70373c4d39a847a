import { command } from "../command.ts";
import { realmView } from "../views.ts";

export const realmList = command({
  name: "realm list",
  about: "Shows every realm, or the one that --realm names.",
  options: {},
  async run(_, context) {
    const realms = await context.realms();
    return {
      json: { realms: realms.map(realmView) },
      text:
        realms.length === 0
          ? "There is no realm yet. Create one with `realm create`."
          : realms.map(({ name, domain, displayName }) => `${name}  ${domain}  ${displayName}`).join("\n"),
    };
  },
});
