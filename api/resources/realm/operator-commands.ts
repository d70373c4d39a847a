import type { RealmRow } from "../../../db/queries/realm/realms.ts";
import { radiusServerName } from "../../../domain/certificate/entitlement.ts";
import { writtenVlanRule } from "../../../domain/people/vlan.ts";
import { writtenClaims } from "../../../domain/people/upstream-claims.ts";
import { isLocked, type TrustSetting } from "./realm-settings-change.ts";

/** Quotes a word for a shell's command line. */
const quoted = (word: string): string =>
  /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

const commandFor = (realm: RealmRow, option: string, ...values: readonly string[]): string =>
  [`npm run operator -- realm set --realm ${realm.name}`]
    .concat(values.length === 0 ? [option] : values.map((value) => `${option} ${quoted(value)}`))
    .join(" ");

/** The operator's commands that change the RADIUS servers and the CA that devices trust. */
export const trustCommands: Readonly<Record<TrustSetting, (realm: RealmRow) => string>> = {
  radiusCN: (realm) => commandFor(realm, "--radius-cn", radiusServerName(realm)),
  radiusCA: (realm) => commandFor(realm, "--radius-ca-file", "radius-ca.pem"),
  radiusNames: (realm) =>
    commandFor(
      realm,
      "--radius-name",
      ...(realm.radiusNames.length > 0 ? realm.radiusNames : [`radius-2.${realm.domain}`]),
    ),
};

/**
 * Returns the operator's command that sets the whole sign-in through an identity provider, with the current values, or
 * with examples for a realm without a provider.
 */
export function signInCommand(realm: RealmRow): string {
  const { claimPairwiseID, claimEmail, claimDisplayName, claimRoles, mayUse } = writtenClaims(realm.upstreamClaims);
  const one = (option: string, value: string | null): string[] =>
    value === null ? [] : [`${option} ${quoted(value)}`];
  return [
    `npm run operator -- realm set --realm ${realm.name}`,
    ...one("--upstream-issuer", realm.upstreamIssuer ?? "https://idp.example.org"),
    ...one("--upstream-client-id", realm.upstreamClientId ?? "CLIENT-ID"),
    "--upstream-client-secret-stdin",
    ...one("--claim-pairwise-id", claimPairwiseID),
    ...one("--claim-email", claimEmail),
    ...one("--claim-display-name", claimDisplayName),
    ...mayUse.flatMap((rule) => one("--may-use", rule)),
    ...claimRoles.flatMap((rule) => one("--claim-role", rule)),
  ].join(" ");
}

/** Returns the operator's command for the names of further RADIUS servers, if the console cannot change them now. */
export const appsCommands = (realm: RealmRow): Record<string, string> =>
  isLocked("radiusNames", realm) ? { radiusNames: trustCommands.radiusNames(realm) } : {};

/**
 * Returns the operator's command for each setting that the console cannot change now, by the setting's name. The
 * command contains the current value, or an example if the realm has no value; the command for wired networks contains
 * the opposite value.
 */
export function operatorCommands(realm: RealmRow): Record<string, string> {
  const claims = writtenClaims(realm.upstreamClaims);
  const command = (option: string, ...values: readonly string[]): string => commandFor(realm, option, ...values);
  return {
    ...(isLocked("radiusCN", realm) && { radiusCN: trustCommands.radiusCN(realm) }),
    ...(isLocked("radiusCA", realm) && { radiusCA: trustCommands.radiusCA(realm) }),
    localSignIn: command("--local-sign-in", realm.localSignIn ? "on" : "off"),
    forgetAfterMonths: command("--forget-after-months", String(realm.forgetAfterMonths ?? 12)),
    wired: command("--wired", realm.wired ? "off" : "on"),
    upstreamIssuer: command("--upstream-issuer", realm.upstreamIssuer ?? "https://idp.example.org"),
    upstreamClientID: command("--upstream-client-id", realm.upstreamClientId ?? "realmpass"),
    upstreamClientSecretSet: command("--upstream-client-secret-stdin"),
    claimPairwiseID: command("--claim-pairwise-id", claims.claimPairwiseID ?? "pairwise_id"),
    claimEmail: command("--claim-email", claims.claimEmail ?? "email"),
    claimDisplayName: command("--claim-display-name", claims.claimDisplayName ?? "name"),
    claimAdministrator: command("--claim-administrator", claims.claimAdministrator ?? "groups=wifi-admins"),
    claimRoles: command(
      "--claim-role",
      ...(claims.claimRoles.length > 0 ? claims.claimRoles : ["help_desk=groups=it"]),
    ),
    mayUse: command("--may-use", ...(claims.mayUse.length > 0 ? claims.mayUse : ["groups=wifi-users"])),
    vlanRules: command(
      "--vlan-rule",
      ...(realm.vlanRules.length > 0 ? realm.vlanRules.map(writtenVlanRule) : ["groups=staff=30"]),
    ),
    vlanDefault: command("--vlan-default", realm.vlanDefault ?? "20"),
  };
}
