import type { Worker } from "node:worker_threads";
import type { KeyPair } from "../../pki/key-pair.ts";
import { startThread } from "../../runtime/program-files.ts";

/** Makes RSA-2048 keys on a thread that gives way to all others. */
export interface RsaKeyMaker {
  /** One key after the other. Rejects when the thread ends; the next call starts another one. */
  make: () => Promise<KeyPair>;
  close(): Promise<void>;
}

/** The thread is started by the first key. */
export function createRsaKeyMaker(): RsaKeyMaker {
  let thread: Worker | undefined;

  function running(): Worker {
    const started = thread ?? startThread("worker/issuance/rsa-key-thread", undefined);
    if (thread === undefined) {
      // Without listeners an error of the thread would end the process.
      started.on("error", () => undefined);
      started.once("exit", () => (thread = undefined));
      thread = started;
    }
    return started;
  }

  return {
    make: () =>
      new Promise((resolve, reject) => {
        const worker = running();
        const onMessage = ({
          privateKeyPkcs8,
          publicKeySpki,
        }: Record<"privateKeyPkcs8" | "publicKeySpki", Uint8Array>) => {
          worker.off("exit", onExit);
          resolve({ privateKeyPkcs8: asBuffer(privateKeyPkcs8), publicKeySpki: asBuffer(publicKeySpki) });
        };
        const onExit = (): void => {
          worker.off("message", onMessage);
          reject(new Error("the thread that makes RSA keys has ended"));
        };
        worker.once("message", onMessage);
        worker.once("exit", onExit);
        worker.postMessage("make one");
      }),
    async close() {
      await thread?.terminate();
    },
  };
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
