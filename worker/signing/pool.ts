import { hash, type KeyObject } from "node:crypto";
import type { IssuerID } from "../../domain/ids.ts";
import type {
  CrlSigningRequest,
  IssueBatchResult,
  SigningRequest,
  IssuerMaterial,
  ProfileSigning,
  ResponderSigningRequest,
  CrlSigningResult,
} from "./messages.ts";
import { drawChallenge, isAnswered } from "./probe.ts";
import {
  SigningThreadError,
  startSigningThread,
  ThreadRequestError,
  type RunThread,
  type SigningThread,
} from "./thread-handle.ts";
import { within } from "../../runtime/deadline.ts";

/** How many requests to give `issue` at a time: fewer cost 50 to 80 % more, many more leave other threads idle. */
export const requestsPerBatch = 16;

/** How many batches a thread has at a time: one in progress and one ready. */
const inFlightMax = 2;
const restartMsMin = 100;
const restartMsMax = 10_000;

export interface SigningPoolOptions {
  threads: number;
  /** Opens the issuers' keys. */
  passphrase: string;
  /** The output key's public half; see runtime/keys/sealed-output.ts. */
  outputPublicKey: KeyObject;
  /** The certificate and key that sign configuration profiles; undefined: they are not signed. */
  profileSigning?: ProfileSigning | undefined;
  /** A thread that has batches and finishes none for longer than this is stopped and replaced. */
  batchSecondsMax?: number;
  /** How to run a thread. Default: from the same files as the program itself. */
  runThread?: RunThread | undefined;
  log?: { warn(fields: object, message: string): void };
}

/** Threads that make certificates and keep that work off the event loop. */
export interface SigningPool {
  /**
   * Loads an issuer on every thread, including those started later. Cheap if the issuer is already loaded; a changed
   * issuer replaces the old one. Rejects with ThreadRequestError if the issuer does not load (`reason` is
   * "EncryptedKeyError" for a wrong passphrase, "IssuerError" for parts that do not belong together), with
   * SigningThreadError if no thread could be asked.
   */
  ensureIssuer(material: IssuerMaterial): Promise<void>;
  /**
   * Makes every thread sign a text with an issuer's key, and verifies the signature with the issuer's certificate.
   * Rejects with ThreadRequestError if a thread cannot sign; the next `ensureIssuer` then loads the issuer again.
   * Rejects with SigningThreadError if no thread could be asked.
   */
  probe(issuerId: IssuerID): Promise<void>;
  /**
   * Makes the certificates of one batch (about `requestsPerBatch`) on one thread. A failed request is a result. Urgent
   * batches go before all waiting non-urgent ones, and with two threads or more the non-urgent ones leave one thread's
   * share free. Rejects with SigningThreadError if the thread ended, when any certificate of the batch may have been
   * signed, or if no thread took the batch. Always wipes the key pairs in the requests.
   */
  issue(requests: readonly SigningRequest[], options?: { urgent?: boolean }): Promise<IssueBatchResult>;
  /**
   * Signs a CRL on the least busy thread, which still processes other requests in the meantime. Rejects with
   * SigningThreadError if the thread ended, with ThreadRequestError if the thread refuses the request.
   */
  signCrl(crl: CrlSigningRequest): Promise<CrlSigningResult>;
  /** Signs an OCSP responder's certificate on the least busy thread. Rejects as `signCrl` does. */
  certifyResponder(certificate: ResponderSigningRequest): Promise<Uint8Array>;
  /**
   * Refuses new work, waits until the deadline for all accepted work, rejects batches that still wait, then stops all
   * threads.
   */
  close(options?: { deadlineMs?: number }): Promise<void>;
}

interface Batch {
  urgent: boolean;
  requests: readonly SigningRequest[];
  resolve(result: IssueBatchResult): void;
  reject(error: unknown): void;
}

interface Known {
  /** Null: the next `ensureIssuer` loads the issuer again, changed or not. */
  fingerprint: string | null;
  material: IssuerMaterial;
  loaded: Promise<void>;
}

/**
 * Starts the threads immediately. They load in the background; a thread that dies is replaced after a pause, which
 * grows with each death until a batch succeeds.
 */
export function createSigningPool(options: SigningPoolOptions): SigningPool {
  const { threads, passphrase, outputPublicKey, batchSecondsMax = 120, log } = options;
  const data = {
    passphrase,
    profileSigning: options.profileSigning,
    outputPublicKeySpki: new Uint8Array(outputPublicKey.export({ format: "der", type: "spki" })),
  };
  const running = new Set<SigningThread>();
  const restarts = new Set<NodeJS.Timeout>();
  const issuers = new Map<IssuerID, Known>();
  const outstanding = new Set<Promise<unknown>>();
  const pending: Batch[] = [];
  /** Non-urgent batches on threads, and their limit. */
  let bulkInFlight = 0;
  const bulkInFlightMax = Math.max(1, threads - 1) * inFlightMax;
  let deathsInARow = 0;
  let closed = false;

  function start(): void {
    const thread = startSigningThread({
      data,
      run: options.runThread,
      answerSecondsMax: batchSecondsMax,
      onEnd: (cause) => {
        ended(thread, cause);
      },
    });
    running.add(thread);
    for (const { material } of issuers.values()) {
      load(thread, material).catch((err: unknown) => {
        log?.warn(
          { event: "signing_thread.issuer_not_loaded", issuer: material.issuerId, err },
          "a signing thread did not load an issuer",
        );
      });
    }
    dispatch();
  }

  function ended(thread: SigningThread, cause: SigningThreadError): void {
    running.delete(thread);
    if (closed) return;
    const pauseMs = Math.min(restartMsMin * 2 ** deathsInARow++, restartMsMax);
    log?.warn({ event: "signing_thread.ended", err: cause, restartMs: pauseMs }, "a signing thread ended");
    // It is uncertain whether a new thread will start: waiting callers are rejected now and may retry.
    if (running.size === 0) for (const batch of pending.splice(0)) batch.reject(cause);
    const timer = setTimeout(() => {
      restarts.delete(timer);
      start();
    }, pauseMs);
    restarts.add(timer);
  }

  function load(thread: SigningThread, material: IssuerMaterial): Promise<unknown> {
    return thread.request({ type: "load-issuer", material: ownMaterial(material) });
  }

  async function askEverywhere(ask: (thread: SigningThread) => Promise<unknown>): Promise<void> {
    if (running.size === 0) throw new SigningThreadError("no signing thread is running");
    const outcomes = await Promise.allSettled([...running].map(ask));
    const failures = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
    // A thread that died in the meantime has a successor that loads the issuer; a refusal is the issuer's fault.
    const refusal = failures.find((error) => !(error instanceof SigningThreadError));
    if (refusal !== undefined || failures.length === outcomes.length) throw refusal ?? failures[0];
  }

  async function probe(thread: SigningThread, { issuerId, certificate }: IssuerMaterial): Promise<void> {
    const challenge = drawChallenge();
    const { signature } = await thread.request({ type: "probe", issuerId, challenge });
    if (isAnswered(challenge, { certificate, signature })) return;
    throw new ThreadRequestError({ name: "IssuerError", message: `what issuer ${issuerId} signs is not valid` });
  }

  const findIdlest = (): SigningThread | undefined => [...running].sort((a, b) => a.inFlight - b.inFlight)[0];

  function dispatch(): void {
    for (;;) {
      const idlest = findIdlest();
      if (idlest === undefined || idlest.inFlight >= inFlightMax) return;
      const batch = nextBatch();
      if (batch === undefined) return;
      void send(idlest, batch);
    }
  }

  function nextBatch(): Batch | undefined {
    const urgent = pending.findIndex((batch) => batch.urgent);
    if (urgent >= 0) return pending.splice(urgent, 1)[0];
    return bulkInFlight < bulkInFlightMax ? pending.shift() : undefined;
  }

  async function send(thread: SigningThread, batch: Batch): Promise<void> {
    const { requests, transfer } = handOver(batch.requests);
    if (!batch.urgent) bulkInFlight++;
    try {
      const { dataKeys, results } = await thread.request({ type: "issue", requests }, transfer);
      deathsInARow = 0;
      batch.resolve({ dataKeys, results });
    } catch (error) {
      batch.reject(error);
    }
    if (!batch.urgent) bulkInFlight--;
    dispatch();
  }

  /** Adds a promise for `close` to wait for. The promise must not reject. */
  function track(finished: Promise<void>): void {
    outstanding.add(finished);
    void finished.then(() => outstanding.delete(finished));
  }

  for (let i = 0; i < threads; i++) start();

  return {
    async ensureIssuer(material) {
      if (closed) throw new SigningThreadError("the signing pool is closed");
      const fingerprint = fingerprintOf(material);
      const known = issuers.get(material.issuerId);
      if (known?.fingerprint === fingerprint) return known.loaded;

      const loaded = askEverywhere((thread) => load(thread, material));
      const entry = { fingerprint, material, loaded };
      issuers.set(material.issuerId, entry);
      try {
        await loaded;
      } catch (error) {
        // The threads still sign with the previous material, if any.
        if (issuers.get(material.issuerId) === entry) {
          if (known === undefined) issuers.delete(material.issuerId);
          else issuers.set(material.issuerId, known);
        }
        throw error;
      }
    },

    async probe(issuerId) {
      const known = issuers.get(issuerId);
      if (closed) throw new SigningThreadError("the signing pool is closed");
      if (known === undefined) {
        throw new ThreadRequestError({ name: "IssuerError", message: `issuer ${issuerId} is not loaded` });
      }
      try {
        await askEverywhere((thread) => probe(thread, known.material));
      } catch (error) {
        if (error instanceof ThreadRequestError) known.fingerprint = null;
        throw error;
      }
    },

    issue(requests, { urgent = false } = {}) {
      const result = new Promise<IssueBatchResult>((resolve, reject) => {
        if (closed) {
          reject(new SigningThreadError("the signing pool is closed"));
          return;
        }
        pending.push({ urgent, requests, resolve, reject });
        dispatch();
      });
      const finished = result.then(
        () => undefined,
        () => {
          wipeKeys(requests);
        },
      );
      track(finished);
      return result;
    },

    async signCrl(crl) {
      const thread = findIdlest();
      if (closed || thread === undefined) throw new SigningThreadError("no signing thread is running");
      const result = thread.request({ type: "sign-crl", crl });
      track(result.then(dispatch, dispatch));
      const { head, tail } = await result;
      return { head, tail };
    },

    async certifyResponder(certificate) {
      const thread = findIdlest();
      if (closed || thread === undefined) throw new SigningThreadError("no signing thread is running");
      const result = thread.request({ type: "certify-responder", certificate });
      track(result.then(dispatch, dispatch));
      return (await result).certificate;
    },

    async close({ deadlineMs = 10_000 } = {}) {
      closed = true;
      await within(deadlineMs, Promise.allSettled(outstanding));
      for (const restart of restarts) clearTimeout(restart);
      for (const batch of pending.splice(0)) batch.reject(new SigningThreadError("the signing pool was closed"));
      await Promise.all([...running].map((thread) => thread.terminate()));
    },
  };
}

/** Moves key pairs to the thread in separate memory, and wipes the originals. */
function handOver(requests: readonly SigningRequest[]): { requests: SigningRequest[]; transfer: ArrayBuffer[] } {
  const transfer: ArrayBuffer[] = [];
  const moved = requests.map((request) => {
    if (request.keyPair === undefined) return request;
    const privateKeyPkcs8 = new Uint8Array(request.keyPair.privateKeyPkcs8);
    transfer.push(privateKeyPkcs8.buffer);
    return { ...request, keyPair: { privateKeyPkcs8, publicKeySpki: new Uint8Array(request.keyPair.publicKeySpki) } };
  });
  wipeKeys(requests);
  return { requests: moved, transfer };
}

function wipeKeys(requests: readonly SigningRequest[]): void {
  for (const { keyPair } of requests) keyPair?.privateKeyPkcs8.fill(0);
}

/** Copies the material, because cloning a Buffer clones all the memory behind it. */
const ownMaterial = (material: IssuerMaterial): IssuerMaterial => ({
  ...material,
  certificate: new Uint8Array(material.certificate),
  chain: material.chain.map((der) => new Uint8Array(der)),
});

function fingerprintOf({ certificate, chain, encryptedKey, urls }: IssuerMaterial): string {
  const encodings = [certificate, ...chain].map((der) => Buffer.from(der).toString("base64"));
  return hash("sha256", JSON.stringify([encodings, encryptedKey, urls]), "base64");
}
