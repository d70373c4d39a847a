import { hash } from "node:crypto";
import type { Database } from "../../db/client.ts";
import * as crls from "../../db/queries/certificates/crls.ts";
import * as rootCrls from "../../db/queries/certificates/root-crls.ts";
import * as issuers from "../../db/queries/realm/issuers.ts";
import { ServiceError } from "../../domain/errors.ts";
import { createFresh, createFreshByKey } from "../../runtime/fresh.ts";
import type { Log } from "../../runtime/log.ts";
import { gzipParts } from "./gzip-parts.ts";
import { pemParts } from "./pem-parts.ts";
import { answerWithin } from "../../runtime/deadline.ts";

/** The current CRL of an issuer or a root, as served. */
export interface CurrentCrl {
  /** Entity tag of the DER, without quotes. */
  tag: string;
  nextUpdate: Date;
  der: readonly Buffer[];
  /** Returns the compressed parts. Compresses at the first call and caches the result. */
  gzip(): Promise<readonly Buffer[]>;
  pem(): Promise<readonly Buffer[]>;
}

/**
 * The CRLs of issuers and roots and the certificates of issuers: requested often, without authentication, and rarely
 * read from the database.
 */
export interface Publications {
  /**
   * Returns an issuer's CRL; undefined for an unknown issuer. Throws if there is no CRL yet (`unavailable`), or if the
   * database is unreachable and no CRL is cached.
   */
  findCrl(issuerId: string): Promise<CurrentCrl | undefined>;
  /** Returns the CRL of the root with this fingerprint; undefined for an unknown root and for a root without a CRL. */
  findRootCrl(fingerprint: string): Promise<CurrentCrl | undefined>;
  /**
   * Returns the issuer's certificate first, then the certificates above it, the root last; DER. Undefined for an
   * unknown issuer.
   */
  findChain(issuerId: string): Promise<readonly Buffer[] | undefined>;
}

/** How long the list of current CRLs is reused. */
const currentMs = 1_000;

/** If the database does not name the newest CRL within this time, the cached one is served. */
const waitMsMax = 2_000;

type Known = CurrentCrl & { pieces: ReadonlyMap<string, Buffer> };

/**
 * Creates a cache of the published files for this process. However many clients fetch, the cache asks the database at
 * most once a second what is current, and reads only new entries of an issuer's CRL.
 */
export function createPublications({ db, log }: { db: Database; log: Log }): Publications {
  const current = new Map<string, Known>();
  const loading = createFreshByKey<Known | undefined>({ keptMs: 0 });
  const chains = new Map<string, Promise<readonly Buffer[] | undefined>>();

  /** The tags of all issuers' CRLs; one query serves all requests. */
  const tags = createFresh<ReadonlyMap<string, string | null>>(
    async () => new Map((await crls.listTags(db)).map(({ issuerId, tag }) => [issuerId, tag])),
    { keptMs: currentMs },
  );

  const roots = createFresh<ReadonlyMap<string, CurrentCrl>>(
    async () => new Map((await rootCrls.list(db)).map((crl) => [crl.fingerprint, rootCrlAsServed(crl)])),
    { keptMs: currentMs },
  );
  let knownRoots: ReadonlyMap<string, CurrentCrl> | undefined;

  async function load(issuerId: string): Promise<Known | undefined> {
    const before = current.get(issuerId);
    const stored = await crls.find(db, { issuerId, known: [...(before?.pieces.keys() ?? [])] });
    if (stored === undefined) return undefined;
    const pieces = new Map(stored.pieces.map((id) => [id, before?.pieces.get(id) ?? stored.unknown.get(id)]));
    const known = asServed(stored, pieces);
    current.set(issuerId, known);
    return known;
  }

  async function findNewest(issuerId: string): Promise<Known | undefined> {
    const tag = (await tags.get()).get(issuerId);
    if (tag === undefined) return undefined;
    const known = current.get(issuerId);
    const found = known?.tag === tag ? known : await loading.get(issuerId, () => load(issuerId));
    if (found === undefined) {
      throw new ServiceError("unavailable", { description: "There is no CRL yet.", retryAfterSeconds: 1 });
    }
    return found;
  }

  return {
    async findCrl(issuerId) {
      const newest = findNewest(issuerId);
      const known = current.get(issuerId);
      if (known === undefined) return newest;
      try {
        return await answerWithin(waitMsMax, newest);
      } catch (err) {
        log.warn({ event: "crl.not_checked", issuer: issuerId, err }, "serving the cached CRL");
        return known;
      }
    },

    async findRootCrl(fingerprint) {
      const reading = roots.get().then((read) => (knownRoots = read));
      if (knownRoots === undefined) return (await reading).get(fingerprint);
      const known = knownRoots;
      const found = await answerWithin(waitMsMax, reading).catch((err: unknown) => {
        log.warn({ event: "crl.not_checked", root: fingerprint, err }, "serving the cached CRL");
        return known;
      });
      return found.get(fingerprint);
    },

    async findChain(issuerId) {
      const kept = chains.get(issuerId);
      if (kept !== undefined) return kept;
      if (!(await tags.get()).has(issuerId)) return undefined;
      const chain = issuers
        .listByIds(db, [issuerId])
        .then(([row]) => (row === undefined ? undefined : [row.certificate, ...row.chain]));
      chains.set(issuerId, chain);
      chain.catch(() => chains.delete(issuerId));
      return chain;
    },
  };
}

function asServed(
  { tag, nextUpdate, head, tail }: crls.StoredCrl,
  pieces: ReadonlyMap<string, Buffer | undefined>,
): Known {
  const whole = new Map<string, Buffer>();
  for (const [id, der] of pieces) {
    if (der === undefined) throw new Error(`piece ${id} of a CRL is missing`);
    whole.set(id, der);
  }
  return { ...inEachForm([head, ...whole.values(), tail]), tag, nextUpdate, pieces: whole };
}

const rootCrlAsServed = ({ der, nextUpdate }: rootCrls.RootCrlRow): CurrentCrl => ({
  ...inEachForm([der]),
  tag: hash("sha256", der, "base64url").slice(0, 22),
  nextUpdate,
});

function inEachForm(der: readonly Buffer[]): Pick<CurrentCrl, "der" | "gzip" | "pem"> {
  let gzip: Promise<Buffer[]> | undefined;
  let pem: Promise<Buffer[]> | undefined;
  return {
    der,
    gzip: () => (gzip ??= gzipParts(der)),
    pem: () => (pem ??= pemParts("X509 CRL", der)),
  };
}
