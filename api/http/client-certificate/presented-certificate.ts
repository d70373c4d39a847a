import { createHash, X509Certificate } from "node:crypto";
import { TLSSocket } from "node:tls";
import type { Request } from "express";
import { readCertificateHeader } from "./certificate-header.ts";
import type { ClientCertificateSettings } from "./config.ts";

/** A certificate whose key the client holds, as proven by TLS to us or to a proxy that we trust. */
export interface PresentedCertificate {
  der: Buffer;
  /** Decimal. */
  serialNumber: string;
  /** The confirmation (`cnf`) of tokens bound to the certificate (RFC 8705 section 3.1). */
  thumbprint: string;
}

/**
 * Returns the client certificate of a request. From a proxy trusted to forward certificates, only the header counts;
 * from every other peer, only the connection's own certificate. Does not check the issuer.
 */
export function presentedCertificate(
  { settings }: { settings: { clientCertificates?: ClientCertificateSettings } },
  request: Request,
): PresentedCertificate | undefined {
  const { clientCertificates } = settings;
  if (clientCertificates === undefined) return undefined;
  const der =
    clientCertificates.header !== undefined && isFromTrustedProxy(request)
      ? readCertificateHeader(request, clientCertificates.header)
      : connectionCertificate(request);
  return der && parsed(der);
}

/** Returns whether the peer of the connection is itself a trusted proxy, whatever the forwarding headers contain. */
function isFromTrustedProxy({ app, socket }: Request): boolean {
  const trusts = app.get("trust proxy fn") as (address: string) => boolean;
  return socket.remoteAddress !== undefined && trusts(socket.remoteAddress);
}

const connectionCertificate = ({ socket }: Request): Buffer | undefined =>
  socket instanceof TLSSocket ? socket.getPeerX509Certificate()?.raw : undefined;

function parsed(der: Buffer): PresentedCertificate | undefined {
  try {
    return {
      der,
      serialNumber: BigInt(`0x${new X509Certificate(der).serialNumber}`).toString(),
      thumbprint: createHash("sha256").update(der).digest("base64url"),
    };
  } catch {
    return undefined;
  }
}
