import { resolve } from "node:path";
import { expect, test } from "vitest";
import type { DeviceType } from "../../../../domain/certificate/device.ts";
import type { DeviceFileContent } from "../../../../worker/issuance/device-files/device-file-content.ts";
import { eapConfig } from "../../../../worker/issuance/device-files/eap-config.ts";
import { mobileconfig } from "../../../../worker/issuance/device-files/mobileconfig.ts";

/** What a device file contains, with words for the bytes of certificates and keys. */
const content = (deviceType: DeviceType | null, wired: boolean): DeviceFileContent => ({
  network: {
    displayName: "Example University",
    domain: "wifi.example.org",
    ssids: ["eduroam", "Campus"],
    wired,
    radiusName: "radius.wifi.example.org",
    radiusCas: [{ certificate: Buffer.from("a root").toString("base64"), selfSigned: true }],
  },
  deviceType,
  identity: "abcdefghijklmnopqrst@wifi.example.org",
  friendlyName: "laptop (Example University)",
  notAfter: new Date("2027-11-21T09:00:00Z"),
  chain: [Buffer.from("an issuing CA")],
  pkcs12: Buffer.from("a PKCS#12 file"),
  password: "a password",
});
const stored = (name: string): string => resolve("test/fixtures/device-files", name);

test.each<DeviceType | null>(["MacOS", "iOS", "Windows", null])(
  "without wired networks the files for %s are the stored ones, byte for byte",
  async (deviceType) => {
    await expect(mobileconfig(content(deviceType, false))).toMatchFileSnapshot(stored("wifi.mobileconfig"));
    await expect(eapConfig(content(deviceType, false))).toMatchFileSnapshot(stored("wifi.eap-config"));
  },
);

test("with wired networks the files are the stored ones, byte for byte: --update writes them", async () => {
  await expect(mobileconfig(content("MacOS", true))).toMatchFileSnapshot(stored("wired.mobileconfig"));
  await expect(eapConfig(content("Windows", true))).toMatchFileSnapshot(stored("wired.eap-config"));
});

test.each<DeviceType | null>(["iOS", "iPadOS", null])(
  "a configuration profile for %s has no Ethernet, which older ones do not know",
  (deviceType) => {
    const profile = mobileconfig(content(deviceType, true));
    expect(profile).toBe(mobileconfig(content(deviceType, false)));
    expect(mobileconfig(content("MacOS", true))).not.toBe(profile);
  },
);
