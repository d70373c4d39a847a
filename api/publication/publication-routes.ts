import { hash } from "node:crypto";
import type { Request, Response } from "express";
import { ServiceError } from "../../domain/errors.ts";
import { acceptsGzip } from "../http/gzip.ts";
import type { Deps } from "../contract/deps.ts";
import { hasRepresentation } from "../http/etag.ts";
import { fileRoute } from "../http/file-route.ts";
import type { Exchange, Route } from "../http/route.ts";
import { pemParts } from "./pem-parts.ts";
import { createPublications } from "./publications.ts";

/**
 * Serves the public files that certificates point to: the CRLs of issuers and roots (RFC 5280 section 4.2.1.13), and the
 * issuers' certificates (4.2.2.1).
 */
export function publicationRoutes({
  db,
  clock,
  log,
  crlAskers,
}: Pick<Deps, "db" | "clock" | "log" | "crlAskers">): Route[] {
  const publications = createPublications({ db, log });

  const sendCrl = async ({ request, response, address }: Exchange): Promise<void> => {
    const { name, format } = parseFile(request, ["crl", "pem"]);
    const [, fingerprint] = rootCrlName.exec(name) ?? [];
    const issuerId = issuerName.exec(name)?.[0];
    const crl =
      fingerprint !== undefined
        ? await publications.findRootCrl(fingerprint)
        : issuerId !== undefined
          ? await publications.findCrl(issuerId)
          : undefined;
    if (crl === undefined) throw new ServiceError("not_found");
    if (issuerId !== undefined) crlAskers.note(issuerId, address, clock.now());

    const secondsLeft = Math.floor((crl.nextUpdate.getTime() - clock.now().getTime()) / 1000);
    const meta = { cacheControl: crlCacheControl(secondsLeft) };
    if (format === "pem") {
      await send(request, response, { ...meta, tag: `${crl.tag}-pem`, type: pemType, parts: () => crl.pem() });
      return;
    }
    const packed = acceptsGzip(request.get("Accept-Encoding") ?? "");
    await send(request, response, {
      ...meta,
      tag: packed ? `${crl.tag}-gzip` : crl.tag,
      type: "application/pkix-crl",
      encoding: packed ? "gzip" : undefined,
      parts: () => (packed ? crl.gzip() : crl.der),
    });
  };

  const sendCertificates = async ({ request, response }: Exchange): Promise<void> => {
    const { name, format } = parseFile(request, ["cer", "pem"]);
    const chain = issuerName.test(name) ? await publications.findChain(name) : undefined;
    const [certificate] = chain ?? [];
    if (chain === undefined || certificate === undefined) throw new ServiceError("not_found");

    const tag = `${hash("sha256", certificate, "base64url").slice(0, 22)}-${format}`;
    const parts = async () =>
      format === "cer"
        ? [certificate]
        : (await Promise.all(chain.map((each) => pemParts("CERTIFICATE", [each])))).flat();
    const type = format === "cer" ? "application/pkix-cert" : pemType;
    await send(request, response, { tag, type, cacheControl: "public, max-age=86400", parts });
  };

  return [fileRoute("/crl/:file", sendCrl), fileRoute("/ca/:file", sendCertificates)];
}

const pemType = "application/x-pem-file";

/**
 * Returns the Cache-Control of a CRL: one second, so a cache on the way hardly delays a revocation, yet absorbs a flood
 * of requests. While we are down, a cached CRL may be served until it expires.
 */
const crlCacheControl = (secondsLeft: number): string =>
  secondsLeft > 0 ? `public, max-age=1, stale-if-error=${secondsLeft}` : "public, max-age=1";

function parseFile<Format extends string>(
  { params }: Request,
  formats: readonly Format[],
): { name: string; format: Format } {
  const [, name, ending] = /^([a-z0-9-]+)\.([a-z]+)$/.exec(String(params["file"])) ?? [];
  const format = formats.find((each) => each === ending);
  if (name === undefined || format === undefined) throw new ServiceError("not_found");
  return { name, format };
}

const issuerName = /^[1-9][0-9]{0,18}$/;
/** The name of a root's CRL, as `rootCrlPath` writes it. */
const rootCrlName = /^root-([0-9a-f]{64})$/;

interface Representation {
  /** Without quotes. */
  tag: string;
  type: string;
  /** Present, even as undefined, if the representation depends on the client's Accept-Encoding. */
  encoding?: "gzip" | undefined;
  cacheControl: string;
  /** Not called if the client's copy has the same tag. */
  parts: () => readonly Buffer[] | Promise<readonly Buffer[]>;
}

/**
 * Sends parts one after another, without joining them; or 304 if the client's copy has the same tag. There is no
 * `Last-Modified`, so `If-Modified-Since` does not count (RFC 9110 section 13.1.3): two CRLs can fall into one second,
 * and clients send the time of their fetch, by their own clocks. Each of these could hide a revocation.
 */
async function send(request: Request, response: Response, representation: Representation): Promise<void> {
  const { tag, type, encoding, cacheControl } = representation;
  const known = hasRepresentation(request.headers["if-none-match"], `"${tag}"`);
  const content = known ? [] : await representation.parts();
  response.setHeader("ETag", `"${tag}"`);
  response.setHeader("Cache-Control", cacheControl);
  if ("encoding" in representation) response.setHeader("Vary", "Accept-Encoding");
  if (known) {
    response.statusCode = 304;
    response.end();
    return;
  }
  if (encoding !== undefined) response.setHeader("Content-Encoding", encoding);
  response.setHeader("Content-Type", type);
  response.setHeader(
    "Content-Length",
    content.reduce((sum, part) => sum + part.length, 0),
  );
  if (request.method !== "HEAD") {
    response.cork();
    for (const part of content) response.write(part);
    response.uncork();
  }
  response.end();
}
