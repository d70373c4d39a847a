import { z } from "zod";
import { roles, type Role } from "./roles.ts";
import { text } from "../text.ts";

/** The name of a claim; some providers use URIs. */
export const ClaimName = z.string().regex(/^[!-<>-~]{1,200}$/, "must be 1 to 200 visible ASCII characters without =");

/** A claim and its required value. The claim must have this value or, if it has several values, contain it. */
export const ClaimRule = z.object({ claim: ClaimName, value: text(1, 255) });
export type ClaimRule = z.output<typeof ClaimRule>;

/** The most rules for one role. */
export const roleRulesMax = 20;

/** The most rules for who may use the realm. */
export const mayUseMax = 20;

/** The claims of a realm's identity provider, by what they mean for a user. */
export const UpstreamClaims = z.object({
  /** Omitted: `pairwise_id`, else `sub`. */
  pairwiseId: ClaimName.optional(),
  /** Omitted: `email`. */
  email: ClaimName.optional(),
  /** Omitted: `name`. */
  displayName: ClaimName.optional(),
  /**
   * The rule for administrators if exactly one exists, for the last release without roles, which reads only this
   * property.
   */
  administrator: ClaimRule.optional(),
  /** The rules for each role. The provider does not decide about a role without rules. */
  roles: z.partialRecord(z.enum(roles), z.array(ClaimRule).min(1).max(roleRulesMax)).optional(),
  /**
   * The rules about who may use the realm: people who meet at least one. Without rules: everyone whom the provider
   * signs in.
   */
  mayUse: z.array(ClaimRule).max(mayUseMax).optional(),
});
export type UpstreamClaims = z.output<typeof UpstreamClaims>;

/** The rules for each role; the provider does not decide about missing roles. */
export type RoleRules = Partial<Record<Role, readonly ClaimRule[]>>;

export const roleRulesOf = ({ administrator, roles: further }: UpstreamClaims): RoleRules => ({
  ...(administrator && { administrator: [administrator] }),
  ...further,
});

/** Returns the roles that a realm's identity provider grants and removes. */
export const mappedRoles = (claims: UpstreamClaims): Role[] => roles.filter((role) => roleRulesOf(claims)[role]);

/**
 * Returns the claims as people type and read them: rules as `NAME=VALUE`, rules of roles as `ROLE=NAME=VALUE`. Without
 * a value, a claim is null and a list is empty.
 */
export const writtenClaims = (claims: UpstreamClaims) => ({
  claimPairwiseID: claims.pairwiseId ?? null,
  claimEmail: claims.email ?? null,
  claimDisplayName: claims.displayName ?? null,
  claimAdministrator: claims.administrator === undefined ? null : writtenRule(claims.administrator),
  claimRoles: roles.flatMap((role) => (roleRulesOf(claims)[role] ?? []).map((rule) => `${role}=${writtenRule(rule)}`)),
  mayUse: (claims.mayUse ?? []).map(writtenRule),
});

/** Returns a rule as people type and read it. */
export const writtenRule = ({ claim, value }: ClaimRule): string => `${claim}=${value}`;

/** Returns the claims with their role rules replaced by these. */
export const withRoleRules = (claims: UpstreamClaims, { administrator, ...further }: RoleRules): UpstreamClaims => {
  const one = administrator?.length === 1 ? administrator[0] : undefined;
  const listed = { ...(administrator && one === undefined && { administrator }), ...further };
  const { administrator: _, roles: __, ...rest } = claims;
  return {
    ...rest,
    ...(one && { administrator: one }),
    ...(Object.keys(listed).length > 0 && {
      roles: Object.fromEntries(Object.entries(listed).map(([role, rules]) => [role, [...rules]])),
    }),
  };
};
