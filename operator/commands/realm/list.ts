import type { RealmRow } from "../../../db/queries/realm/realms.ts";
import { appsPath } from "../../../domain/onboarding-apps.ts";
import { authUrl } from "../../../runtime/config/addresses.ts";
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
          : realms.map((realm) => linesOf(realm, context.config).join("\n")).join("\n"),
    };
  },
});

/** Names the realm and, if people may use the geteduroam apps, the address at which the apps find it. */
const linesOf = (
  { name, domain, displayName, onboardingApps }: RealmRow,
  config: Parameters<typeof authUrl>[0],
): string[] => [
  `${name}  ${domain}  ${displayName}`,
  ...(onboardingApps ? [`  redirect field in eduroam CAT: ${authUrl(config)}${appsPath(name)}#letswifi`] : []),
];
