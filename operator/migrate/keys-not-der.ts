import { createHash, X509Certificate } from "node:crypto";
import type { Database } from "../../db/client.ts";
import * as certificates from "../../db/queries/certificates/certificates.ts";

/** Certificates that are looked at together. */
const slice = 1_000;

/**
 * The serial numbers of active profiles whose public keys are certified in octets that are not their DER: their hash
 * does not tell the key from others, so that it could be certified again. Only keys that came in certification requests
 * can be like that.
 */
export async function serialsOfKeysNotDer(db: Database, { at }: { at: Date }): Promise<string[]> {
  const ids = await certificates.listActiveOfRequests(db, { at });
  const found: string[] = [];
  for (let from = 0; from < ids.length; from += slice) {
    const keys = await certificates.listKeys(db, ids.slice(from, from + slice));
    found.push(...keys.filter((key) => !isDer(key)).map(({ serialNumber }) => serialNumber));
  }
  return found;
}

/** Whether the hash of the key as it is certified is that of what OpenSSL writes for it. */
function isDer({ certificate, spkiSha256 }: certificates.CertifiedKey): boolean {
  try {
    const der = new X509Certificate(certificate).publicKey.export({ format: "der", type: "spki" });
    return createHash("sha256").update(der).digest().equals(spkiSha256);
  } catch {
    return false;
  }
}
