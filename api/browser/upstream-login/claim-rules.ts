import type { ClaimRule } from "../../../domain/upstream-claims.ts";
import { UpstreamError } from "./upstream-error.ts";

/** The claims of an identity provider about a person. */
export type Claims = Readonly<Record<string, unknown>>;

/** Null and the empty text say as little as nothing. */
export const isSaid = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

export const valueOf = (claims: Claims, name: string): unknown =>
  Object.hasOwn(claims, name) ? claims[name] : undefined;

/** The claims that can be had elsewhere, by name (OpenID Connect Core section 5.6.2). */
export function claimNamesIn(claims: Claims): Claims {
  const names = valueOf(claims, "_claim_names");
  return typeof names === "object" && names !== null ? (names as Claims) : {};
}

/**
 * Whether the provider has a claim and does not send it. Entra does so with more groups than fit; with `hasgroups` it
 * says no more than that there are some.
 */
function isWithheld(claims: Claims, name: string): boolean {
  if (isSaid(valueOf(claims, name))) return false;
  const hasGroups = valueOf(claims, "hasgroups");
  return (
    Object.hasOwn(claimNamesIn(claims), name) || (name === "groups" && (hasGroups === true || hasGroups === "true"))
  );
}

/**
 * Whether claims meet one of the rules. `"withheld"`: they do not, and a claim that may meet one is not sent, which is no
 * "no". Throws {@link UpstreamError} for a claim that is neither text nor texts.
 */
export function verdictOf(claims: Claims, rules: readonly ClaimRule[]): boolean | "withheld" {
  const verdicts = rules.map((rule) => isMet(claims, rule));
  if (verdicts.includes(true)) return true;
  return rules.some(({ claim }) => isWithheld(claims, claim)) ? "withheld" : false;
}

/** Whether the value is the claim's, or one of the claim's. Without the claim it is not. */
function isMet(claims: Claims, { claim, value }: ClaimRule): boolean {
  const said = valueOf(claims, claim);
  if (!isSaid(said)) return false;
  const values: unknown[] = Array.isArray(said) ? said : [said];
  if (!values.every((one) => typeof one === "string")) {
    throw new UpstreamError("upstream_bad_answer", `the claim ${claim} is neither text nor texts`);
  }
  return values.includes(value);
}
