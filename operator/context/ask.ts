import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIPv6, type LookupFunction } from "node:net";
import { checkServerIdentity, type TLSSocket } from "node:tls";

/** An HTTP response, unchanged: no redirect is followed. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** The first {@link bytesMax} octets. */
  body: Buffer;
  /** When the server's certificate expires; undefined without TLS. */
  certificateEnd: Date | undefined;
}

const bytesMax = 256 * 1024;

/** The most time for each check of the network, in milliseconds. */
export const askMsMax = 5_000;

/**
 * Sends one request; a POST if there is a body. `address`: connects to this address instead of resolving the host.
 * `anyIssuer`: accepts a certificate of the host from any CA, even after its end. Rejects if the connection fails, or if
 * the response is not complete before `signal` aborts.
 */
export function ask(
  url: string,
  {
    signal,
    body,
    contentType,
    address,
    anyIssuer = false,
  }: { signal: AbortSignal; body?: Buffer; contentType?: string; address?: string; anyIssuer?: boolean },
): Promise<Answer> {
  const request = url.startsWith("https:") ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => {
      reject(signal.aborted ? new Error(`no answer within ${askMsMax / 1000} s`) : error);
    };
    const sent = request(url, {
      method: body === undefined ? "GET" : "POST",
      headers: { accept: "*/*", ...(contentType !== undefined && { "content-type": contentType }) },
      agent: false,
      signal,
      ...(anyIssuer && { rejectUnauthorized: false }),
      ...(address !== undefined && { lookup: lookupOf(address) }),
    });
    sent.on("error", failed);
    sent.on("response", (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      const certificate = (response.socket as Partial<TLSSocket>).getPeerCertificate?.();
      const end = certificate?.valid_to;
      const done = (): void => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).subarray(0, bytesMax),
          certificateEnd: end === undefined ? undefined : new Date(end),
        });
        response.destroy();
      };
      // Without the check of the CA, Node leaves out the check of the name.
      const misnamed =
        anyIssuer && certificate !== undefined ? checkServerIdentity(hostOf(url), certificate) : undefined;
      if (misnamed !== undefined) {
        failed(misnamed);
        response.destroy();
        return;
      }
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length >= bytesMax) done();
      });
      response.on("end", done);
      response.on("error", failed);
    });
    sent.end(body);
  });
}

/** Returns the host of a URL, an IPv6 address without brackets. */
export const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[(.*)\]$/, "$1");

/** Returns a lookup that resolves every host to this address. */
function lookupOf(address: string): LookupFunction {
  const family = isIPv6(address) ? 6 : 4;
  return (_, { all }, done) => {
    if (all === true) done(null, [{ address, family }]);
    else done(null, address, family);
  };
}

/** Returns the cause of an error in a few words. */
export const whyOf = (error: unknown): string => {
  const { code, message } = error as { code?: unknown; message: string };
  return message === "" && typeof code === "string" ? code : message;
};
