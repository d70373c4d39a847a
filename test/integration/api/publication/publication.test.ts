import { X509Certificate } from "node:crypto";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../db/sql.ts";
import { pem } from "../../../../pki/pem.ts";
import {
  AuthorityInfoAccessExtension,
  CRLDistributionPointsExtension,
  X509Certificate as ParsedCertificate,
} from "../../../../pki/x509.ts";
import { useApi, type Caller } from "../../../support/service/api.ts";
import { readCrl, verifyCrl } from "../../../support/pki/crl.ts";
import { eventually } from "../../../support/run/eventually.ts";
import { givenIssuingRealm, type IssuingRealm } from "../../../support/given/issuing.ts";
import { openssl } from "../../../support/pki/openssl.ts";
import { requireTool } from "../../../support/run/tools.ts";

requireTool("openssl");

let statements = 0;
let away = false;
const api = useApi({
  watch: (db) => ({
    ...db,
    query: (statement) => {
      statements++;
      return away ? Promise.reject(new Error("away")) : db.query(statement);
    },
  }),
});
const { as, given } = api;

interface Fetched {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

const fetchBytes = (
  path: string,
  { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
) =>
  new Promise<Fetched>((resolve, reject) => {
    const sent = httpRequest(`${api.url}${path}`, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) });
      });
    });
    sent.once("error", reject);
    sent.end();
  });

let realm: IssuingRealm;
let service: Caller;
let crlPath: string;
beforeAll(async () => {
  realm = await givenIssuingRealm(api.database.owner);
  service = as.service({ realmId: realm.realmId });
  await api.startWorker();
  crlPath = `/crl/${realm.issuerId}.crl`;
  await eventually(async () => {
    expect((await fetchBytes(crlPath)).status).toBe(200);
  });
});

test("a CRL fetch is recorded within seconds, a request for an unknown CRL is not", async () => {
  await fetchBytes(crlPath);
  await fetchBytes("/crl/999999.crl");
  await eventually(async () => {
    expect(
      await api.database.owner.query(
        sql`select issuer_id as "issuerId", kind, host(address) as address from status_askers`,
      ),
    ).toEqual([{ issuerId: realm.issuerId, kind: "crl", address: "127.0.0.1" }]);
  });
});

async function issue(): Promise<{ serial: string; certificate: string }> {
  const user = await given.user({ realmId: realm.realmId });
  const { status, body } = await service.post(`/api/user/${user.id}/profiles/laptop`, {
    format: "pem",
    deviceType: "Linux",
    keyType: "ec-p256",
  });
  expect(status).toBe(200);
  return body.data as { serial: string; certificate: string };
}

const entriesServed = async () => readCrl((await fetchBytes(crlPath)).bytes).entries;

test("a certificate that is revoked by the API is on its CRL within seconds, and OpenSSL refuses it", async () => {
  const [revoked, kept] = [await issue(), await issue()];
  const leaf = new ParsedCertificate(revoked.certificate);
  const [point] = leaf.getExtension(CRLDistributionPointsExtension)?.distributionPoints ?? [];
  expect(JSON.stringify(point)).toContain(`http://pki.example${crlPath}`);

  expect((await service.delete(`/api/profiles/${revoked.serial}`, { reason: 1 })).status).toBe(200);
  await eventually(async () => {
    expect([...(await entriesServed()).keys()]).toContain(revoked.serial);
  });

  const { bytes } = await fetchBytes(crlPath);
  expect(verifyCrl(bytes, pem("CERTIFICATE", realm.issuer))).toBe("verify OK");
  const verify = ({ certificate }: { certificate: string }) =>
    openssl(["verify", "-crl_check", "-CAfile", "ca.pem", "-CRLfile", "crl.pem", "leaf.pem"], {
      "ca.pem": pem("CERTIFICATE", realm.root) + pem("CERTIFICATE", realm.issuer),
      "crl.pem": pem("X509 CRL", bytes),
      "leaf.pem": certificate,
    });
  expect(verify(kept).status).toBe(0);
  const refused = verify(revoked);
  expect(refused.status).not.toBe(0);
  expect(refused.stderr + refused.stdout).toContain("certificate revoked");
});

test("a CRL is available as DER or PEM, plain or compressed, each with its own ETag", async () => {
  const plain = await fetchBytes(crlPath);
  expect(plain.headers).toMatchObject({
    "content-type": "application/pkix-crl",
    "content-length": String(plain.bytes.length),
    "cache-control": expect.stringMatching(/^public, max-age=1, stale-if-error=\d{5,6}$/) as string,
    vary: expect.stringContaining("Accept-Encoding") as string,
  });
  expect(plain.headers["content-encoding"]).toBeUndefined();

  const packed = await fetchBytes(crlPath, { headers: { "accept-encoding": "br, gzip" } });
  expect(packed.headers["content-encoding"]).toBe("gzip");
  expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);

  const text = await fetchBytes(`/crl/${realm.issuerId}.pem`);
  expect(text.headers["content-type"]).toBe("application/x-pem-file");
  expect(text.bytes.toString("latin1")).toBe(pem("X509 CRL", plain.bytes));

  const tags = [plain, packed, text].map(({ headers }) => headers.etag ?? "");
  expect(new Set(tags).size).toBe(3);
  for (const tag of tags) expect(tag).toMatch(/^"[\w-]{22,}"$/);
});

test("If-Modified-Since alone never leads to a 304, because two CRLs can share a second and clients' clocks differ", async () => {
  const { headers } = await fetchBytes(crlPath);
  expect(headers).not.toHaveProperty("last-modified");
  const now = Date.parse(headers.date ?? "");
  const dates = [-86_400_000, -1_000, 0, 1_000, 86_400_000].map((ms) => new Date(now + ms).toUTCString());
  for (const date of [...dates, "yesterday"]) {
    const conditions = { "if-modified-since": date };
    expect([date, (await fetchBytes(crlPath, { headers: conditions })).status]).toEqual([date, 200]);
    const other = { ...conditions, "if-none-match": '"other"' };
    expect((await fetchBytes(crlPath, { headers: other })).status).toBe(200);
    const same = { ...conditions, "if-none-match": headers.etag ?? "" };
    expect((await fetchBytes(crlPath, { headers: same })).status).toBe(304);
  }
});

test("a client that has the current CRL gets 304, and HEAD returns the headers of GET", async () => {
  const { headers, bytes } = await fetchBytes(crlPath);
  const etag = headers.etag ?? "";
  const statusFor = async (conditions: Record<string, string>) =>
    (await fetchBytes(crlPath, { headers: conditions })).status;

  expect(await statusFor({ "if-none-match": etag })).toBe(304);
  expect(await statusFor({ "if-none-match": `W/${etag}, "other"` })).toBe(304);
  expect(await statusFor({ "if-none-match": "*" })).toBe(304);
  expect(await statusFor({ "if-none-match": '"other"' })).toBe(200);
  expect(await statusFor({ "if-none-match": etag, "accept-encoding": "gzip" })).toBe(200);

  const unchanged = await fetchBytes(crlPath, { headers: { "if-none-match": etag } });
  expect(unchanged.bytes).toHaveLength(0);
  expect(unchanged.headers).toMatchObject({ etag });

  const head = await fetchBytes(crlPath, { method: "HEAD" });
  expect(head.bytes).toHaveLength(0);
  expect(head.headers).toMatchObject({
    etag,
    "content-length": String(bytes.length),
    "content-type": "application/pkix-crl",
  });
});

test("the issuer's certificate is at the address in certificates, as DER, and its chain is at the same path with .pem, as PEM", async () => {
  const { certificate } = await issue();
  const access = new ParsedCertificate(certificate).getExtension(AuthorityInfoAccessExtension);
  expect(access?.caIssuers.map(({ value }) => value)).toEqual([`http://pki.example/ca/${realm.issuerId}.cer`]);

  const served = await fetchBytes(`/ca/${realm.issuerId}.cer`);
  expect(served.headers).toMatchObject({
    "content-type": "application/pkix-cert",
    "cache-control": "public, max-age=86400",
  });
  expect(served.bytes.equals(realm.issuer)).toBe(true);
  expect(new X509Certificate(certificate).verify(new X509Certificate(served.bytes).publicKey)).toBe(true);

  const chain = await fetchBytes(`/ca/${realm.issuerId}.pem`);
  expect(chain.bytes.toString("latin1")).toBe(pem("CERTIFICATE", realm.issuer) + pem("CERTIFICATE", realm.root));
  const again = await fetchBytes(`/ca/${realm.issuerId}.pem`, {
    headers: { "if-none-match": chain.headers.etag ?? "" },
  });
  expect(again.status).toBe(304);
});

test.each([
  "/crl/999999999.crl",
  "/crl/0.crl",
  "/crl/01.crl",
  "/crl/-1.crl",
  "/crl/1e3.crl",
  "/crl/99999999999999999999.crl",
  "/crl/9999999999999999999.crl",
  "/crl/1.der",
  "/crl/1",
  "/crl/",
  "/crl",
  "/crl/1.crl/",
  "/crl/__proto__.crl",
  "/crl/%00.crl",
  "/crl/1%0d%0a.crl",
  "/ca/999999999.cer",
  "/ca/1.crl",
  "/ca/..%2f1.cer",
  "/ca/constructor.pem",
  `/ca/${"1".repeat(30)}.cer`,
])("%s does not exist", async (path) => {
  expect((await fetchBytes(path)).status).toBe(404);
});

test("a CRL that does not exist yet gets 503, not 404", async () => {
  await given.realm();
  const [{ id } = { id: "" }] = await api.database.owner.query<{ id: string }>(sql`select max(id) as id from issuers`);
  await eventually(async () => expect(await as.nobody().get(`/crl/${id}.crl`)).toBeError("unavailable"));
});

describe("with many fetches", () => {
  test("a thousand fetches cost at most about two queries a second", async () => {
    await fetchBytes(crlPath);
    statements = 0;
    const startedAt = performance.now();
    for (let round = 0; round < 20; round++) {
      const all = await Promise.all(Array.from({ length: 50 }, () => fetchBytes(crlPath)));
      expect(all.every(({ status }) => status === 200)).toBe(true);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    expect(statements).toBeLessThanOrEqual(2 * Math.ceil(seconds) + 2);
  });

  test("the CRL is served while the database is away", async () => {
    const { bytes } = await fetchBytes(crlPath);
    away = true;
    try {
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      statements = 0;
      const served = await fetchBytes(crlPath);
      expect(statements).toBeGreaterThan(0);
      expect(served.status).toBe(200);
      expect(served.bytes.equals(bytes)).toBe(true);
    } finally {
      away = false;
    }
  });
});
