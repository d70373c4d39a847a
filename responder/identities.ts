import { generateKeyPairSync, hash, sign, type KeyObject } from "node:crypto";
import type { Clock } from "../runtime/clock.ts";
import { p256SpkiPrefix } from "../pki/algorithms.ts";
import type { Certify } from "./certify.ts";
import type { OcspIssuer } from "./issuers.ts";

/** A delegated responder of one issuer. Its key was made in this process and never leaves it. */
export interface Identity {
  /** SHA-1 of the public key: the responder's id. */
  readonly keyHash: Buffer;
  /** DER. */
  readonly certificate: Buffer;
  /** Returns a signature of ECDSA with SHA-256, DER. */
  sign(bytes: Uint8Array): Buffer;
}

/** No responder is available for this issuer at the moment. */
export class IdentityUnavailable extends Error {
  override readonly name = "IdentityUnavailable";
}

export interface Identities {
  /**
   * Returns the issuer's current responder. Throws {@link IdentityUnavailable} if there is no responder and the process
   * cannot make one.
   */
  of(issuer: OcspIssuer): Promise<Identity>;
}

interface Held {
  identity: Identity;
  renewAt: number;
  /**
   * When the responder stops using its certificate: before the certificate expires, because a client may take a moment
   * to check it. A certificate that expires with its issuer is used until its end.
   */
  usableUntil: number;
}

interface KeyPair {
  privateKey: KeyObject;
  /** SubjectPublicKeyInfo, DER. */
  publicKey: Buffer;
}

interface Entry {
  held?: Held;
  /** The key that waits for its certificate, which may arrive after every request has timed out. */
  keyPair?: KeyPair;
  making?: Promise<Held>;
  /** After a failure no certificate is requested before this time. */
  askAgainAt: number;
}

const marginMs = 60_000;
const pauseMs = 1_000;

/**
 * Requests a delegated responder certificate for each issuer when one is first needed. Halfway through its validity,
 * requests a successor; until the successor arrives, the first certificate stays in use. Repeats failed requests.
 */
export function createIdentities({
  certify,
  clock,
  onFailure,
}: {
  certify: Certify;
  clock: Clock;
  onFailure: (issuerId: string, error: unknown) => void;
}): Identities {
  const entries = new Map<string, Entry>();

  async function make(issuer: OcspIssuer, entry: Entry): Promise<Held> {
    const { privateKey, publicKey } = (entry.keyPair ??= generateP256());
    const { certificate, notBefore, notAfter } = await certify({
      issuerId: issuer.issuerId,
      publicKeySpki: publicKey,
    });
    delete entry.keyPair;
    const lastOfAll = notAfter >= issuer.notAfter;
    return {
      identity: {
        keyHash: hash("sha1", publicKey.subarray(p256SpkiPrefix.length), "buffer"),
        certificate: Buffer.from(certificate),
        sign: (bytes) => sign("sha256", bytes, privateKey),
      },
      renewAt: lastOfAll ? Number.POSITIVE_INFINITY : (notBefore.getTime() + notAfter.getTime()) / 2,
      usableUntil: lastOfAll ? notAfter.getTime() : notAfter.getTime() - marginMs,
    };
  }

  function begin(issuer: OcspIssuer, entry: Entry): Promise<Held> {
    return (entry.making ??= make(issuer, entry)
      .then((held) => (entry.held = held))
      .catch((error: unknown) => {
        entry.askAgainAt = clock.now().getTime() + pauseMs;
        onFailure(issuer.issuerId, error);
        throw new IdentityUnavailable("no responder's certificate is available", { cause: error });
      })
      .finally(() => delete entry.making));
  }

  return {
    async of(issuer) {
      const entry = entries.get(issuer.issuerId) ?? { askAgainAt: 0 };
      entries.set(issuer.issuerId, entry);
      const at = clock.now().getTime();
      const { held } = entry;
      if (held !== undefined && at < held.usableUntil) {
        if (at >= held.renewAt && at >= entry.askAgainAt) begin(issuer, entry).catch(() => undefined);
        return held.identity;
      }
      if (entry.making === undefined && at < entry.askAgainAt) {
        throw new IdentityUnavailable("no responder's certificate was available a moment ago");
      }
      return (await begin(issuer, entry)).identity;
    },
  };
}

function generateP256(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  return { privateKey, publicKey: publicKey.export({ type: "spki", format: "der" }) };
}
