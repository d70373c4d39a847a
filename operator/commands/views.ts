import type { GuestAccount } from "../../db/queries/people/guest-accounts.ts";
import type { IssuerRow } from "../../db/queries/realm/issuers.ts";
import { writtenDirectoryAttribute } from "../../domain/people/directory-attributes.ts";
import { writtenClaims } from "../../domain/people/upstream-claims.ts";
import { writtenVlanRule } from "../../domain/people/vlan.ts";
import type { RealmRow } from "../../db/queries/realm/realms.ts";
import { radiusServerName } from "../../domain/certificate/entitlement.ts";
import { constraintsOf, constraintsText } from "../issuer/constraints.ts";
import { fingerprintOf, serialNumberOf } from "../issuer/ceremony-directory.ts";
import type { Answer } from "./command.ts";

/** Returns a realm as commands show it: the specification's names, and settings that only operators change. */
export const realmView = (realm: RealmRow) => ({
  realmID: realm.id,
  realmName: realm.name,
  displayName: realm.displayName,
  domain: realm.domain,
  logoURI: realm.logoUri,
  helpURI: realm.helpUri,
  privacyURI: realm.privacyUri,
  maxProfiles: realm.maxProfiles,
  maxValid: realm.maxValidMonths,
  radiusCN: radiusServerName(realm),
  radiusNames: realm.radiusNames,
  radiusCA: realm.radiusCa,
  radiusAddresses: realm.radiusAddresses,
  ssids: realm.ssids,
  wired: realm.wired,
  rcois: realm.rcois,
  helpMail: realm.helpMail,
  helpPhone: realm.helpPhone,
  reminderLead: realm.reminderLeadDays,
  keyTypes: realm.keyTypes,
  onboardingApps: realm.onboardingApps,
  appsListing: realm.appsListing,
  infrastructureDomains: realm.infrastructureDomains,
  offboardingShare: realm.offboardingShare,
  timeZone: realm.timeZone,
  guestDaysMax: realm.guestDaysMax,
  guestLimitMax: realm.guestLimitMax,
  setUpAt: realm.setUpAt?.toISOString() ?? null,
  forgetAfterMonths: realm.forgetAfterMonths,
  localSignIn: realm.localSignIn,
  upstreamIssuer: realm.upstreamIssuer,
  upstreamClientID: realm.upstreamClientId,
  upstreamClientSecretSet: realm.upstreamClientSecretSet,
  ...writtenClaims(realm.upstreamClaims),
  vlanRules: realm.vlanRules.map(writtenVlanRule),
  vlanDefault: realm.vlanDefault,
  scimPairwise: realm.scimPairwise,
  newPeople: realm.newPeople,
  scimAttributes: realm.scimAttributes.map(writtenDirectoryAttribute),
});

/** Returns an issuer as commands show it. Its fingerprint is SHA-256. */
export const issuerView = (issuer: IssuerRow) => {
  const root = issuer.chain.at(-1);
  return {
    issuerID: issuer.id,
    serialNumber: serialNumberOf(issuer.certificate),
    fingerprint: issuer.fingerprint,
    subject: issuer.subject,
    notBefore: issuer.notBefore.toISOString(),
    notAfter: issuer.notAfter.toISOString(),
    issuing: issuer.issuing,
    prepared: issuer.prepared,
    constraints: constraintsOf(issuer),
    rootFingerprint: root === undefined ? null : fingerprintOf(root),
  };
};

/** Returns a new guest account in the form of the specification's section 2.3. */
export const guestAccountView = (account: GuestAccount) => ({
  id: account.id,
  name: account.name,
  creationDate: account.createdAt.toISOString(),
  expirationDate: account.expiresAt.toISOString(),
  note: account.note,
  profileLimit: account.profileLimit,
  revoked: account.revokedAt !== null,
  activeProfileCount: 0,
});

/** Describes an issuer in one line. */
export const issuerLine = (issuer: IssuerRow): string =>
  `${issuerState(issuer).padEnd("publishing".length)}  ${issuer.id}  ${issuer.subject}  until ${issuer.notAfter.toISOString()}  ${issuer.fingerprint}  ${constraintsText(constraintsOf(issuer))}`;

/** Returns the answer of a command whose result is one issuer. */
export const issuerAnswer = (issuer: IssuerRow): Answer => ({ json: issuerView(issuer), text: issuerLine(issuer) });

function issuerState({ issuing, prepared }: IssuerRow): "issuing" | "prepared" | "publishing" {
  if (issuing) return "issuing";
  return prepared ? "prepared" : "publishing";
}

/** Returns lines of `name: value`, the values aligned. */
export function lines(values: Readonly<Record<string, unknown>>): string {
  const width = Math.max(...Object.keys(values).map((name) => name.length));
  return Object.entries(values)
    .map(([name, value]) => `${`${name}:`.padEnd(width + 2)}${shown(value)}`)
    .join("\n");
}

function shown(value: unknown): string {
  if (value === null) return "-";
  return typeof value === "string" ? value : JSON.stringify(value);
}
