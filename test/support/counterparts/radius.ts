import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { createSocket } from "node:dgram";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect } from "vitest";
import { eventually } from "../run/eventually.ts";
import { clockAhead } from "../run/faketime.ts";
import { ended } from "../run/services.ts";
import { shellBlocks } from "../run/shell-blocks.ts";
import { describeWithTool, requireTool } from "../run/tools.ts";

/** FreeRADIUS, set up by docs/radius/README.md, and devices that connect to it. */

const page = resolve("docs/radius/README.md");
export const debianConfiguration = "/etc/freeradius/3.0";
/** The secret that the server and its devices share. */
export const secret = "a-secret-for-tests-alone";

/** The name of the RADIUS server that the devices on the page expect. */
export const radiusServerName = "radius.demo.example";

/**
 * Defines a `describe` block that needs FreeRADIUS with Debian's configuration, and a device. See `describeWithTool`.
 */
export function describeWithRadius(name: string, block: () => void): void {
  describeWithTool(["freeradius", "eapol_test", "openssl", "curl", ...unreadable()], name, block);
}

function unreadable(): string[] {
  try {
    accessSync(join(debianConfiguration, "radiusd.conf"), constants.R_OK);
    return [];
  } catch {
    return [`a readable ${debianConfiguration}`];
  }
}

export type RadiusMode = "strict" | "resilient";

export interface RadiusOptions {
  mode: RadiusMode;
  realmDomain: string;
  /** PEM: the server's certificate with its issuer's, its key, and the issuing CAs whose devices are accepted. */
  server: string;
  key: string;
  issuers: string;
  /** The one name that gets VLAN 30 instead of 20. */
  exception?: string;
  /** Adds configuration before the server starts; its files can be put into `directory`. */
  also?: (place: { configuration: string; directory: string }) => Promise<void>;
  /** Does not log each request, for tests with thousands of them. */
  quiet?: boolean;
}

export interface RadiusServer {
  port: number;
  accountingPort: number;
  issuersFile: string;
  /** Where `fetch-crl` puts CRLs. */
  crlDirectory: string;
  /** The file that `fetch-vlans` writes. */
  vlansFile: string;
  /** The output of `freeradius -xx` so far. */
  output(): string;
  /** The id of the process. */
  pid: number;
  stop(): Promise<void>;
}

/** Installs docs/radius over a copy of Debian's configuration, by the commands of its page, and starts FreeRADIUS. */
export async function startRadius(options: RadiusOptions): Promise<RadiusServer> {
  const directory = await mkdtemp(join(tmpdir(), "realmpass-radius-"));
  const configuration = join(directory, "raddb");
  const crlDirectory = join(directory, "crl");
  const [port, accountingPort] = await freeUdpPorts();
  await cp(debianConfiguration, configuration, { recursive: true, verbatimSymlinks: true });
  for (const made of ["crl", "log", "run"]) await mkdir(join(directory, made));
  await writeFile(join(directory, "server.pem"), options.server);
  await writeFile(join(directory, "server.key"), options.key);
  await writeFile(join(directory, "issuers.pem"), options.issuers);

  const [install = ""] = await shellBlocks(page, "On the RADIUS server");
  const script = install
    .replaceAll(debianConfiguration, configuration)
    .replaceAll("/root/radius/strict", resolve("docs/radius", options.mode))
    .replaceAll("/root/radius", resolve("docs/radius"))
    .replaceAll("/root", directory)
    // All files here belong to the user that the server runs as.
    .replaceAll("-g freerad ", "");
  const { status, stderr } = spawnSync("bash", ["-e", "-u", "-c", script], { encoding: "utf8" });
  if (status !== 0) throw new Error(`the commands of ${page} failed: ${stderr}`);

  await edit(join(configuration, "sites-available/realmpass"), [
    [`realm_domain = "demo.example"`, `realm_domain = "${options.realmDomain}"`],
    ["port = 1812", `port = ${port}`],
    ["port = 1813", `port = ${accountingPort}`],
  ]);
  await edit(join(configuration, "clients.conf"), [[`secret = "CHANGE-ME"`, `secret = "${secret}"`]]);
  if (options.exception !== undefined) {
    await edit(join(configuration, "mods-config/realmpass/vlans"), [
      ["abcdefghijklmnopqrst@demo.example", options.exception],
    ]);
  }
  if (options.mode === "resilient") {
    await edit(join(configuration, "mods-available/realmpass_eap"), [
      ["ca_path = /var/lib/realmpass-crl", `ca_path = ${crlDirectory}`],
    ]);
  }
  // Sets the directory of the server's files, and keeps the server running as the user that starts it.
  await edit(join(configuration, "radiusd.conf"), [
    [/^raddbdir = .*$/m, `raddbdir = ${configuration}`],
    [/^logdir = .*$/m, `logdir = ${directory}/log`],
    [/^run_dir = .*$/m, `run_dir = ${directory}/run`],
    [/^\s*user = freerad$/m, ""],
    [/^\s*group = freerad$/m, ""],
  ]);

  const vlansFile = await installVlans(configuration, directory);
  await options.also?.({ configuration, directory });

  const owner = unprivileged();
  if (owner !== undefined) spawnSync("chown", ["-R", `${owner.uid}:${owner.gid}`, directory]);
  let output = "";
  const child = spawn(
    requireTool("freeradius"),
    ["-f", "-l", "stdout", ...(options.quiet === true ? [] : ["-xx"]), "-d", configuration],
    {
      stdio: ["ignore", "pipe", "pipe"],
      ...owner,
    },
  );
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await eventually(() => {
    if (child.exitCode !== null) throw new Error(`freeradius ended: ${output.slice(-2_000)}`);
    expect(output).toContain("Ready to process requests");
  }).catch(async (error: unknown) => {
    await stop(child, directory);
    throw error;
  });

  return {
    port,
    accountingPort,
    issuersFile: join(configuration, "certs/realmpass/issuers.pem"),
    crlDirectory,
    vlansFile,
    output: () => output,
    pid: child.pid ?? 0,
    stop: () => stop(child, directory),
  };
}

/** Installs the set-up of the section "VLANs by rule", with an empty list; returns the path of the list. */
async function installVlans(configuration: string, directory: string): Promise<string> {
  const file = join(directory, "vlans");
  await writeFile(file, "");
  const name = "realmpass_vlans_fetched";
  const module = join(configuration, "mods-available", name);
  await cp(resolve("docs/radius/vlans/mods-available", name), module);
  await edit(module, [["/var/lib/realmpass-vlans/vlans", file]]);
  await symlink(`../mods-available/${name}`, join(configuration, "mods-enabled", name));
  return file;
}

async function stop(child: ChildProcess, directory: string): Promise<void> {
  await ended(child);
  await rm(directory, { recursive: true, force: true });
}

/** Returns the ids of the user freerad if the tests run as root, because root must not run a RADIUS server. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = ["-u", "-g"].map((flag) =>
    Number(spawnSync("id", [flag, "freerad"], { encoding: "utf8" }).stdout),
  );
  return uid && gid ? { uid, gid } : undefined;
}

/**
 * Replaces every occurrence of each text; throws if a text does not occur, because then the page and the files differ.
 */
export async function edit(file: string, changes: readonly (readonly [string | RegExp, string])[]): Promise<void> {
  let text = await readFile(file, "utf8");
  for (const [from, to] of changes) {
    const changed = text.split(from).join(to);
    if (changed === text) throw new Error(`${file} has nothing like ${String(from)}`);
    text = changed;
  }
  await writeFile(file, text);
}

/** Returns two UDP ports that were free a moment ago. */
export async function freeUdpPorts(): Promise<[number, number]> {
  const sockets = [createSocket("udp4"), createSocket("udp4")] as const;
  const ports = sockets.map(
    (socket) =>
      new Promise<number>((found) => {
        socket.bind(0, "127.0.0.1", () => {
          found(socket.address().port);
        });
      }),
  );
  const [first = 0, second = 0] = await Promise.all(ports);
  for (const socket of sockets) socket.close();
  return [first, second];
}

/** A device's files: a PKCS#12 file, with the empty password by default, which the settings can also embed; or PEM. */
export type DeviceFiles =
  { pkcs12: Buffer; password?: string; asBlob?: boolean } | { certificate: string; key: string };

export interface KnockOptions {
  radius: Pick<RadiusServer, "port" | "output">;
  files: DeviceFiles;
  /** PEM of the CA by which the device checks the RADIUS server. */
  ca: string;
  /** The identity that the device sends in the clear. */
  identity: string;
  /** The names that the device accepts in the server's certificate. Default: the page's. */
  serverNames?: readonly string[];
  /** Default: wpa_supplicant's own choice. */
  tls?: "1.2" | "1.3";
  /** Connects a second time, as a roaming device does, with whatever it kept of the first connection. */
  again?: boolean;
  /** Requires the server to staple an OCSP answer about its certificate (RFC 9190 section 5.4). */
  staple?: boolean;
  /** How far the device's clock is ahead. Default: 0. */
  minutesAhead?: number;
}

export interface Answered {
  admitted: boolean;
  /** The attributes of the Access-Accept; empty for a refused device. */
  accept: { userName?: string; vlan?: string; sessionTimeout?: string; terminationAction?: string };
  /** All output of `eapol_test`. */
  output: string;
  /** The complaints that FreeRADIUS logged during the attempt, about any device. */
  complaints: string;
}

/** Runs one attempt of a device, set up as the page describes. Throws if the server neither accepts nor refuses it. */
export async function authenticate({
  radius,
  files,
  ca,
  identity,
  serverNames = [radiusServerName],
  tls,
  again = false,
  staple = false,
  minutesAhead = 0,
}: KnockOptions): Promise<Answered> {
  const directory = await mkdtemp(join(tmpdir(), "realmpass-device-"));
  try {
    await writeFile(join(directory, "ca.pem"), ca);
    if ("pkcs12" in files) {
      await writeFile(join(directory, "laptop.p12"), files.pkcs12);
    } else {
      await writeFile(join(directory, "laptop.pem"), files.certificate);
      await writeFile(join(directory, "laptop.key"), files.key);
    }
    await chmod(directory, 0o700);
    const network = (await deviceConfiguration("pkcs12" in files ? "laptop.p12" : "laptop.key"))
      .replaceAll("/etc/realmpass", directory)
      .replace(`identity="@demo.example"`, `identity="${identity}"`)
      .replace(`domain_match="${radiusServerName}"`, `domain_match="${serverNames.join(";")}"`)
      .replace(/^}/m, staple ? "\tocsp=2\n}" : "}")
      .replace(/^}/m, tls === undefined ? "}" : `\tphase1="tls_disable_tlsv1_3=${tls === "1.3" ? 0 : 1}"\n}`);
    return await authenticateWith({
      radius,
      network: "pkcs12" in files ? withPkcs12(network, files, directory) : network,
      again,
      minutesAhead,
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Does the same as {@link authenticate}, for a device whose wpa_supplicant has this network. */
export async function authenticateWith({
  radius,
  network,
  again = false,
  minutesAhead = 0,
}: Pick<KnockOptions, "radius" | "again" | "minutesAhead"> & { network: string }): Promise<Answered> {
  const directory = await mkdtemp(join(tmpdir(), "realmpass-device-"));
  const printed = radius.output().length;
  try {
    await writeFile(join(directory, "laptop.conf"), network, { mode: 0o600 });
    const args = ["-c", join(directory, "laptop.conf"), "-a", "127.0.0.1", "-p", String(radius.port), "-s", secret];
    const clock = minutesAhead === 0 ? {} : clockAhead(minutesAhead);
    const { code, output } = await run(requireTool("eapol_test"), [...args, "-t", "15", "-r", again ? "1" : "0"], {
      env: clock,
    });

    const accept = output.split("RADIUS message: code=2 (Access-Accept)")[1];
    const reject = output.includes("RADIUS message: code=3 (Access-Reject)");
    const admitted = code === 0;
    if (admitted !== (accept !== undefined) || admitted === reject) {
      throw new Error(`neither admitted nor refused: ${output.slice(-3_000)}\n${radius.output().slice(-3_000)}`);
    }
    const complaints = radius
      .output()
      .slice(printed)
      .split("\n")
      .filter((line) => /error|warn|fail|reject|ocsp|verify/i.test(line))
      .join("\n");
    return { admitted, accept: attributesOf(accept ?? ""), output, complaints };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Returns the network with the PKCS#12 file's password; with `asBlob`, embeds the file. */
function withPkcs12(
  network: string,
  { pkcs12, password = "", asBlob = false }: Extract<DeviceFiles, { pkcs12: Buffer }>,
  directory: string,
): string {
  const opened = network.replace(`private_key_passwd=""`, `private_key_passwd="${password}"`);
  if (!asBlob) return opened;
  const named = opened.replace(`"${directory}/laptop.p12"`, `"blob://laptop"`);
  return `${named}\nblob-base64-laptop={\n${pkcs12.toString("base64").replace(/.{64}/g, "$&\n")}\n}\n`;
}

/** Returns the wpa_supplicant network on the page that uses this file. */
async function deviceConfiguration(file: string): Promise<string> {
  const blocks = [...(await readFile(page, "utf8")).matchAll(/^```ini\n(network=.*?)^```$/gms)].map(
    ([, block]) => block,
  );
  const found = blocks.find((block) => block?.includes(file));
  if (found === undefined) throw new Error(`${page} has no network with ${file}`);
  return found;
}

function attributesOf(message: string): Answered["accept"] {
  const valueOf = (name: string): string | undefined =>
    new RegExp(`Attribute \\d+ \\(${name}\\) length=\\d+\\s+Value: '?([^'\\n]*)`).exec(message)?.[1];
  const vlan = valueOf("Tunnel-Private-Group-Id");
  const found = {
    userName: valueOf("User-Name"),
    vlan: vlan === undefined ? undefined : Buffer.from(vlan, "hex").toString("latin1"),
    sessionTimeout: valueOf("Session-Timeout"),
    terminationAction: valueOf("Termination-Action"),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

export interface FetchedCrl {
  code: number;
  output: string;
  /** The names of the files that servers may read, and the PEM of the newest of them. */
  files: string[];
  newest: string;
}

/** Runs the script that fetches CRLs, as its timer does. */
export async function fetchCrl(
  { issuersFile, crlDirectory }: Pick<RadiusServer, "issuersFile" | "crlDirectory">,
  ...urls: string[]
): Promise<FetchedCrl> {
  const ran = await run(resolve("docs/radius/resilient/fetch-crl"), [issuersFile, crlDirectory, ...urls]);
  const files = (await readdir(crlDirectory)).filter((name) => !name.startsWith("."));
  const numberOf = (name: string): number => Number(name.split(".r")[1]);
  files.sort((one, other) => numberOf(one) - numberOf(other));
  const last = files.at(-1);
  return { ...ran, files, newest: last === undefined ? "" : await readFile(join(crlDirectory, last), "utf8") };
}

/** Does what the unit that fetches VLANs does: runs the script, then the command that has FreeRADIUS read them. */
export async function fetchVlans(
  { vlansFile, pid }: Pick<RadiusServer, "vlansFile" | "pid">,
  { url, client }: { url: string; client: { clientId: string; clientSecret: string } },
): Promise<{ code: number; output: string; list: string }> {
  const directory = await mkdtemp(join(tmpdir(), "realmpass-vlans-"));
  const credentials = join(directory, "client");
  await writeFile(credentials, `${client.clientId}:${client.clientSecret}\n`);
  const ran = await run(resolve("docs/radius/vlans/fetch-vlans"), [url, credentials, vlansFile]);
  await rm(directory, { recursive: true });
  // The server's user has to read it.
  await chmod(vlansFile, 0o644);
  if (ran.code === 0) {
    const unit = await readFile(resolve("docs/radius/vlans/systemd/realmpass-vlans.service"), "utf8");
    const command = (/^ExecStartPost=\+\/bin\/sh -c '(.*)'$/m.exec(unit)?.[1] ?? "false")
      .replace("/var/lib/realmpass-vlans", dirname(vlansFile))
      .replace(debianConfiguration, join(dirname(vlansFile), "raddb"))
      .replace("systemctl try-reload-or-restart freeradius", `kill -HUP ${pid}`);
    const { code, output } = await run("/bin/sh", ["-c", command]);
    if (code !== 0) throw new Error(`the unit's command failed: ${output}`);
  }
  return { ...ran, list: await readFile(vlansFile, "utf8") };
}

/** Runs a program to its end, looked up in `path` before the usual places. */
export function run(
  program: string,
  args: readonly string[],
  { path, env = {} }: { path?: string; env?: Record<string, string> } = {},
): Promise<{ code: number; output: string }> {
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 60_000,
    cwd: dirname(program),
    env: {
      ...process.env,
      ...env,
      ...(path !== undefined && { PATH: `${path}:${process.env["PATH"] ?? ""}` }),
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((done, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      done({ code: code ?? -1, output });
    });
  });
}
