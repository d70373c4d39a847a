import { hash } from "node:crypto";
import { outputShape, type CreationOutput } from "../../domain/certificate-format.ts";
import { seal } from "../../runtime/sealed-output.ts";
import { assembleCertificate, draftCertificate, encodeToBeSigned } from "../pki/certificate.ts";
import { CsrError, readCsr } from "../pki/csr.ts";
import type { Issuer } from "../pki/issuer.ts";
import { generateKeyPair } from "../pki/key-pair.ts";
import { lint, LintError } from "../pki/lint.ts";
import { pem } from "../pki/pem.ts";
import { encodePkcs12 } from "../pki/pkcs12.ts";
import { publicKeyAlgorithm } from "../pki/public-key.ts";
import type { FailedOrder, IssueOrder, OrderResult } from "./messages.ts";

/** Makes one certificate and its sealed output. Whatever goes wrong is a result: an order never takes others with it. */
export async function issueOrder(
  order: IssueOrder,
  { issuer, dataKey }: { issuer: Issuer | undefined; dataKey: Buffer },
): Promise<OrderResult> {
  try {
    if (issuer === undefined) return failed(order, "issuer_not_loaded", `issuer ${order.issuerId} is not loaded`);
    return await issue(order, issuer, dataKey);
  } catch (error) {
    if (error instanceof CsrError) return failed(order, "invalid_csr", error.message);
    if (error instanceof LintError) return failed(order, error.code, error.message);
    return failed(order, "signing_failed", error instanceof Error ? error.message : "unknown");
  } finally {
    order.keyPair?.privateKeyPkcs8.fill(0);
  }
}

const failed = (order: IssueOrder, code: FailedOrder["failure"]["code"], detail: string): FailedOrder => ({
  issuanceId: order.issuanceId,
  failure: { code, detail },
});

interface Key {
  publicKeySpki: Uint8Array;
  privateKeyPkcs8: Uint8Array | null;
}

async function issue(order: IssueOrder, issuer: Issuer, dataKey: Buffer): Promise<OrderResult> {
  const key = obtainKey(order);
  try {
    const keyIsRsa = publicKeyAlgorithm(key.publicKeySpki) === "rsa";
    const draft = draftCertificate({ ...order, issuer, publicKeySpki: key.publicKeySpki, keyIsRsa });
    lint(draft);

    const toBeSigned = encodeToBeSigned(draft);
    const certificate = assembleCertificate(toBeSigned, await issuer.signer.sign(toBeSigned));
    const output = Buffer.from(JSON.stringify(encodeOutput(order, { issuer, certificate, key })));
    const sealed = seal(dataKey, output, order.issuanceId);
    output.fill(0);
    return {
      issuanceId: order.issuanceId,
      certificate,
      spkiSha256: hash("sha256", key.publicKeySpki, "buffer"),
      sealed,
    };
  } finally {
    key.privateKeyPkcs8?.fill(0);
  }
}

function obtainKey(order: IssueOrder): Key {
  if (order.csr !== null) return { ...readCsr(order.csr), privateKeyPkcs8: null };
  return order.keyPair ?? generateKeyPair(order.keyType);
}

function encodeOutput(
  { format, friendlyName, deviceType }: IssueOrder,
  { issuer: { chain }, certificate, key: { privateKeyPkcs8 } }: { issuer: Issuer; certificate: Buffer; key: Key },
): CreationOutput {
  const certificates = () => [certificate, ...chain].map((der) => pem("CERTIFICATE", der)).join("");
  if (privateKeyPkcs8 === null) return { certificate: certificates() };
  switch (outputShape[format]) {
    case "bundle": {
      const bundle = encodePkcs12({ deviceType, friendlyName, privateKeyPkcs8, certificate, chain });
      return { data: bundle.toString("base64") };
    }
    case "pair":
      return { certificate: certificates(), privateKey: pem("PRIVATE KEY", privateKeyPkcs8) };
  }
}
