import { pino } from "pino";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { useApi } from "../../../support/service/api.ts";
import { eventually } from "../../../support/run/eventually.ts";
import { givenIssuingRealm, type IssuingRealm } from "../../../support/given/issuing.ts";
import { askOverHttp, encodeCertId, encodeOcspRequest } from "../../../support/pki/ocsp.ts";
import { startTestResponder } from "../../../support/service/responder.ts";

interface Line {
  level: string;
  event: string;
  route: string;
  status: number;
}
const lines: Line[] = [];
const log = pino(
  { level: "debug", formatters: { level: (label) => ({ level: label }) } },
  { write: (line) => void lines.push(JSON.parse(line) as Line) },
);
const api = useApi({ log });

let realm: IssuingRealm;
beforeAll(async () => {
  realm = await givenIssuingRealm(api.database.owner);
  await api.startWorker();
  await startTestResponder({ databaseUrl: api.database.url });
  await eventually(async () => {
    expect((await fetch(`${api.url}/crl/${realm.issuerId}.crl`)).status).toBe(200);
    expect((await ask()).status).toBe(200);
  });
});
beforeEach(() => {
  lines.length = 0;
});

const ask = (headers: Record<string, string> = {}) =>
  askOverHttp(`${api.url}/ocsp/${realm.issuerId}`, {
    body: encodeOcspRequest([encodeCertId({ issuer: realm.issuer, serialNumber: "4711" })]),
    headers,
  });

const logged = (route: string): Promise<Pick<Line, "level" | "status">[]> =>
  eventually(() => {
    const found = lines.filter((line) => line.event === "request" && line.route === route);
    expect(found).not.toEqual([]);
    return found.map(({ level, status }) => ({ level, status }));
  });

test("successful requests that machines send all day are not logged at the usual level", async () => {
  const statuses = await Promise.all([
    ask().then(({ status }) => status),
    ...[`/crl/${realm.issuerId}.crl`, `/ca/${realm.issuerId}.cer`, "/healthz", "/readyz"].map(
      async (path) => (await fetch(`${api.url}${path}`)).status,
    ),
  ]);
  expect(statuses).toEqual([200, 200, 200, 200, 200]);

  for (const route of ["/ocsp/:issuer", "/crl/:file", "/ca/:file", "/healthz", "/readyz"])
    expect(await logged(route), route).toEqual([{ level: "debug", status: 200 }]);
});

test("a request for a CRL that the client already has is logged only at the debug level", async () => {
  const url = `${api.url}/crl/${realm.issuerId}.crl`;
  const tag = (await fetch(url)).headers.get("etag") ?? "";
  await logged("/crl/:file");
  lines.length = 0;
  expect((await fetch(url, { headers: { "if-none-match": tag } })).status).toBe(304);
  expect(await logged("/crl/:file")).toEqual([{ level: "debug", status: 304 }]);
});

test("requests that machines send all day are logged if they fail, and requests to other addresses always", async () => {
  expect((await ask({ "content-encoding": "gzip" })).status).toBe(415);
  expect((await fetch(`${api.url}/crl/999999.crl`)).status).toBe(404);
  expect((await fetch(`${api.url}/ca/999999.cer`)).status).toBe(404);
  expect((await api.as.service().get("/api/realm")).status).toBe(200);

  expect(await logged("/ocsp/:issuer")).toEqual([{ level: "info", status: 415 }]);
  expect(await logged("/crl/:file")).toEqual([{ level: "info", status: 404 }]);
  expect(await logged("/ca/:file")).toEqual([{ level: "info", status: 404 }]);
  expect(await logged("/api/realm")).toEqual([{ level: "info", status: 200 }]);
});
