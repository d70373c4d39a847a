import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { RealmChange, RealmRow } from "../../../db/queries/realm/realms.ts";
import { radiusServerNames } from "../../../domain/certificate/entitlement.ts";
import type { FieldError } from "../../../domain/errors.ts";
import { Networks } from "../../../domain/networks.ts";
import {
  HelpUri,
  LogoUri,
  PrivacyUri,
  RadiusServerName,
  radiusCaLengthMax,
  radiusNamesLengthMax,
  RealmDisplayName,
  settingRanges,
  Ssids,
  TimeZone,
} from "../../../domain/realm.ts";
import { readCaCertificates } from "../../../runtime/ca-certificates.ts";

const whole = ([min, max]: readonly [number, number]) => z.int().min(min).max(max);

/** The body for changing a realm's settings; every property is optional. */
export const RealmSettingsChange = z.object({
  displayName: RealmDisplayName.optional(),
  logoURI: LogoUri.optional(),
  maxProfiles: whole(settingRanges.maxProfiles).optional().describe("Profiles beyond a lower limit stay."),
  maxValid: whole(settingRanges.maxValid).optional().describe("In months, of new profiles."),
  helpURI: HelpUri.optional(),
  privacyURI: PrivacyUri.optional(),
  ssids: Ssids.optional(),
  offboardingShare: whole(settingRanges.offboardingShare).optional(),
  guestDaysMax: whole(settingRanges.guestDaysMax).optional(),
  guestLimitMax: whole(settingRanges.guestLimitMax).optional(),
  timeZone: TimeZone.optional(),
  radiusCN: RadiusServerName.nullish(),
  radiusCA: z
    .string()
    .max(radiusCaLengthMax)
    .nullish()
    .describe("PEM of one or more CA certificates that have not ended; surrounding text is not stored."),
  radiusAddresses: Networks.optional(),
});
type RealmSettingsChange = z.output<typeof RealmSettingsChange>;

/** Returns the faults of `radiusCA`, if the change sets it. They depend on the time: a certificate may have expired. */
export function caFaults({ radiusCA }: Readonly<Record<string, unknown>>, at: Date): FieldError[] {
  if (typeof radiusCA !== "string") return [];
  const read = readCaCertificates(radiusCA, at);
  return "fault" in read ? [{ path: "radiusCA", reason: read.fault }] : [];
}

/** Returns the change for the database. A null `radiusCN` or `radiusCA` leaves the stored value unchanged. */
export function changeOfRealm(given: RealmSettingsChange, at: Date): RealmChange {
  const { logoURI, helpURI, privacyURI, maxValid, radiusCN, radiusCA, ...others } = given;
  const ca = typeof radiusCA === "string" ? readCaCertificates(radiusCA, at) : undefined;
  return {
    ...others,
    logoUri: logoURI,
    helpUri: helpURI,
    privacyUri: privacyURI,
    maxValidMonths: maxValid,
    radiusCn: radiusCN ?? undefined,
    radiusCa: ca !== undefined && "certificates" in ca ? ca.certificates : undefined,
  };
}

/**
 * The settings for the RADIUS servers that devices trust: an administrator sets each once, before the set-up is
 * finished; afterwards only the operator can change them.
 */
const trustSettings = ["radiusCN", "radiusCA", "radiusNames"] as const;
export type TrustSetting = (typeof trustSettings)[number];

const columnOf = { radiusCN: "radiusCn", radiusCA: "radiusCa", radiusNames: "radiusNames" } as const;

/** Returns true if only the operator may change this setting. */
export function isLocked(name: TrustSetting, realm: RealmRow): boolean {
  const value = realm[columnOf[name]];
  return realm.setUpAt !== null || (value !== null && value.length > 0);
}

/** Returns the settings that the change would alter although only the operator may. */
export const refusedBy = (
  realm: RealmRow,
  given: Partial<Record<TrustSetting, unknown>>,
  change: RealmChange,
): TrustSetting[] =>
  trustSettings.filter((name) => {
    const wanted = given[name] === undefined ? undefined : (change[columnOf[name]] ?? null);
    return isLocked(name, realm) && wanted !== undefined && !isDeepStrictEqual(wanted, realm[columnOf[name]]);
  });

/** Returns true if the names of the realm's RADIUS servers are too long for the setting on a device. */
export const hasTooLongNames = (realm: RealmRow): boolean =>
  radiusServerNames(realm).join(";").length > radiusNamesLengthMax;
