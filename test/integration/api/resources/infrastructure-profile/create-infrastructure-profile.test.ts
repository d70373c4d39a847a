import { X509Certificate } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import * as realms from "../../../../../db/queries/realm/realms.ts";
import { sql } from "../../../../../db/sql.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { givenIssuingRealm } from "../../../../support/given/issuing.ts";

const api = useApi();
const { as, given } = api;
const pem = { format: "pem", validityMonths: 24, keyType: "ec-p256" };
const at = (name: string): string => `/api/infrastructure-profile/${encodeURIComponent(name)}`;
const respondAsync = { headers: { prefer: "respond-async" } };

describe("with a worker", () => {
  let realmId: string;
  let issuer: X509Certificate;
  let service: Caller;

  beforeAll(async () => {
    const realm = await givenIssuingRealm(api.database.owner, { infrastructureDomains: ["example.org"] });
    ({ realmId } = realm);
    issuer = new X509Certificate(realm.issuer);
    service = as.service({ realmId });
    await api.startWorker();
  });

  test("an infrastructure profile has exactly the fields of the specification and a PEM pair, with one audit entry", async () => {
    const { status, body } = await service.post(at("Radius one"), { ...pem, description: "Building 3\nroom 7" });

    expect(status).toBe(200);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(body).toEqual({
      result: "ok",
      code: 200,
      data: {
        serial: expect.stringMatching(/^[1-9][0-9]+$/),
        name: "Radius one",
        description: "Building 3\nroom 7",
        creationDate: time,
        expirationDate: time,
        revokeDate: null,
        lastOcsp: null,
        identity: expect.stringMatching(/^[a-z2-7]{20}@.+$/),
        radiusCN: expect.stringMatching(/^radius\./),
        radiusCA: issuer.toString(),
        certificate: expect.stringMatching(/^-----BEGIN CERTIFICATE-----/),
        privateKey: expect.stringMatching(/^-----BEGIN PRIVATE KEY-----/),
      },
    });
    expect(new X509Certificate(body.data.certificate).verify(issuer.publicKey)).toBe(true);
    expect(await auditOf(api.database, "serial", body.data.serial)).toMatchObject([
      { event: "infrastructure_profile_create", clientId: expect.any(String), properties: { name: "Radius one" } },
    ]);
    const { identity, radiusCN, radiusCA, certificate, privateKey, ...listed } = body.data;
    expect([identity, radiusCN, radiusCA, certificate, privateKey]).not.toContain(undefined);
    expect((await service.post("/api/infrastructure-profile", { search: "radius ONE" })).body.data).toEqual([listed]);
  });

  test.each([12, 60])("validityMonths %d sets the lifetime", async (validityMonths) => {
    const { body } = await service.post(at("switch"), { ...pem, validityMonths });
    const [from, to] = [new Date(body.data.creationDate), new Date(body.data.expirationDate)];
    const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
    expect(months).toBe(validityMonths);
  });

  test("a DNS name becomes the subject of the certificate, which is valid for servers", async () => {
    const { body } = await service.post(at("Radius.Example.org"), pem);
    const certificate = new X509Certificate(body.data.certificate);

    expect(body.data).toMatchObject({ name: "Radius.Example.org", identity: "radius.example.org", description: null });
    expect(certificate.subject).toContain("CN=radius.example.org");
    expect(certificate.subjectAltName).toBe("DNS:radius.example.org");
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2", "1.3.6.1.5.5.7.3.1"]);
  });

  test("a DNS name outside the realm's domains is refused, and the response lists the domains and how to add one", async () => {
    const [{ name: realm, domain } = { name: "", domain: "" }] = await api.database.owner.query<{
      name: string;
      domain: string;
    }>(sql`select name, domain from realms where id = ${realmId}`);
    for (const name of ["www.example.net", "Example.NET", `evil${domain}`, "notexample.org", "org.example"]) {
      const answer = await service.post(at(name), pem);
      expect(answer).toBeError("name_not_permitted");
      expect(answer.body.error_description).toContain(`${domain}, example.org`);
      expect(answer.body.error_description).toContain(
        `realm set --realm ${realm} --infrastructure-domain example.org --infrastructure-domain ${name.toLowerCase()}`,
      );
    }
    for (const name of [domain, `a.b.${domain}`, "example.org"]) {
      expect(await service.post(at(name), pem)).toMatchObject({ status: 200, body: { data: { identity: name } } });
    }
  });

  test("a domain that the operator added after creating the issuing CA is refused with the command for a newer CA", async () => {
    const domains = (infrastructureDomains: string[]) =>
      realms.update(api.database.owner, realmId, { infrastructureDomains });
    const { name: realm } = await domains(["example.org", "campus.example.net"]);
    try {
      const answer = await service.post(at("radius.campus.example.net"), pem);
      expect(answer).toBeError("name_not_permitted");
      expect(answer.body.error_description).toContain(`operator issuer rotate --realm ${realm}`);
    } finally {
      await domains(["example.org"]);
    }
  });

  test("a final dot is dropped from a DNS name, in the profile and in the certificate", async () => {
    const { status, body } = await service.post(at("radius.example.org."), pem);
    expect([status, body.data?.name, body.data?.identity]).toEqual([200, "radius.example.org", "radius.example.org"]);
    expect(new X509Certificate(body.data.certificate).subjectAltName).toBe("DNS:radius.example.org");
  });

  test.each(["*.example.org", "radius_1.example.org", "rädius.example.org", "*.example.com"])(
    "%s is refused with a reason, since its certificate would lack the name",
    async (name) => {
      const answer = await service.post(at(name), pem);
      expect(answer).toBeError("invalid_request");
      expect(answer.body.fields).toEqual([{ path: "name", reason: expect.stringMatching(/^must (be|not) /) }]);
    },
  );

  test("a name of digits and dots is not used as a DNS name; the profile gets a random identity", async () => {
    const { status, body } = await service.post(at("192.0.2.1"), pem);
    expect([status, body.data?.identity]).toEqual([200, expect.stringMatching(/^[a-z2-7]{20}@/)]);
  });

  test("without a key type, the key is RSA, and pkcs12 returns base64 in data", async () => {
    const made = await service.post(at("old server"), { format: "PEM", validityMonths: 12 });
    expect(new X509Certificate(made.body.data.certificate).publicKey.asymmetricKeyType).toBe("rsa");

    const { body } = await service.post(at("old server"), { ...pem, format: "PFX" });
    expect(Buffer.from(body.data.data, "base64")[0]).toBe(0x30);
    expect(body.data).not.toHaveProperty("certificate");
    expect(body.data).toHaveProperty("radiusCA");
  });

  test("radiusCA and radiusCN come from the realm's settings if these are set", async () => {
    await api.database.owner.query(sql`
      update realms set radius_ca = 'PEM of another CA', radius_cn = 'aaa.example.org' where id = ${realmId}
    `);
    const { body } = await service.post(at("switch"), pem);
    expect(body.data).toMatchObject({ radiusCA: "PEM of another CA", radiusCN: "aaa.example.org" });
    await api.database.owner.query(sql`update realms set radius_ca = null, radius_cn = null where id = ${realmId}`);
  });

  test("a repeat with the same key returns the same profile", async () => {
    const key = { headers: { "idempotency-key": "switch" } };
    const [one, two] = [await service.post(at("switch"), pem, key), await service.post(at("switch"), pem, key)];
    expect(two.text).toBe(one.text);
    expect(await service.post(at("router"), pem, key)).toBeError("idempotency_key_reused");
  });

  test("respond-async returns 202, and the issuance then has the profile", async () => {
    const first = await service.post(at("switch"), pem, respondAsync);
    expect(first).toMatchObject({ status: 202, body: { data: { state: "queued", profile: null } } });

    const settled = await service.get(String(first.headers.location), { headers: { prefer: "wait=20" } });
    expect(settled).toMatchObject({
      status: 200,
      body: { data: { state: "issued", profile: { name: "switch", radiusCA: issuer.toString(), description: null } } },
    });
    expect(settled.body.data.profile.privateKey).toContain("PRIVATE KEY");
  });

  test("an error that the worker finds is returned in the response", async () => {
    const answer = await service.post(at("switch"), { ...pem, csr: "not a request" });
    expect(answer).toBeError("invalid_csr");
    expect(answer.body.error_description).toContain("-----BEGIN CERTIFICATE REQUEST-----");
  });
});

test.each<[given: object, where: string]>([
  [{ format: undefined }, "format"],
  [{ format: "p7b" }, "format"],
  [{ validityMonths: undefined }, "validityMonths"],
  [{ validityMonths: null }, "validityMonths"],
  [{ validityMonths: 11 }, "validityMonths"],
  [{ validityMonths: 61 }, "validityMonths"],
  [{ validityMonths: 24.5 }, "validityMonths"],
  [{ validityMonths: "24" }, "validityMonths"],
  [{ description: 7 }, "description"],
  [{ description: "x".repeat(2001) }, "description"],
  [{ description: "a\u0007b" }, "description"],
  [{ keyType: "dsa" }, "keyType"],
  [{ csr: "x".repeat(16_385) }, "csr"],
])("an infrastructure profile with %j is refused, and the response names the field", async (change, where) => {
  const answer = await as.service().post(at("switch"), { ...pem, ...change });
  expect(answer).toBeError("invalid_request");
  expect(answer.body.fields.map((field: { path: string }) => field.path)).toEqual([where]);
});

test.each(["x".repeat(65), "a\u0007b", "a\nb"])("the name %j is refused", async (name) => {
  expect(await as.service().post(at(name), pem)).toBeError("invalid_request");
});

test.each<[given: object]>([
  [{ description: null }],
  [{ description: "" }],
  [{ Description: "d", ValidityMonths: 24 }],
])("an infrastructure profile with %j is accepted", async (given) => {
  const { validityMonths: _, ...rest } = pem;
  const body = "ValidityMonths" in given ? { ...rest, ...given } : { ...pem, ...given };
  expect(await as.service().post(at("ß".repeat(64)), body, respondAsync)).toMatchObject({ status: 202 });
});

test("the issuer must outlive the profile", async () => {
  const create = async (realmId: string) => as.service({ realmId }).post(at("switch"), pem, respondAsync);
  expect(await create(await given.realm({ issuerEndsInDays: null }))).toBeError("no_issuer");
  expect(await create(await given.realm({ issuerEndsInDays: 700 }))).toBeError("issuer_expiring");
  expect(await create(await given.realm({ issuerEndsInDays: 800 }))).toMatchObject({ status: 202 });
});
