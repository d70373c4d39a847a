import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { octetString } from "../../../pki/der.ts";
import { ocspErrors } from "../../../responder/ocsp-response.ts";
import { useApi } from "../../support/service/api.ts";
import { eventually } from "../../support/run/eventually.ts";
import { givenIssuingRealm, type IssuingRealm } from "../../support/given/issuing.ts";
import {
  askOverHttp,
  askRaw,
  askWithOpenssl,
  encodeCertId,
  encodeOcspRequest,
  nonceExtension,
  outcomeOf,
  requestExtension,
  statusOf,
} from "../../support/pki/ocsp.ts";
import { startTestResponder, type TestResponder } from "../../support/service/responder.ts";
import { startTestWorker } from "../../support/service/worker.ts";

const api = useApi();
const { as, given } = api;
const linux = { format: "pem", deviceType: "Linux", keyType: "ec-p256" };

let realm: IssuingRealm;
let other: IssuingRealm;
let responder: TestResponder;
let first = "";
let second = "";

beforeAll(async () => {
  const { owner, url: databaseUrl } = api.database;
  realm = await givenIssuingRealm(owner, { maxProfiles: 100 });
  other = await givenIssuingRealm(owner);
  await startTestWorker({ databaseUrl });
  responder = await startTestResponder({ databaseUrl });
  first = responder.url;
  second = (await startTestResponder({ databaseUrl, statusCountsEveryMs: 200 })).url;
});

const at = (url: string, of = realm): string => `${url}/ocsp/${of.issuerId}`;
const ask = (url: string, serialNumber: string, options: readonly string[] = [], of = realm): Promise<string> =>
  askWithOpenssl(at(url, of), { ...of, serialNumber, options });

async function givenProfile(of = realm): Promise<string> {
  const user = await given.user({ realmId: of.realmId });
  const { body } = await as.service({ realmId: of.realmId }).post(`/api/user/${user.id}/profiles/laptop`, linux);
  return body.data.serial;
}

const requestFor = (serialNumber: string, nonce?: Buffer): Buffer =>
  encodeOcspRequest(
    [encodeCertId({ issuer: realm.issuer, serialNumber })],
    nonce === undefined ? [] : [nonceExtension(nonce)],
  );
const outcome = async (url: string, serialNumber: string): Promise<string | number> =>
  outcomeOf((await askOverHttp(at(url), { body: requestFor(serialNumber, randomBytes(16)) })).body);

describe("OpenSSL reports", () => {
  test.each(["-sha1", "-sha256"])("with %s that a profile is good, with a nonce and without", async (algorithm) => {
    const serialNumber = await givenProfile();
    for (const nonce of ["-nonce", "-no_nonce"]) {
      const output = await ask(first, serialNumber, [algorithm, nonce]);
      expect(output).toContain(`${serialNumber}: good`);
      expect(output).toContain("Response verify OK");
      expect(output).not.toMatch(/nonce|WARNING/i);
    }
  });

  test("from another responder that a profile is revoked, and why", async () => {
    const serialNumber = await givenProfile();
    expect(await ask(second, serialNumber)).toContain(`${serialNumber}: good`);

    const answer = await as.admin({ realmId: realm.realmId }).delete(`/api/profiles/${serialNumber}`, { reason: 1 });
    expect(answer.status).toBe(200);
    await eventually(async () => {
      expect(await outcome(second, serialNumber)).toBe("revoked");
    });

    const output = await ask(second, serialNumber, ["-text"]);
    expect(output).toContain(`${serialNumber}: revoked`);
    expect(output).toContain("Response verify OK");
    expect(output).toMatch(/Revocation Time: \w{3} +\d+ [\d:]+ \d{4} GMT/);
    expect(output).toContain("Revocation Reason: keyCompromise (0x1)");
  });

  test("the reason only if there is one", async () => {
    const reasonOf = async (reason: number): Promise<string> => {
      const serialNumber = await given.profile({ realmId: realm.realmId }, { kind: "infrastructure" });
      await api.database.owner.query(sql`
        insert into revocations (certificate_id, revoked_at, reason)
        select id, ${systemClock.now()}, ${reason} from certificates where serial_number = ${serialNumber}
      `);
      return ask(first, serialNumber, ["-text"]);
    };
    expect(await reasonOf(0)).not.toContain("Revocation Reason");
    expect(await reasonOf(4)).toContain("Revocation Reason: superseded (0x4)");
  });

  test("that an abandoned serial number is revoked", async () => {
    const serialNumber = "123456789";
    await api.database.owner.query(sql`
      insert into abandoned_serial_numbers (issuer_id, serial_number, issuance_id, not_after, abandoned_at)
      values (${realm.issuerId}, ${serialNumber}, gen_random_uuid(), now() + interval '1 year', now())
    `);
    expect(await ask(first, serialNumber)).toContain(`${serialNumber}: revoked`);
  });

  test.each([
    ["nobody was given", "987654321"],
    ["belongs to another issuer's profile", "other"],
    ["is a responder's own", "responder"],
  ])("as unknown a serial number that %s", async (_, which) => {
    const [row] = await api.database.owner.query<{ serialNumber: string }>(sql`
      select serial_number as "serialNumber" from ocsp_responders where issuer_id = ${realm.issuerId} limit 1
    `);
    const serialNumber =
      which === "other" ? await givenProfile(other) : which === "responder" ? row!.serialNumber : which;
    const output = await ask(first, serialNumber);
    expect(output).toContain(`${serialNumber}: unknown`);
    expect(output).toContain("Response verify OK");
  });

  test("the status from each of two issuers' own responders", async () => {
    for (const issuer of [realm, other]) {
      const serialNumber = await givenProfile(issuer);
      const output = await ask(first, serialNumber, [], issuer);
      expect(output).toContain(`${serialNumber}: good`);
      expect(output).toContain("Response verify OK");
    }
  });

  test("an expired profile's stored status, as long as its issuer is valid", async () => {
    const serialNumber = await given.profile(
      { realmId: realm.realmId },
      { kind: "infrastructure", createdAt: new Date("2025-01-01"), notAfter: new Date("2025-02-01") },
    );
    expect(await ask(first, serialNumber)).toContain(`${serialNumber}: good`);
  });

  test("several profiles in one answer", async () => {
    const [one, two] = [await givenProfile(), await givenProfile()];
    const output = await askWithOpenssl(at(first), { ...realm, serialNumber: one, others: [two, "55"] });
    expect(output).toContain(`${one}: good`);
    expect(output).toContain(`${two}: good`);
    expect(output).toContain("55: unknown");
    expect(output).toContain("Response verify OK");
  });
});

test("each responder gets certificates for a new realm and a prepared issuer before a device asks", async () => {
  const { owner } = api.database;
  const of = await givenIssuingRealm(owner);
  const retiring = await givenIssuingRealm(owner);
  await owner.query(sql`update issuers set issuing = false where id = ${retiring.issuerId}`);
  await eventually(async () => {
    for (const { issuerId } of [of, retiring]) {
      const certified = sql`
        select from ocsp_responders where issuer_id = ${issuerId} and certificate is not null`;
      expect(await owner.query(certified)).toHaveLength(2);
    }
  });
});

describe("an OCSP request", () => {
  const errorOf = async (url: string, body: Buffer): Promise<number> =>
    statusOf((await askOverHttp(url, { body })).body);

  test("about a foreign issuer's certificate, alone or among others, or to an unknown issuer's address gets the error unauthorized", async () => {
    const foreign = encodeCertId({ issuer: other.issuer, serialNumber: "1" });
    const own = encodeCertId({ issuer: realm.issuer, serialNumber: "1" });
    expect(await errorOf(at(first), encodeOcspRequest([foreign]))).toBe(ocspErrors.unauthorized);
    expect(await errorOf(at(first), encodeOcspRequest([own, foreign]))).toBe(ocspErrors.unauthorized);
    expect(await errorOf(`${first}/ocsp/999999`, encodeOcspRequest([own]))).toBe(ocspErrors.unauthorized);
  });

  test("about an expired issuer gets the error unauthorized, because the issuer's signatures no longer count", async () => {
    const ended = await givenIssuingRealm(api.database.owner);
    await api.database.owner.query(sql`
      update issuers set not_before = '2020-01-01', not_after = '2021-01-01', issuing = false where id = ${ended.issuerId}
    `);
    const asked = encodeOcspRequest([encodeCertId({ issuer: ended.issuer, serialNumber: "1" })]);
    expect(await errorOf(at(first, ended), asked)).toBe(ocspErrors.unauthorized);
  });

  test("about an issuer whose key is missing gets the error tryLater", async () => {
    const keyless = await givenIssuingRealm(api.database.owner, { hasKey: false });
    const asked = encodeOcspRequest([encodeCertId({ issuer: keyless.issuer, serialNumber: "1" })]);
    expect(await errorOf(at(first, keyless), asked)).toBe(ocspErrors.tryLater);
  });

  test("with a nonce as in RFC 2560, which defines no type for nonces, gets the nonce back unchanged", async () => {
    const nonce = randomBytes(16).fill(1);
    const request = encodeOcspRequest(
      [encodeCertId({ issuer: realm.issuer, serialNumber: await givenProfile() })],
      [requestExtension("1.3.6.1.5.5.7.48.1.2", nonce)],
    );
    const { body } = await askOverHttp(at(first), { body: request });
    expect(outcomeOf(body)).toBe("good");
    expect(body.includes(octetString(nonce))).toBe(true);
    expect(body.includes(octetString(octetString(nonce)))).toBe(false);
  });

  test("with garbage or with an overlong nonce gets the error malformedRequest", async () => {
    expect(await errorOf(at(first), Buffer.from("rubbish"))).toBe(ocspErrors.malformedRequest);
    expect(await errorOf(at(first), requestFor("1", randomBytes(129)))).toBe(ocspErrors.malformedRequest);
  });
});

describe("over HTTP (RFC 6960 appendix A, RFC 5019 sections 5 and 6)", () => {
  const getUrl = (encoded: string): string => `${at(first)}/${encoded}`;

  test.each<[string, (base64: string) => string]>([
    ["base64 as it is", (base64) => base64],
    ["percent-encoded base64", (base64) => encodeURIComponent(base64)],
    ["base64url", (base64) => base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")],
    ["base64 encoded twice", (base64) => encodeURIComponent(encodeURIComponent(base64))],
    ["blanks that were plus signs", (base64) => encodeURIComponent(base64.replaceAll("+", " "))],
    ["base64 in lines", (base64) => encodeURIComponent(base64.replace(/.{64}/g, "$&\r\n"))],
    ["base64 after two slashes", (base64) => `/${base64}`],
  ])("GET accepts %s", async (_, encode) => {
    const serialNumber = await givenProfile();
    for (let round = 0; round < 8; round++) {
      const request = requestFor(serialNumber, randomBytes(24 + round)).toString("base64");
      const answer = await askOverHttp(getUrl(encode(request)));
      expect(outcomeOf(answer.body)).toBe("good");
      expect(answer.headers).toMatchObject({
        "content-type": "application/ocsp-response",
        "cache-control": "no-store",
      });
    }
  });

  test.each<[string, (path: string) => string]>([
    ["absolute-form", (path) => `http://ocsp.example.org${path}`],
    ["an encoded letter", (path) => path.replace("ocsp", "%6fcsp")],
    ["repeated slashes", (path) => `/${path.replace("/ocsp/", "/ocsp//")}`],
  ])("a request target is understood (%s)", async (_, asSent) => {
    const request = requestFor(await givenProfile(), randomBytes(16));
    const target = asSent(new URL(at(first)).pathname);
    const [head, body] = await askRaw(
      first,
      `POST ${target} HTTP/1.1\r\nHost: ocsp\r\nConnection: close\r\nContent-Length: ${request.length}`,
      request,
    );
    expect(head).toContain(" 200 ");
    expect(outcomeOf(body)).toBe("good");
  });

  test.each(["application/x-www-form-urlencoded", "application/octet-stream", ""])(
    "a request of content type %j is understood",
    async (type) => {
      const body = requestFor(await givenProfile(), randomBytes(16));
      const answer = await askOverHttp(at(first), { body, headers: { "content-type": type } });
      expect(outcomeOf(answer.body)).toBe("good");
    },
  );

  test("an answer without a nonce can be cached for two seconds, and has an ETag for If-None-Match", async () => {
    const url = getUrl(encodeURIComponent(requestFor(await givenProfile()).toString("base64")));
    const one = await askOverHttp(url);
    expect(one.headers).toMatchObject({
      "cache-control": "max-age=2, public, no-transform, must-revalidate",
      etag: expect.stringMatching(/^"[0-9a-f]{40}"$/),
    });
    const lastsMs = Date.parse(one.headers.expires!) - Date.parse(one.headers["last-modified"]!);
    expect(lastsMs).toBe(2_000);
    expect(one.body.length).toBeGreaterThan(0);

    // Between the two requests the responder may sign another answer, with another ETag.
    await eventually(async () => {
      const { headers } = await askOverHttp(url);
      const again = await askOverHttp(url, { headers: { "if-none-match": headers.etag! } });
      expect(again).toMatchObject({ status: 304, body: Buffer.alloc(0) });
    });
    const head = await askOverHttp(url, { method: "HEAD" });
    expect(head).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  });

  test("an unknown status is never cached, as the certificate may be made at any moment", async () => {
    const url = getUrl(encodeURIComponent(requestFor("42").toString("base64")));
    expect((await askOverHttp(url)).headers["cache-control"]).toBe("no-store");
    await api.database.owner.query(sql`
      insert into abandoned_serial_numbers (issuer_id, serial_number, issuance_id, not_after, abandoned_at)
      values (${realm.issuerId}, '42', gen_random_uuid(), now() + interval '1 year', now())
    `);
    expect(outcomeOf((await askOverHttp(url)).body)).toBe("revoked");
  });

  test.each<[string, number, string, Parameters<typeof askOverHttp>[1]]>([
    ["another path", 404, "/", {}],
    ["no issuer", 404, "/ocsp", {}],
    ["no number of an issuer", 404, "/ocsp/x", {}],
    ["a path after the issuer in a POST", 404, "/ocsp/1/AAAA", { body: Buffer.from("x") }],
    ["another method", 405, "/ocsp/1", { method: "PUT", body: Buffer.from("x") }],
    ["a packed body", 415, "/ocsp/1", { body: Buffer.from("x"), headers: { "content-encoding": "gzip" } }],
    ["a body that is too large", 413, "/ocsp/1", { body: Buffer.alloc(4_097) }],
    [
      "a body that turns out to be too large",
      413,
      "/ocsp/1",
      { body: Buffer.alloc(4_097), headers: { "transfer-encoding": "chunked" } },
    ],
  ])("%s is %i", async (_, status, path, options) => {
    expect((await askOverHttp(`${first}${path}`, options)).status).toBe(status);
  });

  test.each(["", "!!!", "%zz", "AAA\0", "?x=1"])("GET of %j is malformed", async (encoded) => {
    const { body } = await askOverHttp(getUrl(encoded.replace("\0", "%00")));
    expect(statusOf(body)).toBe(ocspErrors.malformedRequest);
  });

  test("GET longer than the limit is malformed", async () => {
    expect(statusOf((await askOverHttp(getUrl("A".repeat(9_000)))).body)).toBe(ocspErrors.malformedRequest);
  });
});

test("a profile's view shows its last check, and the check is written at most once a minute", async () => {
  const realmId = realm.realmId;
  const service = as.service({ realmId });
  const server = (): Promise<string> => given.profile({ realmId }, { kind: "infrastructure", name: "radius" });
  const lastOcsp = async (serialNumber: string): Promise<string | null> => {
    const { body } = await service.get("/api/infrastructure-profile?limit=1000");
    return body.data.find(({ serial }: { serial: string }) => serial === serialNumber).lastOcsp;
  };
  const serialNumber = await server();
  expect(await lastOcsp(serialNumber)).toBeNull();

  const before = systemClock.now().getTime();
  expect(await outcome(first, serialNumber)).toBe("good");
  const seen = await eventually(async () => {
    const shown = await lastOcsp(serialNumber);
    expect(shown).not.toBeNull();
    return shown!;
  });
  expect(Date.parse(seen)).toBeGreaterThanOrEqual(before);

  expect(await outcome(second, serialNumber)).toBe("good");
  const another = await server();
  expect(await outcome(second, another)).toBe("good");
  await eventually(async () => {
    expect(await lastOcsp(another)).not.toBeNull();
  });
  expect(await lastOcsp(serialNumber)).toBe(seen);
});

test("a check is recorded, and within the same minute so is an answer that has changed to revoked", async () => {
  const address = "203.0.113.9";
  const askFrom = async (serialNumber: string): Promise<unknown> =>
    fetch(at(first), {
      method: "POST",
      headers: { "content-type": "application/ocsp-request", "x-forwarded-for": address },
      body: new Uint8Array(requestFor(serialNumber, randomBytes(16))),
    });
  const askers = () =>
    api.database.owner.query(sql`
      select kind from status_askers where issuer_id = ${realm.issuerId} and address = ${address}::inet
    `);
  await askFrom("4711");
  const serialNumber = await givenProfile();
  const service = as.service({ realmId: realm.realmId });
  const lastCheck = async () => (await service.get(`/api/profiles/${serialNumber}/activity`)).body.data.lastCheck;
  await ask(first, serialNumber);
  await eventually(async () => {
    expect(await lastCheck()).toMatchObject({ result: "good" });
  });
  // A request about an unknown serial number does not show that the address serves devices.
  expect(await askers()).toEqual([]);

  await service.delete(`/api/profiles/${serialNumber}`);
  await eventually(async () => {
    await askFrom(serialNumber);
    expect(await lastCheck()).toMatchObject({ result: "revoked" });
  });
  await eventually(async () => {
    expect(await askers()).toEqual([{ kind: "ocsp" }]);
  });
});

test("the dashboard's picture counts good answers and refusals for each server", async () => {
  const askFrom = (address: string, serialNumber: string): Promise<unknown> =>
    fetch(at(second), {
      method: "POST",
      headers: { "content-type": "application/ocsp-request", "x-forwarded-for": address },
      body: new Uint8Array(requestFor(serialNumber, randomBytes(16))),
    });
  const service = as.service({ realmId: realm.realmId });
  const pictured = async (address: string) => {
    const { body } = await service.get("/api/overview/radius");
    const server = body.data.servers.find((one: { address: string }) => one.address === address);
    return server && { good: server.good, refused: server.refused };
  };
  const good = await givenProfile();
  const revoked = await givenProfile();
  await service.delete(`/api/profiles/${revoked}`);
  for (const serialNumber of [good, revoked, good, "4711"]) await askFrom("203.0.113.21", serialNumber);
  await askFrom("203.0.113.22", revoked);
  await askFrom("203.0.113.23", "4711");
  await eventually(
    async () => {
      expect(await pictured("203.0.113.21")).toEqual({ good: 2, refused: 1 });
      expect(await pictured("203.0.113.22")).toEqual({ good: 0, refused: 1 });
      expect(await pictured("203.0.113.23")).toBeUndefined();
    },
    { withinMs: 15_000 },
  );
});

test("the certificates that an issuer has signed for responders are recorded, once for each key, and are valid for three days", async () => {
  const rows = await api.database.owner.query<{ certificate: Buffer | null; publicKey: Buffer; days: string }>(sql`
    select certificate, public_key as "publicKey", extract(epoch from not_after - not_before) / 86400 as days
      from ocsp_responders
     where issuer_id = ${realm.issuerId}
  `);
  expect(rows.length).toBeGreaterThanOrEqual(2);
  expect(new Set(rows.map(({ publicKey }) => publicKey.toString("hex"))).size).toBe(rows.length);
  for (const { certificate, publicKey, days } of rows) {
    expect(certificate!.includes(publicKey)).toBe(true);
    expect(Number(days)).toBeCloseTo(3, 1);
  }
});

test("answers are counted by status", async () => {
  await eventually(async () => {
    const text = await responder.registry.metrics();
    expect(text).toMatch(/realmpass_ocsp_answers_total\{status="good"\} [1-9]/);
    expect(text).toMatch(/realmpass_ocsp_answers_total\{status="malformedRequest"\} [1-9]/);
    expect(text).toMatch(/realmpass_ocsp_answer_seconds_count [1-9]/);
  });
});
