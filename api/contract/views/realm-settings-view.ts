import { z } from "zod";
import type { RealmRow } from "../../../db/queries/realm/realms.ts";
import { writtenClaims } from "../../../domain/people/upstream-claims.ts";
import { writtenVlanRule } from "../../../domain/people/vlan.ts";
import { Timestamp } from "./timestamp.ts";

/** The settings of a realm that the console can change. */
const ChangeableSettings = z.object({
  displayName: z.string(),
  logoURI: z.string(),
  helpURI: z.string(),
  privacyURI: z.string(),
  maxProfiles: z.int(),
  maxValid: z.int().describe("Months."),
  ssids: z.array(z.string()).describe("The Wi-Fi networks that files for devices set up."),
  offboardingShare: z
    .int()
    .describe("Percent of the people who are not offboarded: a bulk offboarding of more has to be confirmed."),
  guestDaysMax: z.int().describe("How many days ahead guest managers may set the end of a guest account."),
  guestLimitMax: z.int().describe("How many active profiles guest managers may allow a guest account."),
  timeZone: z.string().describe("For times that people read in the console and on pages; a name of the IANA database."),
  radiusCN: z
    .string()
    .nullable()
    .describe("The name that the RADIUS server's certificate shows; null: `radius.` and the realm's domain."),
  radiusCA: z
    .string()
    .nullable()
    .describe("PEM of the CAs that the RADIUS server's certificate is from; null: the realm's own."),
  radiusAddresses: z
    .array(z.string())
    .describe(
      "Addresses and networks of the RADIUS servers: only their questions count as a device that tried. Empty: everybody's.",
    ),
});
type ChangeableSettings = z.infer<typeof ChangeableSettings>;

/** All settings of a realm, including those that the console can change. */
export const RealmSettingsView = ChangeableSettings.extend({
  realmName: z.string(),
  domain: z.string().describe("The part after the @ in identities."),
  wired: z
    .boolean()
    .describe("Files for devices also set up wired networks with IEEE 802.1X (`operator realm set --wired on`)."),
  localSignIn: z.boolean(),
  publicationURL: z.string().describe("The address of CRLs in certificates."),
  setUpAt: Timestamp.nullable().describe("Once it is set, only the operator changes `radiusCN` and `radiusCA`."),
  forgetAfterMonths: z
    .int()
    .nullable()
    .describe("People who were offboarded longer ago are forgotten (`operator realm set`); null: never."),
  upstreamIssuer: z.string().nullable(),
  upstreamClientID: z.string().nullable(),
  upstreamClientSecretSet: z.boolean(),
  claimPairwiseID: z.string().nullable(),
  claimEmail: z.string().nullable(),
  claimDisplayName: z.string().nullable(),
  claimAdministrator: z.string().nullable(),
  claimRoles: z.array(z.string()),
  mayUse: z
    .array(z.string())
    .describe("People with one of these values of a claim (`NAME=VALUE`) may use the realm; empty: all people may."),
  vlanRules: z
    .array(z.string())
    .describe(
      "Which VLAN people get at a sign-in through the identity provider: the first that fits (`NAME=VALUE=VLAN`).",
    ),
  vlanDefault: z.string().nullable().describe("The default VLAN; null: the RADIUS server decides."),
  locked: z
    .record(z.string(), z.string())
    .describe(
      "The operator's command for each setting that cannot be changed here now, with the current values; for `wired` with the other value.",
    ),
}).meta({ id: "RealmSettings" });
export type RealmSettingsView = z.infer<typeof RealmSettingsView>;

export const changeableSettingsView = (realm: RealmRow): ChangeableSettings => ({
  displayName: realm.displayName,
  logoURI: realm.logoUri,
  helpURI: realm.helpUri,
  privacyURI: realm.privacyUri,
  maxProfiles: realm.maxProfiles,
  maxValid: realm.maxValidMonths,
  ssids: realm.ssids,
  offboardingShare: realm.offboardingShare,
  guestDaysMax: realm.guestDaysMax,
  guestLimitMax: realm.guestLimitMax,
  timeZone: realm.timeZone,
  radiusCN: realm.radiusCn,
  radiusCA: realm.radiusCa,
  radiusAddresses: realm.radiusAddresses,
});

export const realmSettingsView = (
  realm: RealmRow,
  { publicationUrl, locked }: { publicationUrl: string; locked: Record<string, string> },
): RealmSettingsView => ({
  ...changeableSettingsView(realm),
  realmName: realm.name,
  domain: realm.domain,
  wired: realm.wired,
  localSignIn: realm.localSignIn,
  publicationURL: publicationUrl,
  setUpAt: realm.setUpAt?.toISOString() ?? null,
  forgetAfterMonths: realm.forgetAfterMonths,
  upstreamIssuer: realm.upstreamIssuer,
  upstreamClientID: realm.upstreamClientId,
  upstreamClientSecretSet: realm.upstreamClientSecretSet,
  ...writtenClaims(realm.upstreamClaims),
  vlanRules: realm.vlanRules.map(writtenVlanRule),
  vlanDefault: realm.vlanDefault,
  locked,
});
