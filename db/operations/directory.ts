import { isDeepStrictEqual } from "node:util";
import {
  decisionsAbout,
  textsOf,
  TooManyValues,
  type DirectoryRules,
} from "../../domain/people/directory-attributes.ts";
import type { Actor } from "../../domain/audit/audit.ts";
import type { DirectoryChange, PairwiseAttribute } from "../../domain/people/directory.ts";
import { foldId } from "../../domain/people/pairwise-id.ts";
import type { Db } from "../client.ts";
import * as audit from "../queries/audit/audit-entries.ts";
import * as vlans from "../queries/people/vlans.ts";
import * as scimUsers from "../queries/people/scim-users.ts";
import type { Connection, ScimUser } from "../queries/people/scim-users.ts";
import * as users from "../queries/people/users.ts";
import * as identities from "../queries/sign-in/upstream-identities.ts";
import * as offboarding from "./offboarding.ts";
import * as reactivation from "./reactivation.ts";
import * as guard from "./scim-guard.ts";
import type { Leaving } from "./scim-guard.ts";

/**
 * Creates and changes the people of a directory, and lets them leave and come back. Each change writes one audit entry;
 * a request that changes nothing writes no entry. Call in a transaction.
 */

interface Request extends Connection {
  at: Date;
  rules: DirectoryRules;
  /** The id of the held job that this request may create. */
  jobId: string;
  requestId: string;
}

/** The result of a request, in addition to the changed attributes. */
export interface Done {
  userId: string;
  /** Undefined if nobody left or came back. */
  leaving: Leaving | undefined;
}

const actorOf = ({ clientId }: Connection): Actor => ({ userId: null, clientId });
const source = { source: "scim" } as const;

/** Another person already has this attribute's value. */
export interface Taken {
  taken: PairwiseAttribute;
}

/** The attributes of a new person: the request's, and the pairwise id with the attribute that contained it. */
export interface NewPerson extends Omit<DirectoryChange, "userName"> {
  userName: string;
  pairwise: PairwiseAttribute;
  pairwiseId: string;
}

/**
 * Creates a person, adopts the user with this pairwise id, or revives a person who left as the same user with the same
 * id. A directory sends a returning person as a new one, so the id counts as taken only if its person belongs to
 * another connection or is active in this one, or if the id matches several people.
 */
export async function create(tx: Db, { person, ...request }: Request & { person: NewPerson }): Promise<Done | Taken> {
  const { realmId, clientId, at } = request;
  const { pairwiseId, pairwise } = person;
  const found = await identities.lockUserByPairwiseId(tx, { realmId, pairwiseId });
  if (found === "ambiguous") return { taken: pairwise };
  const active = person.active ?? true;
  const row = {
    userName: person.userName,
    externalId: person.externalId ?? null,
    emailType: person.email?.type ?? null,
    emailPrimary: person.email?.primary ?? null,
    active,
    attributes: withAttributes({}, person.attributes),
  };
  if (found === undefined) {
    const userId = await users.create(tx, {
      realmId,
      pairwiseId,
      email: person.email?.value ?? "",
      displayName: person.displayName ?? undefined,
      roles: [],
      at,
    });
    await scimUsers.put(tx, { realmId, clientId, userId, row, at });
    await decide(tx, { ...request, userId, attributes: row.attributes });
    if (!active) await offboarding.lockOut(tx, { realmId, userIds: [userId], jobId: null, at });
    await audit.record(tx, {
      realmId,
      event: "user_create",
      actor: actorOf(request),
      at,
      properties: { userID: userId, ...source, ...(!active && { active }) },
    });
    return { userId, leaving: active ? undefined : { outcome: "revoked" } };
  }

  const userId = found.id;
  const before = await scimUsers.findRow(tx, { realmId, userId });
  const isLive = before?.deletedAt === null && before.clientId !== null;
  if (isLive && (before.clientId !== clientId || before.active)) return { taken: pairwise };
  const now = {
    displayName: person.displayName === undefined ? found.displayName : person.displayName,
    email: person.email === undefined ? found.email : (person.email?.value ?? ""),
  };
  await scimUsers.put(tx, { realmId, clientId, userId, row, at });
  await scimUsers.updateUser(tx, { realmId, userId, ...now });
  const changed = [
    "scim",
    ...(["displayName", "email"] as const).filter((name) => now[name] !== found[name]),
    ...(await decide(tx, { ...request, userId, attributes: row.attributes })),
  ];
  return { userId, leaving: await settle(tx, { ...request, userId, active, returns: true, changed }) };
}

/**
 * Changes a person of a connection. Undefined attributes stay. `active: true` reactivates only people whom the
 * directory itself removed, so a routine update never ends an offboarding that was decided here. Returns undefined if
 * there is no such person.
 */
export async function change(
  tx: Db,
  {
    userId,
    change: said,
    pairwise,
    check,
    ...request
  }: Request & {
    userId: string;
    change: DirectoryChange;
    pairwise: PairwiseAttribute;
    /** Throws if the person has changed since the directory read them. */
    check: (user: ScimUser) => void;
  },
): Promise<Done | undefined> {
  const { realmId, clientId, at } = request;
  if ((await users.lock(tx, { realmId, userId })) === undefined) return undefined;
  const before = await scimUsers.find(tx, { realmId, clientId, userId });
  if (before === undefined) return undefined;
  check(before);

  const given = said[pairwise];
  const after = {
    userName: said.userName ?? before.userName,
    externalId: said.externalId === undefined ? before.externalId : said.externalId,
    displayName: said.displayName === undefined ? before.displayName : said.displayName,
    email: said.email === undefined ? before.email : (said.email?.value ?? ""),
    emailType: said.email === undefined ? before.emailType : (said.email?.type ?? before.emailType),
    emailPrimary: said.email === undefined ? before.emailPrimary : (said.email?.primary ?? before.emailPrimary),
    // Another spelling of the same id does not change who the person is.
    pairwiseId:
      given === undefined || given === null || foldId(given) === foldId(before.pairwiseId) ? before.pairwiseId : given,
    attributes: withAttributes(before.attributes, said.attributes),
  };
  const changed = [
    ...(["userName", "externalId", "displayName", "email"] as const).filter((name) => after[name] !== before[name]),
    ...(labelsOf(after) === labelsOf(before) ? [] : ["emailLabels"]),
    ...(isDeepStrictEqual(after.attributes, before.attributes) ? [] : ["attributes"]),
  ];
  const active = said.active ?? before.active;
  const leaves = said.active === false && before.offboardedAt === null;
  const returns = said.active === true && !before.active && before.offboardedAt !== null;
  const isNews = changed.length > 0 || leaves || returns;
  // The directory's latest `active` is stored even if nothing else changes.
  if (isNews || active !== before.active) {
    const row = { ...after, active, deletedAt: null };
    await scimUsers.update(tx, { realmId, userId, row, at: isNews ? at : null });
    await scimUsers.updateUser(tx, { realmId, userId, ...after });
  }
  changed.push(...(await decide(tx, { ...request, userId, attributes: after.attributes })));
  return {
    userId,
    leaving: await settle(tx, { ...request, userId, active: said.active, returns: !before.active, changed }),
  };
}

/**
 * Returns the values after a change. Values added to a list follow the existing values, without duplicates. Throws
 * {@link TooManyValues}.
 */
function withAttributes(
  before: ScimUser["attributes"],
  said: DirectoryChange["attributes"] = new Map(),
): ScimUser["attributes"] {
  const after = new Map(Object.entries(before));
  for (const [path, { value, adds }] of said) {
    const old = after.get(path);
    if (value === null) after.delete(path);
    else if (adds && Array.isArray(value) && Array.isArray(old)) {
      const isNew = (entry: unknown): boolean => !old.some((each) => isDeepStrictEqual(each, entry));
      const both = [...(old as unknown[]), ...(value as unknown[]).filter(isNew)];
      if (textsOf(both) === undefined) throw new TooManyValues(path);
      after.set(path, both);
    } else after.set(path, value);
  }
  return Object.fromEntries(after);
}

/**
 * Applies the realm's rules to the attributes that the rules name: determines the person's VLAN, and whether they may
 * use the realm. Returns the names of the changed properties.
 */
async function decide(
  tx: Db,
  {
    realmId,
    userId,
    at,
    rules,
    attributes,
  }: Pick<Request, "realmId" | "at" | "rules"> & Pick<ScimUser, "attributes"> & { userId: string },
): Promise<string[]> {
  const { permitted, vlan } = decisionsAbout(new Map(Object.entries(attributes)), rules);
  const changed: string[] = [];
  const held = vlan === undefined ? undefined : await vlans.find(tx, { realmId, userId });
  if (held !== undefined && vlan !== undefined && vlan !== held.fromProvider) {
    await vlans.update(tx, { realmId, userId, given: held.given, fromProvider: vlan });
    changed.push("vlan");
  }
  if (permitted !== undefined && (await identities.changePermitted(tx, { realmId, userId, permitted, at }))) {
    changed.push("permitted");
  }
  return changed;
}

const labelsOf = ({
  email,
  emailType,
  emailPrimary,
}: Pick<ScimUser, "email" | "emailType" | "emailPrimary">): string =>
  email === "" ? "" : JSON.stringify([emailType ?? "work", emailPrimary ?? true]);

/**
 * Removes a person from a directory: they leave, but their user stays. Returns undefined if there is no such person.
 */
export async function remove(
  tx: Db,
  { userId, check, ...request }: Request & { userId: string; check: (user: ScimUser) => void },
): Promise<Done | undefined> {
  const { realmId, clientId, at } = request;
  if ((await users.lock(tx, { realmId, userId })) === undefined) return undefined;
  const before = await scimUsers.find(tx, { realmId, clientId, userId });
  if (before === undefined) return undefined;
  check(before);
  await scimUsers.update(tx, { realmId, userId, row: { ...before, active: false, deletedAt: at }, at });
  return {
    userId,
    leaving: await settle(tx, { ...request, userId, active: false, returns: false, changed: ["scim"] }),
  };
}

/**
 * Offboards a person, or reactivates an offboarded person, or neither if `active` is undefined, and writes the audit
 * entry of the request. `returns`: whether `active: true` may end an offboarding.
 */
async function settle(
  tx: Db,
  {
    userId,
    active,
    returns,
    changed,
    ...request
  }: Request & { userId: string; active: boolean | undefined; returns: boolean; changed: readonly string[] },
): Promise<Leaving | undefined> {
  const { realmId, at, jobId, requestId } = request;
  const actor = actorOf(request);
  const also = { ...source, ...(changed.length > 0 && { changed }) };
  const found = await users.lock(tx, { realmId, userId });
  if (found === undefined) throw new Error("a locked user is gone");
  const leaving =
    active === false ? await guard.leave(tx, { realmId, userId, found, jobId, requestId, actor, at, also }) : undefined;
  if (leaving !== undefined && leaving.outcome !== "unchanged") return leaving;
  if (active === true && returns && found.offboardedAt !== null) {
    await reactivation.letOneBackIn(tx, { realmId, userId, offboardedAt: found.offboardedAt, actor, at, also });
  } else if (changed.length > 0) {
    await audit.record(tx, {
      realmId,
      event: "user_update",
      actor,
      at,
      properties: { userID: userId, ...also },
    });
  }
  return leaving;
}
