import { resolve } from "node:path";
import { expect, test } from "vitest";
import type { DeviceType } from "../../../../domain/certificate/device.ts";
import type {
  DeviceFileContent,
  NetworkSettings,
} from "../../../../worker/issuance/device-files/device-file-content.ts";
import { eapConfig } from "../../../../worker/issuance/device-files/eap-config.ts";
import { mobileconfig } from "../../../../worker/issuance/device-files/mobileconfig.ts";

/** Returns the contents of a device file, with words in place of the bytes of certificates and keys. */
const content = (
  deviceType: DeviceType | null,
  wired: boolean,
  settings: Partial<NetworkSettings> = {},
): DeviceFileContent => ({
  network: {
    displayName: "Example University",
    domain: "wifi.example.org",
    ssids: ["eduroam", "Campus"],
    wired,
    radiusNames: ["radius.wifi.example.org"],
    radiusCas: [{ certificate: Buffer.from("a root").toString("base64"), selfSigned: true }],
    rcois: [],
    help: { mail: "", web: "", phone: "" },
    reminderLeadDays: 0,
    ...settings,
  },
  deviceType,
  identity: "abcdefghijklmnopqrst@wifi.example.org",
  friendlyName: "laptop (Example University)",
  notBefore: new Date("2026-11-21T09:00:00Z"),
  notAfter: new Date("2027-11-21T09:00:00Z"),
  chain: [Buffer.from("an issuing CA")],
  pkcs12: Buffer.from("a PKCS#12 file"),
  password: "a password",
});
const stored = (name: string): string => resolve("test/fixtures/device-files", name);

test.each<DeviceType | null>(["MacOS", "iOS", "Windows", null])(
  "without wired networks the files for %s equal the stored ones, byte for byte",
  async (deviceType) => {
    await expect(mobileconfig(content(deviceType, false))).toMatchFileSnapshot(stored("wifi.mobileconfig"));
    await expect(eapConfig(content(deviceType, false))).toMatchFileSnapshot(stored("wifi.eap-config"));
  },
);

test("with wired networks the files equal the stored ones, byte for byte: --update writes them", async () => {
  await expect(mobileconfig(content("MacOS", true))).toMatchFileSnapshot(stored("wired.mobileconfig"));
  await expect(eapConfig(content("Windows", true))).toMatchFileSnapshot(stored("wired.eap-config"));
});

test("with everything that a realm can set the files equal the stored ones, byte for byte", async () => {
  const all = {
    radiusNames: ["radius.wifi.example.org", "radius-2.example.net"],
    rcois: ["001BC50460", "5A03BA"],
    help: { mail: "help@example.org", web: "https://example.org/wifi?a=1&b=2", phone: "+49 (351) 463-0/1" },
    reminderLeadDays: 30,
  };
  await expect(mobileconfig(content("MacOS", true, all))).toMatchFileSnapshot(stored("everything.mobileconfig"));
  await expect(eapConfig(content("Windows", true, all))).toMatchFileSnapshot(stored("everything.eap-config"));
});

test.each<DeviceType | null>(["iOS", "iPadOS", null])(
  "a configuration profile for %s has no Ethernet payload, because older systems do not know this payload",
  (deviceType) => {
    const profile = mobileconfig(content(deviceType, true));
    expect(profile).toBe(mobileconfig(content(deviceType, false)));
    expect(mobileconfig(content("MacOS", true))).not.toBe(profile);
  },
);
