import type { Database, Db } from "../../db/client.ts";
import * as chain from "../../db/queries/audit/audit-seals.ts";
import * as upkeep from "../../db/queries/upkeep/upkeep.ts";
import { chainStart, isLagging, nextLink, type ChainEnd } from "../../domain/audit/chain.ts";
import { eachByItself } from "../../runtime/each-by-itself.ts";
import { sha256, type HeadSigner } from "../../runtime/keys/audit-key.ts";
import type { Log } from "../../runtime/log.ts";
import type { Clock } from "../../runtime/clock.ts";
import { timeInStep, type TimeDeps } from "../time-in-step.ts";

export interface SealingDeps extends TimeDeps {
  db: Database;
  signer: HeadSigner;
  headLog: HeadLog;
  /** Called when a chain is not continued because this service did not sign its head. */
  onRefused: () => void;
  log: Log;
}

/** How many entries one transaction seals. */
const sliceMax = 2_000;

/** Advisory lock: one worker at a time seals, or chains would fork. No other lock on this database has this number. */
export const sealingLock = 7_246_714;

/**
 * Gives every unsealed audit entry its place in its realm's chain, and signs the chain's new head. Continues until
 * every entry is sealed; each slice is a transaction, and interrupted work starts again. Skips if another worker is
 * sealing. Logs entries that have waited too long. Logs and throws an error if this service did not sign a chain's
 * head, and does not continue that chain.
 */
export async function sealAudit(deps: SealingDeps, { slice = sliceMax }: { slice?: number } = {}): Promise<void> {
  try {
    await eachByItself(await chain.realmsWaiting(deps.db), (realmId) => sealRealm(deps, { realmId, slice }));
  } finally {
    deps.headLog.write();
  }
}

async function sealRealm(deps: SealingDeps, { realmId, slice }: { realmId: string; slice: number }): Promise<void> {
  try {
    for (let more = true; more;) {
      const sealed = await deps.db.transaction((tx) => sealSlice(tx, deps, { realmId, slice }));
      if (sealed !== undefined) deps.headLog.note(realmId, sealed.head);
      more = sealed?.more === true;
    }
    await logLag(deps, realmId);
  } catch (error) {
    if (error instanceof UntrustedHead) {
      deps.onRefused();
      deps.log.error({ event: "audit.refused", realmId }, error.message);
    }
    throw error;
  }
}

async function logLag({ db, clock, log }: SealingDeps, realmId: string): Promise<void> {
  const since = await chain.waitingSince(db, realmId);
  if (since !== undefined && isLagging(since, clock.now())) {
    log.warn({ event: "audit.lagging", realmId, since }, "audit entries wait for their place in the chain");
  }
}

async function sealSlice(
  tx: Db,
  deps: SealingDeps,
  { realmId, slice }: { realmId: string; slice: number },
): Promise<{ head: chain.SignedHead; more: boolean } | undefined> {
  if (!(await upkeep.tryLock(tx, sealingLock))) return undefined;
  const { signer } = deps;
  const last = await lastEnd(tx, signer, realmId);
  const { entries, more } = await chain.waiting(tx, { realmId, limit: slice });

  let end: ChainEnd = last;
  const seals = entries.map((entry): chain.Seal => {
    end = nextLink(sha256, realmId, end, entry);
    return { entryId: entry.id, ...end };
  });
  if (seals.length === 0) return undefined;
  const sealedAt = await timeInStep(tx, deps);
  const signature = await signer.sign({
    realm: realmId,
    ...end,
    sealedAt: sealedAt.toISOString(),
    previous: last.position,
    complete: !more,
  });
  await chain.addSeals(tx, { realmId, seals });
  const head = { ...end, signature };
  await chain.addHead(tx, { realmId, ...head, at: sealedAt });
  return { head, more };
}

/** Heads for logs that are shipped elsewhere, beyond the reach of an attacker who can change the database. */
export interface HeadLog {
  /** Keeps the committed, signed head of a realm's chain until it is logged. */
  note(realmId: string, head: chain.SignedHead): void;
  /** Logs the heads that are due. */
  write(): void;
}

/** One worker logs a realm's head at most this often. */
const headMinutes = 15;

/**
 * Logs the latest head that this worker signed for each realm, if the head is new and at most once in {@link
 * headMinutes}.
 */
export function createHeadLog({ clock, log }: { clock: Clock; log: Log }): HeadLog {
  const unlogged = new Map<string, chain.SignedHead>();
  const loggedAt = new Map<string, number>();
  return {
    note: (realmId, head) => void unlogged.set(realmId, head),
    write() {
      const now = clock.now().getTime();
      for (const [realmId, { position, hash, signature }] of unlogged) {
        const before = loggedAt.get(realmId);
        if (before !== undefined && now - before < headMinutes * 60_000) continue;
        log.info({ event: "audit.head", realmId, position, hash, signature }, "the signed head of a realm's audit log");
        loggedAt.set(realmId, now);
        unlogged.delete(realmId);
      }
    },
  };
}

/** Returns the end of the chain, after verifying the signature of the latest head. */
async function lastEnd(tx: Db, signer: HeadSigner, realmId: string): Promise<ChainEnd> {
  const row = await chain.latestHead(tx, realmId);
  if (row === undefined) return chainStart;
  const head = await signer.verify(row.signature);
  if (head?.realm !== realmId || head.position !== row.position || head.hash !== row.hash) {
    throw new UntrustedHead(realmId);
  }
  return { position: head.position, hash: head.hash };
}

class UntrustedHead extends Error {
  override readonly name = "UntrustedHead";
  constructor(realmId: string) {
    super(
      `the audit log of realm ${realmId} ends with a head that was not signed with our key; nothing is sealed until it does`,
    );
  }
}
