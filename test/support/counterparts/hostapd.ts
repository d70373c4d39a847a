import { spawn, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect } from "vitest";
import { eventually } from "../run/eventually.ts";
import { edit, freeUdpPorts, run, secret, type RadiusServer } from "./radius.ts";
import { ended } from "../run/services.ts";
import { shellBlocks } from "../run/shell-blocks.ts";
import { requireTool } from "../run/tools.ts";

/** hostapd as a RADIUS server, set up by docs/radius/hostapd.md. */

const page = resolve("docs/radius/hostapd.md");

export interface HostapdOptions {
  /** PEM: the server's certificate with its issuer's, its key, the issuing CAs, and the issuing CAs with their root. */
  server: string;
  key: string;
  issuers: string;
  chain: string;
  crlUrl: string;
}

export interface Hostapd extends Pick<RadiusServer, "port" | "output" | "stop"> {
  /** Runs the script that fetches CRLs, as its timer does. */
  bringCrl(...urls: string[]): Promise<{ code: number; output: string }>;
  /** Staples this OCSP answer about the server's certificate from now on. */
  staple(answer: Buffer): Promise<void>;
  /** Replaces the CAs that hostapd trusts when it gets the next CRL; PEM. */
  trust(files: Pick<HostapdOptions, "issuers" | "chain">): Promise<void>;
}

/** Installs docs/radius/hostapd by the commands of its page, fetches a CRL and starts hostapd. */
export async function startHostapd({ server, key, issuers, chain, crlUrl }: HostapdOptions): Promise<Hostapd> {
  const directory = await mkdtemp(join(tmpdir(), "realmpass-hostapd-"));
  const [etc, sbin, crls] = ["etc", "sbin", "crl"].map((name) => join(directory, name)) as [string, string, string];
  const [port] = await freeUdpPorts();
  for (const made of [sbin, crls]) await mkdir(made);
  const given = { "server.pem": server, "server.key": key, "issuers.pem": issuers, "chain.pem": chain };
  for (const [name, content] of Object.entries(given)) await writeFile(join(directory, name), content);

  const [, install = ""] = await shellBlocks(page, "Set up");
  const script = install
    .replaceAll("/root/radius", resolve("docs/radius"))
    .replaceAll("/root", directory)
    .replaceAll("/etc/hostapd", etc)
    .replaceAll("/usr/local/sbin", sbin);
  const { status, stderr } = spawnSync("bash", ["-e", "-u", "-c", script], { encoding: "utf8" });
  if (status !== 0) throw new Error(`the commands of ${page} failed: ${stderr}`);
  await edit(join(etc, "radius_clients"), [["CHANGE-ME", secret]]);
  await edit(join(etc, "hostapd.conf"), [
    ["/etc/hostapd", etc],
    ["/var/lib/realmpass-crl", crls],
    ["radius_server_auth_port=1812", `radius_server_auth_port=${port}`],
    ["crl_reload_interval=60", `crl_reload_interval=1\nocsp_stapling_response=${join(etc, "server.ocsp")}`],
  ]);

  const bringCrl: Hostapd["bringCrl"] = (...urls) =>
    run(
      join(sbin, "bring-crl"),
      [join(etc, "chain.pem"), join(etc, "issuers.pem"), crls, ...(urls.length === 0 ? [crlUrl] : urls)],
      { path: sbin },
    );
  const brought = await bringCrl();
  if (brought.code !== 0) throw new Error(`bring-crl: ${brought.output}`);

  let output = "";
  const child = spawn(requireTool("hostapd"), ["-d", join(etc, "hostapd.conf")], { stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const stop = async (): Promise<void> => {
    await ended(child);
    await rm(directory, { recursive: true, force: true });
  };
  await eventually(() => {
    if (child.exitCode !== null) throw new Error(`hostapd ended: ${output.slice(-2_000)}`);
    expect(output).toContain("AP-ENABLED");
  }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    port,
    output: () => output,
    bringCrl,
    async trust(files) {
      await writeFile(join(etc, "issuers.pem"), files.issuers);
      await writeFile(join(etc, "chain.pem"), files.chain);
    },
    staple: (answer) => writeFile(join(etc, "server.ocsp"), answer),
    stop,
  };
}
