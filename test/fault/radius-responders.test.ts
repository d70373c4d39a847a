import { afterAll, beforeAll, expect, test } from "vitest";
import { only } from "../../db/client.ts";
import { sql } from "../../db/sql.ts";
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
} from "../support/counterparts/radius.ts";
import { givenUser } from "../support/given/issuing.ts";
import { responderUrls } from "../support/pki/ocsp.ts";
import { openssl } from "../support/pki/openssl.ts";
import { eventually } from "../support/run/eventually.ts";
import { repeating, type Repeating } from "../support/run/repeating.ts";
import { ended } from "../support/run/services.ts";
import { startTcpProxy } from "../support/run/tcp-proxy.ts";
import { askDoctor } from "../support/service/operator.ts";
import { startService, type RunningService } from "../support/service/service.ts";

interface Device {
  serial: string;
  files: DeviceFiles;
}

describeWithRadius("responders stopped while devices connect", () => {
  const modes = ["strict", "resilient"] as const satisfies RadiusMode[];
  const radius = {} as Record<RadiusMode, RadiusServer>;
  let service: RunningService;
  let chain: string;
  let domain: string;
  let crlUrl: string;
  let good: Device;
  let revoked: Device;

  beforeAll(async () => {
    const address = { host: "127.0.0.1", port: 0 };
    const network = await startTcpProxy(address);
    service = await startService({
      kind: "postgres",
      responder: true,
      env: { REALMPASS_BASE_URL: `http://127.0.0.1:${network.port}` },
    });
    address.port = service.apiPort;
    await service.startResponder();
    chain = pem(service.issuer) + pem(service.root);
    crlUrl = `http://127.0.0.1:${network.port}/crl/${service.issuerId}.crl`;
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

    expect((await service.call("DELETE", `/api/profiles/${revoked.serial}`)).status).toBe(200);
    await eventually(async () => {
      expect(await fetchCrl(radius.resilient, crlUrl)).toMatchObject({ code: 0 });
      const { stdout } = openssl(["crl", "-noout", "-text", "-in", "crl"], {
        crl: (await fetchCrl(radius.resilient, crlUrl)).newest,
      });
      expect(stdout).toContain(BigInt(revoked.serial).toString(16).toUpperCase());
    });
    await eventually(async () => {
      for (const mode of modes) expect(await isAdmitted(mode, good)).toBe(true);
    });
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

  const isAdmitted = async (mode: RadiusMode, device: Device): Promise<boolean> => (await knock(mode, device)).admitted;

  /** Connects both devices, one after the other, without pause; records the server's reply each time. */
  const knockingAt = (mode: RadiusMode): Repeating<Record<"good" | "revoked", Answered>> =>
    repeating(async () => ({ good: await knock(mode, good), revoked: await knock(mode, revoked) }));

  /** Expects the good device always to be admitted and the revoked device never; a failure shows the server's log. */
  const expectRightAnswers = (outcomes: readonly Record<"good" | "revoked", Answered>[]): void => {
    expect(outcomes.length).toBeGreaterThan(0);
    for (const outcome of outcomes) {
      expect(outcome.good.admitted, outcome.good.complaints).toBe(true);
      expect(outcome.revoked.admitted, outcome.revoked.complaints).toBe(false);
    }
  };

  const processesCheck = async () =>
    (await askDoctor({ DATABASE_URL: service.databaseUrl, REALMPASS_DATA_DIRECTORY: service.dataDirectory })).find(
      ({ name }) => name === "processes",
    );

  test("both RADIUS servers admit the good device and refuse the revoked one while responders are replaced one by one", async () => {
    const knocks = modes.map(knockingAt);
    for (const old of service.responders.slice()) {
      const before = await responderUrls(service.owner);
      await service.startResponder();
      await eventually(async () => {
        expect(await responderUrls(service.owner)).toHaveLength(before.length + 1);
        expect(await service.owner.query(sql`select from responder_requests`)).toEqual([]);
      });
      await ended(old, "SIGTERM");
    }
    for (const each of knocks) expectRightAnswers(await each.stop());
  });

  test("with every responder killed, the resilient server uses the CRL, and the strict server admits no device until a responder is back", async () => {
    const knocks = knockingAt("resilient");
    await Promise.all(service.responders.map((responder) => ended(responder, "SIGKILL")));
    expect(await isAdmitted("strict", good)).toBe(false);
    expect(await isAdmitted("resilient", good)).toBe(true);
    expect(await isAdmitted("resilient", revoked)).toBe(false);
    await eventually(async () => {
      expect(await service.logs()).toContain('"event":"ocsp.no_responder"');
      expect(await processesCheck()).toMatchObject({
        status: "fail",
        message: expect.stringContaining(
          "no responder: no OCSP request is answered, and strict RADIUS servers admit no device",
        ) as string,
      });
    });

    await service.startResponder();
    await eventually(async () => {
      expect(await isAdmitted("strict", good)).toBe(true);
    });
    expect(await isAdmitted("strict", revoked)).toBe(false);
    expect(await processesCheck()).toMatchObject({ status: "ok" });
    expectRightAnswers(await knocks.stop());
  });
});

const pem = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString("base64").replace(/.{64}(?=.)/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
