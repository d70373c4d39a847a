import { createHash, X509Certificate } from "node:crypto";
import type { Database } from "../../db/client.ts";
import * as certificates from "../../db/queries/certificates/certificates.ts";

/** The most certificates checked in one step. */
const slice = 1_000;

/**
 * Returns the serial numbers of active profiles whose public keys are certified in a form other than DER. The hash of
 * another form does not identify the key, so the key could be certified again. Only keys from certification requests
 * can be affected.
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

/** Whether the hash of the certified key equals the hash of the form that OpenSSL writes. */
function isDer({ certificate, spkiSha256 }: certificates.CertifiedKey): boolean {
  try {
    const der = new X509Certificate(certificate).publicKey.export({ format: "der", type: "spki" });
    return createHash("sha256").update(der).digest().equals(spkiSha256);
  } catch {
    return false;
  }
}
