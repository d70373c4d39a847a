import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import type { DeviceFiles } from "../counterparts/radius.ts";

export interface DeviceSetUp {
  files: DeviceFiles;
  /**
   * The CAs with which the device checks the RADIUS server, as PEM; `serverNames`: the names that the device accepts.
   */
  ca: string;
  serverNames: string[];
  identity: string;
}

/** Returns the set-up in a file of this format, independently of how the service writes it. */
export function setUpOf(format: "onc" | "networkmanager" | "iwd", file: Buffer): DeviceSetUp {
  if (format === "onc") return ofOnc(file);
  const text = tar(file, "-xOf", "-");
  return format === "iwd" ? ofIwd(text) : ofNetworkManager(text);
}

function ofOnc(file: Buffer): DeviceSetUp {
  const { NetworkConfigurations, Certificates } = JSON.parse(file.toString("utf8"));
  const { EAP } = NetworkConfigurations[0].WiFi;
  const certificate = (guid: string) => Certificates.find(({ GUID }: { GUID: string }) => GUID === guid);
  return {
    files: { pkcs12: Buffer.from(certificate(EAP.ClientCertRef).PKCS12, "base64") },
    ca: EAP.ServerCARefs.map((guid: string) =>
      new X509Certificate(Buffer.from(certificate(guid).X509, "base64")).toString(),
    ).join(""),
    serverNames: EAP.SubjectAlternativeNameMatch.map(({ Value }: { Value: string }) => Value),
    identity: EAP.Identity,
  };
}

function ofNetworkManager(text: string): DeviceSetUp {
  const value = (name: string): string => new RegExp(`^${name}=(.*)$`, "m").exec(text)?.[1] ?? "";
  return {
    files: {
      pkcs12: Buffer.from(value("private-key").replace("data:;base64,", ""), "base64"),
      password: value("private-key-password"),
      asBlob: true,
    },
    ca: (text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g) ?? []).join(""),
    serverNames: value("domain-match").split(";"),
    identity: value("identity"),
  };
}

function ofIwd(text: string): DeviceSetUp {
  const value = (name: string): string => new RegExp(`^${name}=(.*)$`, "m").exec(text)?.[1] ?? "";
  const group = (name: string): string => new RegExp(`^\\[@pem@${name}\\]\\n([^[]*)`, "m").exec(text)?.[1] ?? "";
  return {
    files: { certificate: group("client"), key: group("key") },
    ca: group("ca"),
    serverNames: value("EAP-TLS-ServerDomainMask").split(";"),
    identity: value("EAP-Identity"),
  };
}

function tar(input: Buffer, ...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("tar", words, { input, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
