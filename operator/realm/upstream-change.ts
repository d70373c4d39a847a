import type { RealmChange, RealmRow } from "../../db/queries/realm/realms.ts";
import type { DeviceType, KeyType } from "../../domain/certificate/device.ts";
import {
  roleRulesOf,
  withRoleRules,
  type ClaimRule,
  type RoleRules,
  type UpstreamClaims,
} from "../../domain/people/upstream-claims.ts";
import type { VlanRule } from "../../domain/people/vlan.ts";
import { isOpenIssuer } from "../../domain/uris.ts";
import type { ResettableSetting } from "./resettable-settings.ts";

/** The options of `realm set` that `--clear` can reset, and `--clear` itself. */
export interface UpstreamInput {
  infrastructureDomain: string[] | undefined;
  radiusCaFile: string | undefined;
  radiusAddress: string[] | undefined;
  radiusName: string[] | undefined;
  rcoi: string[] | undefined;
  keyType: Partial<Record<DeviceType, KeyType>> | undefined;
  forgetAfterMonths: number | undefined;
  upstreamIssuer: string | undefined;
  upstreamClientId: string | undefined;
  upstreamClientSecretStdin: boolean | undefined;
  claimPairwiseId: string | undefined;
  claimEmail: string | undefined;
  claimDisplayName: string | undefined;
  claimAdministrator: ClaimRule | undefined;
  claimRole: RoleRules | undefined;
  mayUse: ClaimRule[] | undefined;
  vlanRule: VlanRule[] | undefined;
  vlanDefault: string | undefined;
  scimAttribute: readonly unknown[] | undefined;
  clear: ReadonlySet<ResettableSetting> | undefined;
}

/**
 * Returns a setting that the options both set and clear, or `claim-administrator` if `--claim-role` also sets the
 * administrators' rules; undefined if there is no such setting.
 */
export function contradictionIn({ clear, ...input }: UpstreamInput): ResettableSetting | undefined {
  const set: Record<ResettableSetting, unknown> = {
    "infrastructure-domain": input.infrastructureDomain,
    "radius-ca": input.radiusCaFile,
    "radius-address": input.radiusAddress,
    "radius-name": input.radiusName,
    rcoi: input.rcoi,
    "key-type": input.keyType,
    "forget-after-months": input.forgetAfterMonths,
    "upstream-issuer": input.upstreamIssuer,
    "upstream-client-id": input.upstreamClientId,
    "upstream-client-secret": input.upstreamClientSecretStdin,
    "claim-pairwise-id": input.claimPairwiseId,
    "claim-email": input.claimEmail,
    "claim-display-name": input.claimDisplayName,
    "claim-administrator": input.claimAdministrator,
    "claim-role": input.claimRole,
    "may-use": input.mayUse,
    "vlan-rule": input.vlanRule,
    "vlan-default": input.vlanDefault,
    "scim-attribute": input.scimAttribute,
  };
  if (input.claimRole?.administrator && (input.claimAdministrator ?? clear?.has("claim-administrator"))) {
    return "claim-administrator";
  }
  return [...(clear ?? [])].find((name) => set[name] !== undefined);
}

/** Returns the change of a realm's identity provider. A new provider never gets the secret of the previous one. */
export function upstreamChange(
  realm: RealmRow,
  input: UpstreamInput,
  sealedSecret: Uint8Array | undefined,
): Pick<RealmChange, `upstream${string}` & keyof RealmChange> {
  const cleared = input.clear ?? new Set<ResettableSetting>();
  const issuer = cleared.has("upstream-issuer") ? null : input.upstreamIssuer;
  const leaves = issuer !== undefined && issuer !== realm.upstreamIssuer;
  return {
    upstreamIssuer: issuer,
    upstreamClientId: cleared.has("upstream-client-id") ? null : input.upstreamClientId,
    upstreamClientSecret: sealedSecret ?? (leaves || cleared.has("upstream-client-secret") ? null : undefined),
    upstreamClaims: claimsOf(realm.upstreamClaims, input, cleared),
  };
}

/** Whether a realm is open to the public: its identity provider is open, and no rule limits who may use the realm. */
export const isOpenToAnybody = ({
  upstreamIssuer,
  upstreamClaims: { mayUse = [] },
}: Pick<RealmRow, "upstreamIssuer" | "upstreamClaims">): boolean =>
  upstreamIssuer !== null && isOpenIssuer(upstreamIssuer) && mayUse.length === 0;

/**
 * Whether a change opens a realm to the public. A realm that is already open can keep its identity provider, but an
 * operator cannot set that provider again.
 */
export const opensToAnybody = (before: RealmRow, after: RealmRow, { upstreamIssuer }: UpstreamInput): boolean =>
  isOpenToAnybody(after) && (upstreamIssuer !== undefined || !isOpenToAnybody(before));

function claimsOf(
  before: UpstreamClaims,
  input: UpstreamInput,
  cleared: ReadonlySet<ResettableSetting>,
): UpstreamClaims {
  const pick = <Value>(name: ResettableSetting, given: Value | undefined, old: Value | undefined): Value | undefined =>
    cleared.has(name) ? undefined : (given ?? old);
  const names = {
    pairwiseId: pick("claim-pairwise-id", input.claimPairwiseId, before.pairwiseId),
    email: pick("claim-email", input.claimEmail, before.email),
    displayName: pick("claim-display-name", input.claimDisplayName, before.displayName),
    // An empty list removes the rules. If the field were missing, as in updates by the previous release, a trigger
    // would keep the rules.
    mayUse: pick("may-use", input.mayUse, before.mayUse) ?? (before.mayUse && []),
  };
  const { administrator, ...others } = cleared.has("claim-role") ? {} : roleRulesOf(before);
  return withRoleRules(names, {
    ...others,
    ...(administrator && !cleared.has("claim-administrator") && { administrator }),
    ...input.claimRole,
    ...(input.claimAdministrator && { administrator: [input.claimAdministrator] }),
  });
}
