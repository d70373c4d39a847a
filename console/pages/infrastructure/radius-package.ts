import { base } from "../../api/page-settings.ts";
import { radiusClients } from "../../../domain/radius-clients.ts";
import { withFiles } from "../../../domain/ustar.ts";
import type { CreatedInfrastructureProfile } from "./infrastructure-profiles.ts";

export const radiusModes = ["resilient", "strict"] as const;
export type RadiusMode = (typeof radiusModes)[number];

/** All files and secrets that a RADIUS server needs; the user saves them once. */
export interface RadiusPackage {
  archive: Blob;
  /** The secret for access points. */
  secret: string;
  /** The secret for eapol_test, which runs on the RADIUS server itself. */
  testSecret: string;
}

export const packageName = "realmpass-radius.tar";
const directory = "realmpass-radius";
export const installCommand = `tar -xf ${packageName} && ./${directory}/install`;

/** Fetches the realm's part of the package, which contains no secrets. Throws if the service does not return it. */
export async function fetchPackage(
  { mode, realm }: { mode: RadiusMode; realm: string },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const response = await fetch(`${base}/docs/radius/package-${mode}.tar?realm=${encodeURIComponent(realm)}`, {
    signal,
  });
  if (!response.ok) throw new Error(`the package was answered with ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Adds the server's certificate, its key and its clients, with new secrets, to the realm's part of the package. */
export function packRadiusServer(
  common: Uint8Array,
  { profile, networks, at }: { profile: CreatedInfrastructureProfile; networks: readonly string[]; at: Date },
): RadiusPackage {
  const [secret, testSecret] = [drawSecret(), drawSecret()];
  const file = (name: string, text: string, isPrivate: boolean) => ({
    name: `${directory}/${name}`,
    content: new TextEncoder().encode(text),
    isExecutable: false,
    isPrivate,
    changedAt: at,
  });
  const archive = withFiles(common, [
    file("server.pem", profile.certificate ?? "", false),
    file("server.key", profile.privateKey ?? "", true),
    file("clients.conf", radiusClients({ networks, secret, testSecret }), true),
  ]);
  return { archive: new Blob([archive as Uint8Array<ArrayBuffer>], { type: "application/x-tar" }), secret, testSecret };
}

/** Returns 128 random bits, in characters that every access point accepts. */
const drawSecret = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (octet) => octet.toString(16).padStart(2, "0")).join("");
