import { hash as hashOnce } from "node:crypto";

/** Both digests work on blocks of 64 octets: `v` in RFC 7292 appendix B.2. */
const blockLength = 64;
const digestLength = { sha1: 20, sha256: 32 } as const;

export type KdfHash = keyof typeof digestLength;

/** The purposes of derived octets (RFC 7292 appendix B.3). */
export const kdfPurpose = { encryptionKey: 1, initializationVector: 2, macKey: 3 } as const;

/**
 * Derives `length` octets with the PKCS#12 key derivation function (RFC 7292 appendix B.2).
 *
 * `password` is in octets, because the two forms of "no password" (appendix B.1) differ only here: the caller passes
 * the BMPString with its terminating two zero octets, or no octets. Node and WebCrypto have no native implementation;
 * at one iteration this costs one digest for every 20 (SHA-1) or 32 (SHA-256) octets.
 */
export function pkcs12Kdf(input: {
  hash: KdfHash;
  purpose: (typeof kdfPurpose)[keyof typeof kdfPurpose];
  password: Uint8Array;
  salt: Uint8Array;
  iterations: number;
  length: number;
}): Buffer {
  const { hash, password, salt, iterations, length } = input;
  const saltLength = paddedLength(salt);
  const block = Buffer.allocUnsafe(blockLength + saltLength + paddedLength(password));
  block.fill(input.purpose, 0, blockLength);
  repeatInto(block.subarray(blockLength, blockLength + saltLength), salt);
  repeatInto(block.subarray(blockLength + saltLength), password);

  const out = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; at += digestLength[hash]) {
    let derived = digest(hash, block);
    for (let round = 1; round < iterations; round++) derived = digest(hash, derived);
    out.set(derived.subarray(0, length - at), at);
    if (at + digestLength[hash] < length) addToEveryBlock(block.subarray(blockLength), derived);
  }
  return out;
}

/** Goes through a string, because a Buffer that native code allocates costs twice as much as the digest itself. */
const digest = (hash: KdfHash, octets: Buffer): Buffer => Buffer.from(hashOnce(hash, octets, "binary"), "latin1");

const paddedLength = (octets: Uint8Array): number => Math.ceil(octets.length / blockLength) * blockLength;

function repeatInto(target: Buffer, octets: Uint8Array): void {
  for (let at = 0; at < target.length; at++) target[at] = octets[at % octets.length] ?? 0;
}

/**
 * Performs step 6 C of appendix B.2: every block of `blocks` becomes (block + B + 1) modulo 2^512, B being `derived`
 * repeated.
 */
function addToEveryBlock(blocks: Buffer, derived: Buffer): void {
  for (let start = 0; start < blocks.length; start += blockLength) {
    let carry = 1;
    for (let at = blockLength - 1; at >= 0; at--) {
      const sum = (blocks[start + at] ?? 0) + (derived[at % derived.length] ?? 0) + carry;
      blocks[start + at] = sum & 0xff;
      carry = sum >> 8;
    }
  }
}
