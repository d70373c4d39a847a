import type { Database } from "../../../db/client.ts";
import type { Certificate } from "../../../db/queries/certificates/certificates.ts";
import * as search from "../../../db/queries/search/search.ts";
import type { Findings, FoundGuestAccount, FoundUser } from "../../../db/queries/search/search.ts";
import { GuestAccountID, UserID } from "../../../domain/ids.ts";
import { scopeToRead, type ProfileKind } from "../../../domain/certificate/profile.ts";
import type { Scope } from "../../../domain/people/scopes.ts";
import {
  compareFindings,
  fitOf,
  fits,
  type Fit,
  type Ranked,
  type SearchText,
} from "../../../domain/people/search-text.ts";
import { findPeople } from "../../contract/views/person-view.ts";
import type { SearchGroup, SearchView } from "../../contract/views/search-view.ts";

interface Asked {
  realmId: string;
  searched: SearchText;
  /** The most results of each group. */
  limit: number;
  at: Date;
}

/** One group, and whether time ran out before the whole group was searched. */
interface Found {
  group: SearchGroup;
  isLate: boolean;
}

/** Searches each group that the token may see; finds nothing if `searched` is undefined. */
export async function findGroups(
  db: Database,
  {
    searched,
    includesJobs,
    may,
    ...asked
  }: Omit<Asked, "searched"> & {
    searched: SearchText | undefined;
    includesJobs: boolean;
    /** Returns true if the caller has a scope. */
    may: (scope: Scope) => boolean;
  },
): Promise<SearchView> {
  const kinds = (Object.keys(scopeToRead) as ProfileKind[]).filter((kind) => may(scopeToRead[kind]));
  const finders = [
    ...(may("user.read") ? [{ kind: "user", find: findUsers } as const] : []),
    ...(kinds.length > 0 ? [{ kind: "profile", find: findProfilesOf(kinds) } as const] : []),
    ...(may("guest.view") ? [{ kind: "guestAccount", find: findGuestAccounts } as const] : []),
    ...(may("application.read") ? [{ kind: "application", find: findApplications } as const] : []),
    ...(includesJobs && may("job.read") ? [{ kind: "job", find: findJobs } as const] : []),
  ];
  if (searched === undefined) {
    return {
      groups: finders.map(({ kind }) => ({ kind, items: [], more: false, total: 0, isTotalExact: true })),
      partial: [],
      people: {},
    };
  }
  const found = await Promise.all(finders.map(({ find }) => find(db, { ...asked, searched })));
  const owners = found.flatMap(({ group }) => (group.kind === "profile" ? group.items.map(({ owner }) => owner) : []));
  return {
    groups: found.map(({ group }) => group),
    partial: found.flatMap(({ group, isLate }) => (isLate ? [group.kind] : [])),
    people: may("user.read") ? await findPeople(db, { realmId: asked.realmId, userIds: owners }) : {},
  };
}

/** Returns the best-ranked rows, without duplicates, and the counts for the group. */
function best<Row>(
  { rows, isFull, isLate }: Findings<Row>,
  { limit, keyOf, rankOf }: { limit: number; keyOf: (row: Row) => string; rankOf: (row: Row) => Ranked },
): { rows: Row[]; counts: Pick<SearchGroup, "more" | "total" | "isTotalExact"> } {
  const once = [...new Map(rows.map((row) => [keyOf(row), row])).values()];
  const ranked = once.map((row) => ({ row, rank: rankOf(row) })).sort((a, b) => compareFindings(a.rank, b.rank));
  const total = ranked.length;
  return {
    rows: ranked.slice(0, limit).map(({ row }) => row),
    counts: { more: total > limit, total, isTotalExact: !isFull && !isLate },
  };
}

async function findUsers(db: Database, { realmId, searched, limit, at }: Asked): Promise<Found> {
  const userId = UserID.safeParse(searched.whole).data;
  const findings = await search.findUsers(db, { realmId, searched, userId });
  const { rows, counts } = best(findings, {
    limit,
    keyOf: ({ id }) => id,
    rankOf: ({ id, pairwiseId, email, displayName, offboardedAt, createdAt }) => ({
      fit: id === userId ? fits.exact : fitOf(searched, [pairwiseId, email, displayName ?? ""]),
      ended: offboardedAt !== null,
      createdAt,
    }),
  });
  const profileCounts = await search.countProfiles(db, { realmId, userIds: rows.map(({ id }) => id), at });
  const countOf = new Map(profileCounts.map(({ userId, profileCount }) => [userId, profileCount]));
  const items = rows.map((user) => ({
    userID: user.id,
    pairwiseID: user.forgottenAt === null ? user.pairwiseId : "",
    email: user.email,
    displayName: user.displayName,
    state: userState(user),
    profileCount: countOf.get(user.id) ?? 0,
  }));
  return { group: { kind: "user", items, ...counts }, isLate: findings.isLate };
}

function userState({
  forgottenAt,
  offboardedAt,
  lockedAt,
}: FoundUser): "active" | "locked" | "offboarded" | "forgotten" {
  if (forgottenAt !== null) return "forgotten";
  return offboardedAt !== null ? "offboarded" : lockedAt !== null ? "locked" : "active";
}

const findProfilesOf =
  (kinds: readonly ProfileKind[]) =>
  async (db: Database, { realmId, searched, limit, at }: Asked): Promise<Found> => {
    const findings = await search.findProfiles(db, { realmId, searched, kinds, at });
    const { rows, counts } = best(findings, {
      limit,
      keyOf: ({ id }) => id,
      rankOf: (profile) => ({
        fit: fitOfProfile(searched, profile),
        ended: endingState({ revokedAt: profile.revokedAt, endsAt: profile.notAfter }, at) !== "active",
        createdAt: profile.createdAt,
      }),
    });
    const items = rows.map((profile) => ({
      serial: profile.serialNumber,
      kind: profile.kind,
      name: profile.name,
      deviceType: profile.deviceType,
      state: endingState({ revokedAt: profile.revokedAt, endsAt: profile.notAfter }, at),
      identity: profile.identity,
      owner: profile.userId,
      guestAccountID: profile.guestAccountId,
    }));
    return { group: { kind: "profile", items, ...counts }, isLate: findings.isLate };
  };

/**
 * Ranks a profile. People read out the end of a serial number, so a match at the end counts as much as one at the
 * beginning.
 */
function fitOfProfile(searched: SearchText, { serialNumber, identity, name }: Certificate): Fit {
  if (searched.serials.includes(serialNumber)) return fits.exact;
  const { digits } = searched;
  if (digits !== undefined && (serialNumber.startsWith(digits) || serialNumber.endsWith(digits))) return fits.beginning;
  return fitOf(searched, [identity, name]);
}

function endingState(
  { revokedAt, endsAt }: { revokedAt: Date | null; endsAt: Date },
  at: Date,
): "active" | "revoked" | "expired" {
  return revokedAt !== null ? "revoked" : endsAt <= at ? "expired" : "active";
}

async function findGuestAccounts(db: Database, { realmId, searched, limit, at }: Asked): Promise<Found> {
  const guestAccountId = GuestAccountID.safeParse(searched.whole).data;
  const stateOf = ({ revokedAt, expiresAt }: FoundGuestAccount) => endingState({ revokedAt, endsAt: expiresAt }, at);
  const findings = await search.findGuestAccounts(db, { realmId, searched });
  const { rows, counts } = best(findings, {
    limit,
    keyOf: ({ id }) => id,
    rankOf: (account) => ({
      fit: account.id === guestAccountId ? fits.exact : fitOf(searched, [account.name]),
      ended: stateOf(account) !== "active",
      createdAt: account.createdAt,
    }),
  });
  const items = rows.map((account) => ({ id: account.id, name: account.name, state: stateOf(account) }));
  return { group: { kind: "guestAccount", items, ...counts }, isLate: findings.isLate };
}

async function findApplications(db: Database, { realmId, searched, limit }: Asked): Promise<Found> {
  const findings = await search.findApplications(db, { realmId, searched });
  const { rows, counts } = best(findings, {
    limit,
    keyOf: ({ clientId }) => clientId,
    rankOf: ({ clientId, name, active, createdAt }) => ({
      fit: fitOf(searched, [clientId, name]),
      ended: !active,
      createdAt,
    }),
  });
  const items = rows.map(({ clientId, name, type, active }) => ({ client_id: clientId, name, type, active }));
  return { group: { kind: "application", items, ...counts }, isLate: findings.isLate };
}

async function findJobs(db: Database, { realmId, searched, limit }: Asked): Promise<Found> {
  const findings = await search.findJobs(db, { realmId, searched });
  const { rows, counts } = best(findings, {
    limit,
    keyOf: ({ id }) => id,
    rankOf: ({ id, name, createdAt }) => ({ fit: fitOf(searched, [id, name ?? ""]), ended: false, createdAt }),
  });
  const items = rows.map(({ createdAt, ...job }) => ({ ...job, createdAt: createdAt.toISOString() }));
  return { group: { kind: "job", items, ...counts }, isLate: findings.isLate };
}
