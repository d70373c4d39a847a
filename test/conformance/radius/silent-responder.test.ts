import type { ChildProcess } from "node:child_process";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { only } from "../../../db/client.ts";
import { sql } from "../../../db/sql.ts";
import { startNginx, startTlsNginx } from "../../support/counterparts/nginx.ts";
import {
  authenticate,
  describeWithRadius,
  fetchCrl,
  radiusServerName,
  startRadius,
  type Answered,
  type DeviceFiles,
  type RadiusMode,
  type RadiusServer,
} from "../../support/counterparts/radius.ts";
import { givenUser } from "../../support/given/issuing.ts";
import { askRaw, encodeCertId, encodeOcspRequest, outcomeOf, responderUrls } from "../../support/pki/ocsp.ts";
import { openssl } from "../../support/pki/openssl.ts";
import { atEndOfFile } from "../../support/run/at-end.ts";
import { eventually } from "../../support/run/eventually.ts";
import { freePort } from "../../support/run/services.ts";
import { startTcpProxy } from "../../support/run/tcp-proxy.ts";
import { startService, type RunningService } from "../../support/service/service.ts";

interface Device {
  serial: string;
  files: DeviceFiles;
}

/**
 * A process stopped by SIGSTOP accepts connections and never answers, like a frozen machine. The addresses in
 * certificates lead to `network`, which forwards to the target that a test sets.
 */
describeWithRadius("responders that go silent while devices connect", () => {
  const modes = ["strict", "resilient"] as const satisfies RadiusMode[];
  const ways = ["the proxy file with TLS", "the api", "the proxy of docker-compose.yml"] as const;
  const ports = {} as Record<(typeof ways)[number], number>;
  const radius = {} as Record<RadiusMode, RadiusServer>;
  const target = { host: "127.0.0.1", port: 0 };
  const stopped = new Set<ChildProcess>();
  let service: RunningService;
  let chain: string;
  let domain: string;
  let good: Device;
  /** Revoked after the last CRL was fetched, so only OCSP refuses this device. */
  let revoked: Device;

  beforeAll(async () => {
    const network = await startTcpProxy(target);
    service = await startService({
      kind: "postgres",
      env: { REALMPASS_BASE_URL: `http://127.0.0.1:${network.port}`, REALMPASS_TRUSTED_PROXIES: "127.0.0.1" },
      atEnd: atEndOfFile,
    });
    const apis = [service.apiPort];
    await service.startApi();
    apis.push(service.apiPort);
    const responders = [await freePort(), await freePort()];
    for (const port of responders) await service.startResponder({ REALMPASS_OCSP_PORT: String(port) });
    const here = (each: number[]): string[] => each.map((port) => `127.0.0.1:${port}`);
    ports["the api"] = service.apiPort;
    ports["the proxy file with TLS"] = (await startTlsNginx({ apis: here(apis), responders: here(responders) })).port;
    ports["the proxy of docker-compose.yml"] = (await startNginx(here(apis))).port;
    target.port = service.apiPort;

    chain = pem(service.issuer) + pem(service.root);
    ({ domain } = only(
      await service.owner.query<{ domain: string }>(sql`select domain from realms where id = ${service.realmId}`),
    ));
    const server = await create(`/api/infrastructure-profile/${radiusServerName}`, { validityMonths: 24 });
    [good, revoked] = [await givenDevice(), await givenDevice()];
    const common = {
      realmDomain: domain,
      server: server.certificate,
      key: server.privateKey,
      issuers: pem(service.issuer),
    };
    for (const mode of modes) radius[mode] = await startRadius({ ...common, mode });
    const crlUrl = `http://127.0.0.1:${network.port}/crl/${service.issuerId}.crl`;
    await eventually(async () => {
      expect(await fetchCrl(radius.resilient, crlUrl)).toMatchObject({ code: 0 });
    });
    const { newest } = await fetchCrl(radius.resilient, crlUrl);
    expect(openssl(["crl", "-noout", "-text", "-in", "crl"], { crl: newest }).stdout).toContain("No Revoked");
    expect((await service.call("DELETE", `/api/profiles/${revoked.serial}`)).status).toBe(200);
  });

  afterEach(() => {
    for (const child of stopped) child.kill("SIGCONT");
    stopped.clear();
  });

  afterAll(async () => {
    for (const each of Object.values(radius)) await each.stop();
  });

  async function create(path: string, wanted: object) {
    const { status, body } = await service.call("POST", path, { format: "pem", ...wanted }, { prefer: "wait=60" });
    expect(status).toBe(200);
    return body.data as { serial: string; certificate: string; privateKey: string };
  }

  async function givenDevice(): Promise<Device> {
    const userId = await givenUser(service.owner, service.realmId);
    const wanted = { deviceType: "Linux", keyType: "ec-p256" };
    const { serial, certificate, privateKey } = await create(`/api/user/${userId}/profiles/laptop`, wanted);
    return { serial, files: { certificate, key: privateKey } };
  }

  const knock = (mode: RadiusMode, { files }: Device): Promise<Answered> =>
    authenticate({ radius: radius[mode], files, ca: chain, identity: `@${domain}` });

  /** Stops the process from answering. */
  function silence(child: ChildProcess | undefined): void {
    expect(child?.kill("SIGSTOP")).toBe(true);
    stopped.add(child!);
  }

  /** Waits until two responders are registered and both RADIUS servers admit the good device. */
  const everythingAnswers = (): Promise<void> =>
    eventually(async () => {
      expect(await responderUrls(service.owner)).toHaveLength(2);
      for (const mode of modes) expect(await knock(mode, good)).toMatchObject({ admitted: true });
    });

  /**
   * Expects the right outcome from both servers. Without a response, the strict server would refuse the good device and
   * the resilient server would admit the revoked device. The devices connect one after another, often enough that each
   * responder is chosen more than once.
   */
  async function expectWellSaid(): Promise<void> {
    for (const [mode, device, admitted] of [
      ["strict", good, true],
      ["resilient", revoked, false],
    ] as const) {
      for (let round = 0; round < 5; round++) {
        const outcome = await knock(mode, device);
        expect(outcome.admitted, outcome.complaints).toBe(admitted);
      }
    }
    expect((await knock("strict", revoked)).admitted).toBe(false);
    expect((await knock("resilient", good)).admitted).toBe(true);
  }

  describe.each(ways)("through %s", (way) => {
    beforeAll(() => {
      target.port = ports[way];
    });

    test("an HTTP/1.0 request without Host gets its response", async () => {
      const request = encodeOcspRequest([encodeCertId({ issuer: service.issuer, serialNumber: good.serial })]);
      await eventually(async () => {
        const [head, body] = await askRaw(
          `http://127.0.0.1:${ports[way]}`,
          `POST /ocsp/${service.issuerId} HTTP/1.0\r\nContent-Length: ${request.length}`,
          request,
        );
        expect(head).toContain(" 200 ");
        expect(outcomeOf(body)).toBe("good");
      });
    });

    test("while one of two responders is silent, every good device is admitted and a revoked device is refused", async () => {
      await everythingAnswers();
      silence(service.responders[0]);
      await expectWellSaid();
    });

    test("while both responders are silent, the strict server refuses a good device and the resilient server admits it", async () => {
      await everythingAnswers();
      for (const child of service.responders) silence(child);
      expect((await knock("strict", good)).admitted).toBe(false);
      expect((await knock("resilient", good)).admitted).toBe(true);
      for (const child of stopped) child.kill("SIGCONT");
      await everythingAnswers();
    });
  });

  test("through the proxy of docker-compose.yml, while one of two apis is silent, every good device is admitted and a revoked device is refused", async () => {
    target.port = ports["the proxy of docker-compose.yml"];
    await everythingAnswers();
    silence(service.api[0]);
    await expectWellSaid();
  });
});

const pem = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString("base64").replace(/.{64}(?=.)/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
