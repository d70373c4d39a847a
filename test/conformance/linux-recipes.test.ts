import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeClientHierarchy } from "../support/given/client-hierarchy.ts";
import { shellBlocks } from "../support/run/shell-blocks.ts";
import { describeWithTool, requireTool } from "../support/run/tools.ts";

const guide = readFileSync("docs/guides/formats.md", "utf8");
const blocksOf = (page: string): string[] =>
  [...page.matchAll(/^```ini\n(.*?)^```$/gms)].map(([, block]) => block ?? "");
const blockWith = (page: string, ...texts: readonly string[]): string =>
  blocksOf(page).find((block) => texts.every((text) => block.includes(text))) ?? "";

test("the guide's block for wpa_supplicant equals the block on the page about RADIUS servers", () => {
  const sent = blockWith(readFileSync("docs/radius/README.md", "utf8"), "network=", "client_cert");
  const written = blockWith(guide, "network=")
    .replace("eduroam", "demo")
    .replace("profile.crt", "laptop.pem")
    .replace("profile.key", "laptop.key");
  expect(sent).not.toBe("");
  expect(written).toBe(sent);
});

/** The settings for a wired network, by their names in NetworkManager. */
const wiredSettings = (): Record<string, string> => {
  const [, section = ""] = /\[802-1x\]\n([^[]*)/.exec(blockWith(guide, "type=ethernet")) ?? [];
  return Object.fromEntries(section.split("\n").flatMap((line) => (line === "" ? [] : [line.split("=")])));
};

test("the guide's connection files for Wi-Fi and for cables have the same 802.1X settings, which are optional only on cables", () => {
  const [, wifi = ""] = /\[802-1x\]\n([^[]*)/.exec(blockWith(guide, "type=wifi")) ?? [];
  const { optional, ...settings } = wiredSettings();
  expect(optional).toBe("true");
  expect(Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)).toEqual(wifi.match(/.+\n/g));
  expect(settings).toHaveProperty("domain-match", "radius.demo.example");
});

test("netplan gives NetworkManager the same settings for a cable as the guide's connection file", () => {
  const [, yaml = ""] = /^```yaml\n(.*?)^```$/ms.exec(guide) ?? [];
  const keys: Record<string, string> = {
    method: "eap",
    identity: "identity",
    "ca-certificate": "ca-cert",
    "client-certificate": "client-cert",
    "client-key": "private-key",
  };
  const given = [...yaml.matchAll(/^ +(?:802-1x\.)?([a-z-]+): "?([^"\n{]+?)"?$/gm)].map(([, key = "", value = ""]) => [
    keys[key] ?? key,
    key === "method" ? `${value};` : value,
  ]);
  expect(Object.fromEntries(given)).toMatchObject(wiredSettings());
});

test("wpa_supplicant has the same settings for a cable as for Wi-Fi", () => {
  const wired = blockWith(guide, "network=", "IEEE8021X");
  const wifi = blockWith(guide, "network=", "WPA-EAP");
  expect(wired).not.toBe("");
  expect(wired.replace("ap_scan=0\n", "").replace("IEEE8021X", "WPA-EAP")).toBe(wifi.replace(/^\tssid=.*\n/m, ""));
});

describeWithTool(["nmcli", "openssl"], "NetworkManager's connection file", () => {
  let directory: string;

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "realmpass-recipes-"));
    const { issuerPem, rootPem, clients } = makeClientHierarchy(requireTool("openssl"), directory);
    const { x509, privateKey } = clients["ec-p256"];
    writeFileSync(join(directory, "ca.pem"), issuerPem + rootPem);
    writeFileSync(join(directory, "profile.crt"), x509.toString() + issuerPem);
    writeFileSync(join(directory, "profile.key"), privateKey.export({ type: "pkcs8", format: "pem" }));
    for (const [profile, laptop] of [
      ["profile.crt", "laptop.pem"],
      ["profile.key", "laptop.key"],
    ] as const)
      copyFileSync(join(directory, profile), join(directory, laptop));
  });
  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  /** Returns the file as nmcli reads, checks and rewrites it, without a running NetworkManager. */
  const readBack = (file: string) =>
    spawnSync(requireTool("nmcli"), ["--offline", "connection", "modify", "connection.autoconnect-priority", "1"], {
      input: file,
      encoding: "utf8",
    });

  test.each(["wifi", "ethernet"])("for %s loses no setting when nmcli reads it", (type) => {
    const file = blockWith(guide, "[connection]", `type=${type}`).replaceAll("/etc/realmpass", directory);
    const { status, stdout, stderr } = readBack(file);

    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const settings = file.split("\n").filter((line) => line !== "");
    expect(settings).toContain("eap=tls;");
    expect(stdout.split("\n")).toEqual(expect.arrayContaining(settings));
  });

  test("matches the command on the page about RADIUS servers", async () => {
    const [command = ""] = await shellBlocks("docs/radius/README.md", "Devices");
    const script = command.replace(/^nmcli connection add/, `${requireTool("nmcli")} --offline connection add`);
    const { status, stdout, stderr } = spawnSync("bash", ["-e", "-c", script.replaceAll("/etc/realmpass", directory)], {
      encoding: "utf8",
    });

    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const file = blockWith(guide, "[connection]")
      .replaceAll("/etc/realmpass", directory)
      .replaceAll("eduroam", "demo")
      .replaceAll("profile.", "laptop.")
      .replace("laptop.crt", "laptop.pem");
    expect(stdout.split("\n")).toEqual(expect.arrayContaining(file.split("\n")));
  });

  test("control: nmcli refuses an unknown EAP method", () => {
    const file = blockWith(guide, "[connection]").replaceAll("/etc/realmpass", directory);
    expect(readBack(file.replace("eap=tls;", "eap=none;")).status).not.toBe(0);
  });
});
