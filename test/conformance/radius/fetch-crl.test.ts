import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../runtime/clock.ts";
import { openssl } from "../../support/pki/openssl.ts";
import { fetchCrl } from "../../support/counterparts/radius.ts";
import { describeWithTool } from "../../support/run/tools.ts";

/**
 * docs/radius/resilient/fetch-crl: which files the script writes for a RADIUS server, and which files it must not
 * write.
 */

interface Ca {
  certificate: string;
  key: string;
}

function createCa(name: string): Ca {
  const key = openssl(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]).stdout;
  const certificate = openssl(["req", "-new", "-x509", "-key", "key", "-days", "30", "-subj", `/CN=${name}`], { key });
  return { key, certificate: certificate.stdout };
}

const settings = `[ca]
database=index
crlnumber=number
default_md=sha256
crl_extensions=extensions
[extensions]
authorityKeyIdentifier=keyid
`;

/** Returns the DER of an empty CRL, valid for a day from now unless `period` differs. */
function crlOf(ca: Ca, number: number, period: readonly string[] = ["-crldays", "1"]): Buffer {
  const digits = number.toString(16);
  const args = ["ca", "-config", "settings", "-name", "ca", "-gencrl", "-cert", "certificate", "-keyfile", "key"];
  const text = openssl([...args, ...period], {
    ...ca,
    settings,
    index: "",
    number: `${digits.length % 2 === 0 ? digits : `0${digits}`}\n`,
  }).stdout;
  const der = openssl(["crl", "-outform", "DER", "-in", "crl"], { crl: text }).output;
  expect(der.length).toBeGreaterThan(100);
  return der;
}

const longAgo = ["-crl_lastupdate", "20200101000000Z", "-crl_nextupdate", "20200102000000Z"];

describeWithTool(["openssl", "curl"], "fetch-crl", () => {
  const issuer = createCa("Issuing CA");
  const other = createCa("Issuing CA other");
  const hash = openssl(["x509", "-noout", "-subject_hash", "-in", "ca"], { ca: issuer.certificate }).stdout.trim();
  const otherHash = openssl(["x509", "-noout", "-subject_hash", "-in", "ca"], { ca: other.certificate }).stdout.trim();

  /** The content served under each path; other paths return 404. */
  const served = new Map<string, Buffer>();
  const asked: { path: string; ifNoneMatch: string | undefined; status: number }[] = [];
  let server: Server;
  let base: string;
  let place: { issuersFile: string; crlDirectory: string };

  beforeAll(async () => {
    server = createServer((request, response) => {
      const path = request.url ?? "";
      const content = served.get(path);
      const tag = content && `"${createHash("sha256").update(content).digest("hex").slice(0, 16)}"`;
      const ifNoneMatch = request.headers["if-none-match"];
      const status = content === undefined ? 404 : ifNoneMatch === tag ? 304 : 200;
      asked.push({ path, ifNoneMatch, status });
      response.writeHead(status, tag === undefined ? {} : { etag: tag });
      response.end(status === 200 ? content : undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const directories: string[] = [];
  beforeEach(async () => {
    served.clear();
    asked.length = 0;
    const directory = await mkdtemp(join(tmpdir(), "realmpass-fetch-crl-"));
    directories.push(directory);
    place = { issuersFile: join(directory, "issuers.pem"), crlDirectory: join(directory, "crl") };
    await mkdir(place.crlDirectory);
    await trust(issuer);
  });
  afterAll(() => Promise.all(directories.map((directory) => rm(directory, { recursive: true, force: true }))));

  const trust = (...cas: Ca[]): Promise<void> =>
    writeFile(place.issuersFile, cas.map(({ certificate }) => certificate).join(""));
  const serve = (content: Buffer, path = "/crl"): unknown => served.set(path, content);
  const bring = (...paths: string[]) =>
    fetchCrl(place, ...(paths.length === 0 ? ["/crl"] : paths).map((path) => base + path));
  const numberOf = (crl: string): number => {
    const { stdout } = openssl(["crl", "-noout", "-crlnumber", "-in", "crl"], { crl });
    return Number(stdout.trim().replace("crlNumber=", ""));
  };
  /** Expects only CRLs and the script's own state: no subdirectory and no partial file. */
  async function expectTidy(): Promise<void> {
    for (const name of await readdir(place.crlDirectory))
      expect(name).toMatch(/^(?:[0-9a-f]{8}\.r\d+|\.[0-9a-f]{16}\.(?:crl|etag))$/);
  }

  test("names the first CRL HASH.r0 and each newer CRL by the next number, and never changes a file", async () => {
    serve(crlOf(issuer, 9));
    expect(await bring()).toMatchObject({ code: 0, files: [`${hash}.r0`] });
    const first = await readFile(join(place.crlDirectory, `${hash}.r0`), "utf8");
    expect(numberOf(first)).toBe(9);

    serve(crlOf(issuer, 10));
    const second = await bring();

    expect(second).toMatchObject({ code: 0, files: [`${hash}.r0`, `${hash}.r1`] });
    expect(numberOf(second.newest)).toBe(10);
    expect(await readFile(join(place.crlDirectory, `${hash}.r0`), "utf8")).toBe(first);
    await expectTidy();
  });

  test("keeps the current CRL if the new CRL is not valid yet, and reports how far the clock is behind", async () => {
    serve(crlOf(issuer, 9));
    expect(await bring()).toMatchObject({ code: 0 });
    const inTen = new Date(systemClock.now().getTime() + 600_000).toISOString().replace(/[-:T]|\.\d+/g, "");
    serve(crlOf(issuer, 10, ["-crl_lastupdate", inTen, "-crl_nextupdate", "20990101000000Z"]));

    const { code, output, newest } = await bring();

    expect({ code, number: numberOf(newest) }).toEqual({ code: 3, number: 9 });
    const [, seconds] = /number A begins in (\d+) s: this machine's clock is behind/.exec(output) ?? [];
    expect(Number(seconds)).toBeGreaterThan(300);
    expect(Number(seconds)).toBeLessThanOrEqual(600);
    await expectTidy();

    serve(crlOf(issuer, 11));
    expect(numberOf((await bring()).newest)).toBe(11);
  });

  test("sends its entity tag, and adds no file if the CRL is unchanged", async () => {
    serve(crlOf(issuer, 9));
    await bring();
    expect(await bring()).toMatchObject({ code: 0, files: [`${hash}.r0`], output: "" });
    expect(asked.map(({ status }) => status)).toEqual([200, 304]);
  });

  test("restores a missing or broken file at the next run, even if the CRL is unchanged", async () => {
    serve(crlOf(issuer, 9));
    await bring();
    const file = join(place.crlDirectory, `${hash}.r0`);
    for (const damage of [
      () => rm(file),
      () => writeFile(file, ""),
      () => writeFile(file, "-----BEGIN X509 CRL-----\n"),
    ]) {
      await damage();
      const { code, newest } = await bring();
      expect({ code, number: numberOf(newest) }).toEqual({ code: 0, number: 9 });
    }
  });

  const forged = { ...createCa("Issuing CA") };
  const whole = crlOf(issuer, 300);
  const flipped = Buffer.from(whole);
  flipped.writeUInt8(flipped.readUInt8(40) ^ 1, 40);
  const untrusted: [string, () => Buffer][] = [
    ["a CRL signed by a CA that only shares the issuer's name", () => crlOf(forged, 300)],
    ["a CRL of a CA that is not in ISSUERS", () => crlOf(other, 300)],
    ["a CRL with a changed bit", () => flipped],
    ["a truncated CRL", () => whole.subarray(0, whole.length - 20)],
    ["a proxy's page", () => Buffer.from("<html>please sign in</html>")],
    ["a CRL with a lower number", () => crlOf(issuer, 0x80)],
    ["an expired CRL", () => crlOf(issuer, 300, longAgo)],
  ];
  test.each(untrusted)("rejects %s, and keeps the current CRL", async (_name, content) => {
    serve(crlOf(issuer, 0xff));
    await bring();
    serve(content());

    const { code, files, newest } = await bring();

    expect({ code, files, number: numberOf(newest) }).toEqual({ code: 3, files: [`${hash}.r0`], number: 0xff });
    await expectTidy();
    // The script discards the entity tag of a rejected CRL, so it fetches the next good CRL.
    serve(crlOf(issuer, 0x100));
    expect(numberOf((await bring()).newest)).toBe(0x100);
  });

  test("exits with 1 and keeps the current CRL if the service does not respond or has no CRL", async () => {
    serve(crlOf(issuer, 9));
    await bring();
    served.clear();
    expect(await bring()).toMatchObject({ code: 1, files: [`${hash}.r0`] });
    expect(await fetchCrl(place, "http://127.0.0.1:1/crl")).toMatchObject({ code: 1, files: [`${hash}.r0`] });
    expect(await fetchCrl(place, "file:///etc/hostname")).toMatchObject({ code: 1 });
  });

  test("exits with 4 if an issuer has no valid CRL: no CRL was fetched, the last CRL has expired, or no URL returns one", async () => {
    expect(await bring()).toMatchObject({ code: 4, files: [] });
    serve(crlOf(issuer, 9, longAgo));
    expect(await bring()).toMatchObject({ code: 4, files: [] });
    await writeFile(
      join(place.crlDirectory, `${hash}.r0`),
      openssl(["crl", "-inform", "DER", "-in", "crl"], { crl: crlOf(issuer, 9, longAgo) }).stdout,
    );
    expect(await bring()).toMatchObject({ code: 4 });

    serve(crlOf(issuer, 10));
    expect(await bring()).toMatchObject({ code: 0 });
    await trust(issuer, other);
    const { code, output } = await bring();
    expect(code).toBe(4);
    expect(output).toContain("Issuing CA other");
  });

  test("keeps separate files for two issuers during a rollover, and a failure of one does not affect the other", async () => {
    await trust(issuer, other);
    serve(crlOf(issuer, 5), "/1");
    serve(crlOf(other, 7), "/2");
    expect(await bring("/1", "/2")).toMatchObject({ code: 0 });
    served.delete("/1");
    serve(crlOf(other, 8), "/2");
    const { code, files } = await bring("/1", "/2");
    expect(code).toBe(1);
    expect(files.sort()).toEqual([`${hash}.r0`, `${otherHash}.r0`, `${otherHash}.r1`].sort());
  });

  test("exits with 2 for wrong arguments, and writes no file", async () => {
    expect(await fetchCrl(place)).toMatchObject({ code: 2, files: [] });
    const missing = { issuersFile: join(place.crlDirectory, "nothing"), crlDirectory: place.crlDirectory };
    expect(await fetchCrl(missing, `${base}/crl`)).toMatchObject({ code: 2, files: [] });
  });

  test("removes old files while every server process, old or new, still reads each CRL", async () => {
    // Servers that read as OpenSSL does: r0, r1, … up to the first missing file, and the next time from there. After
    // 300 s they start again at r0.
    const servers = Array.from({ length: 7 }, (_, index) => ({
      next: 0,
      newest: -1,
      looksEvery: index + 1,
      bornAt: 0,
    }));
    const look = (one: (typeof servers)[number]): void => {
      const there = new Set(readdirSync(place.crlDirectory));
      for (; there.has(`${hash}.r${one.next}`); one.next++) {
        const crl = readFileSync(join(place.crlDirectory, `${hash}.r${one.next}`), "utf8");
        one.newest = Math.max(one.newest, numbers.get(crl) ?? -1);
      }
    };
    const numbers = new Map<string, number>();
    let most = 0;

    // The script keeps files for 15 minutes: the numbering starts again at r0 twice.
    for (let minute = 1; minute <= 40; minute++) {
      serve(crlOf(issuer, minute));
      const { code, files, newest } = await bring();
      expect(code).toBe(0);
      numbers.set(newest, minute);
      most = Math.max(most, files.length);
      for (const one of servers) {
        if (minute % one.looksEvery !== 0) continue;
        if (minute - one.bornAt >= 5) Object.assign(one, { next: 0, newest: -1, bornAt: minute });
        look(one);
        expect(one).toMatchObject({ newest: minute });
      }
      // Ages each file by a minute, once even if the file has two names.
      const paths = files.map((name) => join(place.crlDirectory, name));
      const seen = new Set<number>();
      for (const path of paths) {
        const { ino, mtimeMs } = await stat(path);
        if (!seen.has(ino)) await utimes(path, mtimeMs / 1000 - 60, mtimeMs / 1000 - 60);
        seen.add(ino);
      }
    }
    expect(most).toBeLessThan(36);
    await expectTidy();
  });
});
