import type { KeyObject } from "node:crypto";
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  SignJWT,
  type JWK,
  type JWTPayload,
} from "jose";
import type { Database } from "../../db/client.ts";
import * as rows from "../../db/queries/token-signing-keys.ts";
import type { Clock } from "../../runtime/clock.ts";
import { openUnderMasterKey, sealUnderMasterKey } from "../../runtime/master-key.ts";

/** Keys that sign tokens; the only signing keys in the API, and never used on a certificate. */
export interface TokenSigningKeys {
  /** A signed JWT (RFC 7519) under the current key of the algorithm. */
  sign(token: { algorithm: Algorithm; type: string; claims: JWTPayload }): Promise<string>;
  /** The public halves of all keys, for whoever verifies. */
  publicKeys(): Promise<JWK[]>;
}

type Algorithm = rows.TokenSigningKeyRow["algorithm"];
type PrivateKey = Awaited<ReturnType<typeof importJWK>>;

/** Another process may have replaced a key; after this long everyone knows. */
const cacheMs = 5 * 60 * 1000;

interface Keys {
  readAt: number;
  all: rows.TokenSigningKeyRow[];
  opened: Map<string, Promise<PrivateKey>>;
}

/** The keys of `token_signing_keys`, opened with the master key. The first need of an algorithm makes its key. */
export function createTokenSigningKeys({
  db,
  masterKey,
  clock,
}: {
  db: Database;
  masterKey: KeyObject;
  clock: Clock;
}): TokenSigningKeys {
  let reading: Promise<Keys> | undefined;

  const read = async (): Promise<Keys> => ({ readAt: performance.now(), all: await rows.list(db), opened: new Map() });

  const readAgain = (): Promise<Keys> => {
    const current = (reading = read());
    current.catch(() => {
      if (reading === current) reading = undefined;
    });
    return current;
  };

  const keys = async (): Promise<Keys> => {
    const known = await reading;
    return known !== undefined && performance.now() - known.readAt < cacheMs ? known : readAgain();
  };

  const current = async (algorithm: Algorithm): Promise<{ row: rows.TokenSigningKeyRow; key: PrivateKey }> => {
    let known = await keys();
    if (!known.all.some(isCurrent(algorithm))) {
      await addKey({ db, masterKey, at: clock.now() }, algorithm);
      known = await readAgain();
    }
    const row = known.all.find(isCurrent(algorithm));
    if (row === undefined) throw new Error(`there is no current ${algorithm} key`);
    const opened = known.opened.get(row.kid) ?? openKey(masterKey, row);
    known.opened.set(row.kid, opened);
    return { row, key: await opened };
  };

  return {
    async sign({ algorithm, type, claims }) {
      const { row, key } = await current(algorithm);
      return new SignJWT(claims).setProtectedHeader({ alg: algorithm, typ: type, kid: row.kid }).sign(key);
    },

    async publicKeys() {
      const { all } = await keys();
      return all.map(({ publicJwk, kid, algorithm }) => ({ ...publicJwk, kid, alg: algorithm, use: "sig" }));
    },
  };
}

const isCurrent =
  (algorithm: Algorithm) =>
  (row: rows.TokenSigningKeyRow): boolean =>
    row.algorithm === algorithm && row.state === "current";

const contextOf = (kid: string): string => `token_signing_keys/${kid}`;

/** Makes a key and offers it as the current one. Of several processes that do so at once, one wins; read the rows again. */
async function addKey(
  { db, masterKey, at }: { db: Database; masterKey: KeyObject; at: Date },
  algorithm: Algorithm,
): Promise<void> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const publicJwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  const sealedKey = sealUnderMasterKey(
    masterKey,
    Buffer.from(JSON.stringify(await exportJWK(privateKey))),
    contextOf(kid),
  );
  await rows.addCurrent(db, { kid, algorithm, publicJwk: { ...publicJwk }, sealedKey, at });
}

function openKey(masterKey: KeyObject, { kid, algorithm, sealedKey }: rows.TokenSigningKeyRow): Promise<PrivateKey> {
  const plaintext = openUnderMasterKey(masterKey, sealedKey, contextOf(kid));
  return importJWK(JSON.parse(plaintext.toString("utf8")) as JWK, algorithm);
}
