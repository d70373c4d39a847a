import type { RealmChange, RealmRow } from "../../db/queries/realm/realms.ts";
import {
  roleRulesOf,
  withRoleRules,
  type ClaimRule,
  type RoleRules,
  type UpstreamClaims,
} from "../../domain/people/upstream-claims.ts";
import { isOpenIssuer } from "../../domain/uris.ts";
import type { ResettableSetting } from "./resettable-settings.ts";

/** The options of `realm set` that `--clear` can reset: those of the identity provider, the CA of the RADIUS server, the domains of servers, and forgetting. */
export interface UpstreamInput {
  infrastructureDomain: string[] | undefined;
  radiusCaFile: string | undefined;
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
  clear: ReadonlySet<ResettableSetting> | undefined;
}

/** A setting that would be both set and cleared. */
export function contradictionIn({ clear, ...input }: UpstreamInput): ResettableSetting | undefined {
  const set: Record<ResettableSetting, unknown> = {
    "infrastructure-domain": input.infrastructureDomain,
    "radius-ca": input.radiusCaFile,
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
  };
  if (input.claimRole?.administrator && (input.claimAdministrator ?? clear?.has("claim-administrator"))) {
    return "claim-administrator";
  }
  return [...(clear ?? [])].find((name) => set[name] !== undefined);
}

/** The change of a realm's identity provider. A secret is never taken along to another one. */
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

/** Whether anybody can use a realm: its identity provider signs in anybody, and no rule says who may use the realm. */
export const isOpenToAnybody = ({
  upstreamIssuer,
  upstreamClaims: { mayUse = [] },
}: Pick<RealmRow, "upstreamIssuer" | "upstreamClaims">): boolean =>
  upstreamIssuer !== null && isOpenIssuer(upstreamIssuer) && mayUse.length === 0;

/** Whether a change opens a realm to anybody. One that was open already may keep its identity provider, and not be given it again. */
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
    // Rules are taken away by an empty list: the release before does not write them, and a trigger keeps them then.
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
