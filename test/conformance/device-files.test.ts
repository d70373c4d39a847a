import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deviceTypes } from "../../domain/certificate/device.ts";
import type { NetworkSettings } from "../../worker/issuance/device-files/device-file-content.ts";
import { encodeDeviceFile, type DeviceFileInput } from "../../worker/issuance/device-files/device-file.ts";
import { readFileSigner } from "../../pki/signed-data.ts";
import { makeClientHierarchy, type ClientHierarchy } from "../support/given/client-hierarchy.ts";
import {
  bundleOfEapConfig,
  bundleOfMobileconfig,
  faultsOf,
  openBundle,
  payloadsOf,
  readPlist,
  xpath,
} from "../support/pki/device-file-reader.ts";
import { openssl } from "../support/pki/openssl.ts";
import { describeWithTool, requireTool } from "../support/run/tools.ts";

const grammar = new URL("../fixtures/eap-metadata.rng", import.meta.url);
const identity = "abcdefghijklmnopqrst@wifi.example.org";
const notBefore = new Date("2026-11-21T09:00:00Z");
const notAfter = new Date("2027-11-21T09:00:00Z");

/** Texts that look like markup, like the end of markup, or that XML cannot contain. */
const hostileTexts = [
  `<&"'>`,
  "</string><key>Password</key><string>",
  "]]><!-- &amp; &#0; <![CDATA[",
  "Zażółć 📱 \u202e ﷽ e\u0301",
  "𝔘".repeat(64),
  "\ufffe\uffff",
  "line\r\nline\tend",
] as const;
/** Returns the text as an XML parser finds it in the file. */
const asRead = (text: string): string => text.replace(/[\ufffe\uffff]/g, "\ufffd");

let directory: string;
let hierarchy: ClientHierarchy;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "realmpass-device-files-"));
  hierarchy = makeClientHierarchy(requireTool("openssl"), directory);
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

const base64 = (pem: string): string => new X509Certificate(pem).raw.toString("base64");
const pemOf = (certificate: string): string => new X509Certificate(Buffer.from(certificate, "base64")).toString();

let another: string | undefined;
/** Returns the certificate of a root that did not sign the device's chain. */
const otherRoot = (): string =>
  (another ??= base64(
    openssl([
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
      ...["-keyout", "other.key", "-subj", "/CN=Another Root", "-days", "3"],
    ]).stdout,
  ));

const encode = (
  override: Partial<DeviceFileInput> & Pick<DeviceFileInput, "format">,
  network: Partial<NetworkSettings> = {},
): Buffer => {
  const { certificate, privateKeyPkcs8 } = hierarchy.clients["ec-p256"];
  return encodeDeviceFile({
    network: {
      displayName: "Example Üniversity",
      domain: "wifi.example.org",
      ssids: ["eduroam", "Campus"],
      wired: false,
      radiusNames: ["radius.wifi.example.org"],
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
    notBefore,
    notAfter,
    deviceType: "iOS",
    certificate,
    privateKeyPkcs8,
    chain: [hierarchy.issuer],
    signer: undefined,
    ...override,
  });
};

const tripleDes = /pbeWithSHA1And3-KeyTripleDES-CBC/;
const aes = /PBES2, PBKDF2, AES-256-CBC.*hmacWithSHA256/;

describeWithTool(["python3", "openssl"], "an Apple configuration profile", () => {
  const profileOf = (...given: Parameters<typeof encode>) => readPlist(encode(...given));

  test("names the realm, the profile and the end date, has unique identifiers, and can be removed", () => {
    const profile = profileOf({ format: "mobileconfig" });

    expect(profile).toMatchObject({
      PayloadType: "Configuration",
      PayloadVersion: 1,
      PayloadIdentifier: "org.example.wifi.realmpass.abcdefghijklmnopqrst",
      PayloadDisplayName: "Example Üniversity",
      PayloadOrganization: "Example Üniversity",
      PayloadRemovalDisallowed: false,
      ExpirationDate: { date: "2027-11-21T09:00:00Z" },
    });
    const payloads = [profile, ...(profile["PayloadContent"] as (typeof profile)[])];
    for (const property of ["PayloadUUID", "PayloadIdentifier"])
      expect(new Set(payloads.map((payload) => String(payload[property]))).size).toBe(payloads.length);
    for (const { PayloadUUID } of payloads)
      expect(PayloadUUID).toMatch(/^[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}$/);
  });

  test("keeps its payload identifiers when made again; different profiles have different identifiers", () => {
    const names = (id: string) => {
      const profile = profileOf({ format: "mobileconfig", identity: id });
      return [profile, ...(profile["PayloadContent"] as (typeof profile)[])].map(({ PayloadUUID }) =>
        String(PayloadUUID),
      );
    };
    expect(names(identity)).toEqual(names(identity));
    expect(new Set([...names(identity), ...names(`z${identity.slice(1)}`)]).size).toBe(2 * names(identity).length);
  });

  test("joins each network with EAP-TLS and the device's identity, and trusts only the named server under the named CA", () => {
    const profile = profileOf({ format: "mobileconfig" });
    const [certificate] = payloadsOf(profile, "com.apple.security.pkcs12");
    const [root] = payloadsOf(profile, "com.apple.security.root");
    const [intermediate] = payloadsOf(profile, "com.apple.security.pkcs1");
    const networks = payloadsOf(profile, "com.apple.wifi.managed");

    expect(root?.["PayloadContent"]).toEqual({ data: base64(hierarchy.rootPem) });
    expect(intermediate?.["PayloadContent"]).toEqual({ data: base64(hierarchy.issuerPem) });
    expect(networks.map(({ SSID_STR }) => String(SSID_STR))).toEqual(["eduroam", "Campus"]);
    for (const network of networks) {
      expect(network).toMatchObject({
        AutoJoin: true,
        EncryptionType: "WPA2",
        PayloadCertificateUUID: certificate?.["PayloadUUID"],
        EAPClientConfiguration: {
          AcceptEAPTypes: [13],
          OuterIdentity: "@wifi.example.org",
          TLSTrustedServerNames: ["radius.wifi.example.org"],
          PayloadCertificateAnchorUUID: [root?.["PayloadUUID"]],
          TLSAllowTrustExceptions: false,
          TLSMinimumVersion: "1.2",
          TLSMaximumVersion: "1.3",
        },
      });
    }
  });

  test("for a Mac sets up every Ethernet adapter like the Wi-Fi networks, if the realm has wired networks", () => {
    const ethernetOf = (wired: boolean) =>
      payloadsOf(
        profileOf({ format: "mobileconfig", deviceType: "MacOS" }, { wired }),
        "com.apple.globalethernet.managed",
      );
    const profile = profileOf({ format: "mobileconfig", deviceType: "MacOS" }, { wired: true });
    const [network] = payloadsOf(profile, "com.apple.wifi.managed");
    const [certificate] = payloadsOf(profile, "com.apple.security.pkcs12");

    expect(ethernetOf(false)).toEqual([]);
    expect(ethernetOf(true)).toEqual([
      expect.objectContaining({
        Interface: "GlobalEthernet",
        PayloadDisplayName: "Example Üniversity (Ethernet)",
        PayloadCertificateUUID: certificate?.["PayloadUUID"],
        EAPClientConfiguration: network?.["EAPClientConfiguration"],
      }),
    ]);
    expect(payloadsOf(profile, "com.apple.wifi.managed")).toHaveLength(2);
    const uuids = (profile["PayloadContent"] as (typeof profile)[]).map(({ PayloadUUID }) => String(PayloadUUID));
    expect(new Set(uuids).size).toBe(uuids.length);
  });

  test("names every RADIUS server, and all roaming consortiums in one more payload", () => {
    const radiusNames = ["radius.wifi.example.org", "radius-2.example.net"];
    const rcois = ["5A03BA0000", "001BC50460"];
    const [eduroam, campus, passpoint, ...more] = payloadsOf(
      profileOf({ format: "mobileconfig" }, { radiusNames, rcois }),
      "com.apple.wifi.managed",
    );

    expect(more).toEqual([]);
    for (const network of [eduroam, campus, passpoint])
      expect(network?.["EAPClientConfiguration"].TLSTrustedServerNames).toEqual(radiusNames);
    for (const network of [eduroam, campus]) expect(network).not.toHaveProperty("IsHotspot");
    expect(passpoint).toMatchObject({
      IsHotspot: true,
      ServiceProviderRoamingEnabled: true,
      DomainName: "wifi.example.org",
      RoamingConsortiumOIs: rcois,
      DisplayedOperatorName: "Example Üniversity",
      EAPClientConfiguration: eduroam?.["EAPClientConfiguration"],
      PayloadCertificateUUID: eduroam?.["PayloadCertificateUUID"],
    });
    expect(passpoint).not.toHaveProperty("SSID_STR");
    expect(payloadsOf(profileOf({ format: "mobileconfig" }), "com.apple.wifi.managed")).toHaveLength(2);
  });

  test("trusts all given CAs if they include no root", () => {
    const profile = profileOf(
      { format: "mobileconfig" },
      { radiusCas: [{ certificate: base64(hierarchy.issuerPem), selfSigned: false }] },
    );
    const [network] = payloadsOf(profile, "com.apple.wifi.managed");
    const [ca] = payloadsOf(profile, "com.apple.security.pkcs1");
    expect(network?.["EAPClientConfiguration"].PayloadCertificateAnchorUUID).toEqual([ca?.["PayloadUUID"]]);
  });

  describe.each([
    ["another root", () => [{ certificate: otherRoot(), selfSigned: true }]],
    ["another issuing CA without its root", () => [{ certificate: otherRoot(), selfSigned: false }]],
    ["the realm's own root alone", () => [{ certificate: base64(hierarchy.rootPem), selfSigned: true }]],
  ])("for a RADIUS server under %s", (_, radiusCas) => {
    test("contains the device's own chain, for a RADIUS server that knows only the root", () => {
      const profile = profileOf({ format: "mobileconfig" }, { radiusCas: radiusCas() });
      const contained = ["com.apple.security.root", "com.apple.security.pkcs1"]
        .flatMap((type) => payloadsOf(profile, type))
        .map(({ PayloadContent }) => pemOf(PayloadContent.data));
      const [leaf] = openBundle(bundleOfMobileconfig(profile))?.certificates ?? [];
      const verified = (untrusted: string) =>
        openssl(["verify", "-CAfile", "root.pem", "-untrusted", "untrusted.pem", "leaf.pem"], {
          "root.pem": hierarchy.rootPem,
          "untrusted.pem": untrusted,
          "leaf.pem": String(leaf),
        }).stdout;

      expect(verified(contained.join(""))).toBe("leaf.pem: OK\n");
      expect(verified(pemOf(otherRoot()))).not.toContain("OK");
    });

    test("trusts only that server's CA", () => {
      const profile = profileOf({ format: "mobileconfig" }, { radiusCas: radiusCas() });
      const [named] = radiusCas();
      const trusted = payloadsOf(profile, "com.apple.wifi.managed").map(
        ({ EAPClientConfiguration }) => EAPClientConfiguration.PayloadCertificateAnchorUUID,
      );
      const uuids = (profile["PayloadContent"] as (typeof profile)[])
        .filter(({ PayloadContent }) => PayloadContent?.data === named?.certificate)
        .map(({ PayloadUUID }) => PayloadUUID);

      expect(uuids).toHaveLength(1);
      expect(trusted).toEqual([uuids, uuids]);
      expect(payloadsOf(profile, "com.apple.security.root")).toHaveLength(named?.selfSigned ? 1 : 0);
    });
  });

  test.each([...deviceTypes, null])("for %s protects key and certificate with a unique password", (deviceType) => {
    const [one, other] = [1, 2].map(() => bundleOfMobileconfig(profileOf({ format: "mobileconfig", deviceType })));
    if (one === undefined || other === undefined) throw new Error("no bundle");
    const opened = openBundle(one);

    expect(one.password).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(other.password).not.toBe(one.password);
    expect(opened?.certificates.map(({ raw }) => raw)).toEqual([hierarchy.clients["ec-p256"].certificate]);
    expect(opened?.certificates[0]?.checkPrivateKey(createPrivateKey(opened.privateKey))).toBe(true);
    expect(opened?.info).toMatch(tripleDes);
    for (const password of ["", other.password]) expect(openBundle({ ...one, password })).toBeUndefined();
  });

  test.each(hostileTexts)("keeps the text %j as text", (text) => {
    const profile = profileOf(
      { format: "mobileconfig", friendlyName: text },
      { displayName: text, ssids: [text], radiusNames: [text] },
    );
    const [network] = payloadsOf(profile, "com.apple.wifi.managed");

    expect(profile["PayloadDisplayName"]).toBe(asRead(text));
    expect(network?.["SSID_STR"]).toBe(asRead(text));
    expect(network?.["EAPClientConfiguration"].TLSTrustedServerNames).toEqual([asRead(text)]);
    expect(profile["PayloadContent"]).toHaveLength(4);
    expect(openBundle(bundleOfMobileconfig(profile))).toBeDefined();
  });

  describe.each([
    ["P-256", ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]],
    ["P-384", ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384"]],
    ["RSA", ["-newkey", "rsa:2048"]],
  ])("signed with %s", (_, keyOptions) => {
    const make = openssl([
      "req",
      "-x509",
      ...keyOptions,
      "-nodes",
      "-keyout",
      "-",
      "-subj",
      "/CN=Signs Profiles",
    ]).stdout;
    const key = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----\n/.exec(make)?.[0] ?? "";
    const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/.exec(make)?.[0] ?? "";
    const signed = () =>
      encode({
        format: "mobileconfig",
        signer: readFileSigner({ certificate: certificate + hierarchy.issuerPem, key }),
      });
    const verify = (file: Buffer) =>
      openssl(
        [
          "cms",
          "-verify",
          "-inform",
          "DER",
          "-in",
          "signed.mobileconfig",
          "-CAfile",
          "signer.pem",
          "-purpose",
          "any",
          "-binary",
        ],
        {
          "signed.mobileconfig": file,
          "signer.pem": certificate,
        },
      );

    test("verifies in OpenSSL (RFC 5652) and contains the profile and the signer's chain", () => {
      const file = signed();
      const verified = verify(file);

      expect(verified.stderr).toContain("CMS Verification successful");
      expect(readPlist(verified.output)).toMatchObject({ PayloadDisplayName: "Example Üniversity" });
      const shown = openssl(["pkcs7", "-inform", "DER", "-in", "signed.mobileconfig", "-print_certs"], {
        "signed.mobileconfig": file,
      });
      expect(shown.stdout.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    });

    test("fails to verify if one letter is changed", () => {
      const file = signed();
      file.write("F", file.indexOf("Example"));
      expect(verify(file).status).not.toBe(0);
    });
  });
});

describeWithTool(["xmllint", "openssl"], "EAP metadata", () => {
  test("follows the format, with the root before any other CA", () => {
    const file = encode({ format: "eap-config" });

    expect(faultsOf(file, grammar)).toBe("");
    const one = (path: string) => xpath(file, path);
    expect(one("/EAPIdentityProviderList/EAPIdentityProvider/@ID")).toEqual(["wifi.example.org"]);
    expect(one("//EAPIdentityProvider/@namespace")).toEqual(["urn:RFC4282:realm"]);
    expect(one("//ValidUntil")).toEqual(["2027-11-21T09:00:00Z"]);
    expect(one("//AuthenticationMethod/EAPMethod/Type")).toEqual(["13"]);
    expect(one("//ServerSideCredential/CA")).toEqual([base64(hierarchy.rootPem), base64(hierarchy.issuerPem)]);
    expect(one("//ServerSideCredential/ServerID")).toEqual(["radius.wifi.example.org"]);
    expect(one("//ClientSideCredential/OuterIdentity")).toEqual(["@wifi.example.org"]);
    expect(one("//IEEE80211/SSID")).toEqual(["eduroam", "Campus"]);
    expect(one("//IEEE80211/MinRSNProto")).toEqual(["CCMP", "CCMP"]);
    expect(one("//ProviderInfo/DisplayName[@lang='any']")).toEqual(["Example Üniversity"]);
  });

  test("names every RADIUS server, each roaming consortium in its own element in the realm's order, and where to get help", () => {
    const file = encode(
      { format: "eap-config" },
      {
        radiusNames: ["radius.wifi.example.org", "radius-2.example.net"],
        rcois: ["5A03BA0000", "001BC50460"],
        help: { mail: "help@example.org", web: "https://example.org/wifi", phone: "+49 351 4630" },
        wired: true,
      },
    );

    expect(faultsOf(file, grammar)).toBe("");
    expect(xpath(file, "//ServerSideCredential/ServerID")).toEqual(["radius.wifi.example.org", "radius-2.example.net"]);
    expect(xpath(file, "//IEEE80211[ConsortiumOID][not(SSID)][MinRSNProto='CCMP']/ConsortiumOID")).toEqual([
      "5A03BA0000",
      "001BC50460",
    ]);
    expect(xpath(file, "//IEEE80211[SSID][not(ConsortiumOID)]/SSID")).toEqual(["eduroam", "Campus"]);
    expect(xpath(file, "//Helpdesk/*")).toEqual(["help@example.org", "https://example.org/wifi", "+49 351 4630"]);
  });

  test.each([
    ["mail", "EmailAddress"],
    ["web", "WebAddress"],
    ["phone", "Phone"],
  ])(
    "contains only the help element for %s if the realm has only this contact, and no help element without contacts",
    (kind, element) => {
      const help = { mail: "", web: "", phone: "", [kind]: "1" };
      const file = encode({ format: "eap-config" }, { help });
      expect(faultsOf(file, grammar)).toBe("");
      expect(xpath(file, "//Helpdesk/*")).toEqual(["1"]);
      expect(xpath(file, `//Helpdesk/${element}`)).toEqual(["1"]);
      expect(encode({ format: "eap-config" }).toString("utf8")).not.toContain("Helpdesk");
    },
  );

  test.each([
    ["as many days before the end as the realm wants", 365, 30, "2027-10-22T09:00:00Z"],
    ["at most a third of the validity before the end", 30, 60, "2027-11-11T09:00:00Z"],
    ["at the end in a realm that sets no lead", 365, 0, "2027-11-21T09:00:00Z"],
  ])("sets ValidUntil %s", (_, validityDays, reminderLeadDays, expected) => {
    const from = new Date(notAfter.getTime() - validityDays * 86_400_000);
    const file = encode({ format: "eap-config", notBefore: from }, { reminderLeadDays });
    expect(xpath(file, "//ValidUntil")).toEqual([expected]);
  });

  test("lists wired networks after the Wi-Fi networks, without a condition, if the realm has wired networks", () => {
    const file = encode({ format: "eap-config" }, { wired: true });

    expect(faultsOf(file, grammar)).toBe("");
    expect(xpath(file, "//IEEE80211/SSID")).toEqual(["eduroam", "Campus"]);
    expect(file.toString("utf8")).toContain("</IEEE80211>\n<IEEE8023/></CredentialApplicability>");
    expect(encode({ format: "eap-config" }).toString("utf8")).not.toContain("IEEE8023");
  });

  test("control: the test's grammar rejects files that violate the format", () => {
    const file = encode({ format: "eap-config" }, { wired: true }).toString("utf8");
    const broken = [
      file.replace(/<ServerID>.*<\/ServerID>/, ""),
      file.replace("<Type>13</Type>", "<Type>TLS</Type>"),
      file.replace("CCMP", "WEP"),
      file.replace(/<SSID>.*<\/SSID>/, "<ConsortiumOID>0x1BC50460</ConsortiumOID>"),
      file.replace("</ProviderInfo>", "<Helpdesk/></ProviderInfo>"),
      file.replace("<IEEE8023/>", "<IEEE8023><SSID>eduroam</SSID></IEEE8023>"),
      file.replace("<IEEE8023/>", "").replace("<CredentialApplicability>", "<CredentialApplicability><IEEE8023/>"),
      file.replace("Z</ValidUntil>", ".000Z</ValidUntil>"),
      file.replace("Z</ValidUntil>", "+00:00</ValidUntil>"),
      file.replace(/(<ValidUntil>.*<\/ValidUntil>\n)(<AuthenticationMethods>[^]*<\/AuthenticationMethods>)/, "$2$1"),
    ];
    for (const each of broken) {
      expect(each).not.toBe(file);
      expect(faultsOf(Buffer.from(each), grammar)).not.toBe("");
    }
  });

  test.each([0, 1, 500, 999])(
    "sets ValidUntil to the whole second of the certificate's end, which is %i ms past that second",
    (milliseconds) => {
      const file = encode({ format: "eap-config", notAfter: new Date(notAfter.getTime() + milliseconds) });
      expect(faultsOf(file, grammar)).toBe("");
      expect(xpath(file, "//ValidUntil")).toEqual(["2027-11-21T09:00:00Z"]);
    },
  );

  test.each([...deviceTypes, null])(
    "for %s protects key, certificate and issuing CA with a unique password",
    (deviceType) => {
      const [one, other] = [1, 2].map(() => bundleOfEapConfig(encode({ format: "eap-config", deviceType })));
      if (one === undefined || other === undefined) throw new Error("no bundle");
      const opened = openBundle(one);
      expect(one.password).toMatch(/^[A-Za-z0-9_-]{22}$/);
      expect(other.password).not.toBe(one.password);
      expect(opened?.certificates.map(({ raw }) => raw)).toEqual([
        hierarchy.clients["ec-p256"].certificate,
        hierarchy.issuer,
      ]);
      expect(opened?.certificates[0]?.checkPrivateKey(createPrivateKey(opened.privateKey))).toBe(true);
      expect(opened?.info).toMatch(deviceType === "Linux" ? aes : tripleDes);
      for (const password of ["", other.password]) expect(openBundle({ ...one, password })).toBeUndefined();
    },
  );

  test.each(hostileTexts)("keeps the text %j as text", (text) => {
    const file = encode({ format: "eap-config" }, { displayName: text, ssids: [text], radiusNames: [text] });

    expect(faultsOf(file, grammar)).toBe("");
    expect(xpath(file, "//DisplayName")).toEqual([asRead(text)]);
    expect(xpath(file, "//SSID")).toEqual([asRead(text)]);
    expect(xpath(file, "//ServerID")).toEqual([asRead(text)]);
    expect(openBundle(bundleOfEapConfig(file))).toBeDefined();
  });

  test("is never signed", () => {
    const { privateKey, certificate } = hierarchy.clients["ec-p256"];
    const signer = { certificates: [certificate], key: privateKey };
    expect(encode({ format: "eap-config", signer }).toString("latin1")).toMatch(/^<\?xml /);
  });
});
