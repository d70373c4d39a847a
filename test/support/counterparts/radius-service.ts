import { expect } from "vitest";
import { sql } from "../../../db/sql.ts";
import { X509Certificate } from "../../../pki/x509.ts";
import { startTcpProxy } from "../run/tcp-proxy.ts";
import { startService, type RunningService } from "../service/service.ts";
import { authenticate, radiusServerName, startRadius, type DeviceFiles, type RadiusServer } from "./radius.ts";

/**
 * A service with one realm, and a strict FreeRADIUS with a certificate of the realm, which asks the service's OCSP
 * responder.
 */
export interface ServiceWithRadius {
  service: RunningService;
  /** Stop it after the tests. */
  radius: RadiusServer;
  domain: string;
  /** Returns the data of a response to one of the realm's programs; throws if the status is not 200. */
  ask: (method: string, path: string, body?: unknown) => Promise<unknown>;
  /** Returns whether FreeRADIUS admits a device. */
  admits: (files: DeviceFiles) => Promise<boolean>;
}

export async function startServiceWithRadius(): Promise<ServiceWithRadius> {
  const target = { host: "127.0.0.1", port: 0 };
  const network = await startTcpProxy(target);
  const service = await startService({
    responder: true,
    kind: "postgres",
    env: { REALMPASS_BASE_URL: `http://127.0.0.1:${network.port}` },
  });
  target.port = service.apiPort;
  const ask: ServiceWithRadius["ask"] = async (method, path, body) => {
    const answer = await service.call(method, path, body);
    expect(answer).toMatchObject({ status: 200 });
    return answer.body.data;
  };
  const [realm] = await service.owner.query<{ domain: string }>(
    sql`select domain from realms where id = ${service.realmId}`,
  );
  const { domain } = realm!;
  const [issuer, root] = [service.issuer, service.root].map((der) => `${new X509Certificate(der).toString()}\n`);
  const server = (await ask("POST", `/api/infrastructure-profile/${radiusServerName}`, {
    format: "pem",
    validityMonths: 24,
  })) as { certificate: string; privateKey: string };
  const radius = await startRadius({
    mode: "strict",
    realmDomain: domain,
    server: server.certificate,
    key: server.privateKey,
    issuers: issuer!,
  });
  const admits = async (files: DeviceFiles): Promise<boolean> =>
    (await authenticate({ radius, files, ca: `${issuer}${root}`, identity: `@${domain}` })).admitted;
  return { service, radius, domain, ask, admits };
}
