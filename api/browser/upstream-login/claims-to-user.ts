import type { z } from "zod";
import { isEmailAddress } from "../../../domain/email.ts";
import { text } from "../../../domain/text.ts";
import { inOrder, type Role } from "../../../domain/roles.ts";
import { mappedRoles, roleRulesOf, type RoleRule, type UpstreamClaims } from "../../../domain/upstream-claims.ts";
import { UpstreamError } from "./upstream-error.ts";

/** What an identity provider says about a person. */
export type Claims = Readonly<Record<string, unknown>>;

/** Who signs in, as the realm knows people. What is undefined was not said, and changes nothing. */
export interface UpstreamPerson {
  /** The issuer's permanent identifier of the person. */
  subject: string;
  pairwiseId: string;
  email: string | undefined;
  displayName: string | undefined;
  /** The roles that the provider gives and takes, and those of them that it gives this person. */
  mappedRoles: readonly Role[];
  roles: readonly Role[];
}

const defaults = { pairwiseId: "pairwise_id", email: "email", displayName: "name" } as const;

/** Null and the empty text say as little as nothing. */
const isSaid = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

const valueOf = (claims: Claims, name: string): unknown => (Object.hasOwn(claims, name) ? claims[name] : undefined);

/** Whether a claim that the realm maps is not there, and may be found elsewhere. */
export const lacksClaims = (claims: Claims, names: UpstreamClaims): boolean =>
  [
    names.pairwiseId ?? defaults.pairwiseId,
    names.email ?? defaults.email,
    names.displayName ?? defaults.displayName,
    ...Object.values(roleRulesOf(names)).flatMap((rules) => rules.map(({ claim }) => claim)),
  ].some((name) => !isSaid(valueOf(claims, name)));

/** Both together. Where they differ, the signed id token is right. */
export const withUserinfo = (idToken: Claims, userinfo: Claims): Claims => ({
  ...userinfo,
  ...Object.fromEntries(Object.entries(idToken).filter(([, value]) => isSaid(value))),
});

/**
 * The person that claims describe, under the realm's names for them. A pairwise id that the realm names and the provider
 * does not send is a fault, so that nobody is taken for somebody else. Throws {@link UpstreamError} for what is no text,
 * too long or has control characters.
 */
export function personOf(claims: Claims, names: UpstreamClaims): UpstreamPerson {
  const subject = textOf(claims, "sub", text(1, 255));
  if (subject === undefined) throw badClaim("sub is missing");
  const pairwiseId = textOf(claims, names.pairwiseId ?? defaults.pairwiseId, text(1, 255));
  if (pairwiseId === undefined && names.pairwiseId !== undefined) throw badClaim("the pairwise id is missing");
  return {
    subject,
    pairwiseId: pairwiseId ?? subject,
    email: addressOf(claims, names),
    displayName: textOf(claims, names.displayName ?? defaults.displayName, text(1, 200)),
    mappedRoles: mappedRoles(names),
    roles: rolesIn(claims, names),
  };
}

/** The address that claims give; one that is none is dropped, so that the person gets in all the same. */
function addressOf(claims: Claims, names: UpstreamClaims): string | undefined {
  const email = textOf(claims, names.email ?? defaults.email, text(1, 320));
  return email !== undefined && isEmailAddress(email) ? email : undefined;
}

/** Whether claims give something in place of an e-mail address that is none. */
export const hasBadAddress = (claims: Claims, names: UpstreamClaims): boolean =>
  isSaid(valueOf(claims, names.email ?? defaults.email)) && addressOf(claims, names) === undefined;

function textOf(claims: Claims, name: string, allowed: z.ZodType<string>): string | undefined {
  const value = valueOf(claims, name);
  if (!isSaid(value)) return undefined;
  const parsed = allowed.safeParse(value);
  if (!parsed.success) throw badClaim(`the claim ${name} is no text that we could keep`);
  return parsed.data;
}

/** The roles that one of their rules gives. */
const rolesIn = (claims: Claims, names: UpstreamClaims): Role[] => {
  const rules = roleRulesOf(names);
  return inOrder(mappedRoles(names).filter((role) => rules[role]?.map((rule) => isMet(claims, rule)).includes(true)));
};

/** Whether the value is the claim's, or one of the claim's. Without the claim it is not. */
function isMet(claims: Claims, { claim, value }: RoleRule): boolean {
  const said = valueOf(claims, claim);
  if (!isSaid(said)) return false;
  const values: unknown[] = Array.isArray(said) ? said : [said];
  if (!values.every((one) => typeof one === "string")) throw badClaim(`the claim ${claim} is neither text nor texts`);
  return values.includes(value);
}

const badClaim = (reason: string): UpstreamError => new UpstreamError("upstream_bad_answer", reason);
