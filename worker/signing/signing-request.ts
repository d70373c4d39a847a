import { hash } from "node:crypto";
import { isDeviceFile, type CreationOutput } from "../../domain/certificate-format.ts";
import type { NetworkSettings } from "../issuance/device-files/device-file-content.ts";
import { encodeDeviceFile } from "../issuance/device-files/device-file.ts";
import { assembleCertificate, draftCertificate, encodeToBeSigned } from "../../pki/certificate.ts";
import { CsrError, readCsr } from "../../pki/csr.ts";
import type { Issuer } from "../../pki/issuer.ts";
import { generateKeyPair } from "../../pki/key-pair.ts";
import { lint, LintError } from "../../pki/lint.ts";
import { pem } from "../../pki/pem.ts";
import { encodePkcs12 } from "../../pki/pkcs12.ts";
import { publicKeyAlgorithm } from "../../pki/public-key.ts";
import type { FileSigner } from "../../pki/signed-data.ts";
import type { FailedOrder, SigningRequest, OrderResult } from "./messages.ts";

/** Makes one certificate and its sealed output. Whatever goes wrong is a result: an order never takes others with it. */
export async function issueOrder(
  order: SigningRequest,
  { issuer, ...means }: { issuer: Issuer | undefined } & Means,
): Promise<OrderResult> {
  try {
    if (issuer === undefined) return failed(order, "issuer_not_loaded", `issuer ${order.issuerId} is not loaded`);
    return await issue(order, issuer, means);
  } catch (error) {
    if (error instanceof CsrError) return failed(order, "invalid_csr", error.message);
    if (error instanceof LintError) return failed(order, error.code, error.message);
    return failed(order, "signing_failed", error instanceof Error ? error.message : "unknown");
  } finally {
    order.keyPair?.privateKeyPkcs8.fill(0);
  }
}

const failed = (order: SigningRequest, code: FailedOrder["failure"]["code"], detail: string): FailedOrder => ({
  issuanceId: order.issuanceId,
  failure: { code, detail },
});

interface Key {
  publicKeySpki: Uint8Array;
  privateKeyPkcs8: Uint8Array | null;
}

/** Seals an output for its issuance, and names the data key that opens it. */
export type SealOutput = (output: Uint8Array, issuanceId: string) => { sealed: Uint8Array; dataKeyId: string };

interface Means {
  seal: SealOutput;
  /** Signs configuration profiles. */
  profileSigner: FileSigner | undefined;
}

async function issue(order: SigningRequest, issuer: Issuer, { seal, profileSigner }: Means): Promise<OrderResult> {
  // Before anything is signed: a certificate whose file cannot be written is of no use.
  if (isDeviceFile(order.format)) networkOf(order);
  const key = obtainKey(order);
  try {
    const keyIsRsa = publicKeyAlgorithm(key.publicKeySpki) === "rsa";
    const draft = draftCertificate({ ...order, issuer, publicKeySpki: key.publicKeySpki, keyIsRsa });
    lint(draft);

    const toBeSigned = encodeToBeSigned(draft);
    const certificate = assembleCertificate(toBeSigned, await issuer.signer.sign(toBeSigned));
    const output = Buffer.from(JSON.stringify(encodeOutput(order, { issuer, certificate, key, profileSigner })));
    const { sealed, dataKeyId } = seal(output, order.issuanceId);
    output.fill(0);
    return {
      issuanceId: order.issuanceId,
      certificate,
      spkiSha256: hash("sha256", key.publicKeySpki, "buffer"),
      sealed,
      dataKeyId,
    };
  } finally {
    key.privateKeyPkcs8?.fill(0);
  }
}

function obtainKey(order: SigningRequest): Key {
  if (order.csr !== null) return { ...readCsr(order.csr), privateKeyPkcs8: null };
  return order.keyPair ?? generateKeyPair(order.keyType);
}

function encodeOutput(
  order: SigningRequest,
  {
    issuer: { chain },
    certificate,
    key: { privateKeyPkcs8 },
    profileSigner,
  }: { issuer: Issuer; certificate: Buffer; key: Key; profileSigner: FileSigner | undefined },
): CreationOutput {
  const { format, friendlyName, deviceType } = order;
  const certificates = () => [certificate, ...chain].map((der) => pem("CERTIFICATE", der)).join("");
  if (privateKeyPkcs8 === null) return { certificate: certificates() };
  switch (format) {
    case "pkcs12":
    case "pfx": {
      const bundle = encodePkcs12({ deviceType, friendlyName, privateKeyPkcs8, certificate, chain });
      return { data: bundle.toString("base64") };
    }
    case "pem":
    case "crt":
      return { certificate: certificates(), privateKey: pem("PRIVATE KEY", privateKeyPkcs8) };
    case "mobileconfig":
    case "eap-config": {
      const material = { network: networkOf(order), privateKeyPkcs8, certificate, chain, signer: profileSigner };
      return { data: encodeDeviceFile({ ...order, format, ...material }).toString("base64") };
    }
  }
}

/** What a device file says of the network. Throws when the order has nothing of it. */
function networkOf({ network }: SigningRequest): NetworkSettings {
  if (network === undefined) throw new Error("the realm's network is not known");
  return network;
}
