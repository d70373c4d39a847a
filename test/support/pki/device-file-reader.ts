import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { openssl } from "./openssl.ts";
import { requireTool } from "../run/tools.ts";

/** Reads device files with third-party programs: plistlib of Python, xmllint and openssl. */

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

/** Caches the results, because tests read one file several times. */
const plists = new Map<string, string>();

/** Reads a property list; data is returned as `{data: base64}`, a date as `{date}`. */
export function readPlist(file: Buffer): Plist {
  const key = file.toString("latin1");
  const json = plists.get(key) ?? run("python3", ["-I", "-S", "-c", toJson], file);
  plists.set(key, json);
  return JSON.parse(json) as Plist;
}

/** Returns the payloads of a configuration profile that have this type. */
export const payloadsOf = (profile: Plist, type: string): Plist[] =>
  (profile["PayloadContent"] as Plist[]).filter(({ PayloadType }) => PayloadType === type);

/** Returns the PKCS#12 and password of a configuration profile. */
export function bundleOfMobileconfig(profile: Plist): { pkcs12: Buffer; password: string } {
  const [payload] = payloadsOf(profile, "com.apple.security.pkcs12");
  return { pkcs12: Buffer.from(payload?.["PayloadContent"].data, "base64"), password: String(payload?.["Password"]) };
}

/** Returns the text of each element or attribute that an XPath matches. */
export function xpath(file: Buffer, path: string): string[] {
  const string = (position: number): string => `string((${path})[${String(position)}])`;
  // Removes the newline that xmllint adds to its output.
  const evaluate = (expression: string): string =>
    run("xmllint", ["--xpath", expression, "-"], file).replace(/\n$/, "");
  // Most paths match one node, so this call returns its text together with the count.
  const [, count = "", first = ""] = /^(\d+) (.*)$/s.exec(evaluate(`concat(count(${path}), ' ', ${string(1)})`)) ?? [];
  return Array.from({ length: Number(count) }, (_, index) => (index === 0 ? first : evaluate(string(index + 1))));
}

/** Returns the PKCS#12 and password of EAP metadata. */
export const bundleOfEapConfig = (file: Buffer): { pkcs12: Buffer; password: string } => ({
  pkcs12: Buffer.from(xpath(file, "//ClientCertificate").join(), "base64"),
  password: xpath(file, "//Passphrase").join(),
});

/** Returns the errors that xmllint finds with a RELAX NG grammar; empty for a valid file. */
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
  /** OpenSSL's description of the file's encryption and MAC. */
  info: string;
}

/** Opens a PKCS#12 file with OpenSSL and a password; returns undefined if the file does not open. */
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
