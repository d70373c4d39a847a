import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { openssl } from "./openssl.ts";
import { requireTool } from "../run/tools.ts";

/** Reads device files with the programs of others: plistlib of Python, xmllint and openssl. */

const toJson = `
import base64, datetime, json, plistlib, sys
def plain(value):
    if isinstance(value, bytes): return {"data": base64.b64encode(value).decode()}
    if isinstance(value, datetime.datetime): return {"date": value.isoformat() + "Z"}
    raise TypeError
json.dump(plistlib.loads(sys.stdin.buffer.read(), fmt=plistlib.FMT_XML), sys.stdout, default=plain)
`;

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test reads a file as a device does; its assertion is the check
export type Plist = Record<string, any>;

/** What was read already: tests look at one file several times. */
const plists = new Map<string, string>();

/** A property list; data comes as `{data: base64}`, a date as `{date}`. */
export function readPlist(file: Buffer): Plist {
  const key = file.toString("latin1");
  const json = plists.get(key) ?? run("python3", ["-I", "-S", "-c", toJson], file);
  plists.set(key, json);
  return JSON.parse(json) as Plist;
}

/** The payloads of a configuration profile that have this type. */
export const payloadsOf = (profile: Plist, type: string): Plist[] =>
  (profile["PayloadContent"] as Plist[]).filter(({ PayloadType }) => PayloadType === type);

/** PKCS#12 and password of a configuration profile. */
export function bundleOfMobileconfig(profile: Plist): { pkcs12: Buffer; password: string } {
  const [payload] = payloadsOf(profile, "com.apple.security.pkcs12");
  return { pkcs12: Buffer.from(payload?.["PayloadContent"].data, "base64"), password: String(payload?.["Password"]) };
}

/** The text of each element or attribute that an XPath names. */
export function xpath(file: Buffer, path: string): string[] {
  const string = (position: number): string => `string((${path})[${String(position)}])`;
  // xmllint ends what it prints with a newline of its own.
  const evaluate = (expression: string): string =>
    run("xmllint", ["--xpath", expression, "-"], file).replace(/\n$/, "");
  // Most paths name one: its text comes with the count.
  const [, count = "", first = ""] = /^(\d+) (.*)$/s.exec(evaluate(`concat(count(${path}), ' ', ${string(1)})`)) ?? [];
  return Array.from({ length: Number(count) }, (_, index) => (index === 0 ? first : evaluate(string(index + 1))));
}

/** PKCS#12 and password of EAP metadata. */
export const bundleOfEapConfig = (file: Buffer): { pkcs12: Buffer; password: string } => ({
  pkcs12: Buffer.from(xpath(file, "//ClientCertificate").join(), "base64"),
  password: xpath(file, "//Passphrase").join(),
});

/** What xmllint finds wrong with a file by a RELAX NG grammar; empty when nothing. */
export function faultsOf(file: Buffer, grammar: URL): string {
  const { status, stderr } = spawnSync(requireTool("xmllint"), ["--noout", "--relaxng", grammar.pathname, "-"], {
    input: file,
    encoding: "utf8",
  });
  return status === 0 ? "" : stderr;
}

export interface OpenedBundle {
  /** The leaf first. */
  certificates: X509Certificate[];
  privateKey: string;
  /** What openssl says of its encryption and MAC. */
  info: string;
}

/** A PKCS#12 file as OpenSSL opens it with a password; undefined when it does not. */
export function openBundle({ pkcs12, password }: { pkcs12: Buffer; password: string }): OpenedBundle | undefined {
  const args = ["pkcs12", "-info", "-in", "bundle.p12", "-passin", "file:password", "-nodes", "-legacy"];
  const { status, stdout, stderr } = openssl(args, { "bundle.p12": pkcs12, password: `${password}\n` });
  if (status !== 0) return undefined;
  const blocks = stdout.match(/-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----\n/g) ?? [];
  return {
    certificates: blocks.filter((block) => block.includes("CERTIFICATE")).map((block) => new X509Certificate(block)),
    privateKey: blocks.find((block) => block.includes("PRIVATE KEY")) ?? "",
    info: stderr,
  };
}

function run(tool: string, args: readonly string[], input: Buffer): string {
  const { status, stdout, stderr } = spawnSync(requireTool(tool), args, { input, encoding: "utf8", timeout: 60_000 });
  if (status !== 0) throw new Error(`${tool}: ${stderr}`);
  return stdout;
}
