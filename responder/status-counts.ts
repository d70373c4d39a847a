import type { Database } from "../db/client.ts";
import { plainAddress } from "../process/status-askers.ts";
import * as statusCounts from "../db/queries/certificates/status-counts.ts";

/** The counted part of an answer about a device. */
export interface CountedAnswer {
  outcome: "good" | "revoked";
  at: Date;
}

export interface StatusCounts {
  /** Counts an answer in memory, so the count does not delay the answer. */
  note(issuerId: string, address: string, answer: CountedAnswer): void;
  /** Adds the counts to the database in one statement. Throws if that fails, and keeps the unwritten counts. */
  flush(): Promise<void>;
}

interface Count {
  readonly issuerId: string;
  readonly address: string;
  readonly hour: number;
  good: number;
  refused: number;
  lastMs: number;
}

/** How many addresses are counted individually for each issuer in an hour; further addresses are counted together. */
export const countedAddressesMax = 64;

const hourMs = 3_600_000;

/** Counts the answers about devices by hour, issuer and address, and writes the counts together. */
export function createStatusCounts(db: Pick<Database, "query">): StatusCounts {
  let current = { hour: 0, issuers: new Map<string, Map<string, Count>>() };
  /** Counts of hours that have ended. */
  let ended: Count[] = [];

  const counts = (): Count[] => [...current.issuers.values()].flatMap((ofIssuer) => [...ofIssuer.values()]);

  function countOf(issuerId: string, address: string, hour: number): Count {
    if (hour !== current.hour) {
      ended.push(...counts());
      current = { hour, issuers: new Map() };
    }
    let ofIssuer = current.issuers.get(issuerId);
    if (ofIssuer === undefined) current.issuers.set(issuerId, (ofIssuer = new Map<string, Count>()));
    const known = ofIssuer.get(address);
    if (known !== undefined) return known;
    const plain = ofIssuer.size < countedAddressesMax ? plainAddress(address) : null;
    const key = plain === null ? statusCounts.otherAddresses : address;
    const count = ofIssuer.get(key) ?? {
      issuerId,
      address: plain ?? statusCounts.otherAddresses,
      hour,
      good: 0,
      refused: 0,
      lastMs: 0,
    };
    ofIssuer.set(key, count);
    return count;
  }

  return {
    note(issuerId, address, { outcome, at }) {
      const ms = at.getTime();
      const count = countOf(issuerId, address, Math.floor(ms / hourMs));
      if (outcome === "good") count.good += 1;
      else count.refused += 1;
      count.lastMs = Math.max(count.lastMs, ms);
    },

    async flush() {
      const waiting = [...ended, ...counts()].filter(isUnwritten);
      const written = waiting.map((count) => ({ count, good: count.good, refused: count.refused }));
      if (written.length > 0) {
        await statusCounts.add(
          db,
          waiting.map(({ hour, lastMs, ...count }) => ({
            ...count,
            hour: new Date(hour * hourMs),
            lastAt: new Date(lastMs),
          })),
        );
      }
      for (const { count, good, refused } of written) {
        count.good -= good;
        count.refused -= refused;
      }
      ended = ended.filter(isUnwritten);
    },
  };
}

const isUnwritten = ({ good, refused }: Count): boolean => good + refused > 0;
