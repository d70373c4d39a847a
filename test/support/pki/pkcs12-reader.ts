import { createDecipheriv, createHash, createHmac, pbkdf2Sync } from "node:crypto";

/**
 * Reads PKCS#12 files the slow and obvious way, straight from RFC 7292 and without any of the code that writes them, as
 * an independent check.
 */

/** The two ways to write "no password" (RFC 7292 appendix B.1). */
export const emptyPassword = { "two-zero-octets": Buffer.from([0, 0]), "zero-length": Buffer.from([]) } as const;

export interface DerNode {
  tag: number;
  header: Buffer;
  content: Buffer;
}

/** Returns the values in `bytes`. Throws if they are not DER from the first octet to the last. */
export function readDer(bytes: Buffer): DerNode[] {
  const nodes: DerNode[] = [];
  for (let at = 0; at < bytes.length;) {
    const first = bytes.readUInt8(at + 1);
    const lengthOctets = first < 0x80 ? 0 : first - 0x80;
    const length = lengthOctets === 0 ? first : bytes.readUIntBE(at + 2, lengthOctets);
    const start = at + 2 + lengthOctets;
    if (start + length > bytes.length) throw new Error("DER value is cut off");
    nodes.push({
      tag: bytes.readUInt8(at),
      header: bytes.subarray(at, start),
      content: bytes.subarray(start, start + length),
    });
    at = start + length;
  }
  return nodes;
}

/** Returns the value at a path of indexes below the values in `bytes`. */
function at(bytes: Buffer, ...path: number[]): Buffer {
  let found = bytes;
  for (const position of path) {
    const node = readDer(found)[position];
    if (node === undefined) throw new Error(`No value at ${path.join(".")}`);
    found = node.content;
  }
  return found;
}

const count = (bytes: Buffer): number => readDer(bytes).length;
const integer = (content: Buffer): number => Number(`0x${content.toString("hex")}`);

/** Derives a key by RFC 7292 appendix B.2, with the RFC's own letters. */
export function deriveByTheBook(
  hash: "sha1" | "sha256",
  ID: number,
  password: Buffer,
  salt: Buffer,
  r: number,
  n: number,
): Buffer {
  const v = 64;
  const fill = (octets: Buffer): Buffer => Buffer.alloc(v * Math.ceil(octets.length / v), octets);
  const D = Buffer.alloc(v, ID);
  let I = Buffer.concat([fill(salt), password.length === 0 ? Buffer.alloc(0) : fill(password)]);
  const A: Buffer[] = [];
  while (Buffer.concat(A).length < n) {
    let Ai = Buffer.concat([D, I]);
    for (let round = 0; round < r; round++) Ai = createHash(hash).update(Ai).digest();
    A.push(Ai);
    const B = BigInt(`0x${Buffer.alloc(v, Ai).toString("hex")}`);
    const blocks: Buffer[] = [];
    for (let j = 0; j < I.length; j += v) {
      const sum = (BigInt(`0x${I.subarray(j, j + v).toString("hex")}`) + B + 1n) % (1n << 512n);
      blocks.push(Buffer.from(sum.toString(16).padStart(2 * v, "0"), "hex"));
    }
    I = Buffer.concat(blocks);
  }
  return Buffer.concat(A).subarray(0, n);
}

const macHashes = { "2b0e03021a": "sha1", "608648016503040201": "sha256" } as const;

/** Returns the parameters of the file's MAC. */
export function readMac(file: Buffer) {
  const macData = at(file, 0, 2);
  const hash = macHashes[at(macData, 0, 0, 0).toString("hex") as keyof typeof macHashes];
  const iterationsWritten = count(macData) === 3;
  return {
    hash,
    digest: at(macData, 0, 1),
    salt: at(macData, 1),
    iterationsWritten,
    iterations: iterationsWritten ? integer(at(macData, 2)) : 1,
  };
}

/** Returns whether the MAC verifies with the empty password written as `password`. */
export function macVerifies(file: Buffer, password: Buffer): boolean {
  const { hash, digest, salt, iterations } = readMac(file);
  const key = deriveByTheBook(hash, 3, password, salt, iterations, digest.length);
  return createHmac(hash, key)
    .update(at(file, 0, 1, 1, 0))
    .digest()
    .equals(digest);
}

export interface ReadEncryption {
  scheme: "3des-sha1" | "aes256-sha256";
  salt: string;
  /** Absent if it is derived. */
  iv?: string;
  iterations: number;
}

/** Decrypts content by its AlgorithmIdentifier. */
export function decryptBag(
  algorithm: Buffer,
  ciphertext: Buffer,
  password: Buffer,
): ReadEncryption & { plaintext: Buffer } {
  switch (at(algorithm, 0).toString("hex")) {
    case "2a864886f70d010c0103": {
      const salt = at(algorithm, 1, 0);
      const iterations = integer(at(algorithm, 1, 1));
      const key = deriveByTheBook("sha1", 1, password, salt, iterations, 24);
      const cipher = createDecipheriv("des-ede3-cbc", key, deriveByTheBook("sha1", 2, password, salt, iterations, 8));
      const plaintext = Buffer.concat([cipher.update(ciphertext), cipher.final()]);
      return { scheme: "3des-sha1", salt: salt.toString("hex"), iterations, plaintext };
    }
    case "2a864886f70d01050d": {
      const kdf = at(algorithm, 1, 0);
      const named = [at(kdf, 0), at(kdf, 1, 2, 0), at(algorithm, 1, 1, 0)].map((part) => part.toString("hex"));
      const wanted = ["2a864886f70d01050c", "2a864886f70d0209", "60864801650304012a"];
      if (named.join() !== wanted.join()) throw new Error(`Not PBKDF2, HMAC-SHA-256 and AES-256-CBC: ${named.join()}`);
      const salt = at(kdf, 1, 0);
      const iterations = integer(at(kdf, 1, 1));
      const iv = at(algorithm, 1, 1, 1);
      const cipher = createDecipheriv("aes-256-cbc", pbkdf2Sync("", salt, iterations, 32, "sha256"), iv);
      const plaintext = Buffer.concat([cipher.update(ciphertext), cipher.final()]);
      return { scheme: "aes256-sha256", salt: salt.toString("hex"), iv: iv.toString("hex"), iterations, plaintext };
    }
    default:
      throw new Error(`Unknown encryption ${at(algorithm, 0).toString("hex")}`);
  }
}

function readAttributes(attributes: Buffer): Attributes {
  const found: Attributes = {};
  for (const attribute of readDer(attributes)) {
    const value = at(attribute.content, 1, 0);
    const name = at(attribute.content, 0).toString("hex");
    if (name === "2a864886f70d010914") found.friendlyName = Buffer.from(value).swap16().toString("utf16le");
    if (name === "2a864886f70d010915") found.localKeyId = value.toString("hex");
  }
  return found;
}

interface Attributes {
  friendlyName?: string;
  localKeyId?: string;
}

export interface ReadPkcs12 {
  version: number;
  certificateEncryption: ReadEncryption;
  certificates: (Attributes & { der: Buffer })[];
  keyEncryption: ReadEncryption;
  key: Attributes & { pkcs8: Buffer };
}

/** Reads a file of one encrypted SafeContents, with certificates, and one plain SafeContents, with a shrouded key. */
export function readPkcs12(file: Buffer, password: Buffer): ReadPkcs12 {
  const [certificatePart, keyPart, ...more] = readDer(at(file, 0, 1, 1, 0, 0));
  if (certificatePart === undefined || keyPart === undefined || more.length > 0) throw new Error("Not two parts");
  const encrypted = at(certificatePart.content, 1, 0, 1);
  const { plaintext: certificateBags, ...certificateEncryption } = decryptBag(
    at(encrypted, 1),
    at(encrypted, 2),
    password,
  );
  const keyBag = at(keyPart.content, 1, 0, 0, 0);
  if (at(keyBag, 0).toString("hex") !== "2a864886f70d010c0a0102") throw new Error("Not a shrouded key bag");
  const { plaintext: key, ...keyEncryption } = decryptBag(at(keyBag, 1, 0, 0), at(keyBag, 1, 0, 1), password);
  return {
    version: integer(at(file, 0, 0)),
    certificateEncryption,
    certificates: readDer(at(certificateBags, 0)).map(({ content: bag }) => ({
      der: at(bag, 1, 0, 1, 0),
      ...(count(bag) === 3 ? readAttributes(at(bag, 2)) : {}),
    })),
    keyEncryption,
    key: { pkcs8: key, ...readAttributes(at(keyBag, 2)) },
  };
}
