/**
 * A signing thread: the only place in a worker where an issuer's key is in the clear. It processes one request after
 * another, except while it hashes a long CRL, and keeps nothing of a request for a certificate except, for some
 * seconds, the data key that seals it.
 */
import { createPublicKey } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import type { IssuerID } from "../../domain/ids.ts";
import { assembleCertificate } from "../../pki/certificate.ts";
import { signCrl } from "../../pki/crl.ts";
import { IssuerError, loadIssuer, type Issuer } from "../../pki/issuer.ts";
import { encodeResponderToBeSigned, lintResponder } from "../../pki/responder-certificate.ts";
import { readFileSigner } from "../../pki/signed-data.ts";
import { openFileSignerSync } from "../keys/file-signer.ts";
import { createOutputSealer } from "./output-sealer.ts";
import { probeText } from "./probe.ts";
import { signRequested, type SealOutput } from "./signing-request.ts";
import type {
  CrlSigningRequest,
  Envelope,
  IssueBatchResult,
  SigningRequest,
  SigningResult,
  Reply,
  ResponderSigningRequest,
  CrlSigningResult,
  SigningThreadData,
  ThreadAnswer,
  ThreadRequest,
} from "./messages.ts";

const port = parentPort;
if (port === null) throw new Error("thread.ts is a worker thread's entry");

const { passphrase, outputPublicKeySpki, profileSigning } = workerData as SigningThreadData;
const profileSigner = profileSigning && readFileSigner(profileSigning);
const sealer = createOutputSealer(
  createPublicKey({ key: Buffer.from(outputPublicKeySpki), format: "der", type: "spki" }),
);
const issuers = new Map<IssuerID, Issuer>();

let previous: Promise<void> = Promise.resolve();
port.on("message", (envelope: Envelope) => {
  const replied = previous.then(() => reply(envelope));
  // Other requests may run while a long CRL is hashed; requests other than CRLs run one after another.
  if (envelope.request.type !== "sign-crl") previous = replied;
});

async function reply({ requestId, request }: Envelope): Promise<void> {
  let message: Reply;
  try {
    message = { requestId, answer: await answer(request) };
  } catch (error) {
    const { name, message: text } = error instanceof Error ? error : new Error("unknown");
    message = { requestId, error: { name, message: text } };
  }
  port?.postMessage(message, "answer" in message ? memoryOf(message.answer) : []);
}

async function answer(request: ThreadRequest): Promise<ThreadAnswer> {
  switch (request.type) {
    case "load-issuer": {
      const { encryptedKey, ...files } = request.material;
      issuers.set(files.issuerId, loadIssuer({ ...files, signer: openFileSignerSync(encryptedKey, passphrase) }));
      return { type: "load-issuer" };
    }
    case "probe": {
      const signature = await loaded(request.issuerId).signer.sign(probeText(request.challenge));
      return { type: "probe", signature: new Uint8Array(signature) };
    }
    case "issue":
      return { type: "issue", ...(await issueBatch(request.requests)) };
    case "sign-crl":
      return { type: "sign-crl", ...(await signRequestedCrl(request.crl)) };
    case "certify-responder":
      return { type: "certify-responder", certificate: await certifyResponder(request.certificate) };
  }
}

function loaded(issuerId: IssuerID): Issuer {
  const issuer = issuers.get(issuerId);
  if (issuer === undefined) throw new IssuerError(`issuer ${issuerId} is not loaded`);
  return issuer;
}

async function signRequestedCrl({ issuerId, ...request }: CrlSigningRequest): Promise<CrlSigningResult> {
  const { head, tail } = await signCrl(loaded(issuerId), request, () => setImmediate());
  return { head: new Uint8Array(head), tail: new Uint8Array(tail) };
}

async function certifyResponder({ issuerId, ...request }: ResponderSigningRequest): Promise<Uint8Array> {
  const issuer = loaded(issuerId);
  const draft = { ...request, issuer };
  lintResponder(draft);
  const toBeSigned = encodeResponderToBeSigned(draft);
  return new Uint8Array(assembleCertificate(toBeSigned, await issuer.signer.sign(toBeSigned)));
}

async function issueBatch(requests: readonly SigningRequest[]): Promise<IssueBatchResult> {
  const dataKeys = new Map<string, Uint8Array>();
  const seal: SealOutput = (output, issuanceId) => {
    const { sealed, dataKey } = sealer.seal(output, issuanceId);
    dataKeys.set(dataKey.id, dataKey.wrapped);
    return { sealed, dataKeyId: dataKey.id };
  };
  const results: SigningResult[] = [];
  for (const request of requests) {
    results.push(
      ownMemory(await signRequested(request, { issuer: issuers.get(request.issuerId), seal, profileSigner })),
    );
  }
  return { dataKeys: [...dataKeys].map(([id, wrapped]) => ({ id, wrapped: new Uint8Array(wrapped) })), results };
}

/**
 * Copies results into separate memory before they leave the thread. A Buffer may be a view of memory that Node shares
 * between many buffers, and a structured clone copies all of that memory, including other requests' secrets.
 */
function ownMemory(result: SigningResult): SigningResult {
  if ("failure" in result) return result;
  return {
    ...result,
    certificate: new Uint8Array(result.certificate),
    spkiSha256: new Uint8Array(result.spkiSha256),
    sealed: new Uint8Array(result.sealed),
  };
}

/** Returns the memory that may be transferred instead of copied. */
function memoryOf(answer: ThreadAnswer): ArrayBuffer[] {
  if (answer.type === "sign-crl") return [answer.head, answer.tail].map((part) => part.buffer as ArrayBuffer);
  if (answer.type !== "issue") return [];
  const parts = answer.results.flatMap((result) =>
    "failure" in result ? [] : [result.certificate, result.spkiSha256, result.sealed],
  );
  return [...answer.dataKeys.map(({ wrapped }) => wrapped), ...parts].map((part) => part.buffer as ArrayBuffer);
}
