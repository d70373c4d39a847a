import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DeviceType } from "../../../domain/certificate/device.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { encodeDeviceFile } from "../../../worker/issuance/device-files/device-file.ts";
import { makeClientHierarchy, type ClientHierarchy } from "../../support/given/client-hierarchy.ts";
import { openssl } from "../../support/pki/openssl.ts";
import { describeWithTool, requireTool } from "../../support/run/tools.ts";
import { android } from "../../support/apps/android.ts";
import type { App, AppFormat } from "../../support/apps/app.ts";
import { ios, macos } from "../../support/apps/apple.ts";
import { Refused } from "../../support/apps/eap-config-rules.ts";
import { linux } from "../../support/apps/linux.ts";
import { windows } from "../../support/apps/windows.ts";

const identity = "abcdefghijklmnopqrst@wifi.example.org";
const serverName = "radius.wifi.example.org";
const names = { Linux: linux, Android: android, iOS: ios, macOS: macos, Windows: windows } as const;
type Name = keyof typeof names;
const deviceTypes: Record<Name, DeviceType> = {
  Linux: "Linux",
  Android: "Android",
  iOS: "iOS",
  macOS: "MacOS",
  Windows: "Windows",
};

let directory: string;
let hierarchy: ClientHierarchy;

const base64 = (pem: string): string => new X509Certificate(pem).raw.toString("base64");
const inLines = (text: string): string => text.replace(/.{64}/g, "$&\n");

interface Override {
  chain?: readonly Buffer[];
  /** The device type that decides the form of the PKCS#12 file. */
  as?: DeviceType;
}

function encode(name: Name, format: AppFormat, { chain = [hierarchy.issuer], as }: Override = {}): Buffer {
  const { certificate, privateKeyPkcs8, x509 } = hierarchy.clients["ec-p256"];
  return encodeDeviceFile({
    network: {
      displayName: "Example University",
      domain: "wifi.example.org",
      ssids: ["eduroam", "Campus"],
      wired: false,
      radiusNames: [serverName],
      radiusCas: [
        { certificate: base64(hierarchy.rootPem), selfSigned: true },
        { certificate: base64(hierarchy.issuerPem), selfSigned: false },
      ],
      rcois: [],
      help: { mail: "", web: "", phone: "" },
      reminderLeadDays: 0,
    },
    format,
    identity,
    friendlyName: "laptop (Example University)",
    notBefore: new Date(x509.validFrom),
    notAfter: new Date(x509.validTo),
    deviceType: as ?? deviceTypes[name],
    certificate,
    privateKeyPkcs8,
    chain,
    signer: undefined,
  });
}

/** Makes an app read a file. Returns the network that the app read, or the app's reason for rejecting the file. */
function outcome(app: App, file: string | Buffer, now = systemClock.now()) {
  try {
    return app.read(Buffer.from(file), now);
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
}

/** Files made so far: apps with the same format read the same file, so its PKCS#12 is opened once. */
const files = new Map<DeviceType, string>();
function fileFor(name: Name): string {
  const as = name === "Linux" ? "Linux" : "Windows";
  const file = files.get(as) ?? encode(name, "eap-config", { as }).toString();
  files.set(as, file);
  return file;
}

/** Replaces the first match. Throws without a match, because the file would stay intact. */
function change(file: string, from: string | RegExp, to: string | ((found: string) => string)): string {
  const changed = typeof to === "string" ? file.replace(from, () => to) : file.replace(from, to);
  if (changed === file) throw new Error(`the file has nothing like ${String(from)}`);
  return changed;
}

const caPattern = /(?<=<CA [^>]*>)[^<]+/;
const withoutCas = (file: string): string => change(file, /<CA .*<\/CA>/s, "");
const oneCa = (certificate: string) => (file: string) =>
  change(file, /<CA .*<\/CA>/s, `<CA format="X.509" encoding="base64">${certificate}</CA>`);
const secondRoot = (): string =>
  base64(
    openssl([
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
      ...["-keyout", "other.key", "-subj", "/CN=Another Root", "-days", "3"],
    ]).stdout,
  );
const rcoi = (value: string) => (file: string) =>
  change(
    file,
    "</CredentialApplicability>",
    `<IEEE80211><ConsortiumOID>${value}</ConsortiumOID><MinRSNProto>CCMP</MinRSNProto></IEEE80211></CredentialApplicability>`,
  );

/** For each app, its reason for rejecting the changed file, or true if it accepts the file. */
type Expected = Partial<Record<Name, string | true>>;

/**
 * Each rule, a change that breaks the rule, and each app's reaction to the changed file. Apps without an entry are not
 * tested.
 */
const rules: readonly [string, (file: string) => string, Expected][] = [
  [
    "the provider has an ID",
    (file) => change(file, / ID="[^"]*"/, ""),
    { Linux: true, Android: "no ID", iOS: "no ID", Windows: true },
  ],
  [
    "the provider has a namespace",
    (file) => change(file, / namespace="[^"]*"/, ""),
    { Linux: true, Android: "no namespace", iOS: true, Windows: true },
  ],
  [
    "the provider has a version",
    (file) => change(file, /(?<=<EAPIdentityProvider[^>]*) version="[^"]*"/, ""),
    { Linux: true, Android: "no version", iOS: true, Windows: true },
  ],
  [
    "the version is a number",
    (file) => change(file, /(?<=<EAPIdentityProvider[^>]*version=)"1"/, `"one"`),
    { Android: "the version is no number" },
  ],
  [
    "ValidUntil is in whole seconds",
    (file) => change(file, "Z</ValidUntil>", ".000Z</ValidUntil>"),
    {
      Linux: true,
      Android: true,
      iOS: "ValidUntil is not in whole seconds",
      Windows: true,
    },
  ],
  [
    "ValidUntil is not past",
    (file) => change(file, /(?<=<ValidUntil>)\d{4}/, "2020"),
    { Linux: true, iOS: "ValidUntil is past", Windows: true },
  ],
  ["there is a CA", withoutCas, { Linux: "no CA", Android: "no CA", iOS: "no CA" }],
  [
    "each CA parses",
    (file) => change(file, caPattern, "AAAA"),
    { Linux: "a CA does not parse", iOS: true, Windows: "a CA does not parse" },
  ],
  [
    "a CA is in one line",
    (file) => oneCa(inLines(base64(hierarchy.rootPem)))(file),
    { Linux: true, Android: true, iOS: "no CA", Windows: true },
  ],
  [
    "a CA may sign certificates",
    (file) => oneCa(hierarchy.clients["ec-p256"].x509.raw.toString("base64"))(file),
    { Linux: true, Android: "no CA", iOS: true },
  ],
  [
    "the server's names are DNS names",
    (file) => change(file, serverName, "*.wifi.example.org"),
    { Linux: "a ServerID is no DNS name" },
  ],
  [
    "the server has a name",
    (file) => change(file, /<ServerID>.*<\/ServerID>/, ""),
    { Android: "no ServerID", Linux: true, Windows: true },
  ],
  [
    "the server's names are short together",
    (file) =>
      change(
        file,
        "</ServerSideCredential>",
        `${`<ServerID>${serverName}</ServerID>`.repeat(10)}</ServerSideCredential>`,
      ),
    { Android: "the names of the servers are too long", Linux: true, iOS: true, Windows: true },
  ],
  [
    "the device's key is there",
    (file) => change(file, /<ClientCertificate .*<\/ClientCertificate>/s, ""),
    {
      Linux: "no PKCS#12 file",
      Android: "no PKCS#12 file",
      iOS: "no PKCS#12 file",
      Windows: "no PKCS#12 file",
    },
  ],
  [
    "the device's key is PKCS#12",
    (file) => change(file, `<ClientCertificate format="PKCS12"`, `<ClientCertificate format="PEM"`),
    { Linux: "no PKCS#12 file", iOS: "no PKCS#12 file", Windows: true },
  ],
  [
    "the device's key is in one line",
    (file) => change(file, /(?<=<ClientCertificate [^>]*>)[^<]+/, inLines),
    { Linux: true, Android: true, iOS: "the app crashes", Windows: true },
  ],
  [
    "the passphrase opens the key",
    (file) => change(file, /(?<=<Passphrase>)[^<]+/, "another"),
    {
      Linux: "the passphrase does not open the PKCS#12 file",
      Android: "the passphrase does not open the PKCS#12 file",
      iOS: "the passphrase does not open the PKCS#12 file",
      Windows: "the passphrase does not open the PKCS#12 file",
    },
  ],
  [
    "there is a passphrase",
    (file) => change(file, /<Passphrase>.*<\/Passphrase>/, ""),
    {
      Linux: "the passphrase does not open the PKCS#12 file",
      iOS: "no passphrase",
      Windows: "the person is asked for the passphrase",
    },
  ],
  [
    "networks have a MinRSNProto",
    (file) => change(file, /<MinRSNProto>CCMP<\/MinRSNProto>/g, ""),
    { Linux: "no SSID with a MinRSNProto other than TKIP", Android: true, iOS: true, Windows: true },
  ],
  [
    "networks have no TKIP",
    (file) => change(file, /CCMP/g, "TKIP"),
    { Linux: "no SSID with a MinRSNProto other than TKIP", Android: true, iOS: true },
  ],
  [
    "the MinRSNProto is known",
    (file) => change(file, "CCMP", "GCMP"),
    { Linux: true, Android: true, iOS: "an unknown MinRSNProto" },
  ],
  [
    "roaming consortia are hexadecimal",
    rcoi("0x5A03BA"),
    { Linux: true, Android: "a ConsortiumOID is not hexadecimal" },
  ],
  [
    "with roaming consortia there is one self-signed CA",
    (file) => {
      const cas = [base64(hierarchy.rootPem), secondRoot()];
      const two = cas.map((ca) => `<CA format="X.509" encoding="base64">${ca}</CA>`).join("");
      return rcoi("001BC50460")(change(file, /<CA .*<\/CA>/s, two));
    },
    { Linux: true, Android: "Passpoint needs exactly one self-signed CA", iOS: true, Windows: true },
  ],
  [
    "there is a ProviderInfo",
    (file) => change(file, /<ProviderInfo>.*<\/ProviderInfo>/s, ""),
    { Linux: true, Android: "no ProviderInfo", iOS: true, Windows: true },
  ],
  [
    "no element is empty",
    (file) => change(file, /(?<=<DisplayName[^>]*>)[^<]+/, ""),
    { Linux: true, Android: "an empty element", iOS: true, Windows: true },
  ],
  [
    "the outer identity may be missing",
    (file) => change(file, /<OuterIdentity>.*<\/OuterIdentity>/, ""),
    { Linux: true, Android: true, iOS: true, Windows: true },
  ],
  [
    "the method is EAP-TLS",
    (file) => change(file, "<Type>13</Type>", "<Type>21</Type>"),
    { Linux: "no EAP-TLS", Android: "no EAP-TLS", iOS: "no EAP-TLS", Windows: "no EAP-TLS" },
  ],
];

describeWithTool(["python3", "openssl"], "the apps' own rules for EAP metadata", () => {
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "realmpass-app-files-"));
    hierarchy = makeClientHierarchy(requireTool("openssl"), directory);
  });
  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  test.each(Object.keys(names) as Name[])(
    "%s accepts the worker's file and sets up the network, the server's name, the CA and the key",
    (name) => {
      const network = outcome(names[name], encode(name, names[name].fetches[0] ?? "eap-config"));
      expect(network).toMatchObject({
        ssids: name === "Linux" ? ["eduroam"] : ["eduroam", "Campus"],
        serverNames: [serverName],
        cas: expect.arrayContaining([new X509Certificate(hierarchy.rootPem).raw]),
        device: { privateKey: expect.stringContaining("PRIVATE KEY") },
      });
      const leaf = typeof network === "string" ? undefined : network.device.certificates[0];
      expect(leaf?.raw).toEqual(hierarchy.clients["ec-p256"].certificate);
    },
  );

  test.each<[Name, string | undefined]>([
    ["Linux", "@wifi.example.org"],
    ["Android", "@wifi.example.org"],
    ["iOS", undefined],
    ["Windows", "@wifi.example.org"],
  ])("%s sends an outer identity without a user name", (name, sent) => {
    expect(outcome(names[name], fileFor(name))).toMatchObject({ identity: sent });
  });

  test.each(["Android", "iOS", "Linux"] as const)("%s reads the end of the certificate, to remind people", (name) => {
    const validUntil = new Date(hierarchy.clients["ec-p256"].x509.validTo);
    expect(outcome(names[name], fileFor(name))).toMatchObject({ validUntil });
  });

  test.each(rules)("%s", (_rule, broken, expected) => {
    for (const [name, reason] of Object.entries(expected) as [Name, string | true][]) {
      const file = broken(fileFor(name));
      const is = outcome(names[name], file);
      if (reason === true) expect(typeof is === "string" ? is : "taken", name).toBe("taken");
      else expect(is, name).toBe(reason);
    }
  });

  test("each app that reads EAP metadata rejects a file that is not XML, such as an error", () => {
    for (const app of [linux, android, ios, windows])
      expect(outcome(app, `{"error":"user_locked"}`)).toBe("the file is not XML");
  });

  test("the bundle contains the issuing CA with the key, because iOS looks for the CA only there", () => {
    const alone = (name: Name) => outcome(names[name], encode(name, "eap-config", { chain: [] }));
    expect(alone("iOS")).toBe("no trust chain");
    for (const name of ["Linux", "Android", "Windows"] as const) expect(alone(name)).not.toBeTypeOf("string");
  });

  test.each(["Android", "iOS", "Windows"] as const)(
    "a file for %s that is encrypted like the file for Linux is rejected, because older systems open only 3DES",
    (name) => {
      expect(outcome(names[name], encode(name, "eap-config", { as: "Linux" }))).toBe("older systems open 3DES alone");
    },
  );

  test("Linux opens files encrypted with AES or 3DES, at the earliest five minutes before the certificate is valid", () => {
    const notBefore = Date.parse(hierarchy.clients["ec-p256"].x509.validFrom);
    for (const as of ["Linux", "Windows"] as const) {
      const file = encode("Linux", "eap-config", { as });
      expect(outcome(linux, file, new Date(notBefore - 5 * 60_000))).not.toBeTypeOf("string");
      expect(outcome(linux, file, new Date(notBefore - 5 * 60_000 - 1))).toBe("the certificate is not valid yet");
    }
  });
});
