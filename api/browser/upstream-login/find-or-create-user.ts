import { violates, type Db } from "../../../db/client.ts";
import * as roleOperations from "../../../db/operations/roles.ts";
import * as vlanOperations from "../../../db/operations/vlans.ts";
import * as auditEntries from "../../../db/queries/audit/audit-entries.ts";
import * as identities from "../../../db/queries/sign-in/upstream-identities.ts";
import * as directoryRules from "../../../db/queries/people/directory-rules.ts";
import * as userRoles from "../../../db/queries/people/user-roles.ts";
import * as vlans from "../../../db/queries/people/vlans.ts";
import * as users from "../../../db/queries/people/users.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import { decidedByDirectory } from "../../../domain/people/directory-attributes.ts";
import { PairwiseID } from "../../../domain/people/pairwise-id.ts";
import type { Role } from "../../../domain/people/roles.ts";
import type { Deps } from "../../contract/deps.ts";
import { badClaim, type UpstreamPerson } from "./claims-to-user.ts";
import { UpstreamError } from "./upstream-error.ts";

export interface UpstreamSignIn {
  realmId: string;
  issuer: string;
  person: UpstreamPerson;
}

/** The user of a sign-in, and how they were found: known, adopted from the realm's users, or created. */
export type SignInOutcome =
  | {
      userId: string;
      roles: readonly Role[];
      how: "known" | "adopted" | "created";
      /** The provider no longer names the user an administrator, but they stay one: the realm has no other. */
      lastAdministratorKept?: true;
    }
  /** `userId`: the user, if known for certain. */
  | { problem: "offboarded" | "identity_conflict" | "upstream_not_permitted" | "not_set_up"; userId?: string };

/** Returns whether the error means that another process created the same person first, whom a second look-up finds. */
const madeMeanwhile = (error: unknown): boolean =>
  violates(error, "users_realm_id_pairwise_id_key") ||
  violates(error, "users_folded_id") ||
  violates(error, "upstream_identities_pkey") ||
  violates(error, "upstream_identities_one_per_user");

const triesMax = 3;

/**
 * Returns the user of a person from an identity provider, by issuer and subject, never by e-mail address. An unknown
 * person becomes the realm's user with the same pairwise id, in any spelling, unless that user has another identity at
 * this issuer, is offboarded, or several users match. If no user matches, creates one, except in realms where a
 * directory creates the people. Stores what the provider sends about the person. For people whom a directory manages,
 * the directory decides their name and address and, through attributes that the realm names, their VLAN and whether
 * they may use the realm. A person who may not use the realm is never created, adopted or updated; for a known user
 * only the refusal is recorded.
 */
export async function findOrCreateUser(
  deps: Pick<Deps, "db" | "clock">,
  arrival: UpstreamSignIn,
): Promise<SignInOutcome> {
  for (let tried = 1; ; tried++) {
    try {
      return await deps.db.transaction((tx) => arrive(tx, arrival, deps.clock.now()));
    } catch (error) {
      if (tried === triesMax || !madeMeanwhile(error)) throw error;
    }
  }
}

async function arrive(tx: Db, arrival: UpstreamSignIn, at: Date): Promise<SignInOutcome> {
  const { realmId, issuer, person } = arrival;
  const identity = { realmId, issuer, subject: person.subject };
  const known = await identities.lockUser(tx, identity);
  const decided = decidedByDirectory(await directoryRules.find(tx, { realmId }));
  const isPermitted = (user: identities.UpstreamUser | undefined): boolean =>
    user?.isManaged === true && decided.mayUse ? user.notPermittedSince === null : person.permitted;
  const takesVlan = ({ isManaged }: identities.UpstreamUser): boolean => !(isManaged && decided.vlan);
  if (known !== undefined) {
    if (!isPermitted(known)) return refuse(tx, { realmId, user: known, at });
    return welcome(tx, arrival, { user: known, how: "known", takesVlan: takesVlan(known), at });
  }
  if (!person.permitted && !decided.mayUse) return refuse(tx, { realmId, user: undefined, at });

  const sameId = await identities.lockUserByPairwiseId(tx, { realmId, pairwiseId: person.pairwiseId });
  if (sameId === "ambiguous") return { problem: "identity_conflict" };
  if (!isPermitted(sameId)) return refuse(tx, { realmId, user: undefined, at });
  if (sameId === undefined) {
    const realm = await realms.findById(tx, realmId);
    return realm?.newPeople === "scim" ? { problem: "not_set_up" } : createUser(tx, arrival, at);
  }
  // Checked while the row is locked: a parallel sign-in may have adopted the user.
  const subject = await identities.subjectOf(tx, { realmId, userId: sameId.id, issuer });
  if (subject === person.subject)
    return welcome(tx, arrival, { user: sameId, how: "known", takesVlan: takesVlan(sameId), at });
  if (sameId.offboardedAt !== null) {
    return { problem: "offboarded", ...(subject === undefined && { userId: sameId.id }) };
  }
  if (subject !== undefined) return { problem: "identity_conflict" };
  await identities.create(tx, { ...identity, userId: sameId.id, at });
  return welcome(tx, arrival, { user: sameId, how: "adopted", takesVlan: takesVlan(sameId), at });
}

/**
 * Records, the first time, that a known user may not use the realm. Profiles, sign-ins and roles stay. Stores nothing
 * about strangers: otherwise everyone with an account at the provider could fill the audit log.
 */
async function refuse(
  tx: Db,
  { realmId, user, at }: { realmId: string; user: identities.UpstreamUser | undefined; at: Date },
): Promise<SignInOutcome> {
  if (user === undefined) return { problem: "upstream_not_permitted" };
  const { id: userId, offboardedAt, notPermittedSince } = user;
  if (offboardedAt !== null) return { problem: "offboarded", userId };
  if (notPermittedSince === null) {
    await identities.setNotPermitted(tx, { realmId, userId, since: at });
    await auditEntries.record(tx, {
      realmId,
      event: "user_login_refused",
      actor: { userId, clientId: null },
      at,
      properties: { userID: userId, reason: "not_permitted", through: "oidc" },
    });
  }
  return { problem: "upstream_not_permitted", userId };
}

async function createUser(tx: Db, { realmId, issuer, person }: UpstreamSignIn, at: Date): Promise<SignInOutcome> {
  const { subject, pairwiseId, email = "", displayName, roles } = person;
  const unusable = PairwiseID.safeParse(pairwiseId).error?.issues[0]?.message;
  if (unusable !== undefined) throw badClaim(`the pairwise id ${unusable}`);
  const userId = await users.create(tx, {
    realmId,
    pairwiseId,
    email,
    displayName,
    roles: [],
    providerRoles: roles,
    at,
  });
  await identities.create(tx, { realmId, issuer, subject, userId, at });
  await auditEntries.record(tx, {
    realmId,
    event: "user_create",
    actor: { userId, clientId: null },
    at,
    properties: { userID: userId, issuer, administrator: roles.includes("administrator"), roles },
  });
  await takeVlan(tx, { realmId, userId, person, at });
  return { userId, roles, how: "created" };
}

/**
 * Updates an existing user. The audit entry names the changed fields without personal data. Throws {@link
 * UpstreamError} if the provider withholds the claim for a role that it gave: the role is neither removed nor used.
 */
async function welcome(
  tx: Db,
  { realmId, issuer, person }: UpstreamSignIn,
  {
    user,
    how,
    takesVlan,
    at,
  }: { user: identities.UpstreamUser; how: "known" | "adopted"; takesVlan: boolean; at: Date },
): Promise<SignInOutcome> {
  if (user.offboardedAt !== null) return { problem: "offboarded", userId: user.id };
  const withheld = user.fromProvider.filter((role) => person.withheldRoles.includes(role));
  if (withheld.length > 0) {
    throw new UpstreamError("upstream_bad_answer", `the claim that gives ${withheld.join(" and ")} is withheld`);
  }
  const { id, email, displayName, isManaged } = user;
  // A sign-in keeps the values of a managed user: otherwise each sign-in and each cycle of the directory would undo the
  // other's change.
  const now = isManaged
    ? { email, displayName }
    : { email: person.email ?? email, displayName: person.displayName ?? displayName };
  const changedFields = (["email", "displayName"] as const).filter((name) => now[name] !== user[name]);
  if (changedFields.length > 0) await identities.updateUser(tx, { realmId, user: { id, ...now } });
  if (user.notPermittedSince !== null) await identities.setNotPermitted(tx, { realmId, userId: id, since: null });
  const changed = [
    ...(how === "adopted" ? ["identity"] : []),
    ...(user.notPermittedSince === null ? [] : ["permitted"]),
    ...changedFields,
  ];
  if (changed.length > 0) {
    await auditEntries.record(tx, {
      realmId,
      event: "user_update",
      actor: { userId: id, clientId: null },
      at,
      properties: { userID: id, changed, issuer },
    });
  }
  if (takesVlan) await takeVlan(tx, { realmId, userId: id, person, at });
  const { held, lastAdministratorKept } = await takeRoles(tx, { realmId, user, person, at });
  return { userId: id, roles: held, how, ...(lastAdministratorKept && { lastAdministratorKept }) };
}

/** Stores the VLAN that the realm's rules give a user. A VLAN set by hand stays and takes precedence. */
async function takeVlan(
  tx: Db,
  { realmId, userId, person, at }: { realmId: string; userId: string; person: UpstreamPerson; at: Date },
): Promise<void> {
  if (person.vlan === undefined) return;
  const before = await vlans.find(tx, { realmId, userId });
  if (before === undefined) return;
  const after = { ...before, fromProvider: person.vlan };
  const actor = { userId, clientId: null };
  await vlanOperations.set(tx, { realmId, userId, before, after, source: "provider", actor, at });
}

/**
 * Gives a user the roles that the provider names, and removes the other roles that the provider controls, even those
 * given in this service. Roles whose claim the provider withholds stay. The last administrator keeps that role: no
 * other user could appoint an administrator.
 */
async function takeRoles(
  tx: Db,
  {
    realmId,
    user: { id: userId, given, fromProvider },
    person,
    at,
  }: { realmId: string; user: identities.UpstreamUser; person: UpstreamPerson; at: Date },
): Promise<{ held: Role[]; lastAdministratorKept: boolean }> {
  const before = { given, fromProvider };
  const after = {
    given: given.filter((role) => !person.mappedRoles.includes(role) || person.withheldRoles.includes(role)),
    fromProvider: [...person.roles],
  };
  const leaves = (role: Role): boolean =>
    roleOperations.heldRoles(before).includes(role) && !roleOperations.heldRoles(after).includes(role);
  let lastAdministratorKept = false;
  if (leaves("administrator")) {
    await userRoles.lockAdministrators(tx, { realmId });
    lastAdministratorKept = await userRoles.areLastAdministrators(tx, { realmId, userIds: [userId] });
    // Recorded as given in this service, not by the provider: the set-up can then see that the claims do not name an
    // administrator.
    if (lastAdministratorKept) after.given.push("administrator");
  }
  const actor = { userId, clientId: null };
  await roleOperations.set(tx, { realmId, userId, before, after, source: "provider", actor, at });
  return { held: roleOperations.heldRoles(after), lastAdministratorKept };
}
