import { X509Certificate } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clockRoomMinutes, stapledAnswerMinutes } from "../../../domain/lifetimes.ts";
import { pem } from "../../../pki/pem.ts";
import { askOverHttp, encodeCertId, encodeOcspRequest } from "../../support/pki/ocsp.ts";
import { eventually } from "../../support/run/eventually.ts";
import { startHostapd, type Hostapd } from "../../support/counterparts/hostapd.ts";
import { givenIssuingRealm, givenUser } from "../../support/given/issuing.ts";
import {
  authenticate,
  radiusServerName,
  type Answered,
  type DeviceFiles,
  type KnockOptions,
} from "../../support/counterparts/radius.ts";
import { givenServiceApplication, startService, type RunningService } from "../../support/service/service.ts";
import { movedClock } from "../../support/run/moved-clock.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { startTestResponder } from "../../support/service/responder.ts";

/** hostapd's own EAP server, set up by docs/radius/hostapd.md: it relies on the CRL and does not use OCSP. */

interface Profile {
  serial: string;
  files: DeviceFiles;
}

describeWithTool(["hostapd", "eapol_test", "openssl", "curl", "faketime"], "EAP-TLS with hostapd", () => {
  let service: RunningService;
  let hostapd: Hostapd;
  let issuer: string;
  let chain: string;
  let crlUrl: string;
  let server: { certificate: string; privateKey: string };
  let healthy: Profile;

  beforeAll(async () => {
    service = await startService({ kind: "postgres", responder: true });
    issuer = pem("CERTIFICATE", service.issuer);
    chain = issuer + pem("CERTIFICATE", service.root);
    server = (await ask("POST", `/api/infrastructure-profile/${radiusServerName}`, {
      format: "pem",
      validityMonths: 24,
    })) as typeof server;
    healthy = await issue();
    crlUrl = `http://127.0.0.1:${service.apiPort}/crl/${service.issuerId}.crl`;
    await eventually(async () => {
      expect((await fetch(crlUrl)).status).toBe(200);
    });
    hostapd = await startHostapd({
      server: server.certificate,
      key: server.privateKey,
      issuers: issuer,
      chain,
      crlUrl,
    });
  });
  afterAll(() => hostapd.stop());

  async function ask(method: string, path: string, body?: unknown, token?: string): Promise<unknown> {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const answer = await service.call(method, path, body, headers);
    expect(answer).toMatchObject({ status: 200 });
    return answer.body.data;
  }

  async function issue(wanted: object = {}, { realmId, token }: { realmId?: string; token?: string } = {}) {
    const owner = await givenUser(service.owner, realmId ?? service.realmId);
    const body = { format: "pkcs12", deviceType: "Windows", keyType: "ec-p256", ...wanted };
    return received(await ask("POST", `/api/user/${owner}/profiles/laptop`, body, token));
  }

  const attempt = (
    { files }: Pick<Profile, "files">,
    options: Pick<KnockOptions, "tls" | "staple" | "minutesAhead"> = {},
  ): Promise<Answered> => authenticate({ radius: hostapd, files, ca: chain, identity: "@demo.example", ...options });

  /** Issues a profile, revokes it, and fetches CRLs until the server refuses its device. */
  async function givenRefused(): Promise<Profile> {
    const profile = await issue();
    expect(await attempt(profile)).toMatchObject({ admitted: true });

    await ask("DELETE", `/api/profiles/${profile.serial}`);
    await eventually(
      async () => {
        expect(await hostapd.bringCrl()).toMatchObject({ code: 0 });
        expect(await attempt(profile)).toMatchObject({ admitted: false });
      },
      { everyMs: 500 },
    );
    return profile;
  }

  test.each([
    ["a PKCS#12 file with P-256", {}],
    ["PEM with RSA-2048", { format: "pem", keyType: "rsa-2048" }],
  ])("a device with %s is admitted over TLS 1.2 and 1.3", async (_, wanted) => {
    const profile = await issue(wanted);
    for (const tls of ["1.2", "1.3"] as const) {
      const answered = await attempt(profile, { tls });
      expect(answered, answered.complaints).toMatchObject({ admitted: true });
      expect(answered.output).toContain(`SSL: Using TLS version TLSv${tls}\n`);
    }
  });

  test("a revoked profile is refused once the CRL arrives, without a restart; other profiles are admitted", async () => {
    await givenRefused();

    expect(hostapd.output()).toContain("certificate revoked");
    expect(await attempt(healthy)).toMatchObject({ admitted: true });
  });

  test("devices that require stapling, with clocks minutes off, are admitted while the server renews the response, and refused once the response expires", async () => {
    const serialNumber = BigInt(`0x${new X509Certificate(server.certificate).serialNumber}`).toString();
    const request = encodeOcspRequest([encodeCertId({ issuer: service.issuer, serialNumber })]);
    const clock = movedClock();
    const responder = await startTestResponder({ databaseUrl: service.databaseUrl, clock });
    const answersAt = (ahead: readonly number[]): Promise<boolean[]> =>
      Promise.all(ahead.map(async (minutesAhead) => (await attempt(healthy, { staple: true, minutesAhead })).admitted));
    expect(await answersAt([0])).toEqual([false]);

    const everyMinutes = stapledAnswerMinutes - clockRoomMinutes;
    let signedAt = 0;
    for (; signedAt <= 24 * 60; signedAt += everyMinutes) {
      clock.setAhead(signedAt);
      const { body } = await askOverHttp(`${responder.url}/ocsp/${service.issuerId}`, { body: request });
      await hostapd.staple(body);
      // A device's clock can be behind when the response is new, and ahead when the next response is due.
      const times = [
        Math.max(0, signedAt - clockRoomMinutes + 1),
        signedAt,
        signedAt + everyMinutes + clockRoomMinutes - 1,
      ];
      expect(await answersAt(times), `after ${signedAt} minutes`).toEqual([true, true, true]);
    }

    const lastAt = signedAt - everyMinutes;
    // wpa_supplicant tolerates five minutes.
    expect(await answersAt([6, 24 * 60].map((minutes) => lastAt + stapledAnswerMinutes + minutes))).toEqual([
      false,
      false,
    ]);
  });

  test("while Realmpass is away the last CRL stays in force: revoked profiles are refused, other profiles are admitted", async () => {
    const revoked = await givenRefused();
    expect(await hostapd.bringCrl("http://127.0.0.1:1/crl/1.crl")).toMatchObject({ code: 1 });
    expect(await attempt(revoked)).toMatchObject({ admitted: false });
    expect(await attempt(healthy)).toMatchObject({ admitted: true });
  });

  test("another realm's profile is refused until the operator adds its CRL and its CA, with critical name constraints, without a restart", async () => {
    const other = await givenIssuingRealm(service.owner, { form: "critical" });
    const { clientId, clientSecret } = await givenServiceApplication(service.owner, other.realmId);
    const answer = await fetch(`http://127.0.0.1:${service.apiPort}/oauth/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: clientId,
        client_secret: clientSecret,
      }),
    });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const profile = await issue({}, { realmId: other.realmId, token });

    expect(await attempt(profile)).toMatchObject({ admitted: false });

    const theirs = pem("CERTIFICATE", other.issuer);
    const theirCrlUrl = crlUrl.replace(/[^/]+$/, `${other.issuerId}.crl`);
    await hostapd.trust({ issuers: issuer + theirs, chain: chain + theirs + pem("CERTIFICATE", other.root) });
    expect(await hostapd.bringCrl(crlUrl)).toMatchObject({ code: 4 });
    await eventually(
      async () => {
        expect(await attempt(profile)).toMatchObject({ admitted: false });
        expect(hostapd.output()).toContain("unable to get certificate CRL");
      },
      { everyMs: 500 },
    );
    expect(await attempt(healthy)).toMatchObject({ admitted: true });

    await eventually(
      async () => {
        expect(await hostapd.bringCrl(crlUrl, theirCrlUrl)).toMatchObject({ code: 0 });
        for (const tls of ["1.2", "1.3"] as const) {
          expect(await attempt(profile, { tls })).toMatchObject({ admitted: true });
        }
      },
      { everyMs: 500 },
    );
    expect(await attempt(healthy)).toMatchObject({ admitted: true });
  });

  test("an infrastructure profile is admitted like a device, as the page warns", async () => {
    const files = { certificate: server.certificate, key: server.privateKey };
    expect(await attempt({ files })).toMatchObject({ admitted: true });
  });
});

function received(data: unknown): Profile {
  const profile = data as { serial: string; data?: string; certificate?: string; privateKey?: string };
  const { serial, certificate = "", privateKey = "" } = profile;
  const files =
    profile.data === undefined ? { certificate, key: privateKey } : { pkcs12: Buffer.from(profile.data, "base64") };
  return { serial, files };
}
