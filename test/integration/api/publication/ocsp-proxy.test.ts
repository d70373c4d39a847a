import { connect, createServer, type AddressInfo } from "node:net";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { ocspWaits } from "../../../../domain/certificate/ocsp-waits.ts";
import { sql } from "../../../../db/sql.ts";
import { ocspErrors } from "../../../../responder/ocsp-response.ts";
import { useApi } from "../../../support/service/api.ts";
import { eventually } from "../../../support/run/eventually.ts";
import { givenProcess } from "../../../support/given/process.ts";
import { givenIssuingRealm, type IssuingRealm } from "../../../support/given/issuing.ts";
import {
  askOverHttp,
  askRaw,
  askWithOpenssl,
  encodeCertId,
  encodeOcspRequest,
  nonceExtension,
  outcomeOf,
  responderUrls,
} from "../../../support/pki/ocsp.ts";
import { startTestResponder } from "../../../support/service/responder.ts";

const api = useApi();
const serialNumber = "4711";
let realm: IssuingRealm;

beforeAll(async () => {
  realm = await givenIssuingRealm(api.database.owner);
  await api.given.profile({ realmId: realm.realmId }, { kind: "infrastructure", serialNumber });
});

const request = (nonce?: Buffer): Buffer =>
  encodeOcspRequest(
    [encodeCertId({ issuer: realm.issuer, serialNumber })],
    nonce === undefined ? [] : [nonceExtension(nonce)],
  );
const path = (): string => `${api.url}/ocsp/${realm.issuerId}`;
const ask = async (): Promise<string | number> => {
  const answer = await askOverHttp(path(), { body: request(Buffer.alloc(8, 1)) });
  expect(answer.headers["content-type"]).toBe("application/ocsp-response");
  const outcome = outcomeOf(answer.body);
  expect(answer.status).toBe(outcome === ocspErrors.tryLater ? 503 : 200);
  return outcome;
};

/** Registers a responder, whether or not it can be reached. */
const registered = (url: string): Promise<void> =>
  givenProcess(api.database.owner, { kind: "responder", ocspUrl: url });
afterEach(async () => {
  await api.database.owner.query(sql`delete from processes`);
});

describe("the OCSP address in certificates", () => {
  test("returns tryLater if there is no responder", async () => {
    expect(await ask()).toBe(ocspErrors.tryLater);
  });

  test("forwards to a responder, to the next one if the first is gone, hangs or sends garbage, and returns tryLater if all fail", async () => {
    await api.startWorker();
    const responder = await startTestResponder({ databaseUrl: api.database.url });
    const second = await startTestResponder({ databaseUrl: api.database.url });
    await eventually(async () => {
      expect(await ask()).toBe("good");
    });
    expect(await responderUrls(api.database.owner)).toHaveLength(2);

    const output = await askWithOpenssl(path(), { ...realm, serialNumber });
    expect(output).toContain(`${serialNumber}: good`);
    expect(output).toContain("Response verify OK");

    const asked = new Set<string>();
    const silent = createServer(() => asked.add("silent"));
    const rubbish = createServer((socket) => {
      asked.add("rubbish");
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\nx");
    });
    for (const server of [silent, rubbish]) {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      await registered(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    }
    await registered("http://127.0.0.1:1");
    // The list of responders is cached for a second.
    const outcomes = await eventually(async () => {
      const all = await Promise.all(Array.from({ length: 20 }, ask));
      expect(asked).toEqual(new Set(["silent", "rubbish"]));
      return all;
    });
    expect(new Set(outcomes)).toEqual(new Set(["good"]));
    for (const server of [silent, rubbish]) server.close();

    await responder.stop();
    for (let round = 0; round < 10; round++) expect(await ask()).toBe("good");
    await second.stop();
    expect((await responderUrls(api.database.owner)).filter((url) => url !== "http://127.0.0.1:1")).toHaveLength(2);
    expect(await ask()).toBe(ocspErrors.tryLater);
  });

  test("returns a slow responder's answer if there is no other responder, or if the other one never answers", async () => {
    await api.startWorker();
    const responder = await startTestResponder({ databaseUrl: api.database.url });
    const [url = ""] = await responderUrls(api.database.owner);
    const slow = createServer((socket) => {
      setTimeout(() => {
        const upstream = connect(Number(new URL(url).port), "127.0.0.1");
        socket.pipe(upstream).pipe(socket);
        for (const each of [socket, upstream]) each.on("error", () => socket.destroy());
      }, ocspWaits.apiAnotherMs + 300);
    });
    await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
    await api.database.owner.query(sql`delete from processes where kind = 'responder'`);
    await registered(`http://127.0.0.1:${(slow.address() as AddressInfo).port}`);
    // The list of responders is cached for a second.
    await eventually(async () => {
      expect(await ask()).toBe("good");
    });
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    await registered(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
    // On a busy machine the slow responder may take longer than the longest wait.
    await eventually(async () => {
      expect(await Promise.all(Array.from({ length: 4 }, ask))).toEqual(["good", "good", "good", "good"]);
    });
    for (const server of [slow, silent]) server.close();
    await responder.stop();
  });

  test("forwards caching headers, GET and HEAD, and refusals", async () => {
    await api.startWorker();
    const responder = await startTestResponder({ databaseUrl: api.database.url });
    await eventually(async () => {
      expect(await ask()).toBe("good");
    });
    const url = `${path()}/${encodeURIComponent(request().toString("base64"))}`;
    const got = await askOverHttp(url);
    expect(outcomeOf(got.body)).toBe("good");
    expect(got.headers).toMatchObject({
      "cache-control": "max-age=2, public, no-transform, must-revalidate",
      etag: expect.any(String),
      expires: expect.any(String),
      "last-modified": expect.any(String),
    });
    expect(await askOverHttp(url, { method: "HEAD" })).toMatchObject({ status: 200, body: Buffer.alloc(0) });
    expect((await askOverHttp(`${path()}/%zz`)).body).toEqual(Buffer.from([0x30, 3, 0x0a, 1, 1]));

    expect((await askOverHttp(path(), { body: Buffer.alloc(4_097) })).status).toBe(413);
    const packed = { body: request(), headers: { "content-encoding": "gzip" } };
    expect((await askOverHttp(path(), packed)).status).toBe(415);
    const untyped = { body: request(), headers: { "content-type": "application/x-www-form-urlencoded" } };
    expect(outcomeOf((await askOverHttp(path(), untyped)).body)).toBe("good");
    const [, absolute] = await askRaw(api.url, `GET ${url.replace("/ocsp/", "/%6Fcsp//")} HTTP/1.0`);
    expect(outcomeOf(absolute)).toBe("good");
    expect((await askOverHttp(path(), { method: "PUT", body: request() })).status).toBe(405);
    expect((await askOverHttp(`${api.url}/ocsp/0`, { body: request() })).status).toBe(404);
    expect((await askOverHttp(`${api.url}/ocsp`, { body: request() })).status).toBe(404);
    await responder.stop();
  });
});
