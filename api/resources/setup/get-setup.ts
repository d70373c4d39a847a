import * as realms from "../../../db/queries/realm/realms.ts";
import * as setup from "../../../db/queries/realm/setup.ts";
import { radiusServerName } from "../../../domain/certificate/entitlement.ts";
import { currentAskers, newRealm, pageOfStep, stepStates, type Asker, type SetupStep } from "../../../domain/setup.ts";
import { upstreamCallbackPath } from "../../../runtime/config/addresses.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { signInCommand } from "../realm/operator-commands.ts";
import { isChangeable } from "../sign-in/sign-in-rules.ts";
import { SetupView } from "../../contract/views/setup-view.ts";

export const getSetup = endpoint({
  operation: "getSetup",
  summary: "The state of the realm's set-up",
  description:
    "Each step to the first devices, with its state, the facts behind it, and what to do next. Determined at each call.",
  method: "get",
  path: "/api/setup",
  access: "staff",
  scope: "realm.read",
  data: SetupView,
  errors: [],

  async handle({ principal: { realmId }, deps: { db, clock, settings } }) {
    const at = clock.now();
    const realm = await realms.findById(db, realmId);
    if (realm === undefined) throw new Error(`realm ${realmId} has gone`);
    const facts = await setup.findFacts(db, { realm, at });
    const states = stepStates(facts, at);
    const [administrator] = facts.administrators;
    const factsOfSteps = {
      domain: { domain: realm.domain },
      sign_in: {
        kind: realm.upstreamKind,
        provider: facts.provider?.issuer ?? null,
        redirectURI: `${settings.authUrl}${upstreamCallbackPath}`,
        administratorHasPassword: facts.administrators.some(({ hasPassword }) => hasPassword),
      },
      wifi: { ssids: realm.ssids },
      radius_certificate: {
        radiusCN: radiusServerName(realm),
        expirationTime: facts.serverCertificateEndsAt?.toISOString() ?? null,
        radiusCA: facts.hasRadiusCa,
      },
      radius_asks: {
        servers: currentAskers(facts.askers, at).map(askerView),
        others: currentAskers(facts.otherAskers, at).map(askerView),
        lastAt: facts.askers[0]?.lastAt.toISOString() ?? null,
      },
      own_device: {
        hasProfile: facts.ownDevice.hasProfile,
        checkedAt: facts.ownDevice.checkedAt?.toISOString() ?? null,
      },
      people: {},
      second_administrator: {
        administrators: facts.administrators.length,
        lastAdministratorKept: facts.administrators.length === 1 && administrator?.isKept === true,
      },
    };
    const isSignInSetHere = isChangeable(realm);
    const commands: Partial<Record<SetupStep, string>> = {
      domain: domainCommands(administrator?.username ?? null),
      ...(!isSignInSetHere && { sign_in: signInCommand(realm) }),
    };
    const pages = { ...pageOfStep, ...(isSignInSetHere && { sign_in: "settings" as const }) };
    const stepOf = <Step extends SetupStep>(step: Step) => ({
      step,
      state: states[step],
      facts: factsOfSteps[step],
      action: { page: pages[step], command: commands[step] ?? null },
    });
    return {
      setUpAt: realm.setUpAt?.toISOString() ?? null,
      steps: [
        stepOf("domain"),
        stepOf("sign_in"),
        stepOf("wifi"),
        stepOf("radius_certificate"),
        stepOf("radius_asks"),
        stepOf("own_device"),
        stepOf("people"),
        stepOf("second_administrator"),
      ],
    };
  },
});

const askerView = ({ address, lastAt }: Asker) => ({ address, lastAt: lastAt.toISOString() });

/**
 * Returns shell commands that create a realm with another domain, since a realm's domain is in every certificate. The
 * administrator gets an account of the same name in the new realm, or `admin` if there is no such name or it contains a
 * character that a shell may interpret.
 */
const domainCommands = (administrator: string | null): string => {
  const username =
    administrator !== null && /^[A-Za-z0-9][A-Za-z0-9._@-]*$/.test(administrator) ? administrator : "admin";
  return [
    `realm create --name ${newRealm.name} --domain ${newRealm.domain}`,
    `realm set --realm ${newRealm.name} --local-sign-in on`,
    `user create --realm ${newRealm.name} --username ${username} --admin`,
    `user sign-in-link --realm ${newRealm.name} --username ${username}`,
  ]
    .map((command) => `npm run --silent operator -- ${command}`)
    .join("\n");
};
