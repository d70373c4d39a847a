import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ocspWaits } from "../../domain/certificate/ocsp-waits.ts";

/** The settings of a `location` block of an nginx file that concern its waits. */
interface Location {
  asks: "responder" | "api";
  tries: number;
  /** No further try begins after this many milliseconds. */
  triesMs: number;
  connectMs: number;
  readMs: number;
}

const proxyFiles = ["deploy/nginx/realmpass-tls.conf", "deploy/nginx/realmpass.conf"];
const radiusFiles = ["strict", "resilient"].map((mode) => `docs/radius/${mode}/mods-available/realmpass_eap`);
const read = (file: string): string => readFileSync(file, "utf8");

const found = (pattern: RegExp, text: string): string => {
  const [, value] = pattern.exec(text) ?? [];
  if (value === undefined) throw new Error(`nothing is like ${String(pattern)} in ${text}`);
  return value;
};
const ms = (time: string): number => (time.endsWith("ms") ? Number.parseInt(time) : Number.parseInt(time) * 1_000);

const blocks = (text: string, path: string): string[] =>
  [...text.matchAll(/^ {2}location ([^\n]*) \{\n(.*?)^ {2}\}$/gms)].flatMap(([, name, block = ""]) =>
    name === path ? [block] : [],
  );

const readLocation = (block: string): Location => ({
  asks: found(/proxy_pass http:\/\/realmpass_(responder|api);/, block) as Location["asks"],
  tries: Number(/proxy_next_upstream_tries (\d+);/.exec(block)?.[1] ?? 2),
  triesMs: ms(/proxy_next_upstream_timeout (\d+m?s);/.exec(block)?.[1] ?? "3600s"),
  connectMs: ms(found(/proxy_connect_timeout (\d+m?s);/, block)),
  readMs: ms(found(/proxy_read_timeout (\d+m?s);/, block)),
});

const radiusMs = (text: string): number =>
  ms(`${found(/^\t\tocsp \{\n.*?^\t\t\ttimeout = (\d+)\n.*?^\t\t\}$/ms, text)}s`);

/** Returns the longest time that a client waits for the proxy. */
const proxyMs = ({ tries, triesMs, connectMs, readMs }: Location): number =>
  Math.min(tries * (connectMs + readMs), triesMs + connectMs + readMs);

/** Returns the waits that do not exceed the wait inside them. */
function tooShort(
  radius: number,
  waits: { responderMs: number; apiAnotherMs: number; apiMs: number },
  location: Location,
) {
  const { responderMs, apiAnotherMs, apiMs } = waits;
  const longerOnes: [string, number, number][] = [
    ["a responder's answer < the api's answer", responderMs, apiMs],
    ["the api asks another in good time", 2 * apiAnotherMs, apiMs],
    ["the api's answer < RADIUS", apiMs, radius],
    ["the api asks another before the proxy does", apiAnotherMs, location.readMs],
    ["a silent one, then another", location.connectMs + location.readMs, location.triesMs],
    ["the proxy's tries < RADIUS", proxyMs(location), radius],
  ];
  return longerOnes.filter(([, shorter, longer]) => shorter >= longer).map(([name]) => name);
}

describe("a client waits longer than a responder: two responders are asked before a device is refused", () => {
  const all = proxyFiles.flatMap((file) => blocks(read(file), "/ocsp/").map((block) => ({ file, block })));

  test("in each shipped file", () => {
    expect(all.map(({ file, block }) => [file, readLocation(block).asks])).toEqual([
      ["deploy/nginx/realmpass-tls.conf", "responder"],
      ["deploy/nginx/realmpass-tls.conf", "responder"],
      ["deploy/nginx/realmpass.conf", "api"],
    ]);
    for (const { block } of all) {
      for (const file of radiusFiles)
        expect(tooShort(radiusMs(read(file)), ocspWaits, readLocation(block))).toEqual([]);
      // A stopped responder costs no time: one of the two others can be slow.
      expect(readLocation(block).tries).toBe(3);
    }
  });

  test("control: a wait that is too long is found", () => {
    const { block } = all[0]!;
    const location = readLocation(block);
    expect(tooShort(3_000, ocspWaits, { ...location, triesMs: 2_000 })).toEqual(["the proxy's tries < RADIUS"]);
    expect(tooShort(2_000, ocspWaits, location)).toEqual(["the api's answer < RADIUS", "the proxy's tries < RADIUS"]);
    expect(tooShort(3_000, { ...ocspWaits, responderMs: 2_500 }, location)).toEqual([
      "a responder's answer < the api's answer",
    ]);
    expect(tooShort(3_000, { ...ocspWaits, apiAnotherMs: 3_500 }, location)).toHaveLength(2);
    expect(tooShort(3_000, ocspWaits, { ...location, triesMs: 1_000 })).toEqual(["a silent one, then another"]);
  });

  test("nginx can ask twice: it keeps the request, and leaves out a responder that is silent", () => {
    for (const { block } of all) {
      expect(block).toContain("proxy_next_upstream error timeout ");
      expect(found(/proxy_next_upstream ([^;]*);/, block).split(" ")).toContain("non_idempotent");
    }
    for (const file of proxyFiles) {
      for (const server of read(file)
        .split(/^server \{$/m)
        .slice(1)) {
        const keeps =
          !server.includes("  proxy_request_buffering off;\n") ||
          blocks(server, "/ocsp/").every((each) => each.includes("proxy_request_buffering on;"));
        expect(keeps).toBe(true);
      }
    }
    const upstream = found(/^upstream realmpass_responder \{\n(.*?)^\}$/ms, read(proxyFiles[0]!));
    const servers = [...upstream.matchAll(/^ {2}server (\S+) ([^\n]*);$/gm)].map(([, address, how]) => [address, how]);
    const addresses = [...new Set(servers.map(([address]) => address))];
    expect(addresses.length).toBeGreaterThan(1);
    expect(servers).toEqual([
      ...addresses.map((address) => [address, "max_fails=1 fail_timeout=5s"]),
      ...addresses.map((address) => [address, "max_fails=0 backup"]),
    ]);
  });
});

test("a client that fetches a CRL waits for two tries of the proxy", () => {
  const fetchMs = ms(`${found(/--max-time (\d+) /, read("docs/radius/resilient/fetch-crl"))}s`);
  const all = proxyFiles.flatMap((file) => blocks(read(file), "~ ^/(?:crl|ca)/").map(readLocation));
  expect(all).toHaveLength(3);
  for (const location of all) expect(proxyMs(location)).toBeLessThan(fetchMs);
});
