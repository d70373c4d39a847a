import { hash, randomBytes } from "node:crypto";
import { deviceTypes, type DeviceType } from "../domain/certificate/device.ts";
import { bmpString, context, contextConstructed, octetString, oid, sequence, setOf, smallInteger, tlv } from "./der.ts";
import { pkcs12Profile, type Pkcs12Profile } from "./pkcs12-profile.ts";
import { createProtection, type Encrypted, type Protection } from "./pkcs12-protection.ts";

export interface Pkcs12Input {
  /** Decides algorithms, the form of the empty password and whether `chain` is included; `null` counts as `Other`. */
  deviceType: DeviceType | null;
  /** The name that the device shows for key and certificate; any Unicode text, cut to 255 characters. */
  friendlyName: string;
  /** PrivateKeyInfo (RFC 5208), DER. */
  privateKeyPkcs8: Uint8Array;
  /** The leaf, DER. */
  certificate: Uint8Array;
  /** The issuing CA and any CAs between it and the root, DER, in that order; never the root. */
  chain: readonly Uint8Array[];
  /** Overrides the empty password and the device type's form. */
  protectedBy?: { profile: Pkcs12Profile; password: string };
}

/**
 * Encodes a PKCS#12 file (RFC 7292) that opens with an empty password on the given kind of device, or with the given
 * password.
 *
 * Guarantees: a MAC; the certificates in an encrypted SafeContents, the leaf first; the key in a shrouded bag; the same
 * friendlyName and localKeyID (SHA-1 of the leaf) on leaf and key; fresh salts and IVs on every call. The input is not
 * checked: the caller must ensure that key and certificate belong together.
 *
 * `random` returns the salts and IVs, in one call; only tests that pin bytes pass it.
 */
export function encodePkcs12(input: Pkcs12Input, random: (length: number) => Buffer = randomBytes): Buffer {
  const { protectedBy } = input;
  const { withChain, protection } =
    protectedBy === undefined
      ? encoders[input.deviceType ?? "Other"]
      : encoderOf(protectedBy.profile, protectedBy.password);
  const { encryptionRandomLength: step, macSaltLength } = protection;
  const fresh = random(2 * step + macSaltLength);
  const attributes = bagAttributes(input);

  const certificates = sequence(
    certificateBag(input.certificate, attributes),
    ...(withChain ? input.chain.map((issuer) => certificateBag(issuer)) : []),
  );
  const authenticatedSafe = sequence(
    encryptedContentInfo(protection.encrypt(certificates, fresh.subarray(0, step))),
    contentInfo(
      sequence(keyBag(protection.encrypt(input.privateKeyPkcs8, fresh.subarray(step, 2 * step)), attributes)),
    ),
  );
  return sequence(
    version3,
    contentInfo(authenticatedSafe),
    protection.macData(authenticatedSafe, fresh.subarray(2 * step)),
  );
}

const encoderOf = (profile: Pkcs12Profile, password?: string): { withChain: boolean; protection: Protection } => ({
  withChain: profile.withChain,
  protection: createProtection(profile, password),
});

const encoders = Object.fromEntries(
  deviceTypes.map((deviceType) => [deviceType, encoderOf(pkcs12Profile(deviceType))]),
) as Record<DeviceType, ReturnType<typeof encoderOf>>;

const version0 = smallInteger(0);
const version3 = smallInteger(3);
const dataOid = oid("1.2.840.113549.1.7.1");
const encryptedDataOid = oid("1.2.840.113549.1.7.6");
const shroudedKeyBagOid = oid("1.2.840.113549.1.12.10.1.2");
const certificateBagOid = oid("1.2.840.113549.1.12.10.1.3");
const x509CertificateOid = oid("1.2.840.113549.1.9.22.1");
const friendlyNameOid = oid("1.2.840.113549.1.9.20");
const localKeyIdOid = oid("1.2.840.113549.1.9.21");

const explicit0 = contextConstructed(0);

/** Encodes a ContentInfo of type data (RFC 2315 section 8). */
const contentInfo = (content: Buffer): Buffer => sequence(dataOid, tlv(explicit0, octetString(content)));

/** Encodes a ContentInfo of type encryptedData (RFC 2315 section 13). */
const encryptedContentInfo = ({ algorithm, ciphertext }: Encrypted): Buffer =>
  sequence(
    encryptedDataOid,
    tlv(explicit0, sequence(version0, sequence(dataOid, algorithm, tlv(context(0), ...ciphertext)))),
  );

/** Encodes a PKCS8ShroudedKeyBag (RFC 7292 section 4.2.2). */
const keyBag = ({ algorithm, ciphertext }: Encrypted, attributes: Buffer): Buffer =>
  sequence(shroudedKeyBagOid, tlv(explicit0, sequence(algorithm, octetString(...ciphertext))), attributes);

/** Encodes a CertBag (RFC 7292 section 4.2.3). */
const certificateBag = (certificate: Uint8Array, ...attributes: readonly Buffer[]): Buffer =>
  sequence(
    certificateBagOid,
    tlv(explicit0, sequence(x509CertificateOid, tlv(explicit0, octetString(certificate)))),
    ...attributes,
  );

/** pkcs-9-ub-friendlyName (RFC 2985 section 5.5.1). A BMPString counts each half of a surrogate pair. */
const friendlyNameLengthMax = 255;

/** Shortens a name to the maximum without splitting its last character. */
const cut = (name: string): string => name.slice(0, friendlyNameLengthMax).replace(/[\ud800-\udbff]$/, "");

/** Encodes the attributes that mark leaf and key as a pair: friendlyName and localKeyID (RFC 2985 section 5.5). */
const bagAttributes = ({ friendlyName, certificate }: Pkcs12Input): Buffer =>
  setOf(
    sequence(friendlyNameOid, setOf(bmpString(cut(friendlyName)))),
    sequence(localKeyIdOid, setOf(octetString(hash("sha1", certificate, "buffer")))),
  );
