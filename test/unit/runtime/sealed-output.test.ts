import { generateKeyPairSync, randomBytes } from "node:crypto";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import {
  createDataKey,
  generateOutputKeyPair,
  open,
  outputPrivateKeys,
  outputPublicKey,
  seal,
  SealedOutputError,
  unwrapDataKey,
} from "../../../runtime/keys/sealed-output.ts";

function aPair() {
  const { privateJwk, publicJwk } = generateOutputKeyPair();
  return { privateKey: outputPrivateKeys(privateJwk), publicKey: outputPublicKey(publicJwk) };
}

const refusedFor = (reason: SealedOutputError["reason"]): unknown =>
  expect.objectContaining({ name: "SealedOutputError", reason });

/** Yields for each octet of `bytes` a variant with one bit of that octet flipped. */
function* withOneBitTurned(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
    yield changed;
  }
}

describe("a data key", () => {
  test("is opened with the private output key", () => {
    const { privateKey, publicKey } = aPair();
    const { key, wrapped } = createDataKey(publicKey);

    expect(key).toHaveLength(32);
    expect(unwrapDataKey(privateKey, wrapped)).toEqual(key);
  });

  test("is different each time, and so are all values that go with it", () => {
    const { publicKey } = aPair();
    const made = Array.from({ length: 20 }, () => createDataKey(publicKey));

    expect(new Set(made.map(({ key }) => key.toString("hex"))).size).toBe(20);
    expect(new Set(made.map(({ wrapped }) => wrapped.subarray(1, 66).toString("hex"))).size).toBe(20);
  });

  test("is not readable in its wrapped form, which names its version", () => {
    const { key, wrapped } = createDataKey(aPair().publicKey);

    expect(wrapped).toHaveLength(114);
    expect(wrapped[0]).toBe(1);
    expect(wrapped.includes(key)).toBe(false);
  });

  test("cannot be unwrapped with another output key", () => {
    const { wrapped } = createDataKey(aPair().publicKey);

    expect(() => unwrapDataKey(aPair().privateKey, wrapped)).toThrow(refusedFor("authentication"));
  });

  test("cannot be unwrapped when any octet of the wrapped form has changed", () => {
    const { privateKey, publicKey } = aPair();
    for (const changed of withOneBitTurned(createDataKey(publicKey).wrapped)) {
      expect(() => unwrapDataKey(privateKey, changed)).toThrow(SealedOutputError);
    }
  });

  test.each([0, 1, 65, 113, 115])("is not unwrapped from %i octets", (length) => {
    expect(() => unwrapDataKey(aPair().privateKey, Buffer.alloc(length, 1))).toThrow(refusedFor("format"));
  });

  test("is not derived from a point that is not on the curve", () => {
    const { privateKey, publicKey } = aPair();
    const { wrapped } = createDataKey(publicKey);
    wrapped.fill(0x55, 2, 66);

    expect(() => unwrapDataKey(privateKey, wrapped)).toThrow(refusedFor("format"));
  });

  test.each([
    ["a point beside the curve", 0x04, 1],
    ["a hybrid point", 0x06, 0],
    ["a hybrid point", 0x07, 0],
    ["a compressed point", 0x02, 0],
  ])("is not derived from %s (%i)", (_what, form, turned) => {
    const { privateKey, publicKey } = aPair();
    const { wrapped } = createDataKey(publicKey);
    wrapped[1] = form;
    wrapped[65] = (wrapped[65] ?? 0) ^ turned;

    expect(() => unwrapDataKey(privateKey, wrapped)).toThrow(refusedFor("format"));
  });

  test("is unwrapped with each key of a JWK Set", () => {
    const [old, fresh] = [generateOutputKeyPair(), generateOutputKeyPair()];
    const { key, wrapped } = createDataKey(outputPublicKey(old.publicJwk));
    const set = `{"keys":[${fresh.privateJwk},${old.privateJwk}]}`;
    expect(unwrapDataKey(outputPrivateKeys(set), wrapped)).toEqual(key);
    expect(() => outputPublicKey(`{"keys":[${fresh.publicJwk},${old.publicJwk}]}`)).toThrow(refusedFor("key"));
    expect(() => outputPrivateKeys('{"keys":[]}')).toThrow(refusedFor("key"));
  });

  test("is neither wrapped nor unwrapped with the wrong half or another kind of key", () => {
    const { privateKey, publicKey } = aPair();
    const { wrapped } = createDataKey(publicKey);
    const p384 = generateKeyPairSync("ec", { namedCurve: "secp384r1" });

    expect(() => createDataKey(privateKey[0]!)).toThrow(refusedFor("key"));
    expect(() => createDataKey(p384.publicKey)).toThrow(refusedFor("key"));
    expect(() => unwrapDataKey([publicKey], wrapped)).toThrow(refusedFor("key"));
    expect(() => unwrapDataKey([p384.privateKey], wrapped)).toThrow(refusedFor("key"));
  });
});

describe("sealed output", () => {
  const key = randomBytes(32);
  const plaintext = Buffer.from("the only copy of a private key");

  test.each([0, 1, 15, 16, 17, 5_000])("opens to the same %i octets", (length) => {
    const octets = randomBytes(length);

    expect(open(key, seal(key, octets, "issuance 1"), "issuance 1")).toEqual(octets);
  });

  test("never uses a nonce twice", () => {
    const nonces = Array.from({ length: 1_000 }, () =>
      seal(key, plaintext, "issuance 1").subarray(1, 13).toString("hex"),
    );

    expect(new Set(nonces).size).toBe(1_000);
  });

  test("does not contain the beginning of its content", () => {
    expect(seal(key, plaintext, "issuance 1").includes(plaintext.subarray(0, 4))).toBe(false);
  });

  test("does not open if it was moved to another row", () => {
    const sealed = seal(key, plaintext, "issuance 1");

    expect(() => open(key, sealed, "issuance 2")).toThrow(refusedFor("authentication"));
    expect(() => open(key, sealed, "")).toThrow(refusedFor("authentication"));
  });

  test("does not open with another data key", () => {
    expect(() => open(randomBytes(32), seal(key, plaintext, "issuance 1"), "issuance 1")).toThrow(
      refusedFor("authentication"),
    );
  });

  test("does not open when any octet has changed or is missing", () => {
    const sealed = seal(key, plaintext, "issuance 1");
    for (const changed of withOneBitTurned(sealed)) {
      expect(() => open(key, changed, "issuance 1")).toThrow(SealedOutputError);
    }
    for (let length = 0; length < sealed.length; length++) {
      expect(() => open(key, sealed.subarray(0, length), "issuance 1")).toThrow(SealedOutputError);
    }
  });

  test("is refused if it has another version", () => {
    const sealed = seal(key, plaintext, "issuance 1");
    sealed[0] = 2;

    expect(() => open(key, sealed, "issuance 1")).toThrow(refusedFor("format"));
  });

  test("is neither made nor opened with a key of another length", () => {
    expect(() => seal(randomBytes(16), plaintext, "issuance 1")).toThrow(refusedFor("key"));
    expect(() => open(randomBytes(16), seal(key, plaintext, "issuance 1"), "issuance 1")).toThrow(refusedFor("key"));
  });
});

describe("the output key in configuration", () => {
  const good = generateOutputKeyPair();
  const privateParts = JSON.parse(good.privateJwk) as Record<string, string>;
  const publicParts = JSON.parse(good.publicJwk) as Record<string, string>;
  const other = JSON.parse(generateOutputKeyPair().privateJwk) as Record<string, string>;
  const p384 = generateKeyPairSync("ec", { namedCurve: "secp384r1" });
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const ed25519 = generateKeyPairSync("ed25519");

  test("consists of two halves of one key, the public half without the secret", () => {
    expect(publicParts).not.toHaveProperty("d");
    expect(publicParts).toMatchObject({ kty: "EC", crv: "P-256", x: privateParts["x"], y: privateParts["y"] });
  });

  test.each([
    ["not JSON", "secret"],
    ["JSON but no object", '"secret"'],
    ["null", "null"],
    ["P-384", JSON.stringify(p384.privateKey.export({ format: "jwk" }))],
    ["RSA", JSON.stringify(rsa.privateKey.export({ format: "jwk" }))],
    ["Ed25519", JSON.stringify(ed25519.privateKey.export({ format: "jwk" }))],
    ["only the public half", good.publicJwk],
    ["without a coordinate", JSON.stringify({ ...privateParts, y: undefined })],
    ["off the curve", JSON.stringify({ ...privateParts, x: privateParts["y"] })],
    ["made of halves of two keys", JSON.stringify({ ...privateParts, d: other["d"] })],
    ["with the scalar zero", JSON.stringify({ ...privateParts, d: Buffer.alloc(32).toString("base64url") })],
    ["with a number for a scalar", JSON.stringify({ ...privateParts, d: 5 })],
  ])("is refused as the private half when it is %s", (_what, jwk) => {
    expect(() => outputPrivateKeys(jwk)).toThrow(refusedFor("key"));
  });

  test.each([
    ["not JSON", "secret"],
    ["P-384", JSON.stringify(p384.publicKey.export({ format: "jwk" }))],
    ["RSA", JSON.stringify(rsa.publicKey.export({ format: "jwk" }))],
    ["Ed25519", JSON.stringify(ed25519.publicKey.export({ format: "jwk" }))],
    ["the private half, which those who seal must not hold", good.privateJwk],
    ["without a coordinate", JSON.stringify({ ...publicParts, x: undefined })],
    ["off the curve", JSON.stringify({ ...publicParts, x: publicParts["y"] })],
  ])("is refused as the public half when it is %s", (_what, jwk) => {
    expect(() => outputPublicKey(jwk)).toThrow(refusedFor("key"));
  });

  test.each([
    ["cut off", good.privateJwk.slice(0, -1)],
    ["off the curve", JSON.stringify({ ...privateParts, x: privateParts["y"] })],
    ["made of halves of two keys", JSON.stringify({ ...privateParts, x: other["x"], y: other["y"] })],
  ])("is not quoted in the error when it is %s", (_what, jwk) => {
    const secret = privateParts["d"] ?? "";
    expect(jwk).toContain(secret);

    let thrown: unknown;
    try {
      outputPrivateKeys(jwk);
    } catch (error) {
      thrown = error;
    }

    expect(thrown).toEqual(refusedFor("key"));
    expect(inspect(thrown, { depth: 10, showHidden: true })).not.toContain(secret.slice(0, 8));
  });
});
