import { generateKeyPairSync, hash, sign, type KeyObject } from "node:crypto";
import type { Clock } from "../runtime/clock.ts";
import { p256SpkiPrefix } from "../pki/algorithms.ts";
import type { Certify } from "./certify.ts";
import type { OcspIssuer } from "./issuers.ts";

/** A delegated responder of one issuer. The key was made here and never leaves. */
export interface Identity {
  /** SHA-1 of the public key: the responder's id. */
  readonly keyHash: Buffer;
  /** DER. */
  readonly certificate: Buffer;
  /** Signs with ECDSA and SHA-256, DER. */
  sign(bytes: Uint8Array): Buffer;
}

/** There is no responder for this issuer at the moment. */
export class IdentityUnavailable extends Error {
  override readonly name = "IdentityUnavailable";
}

export interface Identities {
  /** The responder that answers for the issuer now. Throws {@link IdentityUnavailable} when there can be none. */
  of(issuer: OcspIssuer): Promise<Identity>;
}

interface Held {
  identity: Identity;
  renewAt: number;
  /** It is not used from then on: the client may take a moment to check it. */
  usableUntil: number;
}

interface KeyPair {
  privateKey: KeyObject;
  /** SubjectPublicKeyInfo, DER. */
  publicKey: Buffer;
}

interface Entry {
  held?: Held;
  /** Waits for its certificate, which may come after nobody waited any more. */
  keyPair?: KeyPair;
  making?: Promise<Held>;
  /** After a failure nobody is asked before that moment. */
  askAgainAt: number;
}

const marginMs = 60_000;
const pauseMs = 1_000;

/**
 * A delegated responder for each issuer, made when it is first needed. Halfway through its validity another one is made
 * beside it; until that is there, or if it cannot be had, the one there is goes on, and it is asked again and again.
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
        throw new IdentityUnavailable("no responder's certificate could be had", { cause: error });
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
        throw new IdentityUnavailable("no responder's certificate could be had a moment ago");
      }
      return (await begin(issuer, entry)).identity;
    },
  };
}

function generateP256(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  return { privateKey, publicKey: publicKey.export({ type: "spki", format: "der" }) };
}
