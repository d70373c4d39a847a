import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { request as httpRequest, type Agent, type IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "../../../db/client.ts";
import { sql } from "../../../db/sql.ts";
import type { CertIdHash } from "../../../responder/ocsp-request.ts";
import {
  contextConstructed,
  nullValue,
  octetString,
  oid,
  sequence,
  tag,
  tlv,
  trueValue,
  unsignedInteger,
} from "../../../pki/der.ts";
import { pem } from "../../../pki/pem.ts";
import { readChildren, readElement } from "../../../pki/x509.ts";
import { requireTool } from "../run/tools.ts";

const hashNames: Record<CertIdHash, string> = {
  sha1: "1.3.14.3.2.26",
  sha256: "2.16.840.1.101.3.4.2.1",
  sha384: "2.16.840.1.101.3.4.2.2",
  sha512: "2.16.840.1.101.3.4.2.3",
};

export interface CertIdRequest {
  /** The issuer's certificate, DER. */
  issuer: Buffer;
  /** In decimal. */
  serialNumber: string;
  algorithm?: CertIdHash;
}

/** Encodes a CertID as a client does (RFC 6960 section 4.1.1). */
export function encodeCertId({ issuer, serialNumber, algorithm = "sha1" }: CertIdRequest): Buffer {
  const [toBeSigned] = readChildren(issuer, readElement(issuer));
  const fields = readChildren(issuer, toBeSigned!);
  const subject = fields[5]!;
  const key = readChildren(issuer, fields[6]!)[1]!;
  const hex = BigInt(serialNumber).toString(16);
  return sequence(
    sequence(oid(hashNames[algorithm]), nullValue),
    octetString(hash(algorithm, issuer.subarray(subject.start, subject.end), "buffer")),
    octetString(hash(algorithm, issuer.subarray(key.contentStart + 1, key.end), "buffer")),
    unsignedInteger(Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex")),
  );
}

/** Encodes an extension of a request. */
export const requestExtension = (name: string, value: Uint8Array, { critical = false } = {}): Buffer =>
  sequence(oid(name), ...(critical ? [trueValue] : []), octetString(value));

export const nonceExtension = (nonce: Uint8Array): Buffer =>
  requestExtension("1.3.6.1.5.5.7.48.1.2", octetString(nonce));

/** Encodes an OCSPRequest as a client does (RFC 6960 section 4.1.1). */
export function encodeOcspRequest(certIds: readonly Uint8Array[], extensions: readonly Uint8Array[] = []): Buffer {
  const list = sequence(...certIds.map((certId) => sequence(certId)));
  return sequence(
    sequence(list, ...(extensions.length === 0 ? [] : [tlv(contextConstructed(2), sequence(...extensions))])),
  );
}

/** Returns the OCSPResponseStatus of a response, which must be an OCSPResponse from end to end. */
export function statusOf(answer: Buffer): number {
  const whole = readElement(answer);
  if (whole.tagOctet !== tag.sequence || whole.end !== answer.length) throw new Error("not an OCSPResponse");
  const [status] = readChildren(answer, whole);
  if (status?.tagOctet !== tag.enumerated || status.end - status.contentStart !== 1) throw new Error("no status");
  return answer[status.contentStart]!;
}

export interface OcspHttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Sends one HTTP request. The default method is POST with a body, else GET. */
export function askOverHttp(
  url: string,
  {
    body,
    method = body === undefined ? "GET" : "POST",
    headers = {},
    agent = false,
    ...from
  }: {
    body?: Buffer;
    method?: string;
    headers?: Record<string, string>;
    agent?: Agent | false;
    /** The address of this machine from which to send. */
    localAddress?: string;
  } = {},
): Promise<OcspHttpAnswer> {
  const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/ocsp-request" };
  const { hostname, port } = new URL(url);
  const path = url.slice(url.indexOf("/", url.indexOf("//") + 2));
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { hostname, port, path, method, agent, headers: { ...type, ...headers }, ...from },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.once("error", reject);
        response.once("end", () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
        });
      },
    );
    sent.once("error", reject);
    sent.end(body);
  });
}

/**
 * Sends these bytes to an http address and returns the head and body that arrive until the server closes the
 * connection.
 */
export async function askRaw(url: string, head: string, body: Uint8Array = Buffer.alloc(0)): Promise<[string, Buffer]> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), body]));
  const answer = await buffer(socket);
  const end = answer.indexOf("\r\n\r\n");
  return [answer.subarray(0, end).toString(), answer.subarray(end + 4)];
}

type Outcome = "good" | "revoked" | "unknown";

/** Returns the status of the one certificate in a response, or the OCSPResponseStatus of a refusal. */
export function outcomeOf(answer: Buffer): Outcome | number {
  const outcomes = outcomesOf(answer);
  return typeof outcomes === "number" ? outcomes : outcomes[0]!;
}

/** Returns the status of each certificate in a response, or the OCSPResponseStatus of a refusal. */
export function outcomesOf(answer: Buffer): Outcome[] | number {
  const status = statusOf(answer);
  if (status !== 0) return status;
  const bytes = readChildren(answer, readElement(answer))[1]!;
  const basic = readChildren(answer, readElement(answer, bytes.contentStart))[1]!;
  const data = readElement(answer, readElement(answer, basic.contentStart).contentStart);
  const responses = readChildren(answer, data).find(({ tagOctet }) => tagOctet === tag.sequence)!;
  return readChildren(answer, responses).map((response) => {
    const single = readChildren(answer, response);
    return (["good", "revoked", "unknown"] as const)[single[1]!.tagOctet & 0x1f]!;
  });
}

/** Returns the output of OpenSSL, which requests a certificate's status from a responder, with a nonce by default. */
export function askWithOpenssl(
  url: string,
  {
    issuer,
    root,
    serialNumber,
    others = [],
    options = [],
  }: {
    issuer: Buffer;
    root: Buffer;
    serialNumber: string;
    /** Further serial numbers in the same request. */
    others?: readonly string[];
    options?: readonly string[];
  },
): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "ocsp-"));
  writeFileSync(join(directory, "issuer.pem"), pem("CERTIFICATE", issuer));
  writeFileSync(join(directory, "root.pem"), pem("CERTIFICATE", root));
  const trust = ["-issuer", "issuer.pem", "-CAfile", "root.pem", "-url", url];
  const serials = [serialNumber, ...others].flatMap((each) => ["-serial", each]);
  const args = ["ocsp", ...options, ...trust, ...serials];
  // Runs OpenSSL without blocking this process, in which the responder may run.
  return new Promise((resolve) => {
    execFile(requireTool("openssl"), args, { cwd: directory, timeout: 60_000 }, (_, stdout, stderr) => {
      rmSync(directory, { recursive: true, force: true });
      resolve(`${stdout}\n${stderr}`);
    });
  });
}

/** Returns the URLs under which the responders have registered. */
export const responderUrls = async (owner: Database): Promise<string[]> =>
  (
    await owner.query<{ url: string }>(sql`
      select ocsp_url as url from processes where ocsp_url is not null order by started_at
    `)
  ).map(({ url }) => url);
