import { generateKeyPairSync, randomBytes, X509Certificate } from "node:crypto";
import { request as httpRequest } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { TLSSocket } from "node:tls";
import { expect } from "vitest";
import { clientCertificateGrantType } from "../../../api/oauth/grants/client-certificate.ts";
import { sql } from "../../../db/sql.ts";
import { openssl } from "../pki/openssl.ts";
import type { ApiAnswer, Caller, TestApi } from "../service/api.ts";
import type { GivenApplication, GivenUser } from "./given.ts";

/** A certificate with its key, as a device holds it. */
export interface Device {
  serial: string;
  certificate: string;
  key: string;
  csr: string;
}

export function newKey(): { key: string; csr: string } {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return { key, csr: openssl(["req", "-new", "-key", "key.pem", "-subj", "/CN=x"], { "key.pem": key }).stdout };
}

/** Returns a certificate that the key's holder signed without any CA. */
export const selfSigned = (key: string, ...extra: readonly string[]): string =>
  openssl(["req", "-x509", "-key", "key.pem", "-subj", "/CN=localhost", "-days", "1", ...extra], { "key.pem": key })
    .stdout;

const listenerKey = newKey().key;
const listenerCertificate = selfSigned(listenerKey, "-addext", "subjectAltName=IP:127.0.0.1");

/** The header in which a proxy passes a certificate on, and the address of the trusted proxy. */
export const header = "X-Client-Certificate";
export const trusted = "127.0.0.2";

/** Settings that let people sign in with certificates. */
export const withClientCertificates = {
  tls: { certificate: listenerCertificate, key: listenerKey },
  settings: { trustedProxies: trusted, clientCertificates: { header } },
};

export interface Sent {
  headers?: Record<string, string>;
  form?: Record<string, string>;
  /** Presented by the client in the TLS handshake. */
  device?: Pick<Device, "certificate" | "key"> | undefined;
  /** The address of this machine from which the client connects. */
  from?: string;
  /** The agent of the TLS connections; omitted: a new one for this request. */
  agent?: Agent;
}

/** Sends one request, on a new connection if no agent is given. */
export function send(
  url: string,
  { headers = {}, form, device, from, agent }: Sent = {},
): Promise<ApiAnswer & { resumed: boolean }> {
  const body = form && new URLSearchParams(form).toString();
  const options = {
    method: body === undefined ? "GET" : "POST",
    agent: false as const,
    headers: {
      ...(body !== undefined && {
        "content-type": "application/x-www-form-urlencoded",
        "content-length": Buffer.byteLength(body),
      }),
      ...headers,
    },
    ...(from !== undefined && { localAddress: from }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = url.startsWith("https:")
      ? httpsRequest(url, {
          ...options,
          ...(agent && { agent }),
          ca: listenerCertificate,
          ...(device && { cert: device.certificate, key: device.key }),
        })
      : httpRequest(url, options);
    outgoing.once("error", reject);
    outgoing.once("response", (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.once("error", reject);
      incoming.once("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        const resumed = incoming.socket instanceof TLSSocket && incoming.socket.isSessionReused();
        const answer = { status: incoming.statusCode ?? 0, headers: incoming.headers, text, resumed };
        resolve({ ...answer, body: text === "" ? undefined : JSON.parse(text) });
      });
    });
    outgoing.end(body);
  });
}

export const derOf = ({ certificate }: Pick<Device, "certificate">): Buffer => new X509Certificate(certificate).raw;
export const byteSequence = (der: Buffer): string => `:${der.toString("base64")}:`;

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Returns the path for making a user's profile: the user's own path (`own`), or the path for other callers. */
export const profilePath = ({ id }: Pick<GivenUser, "id">, { own = false }: { own?: boolean } = {}): string => {
  const name = `laptop%20${randomBytes(3).toString("hex")}`;
  return own ? `/api/profile/${name}` : `/api/user/${id}/profiles/${name}`;
};

/** Returns the body that requests a profile for a key of the device. */
export const profileFor = ({ csr = newKey().csr, allowAuth = true }: { csr?: string; allowAuth?: boolean } = {}) => ({
  format: "pem",
  deviceType: "Linux",
  allowAuth,
  csr,
});

/** Makes profiles and signs in with them, on one API with {@link withClientCertificates}. */
export function deviceSignInOn(api: Pick<TestApi, "url" | "tlsUrl" | "database" | "as">) {
  return {
    /**
     * Requests a profile for a key of the device, as an administrator unless another caller is given, and has the
     * worker issue it.
     */
    issue: async (
      owner: GivenUser,
      {
        allowAuth = true,
        by = api.as.admin({ realmId: owner.realmId }),
        own = false,
      }: { allowAuth?: boolean; by?: Caller; own?: boolean } = {},
    ): Promise<Device> => {
      const { key, csr } = newKey();
      const answer = await by.post(profilePath(owner, { own }), profileFor({ csr, allowAuth }));
      expect(answer.status).toBeLessThan(300);
      const { serial } = answer.body.data as { serial: string };
      const [row] = await api.database.owner.query<{ certificate: Buffer }>(sql`
        select certificate from certificates where realm_id = ${owner.realmId} and serial_number = ${serial}
      `);
      if (row === undefined) throw new Error("no certificate");
      return { serial, certificate: new X509Certificate(row.certificate).toString(), key, csr };
    },

    /** Signs in over the TLS listener. */
    signIn: (
      client: Pick<GivenApplication, "clientId">,
      device: Sent["device"],
      fields: Record<string, string> = {},
    ): Promise<ApiAnswer> =>
      send(`${api.tlsUrl}/oauth/token`, {
        form: { grant_type: clientCertificateGrantType, client_id: client.clientId, ...fields },
        device,
      }),
  };
}
