import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import * as auditEntries from "../../../db/queries/audit/audit-entries.ts";
import * as issuers from "../../../db/queries/realm/issuers.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import { operatorActor } from "../../../domain/audit/audit.ts";
import { radiusServerNames } from "../../../domain/certificate/entitlement.ts";
import { Networks } from "../../../domain/networks.ts";
import {
  AppsListing,
  FurtherRadiusNames,
  HelpMail,
  HelpPhone,
  HelpUri,
  InfrastructureDomains,
  PrivacyUri,
  radiusNamesLengthMax,
  radiusNamesTooLong,
  RadiusServerName,
  Rcois,
  RealmDisplayName,
  realmLimits,
  settingRanges,
  Ssids,
  TimeZone,
} from "../../../domain/realm.ts";
import { newPeopleFrom, pairwiseAttributes } from "../../../domain/people/directory.ts";
import { sealUnderMasterKey } from "../../../runtime/keys/master-key.ts";
import { authUrl, upstreamCallbackPath } from "../../../runtime/config/addresses.ts";
import { flag, option } from "../../../terminal/command.ts";
import { command } from "../command.ts";
import { text } from "../../../domain/text.ts";
import { appsPath } from "../../../domain/onboarding-apps.ts";
import { ClaimName } from "../../../domain/people/upstream-claims.ts";
import { Vlan } from "../../../domain/people/vlan.ts";
import { UpstreamIssuer } from "../../../domain/uris.ts";
import { domainsBeyond } from "../../issuer/constraints.ts";
import { readCertificates } from "../../realm/certificate-file.ts";
import { ResetSettings } from "../../realm/resettable-settings.ts";
import { readClientSecret } from "../../realm/client-secret.ts";
import { wholeNumber } from "../../../terminal/inputs.ts";
import { ClaimValue, DirectoryAttributes, KeyTypeOfDevices, MayUse, RoleClaims, Switch, VlanRules } from "../inputs.ts";
import { violates } from "../../../db/client.ts";
import { CommandError, usageError } from "../../../terminal/failure.ts";
import { contradictionIn, opensToAnybody, upstreamChange } from "../../realm/upstream-change.ts";
import { lines, realmView } from "../views.ts";

export const realmSet = command({
  name: "realm set",
  about: "Changes the given settings of a realm.",
  options: {
    displayName: option("text", "the name that people see", RealmDisplayName.optional()),
    helpUri: option(
      "uri",
      "where people get help: http, https or mailto, linked from every page; empty: nowhere",
      HelpUri.optional(),
    ),
    privacyUri: option(
      "uri",
      "where people read how their data is used, linked from every page; empty: nowhere",
      PrivacyUri.optional(),
    ),
    radiusCn: option("name", "the name that the RADIUS server's certificate shows", RadiusServerName.optional()),
    radiusName: option(
      "name",
      "a name that the certificate of a further RADIUS server shows; repeat for each",
      FurtherRadiusNames.optional(),
      { many: true },
    ),
    radiusCaFile: option(
      "file",
      "PEM of the CA that issued the RADIUS server's certificate; default: the realm's own",
      z.string().min(1).optional(),
    ),
    radiusAddress: option(
      "address",
      "an address or network of a RADIUS server: only requests from it count as a device that tried; repeat for each; default: every address",
      Networks.optional(),
      { many: true },
    ),
    ssid: option("name", "a Wi-Fi network for the files for devices; repeat for each network", Ssids.optional(), {
      many: true,
    }),
    wired: option(
      "on|off",
      "files for devices also set up wired networks (IEEE 802.1X); default: off",
      Switch.optional(),
    ),
    onboardingApps: option("on|off", "the geteduroam apps may fetch profiles; default: off", Switch.optional()),
    appsListing: option(
      "text",
      "the realm's name in the apps' list; default: empty, people type the address",
      AppsListing.optional(),
    ),
    rcoi: option(
      "hex",
      "a roaming consortium (Passpoint) that devices join: 6 or 10 hexadecimal digits; repeat for each, the preferred one first",
      Rcois.optional(),
      { many: true },
    ),
    helpMail: option("address", "the e-mail address for help in files for devices; empty: none", HelpMail.optional()),
    helpPhone: option(
      "number",
      "the telephone number for help in files for devices; empty: none",
      HelpPhone.optional(),
    ),
    reminderLead: option(
      "days",
      "the apps treat a profile as expired this many days before its end, at most a third of its validity; default: 0",
      wholeNumber(...settingRanges.reminderLead).optional(),
    ),
    keyType: option(
      "device=type",
      "the key type of a kind of device, such as Android=rsa-2048; repeat for each; the others get the default",
      KeyTypeOfDevices.optional(),
      { many: true },
    ),
    infrastructureDomain: option(
      "domain",
      "a further domain for DNS names of infrastructure profiles; repeat for each",
      InfrastructureDomains.optional(),
      { many: true },
    ),
    localSignIn: option("on|off", "sign-in with a local name, for trial and emergencies", Switch.optional()),
    upstreamIssuer: option("uri", "the identity provider that people sign in through", UpstreamIssuer.optional()),
    upstreamClientId: option("id", "the client id of this service at the identity provider", text(1, 255).optional()),
    upstreamClientSecretStdin: flag(
      "read this service's secret at the identity provider from standard input",
      z.boolean().optional(),
    ),
    claimPairwiseId: option(
      "name",
      "the claim with the pseudonym that the realm knows people by; default: pairwise_id, else sub",
      ClaimName.optional(),
    ),
    claimEmail: option("name", "the claim with the email address; default: email", ClaimName.optional()),
    claimDisplayName: option("name", "the claim with the name that people see; default: name", ClaimName.optional()),
    claimAdministrator: option(
      "name=value",
      "of people who sign in through the identity provider, exactly those with this claim value administer the realm",
      ClaimValue.optional(),
    ),
    claimRole: option(
      "role=name=value",
      "of people who sign in through the identity provider, exactly those with this claim value have this role; once for each",
      RoleClaims.optional(),
      { many: true },
    ),
    mayUse: option(
      "name=value",
      "of people who sign in through the identity provider, exactly those with this claim value may use the realm; once for each",
      MayUse.optional(),
      { many: true },
    ),
    vlanRule: option(
      "name=value=vlan",
      "people with this claim value at a sign-in through the identity provider get this VLAN; once for each, the first that fits counts",
      VlanRules.optional(),
      { many: true },
    ),
    vlanDefault: option("vlan", "the VLAN of everybody else; default: the RADIUS server decides", Vlan.optional()),
    clear: option(
      "settings",
      "settings to reset, separated by commas: radius-ca,upstream-issuer,claim-email",
      ResetSettings.optional(),
    ),
    maxProfiles: option(
      "count",
      "active profiles that a person may have",
      wholeNumber(...settingRanges.maxProfiles).optional(),
    ),
    maxValid: option("months", "how long a profile is valid", wholeNumber(...settingRanges.maxValid).optional()),
    timeZone: option(
      "name",
      "the time zone of times in the console and on pages, such as Europe/Berlin; default: UTC",
      TimeZone.optional(),
    ),
    guestDaysMax: option(
      "days",
      "how far ahead a guest manager may set the end of a guest account; default: 90",
      wholeNumber(...settingRanges.guestDaysMax).optional(),
    ),
    guestLimitMax: option(
      "count",
      "active profiles that a guest manager may allow a guest account; default: 200",
      wholeNumber(...settingRanges.guestLimitMax).optional(),
    ),
    offboardingShare: option(
      "percent",
      "a bulk offboarding of more of the realm's people has to be confirmed; default: 20",
      wholeNumber(...settingRanges.offboardingShare).optional(),
    ),
    forgetAfterMonths: option(
      "months",
      "erase the personal data of people who were offboarded longer ago, who then cannot be reactivated; default: nobody is forgotten",
      wholeNumber(1, realmLimits.forgetAfterMonths).optional(),
    ),
    scimPairwise: option(
      "externalId|userName",
      "the attribute of a directory (SCIM) whose value is the pairwise id; cannot change once a directory has added people; default: externalId",
      z.enum(pairwiseAttributes).optional(),
    ),
    newPeople: option(
      "sign-in|scim",
      "who creates people: the first sign-in, or only a directory; default: sign-in",
      z.enum(newPeopleFrom).optional(),
    ),
    scimAttribute: option(
      "name=path",
      "the attribute of a directory (SCIM) that stands for a claim of --may-use and --vlan-rule, for the people whom the directory manages; once for each",
      DirectoryAttributes.optional(),
      { many: true },
    ),
  },
  async run(input, context) {
    if (Object.values(input).every((value) => value === undefined)) {
      throw usageError("There is nothing to change; see `realm set --help`.");
    }
    const contradiction = contradictionIn(input);
    if (contradiction !== undefined) throw usageError(`--${contradiction} cannot be both set and cleared.`);
    const at = context.clock.now();
    const secret =
      input.upstreamClientSecretStdin === true
        ? readClientSecret(await context.readSecret("Client secret (not shown): "))
        : undefined;
    const radiusCa = input.clear?.has("radius-ca") === true ? null : readCertificates(input.radiusCaFile, at);
    const { id } = await context.realm();
    const sealedSecret =
      secret === undefined
        ? undefined
        : sealUnderMasterKey(await context.masterKeys(), Buffer.from(secret), realms.upstreamSecretContext(id));
    const {
      displayName,
      helpUri,
      privacyUri,
      radiusCn,
      ssid,
      wired,
      infrastructureDomain,
      localSignIn,
      maxProfiles,
      maxValid,
      offboardingShare,
      forgetAfterMonths,
      timeZone,
      guestDaysMax,
      guestLimitMax,
      scimPairwise,
      newPeople,
    } = input;
    const db = await context.db();
    const { before, realm } = await db.transaction(async (tx) => {
      const before = await realms.lock(tx, id);
      const after = await realms
        .update(tx, id, {
          displayName,
          helpUri,
          privacyUri,
          radiusCn,
          radiusCa,
          radiusAddresses: input.clear?.has("radius-address") === true ? [] : input.radiusAddress,
          radiusNames: input.clear?.has("radius-name") === true ? [] : input.radiusName,
          rcois: input.clear?.has("rcoi") === true ? [] : input.rcoi,
          helpMail: input.helpMail,
          helpPhone: input.helpPhone,
          reminderLeadDays: input.reminderLead,
          keyTypes: input.clear?.has("key-type") === true ? {} : input.keyType,
          ssids: ssid,
          wired,
          onboardingApps: input.onboardingApps,
          appsListing: input.appsListing,
          infrastructureDomains: input.clear?.has("infrastructure-domain") === true ? [] : infrastructureDomain,
          offboardingShare,
          timeZone,
          guestDaysMax,
          guestLimitMax,
          forgetAfterMonths: input.clear?.has("forget-after-months") === true ? null : forgetAfterMonths,
          localSignIn,
          maxProfiles,
          maxValidMonths: maxValid,
          vlanRules: input.clear?.has("vlan-rule") === true ? [] : input.vlanRule,
          vlanDefault: input.clear?.has("vlan-default") === true ? null : input.vlanDefault,
          scimPairwise,
          newPeople,
          scimAttributes: input.clear?.has("scim-attribute") === true ? [] : input.scimAttribute,
          ...upstreamChange(before, input, sealedSecret),
        })
        .catch(refusePairwise);
      if (opensToAnybody(before, after, input)) throw usageError(openToAnybody);
      if (radiusServerNames(after).join(";").length > radiusNamesLengthMax) {
        throw usageError(`--radius-name: ${radiusNamesTooLong}`);
      }
      await auditEntries.record(tx, {
        realmId: id,
        event: "realm_update",
        actor: operatorActor,
        at,
        properties: {
          ...changed(realmView(before), realmView(after)),
          ...(sealedSecret === undefined ? {} : { upstreamClientSecret: "replaced" }),
        },
      });
      return { before, realm: after };
    });

    for (const advice of adviceFor(realm, before)) context.say(advice);
    if (infrastructureDomain !== undefined) {
      const issuing = (await issuers.list(db, id)).find((issuer) => issuer.issuing);
      const beyond = issuing === undefined ? [] : domainsBeyond(issuing, infrastructureDomain);
      if (beyond.length > 0) {
        context.say(
          `The issuing CA does not permit ${beyond.join(", ")}: \`issuer rotate --realm ${realm.name}\` makes one that does. Until then such names are refused.`,
        );
      }
    }
    if (realm.onboardingApps && input.onboardingApps !== undefined) {
      const base = `${authUrl(context.config)}${appsPath(realm.name)}`;
      context.say(`The apps use ${base}`);
      if (!base.startsWith("https:")) context.say("The apps use https alone: set an https address of this service.");
    }
    if (input.upstreamIssuer !== undefined || input.upstreamClientId !== undefined) {
      context.say(`The redirect URI to register there: ${authUrl(context.config)}${upstreamCallbackPath}`);
    }
    return { json: realmView(realm), text: lines(realmView(realm)) };
  },
});

/**
 * Throws an error for the operator if a directory already identifies people by the attribute, which can then no longer
 * change; throws any other error unchanged.
 */
function refusePairwise(error: unknown): never {
  if (!violates(error, "realms_scim_pairwise_stays")) throw error;
  const sentence =
    "A directory has added people to this realm, and identifies them by this attribute: it cannot change.";
  throw new CommandError("pairwise_in_use", sentence, { cause: error });
}

const openToAnybody =
  "Anybody can have an account at this identity provider, so --may-use is required to restrict who may use the realm, such as --may-use hd=uni.example.";

/** Yields what the operator should know about the realm after the change. */
function* adviceFor(realm: realms.RealmRow, before: realms.RealmRow): Generator<string> {
  const { upstreamIssuer, upstreamClientId } = realm;
  if (!realm.localSignIn && !realms.hasUpstream(realm)) {
    yield "Nobody can sign in to this realm: local sign-in is off and no identity provider is named.";
  }
  if ((upstreamIssuer === null) !== (upstreamClientId === null)) {
    yield "The identity provider is not used before both --upstream-issuer and --upstream-client-id are set.";
  }
  const moved = upstreamIssuer !== null && upstreamIssuer !== before.upstreamIssuer;
  if (moved && before.upstreamClientSecretSet && !realm.upstreamClientSecretSet) {
    yield "The client secret was the old identity provider's and is removed; --upstream-client-secret-stdin sets a new one.";
  }
}

type View = Readonly<Record<string, unknown>>;

/** Returns the changed settings, before and after. */
function changed(before: View, after: View): { before: View; after: View } {
  const names = Object.keys(after).filter((name) => !isDeepStrictEqual(before[name], after[name]));
  const only = (view: View): View => Object.fromEntries(names.map((name) => [name, view[name]]));
  return { before: only(before), after: only(after) };
}
