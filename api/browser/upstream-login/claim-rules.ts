import type { ClaimRule } from "../../../domain/people/upstream-claims.ts";
import { UpstreamError } from "./upstream-error.ts";

/** An identity provider's claims about a user. */
export type Claims = Readonly<Record<string, unknown>>;

/** Returns whether a claim has a value. Null and the empty text count as absent. */
export const isPresent = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

export const valueOf = (claims: Claims, name: string): unknown =>
  Object.hasOwn(claims, name) ? claims[name] : undefined;

/** Returns the claims that are available elsewhere, by name (OpenID Connect Core section 5.6.2). */
export function claimNamesIn(claims: Claims): Claims {
  const names = valueOf(claims, "_claim_names");
  return typeof names === "object" && names !== null ? (names as Claims) : {};
}

/**
 * Returns whether the provider has a claim but does not send it. Entra withholds `groups` if they do not fit into the
 * token; `hasgroups` only means that the user has groups.
 */
function isWithheld(claims: Claims, name: string): boolean {
  if (isPresent(valueOf(claims, name))) return false;
  const hasGroups = valueOf(claims, "hasgroups");
  return (
    Object.hasOwn(claimNamesIn(claims), name) || (name === "groups" && (hasGroups === true || hasGroups === "true"))
  );
}

/**
 * Returns whether the claims meet one of the rules. `"withheld"`: the received claims meet no rule, but the provider
 * withholds a claim that might, so this is not a refusal. Throws {@link UpstreamError} for a claim that is neither a
 * text nor a list of texts.
 */
export function verdictOf(claims: Claims, rules: readonly ClaimRule[]): boolean | "withheld" {
  const verdicts = rules.map((rule) => isMet(claims, rule));
  if (verdicts.includes(true)) return true;
  return rules.some(({ claim }) => isWithheld(claims, claim)) ? "withheld" : false;
}

/** Returns whether the claim has the value, alone or among others. Returns false for an absent claim. */
function isMet(claims: Claims, { claim, value }: ClaimRule): boolean {
  const claimed = valueOf(claims, claim);
  if (!isPresent(claimed)) return false;
  const values: unknown[] = Array.isArray(claimed) ? claimed : [claimed];
  if (!values.every((one) => typeof one === "string")) {
    throw new UpstreamError("upstream_bad_answer", `the claim ${claim} is neither text nor texts`);
  }
  return values.includes(value);
}
