import { generateKeyPairSync } from "node:crypto";
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";

/**
 * Makes an RSA key for each message. Its thread gives way to whatever else has work to do: a key takes 240 to 320 ms of a
 * core, in which somebody may be waiting for a profile.
 */

/** The priority of this thread alone, which Linux calls its nice value; elsewhere there is no such thing. */
const niceness = 10;

try {
  const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
  setPriority(thread, niceness);
} catch {
  // Keys are made all the same, at the expense of others.
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
  // In memory of its own: a Buffer is a window on memory that others share.
  const privateKeyPkcs8 = new Uint8Array(pair.privateKey);
  const publicKeySpki = new Uint8Array(pair.publicKey);
  pair.privateKey.fill(0);
  port.postMessage({ privateKeyPkcs8, publicKeySpki }, [privateKeyPkcs8.buffer, publicKeySpki.buffer]);
});
