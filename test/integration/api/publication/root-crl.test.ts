import { beforeAll, expect, test } from "vitest";
import * as rootCrls from "../../../../db/queries/certificates/root-crls.ts";
import { rootCrlPath } from "../../../../domain/certificate/root-crl.ts";
import type { SerialNumber } from "../../../../domain/ids.ts";
import { systemClock } from "../../../../runtime/clock.ts";
import { createRoot, type CertificateAuthority } from "../../../../worker/keys/ceremony.ts";
import { signRootCrl, type RootCrl } from "../../../../worker/keys/root-crl.ts";
import { testPassphrase as passphrase } from "../../../support/given/issuing.ts";
import { readCrl } from "../../../support/pki/crl.ts";
import { openssl } from "../../../support/pki/openssl.ts";
import { eventually } from "../../../support/run/eventually.ts";
import { useApi } from "../../../support/service/api.ts";
import { testKeyCost } from "../../../support/given/hierarchy/test-hierarchy.ts";

let away = false;
let refused = 0;
const api = useApi({
  watch: (db) => ({
    ...db,
    query: (statement) => {
      if (!away) return db.query(statement);
      refused += 1;
      return Promise.reject(new Error("away"));
    },
  }),
});

let root: CertificateAuthority;
let crl: RootCrl;

const fetched = async (path: string, headers: Record<string, string> = {}, method = "GET") => {
  const response = await fetch(`${api.url}${path}`, { method, headers });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
};

async function publish(revoke: readonly string[] = []): Promise<RootCrl> {
  const { owner } = api.database;
  // This database has only one root with a CRL.
  const [before] = await rootCrls.list(owner);
  const at = systemClock.now();
  const signed = await signRootCrl({ root, passphrase, before, revoke: revoke as readonly SerialNumber[], at });
  expect(await rootCrls.publish(owner, signed)).toBe(true);
  return signed;
}

beforeAll(async () => {
  root = await createRoot({ organization: "A root", at: systemClock.now(), passphrase, cost: testKeyCost });
  crl = await publish();
});

test("the CRL of a root is available as DER or PEM, plain or compressed, each with its own ETag", async () => {
  const path = rootCrlPath(crl.fingerprint);
  const [der, again, pem] = await Promise.all([fetched(path), fetched(path), fetched(path.replace(/crl$/, "pem"))]);

  expect([der.status, der.headers.get("content-type")]).toEqual([200, "application/pkix-crl"]);
  // `fetch` asks for gzip, and unpacks it.
  expect(der.bytes.equals(crl.der)).toBe(true);
  expect(again.headers.get("etag")).toBe(der.headers.get("etag"));
  const plain = await fetched(path, { "accept-encoding": "identity" });
  expect(plain.bytes.equals(crl.der)).toBe(true);
  const shown = openssl(["crl", "-in", "crl.pem", "-outform", "DER"], { "crl.pem": pem.bytes });
  expect(shown.output.equals(crl.der)).toBe(true);
  expect(new Set([der, plain, pem].map(({ headers }) => headers.get("etag"))).size).toBe(3);
  expect(plain.headers.get("cache-control")).toMatch(/^public, max-age=1, stale-if-error=\d+$/);
});

test.each([
  ["repeated slashes", (path: string) => path.replaceAll("/", "//")],
  ["a letter and the hyphen encoded", (path: string) => path.replace("crl", "%63rl").replace("-", "%2D")],
])("the CRL of a root is found by a path with %s", async (_, written) => {
  const path = rootCrlPath(crl.fingerprint);
  expect((await fetched(written(path))).bytes.equals(crl.der)).toBe(true);
  expect((await fetched(written(path).replace("root", "toor"))).status).toBe(404);
});

test("a client that has the CRL gets 304 until the root signs the next CRL", async () => {
  const path = rootCrlPath(crl.fingerprint);
  const plain = { "accept-encoding": "identity" };
  const etag = (await fetched(path, plain)).headers.get("etag") ?? "";
  expect((await fetched(path, { ...plain, "if-none-match": etag })).status).toBe(304);

  crl = await publish(["4711"]);
  await eventually(async () => {
    const next = await fetched(path, { ...plain, "if-none-match": etag });
    expect(next.status).toBe(200);
    expect([...readCrl(next.bytes).entries.keys()]).toEqual(["4711"]);
  });
});

test("a root's CRL is served while the database is away", async () => {
  const path = rootCrlPath(crl.fingerprint);
  await eventually(async () => {
    expect((await fetched(path)).bytes.equals(crl.der)).toBe(true);
  });
  away = true;
  try {
    refused = 0;
    await eventually(async () => {
      const served = await fetched(path);
      expect([served.status, served.bytes.equals(crl.der)]).toEqual([200, true]);
      expect(refused).toBeGreaterThan(0);
    });
  } finally {
    away = false;
  }
});

test.each([
  ["of a root that is not here", () => rootCrlPath("0".repeat(64))],
  ["by the beginning of a fingerprint", () => rootCrlPath(crl.fingerprint.slice(0, 16))],
  ["in capital letters", () => rootCrlPath(crl.fingerprint.toUpperCase())],
  ["as a certificate", () => rootCrlPath(crl.fingerprint).replace("/crl/", "/ca/").replace(/crl$/, "cer")],
])("no CRL is found %s", async (_, path) => {
  expect((await fetched(rootCrlPath(crl.fingerprint))).status).toBe(200);
  expect((await fetched(path())).status).toBe(404);
});
