import { hash, X509Certificate } from "node:crypto";
import type { Db } from "../../db/client.ts";
import * as crls from "../../db/queries/certificates/crls.ts";
import * as rootCrls from "../../db/queries/certificates/root-crls.ts";
import * as issuers from "../../db/queries/realm/issuers.ts";
import { rootCrlPath } from "../../domain/certificate/root-crl.ts";
import { clockRoomMinutes } from "../../domain/lifetimes.ts";
import type { ProcessKind } from "../../domain/process.ts";
import { isLoopbackHost } from "../../domain/uris.ts";
import { nullValue, octetString, oid, sequence, smallInteger, tag } from "../../pki/der.ts";
import { readChildren, readElement } from "../../pki/x509.ts";
import { publicationUrl } from "../../runtime/config/addresses.ts";
import type { Context } from "../context/context.ts";
import { rootFingerprintOf } from "../issuer/ceremony-directory.ts";
import { ask, askMsMax, whyOf, type Answer } from "../context/ask.ts";
import { fails, passes, warns, type Check } from "./check.ts";
import { namesRootCrl } from "./roots.ts";

/** The served CRL may be the previous one for this long after a publication: apis and proxies cache it for seconds. */
const keptSecondsMax = 60;

/** The most faults that a check lists. */
const faultsMax = 5;

/**
 * Checks that the addresses in certificates work over plain http. Checks nothing without a live api, and no OCSP
 * without a live responder: `checkProcesses` reports missing processes.
 */
export async function checkPublication(
  db: Db,
  context: Context,
  isAlive: (kind: ProcessKind) => boolean,
): Promise<Check[]> {
  const base = publicationUrl(context.config);
  const at = context.clock.now();
  const rows = (await Promise.all((await context.realms()).map(({ id }) => issuers.list(db, id)))).flat();
  const publishing = rows.filter(({ notAfter }) => notAfter > at);
  if (!isAlive("api")) return [];

  const expected = publishing.length === 0 ? 404 : 200;
  const signal = AbortSignal.timeout(askMsMax);
  const look = async (
    path: string,
    fault: (answer: Answer) => Promise<string | undefined> | string | undefined,
    body?: () => Buffer,
  ) => {
    try {
      const asked = { signal, ...(body !== undefined && { body: body(), contentType: "application/ocsp-request" }) };
      const answer = await ask(`${base}${path}`, asked);
      const why = answer.status === expected ? await fault(answer) : `status ${answer.status}`;
      return why === undefined ? [] : [`${path}: ${why}`];
    } catch (error) {
      return [`${path}: ${whyOf(error)}`];
    }
  };
  const found = await Promise.all([
    // While there is no issuer, the api itself returns `not_found`.
    ...(publishing.length === 0
      ? [look("/ca/0.cer", ({ body }) => (body.includes("not_found") ? undefined : "does not come from an api"))]
      : []),
    ...publishing.flatMap(({ id, certificate }) => [
      look(`/ca/${id}.cer`, ({ body }) => (body.equals(certificate) ? undefined : "is not the issuer's certificate")),
      look(`/crl/${id}.crl`, ({ body }) => faultOfCrl(db, { id, body, at })),
      ...(isAlive("responder")
        ? [
            look(
              `/ocsp/${id}`,
              ({ body }) => (isOcspAnswer(body) ? undefined : "is not an OCSP response"),
              () => ocspRequest(certificate),
            ),
          ]
        : []),
    ]),
  ]);
  const ofRoots = await Promise.all(
    [...new Set(publishing.filter(namesRootCrl).map(rootFingerprintOf))].map((fingerprint) =>
      look(rootCrlPath(fingerprint), ({ body }) => faultOfRootCrl(db, { fingerprint, body, at })),
    ),
  );
  const faults = [...found, ...ofRoots].flat();
  if (faults.length > 0 && faults.every((fault) => fault.includes("ECONNREFUSED")) && isLoopback(base)) {
    return [
      warns(
        "publication",
        `certificates point to ${base}, which is each machine itself, and nothing answers there on this one`,
        "Before devices of others get profiles, set REALMPASS_PUBLICATION_URL to a name that RADIUS servers reach.",
      ),
    ];
  }
  return faults.length === 0
    ? [passes("publication", `the addresses in certificates work at ${base}`)]
    : [
        fails(
          "publication",
          `certificates point to ${base}, but not everything is available there: ${faults.slice(0, faultsMax).join("; ")}`,
          "Let the proxy pass /crl/, /ca/ and /ocsp/ on by plain http, without a redirect (deploy/nginx/realmpass.conf), or correct REALMPASS_PUBLICATION_URL.",
        ),
      ];
}

/** Whether a URL works only in a trial: other machines and containers cannot reach its loopback address. */
const isLoopback = (url: string): boolean => isLoopbackHost(new URL(url).hostname);

/**
 * Returns why a served CRL is wrong; undefined if it is current, or if it may still be the previous one, shortly after
 * a publication. Another check reports a missing CRL.
 */
async function faultOfCrl(
  db: Db,
  { id, body, at }: { id: string; body: Buffer; at: Date },
): Promise<string | undefined> {
  const current = await crls.findHead(db, id);
  if (current === undefined || body.subarray(0, current.head.length).equals(current.head.subarray(0, body.length)))
    return;
  const justReplaced = at.getTime() - current.publishedAt.getTime() < keptSecondsMax * 1_000;
  return justReplaced && body[0] === tag.sequence ? undefined : "is not the current CRL";
}

/** Like {@link faultOfCrl}, for a root's CRL, whose thisUpdate is backdated. */
async function faultOfRootCrl(
  db: Db,
  { fingerprint, body, at }: { fingerprint: string; body: Buffer; at: Date },
): Promise<string | undefined> {
  const current = await rootCrls.find(db, fingerprint);
  if (current === undefined || body.equals(current.der)) return;
  const age = at.getTime() - current.thisUpdate.getTime() - clockRoomMinutes * 60_000;
  return age < keptSecondsMax * 1_000 && body[0] === tag.sequence ? undefined : "is not the root's current CRL";
}

/** Returns an OCSPRequest (RFC 6960 section 4.1.1) for a serial number that no certificate has. */
function ocspRequest(issuer: Buffer): Buffer {
  const { raw } = new X509Certificate(issuer);
  const [toBeSigned] = readChildren(raw, readElement(raw));
  // A TBSCertificate begins with version, serialNumber, signature, issuer, validity, subject, subjectPublicKeyInfo.
  const [, , , , , subject, key] = toBeSigned === undefined ? [] : readChildren(raw, toBeSigned);
  const bits = key === undefined ? undefined : readChildren(raw, key)[1];
  if (subject === undefined || bits === undefined) throw new Error("an issuer's certificate cannot be read");
  const certId = sequence(
    sequence(oid("1.3.14.3.2.26"), nullValue),
    octetString(hash("sha1", raw.subarray(subject.start, subject.end), "buffer")),
    octetString(hash("sha1", raw.subarray(bits.contentStart + 1, bits.end), "buffer")),
    smallInteger(1),
  );
  return sequence(sequence(sequence(sequence(certId))));
}

/** Whether a body is an OCSPResponse with the status `successful`, which unknown serial numbers also get. */
function isOcspAnswer(body: Buffer): boolean {
  try {
    const [status] = readChildren(body, readElement(body));
    return status?.tagOctet === tag.enumerated && body[status.contentStart] === 0;
  } catch {
    return false;
  }
}
