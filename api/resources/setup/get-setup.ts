import * as realms from "../../../db/queries/realm/realms.ts";
import * as setup from "../../../db/queries/realm/setup.ts";
import { radiusServerName } from "../../../domain/certificate/entitlement.ts";
import { currentAskers, pageOfStep, stepStates, type SetupStep } from "../../../domain/setup.ts";
import { upstreamCallbackPath } from "../../../runtime/config/addresses.ts";
import { endpoint } from "../../contract/endpoint.ts";
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
      sign_in: {
        provider: facts.provider?.issuer ?? null,
        redirectURI: `${settings.authUrl}${upstreamCallbackPath}`,
        administratorHasPassword: facts.administrators.some(({ hasPassword }) => hasPassword),
      },
      domain: { domain: realm.domain },
      wifi: { ssids: realm.ssids },
      radius_certificate: {
        radiusCN: radiusServerName(realm),
        expirationTime: facts.serverCertificateEndsAt?.toISOString() ?? null,
        radiusCA: facts.hasRadiusCa,
      },
      radius_asks: {
        servers: currentAskers(facts, at).map(({ address, lastAt }) => ({ address, lastAt: lastAt.toISOString() })),
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
    const commands = commandsOf(realm.name);
    const stepOf = <Step extends SetupStep>(step: Step) => ({
      step,
      state: states[step],
      facts: factsOfSteps[step],
      action: { page: pageOfStep[step], command: commands[step] ?? null },
    });
    return {
      setUpAt: realm.setUpAt?.toISOString() ?? null,
      steps: [
        stepOf("sign_in"),
        stepOf("domain"),
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

/**
 * Returns the commands for what only the operator does: whom sign-in trusts, and the domain, which is in every
 * certificate.
 */
const commandsOf = (realmName: string): Partial<Record<SetupStep, string>> => ({
  sign_in: `npm run operator -- realm set --realm ${realmName} --upstream-issuer https://idp.example.org --upstream-client-id CLIENT-ID --upstream-client-secret-stdin`,
  domain: "npm run operator -- realm create --name NAME --domain wifi.example.org",
});
