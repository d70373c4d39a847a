import { createCipheriv, createHmac, pbkdf2Sync } from "node:crypto";
import { nullValue, octetString, oid, sequence, smallInteger } from "./der.ts";
import { kdfPurpose, pkcs12Kdf, type KdfHash } from "./pkcs12-kdf.ts";
import type { Pkcs12Profile } from "./pkcs12-profile.ts";

/** Ciphertext with the AlgorithmIdentifier of its encryption. */
export interface Encrypted {
  readonly algorithm: Buffer;
  readonly ciphertext: readonly Buffer[];
}

/** Encryption and MAC under one password. The caller passes randomness, which must be fresh in every call. */
export interface Protection {
  /** Octets of randomness that one encryption needs: salt, then IV if it is not derived. */
  readonly encryptionRandomLength: number;
  readonly macSaltLength: number;
  encrypt(plaintext: Uint8Array, random: Uint8Array): Encrypted;
  /** Encodes MacData (RFC 7292 section 4) over the content of the AuthenticatedSafe. */
  macData(content: Uint8Array, salt: Uint8Array): Buffer;
}

/**
 * Creates the protection of a PKCS#12 profile and encodes its constant parts once. `text` is the password, empty by
 * default.
 */
export function createProtection(profile: Pkcs12Profile, text = ""): Protection {
  const password = passwordOctets(profile, text);
  switch (profile.protection) {
    case "3des-sha1":
      return {
        encryptionRandomLength: tripleDesSaltLength,
        encrypt: tripleDes(password, profile.iterations),
        ...mac("sha1", password, profile.iterations),
      };
    case "aes256-sha256":
      return {
        encryptionRandomLength: pbes2SaltLength + aesIvLength,
        encrypt: pbes2Aes256(text, profile.iterations),
        ...mac("sha256", password, profile.iterations),
      };
  }
}

/**
 * Returns the password as a BMPString with its terminating zeros (RFC 7292 appendix B.1), or no octets if the profile
 * writes an empty password that way.
 */
function passwordOctets({ emptyPassword }: Pkcs12Profile, text: string): Buffer {
  if (text === "" && emptyPassword === "zero-length") return Buffer.alloc(0);
  return Buffer.concat([Buffer.from(text, "utf16le").swap16(), Buffer.alloc(2)]);
}

const tripleDesSaltLength = 8;
const tripleDesOid = oid("1.2.840.113549.1.12.1.3");

/** Returns pbeWithSHAAnd3-KeyTripleDES-CBC (RFC 7292 appendix C): the PKCS#12 KDF derives key and IV. */
function tripleDes(password: Buffer, iterations: number): Protection["encrypt"] {
  const rounds = smallInteger(iterations);
  const { encryptionKey, initializationVector } = kdfPurpose;
  return (plaintext, salt) => {
    const key = pkcs12Kdf({ hash: "sha1", purpose: encryptionKey, password, salt, iterations, length: 24 });
    const iv = pkcs12Kdf({ hash: "sha1", purpose: initializationVector, password, salt, iterations, length: 8 });
    const cipher = createCipheriv("des-ede3-cbc", key, iv);
    return {
      algorithm: sequence(tripleDesOid, sequence(octetString(salt), rounds)),
      ciphertext: [cipher.update(plaintext), cipher.final()],
    };
  };
}

const pbes2SaltLength = 16;
const aesIvLength = 16;
const pbes2Oid = oid("1.2.840.113549.1.5.13");
const pbkdf2Oid = oid("1.2.840.113549.1.5.12");
const hmacWithSha256 = sequence(oid("1.2.840.113549.2.9"), nullValue);
const aes256CbcOid = oid("2.16.840.1.101.3.4.1.42");

/**
 * Returns PBES2 with PBKDF2-HMAC-SHA-256 and AES-256-CBC (RFC 8018 section 6.2). The password is not a BMPString, so an
 * empty password is zero octets. HMAC pads its key with zeros, so a reader that uses two zero octets derives the same
 * key.
 */
function pbes2Aes256(password: string, iterations: number): Protection["encrypt"] {
  const rounds = smallInteger(iterations);
  return (plaintext, random) => {
    const salt = random.subarray(0, pbes2SaltLength);
    const iv = random.subarray(pbes2SaltLength);
    const key = pbkdf2Sync(password, salt, iterations, 32, "sha256");
    const cipher = createCipheriv("aes-256-cbc", key, iv);
    return {
      algorithm: sequence(
        pbes2Oid,
        sequence(
          sequence(pbkdf2Oid, sequence(octetString(salt), rounds, hmacWithSha256)),
          sequence(aes256CbcOid, octetString(iv)),
        ),
      ),
      ciphertext: [cipher.update(plaintext), cipher.final()],
    };
  };
}

const macHash = {
  sha1: { algorithm: sequence(oid("1.3.14.3.2.26"), nullValue), length: 20, saltLength: 8 },
  sha256: { algorithm: sequence(oid("2.16.840.1.101.3.4.2.1"), nullValue), length: 32, saltLength: 16 },
} as const satisfies Record<KdfHash, { algorithm: Buffer; length: number; saltLength: number }>;

/**
 * Returns the MAC of password integrity mode, an HMAC (RFC 7292 section 5.1). DER omits `iterations` if it is 1, the
 * default.
 */
function mac(hash: KdfHash, password: Buffer, iterations: number): Pick<Protection, "macSaltLength" | "macData"> {
  const { algorithm, length, saltLength } = macHash[hash];
  const rounds = iterations === 1 ? [] : [smallInteger(iterations)];
  return {
    macSaltLength: saltLength,
    macData(content, salt) {
      const key = pkcs12Kdf({ hash, purpose: kdfPurpose.macKey, password, salt, iterations, length });
      const value = createHmac(hash, key).update(content).digest();
      return sequence(sequence(algorithm, octetString(value)), octetString(salt), ...rounds);
    },
  };
}
