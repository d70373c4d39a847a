import type { Db } from "../../../db/client.ts";
import type { AuditSubject } from "../../../db/queries/audit/audit-subjects.ts";
import * as activity from "../../../db/queries/certificates/profile-activity.ts";
import type { EndingEntry, ProfileActivity } from "../../../db/queries/certificates/profile-activity.ts";
import * as statusAskers from "../../../db/queries/certificates/status-askers.ts";
import * as users from "../../../db/queries/people/users.ts";
import type { User } from "../../../db/queries/people/users.ts";
import {
  diagnose,
  type Delivery,
  type Diagnosis,
  type OffboardingFacts,
  type RevokedHow,
} from "../../../domain/certificate/diagnosis.ts";
import { lastCheckOf } from "../../../domain/certificate/last-check.ts";
import { revocationReasons } from "../../../domain/certificate/revocation.ts";
import { findOnboardingApp } from "../../../domain/onboarding-apps.ts";
import type { PrincipalFor } from "../../contract/access.ts";
import { diagnosisView, type ActedByView, type ProfileActivityView } from "../../contract/views/activity-view.ts";
import { readActors, type NameActor } from "./acted-by.ts";

interface Reading {
  principal: PrincipalFor["staff"];
  at: Date;
}

/** A profile as the API returns it, with its diagnosis. */
export interface ReadProfile {
  issuedAt: Date;
  diagnosis: Diagnosis;
  view: ProfileActivityView;
}

/** Returns the offboarding that ended a person's access; null if the person is not offboarded. */
export async function readOffboarding(
  db: Db,
  user: Pick<User, "id" | "offboardedAt" | "profileCount">,
  { principal }: Reading,
): Promise<OffboardingFacts | null> {
  if (user.offboardedAt === null) return null;
  const { realmId } = principal;
  const [offboarding, ending] = await Promise.all([
    users.findOffboarding(db, { realmId, userId: user.id }),
    activity.listEnding(db, { realmId, subjects: [`user:${user.id}`] }),
  ]);
  const entry = ending.find(({ event }) => event === "user_offboard");
  const nameActor = await readActors(db, { principal, actors: entry === undefined ? [] : [entry] });
  return {
    at: user.offboardedAt,
    by: entry === undefined ? null : nameActor(entry, { ownerId: user.id, unrecorded: "operator" }),
    revokeAt: offboarding?.grace?.revokeAt ?? null,
    isHeld: offboarding?.isHeld ?? false,
    activeCount: user.profileCount,
  };
}

/**
 * Reads the profiles of one owner, with the activity of each and the reason why its device may not be on the network.
 */
export async function readActivities(
  db: Db,
  {
    rows,
    offboarding,
    principal,
    at,
  }: Reading & { rows: readonly ProfileActivity[]; offboarding: OffboardingFacts | null },
): Promise<ReadProfile[]> {
  const { realmId } = principal;
  const [realmChecks, endings] = await Promise.all([
    statusAskers.ofRealm(db, { realmId, at }),
    readEndings(db, { realmId, rows }),
  ]);
  const nameActor = await readActors(db, { principal, actors: [...endings.values()] });
  return rows.map((row) => {
    const revocation = revocationOf(row, { entry: endings.get(row.serialNumber), nameActor });
    const { replacedBy, replacedAt, serialNumber: serial } = row;
    const delivery: Delivery = row.output !== "own" ? "unknown" : row.collectedAt === null ? "not_fetched" : "fetched";
    const diagnosis = diagnose(
      {
        serial,
        issuedAt: row.createdAt,
        notAfter: row.notAfter,
        revocation,
        replacedBy: replacedBy === null || replacedAt === null ? null : { serial: replacedBy, at: replacedAt },
        lastCheckAt: row.lastOcspAt,
        delivery,
        realmCheckedAt: realmChecks.lastAt,
        listEndsAt: row.listEndsAt,
        offboarding: row.kind === "user" ? offboarding : null,
      },
      at,
    );
    const check = lastCheckOf({ lastCheckAt: row.lastOcspAt, revokedAt: row.revokedAt });
    return {
      issuedAt: row.createdAt,
      diagnosis,
      view: {
        serial,
        kind: row.kind,
        name: row.name,
        deviceType: row.deviceType,
        state: row.revokedAt !== null ? "revoked" : row.notAfter <= at ? "expired" : "active",
        identity: row.identity,
        issuedAt: row.createdAt.toISOString(),
        expiresAt: row.notAfter.toISOString(),
        lastCheck: check && { at: check.at.toISOString(), result: check.result },
        firstCheckAt: row.firstOcspAt?.toISOString() ?? null,
        firstRefusedAt: row.firstRefusedAt?.toISOString() ?? null,
        otherCheckAt: row.lastOtherOcspAt?.toISOString() ?? null,
        realmChecks: { servers: realmChecks.servers, lastAt: realmChecks.lastAt?.toISOString() ?? null },
        deliveredAt: row.output === "own" ? (row.collectedAt?.toISOString() ?? null) : null,
        delivery,
        revocation: revocation && { ...revocation, at: revocation.at.toISOString() },
        app: appOf(row),
        replaces: row.replaces,
        replacedBy,
        diagnosis: diagnosisView(diagnosis),
      },
    };
  });
}

function appOf({ madeThrough }: ProfileActivity): ProfileActivityView["app"] {
  const app = findOnboardingApp(madeThrough ?? undefined);
  return app === undefined ? null : { client_id: app.clientId, name: app.name };
}

const singleEvents: ReadonlySet<string> = new Set([
  "profile_revoke",
  "guest_profile_revoke",
  "infrastructure_profile_revoke",
]);

/**
 * Finds the entry that revoked each profile, by serial number. An entry about many profiles names only the first
 * hundred; for the rest, uses the last entry about their owner before the revocation.
 */
async function readEndings(
  db: Db,
  { realmId, rows }: { realmId: string; rows: readonly ProfileActivity[] },
): Promise<Map<string, EndingEntry>> {
  const revoked = rows.filter(({ revokedAt }) => revokedAt !== null);
  const subjects = revoked.map(({ serialNumber }): AuditSubject => `profile:${serialNumber}`);
  if (subjects.length === 0) return new Map();
  const named = await activity.listEnding(db, { realmId, subjects });
  const found = new Map<string, EndingEntry>();
  for (const row of revoked) {
    const entries = named.filter(({ serials }) => serials.includes(row.serialNumber));
    const entry = entries.find(({ event }) => singleEvents.has(event)) ?? entries.find(({ at }) => isBefore(at, row));
    if (entry !== undefined) found.set(row.serialNumber, entry);
  }
  const unnamed = revoked.filter(({ serialNumber }) => !found.has(serialNumber));
  const owners = [...new Set(unnamed.flatMap(ownerOf))];
  if (owners.length === 0) return found;
  const ofOwners = (await activity.listEnding(db, { realmId, subjects: owners })).filter(
    ({ event }) => !singleEvents.has(event),
  );
  for (const row of unnamed) {
    const entry = ofOwners.find(({ at }) => isBefore(at, row));
    if (entry !== undefined) found.set(row.serialNumber, entry);
  }
  return found;
}

const isBefore = (at: Date, { revokedAt }: ProfileActivity): boolean => revokedAt !== null && at <= revokedAt;

const ownerOf = ({ userId, guestAccountId }: ProfileActivity): AuditSubject[] =>
  userId !== null ? [`user:${userId}`] : guestAccountId !== null ? [`guest:${guestAccountId}`] : [];

interface Revocation {
  at: Date;
  reason: NonNullable<ProfileActivity["revocationReason"]>;
  how: RevokedHow | null;
  by: ActedByView | null;
  auditID: string | null;
}

function revocationOf(
  row: ProfileActivity,
  { entry, nameActor }: { entry: EndingEntry | undefined; nameActor: NameActor },
): Revocation | null {
  const { revokedAt: at, revocationReason: reason } = row;
  if (at === null || reason === null) return null;
  if (entry === undefined) return { at, reason, how: null, by: null, auditID: null };
  const isUpkeep = entry.userId === null && entry.clientId === null && !entry.replayed;
  const how = howOf(row, { entry, isUpkeep });
  const unrecorded =
    isUpkeep && (how === "renewal" || how === "guest_end" || entry.unfetched) && singleEvents.has(entry.event);
  return {
    at,
    reason,
    how,
    by: nameActor(entry, { ownerId: row.userId, unrecorded: unrecorded ? "service" : "operator" }),
    auditID: entry.id,
  };
}

function howOf(row: ProfileActivity, { entry, isUpkeep }: { entry: EndingEntry; isUpkeep: boolean }): RevokedHow {
  if (entry.event === "user_offboard") return "offboarding";
  if (entry.event === "guest_account_revoke") return "guest_end";
  if (entry.job !== null) return "job";
  if (!isUpkeep) return "single";
  const { superseded, cessationOfOperation } = revocationReasons;
  if (row.kind === "user" && row.wasRenewed && entry.reason === superseded) return "renewal";
  const guestEnded = row.guestExpiresAt !== null && row.guestExpiresAt <= entry.at;
  return row.kind === "guest" && guestEnded && entry.reason === cessationOfOperation ? "guest_end" : "single";
}
