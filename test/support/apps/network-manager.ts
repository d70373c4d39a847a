import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { atEnd } from "../run/at-end.ts";
import { eventually } from "../run/eventually.ts";
import { ended } from "../run/services.ts";
import { requireTool } from "../run/tools.ts";
import type { Network } from "./eap-config-rules.ts";

/** NetworkManager as the Linux app uses it: Debian's program, with a private D-Bus and network. */

export const networkManagerTools = ["root", "NetworkManager", "dbus-daemon", "busctl", "nmcli", "unshare", "openssl"];

/** A value with its D-Bus type. */
type Variant =
  readonly ["s", string] | readonly ["i" | "u", number] | readonly ["as", readonly string[]] | readonly ["ay", Buffer];
export type ConnectionSettings = Record<string, Record<string, Variant>>;

export interface NetworkManager {
  /** Adds a connection by D-Bus; returns the file that NetworkManager stores. */
  add(settings: ConnectionSettings): Promise<string>;
}

/** Starts NetworkManager; it is stopped at the end of the test or file. */
export async function startNetworkManager(): Promise<NetworkManager> {
  const directory = await mkdtemp(join(tmpdir(), "realmpass-nm-"));
  const inside = (name: string): string => join(directory, name);
  const bus = `unix:path=${inside("bus")}`;
  for (const made of ["connections", "empty"]) await mkdir(inside(made));
  await writeFile(
    inside("bus.conf"),
    `<busconfig><type>session</type><listen>${bus}</listen><policy context="default">` +
      `<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`,
  );
  await writeFile(
    inside("nm.conf"),
    `[main]\nplugins=keyfile\nauth-polkit=root-only\ndns=none\n[keyfile]\npath=${inside("connections")}\n`,
  );

  let output = "";
  const processes: ChildProcess[] = [];
  const start = (program: string, args: readonly string[]): void => {
    const child = spawn(requireTool(program), args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, DBUS_SYSTEM_BUS_ADDRESS: bus },
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
    processes.push(child);
  };
  atEnd(async () => {
    for (const child of processes.reverse()) await ended(child);
    await rm(directory, { recursive: true, force: true });
  });

  start("dbus-daemon", [`--config-file=${inside("bus.conf")}`, "--nofork"]);
  await eventually(() => {
    expect(existsSync(inside("bus")), output).toBe(true);
  });
  // In private namespaces, NetworkManager sees no device of this machine and keeps the rest of its state in memory.
  const private_ =
    "for at in /run/NetworkManager /var/lib/NetworkManager; do mkdir -p $at; mount -t tmpfs none $at; done";
  const options = ["--no-daemon", "--config", inside("nm.conf"), "--state-file", inside("state")];
  const folders = [
    "--config-dir",
    inside("empty"),
    "--system-config-dir",
    inside("empty"),
    "--pid-file",
    inside("pid"),
  ];
  const command = [requireTool("NetworkManager"), ...options, ...folders].join(" ");
  start("unshare", ["--net", "--mount", "sh", "-e", "-c", `${private_}; exec ${command}`]);

  const call = (method: string, ...args: readonly string[]) => {
    const settings = ["/org/freedesktop/NetworkManager/Settings", "org.freedesktop.NetworkManager.Settings"];
    const target = ["call", "org.freedesktop.NetworkManager", ...settings, method, ...args];
    return spawnSync(requireTool("busctl"), [`--address=${bus}`, ...target], { encoding: "utf8", timeout: 30_000 });
  };
  await eventually(() => {
    expect(call("ListConnections").status, output).toBe(0);
  });

  return {
    async add(settings) {
      const before = await readdir(inside("connections"));
      const { status, stderr } = call("AddConnection", "a{sa{sv}}", ...dictionary(settings));
      if (status !== 0) throw new Error(stderr);
      const added = (await readdir(inside("connections"))).find((name) => !before.includes(name));
      return readFile(join(inside("connections"), added ?? ""), "utf8");
    },
  };
}

const counted = (values: readonly string[]): string[] => [String(values.length), ...values];

/** Writes settings as busctl reads a dictionary of dictionaries. */
function dictionary(settings: ConnectionSettings): string[] {
  const groups = Object.entries(settings);
  return [
    String(groups.length),
    ...groups.flatMap(([group, values]) => [
      group,
      String(Object.keys(values).length),
      ...Object.entries(values).flatMap(([name, variant]) => [name, variant[0], ...valueOf(variant)]),
    ]),
  ];
}

function valueOf([type, value]: Variant): string[] {
  switch (type) {
    case "s":
      return [value];
    case "i":
    case "u":
      return [String(value)];
    case "as":
      return counted(value);
    case "ay":
      return counted([...value].map(String));
  }
}

/**
 * Writes the files that geteduroam-cli 0.14 writes for a network (the CAs in a directory of hashed names, the key under
 * a new password), and returns the settings that it passes to NetworkManager.
 */
export async function linuxAppSettings(network: Network, directory: string): Promise<ConnectionSettings> {
  const file = (name: string): string => join(directory, name);
  await mkdir(file("ca"), { mode: 0o700 });
  for (const [index, ca] of network.cas.entries())
    await writeFile(file(`ca/${String(index)}.pem`), new X509Certificate(ca).toString());
  expect(spawnSync(requireTool("openssl"), ["rehash", file("ca")]).status).toBe(0);
  const [leaf] = network.device.certificates;
  await writeFile(file("client-cert.pem"), leaf?.toString() ?? "");
  const password = "made by the app";
  const key = createPrivateKey(network.device.privateKey).export({
    type: "pkcs8",
    format: "pem",
    cipher: "aes-256-cbc",
    passphrase: password,
  });
  await writeFile(file("private-key.pem"), key, { mode: 0o600 });

  const path = (name: string): Variant => ["ay", Buffer.from(`file://${file(name)}\0`)];
  const [ssid = ""] = network.ssids;
  return {
    connection: {
      "autoconnect-priority": ["i", 1],
      permissions: ["as", ["user:root"]],
      type: ["s", "802-11-wireless"],
      id: ["s", `${ssid} (from geteduroam)`],
    },
    "802-11-wireless": { ssid: ["ay", Buffer.from(ssid)], security: ["s", "802-11-wireless-security"] },
    "802-11-wireless-security": {
      "key-mgmt": ["s", "wpa-eap"],
      proto: ["as", ["rsn"]],
      pairwise: ["as", ["ccmp"]],
      group: ["as", ["ccmp"]],
    },
    "802-1x": {
      eap: ["as", ["tls"]],
      identity: ["s", network.identity ?? ""],
      "ca-path": ["s", file("ca")],
      "altsubject-matches": ["as", network.serverNames.map((name) => `DNS:${name}`)],
      "client-cert": path("client-cert.pem"),
      "private-key": path("private-key.pem"),
      "private-key-password": ["s", password],
      "private-key-password-flags": ["u", 0],
    },
    ipv4: { method: ["s", "auto"] },
    ipv6: { method: ["s", "auto"] },
  };
}

/** Returns the settings of one group in a stored connection. */
export function settingsIn(keyfile: string, group: string): Record<string, string> {
  const [, lines = ""] = new RegExp(`^\\[${group}\\]\\n([^[]*)`, "m").exec(keyfile) ?? [];
  return Object.fromEntries(
    lines.split("\n").flatMap((line) => {
      const at = line.indexOf("=");
      return at === -1 ? [] : [[line.slice(0, at), line.slice(at + 1)]];
    }),
  );
}

/** Returns the network that NetworkManager passes to wpa_supplicant for a stored connection with EAP-TLS. */
export function supplicantNetwork(keyfile: string): string {
  const settings = settingsIn(keyfile, "802-1x");
  const quoted = (name: string): string => `"${settings[name] ?? ""}"`;
  return `network={
	key_mgmt=WPA-EAP
	eap=TLS
	identity=${quoted("identity")}
	ca_path=${quoted("ca-path")}
	altsubject_match="${(settings["altsubject-matches"] ?? "").replace(/;$/, "")}"
	client_cert=${quoted("client-cert")}
	private_key=${quoted("private-key")}
	private_key_passwd=${quoted("private-key-password")}
}
`;
}
