import { createHash } from "node:crypto";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { only } from "../../../db/client.ts";
import * as issuerKeys from "../../../db/queries/issuer-keys.ts";
import { sql } from "../../../db/sql.ts";
import { pem } from "../../../pki/pem.ts";
import { X509Certificate } from "../../../pki/x509.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { createIssuingCa, createRoot, type CertificateAuthority } from "../../../worker/keys/ceremony.ts";
import {
  authenticate,
  describeWithRadius,
  edit,
  fetchCrl,
  radiusServerName,
  startRadius,
  type RadiusOptions,
  type RadiusServer,
} from "../../support/counterparts/radius.ts";
import { givenIssuingRealm, givenUser, testPassphrase } from "../../support/given/issuing.ts";
import { atEndOfFile } from "../../support/run/at-end.ts";
import { eventually } from "../../support/run/eventually.ts";
import { startTcpProxy, type TcpProxy } from "../../support/run/tcp-proxy.ts";
import { describeWithTool, requireTool } from "../../support/run/tools.ts";
import { givenServiceApplication, startService, type RunningService } from "../../support/service/service.ts";
import { testKeyCost } from "../../support/given/hierarchy/test-hierarchy.ts";

/**
 * Servers trust other parts of the chain than docs/radius describes (the issuing CA, its root, or both). Devices send
 * their certificate alone or with the issuing CA. The root has signed three issuing CAs: the realm's current CA, the
 * realm's previous CA, and another realm's CA.
 */

const trusts = ["issuing", "root", "both"] as const;
type Trust = (typeof trusts)[number];

const devices = ["own", "revoked", "earlier", "other", "stranger"] as const;
/**
 * The issuers of the devices' certificates. `own` and `revoked`: the realm's issuing CA. `earlier`: the realm's
 * previous issuing CA. `other`: another realm's issuing CA under the root. `stranger`: another root.
 */
type Device = (typeof devices)[number];
type Sent = "leaf" | "chain";

/** Returns whether a validator that trusts these CAs finds a chain; a revoked certificate has a chain as well. */
function hasChain(trust: Trust, device: Device, sent: Sent): boolean {
  const isOwn = device === "own" || device === "revoked";
  if (device === "stranger") return false;
  if (trust === "issuing") return isOwn;
  // A validator with only the root lacks the issuing CA if the device does not send it. The root vouches for every CA
  // below it.
  return sent === "chain" || (trust === "both" && isOwn);
}

const rows = trusts.flatMap((trust) =>
  devices.flatMap((device) => (["leaf", "chain"] as const).map((sent) => ({ trust, device, sent }))),
);

interface Files {
  serial: string;
  leaf: string;
  chain: string;
  key: string;
}

describeWithRadius("the CAs that a RADIUS server trusts", () => {
  let service: RunningService;
  let network: TcpProxy;
  let directory: string;
  let server: { certificate: string; privateKey: string };
  let own: Realm;
  let other: Realm;
  const held = {} as Record<Device, Files>;
  /** The trusted CAs as PEM. */
  const trusted = {} as Record<Trust, string>;
  /** Addresses of the CRLs of all issuing CAs below the root. */
  let crlUrls: string[];

  interface Realm {
    id: string;
    domain: string;
    token: string;
  }

  beforeAll(async () => {
    const target = { host: "127.0.0.1", port: 0 };
    network = await startTcpProxy(target);
    service = await startService({
      responder: true,
      kind: "postgres",
      env: { REALMPASS_BASE_URL: `http://127.0.0.1:${network.port}` },
      atEnd: atEndOfFile,
    });
    target.port = service.apiPort;
    const names = { organization: "Shared", at: systemClock.now(), passphrase: testPassphrase, cost: testKeyCost };
    const root = await createRoot(names);
    own = await givenRealm(service.realmId);
    other = await givenRealm((await givenIssuingRealm(service.owner)).realmId);

    held.stranger = await issue(own);
    const earlier = await givenIssuer(own, root);
    held.earlier = await issue(own);
    const issuing = await givenIssuer(own, root);
    [held.own, held.revoked] = [await issue(own), await issue(own)];
    const others = await givenIssuer(other, root);
    held.other = await issue(other);
    server = (await ask(own, "POST", `/api/infrastructure-profile/${radiusServerName}`, {
      format: "pem",
      validityMonths: 24,
    })) as typeof server;
    await ask(own, "DELETE", `/api/profiles/${held.revoked.serial}`);

    trusted.issuing = pem("CERTIFICATE", issuing.certificate);
    trusted.root = pem("CERTIFICATE", root.certificate);
    trusted.both = trusted.issuing + trusted.root;
    crlUrls = [earlier, issuing, others].map(({ id }) => `http://127.0.0.1:${network.port}/crl/${id}.crl`);

    directory = await mkdtemp(join(tmpdir(), "realmpass-trust-"));
    atEndOfFile(() => rm(directory, { recursive: true, force: true }));
    for (const trust of trusts) await writeFile(join(directory, `${trust}.pem`), trusted[trust]);
    for (const device of devices) {
      await writeFile(join(directory, `${device}-leaf.pem`), held[device].leaf);
      await writeFile(join(directory, `${device}-chain.pem`), held[device].chain);
    }
    const number = BigInt(held.revoked.serial).toString(16).toUpperCase();
    await eventually(async () => {
      const lists = await Promise.all(
        crlUrls.map(async (url) => {
          const answer = await fetch(url);
          expect(answer.status).toBe(200);
          return pem("X509 CRL", Buffer.from(await answer.arrayBuffer()));
        }),
      );
      await writeFile(join(directory, "crls.pem"), lists.join(""));
      await writeFile(join(directory, "crl.pem"), lists[1]!);
      expect((await run("openssl", ["crl", "-in", "crl.pem", "-noout", "-text"])).output).toContain(number);
    });
  });

  /** Makes the realm's next issuing CA, which issues from now on. */
  async function givenIssuer({ id: realmId }: Realm, root: CertificateAuthority) {
    const at = systemClock.now();
    const { certificate, encryptedKey } = await createIssuingCa({
      organization: `realm ${realmId}`,
      at,
      passphrase: testPassphrase,
      cost: testKeyCost,
      nameConstraints: { form: "plain", domains: ["example"] },
      root,
    });
    const { subject, notBefore, notAfter } = new X509Certificate(certificate);
    const { id } = await service.owner.transaction((tx) =>
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
    return { id, certificate };
  }

  async function givenRealm(id: string): Promise<Realm> {
    const { domain } = only(
      await service.owner.query<{ domain: string }>(sql`
        update realms set offboarding_share_percent = 100 where id = ${id} returning domain
      `),
    );
    return { id, domain, token: await service.tokenOf(await givenServiceApplication(service.owner, id)) };
  }

  async function ask({ token }: Realm, method: string, path: string, body?: unknown): Promise<unknown> {
    const headers = { authorization: `Bearer ${token}`, prefer: "wait=60" };
    const answer = await service.call(method, path, body, headers);
    expect(answer).toMatchObject({ status: 200 });
    return answer.body.data;
  }

  async function issue(realm: Realm): Promise<Files> {
    const userId = await givenUser(service.owner, realm.id);
    const wanted = { format: "pem", deviceType: "Linux", keyType: "ec-p256" };
    const data = await ask(realm, "POST", `/api/user/${userId}/profiles/laptop`, wanted);
    const { serial, certificate: chain, privateKey: key } = data as Record<string, string>;
    return { serial: serial!, chain: chain!, leaf: /^.*?END CERTIFICATE-----\n/s.exec(chain!)![0], key: key! };
  }

  async function run(tool: string, args: readonly string[]): Promise<{ status: number; output: string }> {
    try {
      const { stdout, stderr } = await promisify(execFile)(requireTool(tool), args, { cwd: directory });
      return { status: 0, output: stdout + stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
      if (typeof code !== "number") throw error;
      return { status: code, output: stdout + stderr };
    }
  }

  const withoutOcsp = ({ configuration }: { configuration: string }): Promise<void> =>
    edit(join(configuration, "mods-available/realmpass_eap"), [["enable = yes", "enable = no"]]);

  const start = (
    mode: "strict" | "resilient",
    trust: Trust,
    { realmDomain = own.domain, also }: Partial<Pick<RadiusOptions, "realmDomain" | "also">> = {},
  ): Promise<RadiusServer> =>
    startRadius({
      mode,
      realmDomain,
      server: server.certificate,
      key: server.privateKey,
      issuers: trusted[trust],
      ...(also && { also }),
    });

  const admits = async (radius: RadiusServer, device: Device, sent: Sent): Promise<boolean> => {
    const { [sent]: certificate, key } = held[device];
    // Contains only the root: with the issuing CA in this file, OpenSSL on the device would always send the issuing CA.
    const ca = trusted.root;
    return (await authenticate({ radius, files: { certificate, key }, ca, identity: `@${own.domain}` })).admitted;
  };

  /** Returns the devices that a server admits, each with the form that it sent, for example `own leaf`. */
  async function admitted(radius: RadiusServer): Promise<string[]> {
    const names = devices.flatMap((device) => (["leaf", "chain"] as const).map((sent) => [device, sent] as const));
    const found = await Promise.all(names.map(([device, sent]) => admits(radius, device, sent)));
    return names.filter((_, index) => found[index]).map((name) => name.join(" "));
  }

  describe("FreeRADIUS", () => {
    async function withServer(server: Promise<RadiusServer>, use: (radius: RadiusServer) => Promise<void>) {
      const radius = await server;
      try {
        await use(radius);
      } finally {
        await radius.stop();
      }
    }

    test.each<[Trust, string[]]>([
      ["issuing", ["own leaf", "own chain"]],
      // FreeRADIUS verifies an OCSP response with its own CAs, not with the CAs that a device sends.
      ["root", []],
      ["both", ["own leaf", "own chain"]],
    ])("in strict mode, trusting %s, admits only %j", (trust, expected) =>
      withServer(start("strict", trust), async (radius) => {
        await eventually(async () => {
          expect(await admitted(radius)).toEqual(expected);
        });
        await eventually(() => {
          expect(radius.output().includes("Couldn't verify OCSP basic response")).toBe(trust !== "issuing");
        });
      }),
    );

    test.each<[Trust, string[]]>([
      ["issuing", ["own leaf", "own chain", "revoked leaf", "revoked chain"]],
      ["root", ["own chain", "revoked chain", "earlier chain"]],
      ["both", ["own leaf", "own chain", "revoked leaf", "revoked chain", "earlier chain"]],
    ])("without OCSP, trusting %s, admits only %j", (trust, expected) =>
      withServer(start("strict", trust, { also: withoutOcsp }), async (radius) => {
        expect(await admitted(radius)).toEqual(expected);
      }),
    );

    test.each<[Trust, string[]]>([
      ["issuing", []],
      ["root", ["other chain"]],
    ])("without OCSP, trusting %s, with another realm's name, admits only %j", (trust, expected) =>
      withServer(start("strict", trust, { realmDomain: other.domain, also: withoutOcsp }), async (radius) => {
        expect(await admitted(radius)).toEqual(expected);
      }),
    );

    test.each<[Trust, number, string[]]>([
      ["issuing", 0, ["own leaf", "own chain"]],
      // A CA that the server lacks signed each CRL.
      ["root", 4, []],
      // The root's CRL is missing, and FreeRADIUS does not require it.
      ["both", 4, ["own leaf", "own chain"]],
    ])(
      "in resilient mode, trusting %s: fetch-crl exits with %i, and without OCSP FreeRADIUS admits only %j",
      (trust, code, expected) =>
        withServer(start("resilient", trust), async (radius) => {
          expect((await fetchCrl(radius, crlUrls[1]!)).code).toBe(code);
          await network.cut();
          try {
            expect(await admitted(radius)).toEqual(expected);
          } finally {
            await network.restore();
          }
        }),
    );
  });

  const isIn = (word: boolean): string => (word ? "in" : "out");

  describeWithTool("openssl", "OpenSSL", () => {
    const verify = async ({ trust, device, sent }: (typeof rows)[number], ...more: string[]): Promise<string> => {
      const untrusted = sent === "chain" ? ["-untrusted", `${device}-chain.pem`] : [];
      const { status } = await run("openssl", [
        ...["verify", "-x509_strict", "-purpose", "sslclient", "-CAfile", `${trust}.pem`, ...untrusted, ...more],
        `${device}-leaf.pem`,
      ]);
      return isIn(status === 0);
    };

    test("builds a chain, and refuses a revoked certificate by CRL", async () => {
      for (const row of rows) {
        const found = hasChain(row.trust, row.device, row.sent);
        const name = Object.values(row).join(" ");
        expect([name, await verify(row, "-partial_chain")]).toEqual([name, isIn(found)]);
        const crls = ["-partial_chain", "-crl_check", "-CRLfile", "crls.pem"];
        expect([name, await verify(row, ...crls)]).toEqual([name, isIn(found && row.device !== "revoked")]);
      }
    });

    test("trusts an issuing CA without its root only with a partial chain", async () => {
      const row = { trust: "issuing", device: "own", sent: "chain" } as const;
      expect([await verify(row), await verify(row, "-partial_chain")]).toEqual(["out", "in"]);
      expect(await verify({ ...row, trust: "root" })).toBe("in");
    });

    test.each(trusts)("trusting %s, verifies OCSP responses", async (trust) => {
      for (const [device, status] of [
        ["own", "good"],
        ["revoked", "revoked"],
      ] as const) {
        const url = /OCSP - URI:(\S+)/.exec(
          (await run("openssl", ["x509", "-in", `${device}-leaf.pem`, "-noout", "-text"])).output,
        )![1]!;
        const { output } = await run("openssl", [
          ...["ocsp", "-issuer", "issuing.pem", "-cert", `${device}-leaf.pem`, "-url", url, "-partial_chain"],
          ...["-CAfile", `${trust}.pem`, "-verify_other", "issuing.pem"],
        ]);
        expect(output).toContain("Response verify OK");
        expect(output).toContain(`${device}-leaf.pem: ${status}`);
      }
    });
  });

  describeWithTool("certtool", "GnuTLS", () => {
    test("builds a chain, and refuses a revoked certificate by CRL", async () => {
      for (const { trust, device, sent } of rows) {
        const args = ["--verify", "--load-ca-certificate", `${trust}.pem`, "--infile", `${device}-${sent}.pem`];
        const found = hasChain(trust, device, sent);
        const name = `${trust} ${device} ${sent}`;
        const plain = await run("certtool", args);
        expect([name, isIn(plain.status === 0)], plain.output).toEqual([name, isIn(found)]);
        const checked = await run("certtool", [...args, "--load-crl", "crls.pem"]);
        const good = found && device !== "revoked";
        expect([name, isIn(checked.status === 0)], checked.output).toEqual([name, isIn(good)]);
      }
    });
  });

  describeWithTool("java", "Java", () => {
    const program = fileURLToPath(new URL("../../support/pki/TrustClients.java", import.meta.url));

    test.each(trusts)(
      "trusting %s, builds a chain, and refuses a revoked certificate by OCSP or CRL",
      async (trust) => {
        const sent = rows.filter((row) => row.trust === trust);
        const files = sent.map((row) => `${row.device}-${row.sent}.pem`);
        const args = ["-XX:TieredStopAtLevel=1", program, `${trust}.pem`, ...files];
        const { status, output } = await run("java", args);
        expect({ status, output }).toMatchObject({ status: 0 });
        const expected = sent.flatMap(({ device, sent }) => {
          const found = hasChain(trust, device, sent);
          const good = found && device !== "revoked";
          return [
            ["none", found],
            ["ocsp", good],
            ["crl", good],
          ].map(([means, good]) => `${device}-${sent}.pem\t${means}\t${isIn(good as boolean)}`);
        });
        const lines = output.trim().split("\n");
        expect(lines.map((line) => line.replace(/\t[^\t]+$/, (why) => `\t${isIn(why === "\tok")}`))).toEqual(expected);
      },
    );
  });
});
