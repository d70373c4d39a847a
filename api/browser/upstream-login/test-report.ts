import * as identities from "../../../db/queries/sign-in/upstream-identities.ts";
import type { Login } from "../../../db/queries/sign-in/logins.ts";
import { foldId, PairwiseID } from "../../../domain/people/pairwise-id.ts";
import { writtenRule } from "../../../domain/people/upstream-claims.ts";
import type { SignInClaims } from "../../../domain/people/vlan.ts";
import type { Deps } from "../../contract/deps.ts";
import type { SignInReport } from "../../resources/sign-in/sign-in-report.ts";
import { valueOf, verdictOf, type Claims } from "./claim-rules.ts";
import { namesOf, personOf, type UpstreamPerson } from "./claims-to-user.ts";
import { UpstreamError } from "./upstream-error.ts";

/** Claims about the token and not about the person (OpenID Connect Core section 2, RFC 7519 section 4.1). */
const ofToken: ReadonlySet<string> = new Set(
  "iss aud exp iat nbf jti nonce at_hash c_hash s_hash azp auth_time acr amr sid _claim_names _claim_sources".split(
    " ",
  ),
);

const [valuesMax, valueLengthMax] = [20, 200];

/** Returns the claims about the person, as text, for the person themselves. */
const claimsIn = (claims: Claims): SignInReport["claims"] =>
  namesOf(Object.fromEntries(Object.entries(claims).filter(([name]) => !ofToken.has(name)))).map((name) => {
    const value = valueOf(claims, name);
    const values: unknown[] = Array.isArray(value) ? value : [value];
    return { name, values: values.slice(0, valuesMax).map(written) };
  });

const written = (value: unknown): string =>
  (typeof value === "string" ? value : JSON.stringify(value)).slice(0, valueLengthMax);

export const failure = ({ check, message }: UpstreamError): SignInReport => ({
  check,
  reason: message,
  claims: [],
  person: null,
});

export const outdated: SignInReport = { check: "draft", reason: null, claims: [], person: null };

/**
 * Returns the report of a test: the person whom these claims describe, and the check that failed, if any. Stores
 * nothing.
 */
export async function reportOn(
  { db }: Pick<Deps, "db">,
  { issuer, claims, names, login }: { issuer: string; claims: Claims; names: SignInClaims; login: Login },
): Promise<SignInReport> {
  const came = claimsIn(claims);
  let person: UpstreamPerson;
  try {
    person = personOf(claims, names);
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    const check = error.check === "identifier" ? "identifier" : "claims";
    return { check, reason: error.message, claims: came, person: null };
  }
  const unusable = PairwiseID.safeParse(person.pairwiseId).error?.issues[0]?.message;
  const { realmId, userId } = login;
  const isKnown = (await identities.subjectOf(db, { realmId, userId, issuer })) === person.subject;
  const fitting = (names.mayUse ?? []).find((rule) => verdictOf(claims, [rule]) === true);
  return {
    check: unusable !== undefined ? "identifier" : person.permitted ? null : "permission",
    reason: unusable === undefined ? null : `the pairwise id ${unusable}`,
    claims: came,
    person: {
      pairwiseID: person.pairwiseId,
      email: person.email ?? null,
      displayName: person.displayName ?? null,
      isOwn: isKnown || foldId(person.pairwiseId) === foldId(login.pairwiseId),
      permittedBy: fitting === undefined ? null : writtenRule(fitting),
      roles: [...person.roles],
      withheldRoles: [...person.withheldRoles],
    },
  };
}
