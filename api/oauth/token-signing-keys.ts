import type { TokenSigningKeys } from "../contract/deps.ts";
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  errors,
  exportJWK,
  generateKeyPair,
  importJWK,
  jwtVerify,
  SignJWT,
  type JWK,
  type JWTPayload,
} from "jose";
import type { Database } from "../../db/client.ts";
import * as rows from "../../db/queries/oauth/token-signing-keys.ts";
import type { Clock } from "../../runtime/clock.ts";
import { openUnderMasterKey, sealUnderMasterKey, type MasterKeys } from "../../runtime/keys/master-key.ts";
import { sessionDaysMax } from "../../domain/lifetimes.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

/** Another process may have replaced a key; after this time every process has read the new one. */
const cacheMs = 5 * minute;

/**
 * A token with an unknown key makes this process read the keys again, but no more often than this: a client can invent
 * key ids.
 */
const unknownKeyMs = 10_000;

/** How long a key signs. */
const currentMs = 30 * day;

/** The next key is published at least this long before it signs: by then every cached copy of the jwks has it. */
const nextMs = day;

/**
 * A retired key stays published for at least this long: tokens live half an hour, and other processes notice a new key
 * late.
 */
const retiredMs = 60 * minute;

/** How long a key verifies id tokens: clients present these at logout for as long as a session may last. */
const verifiableMs = (sessionDaysMax + 1) * day;

type PrivateKey = Awaited<ReturnType<typeof importJWK>>;

interface Keys {
  readAt: number;
  all: rows.TokenSigningKeyRow[];
  opened: Map<string, Promise<PrivateKey>>;
}

/**
 * Manages the keys of `token_signing_keys`, opened with the master key. The first use of an algorithm creates its key;
 * later keys rotate automatically: next, current, retired. All processes share the keys.
 */
export function createTokenSigningKeys({
  db,
  masterKeys,
  clock,
}: {
  db: Database;
  masterKeys: MasterKeys;
  clock: Clock;
}): TokenSigningKeys {
  let reading: Promise<Keys> | undefined;

  const read = async (): Promise<Keys> => {
    const keys = async (): Promise<Keys> => ({
      readAt: performance.now(),
      all: await rows.list(db),
      opened: new Map(),
    });
    const known = await keys();
    return (await maintain({ db, masterKeys, at: clock.now() }, known.all)) ? keys() : known;
  };

  const readAgain = (): Promise<Keys> => {
    const current = (reading = read());
    current.catch(() => {
      if (reading === current) reading = undefined;
    });
    return current;
  };

  const keys = async ({ youngerThanMs = cacheMs } = {}): Promise<Keys> => {
    const asked = reading;
    const known = await asked;
    if (known !== undefined && performance.now() - known.readAt < youngerThanMs) return known;
    // If several callers find the keys too old at the same time, only one reads them again.
    return reading === undefined || reading === asked ? readAgain() : reading;
  };

  /** The first keys being created. Callers share one, because creating a key takes a core for up to a second. */
  const making = new Map<rows.TokenAlgorithm, Promise<Keys>>();
  const makeFirst = async (algorithm: rows.TokenAlgorithm): Promise<Keys> => {
    await addKey({ db, masterKeys, at: clock.now() }, algorithm, "current");
    return readAgain();
  };

  const current = async (algorithm: rows.TokenAlgorithm) => {
    let known = await keys();
    if (!known.all.some(isCurrent(algorithm))) {
      const made = making.get(algorithm) ?? makeFirst(algorithm).finally(() => making.delete(algorithm));
      making.set(algorithm, made);
      known = await made;
    }
    const row = known.all.find(isCurrent(algorithm));
    if (row === undefined) throw new Error(`there is no current ${algorithm} key`);
    const opened = known.opened.get(row.kid) ?? openKey(masterKeys, row);
    known.opened.set(row.kid, opened);
    return { row, key: await opened };
  };

  const prepare = async (): Promise<void> => {
    await Promise.all([current("ES256"), current("RS256")]);
  };

  return {
    async sign({ algorithm, type, claims }) {
      const { row, key } = await current(algorithm);
      await keepPublished(row, claims);
      return new SignJWT(claims).setProtectedHeader({ alg: algorithm, typ: type, kid: row.kid }).sign(key);
    },

    prepare,

    async publicKeys() {
      await prepare();
      const { all } = await keys();
      const at = clock.now().getTime();
      return all.filter((row) => isPublished(row, at)).map(publicJwk);
    },

    async verify(token, { algorithm, type }) {
      const attempt = async (known: Keys): Promise<JWTPayload> => {
        const keySet = createLocalJWKSet({ keys: known.all.map(publicJwk) });
        // A date in the past accepts expired tokens: the caller decides about expiry.
        const options = { algorithms: [algorithm], typ: type, currentDate: new Date(0) };
        return (await jwtVerify(token, keySet, options)).payload;
      };
      try {
        return await attempt(await keys()).catch(async (error: unknown) => {
          if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
          return attempt(await keys({ youngerThanMs: unknownKeyMs }));
        });
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };

  /** Extends the key's publication if the token would outlive the usual publication of a retired key. */
  async function keepPublished(row: rows.TokenSigningKeyRow, { exp = 0 }: JWTPayload): Promise<void> {
    const expiresAt = new Date(exp * 1_000);
    const anyway = clock.now().getTime() + retiredMs;
    if (expiresAt.getTime() <= Math.max(anyway, row.tokensExpireAt?.getTime() ?? 0)) return;
    await rows.keepUntil(db, { kid: row.kid, expiresAt });
    row.tokensExpireAt = expiresAt;
  }
}

interface Making {
  db: Database;
  masterKeys: MasterKeys;
  at: Date;
}

/** Creates the next key in time, rotates it in when due, and forgets old ones. Returns true if something changed. */
async function maintain(making: Making, all: readonly rows.TokenSigningKeyRow[]): Promise<boolean> {
  const { db, at } = making;
  const ago = (ms: number): Date => new Date(at.getTime() - ms);
  let changed = false;
  for (const { algorithm, activatedAt } of all.filter(({ state }) => state === "current")) {
    if (activatedAt === null || activatedAt > ago(currentMs - nextMs)) continue;
    const next = all.find((row) => row.algorithm === algorithm && row.state === "next");
    if (next === undefined) {
      await addKey(making, algorithm, "next");
      changed = true;
    } else if (activatedAt <= ago(currentMs) && next.publishedAt <= ago(nextMs)) {
      const due = { algorithm, activatedBefore: ago(currentMs), publishedBefore: ago(nextMs), at };
      await db.transaction((tx) => rows.rotate(tx, due));
      changed = true;
    }
  }
  if (all.some(({ retiredAt }) => retiredAt !== null && retiredAt < ago(verifiableMs))) {
    await rows.forget(db, { retiredBefore: ago(verifiableMs), at });
    changed = true;
  }
  return changed;
}

const isCurrent =
  (algorithm: rows.TokenAlgorithm) =>
  (row: rows.TokenSigningKeyRow): boolean =>
    row.algorithm === algorithm && row.state === "current";

/** Returns whether tokens signed with this key may be valid, now or soon. */
const isPublished = ({ retiredAt, tokensExpireAt }: rows.TokenSigningKeyRow, at: number): boolean =>
  retiredAt === null || at < Math.max(retiredAt.getTime() + retiredMs, tokensExpireAt?.getTime() ?? 0);

const publicJwk = ({ publicJwk: jwk, kid, algorithm }: rows.TokenSigningKeyRow): JWK => ({
  ...jwk,
  kid,
  alg: algorithm,
  use: "sig",
});

/**
 * Creates a key and stores it. If several processes do so at the same time, only one key is stored: read the rows again
 * afterwards.
 */
async function addKey(
  { db, masterKeys, at }: Making,
  algorithm: rows.TokenAlgorithm,
  state: "next" | "current",
): Promise<void> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  const privateJwk = Buffer.from(JSON.stringify(await exportJWK(privateKey)));
  const sealedKey = sealUnderMasterKey(masterKeys, privateJwk, rows.keyContext(kid));
  await rows.add(db, { kid, algorithm, publicJwk: { ...jwk }, sealedKey, state, at });
}

function openKey(masterKeys: MasterKeys, { kid, algorithm, sealedKey }: rows.TokenSigningKeyRow): Promise<PrivateKey> {
  if (sealedKey === null) throw new Error("a retired key signs nothing");
  const plaintext = openUnderMasterKey(masterKeys, sealedKey, rows.keyContext(kid));
  return importJWK(JSON.parse(plaintext.toString("utf8")) as JWK, algorithm);
}
