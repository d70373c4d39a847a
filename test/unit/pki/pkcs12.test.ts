import { createHash, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { deviceTypes, type DeviceType } from "../../../domain/certificate/device.ts";
import { pkcs12Kdf } from "../../../pki/pkcs12-kdf.ts";
import { pkcs12Profile } from "../../../pki/pkcs12-profile.ts";
import { createProtection } from "../../../pki/pkcs12-protection.ts";
import { encodePkcs12 } from "../../../pki/pkcs12.ts";
import {
  decryptBag,
  deriveByTheBook,
  emptyPassword,
  macVerifies,
  readDer,
  readMac,
  readPkcs12,
} from "../../support/pki/pkcs12-reader.ts";

/** The table of the design, repeated here. */
const expected = {
  Linux: { scheme: "aes256-sha256", mac: "sha256", password: "two-zero-octets", certificates: 2 },
  ChromeOS: { scheme: "aes256-sha256", mac: "sha256", password: "two-zero-octets", certificates: 2 },
  Windows: { scheme: "3des-sha1", mac: "sha1", password: "two-zero-octets", certificates: 2 },
  Android: { scheme: "3des-sha1", mac: "sha1", password: "two-zero-octets", certificates: 2 },
  Other: { scheme: "3des-sha1", mac: "sha1", password: "two-zero-octets", certificates: 2 },
  iOS: { scheme: "3des-sha1", mac: "sha1", password: "two-zero-octets", certificates: 1 },
  iPadOS: { scheme: "3des-sha1", mac: "sha1", password: "two-zero-octets", certificates: 1 },
  MacOS: { scheme: "3des-sha1", mac: "sha1", password: "zero-length", certificates: 1 },
} as const satisfies Record<DeviceType, object>;

/** The encoder does not parse its inputs, so any octets will do. */
const leaf = Buffer.from("leaf certificate ".repeat(40));
const issuer = Buffer.from("issuing certificate ".repeat(30));
const privateKeyPkcs8 = Buffer.from("private key ".repeat(12));

const input = (deviceType: DeviceType | null, friendlyName = "Realm One") => ({
  deviceType,
  friendlyName,
  privateKeyPkcs8,
  certificate: leaf,
  chain: [issuer],
});

const read = (deviceType: DeviceType, friendlyName?: string) =>
  readPkcs12(encodePkcs12(input(deviceType, friendlyName)), emptyPassword[expected[deviceType].password]);

describe.each(deviceTypes)("a file for %s", (deviceType) => {
  const wanted = expected[deviceType];

  test("has the encryption, MAC, empty password and certificates of its row in the table", () => {
    const file = encodePkcs12(input(deviceType));
    const found = readPkcs12(file, emptyPassword[wanted.password]);

    expect(found.version).toBe(3);
    expect(found.certificateEncryption).toMatchObject({ scheme: wanted.scheme, iterations: 1 });
    expect(found.keyEncryption).toMatchObject({ scheme: wanted.scheme, iterations: 1 });
    expect(readMac(file)).toMatchObject({ hash: wanted.mac, iterations: 1 });
    expect(found.certificates.map(({ der }) => der)).toEqual([leaf, issuer].slice(0, wanted.certificates));
    expect(found.key.pkcs8).toEqual(privateKeyPkcs8);
    expect(macVerifies(file, emptyPassword[wanted.password])).toBe(true);
  });

  test("omits the default of one MAC iteration, as DER requires", () => {
    expect(readMac(encodePkcs12(input(deviceType))).iterationsWritten).toBe(false);
  });

  test("gives leaf and key the same name, and no other certificate a name", () => {
    const { certificates, key } = read(deviceType);
    const localKeyId = createHash("sha1").update(leaf).digest("hex");

    expect(key).toMatchObject({ friendlyName: "Realm One", localKeyId });
    expect(certificates[0]).toMatchObject({ friendlyName: "Realm One", localKeyId });
    for (const other of certificates.slice(1)) expect(Object.keys(other)).toEqual(["der"]);
  });

  test("never repeats a salt or an IV", () => {
    const seen = Array.from({ length: 50 }, () => encodePkcs12(input(deviceType))).flatMap((file) => {
      const found = readPkcs12(file, emptyPassword[wanted.password]);
      const { certificateEncryption: certificates, keyEncryption: key } = found;
      return [certificates.salt, certificates.iv, key.salt, key.iv, readMac(file).salt.toString("hex")];
    });
    const values = seen.filter((value) => value !== undefined);

    expect(values).toHaveLength(wanted.scheme === "3des-sha1" ? 150 : 250);
    expect(new Set(values).size).toBe(values.length);
  });
});

test("an unknown device gets the file of Other", () => {
  const random = (length: number): Buffer => Buffer.alloc(length, 7);

  expect(encodePkcs12(input(null), random)).toEqual(encodePkcs12(input("Other"), random));
});

test.each([
  ["nothing", ""],
  ["ASCII", "Realm One"],
  ["accents and typographic signs", "Jürgens „Gerät“ – ñ"],
  ["right-to-left and CJK", "شبكة 网络 네트워크"],
  ["characters beyond the basic plane", "📱 at 𝔼xample 👩🏽‍💻"],
  ["a combining sequence, not composed", "e\u0301"],
  ["more than 127 characters, at most 255", "é".repeat(255)],
])("a friendlyName can contain %s", (_kind, friendlyName) => {
  for (const deviceType of deviceTypes) {
    const { certificates, key } = read(deviceType, friendlyName);

    expect(key.friendlyName).toBe(friendlyName);
    expect(certificates[0]?.friendlyName).toBe(friendlyName);
  }
});

test.each([
  ["of one octet pair each", "é".repeat(256), "é".repeat(255)],
  ["of which the last would be cut in half", `a${"📱".repeat(128)}`, `a${"📱".repeat(127)}`],
])("a friendlyName is cut at 255 characters (RFC 2985 section 5.5.1): %s", (_kind, given, kept) => {
  for (const deviceType of deviceTypes) expect(read(deviceType, given).key.friendlyName).toBe(kept);
});

test("a chain of several issuers keeps its order, after the leaf", () => {
  const chain = ["a", "b", "c"].map((text) => Buffer.from(text.repeat(100)));
  const file = encodePkcs12({ ...input("Windows"), chain });

  expect(readPkcs12(file, emptyPassword["two-zero-octets"]).certificates.map(({ der }) => der)).toEqual([
    leaf,
    ...chain,
  ]);
});

test.each([1, 100, 127, 128, 255, 256, 65_535, 65_536, 200_000])(
  "a certificate of %i octets is read back whole",
  (length) => {
    const certificate = randomBytes(length);
    for (const deviceType of ["Linux", "MacOS"] as const) {
      const file = encodePkcs12({ ...input(deviceType), certificate });

      expect(readDer(file)).toHaveLength(1);
      expect(
        readPkcs12(file, emptyPassword[expected[deviceType].password]).certificates[0]?.der.equals(certificate),
      ).toBe(true);
    }
  },
);

test.each(["Linux", "Windows", "MacOS"] as const)("the iterations of %s's table entry are used", (deviceType) => {
  const profile = { ...pkcs12Profile(deviceType), iterations: 300 };
  const protection = createProtection(profile);
  const { algorithm, ciphertext } = protection.encrypt(
    Buffer.from("text"),
    randomBytes(protection.encryptionRandomLength),
  );
  const [macData] = readDer(protection.macData(Buffer.from("content"), randomBytes(protection.macSaltLength)));
  const [algorithmNode] = readDer(algorithm);

  expect(
    decryptBag(
      algorithmNode?.content ?? Buffer.alloc(0),
      Buffer.concat(ciphertext),
      emptyPassword[profile.emptyPassword],
    ),
  ).toMatchObject({ iterations: 300, plaintext: Buffer.from("text") });
  expect(readDer(macData?.content ?? Buffer.alloc(0))[2]?.content).toEqual(Buffer.from([0x01, 0x2c]));
});

describe("the PKCS#12 key derivation function (RFC 7292 appendix B.2)", () => {
  const passwords = { smeg: "0073006d006500670000", queeg: "007100750065006500670000", none: "0000", empty: "" };

  // SHA-1: the vectors that OpenSSL, BouncyCastle and others share. SHA-256 and the two empty passwords: openssl kdf.
  test.each([
    ["sha1", 1, "smeg", "0a58cf64530d823f", 1, "8aaae6297b6cb04642ab5b077851284eb7128f1a2a7fbca3"],
    ["sha1", 2, "smeg", "0a58cf64530d823f", 1, "79993dfe048d3b76"],
    ["sha1", 1, "smeg", "642b99ab44fb4b1f", 1, "f3a95fec48d7711e985cfe67908c5ab79fa3d7c5caa5d966"],
    ["sha1", 2, "smeg", "642b99ab44fb4b1f", 1, "c0a38d64a79bea1d"],
    ["sha1", 3, "smeg", "3d83c0e4546ac140", 1, "8d967d88f6caa9d714800ab3d48051d63f73a312"],
    ["sha1", 1, "queeg", "05dec959acff72f7", 1000, "ed2034e36328830ff09df1e1a07dd357185dac0d4f9eb3d4"],
    ["sha1", 2, "queeg", "05dec959acff72f7", 1000, "11dedad7758d4860"],
    ["sha1", 1, "queeg", "1682c0fc5b3f7ec5", 1000, "483dd6e919d7de2e8e648ba8f862f3fbfbdc2bcb2c02957f"],
    ["sha1", 2, "queeg", "1682c0fc5b3f7ec5", 1000, "9d461d1b00355c50"],
    ["sha1", 3, "queeg", "263216fcc2fab31c", 1000, "5ec4c7a80df652294c3925b6489a7ab857c83476"],
    ["sha1", 3, "empty", "0a58cf64530d823f", 1, "299a6e0e9e7e39d3f800fc56ab1adc6f31f604c4"],
    ["sha1", 3, "none", "0a58cf64530d823f", 1, "783f69839cebd46b2d1d01ab16d4f41a4a1dd98d"],
    ["sha256", 3, "smeg", "0a58cf64530d823f", 1, "b26d0cad11e901ad0ba0ce08b18df8fc49d2eb271bf02a0cee1669e01251b18d"],
    ["sha256", 3, "empty", "0a58cf64530d823f", 3, "73324165e125f3bfd94530614a68121b3f97b1f7d0e09862661b1d7bdeab2174"],
    ["sha256", 3, "none", "0a58cf64530d823f", 3, "a317ef4f8014570a33a6012e9e209b5aa06b8d39c4fc8ef150add8fef40816cb"],
  ] as const)(
    "%s, purpose %i, password %s, salt %s, %i iterations",
    (hash, purpose, password, salt, iterations, derived) => {
      const length = derived.length / 2;
      const octets = { password: Buffer.from(passwords[password], "hex"), salt: Buffer.from(salt, "hex") };

      expect(pkcs12Kdf({ hash, purpose, ...octets, iterations, length }).toString("hex")).toBe(derived);
    },
  );

  test("agrees with a literal big-integer implementation of the RFC, for every length and for carries through whole blocks", () => {
    for (let length = 1; length <= 130; length++) {
      const salt = length % 5 === 0 ? Buffer.alloc(8, 0xff) : randomBytes(1 + (length % 80));
      const password = length % 5 === 0 ? Buffer.alloc(64, 0xff) : randomBytes(2 * (length % 50));
      for (const hash of ["sha1", "sha256"] as const) {
        expect(pkcs12Kdf({ hash, purpose: 1, password, salt, iterations: 2, length })).toEqual(
          deriveByTheBook(hash, 1, password, salt, 2, length),
        );
      }
    }
  });
});
