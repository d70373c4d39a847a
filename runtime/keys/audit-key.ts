import { Unstartable } from "../config/unstartable.ts";
import { createHash, generateKeyPairSync } from "node:crypto";
import { calculateJwkThumbprint, CompactSign, compactVerify, importJWK, type CryptoKey, type JWK } from "jose";
import { z } from "zod";
import type { AuditHead } from "../../domain/audit/chain.ts";

/**
 * Workers sign the heads of the audit log's chains with a key that only workers have: compact JWS (RFC 7515) with
 * ES256. The key is an EC P-256 JWK, or a JWK Set: its first key signs, and the others are trusted as well.
 */

/** The audit key cannot be used. The message never contains key material. */
export class AuditKeyError extends Unstartable {
  override readonly name = "AuditKeyError";
}

/** Verifies that a trusted key has signed a head. */
export interface HeadVerifier {
  /** Returns the contents of a head; undefined if the text is not a head that a trusted key signed. */
  verify(signature: string): Promise<AuditHead | undefined>;
}

export interface HeadSigner extends HeadVerifier {
  sign(head: AuditHead): Promise<string>;
}

const algorithm = "ES256";

/** The type that distinguishes a head from everything else that is signed. */
const headType = "audit-head+json";

const PublicJwk = z.object({ kty: z.literal("EC"), crv: z.literal("P-256"), x: z.string(), y: z.string() });
const Jwk = PublicJwk.extend({ d: z.string().optional() });
const Keys = z.union([z.object({ keys: z.array(Jwk).min(1) }), Jwk.transform((key) => ({ keys: [key] }))]);

const Head = z.object({
  realm: z.int().positive().transform(String),
  position: z.int().positive(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  sealedAt: z.iso.datetime(),
  previous: z.int().nonnegative(),
  complete: z.boolean(),
});

/** Returns SHA-256 of a text's UTF-8 octets, in hexadecimal. */
export const sha256 = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex");

/** Makes a fresh key as a JWK in JSON. */
export const generateAuditKey = (): string =>
  JSON.stringify(generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey.export({ format: "jwk" }));

type PublicKey = z.infer<typeof PublicJwk>;

/** Returns the public halves of an audit key, or of every key in a set. Throws {@link AuditKeyError}. */
export function auditPublicKeys(text: string): [PublicKey, ...PublicKey[]] {
  const [first, ...others] = readKeys(text);
  return [publicHalf(first), ...others.map(publicHalf)];
}

/**
 * Returns the public half of an audit key, or of a set's first key, for the operator to keep elsewhere. Throws {@link
 * AuditKeyError}.
 */
export const auditPublicKey = (text: string): PublicKey => auditPublicKeys(text)[0];

const publicHalf = ({ kty, crv, x, y }: Key): PublicKey => ({ kty, crv, x, y });

/**
 * Creates a verifier of heads from an audit key or a set of them; their public halves suffice. Throws {@link
 * AuditKeyError}.
 */
export async function createHeadVerifier(text: string): Promise<HeadVerifier> {
  const trusted = new Map(
    await Promise.all(readKeys(text).map(async (key) => [await idOf(key), await publicOf(key)] as const)),
  );
  return { verify: (signature) => verifyHead(signature, trusted) };
}

/**
 * Creates a signer that also verifies heads, from an audit key. Throws {@link AuditKeyError} if the first key has no
 * private half.
 */
export async function createHeadSigner(text: string): Promise<HeadSigner> {
  const [first] = readKeys(text);
  if (first.d === undefined) throw new AuditKeyError("The audit key has no private half.");
  const [privateKey, keyId, verifier] = await Promise.all([imported(first), idOf(first), createHeadVerifier(text)]);
  return {
    ...verifier,
    sign: ({ realm, ...head }) =>
      new CompactSign(Buffer.from(JSON.stringify({ realm: Number(realm), ...head })))
        .setProtectedHeader({ alg: algorithm, kid: keyId, typ: headType })
        .sign(privateKey),
  };
}

async function verifyHead(signature: string, trusted: ReadonlyMap<string, CryptoKey>): Promise<AuditHead | undefined> {
  try {
    const { payload, protectedHeader } = await compactVerify(
      signature,
      ({ kid = "" }) => {
        const key = trusted.get(kid);
        if (key === undefined) throw new AuditKeyError("The head was signed with another key.");
        return key;
      },
      { algorithms: [algorithm] },
    );
    if (protectedHeader.typ !== headType) return undefined;
    return Head.parse(JSON.parse(new TextDecoder().decode(payload)));
  } catch {
    return undefined;
  }
}

type Key = z.infer<typeof Jwk>;

function readKeys(text: string): [Key, ...Key[]] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new AuditKeyError("The audit key is not JSON.");
  }
  const parsed = Keys.safeParse(json);
  const [first, ...others] = parsed.data?.keys ?? [];
  if (first === undefined) throw new AuditKeyError("The audit key is not an EC P-256 JWK, nor a set of them.");
  return [first, ...others];
}

const publicOf = ({ kty, crv, x, y }: Key): Promise<CryptoKey> => imported({ kty, crv, x, y });

const idOf = ({ kty, crv, x, y }: Key): Promise<string> => calculateJwkThumbprint({ kty, crv, x, y });

/** The parser's own message is left out: it may quote its input. */
async function imported(key: Key): Promise<CryptoKey> {
  try {
    return (await importJWK(key as JWK, algorithm)) as CryptoKey;
  } catch {
    throw new AuditKeyError("The audit key is not a valid EC P-256 JWK.");
  }
}
