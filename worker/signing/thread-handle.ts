import type { Worker } from "node:worker_threads";
import { startThread } from "../../runtime/program-files.ts";
import type { Envelope, Reply, SigningThreadData, ThreadAnswers, ThreadRequest } from "./messages.ts";

/**
 * Thrown when a signing thread died or was stopped with a request in progress, so it is unknown whether it signed
 * anything; also when no thread can take a request.
 */
export class SigningThreadError extends Error {
  override readonly name = "SigningThreadError";
}

/** Thrown when a thread refuses a request, for instance because an issuer does not load. */
export class ThreadRequestError extends Error {
  override readonly name = "ThreadRequestError";
  /** Name of the error in the thread, such as "EncryptedKeyError". */
  readonly reason: string;

  constructor({ name, message }: { name: string; message: string }) {
    super(message);
    this.reason = name;
  }
}

export interface SigningThread {
  /** Number of unanswered requests. */
  readonly inFlight: number;
  /**
   * Rejects with SigningThreadError if the thread ends first, with ThreadRequestError if the thread refuses the
   * request.
   */
  request<T extends ThreadRequest>(request: T, transfer?: readonly ArrayBuffer[]): Promise<ThreadAnswers[T["type"]]>;
  terminate(): Promise<void>;
}

/** Runs `worker/signing/thread.ts` on a thread. */
export type RunThread = (data: SigningThreadData) => Worker;

export interface StartOptions {
  data: SigningThreadData;
  /** How to run the thread. Default: from the same files as the program itself. */
  run?: RunThread | undefined;
  /** A thread with unanswered requests that sends no answer for longer than this is stopped. */
  answerSecondsMax: number;
  /** Called once, after all requests in progress were rejected. */
  onEnd: (cause: SigningThreadError) => void;
}

const runThread: RunThread = (data) => startThread("worker/signing/thread", data);

interface Waiting {
  timer: NodeJS.Timeout;
  settle: (reply: Reply) => void;
  reject: (error: Error) => void;
}

/** Starts a signing thread. The caller need not wait: requests are kept until the thread runs. */
export function startSigningThread({ data, run = runThread, answerSecondsMax, onEnd }: StartOptions): SigningThread {
  const worker = run(data);
  const waiting = new Map<number, Waiting>();
  let lastRequestId = 0;
  let cause: unknown;
  let ended: SigningThreadError | undefined;

  worker.on("message", (reply: Reply) => {
    waiting.get(reply.requestId)?.settle(reply);
    for (const { timer } of waiting.values()) timer.refresh();
  });
  worker.on("error", (error) => (cause = error));
  worker.on("exit", (code) => {
    ended = new SigningThreadError(`a signing thread ended with exit code ${String(code)}`, { cause });
    for (const { reject } of waiting.values()) reject(ended);
    onEnd(ended);
  });

  return {
    get inFlight() {
      return waiting.size;
    },

    request: <T extends ThreadRequest>(request: T, transfer: readonly ArrayBuffer[] = []) =>
      new Promise<ThreadAnswers[T["type"]]>((resolve, reject) => {
        if (ended !== undefined) {
          reject(ended);
          return;
        }
        const requestId = ++lastRequestId;
        const timer = setTimeout(() => {
          cause = new Error(`no answer within ${String(answerSecondsMax)} s`);
          void worker.terminate();
        }, answerSecondsMax * 1000);
        const finish = () => {
          clearTimeout(timer);
          waiting.delete(requestId);
        };
        waiting.set(requestId, {
          timer,
          settle: (reply) => {
            finish();
            if ("answer" in reply) resolve(reply.answer as ThreadAnswers[T["type"]]);
            else reject(new ThreadRequestError(reply.error));
          },
          reject: (error) => {
            finish();
            reject(error);
          },
        });
        try {
          worker.postMessage({ requestId, request } satisfies Envelope, transfer);
        } catch (error) {
          waiting.get(requestId)?.reject(error as Error);
        }
      }),

    terminate: async () => {
      await worker.terminate();
    },
  };
}
