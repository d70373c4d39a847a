import { z } from "zod";
import { isEmailAddress } from "../../../domain/people/email.ts";
import { KnownPairwiseID } from "../../../domain/people/pairwise-id.ts";
import { nameFromElsewhere, text, withoutEnds } from "../../../domain/text.ts";
import { inOrder, type Role } from "../../../domain/people/roles.ts";
import type { SignInClaims, VlanRule } from "../../../domain/people/vlan.ts";
import { ClaimName, mappedRoles, roleRulesOf, type UpstreamClaims } from "../../../domain/people/upstream-claims.ts";
import { claimNamesIn, isPresent, valueOf, verdictOf, type Claims } from "./claim-rules.ts";
import { UpstreamError } from "./upstream-error.ts";

/**
 * A person as the realm's claims describe them. Undefined properties change nothing: they were not sent, or cannot be
 * used.
 */
export interface UpstreamPerson {
  /** The issuer's permanent identifier of the person. */
  subject: string;
  pairwiseId: string;
  email: string | undefined;
  displayName: string | undefined;
  /** Whether the person may use the realm. */
  permitted: boolean;
  /**
   * All roles that the provider controls, the roles that it gives this person, and the roles whose claim it withholds.
   */
  mappedRoles: readonly Role[];
  roles: readonly Role[];
  withheldRoles: readonly Role[];
  /**
   * The VLAN by the realm's rules; null: no rule matches; undefined: the provider withholds a claim that the rules
   * need.
   */
  vlan: string | null | undefined;
}

const defaults = { pairwiseId: "pairwise_id", email: "email", displayName: "name" } as const;

/** White space and invisible characters around an id are not part of it, as in files. */
const claimedId = z.string().transform(withoutEnds).pipe(KnownPairwiseID);

/** Returns whether a claim that the realm uses is missing; it may be available elsewhere. */
export const lacksClaims = (claims: Claims, names: SignInClaims): boolean =>
  [
    names.pairwiseId ?? defaults.pairwiseId,
    names.email ?? defaults.email,
    names.displayName ?? defaults.displayName,
    ...[names.mayUse ?? [], names.vlanRules ?? [], ...Object.values(roleRulesOf(names))]
      .flat()
      .map(({ claim }) => claim),
  ].some((name) => !isPresent(valueOf(claims, name)));

/**
 * Merges the claims of the id token and of userinfo. The signed id token takes precedence. Both may refer to claims
 * elsewhere.
 */
export const withUserinfo = (idToken: Claims, userinfo: Claims): Claims => ({
  ...userinfo,
  ...Object.fromEntries(Object.entries(idToken).filter(([, value]) => isPresent(value))),
  _claim_names: { ...claimNamesIn(userinfo), ...claimNamesIn(idToken) },
});

const namesMax = 40;

/** Returns the names of the received claims, for the log: never a value. */
export const namesOf = (claims: Claims): string[] =>
  Object.keys(claims)
    .filter((name) => ClaimName.safeParse(name).success)
    .slice(0, namesMax);

/**
 * Returns the person that claims describe, under the realm's names. Throws {@link UpstreamError} if `sub` is missing;
 * if a claim has the wrong type, is too long or has control characters; if the realm names a claim for the pairwise id
 * and the provider does not send it, since one person could then be taken for another; and if the provider withholds
 * whether the person may use the realm.
 */
export function personOf(claims: Claims, names: SignInClaims): UpstreamPerson {
  const subject = textOf(claims, "sub", text(1, 255));
  if (subject === undefined) throw badClaim("sub is missing");
  const claimed = textOf(claims, names.pairwiseId ?? defaults.pairwiseId, claimedId);
  if (claimed === undefined && names.pairwiseId !== undefined) {
    const reason = `the pairwise id is missing; the claims are ${namesOf(claims).join(", ")}`;
    throw new UpstreamError("upstream_no_identifier", reason);
  }
  const pairwiseId = claimed ?? textOf(claims, "sub", claimedId);
  if (pairwiseId === undefined) throw badClaim("the pairwise id is missing");
  const permitted = names.mayUse === undefined || names.mayUse.length === 0 || verdictOf(claims, names.mayUse);
  if (permitted === "withheld") throw badClaim("a claim that decides who may use the realm is withheld");
  const mapped = mappedRoles(names);
  const rules = roleRulesOf(names);
  const verdicts = new Map(mapped.map((role) => [role, verdictOf(claims, rules[role] ?? [])]));
  return {
    subject,
    pairwiseId,
    email: addressOf(claims, names),
    displayName: displayNameOf(claims, names),
    permitted,
    mappedRoles: mapped,
    roles: inOrder(mapped.filter((role) => verdicts.get(role) === true)),
    withheldRoles: mapped.filter((role) => verdicts.get(role) === "withheld"),
    vlan: vlanBy(claims, names.vlanRules ?? []),
  };
}

/**
 * Returns the VLAN of the first rule that matches; null if no rule matches; undefined if a claim that decides this is
 * withheld.
 */
function vlanBy(claims: Claims, rules: readonly VlanRule[]): string | null | undefined {
  for (const rule of rules) {
    const verdict = verdictOf(claims, [rule]);
    if (verdict === "withheld") return undefined;
    if (verdict) return rule.vlan;
  }
  return null;
}

/** Returns the claimed name if it has visible characters. */
function displayNameOf(claims: Claims, names: UpstreamClaims): string | undefined {
  const name = textOf(claims, names.displayName ?? defaults.displayName, nameFromElsewhere(0, 200));
  return name === "" ? undefined : name;
}

/**
 * Returns the claimed e-mail address. A text that is not an address is dropped and does not block the sign-in. Throws
 * {@link UpstreamError} for a value that is not text, is too long or has control characters.
 */
function addressOf(claims: Claims, names: UpstreamClaims): string | undefined {
  const email = textOf(claims, names.email ?? defaults.email, text(1, 320));
  return email !== undefined && isEmailAddress(email) ? email : undefined;
}

/** Returns whether the e-mail claim has a value that is not an address. */
export const hasBadAddress = (claims: Claims, names: UpstreamClaims): boolean =>
  isPresent(valueOf(claims, names.email ?? defaults.email)) && addressOf(claims, names) === undefined;

function textOf(claims: Claims, name: string, allowed: z.ZodType<string>): string | undefined {
  const value = valueOf(claims, name);
  if (!isPresent(value)) return undefined;
  const parsed = allowed.safeParse(value);
  if (!parsed.success) throw badClaim(`the claim ${name} cannot be stored as text`);
  return parsed.data;
}

export const badClaim = (reason: string): UpstreamError => new UpstreamError("upstream_bad_answer", reason);
