import { hash } from "node:crypto";
import { isDeviceFile, type CreationOutput } from "../../domain/certificate/format.ts";
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
import type { FailedRequest, SigningRequest, SigningResult } from "./messages.ts";

/** Makes one certificate and its sealed output. Every failure is a result: a request never makes others fail. */
export async function signRequested(
  request: SigningRequest,
  { issuer, ...means }: { issuer: Issuer | undefined } & Means,
): Promise<SigningResult> {
  try {
    if (issuer === undefined) return failed(request, "issuer_not_loaded", `issuer ${request.issuerId} is not loaded`);
    return await issue(request, issuer, means);
  } catch (error) {
    if (error instanceof CsrError) return failed(request, "invalid_csr", error.message);
    if (error instanceof LintError) return failed(request, error.code, error.message);
    return failed(request, "signing_failed", error instanceof Error ? error.message : "unknown");
  } finally {
    request.keyPair?.privateKeyPkcs8.fill(0);
  }
}

const failed = (request: SigningRequest, code: FailedRequest["failure"]["code"], detail: string): FailedRequest => ({
  issuanceId: request.issuanceId,
  failure: { code, detail },
});

interface Key {
  publicKeySpki: Uint8Array;
  privateKeyPkcs8: Uint8Array | null;
}

/** Seals an output for its issuance, and returns the id of the data key that opens it. */
export type SealOutput = (output: Uint8Array, issuanceId: string) => { sealed: Uint8Array; dataKeyId: string };

interface Means {
  seal: SealOutput;
  /** Signs configuration profiles. */
  profileSigner: FileSigner | undefined;
}

async function issue(request: SigningRequest, issuer: Issuer, { seal, profileSigner }: Means): Promise<SigningResult> {
  // Checked before anything is signed: a certificate whose file cannot be written is useless.
  if (isDeviceFile(request.format)) networkOf(request);
  const key = obtainKey(request);
  try {
    const keyIsRsa = publicKeyAlgorithm(key.publicKeySpki) === "rsa";
    const draft = draftCertificate({ ...request, issuer, publicKeySpki: key.publicKeySpki, keyIsRsa });
    lint(draft);

    const toBeSigned = encodeToBeSigned(draft);
    const certificate = assembleCertificate(toBeSigned, await issuer.signer.sign(toBeSigned));
    const output = Buffer.from(JSON.stringify(encodeOutput(request, { issuer, certificate, key, profileSigner })));
    const { sealed, dataKeyId } = seal(output, request.issuanceId);
    output.fill(0);
    return {
      issuanceId: request.issuanceId,
      certificate,
      spkiSha256: hash("sha256", key.publicKeySpki, "buffer"),
      sealed,
      dataKeyId,
    };
  } finally {
    key.privateKeyPkcs8?.fill(0);
  }
}

function obtainKey(request: SigningRequest): Key {
  if (request.csr !== null) return { ...readCsr(request.csr), privateKeyPkcs8: null };
  return request.keyPair ?? generateKeyPair(request.keyType);
}

function encodeOutput(
  request: SigningRequest,
  {
    issuer: { chain },
    certificate,
    key: { privateKeyPkcs8 },
    profileSigner,
  }: { issuer: Issuer; certificate: Buffer; key: Key; profileSigner: FileSigner | undefined },
): CreationOutput {
  const { format, friendlyName, deviceType } = request;
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
    case "eap-config":
    case "onc":
    case "networkmanager":
    case "iwd": {
      const material = { network: networkOf(request), privateKeyPkcs8, certificate, chain, signer: profileSigner };
      return { data: encodeDeviceFile({ ...request, format, ...material }).toString("base64") };
    }
  }
}

/** Returns the network settings of a device file. Throws for a request without settings. */
function networkOf({ network }: SigningRequest): NetworkSettings {
  if (network === undefined) throw new Error("the realm's network is not known");
  return network;
}
