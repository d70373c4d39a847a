import { createHash } from "node:crypto";
import type { Database, Db } from "../../db/client.ts";
import * as auditEntries from "../../db/queries/audit/audit-entries.ts";
import * as crls from "../../db/queries/certificates/crls.ts";
import type { UnpublishedEntry } from "../../db/queries/certificates/crls.ts";
import * as upkeep from "../../db/queries/upkeep/upkeep.ts";
import { clockRoomMinutes } from "../../domain/lifetimes.ts";
import { operatorActor } from "../../domain/audit/audit.ts";
import type { Log } from "../../runtime/log.ts";
import type { Issuers } from "../issuance/issuers.ts";
import type { SigningPool } from "../signing/pool.ts";
import { timeInStep, type TimeDeps } from "../time-in-step.ts";
import { packEntries, pieceEntriesMax, weekOf } from "./pack-entries.ts";
import type { PieceStore } from "./piece-store.ts";

export interface PublishDeps extends TimeDeps {
  db: Database;
  pool: Pick<SigningPool, "signCrl">;
  issuers: Issuers;
  pieces: PieceStore;
  validityHours: number;
  log: Pick<Log, "info">;
}

/** Advisory lock: one worker at a time publishes. No other lock on this database has this number. */
const publishLock = 7_246_720;

/** How many serial numbers one transaction packs: a few hundredths of a second for the process. */
const sliceMax = 5_000;

export interface Published {
  number: string;
  entries: number;
  size: number;
  nextUpdate: Date;
}

/**
 * Publishes an issuer's next CRL. Returns undefined if no CRL is due or another worker is publishing. The steps, and
 * what is true after each, are in docs/revocation.md.
 */
export async function publishCrl(deps: PublishDeps, issuerId: string): Promise<Published | undefined> {
  const { db, validityHours } = deps;
  await deps.issuers.ensure([issuerId]);
  while ((await db.transaction((tx) => packSlice(tx, deps, issuerId))) === "more");
  return db.transaction(async (tx) => {
    if (!(await upkeep.tryLock(tx, publishLock))) return undefined;
    const at = await timeInStep(tx, deps);
    const due = await crls.findDue(tx, { issuerId, validityHours, at });
    if (due === undefined) return undefined;
    const requested = await crls.takeRequest(tx, issuerId);
    await pack(tx, deps, { issuerId, published: true });
    await crls.removeEndedPieces(tx, issuerId);
    const published = await signAndStore(tx, deps, { ...due, at });
    if (requested) {
      await auditEntries.record(tx, {
        realmId: due.realmId,
        event: "crl_publish",
        actor: operatorActor,
        at,
        properties: { issuerID: issuerId, crlNumber: published.number, entries: published.entries },
      });
    }
    return published;
  });
}

/** Packs one slice in a separate transaction if more entries wait than the publishing transaction takes. */
async function packSlice(tx: Db, deps: Pick<PublishDeps, "log">, issuerId: string): Promise<"more" | "done"> {
  if (!(await upkeep.tryLock(tx, publishLock))) return "done";
  if (!(await crls.areUnpublished(tx, { issuerId, count: sliceMax + 1 }))) return "done";
  await pack(tx, deps, { issuerId, published: false });
  return "more";
}

/**
 * Packs one slice of the waiting serial numbers; the next call packs the rest. Pieces of the published CRL may be
 * continued only in the transaction that publishes the next CRL.
 */
async function pack(
  tx: Db,
  { log }: Pick<PublishDeps, "log">,
  { issuerId, published }: { issuerId: string; published: boolean },
): Promise<void> {
  const entries = await crls.takeUnpublished(tx, { issuerId, limit: sliceMax });
  if (entries.length === 0) return;
  logListed(log, issuerId, entries);
  const weeks = [...new Set(entries.map(({ notAfter }) => weekOf(notAfter)))];
  const open = await crls.listOpenPieces(tx, { issuerId, weeks, published, entriesMax: pieceEntriesMax });
  await crls.addPieces(tx, { issuerId, pieces: packEntries(entries, open) });
}

/** How many entries one line of the log contains. */
const entriesPerLine = 100;

/**
 * Logs the entries before the transaction commits. Every revocation passes through here, so the log misses none; if the
 * transaction does not commit, its entries are logged again.
 */
function logListed(log: Pick<Log, "info">, issuer: string, entries: readonly UnpublishedEntry[]): void {
  for (let from = 0; from < entries.length; from += entriesPerLine) {
    const some = entries
      .slice(from, from + entriesPerLine)
      .map(({ serialNumber: serial, revokedAt, reason }) => ({ serial, revokedAt, reason }));
    log.info({ event: "revocations.listed", issuer, entries: some }, "adding serial numbers to the CRL");
  }
}

async function signAndStore(
  tx: Db,
  { pool, pieces, validityHours }: PublishDeps,
  { issuerId, number, at }: crls.DueCrl & { at: Date },
): Promise<Published> {
  const listed = await crls.listPieces(tx, issuerId);
  const contents = await pieces.of(tx, issuerId, listed);
  const signedAt = Math.floor(at.getTime() / 1000) * 1000;
  const thisUpdate = new Date(signedAt - clockRoomMinutes * 60_000);
  const nextUpdate = new Date(signedAt + validityHours * 3_600_000);
  const { head, tail } = await pool.signCrl({
    issuerId,
    number: BigInt(number),
    thisUpdate,
    nextUpdate,
    pieces: contents,
  });
  const entries = listed.reduce((sum, piece) => sum + piece.entries, 0);
  const size = contents.reduce((sum, piece) => sum + piece.length, head.length + tail.length);
  // The tail contains the signature over everything before it: equal tails mean equal lists.
  const tag = createHash("sha256").update(head).update(tail).digest("base64url").slice(0, 22);
  const ids = listed.map(({ id }) => id);
  await crls.publish(tx, { issuerId, number, thisUpdate, nextUpdate, entries, size, tag, head, pieces: ids, tail });
  return { number, entries, size, nextUpdate };
}
