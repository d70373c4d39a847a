import { generateKeyPairSync } from "node:crypto";
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";

/**
 * Makes an RSA key for each message, on a thread with low priority: a key takes 240 to 320 ms of a core, and a user may
 * be waiting for a profile.
 */

/** The nice value of this thread alone on Linux; other systems have no nice values for threads. */
const niceness = 10;

try {
  const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
  setPriority(thread, niceness);
} catch {
  // Without a lower priority, keys are still made, but they slow down other threads.
}

const port = parentPort;
if (port === null) throw new Error("this is the program of a thread");
port.on("message", () => {
  const pair = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicExponent: 65537,
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "der" },
  });
  // A copy in separate memory, because a Buffer can be a view of shared memory.
  const privateKeyPkcs8 = new Uint8Array(pair.privateKey);
  const publicKeySpki = new Uint8Array(pair.publicKey);
  pair.privateKey.fill(0);
  port.postMessage({ privateKeyPkcs8, publicKeySpki }, [privateKeyPkcs8.buffer, publicKeySpki.buffer]);
});
