import {
  createCipheriv,
  createDecipheriv,
  createECDH,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  type ECDH,
  type JsonWebKey,
  type KeyObject,
} from "node:crypto";

/**
 * The worker seals created output (private key, PKCS#12) before storing it, and the API opens it for delivery. A
 * signing thread uses each data key for some seconds. The worker stores the data key with the rows, wrapped to the
 * output key's public half; only the API has the private half.
 *
 * wrapped: version (1) | ephemeral P-256 point, uncompressed (65) | encrypted data key (32) | tag (16)
 * sealed:  version (1) | nonce (12) | ciphertext | tag (16)
 */

/** Sealed output, or the key for it, cannot be used. The message never contains key material or plaintext. */
export class SealedOutputError extends Error {
  override readonly name = "SealedOutputError";
  /**
   * `key`: not a usable output key. `format`: this module did not write the bytes. `authentication`: the bytes were
   * altered, or belong to another key or row.
   */
  readonly reason: "key" | "format" | "authentication";
  constructor(reason: SealedOutputError["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

const version = Buffer.from([1]);
const pointLength = 65;
const keyLength = 32;
const nonceLength = 12;
const tagLength = 16;
const wrappedLength = version.length + pointLength + keyLength + tagLength;
const algorithm = "aes-256-gcm";

/**
 * Makes a random 256-bit data key, and wraps it to `outputPublicKey`: ephemeral-static ECDH on P-256, HKDF-SHA-256 over
 * both public points, AES-256-GCM. The caller wipes `key` after sealing.
 */
export function createDataKey(outputPublicKey: KeyObject): { key: Buffer; wrapped: Buffer } {
  const recipient = rawPoint(requireKey(outputPublicKey, "public"));
  const ephemeral = createECDH("prime256v1");
  const point = ephemeral.generateKeys();
  const { wrappingKey, nonce } = wrappingSecrets({ shared: ephemeral.computeSecret(recipient), point, recipient });
  const key = randomBytes(keyLength);
  return {
    key,
    wrapped: Buffer.concat([version, point, encrypt({ key: wrappingKey, nonce, plaintext: key, aad: version })]),
  };
}

/**
 * Returns the data key in `wrapped`. Throws SealedOutputError if `wrapped` was altered or belongs to none of the keys.
 */
export function unwrapDataKey(outputPrivateKeys: readonly KeyObject[], wrapped: Uint8Array): Buffer {
  let refused: Error = new SealedOutputError("key", "A private EC P-256 key is needed.");
  for (const key of outputPrivateKeys) {
    try {
      return unwrapWith(requireKey(key, "private"), wrapped);
    } catch (error) {
      refused = error as Error;
    }
  }
  throw refused;
}

function unwrapWith(outputPrivateKey: KeyObject, wrapped: Uint8Array): Buffer {
  if (wrapped.length !== wrappedLength || wrapped[0] !== version[0]) throw notOurs("wrapped data key");
  const point = Buffer.from(wrapped.subarray(version.length, version.length + pointLength));
  const { ecdh, recipient } = agreementOf(outputPrivateKey);
  const shared = agree(ecdh, point);
  const { wrappingKey, nonce } = wrappingSecrets({ shared, point, recipient });
  return decrypt({ key: wrappingKey, nonce, ciphertext: wrapped.subarray(version.length + pointLength), aad: version });
}

/** A private key in the form for key agreement, and its public point. */
interface Agreement {
  ecdh: ECDH;
  recipient: Buffer;
}

/** The agreement for each key, made once: exporting a key costs more than a key agreement with it. */
const agreements = new WeakMap<KeyObject, Agreement>();

function agreementOf(outputPrivateKey: KeyObject): Agreement {
  const known = agreements.get(outputPrivateKey);
  if (known !== undefined) return known;
  const { d = "" } = outputPrivateKey.export({ format: "jwk" });
  const ecdh = createECDH("prime256v1");
  ecdh.setPrivateKey(Buffer.from(d, "base64url"));
  const agreement = { ecdh, recipient: ecdh.getPublicKey() };
  agreements.set(outputPrivateKey, agreement);
  return agreement;
}

/** Returns the shared secret. Throws for everything except an uncompressed point of the curve. */
function agree(ecdh: ECDH, point: Buffer): Buffer {
  if (point[0] !== 4) throw notOurs("wrapped data key");
  try {
    return ecdh.computeSecret(point);
  } catch (cause) {
    throw notOurs("wrapped data key", { cause });
  }
}

/**
 * Seals `plaintext` under AES-256-GCM with a random 96-bit nonce (one data key serves a thousand outputs, far below the
 * 2^32 messages that SP 800-38D allows). `aad` names the row. Opening needs the same `aad`, so sealed bytes that
 * someone moved to another row do not open.
 */
export function seal(dataKey: Uint8Array, plaintext: Uint8Array, aad: string): Buffer {
  const nonce = randomBytes(nonceLength);
  const ciphertext = encrypt({ key: requireDataKey(dataKey), nonce, plaintext, aad: boundTo(aad) });
  return Buffer.concat([version, nonce, ciphertext]);
}

/** Opens the bytes that {@link seal} returned. Throws SealedOutputError if the bytes, the data key or `aad` differ. */
export function open(dataKey: Uint8Array, sealed: Uint8Array, aad: string): Buffer {
  requireDataKey(dataKey);
  const ciphertextStart = version.length + nonceLength;
  if (sealed.length < ciphertextStart + tagLength || sealed[0] !== version[0]) throw notOurs("sealed output");
  return decrypt({
    key: dataKey,
    nonce: sealed.subarray(version.length, ciphertextStart),
    ciphertext: sealed.subarray(ciphertextStart),
    aad: boundTo(aad),
  });
}

/** Makes a fresh output key as two JWKs in JSON: the private one configures the API, the public one the workers. */
export function generateOutputKeyPair(): { privateJwk: string; publicJwk: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  return {
    privateJwk: JSON.stringify(privateKey.export({ format: "jwk" })),
    publicJwk: JSON.stringify(publicKey.export({ format: "jwk" })),
  };
}

/**
 * Reads the private output keys: a JWK, or a JWK Set while the key is being replaced. Throws SealedOutputError for
 * everything except consistent private EC P-256 JWKs.
 */
export const outputPrivateKeys = (json: string): readonly KeyObject[] => readJwks(json).map(outputPrivateKey);

function outputPrivateKey(jwk: JsonWebKey): KeyObject {
  if (jwk.d === undefined) throw new SealedOutputError("key", "The output key has no private half.");
  const key = importJwk(() => createPrivateKey({ key: jwk, format: "jwk" }));
  if (!rawPoint(key).equals(pointOfScalar(jwk.d))) {
    throw new SealedOutputError("key", "The two halves of the output key do not belong together.");
  }
  return key;
}

/**
 * Reads the public output key. Throws SealedOutputError for everything except a public EC P-256 JWK, including a
 * private one: the processes that seal must not be able to open.
 */
export function outputPublicKey(jwkJson: string): KeyObject {
  const [jwk, ...others] = readJwks(jwkJson);
  if (jwk === undefined || others.length > 0) throw new SealedOutputError("key", "Outputs are sealed with one key.");
  if (jwk.d !== undefined) throw new SealedOutputError("key", "This is the private output key; give its public half.");
  return importJwk(() => createPublicKey({ key: jwk, format: "jwk" }));
}

/** The public half of a key on P-256. */
export interface PublicJwk {
  kty: "EC";
  crv: "P-256";
  x: string;
  y: string;
}

/**
 * Returns the public halves of output keys, from either half. Throws SealedOutputError for everything except EC P-256
 * JWKs.
 */
export function outputPublicJwks(json: string): [PublicJwk, ...PublicJwk[]] {
  const [first, ...others] = readJwks(json).map(publicHalf);
  if (first === undefined) throw new SealedOutputError("key", "The set of output keys is empty.");
  return [first, ...others];
}

function publicHalf({ x, y }: JsonWebKey): PublicJwk {
  if (typeof x !== "string" || typeof y !== "string") {
    throw new SealedOutputError("key", "The output key is not a valid EC P-256 JWK.");
  }
  return { kty: "EC", crv: "P-256", x, y };
}

function readJwks(json: string): JsonWebKey[] {
  let jwk: unknown;
  try {
    jwk = JSON.parse(json);
  } catch {
    throw new SealedOutputError("key", "The output key is not JSON.");
  }
  const isSet = typeof jwk === "object" && jwk !== null && "keys" in jwk && Array.isArray(jwk.keys);
  const jwks = isSet ? (jwk as { keys: unknown[] }).keys : [jwk];
  if (jwks.length === 0) throw new SealedOutputError("key", "The set of output keys is empty.");
  return jwks.map(requireJwk);
}

function requireJwk(jwk: unknown): JsonWebKey {
  if (
    typeof jwk !== "object" ||
    jwk === null ||
    !("kty" in jwk) ||
    !("crv" in jwk) ||
    jwk.kty !== "EC" ||
    jwk.crv !== "P-256"
  ) {
    throw new SealedOutputError("key", "The output key is not an EC P-256 JWK.");
  }
  return jwk as JsonWebKey;
}

/** The parser's own message is left out: it may quote its input. */
function importJwk(read: () => KeyObject): KeyObject {
  try {
    return read();
  } catch {
    throw new SealedOutputError("key", "The output key is not a valid EC P-256 JWK.");
  }
}

function pointOfScalar(d: string): Buffer {
  const ecdh = createECDH("prime256v1");
  try {
    ecdh.setPrivateKey(Buffer.from(d, "base64url"));
  } catch {
    throw new SealedOutputError("key", "The output key is not a valid EC P-256 JWK.");
  }
  return ecdh.getPublicKey();
}

function requireKey(key: KeyObject, type: "public" | "private"): KeyObject {
  if (key.type !== type || key.asymmetricKeyType !== "ec" || key.asymmetricKeyDetails?.namedCurve !== "prime256v1") {
    throw new SealedOutputError("key", `A ${type} EC P-256 key is needed.`);
  }
  return key;
}

function requireDataKey(dataKey: Uint8Array): Uint8Array {
  if (dataKey.length !== keyLength) throw new SealedOutputError("key", "A data key has 32 octets.");
  return dataKey;
}

function rawPoint(key: KeyObject): Buffer {
  const { x = "", y = "" } = key.export({ format: "jwk" });
  return Buffer.concat([Buffer.from([4]), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]);
}

/** Derives key and nonce for one wrap. The ephemeral key is used once, so a derived nonce never repeats under its key. */
function wrappingSecrets(input: { shared: Buffer; point: Buffer; recipient: Buffer }): {
  wrappingKey: Buffer;
  nonce: Buffer;
} {
  const info = Buffer.concat([Buffer.from("realmpass output data key v1"), input.point, input.recipient]);
  const secrets = Buffer.from(hkdfSync("sha256", input.shared, "", info, keyLength + nonceLength));
  return { wrappingKey: secrets.subarray(0, keyLength), nonce: secrets.subarray(keyLength) };
}

const boundTo = (aad: string): Buffer => Buffer.concat([version, Buffer.from(aad, "utf8")]);

function encrypt(input: { key: Uint8Array; nonce: Uint8Array; plaintext: Uint8Array; aad: Uint8Array }): Buffer {
  const cipher = createCipheriv(algorithm, input.key, input.nonce).setAAD(input.aad);
  return Buffer.concat([cipher.update(input.plaintext), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(input: { key: Uint8Array; nonce: Uint8Array; ciphertext: Uint8Array; aad: Uint8Array }): Buffer {
  const tagStart = input.ciphertext.length - tagLength;
  const decipher = createDecipheriv(algorithm, input.key, input.nonce, { authTagLength: tagLength });
  decipher.setAAD(input.aad).setAuthTag(input.ciphertext.subarray(tagStart));
  const plaintext = decipher.update(input.ciphertext.subarray(0, tagStart));
  try {
    return Buffer.concat([plaintext, decipher.final()]);
  } catch (cause) {
    plaintext.fill(0);
    throw new SealedOutputError("authentication", "Sealed output does not open: altered, or not for this key or row.", {
      cause,
    });
  }
}

const notOurs = (what: string, options?: ErrorOptions): SealedOutputError =>
  new SealedOutputError("format", `The ${what} is not in a form that is known here.`, options);
