import type { Worker } from "node:worker_threads";
import type { KeyPair } from "../../pki/key-pair.ts";
import { startThread } from "../../runtime/program-files.ts";

/** Makes RSA-2048 keys on a low-priority thread. */
export interface RsaKeyMaker {
  /**
   * Makes one key; must not be called again before it has settled. Rejects if the thread ends; the next call starts
   * another thread.
   */
  make: () => Promise<KeyPair>;
  close(): Promise<void>;
}

/** Creates a key maker, which starts its thread for the first key. */
export function createRsaKeyMaker(): RsaKeyMaker {
  let thread: Worker | undefined;

  function running(): Worker {
    const started = thread ?? startThread("worker/issuance/rsa-key-thread", undefined);
    if (thread === undefined) {
      // Without a listener, an error of the thread would end the process.
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
