import type { Db } from "../../../db/client.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import type { RealmRow } from "../../../db/queries/realm/realms.ts";
import * as drafts from "../../../db/queries/sign-in/sign-in-drafts.ts";
import * as tests from "../../../db/queries/sign-in/sign-in-tests.ts";
import { withRoleRules, type UpstreamClaims } from "../../../domain/people/upstream-claims.ts";
import { failWith, type Fail } from "../../contract/endpoint.ts";
import type { Principal, UserPrincipal } from "../../contract/principal.ts";
import type { SignInMapping } from "./sign-in-view.ts";
import { signInCommand } from "../realm/operator-commands.ts";

/**
 * Returns true if the console may set the realm's sign-in: only before the realm has an identity provider and
 * before its set-up is finished. The Postgres trigger `realms_trust_is_set_once` enforces the same rule.
 */
export const isChangeable = ({ upstreamKind, setUpAt }: Pick<RealmRow, "upstreamKind" | "setUpAt">): boolean =>
  upstreamKind === null && setUpAt === null;

/** Throws an error that contains the operator's command if only the operator may set the realm's sign-in. */
export function requireChangeable(realm: RealmRow, fail: Fail<"operator_required">): void {
  if (isChangeable(realm)) return;
  throw fail("operator_required", { fields: [{ path: "signIn", reason: signInCommand(realm) }] });
}

/** Returns the calling user. Throws for a service, which never has `role.modify`. */
export function personOf(principal: Principal): UserPrincipal {
  if (principal.kind !== "user") throw failWith("user_required");
  return principal;
}

/** Returns the claims in the form in which they are stored, with an empty `mayUse` if no rule is given. */
export const claimsOf = ({ pairwiseID, email, displayName, mayUse = [], roles = {} }: SignInMapping): UpstreamClaims =>
  withRoleRules(
    {
      ...(pairwiseID !== undefined && { pairwiseId: pairwiseID }),
      ...(email !== undefined && { email }),
      ...(displayName !== undefined && { displayName }),
      mayUse,
    },
    roles,
  );

/** Returns the realm's draft, and whether this version of the draft has passed a test. */
export async function findDraft(
  db: Db,
  { realmId, at }: { realmId: string; at: Date },
): Promise<{ draft: drafts.SignInDraft; tested: boolean } | undefined> {
  const draft = await drafts.find(db, { realmId, at });
  if (draft === undefined) return undefined;
  return { draft, tested: await tests.hasPassed(db, { realmId, draftVersion: draft.version, at }) };
}

/** Returns the realm with this id. Throws if there is none. */
export async function realmOf(db: Db, realmId: string): Promise<RealmRow> {
  const realm = await realms.findById(db, realmId);
  if (realm === undefined) throw new Error(`realm ${realmId} has gone`);
  return realm;
}
