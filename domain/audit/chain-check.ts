import { chainStart, nextLink, type AuditHead, type ChainedEntry, type ChainEnd, type Sha256 } from "./chain.ts";

/** The kinds of fault in a chain. */
export type ChainFaultKind =
  | "entry_changed"
  | "entry_missing"
  | "entry_inserted"
  | "entry_backdated"
  | "chain_truncated"
  | "chain_rewritten"
  | "head_forged"
  | "head_missing";

export interface ChainFault {
  kind: ChainFaultKind;
  /** Null for a fault without a position in the chain. */
  position: number | null;
  /** The entry's identifier, if known. */
  id: string | null;
  message: string;
}

/** A stored link of a chain: the entry as it is now, and the hash that it was sealed with. */
export interface KeptLink {
  realm: string;
  position: number;
  id: string;
  /** Undefined when the entry itself is gone. */
  entry: ChainedEntry | undefined;
  hash: string;
}

/** How much older an entry may be than the last sealing before it: clocks differ, and transactions take time. */
export const backdatingMinutesMax = 5;

/** The most faults that a check reports one by one; it only counts further faults. */
const faultsMax = 100;

/** The result of checking a chain. */
export interface ChainFindings {
  /** Number of sealed entries checked. */
  entries: number;
  end: ChainEnd;
  faults: readonly ChainFault[];
  faultCount: number;
}

/** Checks one realm's chain, position by position. */
export interface ChainCheck {
  /** Checks the next link; positions must increase. */
  link(link: KeptLink): void;
  /**
   * Checks the next head; the links up to `position` must be checked first. `undefined`: a head that no trusted key
   * signed.
   */
  head(head: AuditHead | undefined, position: number | null): void;
  fault(fault: ChainFault): void;
  /** Ends the check. Links beyond the last head are unsigned, which is a fault. */
  finish(): ChainFindings;
}

/**
 * Creates a check of the chain of `realm`, which must contain the head `kept` if given. Each fault is reported at its
 * position: entries are compared with the hashes that they were sealed with, and the hashes with the heads.
 */
export function createChainCheck({
  sha256,
  realm,
  kept,
  everyHead,
  start = chainStart,
}: {
  sha256: Sha256;
  realm: string;
  kept?: AuditHead | undefined;
  /** Where the check starts; default: the beginning of the chain. */
  start?: ChainEnd;
  /** True if the caller passes every head, false if only the last head. */
  everyHead: boolean;
}): ChainCheck {
  const faults: ChainFault[] = [];
  let faultCount = 0;
  let entries = 0;
  let end = start;
  let headPosition = 0;
  /** The kept head, until the chain reaches it. */
  let awaited = kept;
  /**
   * When the latest complete head was sealed, in ms: later entries must not be much older. Undefined before the first
   * complete head.
   */
  let sealedUntil: number | undefined;

  const fault = (found: ChainFault): void => {
    faultCount++;
    if (faults.length < faultsMax) faults.push(found);
  };

  const compareWithEnd = (head: AuditHead, which: string): void => {
    const { position, hash } = head;
    if (position > end.position) {
      const message = `The chain ends at position ${end.position}, but ${which} is at ${position}: the entries after it are gone.`;
      fault({ kind: "chain_truncated", position: end.position, id: null, message });
    } else if (position === end.position && hash !== end.hash) {
      const message = `The chain up to position ${position} is not the one that ${which} was signed for.`;
      fault({ kind: "chain_rewritten", position, id: null, message });
    }
  };

  const noteSealing = ({ complete, sealedAt }: AuditHead): void => {
    const at = Date.parse(sealedAt);
    if (complete && !(sealedUntil !== undefined && sealedUntil >= at)) sealedUntil = at;
  };

  const checkEntry = ({ position, id, entry, hash }: KeptLink): void => {
    if (entry === undefined) {
      fault({ kind: "entry_missing", position, id, message: `Entry ${id} at position ${position} is gone.` });
      return;
    }
    if (position === end.position + 1 && hashOf(entry) !== hash) {
      const message = `Entry ${id} at position ${position} is not what was sealed.`;
      fault({ kind: "entry_changed", position, id, message });
    }
    const age = sealedUntil === undefined ? 0 : sealedUntil - Date.parse(entry.date);
    if (!(age <= backdatingMinutesMax * 60_000)) {
      const message = `Entry ${id} at position ${position} has the date ${entry.date}, long before what had been sealed when it came.`;
      fault({ kind: "entry_backdated", position, id, message });
    }
  };

  const hashOf = (entry: ChainedEntry): string | undefined => {
    try {
      return nextLink(sha256, realm, end, entry).hash;
    } catch {
      // Properties that are not JSON were never sealed.
      return undefined;
    }
  };

  return {
    link(link) {
      const { position, id } = link;
      if (link.realm !== realm || position <= end.position) {
        const message = `Entry ${id} does not belong at position ${position} of the chain of realm ${realm}.`;
        fault({ kind: "entry_inserted", position, id, message });
        return;
      }
      if (position > end.position + 1) {
        const message = `The entries from position ${end.position + 1} to ${position - 1} are gone.`;
        fault({ kind: "entry_missing", position: end.position + 1, id: null, message });
      }
      entries++;
      checkEntry(link);
      end = { position, hash: link.hash };

      if (awaited === undefined || position < awaited.position) return;
      compareWithEnd(awaited, "the head that was kept");
      noteSealing(awaited);
      awaited = undefined;
    },

    head(head, position) {
      if (head?.realm !== realm) {
        const where = position === null ? "" : ` at position ${position}`;
        const message = `The head${where} was not signed for this realm with a key that is trusted.`;
        fault({ kind: "head_forged", position, id: null, message });
        // A forged head still counts as a head, so its fault is reported only once.
        headPosition = Math.max(headPosition, position ?? 0);
        return;
      }
      if (everyHead && head.previous !== headPosition) {
        const message = `A head is gone: the one at position ${head.position} follows one at ${head.previous}.`;
        fault({ kind: "head_missing", position: head.previous, id: null, message });
      }
      compareWithEnd(head, "the head of the chain");
      noteSealing(head);
      headPosition = Math.max(headPosition, head.position);
    },

    fault,

    finish() {
      if (awaited !== undefined) compareWithEnd(awaited, "the head that was kept");
      if (end.position > headPosition) {
        const message = `The entries after position ${headPosition} have places in the chain that no head was signed for.`;
        fault({ kind: "head_missing", position: headPosition + 1, id: null, message });
      }
      return { entries, end, faults, faultCount };
    },
  };
}
