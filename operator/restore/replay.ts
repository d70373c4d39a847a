import { z } from "zod";
import type { Database, Db } from "../../db/client.ts";
import * as guestAccounts from "../../db/operations/guest-accounts.ts";
import * as lostCertificates from "../../db/operations/lost-certificates.ts";
import * as offboarding from "../../db/operations/offboarding.ts";
import * as restoring from "../../db/operations/restoring.ts";
import * as audit from "../../db/queries/audit/audit-entries.ts";
import * as issuances from "../../db/queries/issuance/issuances.ts";
import { operatorActor } from "../../domain/audit/audit.ts";
import { GuestAccountID, StaticTokenID, UserID } from "../../domain/ids.ts";
import { RevocationReason } from "../../domain/certificate/revocation.ts";
import type { Lost, LostEntry } from "./lost-entries.ts";
import { gaveRole, takenRoles, type Taken } from "./taken-roles.ts";

/** The counts of replayed changes, the lost profiles, and the entries left for people to handle. */
export interface Replayed {
  /**
   * Known profiles that the replay revoked, not counting those of people and guest accounts that it offboarded or
   * revoked.
   */
  revoked: number;
  /** Serial numbers of lost profiles that the replay put on the CRL. */
  listed: number;
  offboarded: number;
  locked: number;
  /** People whose roles the replay removed again, other than by an offboarding that stands. */
  roles: number;
  guestAccounts: number;
  /** Applications that the replay switched off, or whose old secrets or deleted tokens it removed. */
  applications: number;
  lostProfiles: { serial: string; user: string | null; name: string | null }[];
  byHand: LostEntry[];
}

/** The results of the replay so far. Several entries can be about one person or application, which counts once. */
interface Done extends Omit<Replayed, "roles" | "applications"> {
  roles: Set<string>;
  applications: Set<string>;
}

/** Entries by the job or person that they are about, in the order of the chain. */
type EntriesOf = ReadonlyMap<string, readonly LostEntry[]>;

/** The most entries replayed in one transaction, unless it is a dry run. */
const sliceMax = 1_000;

/** Events that need no replay: they changed nothing that a restore reverts, or upkeep repeats the change. */
const withoutConsequence = new Set([
  "admin_login",
  "user_login",
  "user_login_refused",
  "audit_export",
  "list_export",
  "user_export",
  "guest_token_read",
  "crl_publish",
  "session_end",
  "sign_in_link_create",
  "job_finish",
  "job_output_read",
  "job_output_erase",
  "user_forget",
  "serial_revoke",
  "database_restore",
  "revocation_replay",
]);

const Revoked = z.object({ serial: z.string().regex(/^[1-9][0-9]{0,48}$/), reason: RevocationReason.catch(0) });
const Created = z.object({
  serial: z.string().regex(/^[1-9][0-9]{0,48}$/),
  issuance: z.uuid().nullable().default(null),
  issuerID: z
    .string()
    .regex(/^[1-9][0-9]{0,17}$/)
    .nullable()
    .default(null),
  expirationTime: z.coerce.date(),
  user: z.string().nullable().default(null),
  name: z.string().nullable().default(null),
});
const OfUser = z.object({ userID: UserID });
const Offboarded = z.object({
  userID: UserID,
  reason: RevocationReason.catch(5),
  serials: z.array(z.string()).default([]),
  revokeAt: z.coerce.date().optional(),
  /** The person is locked out and the job on hold: no profile is revoked until a person starts the job. */
  held: z.boolean().default(false),
  job: z.string().optional(),
});
const Started = z.object({ job: z.string() });
const OfGuestAccount = z.object({ guestAccountID: GuestAccountID, reason: RevocationReason.catch(5) });
const OfApplication = z.object({ clientID: z.string() });
const DeletedToken = OfApplication.extend({ tokenID: StaticTokenID });
const SwitchedOff = z.object({ clientID: z.string(), after: z.object({ active: z.literal(false) }) });

/**
 * Replays the lost entries that removed access, in slices of one transaction each; skips entries that earlier runs
 * replayed. Skips a lock, the deactivation of an application or the removal of a role that a later lost entry reverted.
 * Of an offboarding that was undone, replays only the removal of roles and the revocations that happened before.
 * `keepLost`: keeps profiles that are unknown here, because they were issued in the lost time, off the CRL. `dryRun`:
 * does everything in one transaction, so entries find what earlier ones changed, and rolls it back.
 */
export async function replay(
  db: Database,
  lost: Lost,
  { at, keepLost, dryRun }: { at: Date; keepLost: boolean; dryRun: boolean },
): Promise<Replayed> {
  const done: Done = {
    revoked: 0,
    listed: 0,
    offboarded: 0,
    locked: 0,
    roles: new Set(),
    guestAccounts: 0,
    applications: new Set(),
    lostProfiles: [],
    byHand: [],
  };
  const last = lastSayings(lost.entries);
  const issuers = issuersIn(lost.entries);
  const starts = startsIn(lost.entries);
  const returns = returnsIn(lost.entries);
  const taken = takenRoles(lost.entries);
  const left = lost.entries.filter(({ position }) => position > lost.replayedTo);
  const size = dryRun ? left.length : sliceMax;
  for (let from = 0; from < left.length; from += size) {
    const slice = left.slice(from, from + size);
    const [first, end] = [slice[0], slice.at(-1)];
    if (first === undefined || end === undefined) break;
    const run = async (tx: Db): Promise<void> => {
      for (const entry of slice)
        await replayEntry(tx, entry, { at, keepLost, last, issuers, starts, returns, taken, done });
      await audit.record(tx, {
        realmId: lost.realmId,
        event: "revocation_replay",
        actor: operatorActor,
        at,
        properties: { from: first.position, to: end.position, hash: end.hash },
      });
    };
    await (dryRun ? rolledBack(db, run) : db.transaction(run));
  }
  return { ...done, roles: done.roles.size, applications: done.applications.size };
}

class RolledBack extends Error {}

async function rolledBack(db: Database, run: (tx: Db) => Promise<void>): Promise<void> {
  const rollBack = async (tx: Db): Promise<void> => {
    await run(tx);
    throw new RolledBack();
  };
  await db.transaction(rollBack).catch((error: unknown) => {
    if (!(error instanceof RolledBack)) throw error;
  });
}

/**
 * Returns the key of the switch that an entry sets (an offboarding, a lock, an application). Only the last entry of
 * each key counts.
 */
function switchOf({ event, properties }: LostEntry): string | undefined {
  const json: unknown = JSON.parse(properties);
  if (event === "user_offboard" || event === "user_undelete") {
    const of = OfUser.safeParse(json);
    return of.success ? `offboarding ${of.data.userID}` : undefined;
  }
  if (event === "user_lock" || event === "user_unlock") {
    const of = OfUser.safeParse(json);
    return of.success ? `lock ${of.data.userID}` : undefined;
  }
  if (event === "client_delete" || event === "client_update") {
    const of = OfApplication.safeParse(json);
    const isSwitch =
      event === "client_delete" || z.object({ after: z.object({ active: z.boolean() }) }).safeParse(json).success;
    return of.success && isSwitch ? `application ${of.data.clientID}` : undefined;
  }
  return undefined;
}

/** Returns the last entry that sets each switch, by the switch's key. */
function lastSayings(entries: readonly LostEntry[]): ReadonlyMap<string, LostEntry> {
  const last = new Map<string, LostEntry>();
  for (const entry of entries) {
    const key = switchOf(entry);
    if (key !== undefined) last.set(key, entry);
  }
  return last;
}

/** Returns the issuer of each profile that the entries create. Entries of earlier versions do not name the issuer. */
function issuersIn(entries: readonly LostEntry[]): ReadonlyMap<string, string> {
  const issuers = new Map<string, string>();
  for (const { event, properties } of entries) {
    if (!event.endsWith("profile_create")) continue;
    const { serial, issuerID } = Created.parse(JSON.parse(properties));
    if (issuerID !== null) issuers.set(serial, issuerID);
  }
  return issuers;
}

/** Returns the starts of each job by a person, by the job's ID. */
const startsIn = (entries: readonly LostEntry[]): EntriesOf =>
  byId(entries, "job_start", (json) => Started.parse(json).job);

/** Returns the reactivations of each person, by the person's ID. */
const returnsIn = (entries: readonly LostEntry[]): EntriesOf =>
  byId(entries, "user_undelete", (json) => OfUser.parse(json).userID);

function byId(entries: readonly LostEntry[], event: string, idOf: (json: unknown) => string): EntriesOf {
  const found = new Map<string, LostEntry[]>();
  for (const entry of entries) {
    if (entry.event !== event) continue;
    const id = idOf(JSON.parse(entry.properties));
    found.set(id, [...(found.get(id) ?? []), entry]);
  }
  return found;
}

/** Returns the first entry about a job or a person that follows another entry. */
const firstAfter = ({ position }: LostEntry, id: string | undefined, entries: EntriesOf): LostEntry | undefined =>
  id === undefined ? undefined : entries.get(id)?.find((other) => other.position > position);

async function replayEntry(
  tx: Db,
  entry: LostEntry,
  {
    at,
    keepLost,
    last,
    issuers,
    starts,
    returns,
    taken,
    done,
  }: {
    at: Date;
    keepLost: boolean;
    last: ReadonlyMap<string, LostEntry>;
    issuers: ReadonlyMap<string, string>;
    starts: EntriesOf;
    returns: EntriesOf;
    taken: ReadonlyMap<LostEntry, Taken>;
    done: Done;
  },
): Promise<void> {
  const { event, realm: realmId } = entry;
  const json: unknown = JSON.parse(entry.properties);
  const key = switchOf(entry);
  const final = key === undefined ? entry : last.get(key);
  const isFinal = final === entry;

  switch (event) {
    case "profile_revoke":
    case "guest_profile_revoke":
    case "infrastructure_profile_revoke": {
      const { serial, reason } = Revoked.parse(json);
      const outcome = await restoring.revokeAgain(tx, {
        realmId,
        event,
        serialNumber: serial,
        reason,
        revokedAt: new Date(entry.date),
        at,
      });
      const issuerId = issuers.get(serial) ?? null;
      count(
        outcome ?? (await lostCertificates.list(tx, { realmId, serialNumber: serial, issuerId, replayed: true, at })),
      );
      return;
    }
    case "profile_create":
    case "guest_profile_create":
    case "infrastructure_profile_create": {
      const { serial, issuance, expirationTime, user, name } = Created.parse(json);
      if (await restoring.isKnown(tx, { realmId, serialNumber: serial })) return;
      if (issuance !== null) {
        await issuances.failUnsettledById(tx, { realmId, id: issuance, errorCode: "issuance_failed", at });
      }
      done.lostProfiles.push({ serial, user, name });
      if (keepLost) return;
      count(
        await lostCertificates.list(tx, {
          realmId,
          serialNumber: serial,
          issuerId: issuers.get(serial) ?? null,
          issuanceId: issuance,
          notAfter: expirationTime,
          replayed: true,
          at,
        }),
      );
      return;
    }
    case "user_offboard": {
      const { userID: userId, reason, serials, revokeAt, held, job } = Offboarded.parse(json);
      // Starting a job that has locked people out ends the wait of their devices.
      const start = firstAfter(entry, job, starts);
      const keptDevices = held && start === undefined;
      if (isFinal && keptDevices) {
        // A person has yet to decide whether the user loses the devices, but the job that asked for the decision is
        // lost.
        if (await restoring.lockOutAgain(tx, { realmId, userId, reason, at })) done.offboarded++;
        done.byHand.push(entry);
        return;
      }
      if (isFinal) {
        const found = await offboarding.offboard(tx, {
          realmId,
          userId,
          reason,
          actor: operatorActor,
          at,
          also: { replayed: true },
        });
        if (found === "offboarded") done.offboarded++;
        if (found === "not_found") done.byHand.push(entry);
        return;
      }
      await takeRoles();
      if (keptDevices) return;
      // The offboarding was undone later. Devices that it revoked before then are still revoked.
      const waitEnds = [revokeAt, start && new Date(start.date)].filter((date) => date !== undefined);
      const revokedAt = waitEnds.length === 0 ? new Date(entry.date) : new Date(Math.min(...waitEnds.map(Number)));
      const undone = firstAfter(entry, userId, returns) ?? final;
      if (undone !== undefined && revokedAt > new Date(undone.date)) return;
      for (const serialNumber of serials) {
        const outcome = await restoring.revokeAgain(tx, {
          realmId,
          event: "profile_revoke",
          serialNumber,
          reason,
          revokedAt,
          at,
        });
        if (outcome !== undefined) count(outcome);
      }
      return;
    }
    case "user_role_update": {
      await takeRoles();
      if (gaveRole(entry)) done.byHand.push(entry);
      return;
    }
    case "user_lock": {
      if (!isFinal) return;
      const { userID: userId } = OfUser.parse(json);
      const found = await restoring.lockAgain(tx, { realmId, userId, at });
      if (found === "locked") done.locked++;
      if (found === "not_found") done.byHand.push(entry);
      return;
    }
    case "guest_account_revoke": {
      const { guestAccountID: guestAccountId, reason } = OfGuestAccount.parse(json);
      const { outcome } = await guestAccounts.revoke(tx, {
        realmId,
        guestAccountId,
        reason,
        actor: operatorActor,
        at,
        replayed: true,
      });
      if (outcome === "revoked") done.guestAccounts++;
      return;
    }
    case "client_delete":
    case "client_update":
    case "client_secret_create": {
      const { clientID: clientId } = OfApplication.parse(json);
      const isOff = event === "client_delete" || SwitchedOff.safeParse(json).success;
      const changed =
        event === "client_secret_create"
          ? await restoring.removeSecretsBefore(tx, { realmId, clientId, before: new Date(entry.date), at })
          : isOff && isFinal && (await restoring.switchOff(tx, { realmId, clientId, at }));
      if (changed) done.applications.add(clientId);
      // A person must create a new secret, and the application's other changes are not known here.
      done.byHand.push(entry);
      return;
    }
    case "static_token_delete": {
      const { clientID: clientId, tokenID: id } = DeletedToken.parse(json);
      if (await restoring.deleteTokenAgain(tx, { realmId, clientId, id, at })) done.applications.add(clientId);
      return;
    }
    default:
      if (!withoutConsequence.has(event)) done.byHand.push(entry);
  }

  /**
   * Removes the roles that the entry removed and that no later entry granted again. An offboarding ends a person's
   * roles even if the offboarding was undone.
   */
  async function takeRoles(): Promise<void> {
    const of = taken.get(entry);
    if (of === undefined) return;
    const { userId, roles } = of;
    if (await restoring.takeRolesAgain(tx, { realmId, userId, taken: roles, at })) done.roles.add(userId);
  }

  function count(outcome: lostCertificates.SerialOutcome): void {
    if (outcome === "revoked") done.revoked++;
    if (outcome === "listed") done.listed++;
  }
}
