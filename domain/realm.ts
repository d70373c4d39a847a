import { z } from "zod";
import { realmDomainLengthMax } from "./certificate/certificate-profile.ts";
import { DeviceType, KeyType } from "./certificate/device.ts";
import { DnsName } from "./certificate/server-name.ts";
import { recognisableName } from "./text.ts";
import { isTimeZone } from "./time-zone.ts";
import { isMailUri, isSafeWebUri, isWebUri } from "./uris.ts";

export const realmLimits = {
  maxProfiles: 100,
  maxValidMonths: 24,
  forgetAfterMonths: 120,
  guestDays: 3_650,
  guestLimit: 100_000,
  reminderLeadDays: 60,
} as const;

/** The ranges of whole-number settings, both ends included; `maxValid` is in months, `offboardingShare` in percent, `reminderLead` in days. */
export const settingRanges = {
  maxProfiles: [0, realmLimits.maxProfiles],
  maxValid: [1, realmLimits.maxValidMonths],
  offboardingShare: [0, 100],
  guestDaysMax: [1, realmLimits.guestDays],
  guestLimitMax: [1, realmLimits.guestLimit],
  reminderLead: [0, realmLimits.reminderLeadDays],
} as const;

/** The realm's short name, which operators type. */
export const RealmName = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, "must be a lower-case DNS label");

/** The realm's name that people see. */
export const RealmDisplayName = recognisableName(1, 200);

/** The part of identities after the @: a DNS name short enough for an identity to fit into a common name. */
export const RealmDomain = DnsName.toLowerCase().max(
  realmDomainLengthMax,
  `must be at most ${realmDomainLengthMax} characters, so that identities fit a certificate's common name`,
);

const infrastructureDomainsMax = 32;

/** Domains in which infrastructure profiles can have DNS names, in addition to the realm's own domain. */
export const InfrastructureDomains = z
  .array(DnsName.toLowerCase())
  .min(1)
  .max(infrastructureDomainsMax, `must be given at most ${infrastructureDomainsMax} times`)
  .refine((names) => new Set(names).size === names.length, "must not name a domain twice");

/** The address of the realm's logo: https, like the pages that show it; empty for none. */
export const LogoUri = z
  .string()
  .refine((uri) => uri === "" || (isSafeWebUri(uri) && /^https:/i.test(uri)), "must be an absolute https URI or empty");

/** Where people get help: a page or a mail address; empty for none. */
export const HelpUri = z
  .string()
  .refine(
    (uri) => uri === "" || isWebUri(uri) || isMailUri(uri),
    "must be an absolute http(s) URI, mailto: with one address, or empty",
  );

/** The page about privacy; empty for none. */
export const PrivacyUri = z
  .string()
  .refine((uri) => uri === "" || isWebUri(uri), "must be an absolute http(s) URI or empty");

const ssidOctetsMax = 32;
const ssidsMax = 16;

/** The name of a Wi-Fi network (IEEE 802.11: 1 to 32 octets) that people can read. */
const Ssid = z
  .string()
  .refine(
    (name) => name !== "" && !/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u.test(name),
    "must be text without control characters",
  )
  .refine(
    (name) => new TextEncoder().encode(name).length <= ssidOctetsMax,
    `must have at most ${ssidOctetsMax} octets in UTF-8`,
  );

/** The Wi-Fi networks of a realm. */
export const Ssids = z
  .array(Ssid)
  .min(1)
  .max(ssidsMax, `must be given at most ${ssidsMax} times`)
  .refine((names) => new Set(names).size === names.length, "must not name a network twice");

/** The realm's name in the geteduroam apps' list; empty: not listed, so people type the address. */
export const AppsListing = z.union([z.literal(""), recognisableName(1, 200)]);

/** The name in the RADIUS server's certificate, which devices check. */
export const RadiusServerName = DnsName;

const furtherRadiusNamesMax = 8;

/**
 * The most characters of a realm's RADIUS server names together, joined by semicolons: they must fit into one setting
 * of Android.
 */
export const radiusNamesLengthMax = 255;
export const radiusNamesTooLong = `must have at most ${radiusNamesLengthMax} characters together with the main name`;

/** Further names in the certificates of RADIUS servers. */
export const FurtherRadiusNames = z
  .array(DnsName)
  .max(furtherRadiusNamesMax, `must be given at most ${furtherRadiusNamesMax} times`)
  .refine(
    (names) => new Set(names.map((name) => name.toLowerCase())).size === names.length,
    "must not name a server twice",
  )
  .refine((names) => names.join(";").length <= radiusNamesLengthMax, radiusNamesTooLong);

const rcoisMax = 8;

/** Roaming consortium identifiers (Passpoint), the preferred one first; kept in upper case. */
export const Rcois = z
  .array(
    z
      .string()
      .regex(/^(?:[0-9a-f]{6}|[0-9a-f]{10})$/i, "must be 6 or 10 hexadecimal digits, such as 001BC50460")
      .toUpperCase(),
  )
  .max(rcoisMax, `must be given at most ${rcoisMax} times`)
  .refine((rcois) => new Set(rcois).size === rcois.length, "must not name a consortium twice");

const helpMailLengthMax = 254;

/** Where people ask for help, in files for devices: one mail address; empty for none. */
export const HelpMail = z
  .string()
  .refine(
    (address) => address === "" || (address.length <= helpMailLengthMax && isMailUri(`mailto:${address}`)),
    "must be one mail address or empty",
  );

/** The number that people call for help, in files for devices; empty for none. */
export const HelpPhone = z
  .string()
  .regex(/^[-0-9+()/ ]{0,40}$/, "must have at most 40 digits, blanks and signs out of + - ( ) /")
  .refine((phone) => phone === "" || /[0-9]/.test(phone), "must have a digit or be empty");

/** The key type of each kind of device that does not get the default. */
export const KeyTypes = z.partialRecord(DeviceType, KeyType);

/** The most characters of PEM for the CAs of the RADIUS server. */
export const radiusCaLengthMax = 65_536;

/** The time zone in which the console and the pages show times. */
export const TimeZone = z
  .string()
  .max(100)
  .refine(isTimeZone, "must be a time zone of the IANA database, such as Europe/Berlin");

/** Returns the domains in which the DNS names of infrastructure profiles must be: the realm's own domain first. */
export const permittedDomains = (realm: { domain: string; infrastructureDomains: readonly string[] }): string[] => [
  realm.domain,
  ...realm.infrastructureDomains,
];

/** A realm's settings as the service uses them. */
export interface Realm {
  id: string;
  name: string;
  displayName: string;
  domain: string;
  logoUri: string;
  maxProfiles: number;
  maxValidMonths: number;
  /** The name in the RADIUS server's certificate; null: `radius.<domain>`. */
  radiusCn: string | null;
}
