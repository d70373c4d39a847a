import { spawnSync } from "node:child_process";
import { createPrivateKey, randomBytes } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, createSecureContext, createServer, type TLSSocket } from "node:tls";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deviceTypes, type DeviceType } from "../../domain/certificate/device.ts";
import { encodePkcs12 } from "../../pki/pkcs12.ts";
import { pkcs12Kdf } from "../../pki/pkcs12-kdf.ts";
import { makeClientHierarchy, type ClientHierarchy } from "../support/given/client-hierarchy.ts";
import { describeWithTool, requireTool } from "../support/run/tools.ts";

const friendlyName = "Jürgen’s 📱 at example.org";
const withoutIssuer: readonly (DeviceType | null)[] = ["iOS", "iPadOS", "MacOS"];

interface Case {
  deviceType: DeviceType | null;
  keyType: keyof ClientHierarchy["clients"];
  file: string;
  certificates: 1 | 2;
}

/**
 * A file for every device type and the unknown type, with both kinds of key. The bundle formats have the same files.
 */
const cases: readonly Case[] = [...deviceTypes, null].flatMap((deviceType) =>
  (["ec-p256", "rsa-2048"] as const).map((keyType) => ({
    deviceType,
    keyType,
    file: `${deviceType ?? "unknown"}-${keyType}.p12`,
    certificates: withoutIssuer.includes(deviceType) ? (1 as const) : (2 as const),
  })),
);
const readableByGnutls = cases.filter(({ deviceType }) => deviceType !== "MacOS");
const zeroLength = cases.filter(({ deviceType }) => deviceType === "MacOS");

/** Returns the DER content of the PEM blocks whose label ends in `label`. */
const pemBlocks = (text: string, label: string): Buffer[] =>
  [...text.matchAll(/-----BEGIN ([A-Z ]+)-----([^-]+)-----END/g)]
    .filter(([, found = ""]) => found.endsWith(label))
    .map(([, , body = ""]) => Buffer.from(body, "base64"));

describeWithTool("openssl", "a PKCS#12 file with an empty password (RFC 7292)", () => {
  let directory: string;
  let hierarchy: ClientHierarchy;

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "realmpass-pkcs12-"));
    hierarchy = makeClientHierarchy(requireTool("openssl"), directory);
    for (const { deviceType, keyType, file } of cases) {
      const input = { ...hierarchy.clients[keyType], deviceType, friendlyName, chain: [hierarchy.issuer] };
      writeFileSync(join(directory, file), encodePkcs12(input));
    }
  });
  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  function run(tool: string, args: readonly string[]) {
    const result = spawnSync(requireTool(tool), args, { cwd: directory, timeout: 60_000 });
    if (result.error) throw result.error;
    return {
      status: result.status,
      stdout: result.stdout.toString("utf8"),
      output: result.stdout,
      stderr: result.stderr.toString("utf8"),
    };
  }

  const certificatesOf = ({ keyType, certificates }: Case): Buffer[] =>
    [hierarchy.clients[keyType].certificate, hierarchy.issuer].slice(0, certificates);

  describe("opens in OpenSSL, without the legacy provider", () => {
    test.each(cases)("$file", (one) => {
      const read = run("openssl", ["pkcs12", "-in", one.file, "-passin", "pass:", "-nodes"]);

      expect(read).toMatchObject({ status: 0, stderr: "" });
      expect(pemBlocks(read.stdout, "CERTIFICATE")).toEqual(certificatesOf(one));
      expect(pemBlocks(read.stdout, "PRIVATE KEY")).toEqual([hierarchy.clients[one.keyType].privateKeyPkcs8]);
      const localKeyIds = [...read.stdout.matchAll(/localKeyID: ([0-9A-F ]+)/g)].map(([, id]) => id);
      expect(localKeyIds).toHaveLength(2);
      expect(new Set(localKeyIds).size).toBe(1);
    });

    test("but not with another password", () => {
      expect(run("openssl", ["pkcs12", "-in", "Windows-ec-p256.p12", "-passin", "pass:x", "-nodes"]).status).toBe(1);
    });
  });

  describeWithTool("certtool", "and GnuTLS", () => {
    const info = (file: string, ...password: string[]) =>
      run("certtool", ["--p12-info", "--inder", ...password, "--infile", file]);

    /** Decrypts the key, because certtool prints it encrypted. */
    function decryptKey(listing: string, file: string): Buffer {
      const [encrypted] =
        /-----BEGIN ENCRYPTED PRIVATE KEY-----[^-]+-----END ENCRYPTED PRIVATE KEY-----\n/.exec(listing) ?? [];
      writeFileSync(join(directory, `${file}.key`), encrypted ?? "");
      const options = ["--key-info", "--pkcs8", "--empty-password", "--outder", "--no-text"];
      return run("certtool", [...options, "--infile", `${file}.key`]).output;
    }

    test.each(readableByGnutls)("opens $file", (one) => {
      const read = info(one.file, "--password", "");
      const { d = "missing" } = hierarchy.clients[one.keyType].privateKey.export({ format: "jwk" });

      expect(read.status).toBe(0);
      expect(pemBlocks(read.stdout, "CERTIFICATE")).toEqual(certificatesOf(one));
      expect(read.stdout.match(new RegExp(`Friendly name: ${friendlyName}`, "g"))).toHaveLength(2);
      expect(decryptKey(read.stdout, one.file).includes(Buffer.from(d, "base64url"))).toBe(true);
    });

    test.each(zeroLength)("refuses $file, which is a known limitation, and reads it with --null-password", (one) => {
      const refused = info(one.file, "--password", "");
      const read = info(one.file, "--null-password");

      expect(refused.status).toBe(1);
      expect(refused.stderr).toContain("Message Authentication Code verification failed");
      expect(read.status).toBe(0);
      expect(pemBlocks(read.stdout, "CERTIFICATE")).toEqual(certificatesOf(one));
    });
  });

  describeWithTool(["pk12util", "certutil"], "and NSS", () => {
    beforeAll(() => {
      mkdirSync(join(directory, "nss"));
      expect(run("certutil", ["-N", "-d", "sql:nss", "--empty-password"]).status).toBe(0);
    });

    test.each(cases)("lists and imports $file", (one) => {
      const database = `nss-${one.file}`;
      cpSync(join(directory, "nss"), join(directory, database), { recursive: true });

      const listed = run("pk12util", ["-l", one.file, "-W", "", "-d", `sql:${database}`]);
      expect(listed).toMatchObject({ status: 0, stderr: "" });
      expect(listed.stdout.match(/^Certificate(\(has private key\))?:$/gm)).toHaveLength(one.certificates);
      expect(listed.stdout).toMatch(/^Certificate\(has private key\):$/m);
      expect(listed.stdout).toMatch(/^Key\(shrouded\):\n {4}Friendly Name: Jürgen’s 📱 at example\.org$/m);

      expect(run("pk12util", ["-i", one.file, "-W", "", "-d", `sql:${database}`]).status).toBe(0);
      const key = run("certutil", ["-K", "-d", `sql:${database}`]).stdout;
      expect(key).toMatch(
        new RegExp(`^< 0> ${one.keyType.slice(0, one.keyType.indexOf("-"))} .*${friendlyName}$`, "m"),
      );
    });
  });

  describeWithTool("keytool", "and Java's keytool", () => {
    // Starting Java for each file takes a third of a second, and keytool treats all keys alike.
    test.each(cases.filter(({ file }) => file.endsWith("ec-p256.p12")))("lists $file", (one) => {
      const listed = run("keytool", [
        "-J-Dfile.encoding=UTF-8",
        "-list",
        "-storetype",
        "PKCS12",
        "-storepass",
        "",
        "-keystore",
        one.file,
      ]);

      expect(listed.status).toBe(0);
      expect(listed.stdout).toContain("Your keystore contains 1 entry");
      expect(listed.stdout).toContain("PrivateKeyEntry");
      expect(listed.stdout).toContain(hierarchy.clients[one.keyType].x509.fingerprint256);
    });
  });

  describeWithTool(["java", "javac"], "and Java programs", () => {
    let found: Map<string, string>;

    beforeAll(() => {
      const reader = fileURLToPath(new URL("../support/pki/ReadPkcs12.java", import.meta.url));
      const read = run("java", [reader, ...cases.map(({ file }) => file)]);
      expect(read).toMatchObject({ status: 0, stderr: "" });
      const lines = read.stdout.trim().split("\n");
      expect(lines).toHaveLength(cases.length);
      found = new Map(lines.map((line) => [line.slice(0, line.indexOf("\t")), line.slice(line.indexOf("\t") + 1)]));
    });

    test.each(cases)("get key, leaf and chain out of $file", (one) => {
      const alias = Buffer.from(friendlyName.toLowerCase()).toString("hex");
      const algorithm = one.keyType === "ec-p256" ? "EC" : "RSA";

      expect(found.get(one.file)).toBe([alias, algorithm, "true", one.certificates].join("\t"));
    });
  });

  describe("and in Node, which then proves possession of the key in a TLS handshake", () => {
    test.each(cases)("$file", async (one) => {
      const { privateKeyPkcs8: ownKey, x509 } = hierarchy.clients["ec-p256"];
      // If the file contains the issuing CA, the server trusts only the root, so the client must send the issuing CA.
      const ca = one.certificates === 2 ? [hierarchy.rootPem] : [hierarchy.rootPem, hierarchy.issuerPem];
      const key = createPrivateKey({ key: ownKey, format: "der", type: "pkcs8" }).export({
        format: "pem",
        type: "pkcs8",
      });
      const server = createServer({ key, cert: x509.toString(), ca, requestCert: true, rejectUnauthorized: true });
      const accepted = once(server, "secureConnection") as Promise<[TLSSocket]>;
      const refused = once(server, "tlsClientError").then(([error]) => Promise.reject(error as Error));
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      // The server uses a client certificate, because the server's certificate does not matter here.
      const secureContext = createSecureContext({ pfx: readFileSync(join(directory, one.file)), passphrase: "" });
      const client = connect({ host: "127.0.0.1", port, secureContext, rejectUnauthorized: false });
      try {
        const [socket] = await Promise.race([accepted, refused]);

        expect(socket.authorized).toBe(true);
        expect(socket.getPeerCertificate().raw).toEqual(hierarchy.clients[one.keyType].certificate);
        socket.destroy();
      } finally {
        client.destroy();
        server.close();
      }
    });
  });

  test("the key derivation agrees with openssl kdf, for any salt, purpose, rounds and length", () => {
    const passwords = ["", "0000", "0041d83ddcf10000"].map((hex) => Buffer.from(hex, "hex"));
    for (const [round, password] of Array.from({ length: 8 }, () => passwords)
      .flat()
      .entries()) {
      const hash = round % 2 === 0 ? "sha1" : "sha256";
      const purpose = round % 5 === 0 ? 3 : round % 5 === 1 ? 2 : 1;
      const salt = randomBytes(8 + round);
      const [iterations, length] = [1 + (round % 7), 8 + 7 * round];
      const options = Object.entries({
        digest: hash,
        hexpass: password.toString("hex"),
        hexsalt: salt.toString("hex"),
        iter: String(iterations),
        id: String(purpose),
      }).flatMap(([name, value]) => ["-kdfopt", `${name}:${value}`]);
      const derived = pkcs12Kdf({ hash, purpose, password, salt, iterations, length });
      const { stdout } = run("openssl", ["kdf", "-keylen", String(length), ...options, "PKCS12KDF"]);

      expect(derived.toString("hex")).toBe(stdout.replace(/[:\s]/g, "").toLowerCase());
    }
  });
});
