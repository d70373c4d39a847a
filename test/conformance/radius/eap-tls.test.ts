import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Database } from "../../../db/client.ts";
import * as issuerKeys from "../../../db/queries/issuer-keys.ts";
import { sql } from "../../../db/sql.ts";
import { deviceTypes, type DeviceType, type KeyType } from "../../../domain/certificate/device.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { createIssuingCa, createRoot } from "../../../worker/keys/ceremony.ts";
import { decryptKey } from "../../../worker/keys/encrypted-key.ts";
import { X509Certificate } from "../../../pki/x509.ts";
import { eventually } from "../../support/run/eventually.ts";
import { givenIssuingRealm, givenUser, testPassphrase } from "../../support/given/issuing.ts";
import { openssl } from "../../support/pki/openssl.ts";
import { setUpOf } from "../../support/pki/smaller-file-reader.ts";
import {
  describeWithRadius,
  fetchCrl,
  fetchVlans,
  authenticate,
  radiusServerName,
  startRadius,
  type Answered,
  type DeviceFiles,
  type KnockOptions,
  type RadiusMode,
  type RadiusOptions,
  type RadiusServer,
} from "../../support/counterparts/radius.ts";
import { givenServiceApplication, startService, type RunningService } from "../../support/service/service.ts";
import { repeating } from "../../support/run/repeating.ts";
import { startTcpProxy, type TcpProxy } from "../../support/run/tcp-proxy.ts";
import { createBrowserSession } from "../../support/browser/browser-session.ts";
import { useUpstreamProvider } from "../../support/counterparts/upstream-provider.ts";

/**
 * The purpose of the service: FreeRADIUS, set up by docs/radius/README.md, admits only devices with a good profile. The
 * service, FreeRADIUS and the supplicant are real; RADIUS reaches the service through `network`.
 */

const modes = ["strict", "resilient"] as const satisfies RadiusMode[];

interface Profile {
  serial: string;
  identity: string;
  files: DeviceFiles;
}

interface Wanted {
  deviceType?: DeviceType;
  format?: "pkcs12" | "pem" | "onc" | "networkmanager" | "iwd";
  keyType?: KeyType;
  csr?: string;
}

interface Realm {
  id: string;
  domain: string;
  /** An access token of one of the realm's applications. */
  token: string;
  /** The issuing CA as PEM; `chain` adds its root. */
  issuer: string;
  chain: string;
  crlUrl: string;
}

describeWithRadius("EAP-TLS with FreeRADIUS", () => {
  let service: RunningService;
  let network: TcpProxy;
  let ownRealm: Realm;
  let otherRealm: Realm;
  let server: { certificate: string; privateKey: string };
  let healthy: Profile;
  let special: Profile;
  /** The options that all RADIUS servers of these tests share. */
  let common: Omit<RadiusOptions, "mode" | "issuers">;
  /** The application whose credentials the RADIUS servers use at the API. */
  let reader: { clientId: string; clientSecret: string };
  const radius = {} as Record<RadiusMode, RadiusServer>;

  beforeAll(async () => {
    const target = { host: "127.0.0.1", port: 0 };
    network = await startTcpProxy(target);
    service = await startService({
      responder: true,
      kind: "postgres",
      env: { REALMPASS_BASE_URL: `http://127.0.0.1:${network.port}` },
    });
    target.port = service.apiPort;

    const client = await givenServiceApplication(service.owner, service.realmId);
    reader = await givenServiceApplication(service.owner, service.realmId, ["radius.read"]);
    ownRealm = await givenRealm(service, client);
    const other = await givenIssuingRealm(service.owner);
    otherRealm = await givenRealm(other, await givenServiceApplication(service.owner, other.realmId));

    server = (await ask(ownRealm, "POST", `/api/infrastructure-profile/${radiusServerName}`, {
      format: "pem",
      validityMonths: 24,
    })) as typeof server;
    healthy = await issue(ownRealm);
    special = await issue(ownRealm);
    common = {
      realmDomain: ownRealm.domain,
      server: server.certificate,
      key: server.privateKey,
      exception: special.identity,
    };
    // The strict server also trusts the other realm's issuer, so only the realm's name excludes the other realm's
    // devices there.
    const trusted = { strict: ownRealm.issuer + otherRealm.issuer, resilient: ownRealm.issuer };
    for (const mode of modes) radius[mode] = await startRadius({ ...common, mode, issuers: trusted[mode] });
    await bringCrl();
  });

  afterAll(async () => {
    for (const each of Object.values(radius)) await each.stop();
  });

  const address = (): string => `http://127.0.0.1:${network.port}`;
  const upstream = useUpstreamProvider({
    redirectUri: () => `${address()}/login/upstream/callback`,
    claims: ["groups"],
    authentication: "none",
  });

  async function givenRealm(
    { realmId, issuerId, issuer, root }: { realmId: string; issuerId: string; issuer: Buffer; root: Buffer },
    { clientId, clientSecret }: { clientId: string; clientSecret: string },
  ): Promise<Realm> {
    // Raises the limit on offboardings to everyone, because the tests revoke most of the realm's profiles, one by one.
    const [row] = await service.owner.query<{ domain: string }>(sql`
      update realms set offboarding_share_percent = 100 where id = ${realmId} returning domain
    `);
    const form = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
    const crlUrl = `http://127.0.0.1:${network.port}/crl/${issuerId}.crl`;
    const token = await tokenFor(form);
    return { id: realmId, domain: row!.domain, token, issuer: pem(issuer), chain: pem(issuer) + pem(root), crlUrl };
  }

  async function tokenFor(form: Record<string, string>): Promise<string> {
    const answer = await fetch(`http://127.0.0.1:${service.apiPort}/oauth/token`, {
      method: "POST",
      body: new URLSearchParams(form),
    });
    return ((await answer.json()) as { access_token: string }).access_token;
  }

  async function ask(realm: Pick<Realm, "token">, method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await service.call(method, path, body, { authorization: `Bearer ${realm.token}` });
    expect(answer).toMatchObject({ status: 200 });
    return answer.body.data;
  }

  async function issue(realm: Realm, wanted: Wanted = {}, userId?: string): Promise<Profile> {
    const owner = userId ?? (await givenUser(service.owner, realm.id));
    return received(
      await ask(realm, "POST", `/api/user/${owner}/profiles/laptop`, {
        format: "pkcs12",
        deviceType: "Windows",
        ...wanted,
      }),
    );
  }

  const revoke = (...profiles: Profile[]): Promise<unknown> =>
    ask(ownRealm, "DELETE", "/api/profiles/bulk", { profiles: profiles.map(({ serial }) => serial) });

  const attemptAt = (
    server: RadiusServer,
    { files }: Pick<Profile, "files">,
    options: Pick<KnockOptions, "tls" | "again"> = {},
  ): Promise<Answered> =>
    authenticate({ radius: server, files, ca: ownRealm.chain, identity: `@${ownRealm.domain}`, ...options });

  const attempt = (
    mode: RadiusMode,
    profile: Pick<Profile, "files">,
    options: Pick<KnockOptions, "tls" | "again"> = {},
  ): Promise<Answered> => attemptAt(radius[mode], profile, options);

  async function expectAdmitted(mode: RadiusMode, profile: Profile, options: Pick<KnockOptions, "tls" | "again"> = {}) {
    const answered = await attempt(mode, profile, options);
    expect(answered, answered.complaints).toMatchObject({ admitted: true, accept: { userName: profile.identity } });
    return answered;
  }

  async function expectRefused(mode: RadiusMode, profile: Pick<Profile, "files">) {
    expect(await attempt(mode, profile)).toMatchObject({ admitted: false, accept: {} });
  }

  /** Expects both modes to refuse these profiles, once the cached responses from before the revocation have expired. */
  const expectRefusedSoon = (...profiles: Profile[]): Promise<unknown> =>
    Promise.all(profiles.flatMap((profile) => modes.map((mode) => eventually(() => expectRefused(mode, profile)))));

  /** Fetches CRLs as the timer does every minute. Resolves when the server has a CRL that contains these profiles. */
  const bringCrl = (...revoked: Profile[]): Promise<void> =>
    eventually(
      async () => {
        const { code, output, newest } = await fetchCrl(radius.resilient, ownRealm.crlUrl);
        expect({ code, output }).toMatchObject({ code: 0 });
        const { stdout } = openssl(["crl", "-noout", "-text", "-in", "crl"], { crl: newest });
        for (const { serial } of revoked) expect(stdout).toContain(hexadecimal(serial));
      },
      { everyMs: 250 },
    );

  /** Starts a server that has fetched neither a CRL nor VLANs; the test's end stops it. */
  async function givenFreshServer(mode: RadiusMode): Promise<RadiusServer> {
    const fresh = await startRadius({ ...common, mode, issuers: ownRealm.issuer });
    onTestFinished(() => fresh.stop());
    return fresh;
  }

  test("before its first CRL the resilient server admits nobody; after it, entitled devices, without a restart", async () => {
    const fresh = await givenFreshServer("resilient");
    expect(await attemptAt(fresh, healthy)).toMatchObject({ admitted: false, accept: {} });
    await eventually(() => {
      expect(fresh.output()).toContain("unable to get certificate CRL");
    });

    expect((await fetchCrl(fresh, ownRealm.crlUrl)).code).toBe(0);

    expect(await attemptAt(fresh, healthy)).toMatchObject({ admitted: true, accept: { userName: healthy.identity } });
  });

  const ownKey = openssl(["req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", "-", "-subj", "/CN=mine"]).stdout;
  const csr = ownKey.slice(ownKey.indexOf("-----BEGIN CERTIFICATE REQUEST"));
  const files: [string, Wanted][] = [
    ["a PKCS#12 file with P-256", { keyType: "ec-p256" }],
    ["a PKCS#12 file with RSA-2048", { keyType: "rsa-2048" }],
    ["PEM with P-256", { format: "pem", keyType: "ec-p256" }],
    ["PEM with RSA-2048", { format: "pem", keyType: "rsa-2048" }],
    ["a key of its own", { format: "pem", csr }],
  ];
  test.each(files)("a device with %s is admitted over TLS 1.2 and 1.3", async (_name, wanted) => {
    const profile = await issue(ownRealm, wanted);
    if (wanted.csr !== undefined) profile.files = { certificate: certificateOf(profile), key: ownKey };

    for (const tls of ["1.2", "1.3"] as const) {
      for (const mode of modes) {
        const { output } = await expectAdmitted(mode, profile, { tls });
        expect(output).toContain(`SSL: Using TLS version TLSv${tls}\n`);
      }
    }
  });

  test.each(deviceTypes)("a device with the unchanged PKCS#12 file for %s is admitted", async (deviceType) => {
    await expectAdmitted("strict", await issue(ownRealm, { deviceType }));
  });

  test.each<[NonNullable<Wanted["format"]>, DeviceType]>([
    ["onc", "ChromeOS"],
    ["networkmanager", "Linux"],
    ["iwd", "Linux"],
  ])(
    "a device set up by a file in the format %s is admitted, accepts only that server, and is refused after revocation",
    async (format, deviceType) => {
      if (format !== "onc" && format !== "networkmanager" && format !== "iwd") throw new Error("no such file");
      const profile = await issue(ownRealm, { format, deviceType });
      const setUp = setUpOf(format, "pkcs12" in profile.files ? profile.files.pkcs12 : Buffer.alloc(0));
      profile.files = setUp.files;
      // The profile names the server in the realm's domain; this test's server has the name from the documentation
      // page.
      expect(setUp.serverNames).toEqual([`radius.${ownRealm.domain}`]);
      expect(setUp.identity).toBe(`@${ownRealm.domain}`);
      const admitted = (serverNames: string[]) =>
        authenticate({ ...setUp, radius: radius.strict, serverNames }).then(({ admitted }) => admitted);
      expect(await admitted([...setUp.serverNames, radiusServerName])).toBe(true);
      expect(await admitted(["radius.evil.example"])).toBe(false);

      await revoke(profile);
      await expectRefusedSoon(profile);
    },
  );

  test("the reply contains the certificate's name, the time of the next check, and the VLAN", async () => {
    const times = { sessionTimeout: "3600", terminationAction: "1" };
    for (const mode of modes) {
      const fresh = await givenFreshServer(mode);
      await fetchCrl(fresh, ownRealm.crlUrl);
      const [first, second] = [await attemptAt(fresh, healthy), await attemptAt(fresh, special)];
      expect(first.accept).toEqual({ ...times, userName: healthy.identity, vlan: "20" });
      expect(second.accept).toEqual({ ...times, userName: special.identity, vlan: "30" });
    }
  });

  test("a device gets the VLAN of its person's claims, a VLAN set by hand, or the default, and no VLAN after offboarding", async () => {
    const rules = JSON.stringify([
      { claim: "groups", value: "staff", vlan: "31" },
      { claim: "groups", value: "students", vlan: "41" },
    ]);
    const [realm] = await service.owner.query<{ name: string }>(sql`
      update realms
         set upstream_issuer = ${upstream.url}, upstream_client_id = ${upstream.clientId}, vlan_rules = ${rules},
             vlan_default = '21'
       where id = ${ownRealm.id} returning name
    `);
    onTestFinished(async () => {
      await service.owner.query(sql`
        update realms set vlan_rules = '[]', vlan_default = null where id = ${ownRealm.id}
      `);
    });
    const arrive = async (sub: string, groups: string[]): Promise<{ userId: string; profile: Profile }> => {
      upstream.signsIn({ sub, email: `${sub}@example.org`, name: sub, groups });
      const browser = createBrowserSession(() => [address(), upstream.url]);
      expect(await browser.get(`${address()}/login/upstream?realm=${realm!.name}`)).toMatchObject({ status: 200 });
      const [user] = await service.owner.query<{ id: string }>(sql`
        select id from users where realm_id = ${ownRealm.id} and pairwise_id = ${sub}
      `);
      return { userId: user!.id, profile: await issue(ownRealm, { keyType: "ec-p256" }, user!.id) };
    };
    const both = await arrive("both", ["students", "staff"]);
    const student = await arrive("student", ["students"]);
    const neither = await arrive("neither", []);
    const moved = await arrive("moved", ["staff"]);
    await ask(ownRealm, "PUT", `/api/user/${moved.userId}/vlan`, { vlan: "quarantine" });
    await bringCrl();
    const expectVlans = async (expected: readonly [Profile, string][]): Promise<void> => {
      for (const mode of modes) {
        const { code, output } = await fetchVlans(radius[mode], { url: address(), client: reader });
        expect({ code, output }).toMatchObject({ code: 0 });
        for (const [profile, vlan] of expected) {
          await eventually(async () => {
            expect(await expectAdmitted(mode, profile)).toMatchObject({ accept: { vlan } });
          });
        }
      }
    };

    await expectVlans([
      [both.profile, "31"],
      [student.profile, "41"],
      [neither.profile, "21"],
      [healthy, "21"],
      [moved.profile, "quarantine"],
    ]);

    await ask(ownRealm, "DELETE", `/api/user/${both.userId}`);
    await ask(ownRealm, "PUT", `/api/user/${moved.userId}/vlan`, { vlan: null });
    await expectVlans([
      [student.profile, "41"],
      [moved.profile, "31"],
    ]);
    for (const mode of modes) {
      const list = await readFile(radius[mode].vlansFile, "utf8");
      expect(list).toContain(student.profile.identity);
      expect(list).not.toContain(both.profile.identity);
    }
    await expectRefusedSoon(both.profile);
  });

  test.each(modes)(
    "FreeRADIUS (%s) refuses no device while it repeatedly fetches and reads 60,000 VLANs",
    async (mode) => {
      const line = (identity: string, vlan: number): string => `${identity}\t${vlan}\n`;
      const names = Array.from({ length: 60_000 }, (_, index) => `${nameOf(index)}@${ownRealm.domain}`);
      let vlan = 100;
      const url = await answering(({ method }, response) => {
        if (method === "POST") response.end('{"access_token": "a"}');
        else response.end([...names, healthy.identity].map((name) => line(name, vlan)).join("") + "end\n");
      });
      let latest: Answered | undefined;
      const logins = repeating(async () => (latest = await attempt(mode, healthy)));
      try {
        for (; vlan < 102; vlan++) {
          const { code, list } = await fetchVlans(radius[mode], { url, client: reader });
          expect([code, list.split("@").length - 1]).toEqual([0, 60_001]);
          await eventually(() => {
            expect(latest?.accept.vlan, latest?.complaints).toBe(String(vlan));
          });
        }
      } finally {
        await logins.stop();
      }
      const answers = await logins.stop();
      expect(answers.filter(({ admitted }) => !admitted).map(({ complaints }) => complaints)).toEqual([]);
      // The server admits each login with either the old VLAN or the new VLAN.
      const vlans = answers.map(({ accept }) => accept.vlan).filter((each, index, all) => each !== all[index - 1]);
      expect(vlans.slice(-2)).toEqual(["100", "101"]);
      expect(vlans.length).toBeLessThanOrEqual(3);
    },
  );

  test.each<[string, number, RequestListener]>([
    ["Realmpass is away", 1, (_, response) => response.destroy()],
    ["the application has no permission", 3, (_, response) => response.writeHead(403).end("{}")],
    [
      "the list is cut off",
      3,
      ({ method }, response) => response.end(method === "POST" ? '{"access_token": "a"}' : "abc@demo.example\t3\n"),
    ],
    [
      "the list has an invalid line",
      3,
      ({ method }, response) =>
        response.end(method === "POST" ? '{"access_token": "a"}' : 'abc@demo.example\t3", Auth-Type := Accept\nend\n'),
    ],
  ])("when %s, fetch-vlans exits with %i and keeps its list", async (_, code, answer) => {
    const before = await readFile(radius.strict.vlansFile, "utf8");
    const url = await answering(answer);
    expect(await fetchVlans(radius.strict, { url, client: reader })).toMatchObject({ code, list: before });
  });

  test("a profile revoked by one call is soon refused", async () => {
    const profile = await issue(ownRealm);
    for (const mode of modes) await expectAdmitted(mode, profile);

    await ask(ownRealm, "DELETE", `/api/profiles/${profile.serial}`);

    await expectRefusedSoon(profile);
    await expectAdmitted("strict", healthy);
  });

  test("every profile of a person who is offboarded is soon refused", async () => {
    const userId = await givenUser(service.owner, ownRealm.id);
    const profiles = [await issue(ownRealm, {}, userId), await issue(ownRealm, { format: "pem" }, userId)];
    for (const profile of profiles) await expectAdmitted("resilient", profile);

    await ask(ownRealm, "DELETE", `/api/user/${userId}`);

    await expectRefusedSoon(...profiles);
  });

  test("a person who loses access at the identity provider can use their devices until they are offboarded", async () => {
    const [realm] = await service.owner.query<{ name: string }>(sql`
      update realms
         set upstream_issuer = ${upstream.url}, upstream_client_id = ${upstream.clientId},
             upstream_claims = '{"mayUse": [{"claim": "groups", "value": "wifi"}]}'
       where id = ${ownRealm.id} returning name
    `);
    onTestFinished(async () => {
      await service.owner.query(sql`update realms set upstream_claims = '{"mayUse": []}' where id = ${ownRealm.id}`);
    });
    const signIn = async (groups: string[]): Promise<number> => {
      upstream.signsIn({ sub: "leaver", email: "leaver@example.org", name: "Leaver", groups });
      const browser = createBrowserSession(() => [address(), upstream.url]);
      return (await browser.get(`${address()}/login/upstream?realm=${realm!.name}`)).status;
    };
    expect(await signIn(["wifi"])).toBe(200);
    const [user] = await service.owner.query<{ id: string }>(sql`
      select id from users where realm_id = ${ownRealm.id} and pairwise_id = 'leaver'
    `);
    const profile = await issue(ownRealm, {}, user!.id);

    expect(await signIn(["alumni"])).toBe(403);

    await bringCrl();
    for (const mode of modes) await expectAdmitted(mode, profile);
    await ask(ownRealm, "DELETE", `/api/user/${user!.id}`);
    await expectRefusedSoon(profile);
  });

  test("every profile of the people in an offboarding file is refused soon after the job's end", async () => {
    const people = await Promise.all(Array.from({ length: 5 }, () => givenUser(service.owner, ownRealm.id)));
    const profiles = await Promise.all(people.map((userId) => issue(ownRealm, { keyType: "ec-p256" }, userId)));
    const users = people.map((userID) => ({ userID }));
    const { status, body } = await service.call("POST", "/api/jobs/offboarding", { users });
    // 200 if the workers ended the job before the response.
    expect([200, 202]).toContain(status);
    const { id } = body.data as { id: string };

    await eventually(async () => {
      expect(await ask(ownRealm, "GET", `/api/jobs/${id}`)).toMatchObject({
        state: "completed",
        changed: people.length,
      });
    });

    await expectRefusedSoon(...profiles);
    await expectAdmitted("resilient", healthy);
  });

  test("the server resumes no session: it checks a returning device's certificate again", async () => {
    const device = await issue(ownRealm);
    for (const mode of modes) {
      for (const tls of ["1.2", "1.3"] as const) {
        const before = radius[mode].output().length;
        await expectAdmitted(mode, device, { tls, again: true });
        const checks = radius[mode]
          .output()
          .slice(before)
          .match(/ocsp: Using responder URL/g);
        expect(checks).toHaveLength(2);
      }
    }
  });

  test("an expired profile is refused", async () => {
    const expirationDate = new Date(Math.ceil(systemClock.now().getTime() / 1000 + 6) * 1000);
    const account = (await ask(ownRealm, "POST", "/api/guest-account", { name: "talk", expirationDate })) as {
      id: string;
    };
    const guestToken = (await ask(ownRealm, "GET", `/api/guest-token/${account.id}`)) as string;
    const guest = { token: await tokenFor({ grant_type: "guest_token", guest_token: guestToken }) };
    const wanted = { format: "pkcs12", deviceType: "Android", keyType: "ec-p256" };
    const profile = received(await ask(guest, "POST", "/api/guest-profile", wanted));
    await expectAdmitted("strict", profile);

    const output = radius.strict.output().length;
    await eventually(() => expectRefused("strict", profile), { everyMs: 250 });
    expect(systemClock.now().getTime()).toBeGreaterThanOrEqual(expirationDate.getTime());
    await eventually(() => {
      expect(radius.strict.output().slice(output)).toContain("certificate has expired");
    });
    await expectRefused("resilient", profile);
  });

  test("another realm's profile is refused, even if the server trusts its issuer", async () => {
    const profile = await issue(otherRealm);
    await expectRefused("strict", profile);
    // The pipe delivers the server's output after the server's reply.
    await eventually(() => {
      expect(radius.strict.output()).toContain(`if ("%{1}" == "${ownRealm.domain}")  -> FALSE`);
    });
    await expectRefused("resilient", profile);
  });

  test("a device with a server's certificate is refused", async () => {
    const files = { certificate: server.certificate, key: server.privateKey };
    for (const mode of modes) await expectRefused(mode, { files });
  });

  test("a certificate forged under the issuer's name is refused, and a self-signed certificate as well", async () => {
    for (const forged of [forgedBySameName(ownRealm, healthy), selfSigned(healthy)]) {
      for (const mode of modes) await expectRefused(mode, { files: forged });
    }
  });

  test("while 1,000 profiles are revoked, good profiles are never refused, and revoked profiles are soon refused", async () => {
    const profiles = await issueMany(1_000);
    const others = await Promise.all(modes.map((mode) => issue(ownRealm).then((device) => ({ mode, device }))));
    const storm = { running: true };
    const seen = { admitted: 0, refused: 0, crls: 0 };
    const devices = others.map(async ({ mode, device }) => {
      while (storm.running) seen[(await attempt(mode, device)).admitted ? "admitted" : "refused"] += 1;
    });
    const timer = (async () => {
      while (storm.running) {
        expect((await fetchCrl(radius.resilient, ownRealm.crlUrl)).code).toBe(0);
        seen.crls += 1;
      }
    })();

    try {
      for (let at = 0; at < profiles.length; at += 20) {
        const some = profiles.slice(at, at + 20);
        await Promise.all(some.map(({ serial }) => ask(ownRealm, "DELETE", `/api/profiles/${serial}`)));
      }
      await expectRefusedSoon(profiles[0]!, profiles[499]!, profiles[999]!);
    } finally {
      storm.running = false;
      await Promise.all([...devices, timer]);
    }

    expect(seen.refused).toBe(0);
    expect(seen.admitted).toBeGreaterThan(20);
    await bringCrl(profiles[0]!, profiles[999]!);
  });

  async function issueMany(count: number): Promise<Profile[]> {
    const profiles: Profile[] = [];
    while (profiles.length < count) {
      const owner = await givenUser(service.owner, ownRealm.id);
      const some = Array.from({ length: 50 }, () => issue(ownRealm, { keyType: "ec-p256" }, owner));
      profiles.push(...(await Promise.all(some)));
    }
    return profiles;
  }

  test("while the responder is down, the strict server admits no device and the resilient server follows each new CRL", async () => {
    const [before, after] = [await issue(ownRealm), await issue(ownRealm)];
    await revoke(before);
    await bringCrl(before);
    const direct = ownRealm.crlUrl.replace(String(network.port), String(service.apiPort));

    await network.cut();
    try {
      await expectRefused("strict", healthy);
      await expectAdmitted("resilient", healthy);
      await expectRefused("resilient", before);
      expect((await fetchCrl(radius.resilient, ownRealm.crlUrl)).code).toBe(1);

      // The resilient server has not yet learned of this revocation: this is the price of admitting devices while OCSP
      // is down.
      await revoke(after);
      await expectAdmitted("resilient", after);
      await eventually(async () => {
        expect((await fetchCrl(radius.resilient, direct)).code).toBe(0);
        await expectRefused("resilient", after);
      });
      await expectAdmitted("resilient", healthy);

      // The network drops every packet: the server gives up after 3 s, with the same outcome.
      await network.restore();
      network.silence();
      await Promise.all([expectRefused("strict", healthy), expectAdmitted("resilient", healthy)]);
    } finally {
      await network.restore();
    }
    for (const mode of modes) await expectAdmitted(mode, healthy);
  });

  test("after an issuer with critical name constraints takes over, devices of both issuers are admitted, and each issuer needs a valid CRL of its own", async () => {
    // A realm of its own: its earlier issuer issues no more.
    const given = await givenIssuingRealm(service.owner);
    const realm = await givenRealm(given, await givenServiceApplication(service.owner, given.realmId));
    const early = await issue(realm);
    const next = await givenNextIssuer(service.owner, given);
    const both = await startRadius({
      ...common,
      mode: "resilient",
      realmDomain: realm.domain,
      issuers: realm.issuer + pem(next.certificate),
    });
    try {
      const late = await issue(realm, { keyType: "ec-p256" });
      const knockAt = ({ files }: Profile, tls?: "1.2" | "1.3") =>
        authenticate({
          radius: both,
          files,
          ca: ownRealm.chain,
          identity: `@${realm.domain}`,
          ...(tls === undefined ? {} : { tls }),
        });
      const nextCrlUrl = realm.crlUrl.replace(/\d+\.crl$/, `${next.id}.crl`);

      const { code, files } = await fetchCrl(both, realm.crlUrl);
      expect(code).toBe(4);
      expect(await knockAt(early)).toMatchObject({ admitted: true });
      expect(await knockAt(late)).toMatchObject({ admitted: false });

      await writeFile(join(both.crlDirectory, `${next.hash}.r0`), next.endedCrl);
      expect(await knockAt(late)).toMatchObject({ admitted: false });
      expect(both.output()).toContain("CRL has expired");

      await eventually(async () => {
        expect((await fetchCrl(both, realm.crlUrl, nextCrlUrl)).code).toBe(0);
      });
      expect((await fetchCrl(both, realm.crlUrl, nextCrlUrl)).files).toContain(files[0]);
      for (const profile of [early, late]) {
        for (const tls of ["1.2", "1.3"] as const) {
          expect(await knockAt(profile, tls)).toMatchObject({ admitted: true });
        }
      }
    } finally {
      await both.stop();
    }
  });
});

/**
 * Makes the realm's next issuing CA, with critical name constraints, which issues from now on. Its CRL expired long
 * ago.
 */
async function givenNextIssuer(owner: Database, { realmId }: { realmId: string }) {
  const at = systemClock.now();
  const names = { organization: `realm ${realmId}`, at, passphrase: testPassphrase };
  const root = await createRoot(names);
  const { certificate, encryptedKey } = await createIssuingCa({
    ...names,
    nameConstraints: { form: "critical", domains: ["example"] },
    root,
  });
  const { subject, notBefore, notAfter } = new X509Certificate(certificate);
  const { id } = await owner.transaction((tx) =>
    issuerKeys.create(tx, {
      realmId,
      certificate,
      chain: [root.certificate],
      fingerprint: createHash("sha256").update(certificate).digest(),
      subject,
      notBefore,
      notAfter,
      permittedDomains: ["example"],
      encryptedKey,
      at,
    }),
  );
  const key = await decryptKey(encryptedKey, testPassphrase);
  const endedCrl = openssl(
    ["ca", "-config", "settings", "-name", "ca", "-gencrl", "-cert", "ca", "-keyfile", "key", "-keyform", "DER"].concat(
      ["-crl_lastupdate", "20200101000000Z", "-crl_nextupdate", "20200102000000Z"],
    ),
    { ca: pem(certificate), key, index: "", settings: "[ca]\ndatabase=index\ndefault_md=sha256\n" },
  ).stdout;
  const hash = openssl(["x509", "-noout", "-subject_hash", "-in", "ca"], { ca: pem(certificate) }).stdout.trim();
  expect(endedCrl).toContain("BEGIN X509 CRL");
  return { id, certificate, endedCrl, hash };
}

function received(data: unknown): Profile {
  const profile = data as {
    serial: string;
    identity: string;
    data?: string;
    certificate?: string;
    privateKey?: string;
  };
  const { serial, identity, certificate = "", privateKey = "" } = profile;
  const files =
    profile.data === undefined ? { certificate, key: privateKey } : { pkcs12: Buffer.from(profile.data, "base64") };
  return { serial, identity, files };
}

function certificateOf({ files }: Profile): string {
  if ("certificate" in files) return files.certificate;
  throw new Error("not PEM");
}

const pem = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString("base64").replace(/.{64}(?=.)/g, "$&\n")}\n-----END CERTIFICATE-----\n`;

/** Returns a serial number as OpenSSL prints it. */
const hexadecimal = (serial: string): string => {
  const digits = BigInt(serial).toString(16).toUpperCase();
  return digits.length % 2 === 0 ? digits : `0${digits}`;
};

/**
 * Makes a CA that forges the name of the realm's issuing CA. The forged CA signs a device certificate with the name of
 * a good device.
 */
function forgedBySameName(realm: Realm, { identity }: Profile): DeviceFiles {
  const subject = openssl(["x509", "-noout", "-subject", "-nameopt", "compat", "-in", "ca"], {
    ca: realm.issuer,
  }).stdout;
  const ca = selfSigned({ identity: "", subject: subject.trim().replace("subject=", "") });
  const key = newKey();
  const request = openssl(["req", "-new", "-key", "key", "-subj", `/CN=${identity}`], { key }).stdout;
  const certificate = openssl(
    ["x509", "-req", "-in", "csr", "-CA", "ca", "-CAkey", "cakey", "-days", "30", "-extfile", "extensions"],
    { csr: request, ca: ca.certificate, cakey: ca.key, extensions: "extendedKeyUsage=clientAuth\n" },
  ).stdout;
  expect(certificate).toContain("BEGIN CERTIFICATE");
  return { certificate: certificate + ca.certificate, key };
}

function selfSigned({ identity, subject = `/CN=${identity}` }: { identity: string; subject?: string }) {
  const key = newKey();
  const certificate = openssl(["req", "-new", "-x509", "-key", "key", "-days", "30", "-subj", subject], { key }).stdout;
  expect(certificate).toContain("BEGIN CERTIFICATE");
  return { certificate, key };
}

const newKey = (): string => openssl(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]).stdout;

/** Returns a name that looks like a profile's: letters of base 32. */
const nameOf = (index: number): string =>
  index
    .toString(25)
    .replace(/[0-9a-o]/g, (digit) => String.fromCharCode(97 + parseInt(digit, 25)))
    .padStart(20, "a");

/** Starts a server that takes the place of Realmpass in this test; returns its address. */
async function answering(listener: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    listener(request, response);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
