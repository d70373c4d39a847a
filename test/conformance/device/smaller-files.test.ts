import { createPrivateKey, X509Certificate } from "node:crypto";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { DeviceFileFormat } from "../../../domain/certificate/format.ts";
import type { NetworkSettings } from "../../../worker/issuance/device-files/device-file-content.ts";
import { encodeDeviceFile } from "../../../worker/issuance/device-files/device-file.ts";
import { makeClientHierarchy, type ClientHierarchy } from "../../support/given/client-hierarchy.ts";
import { ellReads } from "../../support/pki/ell.ts";
import { openBundle } from "../../support/pki/device-file-reader.ts";
import { openssl } from "../../support/pki/openssl.ts";
import { describeWithTool, requireTool } from "../../support/run/tools.ts";

let directory: string;
let hierarchy: ClientHierarchy;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "realmpass-smaller-files-"));
  hierarchy = makeClientHierarchy(requireTool("openssl"), directory);
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

const base64 = (pem: string): string => new X509Certificate(pem).raw.toString("base64");
const radiusNames = ["radius.wifi.example.org", "radius-2.example.net"];

const encode = (
  format: DeviceFileFormat,
  network: Partial<NetworkSettings> = {},
  identity = "abcdefghijklmnopqrst@wifi.example.org",
): Buffer => {
  const { certificate, privateKeyPkcs8 } = hierarchy.clients[format === "iwd" ? "rsa-2048" : "ec-p256"];
  return encodeDeviceFile({
    network: {
      displayName: "Example Üniversity",
      domain: "wifi.example.org",
      ssids: ["eduroam", "Campus"],
      wired: false,
      radiusNames,
      radiusCas: [
        { certificate: base64(hierarchy.rootPem), selfSigned: true },
        { certificate: base64(hierarchy.issuerPem), selfSigned: false },
      ],
      rcois: [],
      help: { mail: "", web: "", phone: "" },
      reminderLeadDays: 0,
      ...network,
    },
    identity,
    friendlyName: "laptop (Example Üniversity)",
    notBefore: new Date("2026-11-21T09:00:00Z"),
    notAfter: new Date("2027-11-21T09:00:00Z"),
    deviceType: "Linux",
    certificate,
    privateKeyPkcs8,
    chain: [hierarchy.issuer],
    signer: undefined,
    format,
  });
};

/** Unpacks an archive as the guide's command does; returns the directory. */
function unpacked(archive: Buffer): string {
  const into = mkdtempSync(join(directory, "unpacked-"));
  const { status, stderr } = spawnSync("tar", ["-xf", "-", "-C", into], { input: archive, encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return into;
}

const modesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .toSorted()
      .map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
  );

/** Network names with characters that have a meaning in file names, lists or settings files. */
const oddNames = [
  "日本語の無線",
  "../../../etc/x",
  "a;b=c",
  " blank ",
  String.raw`back\slash`,
  "[Security]",
  "#x",
  "-rf",
  "~",
];

describe("onc", () => {
  const Guid = z.string().regex(/^\{[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\}$/);
  const Base64 = z.base64().min(1);
  /** The parts of chromium's onc_spec.md that the service writes; all others are rejected. */
  const Onc = z.strictObject({
    Type: z.literal("UnencryptedConfiguration"),
    NetworkConfigurations: z
      .array(
        z.strictObject({
          GUID: Guid,
          Name: z.string().min(1),
          Type: z.literal("WiFi"),
          WiFi: z.strictObject({
            AutoConnect: z.boolean(),
            HexSSID: z.string().regex(/^(?:[0-9A-F]{2}){1,32}$/),
            Security: z.literal("WPA-EAP"),
            EAP: z.strictObject({
              Outer: z.literal("EAP-TLS"),
              Identity: z.string(),
              // ONC allows `Identity` only with `SaveCredentials`.
              SaveCredentials: z.literal(true),
              ClientCertType: z.literal("Ref"),
              ClientCertRef: Guid,
              ServerCARefs: z.array(Guid).min(1),
              UseSystemCAs: z.literal(false),
              SubjectAlternativeNameMatch: z.array(
                z.strictObject({ Type: z.literal("DNS"), Value: z.string().min(1) }),
              ),
            }),
          }),
        }),
      )
      .min(1),
    Certificates: z.array(
      z.discriminatedUnion("Type", [
        z.strictObject({ GUID: Guid, Type: z.literal("Authority"), X509: Base64 }),
        z.strictObject({ GUID: Guid, Type: z.literal("Client"), PKCS12: Base64 }),
      ]),
    ),
  });
  const read = (network: Partial<NetworkSettings> = {}, identity?: string) =>
    Onc.parse(JSON.parse(encode("onc", network, identity).toString("utf8")));

  test("follows the format; the file contains each referenced object, and each GUID occurs once", () => {
    const { NetworkConfigurations, Certificates } = read();
    const guids = [...NetworkConfigurations, ...Certificates].map(({ GUID }) => GUID);
    expect(new Set(guids).size).toBe(guids.length);
    const of = (type: string) => Certificates.filter(({ Type }) => Type === type).map(({ GUID }) => GUID);
    for (const { WiFi } of NetworkConfigurations) {
      expect([WiFi.EAP.ClientCertRef]).toEqual(of("Client"));
      expect(WiFi.EAP.ServerCARefs).toEqual(of("Authority"));
      expect(WiFi.EAP.Identity).toBe("@wifi.example.org");
      expect(WiFi.EAP.SubjectAlternativeNameMatch.map(({ Value }) => Value)).toEqual(radiusNames);
    }
    expect(NetworkConfigurations.map(({ WiFi }) => Buffer.from(WiFi.HexSSID, "hex").toString())).toEqual([
      "eduroam",
      "Campus",
    ]);
  });

  test("lists the CAs with roots first, and contains a PKCS#12 that opens only with the empty password", () => {
    const { Certificates } = read();
    const authorities = Certificates.flatMap((one) => (one.Type === "Authority" ? [one.X509] : []));
    expect(authorities).toEqual([base64(hierarchy.rootPem), base64(hierarchy.issuerPem)]);
    const pkcs12 = Buffer.from(
      Certificates.flatMap((one) => (one.Type === "Client" ? [one.PKCS12] : [])).join(),
      "base64",
    );
    const opened = openBundle({ pkcs12, password: "" });
    expect(opened?.certificates.map(({ raw }) => raw)).toEqual([
      hierarchy.clients["ec-p256"].certificate,
      hierarchy.issuer,
    ]);
    expect(opened?.certificates[0]?.checkPrivateKey(createPrivateKey(opened.privateKey))).toBe(true);
    expect(openBundle({ pkcs12, password: "x" })).toBeUndefined();
  });

  test.each(oddNames)("keeps the network name %j unchanged", (ssid) => {
    const [one] = read({ ssids: [ssid] }).NetworkConfigurations;
    expect([one?.Name, Buffer.from(one?.WiFi.HexSSID ?? "", "hex").toString()]).toEqual([ssid, ssid]);
  });

  test("the next profile has the same network GUIDs, so it replaces the first profile", () => {
    const [first, next] = [read(), read({}, "zbcdefghijklmnopqrst@wifi.example.org")];
    const guids = ({ NetworkConfigurations }: typeof first) => NetworkConfigurations.map(({ GUID }) => GUID);
    expect(guids(next)).toEqual(guids(first));
    for (const { GUID } of first.Certificates) expect(next.Certificates.map((one) => one.GUID)).not.toContain(GUID);
  });
});

describeWithTool(["nmcli", "openssl"], "networkmanager", () => {
  const connectionsIn = (folder: string): string[] =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".nmconnection"))
      .toSorted()
      .map((name) => readFileSync(join(folder, name), "utf8"));
  const readBack = (file: string) =>
    spawnSync(requireTool("nmcli"), ["--offline", "connection", "modify", "connection.autoconnect-priority", "1"], {
      input: file,
      encoding: "utf8",
    });
  const valueOf = (file: string, name: string): string => new RegExp(`^${name}=(.*)$`, "m").exec(file)?.[1] ?? "";

  test("has a file for each network and one file for the CAs, all accessible only to their owner", () => {
    const folder = unpacked(encode("networkmanager", { wired: true }));
    expect(modesIn(folder)).toEqual({
      "realmpass-wifi.example.org-1.nmconnection": "600",
      "realmpass-wifi.example.org-2.nmconnection": "600",
      "realmpass-wifi.example.org-3.nmconnection": "600",
      "realmpass-wifi.example.org-ca.pem": "600",
    });
    expect(readFileSync(join(folder, "realmpass-wifi.example.org-ca.pem"), "utf8")).toBe(
      new X509Certificate(hierarchy.rootPem).toString() + new X509Certificate(hierarchy.issuerPem).toString(),
    );
    expect(connectionsIn(folder).map((file) => valueOf(file, "type"))).toEqual(["wifi", "wifi", "ethernet"]);
    expect(connectionsIn(unpacked(encode("networkmanager")))).toHaveLength(2);
  });

  test("nmcli reads each file without dropping a setting", () => {
    const files = connectionsIn(unpacked(encode("networkmanager", { wired: true })));
    expect(files).toHaveLength(3);
    for (const file of files) {
      const { status, stdout, stderr } = readBack(file);
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      const settings = file.split("\n").filter((line) => line !== "");
      // nmcli writes a name of plain letters as text.
      const asText = settings.map((line) => line.replace(/^ssid=.*;$/, ssidText));
      expect(stdout.split("\n")).toEqual(expect.arrayContaining(asText));
      expect(stdout).not.toMatch(/^permissions=.+/m);
    }
    expect(readBack("[connection]\ntype=wifi\n").status).not.toBe(0);
  });
  const ssidText = (line: string): string =>
    `ssid=${Buffer.from(line.slice("ssid=".length).split(";").filter(Boolean).map(Number)).toString()}`;

  test("checks every server name, and holds certificate and key in one blob", () => {
    const [file = "", other = ""] = connectionsIn(unpacked(encode("networkmanager")));
    expect(valueOf(file, "domain-match")).toBe(radiusNames.join(";"));
    expect(valueOf(file, "identity")).toBe("@wifi.example.org");
    expect(valueOf(file, "client-cert")).toBe(valueOf(file, "private-key"));
    const pkcs12 = Buffer.from(valueOf(file, "private-key").replace("data:;base64,", ""), "base64");
    const opened = openBundle({ pkcs12, password: valueOf(file, "private-key-password") });
    expect(opened?.certificates.map(({ raw }) => raw)).toEqual([
      hierarchy.clients["ec-p256"].certificate,
      hierarchy.issuer,
    ]);
    expect(openBundle({ pkcs12, password: "" })).toBeUndefined();
    expect(valueOf(other, "uuid")).not.toBe(valueOf(file, "uuid"));
  });

  test.each(oddNames)("nmcli reads the network name %j unchanged", (ssid) => {
    const [file = ""] = connectionsIn(unpacked(encode("networkmanager", { ssids: [ssid] })));
    const { status, stdout, stderr } = readBack(file);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const unescaped = valueOf(stdout, "id").replace(/\\([s\\])/g, (_, one: string) => (one === "s" ? " " : one));
    expect(unescaped).toBe(ssid);
    const octets = valueOf(file, "ssid").split(";").filter(Boolean).map(Number);
    expect(Buffer.from(octets).toString()).toBe(ssid);
  });
});

describe("iwd", () => {
  test("has one file per network, named as iwd requires and accessible only to its owner", () => {
    const folder = unpacked(encode("iwd", { ssids: ["eduroam", "Campus Net_1-a", ...oddNames] }));
    const hex = (name: string): string => `=${Buffer.from(name).toString("hex")}.8021x`;
    const expected = ["eduroam.8021x", "Campus Net_1-a.8021x"].concat(
      oddNames.map((name) => (["-rf", " blank "].includes(name) ? `${name}.8021x` : hex(name))),
    );
    expect(modesIn(folder)).toEqual(Object.fromEntries(expected.toSorted().map((name) => [name, "600"])));
  });
});

describeWithTool(["python3", "libell.so.0", "openssl"], "an iwd file in ell, iwd's own parser", () => {
  const written = (): string => join(unpacked(encode("iwd")), "eduroam.8021x");
  const groups = ["ca", "client", "key"] as const;

  test("has every setting, and certificates and a key that ell accepts", () => {
    const read = ellReads(written());
    expect(read.settings).toEqual({
      Security: {
        "EAP-Method": "TLS",
        "EAP-Identity": "@wifi.example.org",
        "EAP-TLS-CACert": "embed:ca",
        "EAP-TLS-ClientCert": "embed:client",
        "EAP-TLS-ClientKey": "embed:key",
        "EAP-TLS-ServerDomainMask": radiusNames.join(";"),
      },
      Settings: { AutoConnect: "true" },
    });
    expect(read.embedded.map(({ name }) => name)).toEqual(groups);
    expect(read.embedded.map(({ certificates }) => certificates)).toEqual([2, 2, null]);
    const [, client, key] = read.embedded.map(({ content }) => content);
    const leaf = new X509Certificate(client ?? "");
    expect(leaf.raw).toEqual(hierarchy.clients["rsa-2048"].certificate);
    expect(leaf.checkPrivateKey(createPrivateKey(key ?? ""))).toBe(true);
    const shown = openssl(["pkey", "-in", "key.pem", "-noout", "-text"], { "key.pem": key ?? "" });
    expect(shown.stdout).toContain("2048 bit");
  });

  test("control: ell refuses a file whose PEM is broken", () => {
    const broken = join(directory, "broken");
    mkdirSync(broken);
    const text = readFileSync(written(), "utf8").replace("-----END CERTIFICATE-----", "-----END CERTIFICAT-----");
    writeFileSync(join(broken, "eduroam.8021x"), text);
    expect(() => ellReads(join(broken, "eduroam.8021x"))).toThrow("ell refuses");
  });
});
