import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { Registry } from "prom-client";
import { beforeAll, describe, expect, test } from "vitest";
import * as upkeep from "../../../../../db/queries/upkeep/upkeep.ts";
import { sql } from "../../../../../db/sql.ts";
import { systemClock } from "../../../../../runtime/clock.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";
import { openssl } from "../../../../support/pki/openssl.ts";
import { eventually } from "../../../../support/run/eventually.ts";
import type { GivenUser } from "../../../../support/given/given.ts";
import { givenIssuingRealm } from "../../../../support/given/issuing.ts";
import type { TestWorker } from "../../../../support/service/worker.ts";

const registry = new Registry();
const api = useApi({ registry });
const { as, given } = api;
const linux = { format: "pem", deviceType: "Linux", keyType: "ec-p256" };

describe("with a worker", () => {
  let realmId: string;
  let service: Caller;
  let worker: TestWorker;

  beforeAll(async () => {
    ({ realmId } = await givenIssuingRealm(api.database.owner, { maxProfiles: 3 }));
    worker = await api.startWorker();
    service = as.service({ realmId });
  });

  const create = (user: GivenUser, body: object = linux, headers: Record<string, string> = {}) =>
    service.post(`/api/user/${user.id}/profiles/laptop`, body, { headers });

  test("the api and the worker each report in their metrics the steps of a creation that they perform, and their batch sizes", async () => {
    const counted = async (of: Registry, name: string): Promise<string[]> =>
      [...(await of.getSingleMetricAsString(name)).matchAll(/_count\{\w+="(\w+)"\} [1-9]/g)].map(([, label]) => label!);
    await create(await given.user({ realmId }));

    expect(await counted(registry, "realmpass_issuance_step_seconds")).toEqual(["accept", "collect"]);
    expect(await counted(registry, "realmpass_batch_size")).toEqual(["holders", "accept", "collect"]);
    // The response may arrive before the worker has counted its last step.
    await eventually(async () => {
      expect(await counted(worker.registry, "realmpass_issuance_step_seconds")).toEqual([
        "task",
        "claim",
        "sign",
        "settle",
      ]);
    });
    expect(await counted(worker.registry, "realmpass_batch_size")).toEqual(["claim"]);
  });

  test("a profile has exactly the fields of the specification and a PEM pair", async () => {
    const user = await given.user({ realmId });
    const { status, body } = await create(user);

    expect(status).toBe(200);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(body).toEqual({
      result: "ok",
      code: 200,
      data: {
        serial: expect.stringMatching(/^[1-9][0-9]+$/),
        name: "laptop",
        revokeReason: null,
        revokeTime: null,
        creationTime: time,
        expirationTime: time,
        authable: false,
        lastLogin: body.data.creationTime,
        deviceType: "Linux",
        owner: user.id,
        identity: expect.stringMatching(/^[a-z2-7]{20}@.+$/),
        radiusCN: expect.stringMatching(/^radius\./),
        certificate: expect.stringMatching(/^-----BEGIN CERTIFICATE-----/),
        privateKey: expect.stringMatching(/^-----BEGIN PRIVATE KEY-----/),
      },
    });
    expect(await service.get(`/api/profiles/${body.data.serial}`)).toMatchObject({
      status: 200,
      body: { data: { owner: user.id } },
    });
  });

  test("a name with an invisible character inside is refused with its position", async () => {
    const { id } = await given.user({ realmId });
    const answer = await service.post(`/api/user/${id}/profiles/${encodeURIComponent("lap\u200btop")}`, linux);
    expect(answer).toBeError("invalid_request");
    expect(JSON.stringify(answer.body.fields)).toContain("must not contain an invisible character, as at 4");
    expect(await service.post(`/api/user/${id}/profiles/${encodeURIComponent("laptop\u200b")}`, linux)).toMatchObject({
      status: 200,
      body: { data: { name: "laptop" } },
    });
  });

  test.each(["pkcs12", "PFX"])("%s returns base64 in data, without a PEM pair", async (format) => {
    const { status, body } = await create(await given.user({ realmId }), { ...linux, format });

    expect(status).toBe(200);
    expect(Buffer.from(body.data.data, "base64")[0]).toBe(0x30);
    expect(body.data).not.toHaveProperty("certificate");
    expect(body.data).not.toHaveProperty("privateKey");
  });

  test("property names are case-insensitive, and allowAuth is stored", async () => {
    const { status, body } = await create(await given.user({ realmId }), {
      FORMAT: "crt",
      DeviceType: "Windows",
      AllowAuth: true,
      unknown: { is: "ignored" },
    });
    expect({ status, data: body.data }).toMatchObject({ status: 200, data: { authable: true, deviceType: "Windows" } });
  });

  test("a certificate signing request yields a certificate and no private key", async () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const key = privateKey.export({ type: "pkcs8", format: "pem" });
    const csr = openssl(["req", "-new", "-key", "key.pem", "-subj", "/CN=ignored"], { "key.pem": key }).stdout;
    const { status, body } = await create(await given.user({ realmId }), { ...linux, csr });

    expect(status).toBe(200);
    expect(body.data.certificate).toContain("BEGIN CERTIFICATE");
    expect(body.data).not.toHaveProperty("privateKey");
  });

  test.each([
    ["P-521", ["ec", "-pkeyopt", "ec_paramgen_curve:P-521"], "The key is on the curve P-521; use P-256, P-384 or RSA"],
    ["Ed25519", ["ed25519"], "The key is Ed25519; use P-256, P-384 or RSA of 2048 to 4096 bits."],
    ["RSA of 1024 bits", ["rsa:1024"], "The RSA key has 1024 bits; use P-256, P-384 or RSA of 2048 to 4096 bits."],
    ["SHA-1", ["rsa:2048", "-sha1"], "The request is signed with SHA-1; sign it with ECDSA or RSA PKCS #1 v1.5 and"],
    [
      "RSA-PSS",
      ["rsa:2048", "-sigopt", "rsa_padding_mode:pss"],
      "The request is signed with RSA-PSS; sign it with ECDSA",
    ],
  ])("a signing request with %s is refused, and the response gives the reason", async (_, kind, sentence) => {
    const made = openssl(["req", "-new", "-nodes", "-keyout", "-", "-subj", "/CN=mine", "-newkey", ...kind]).stdout;
    const csr = made.slice(made.indexOf("-----BEGIN CERTIFICATE REQUEST"));
    const answer = await create(await given.user({ realmId }), { ...linux, csr });
    expect(answer).toBeError("invalid_csr");
    expect(answer.body.error_description).toContain(sentence);
  });

  test("an error that the worker finds is returned in the response", async () => {
    expect(await create(await given.user({ realmId }), { ...linux, csr: "not a request" })).toBeError("invalid_csr");
  });

  test("the limit holds for concurrent requests", async () => {
    const user = await given.user({ realmId, profileOverride: 5 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(user)));

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(answer).toBeError("profile_limit_reached");
  });

  test("a repeat with the same key returns the same profile, concurrently and later", async () => {
    const user = await given.user({ realmId });
    const key = { "idempotency-key": "the-same" };
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(user, linux, key)));
    answers.push(await create(user, linux, key));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.data.serial)).size).toBe(1);
    expect(await create(user, { ...linux, format: "crt" }, key)).toBeError("idempotency_key_reused");
  });

  test("the same key from another client is a different key", async () => {
    const user = await given.user({ realmId });
    const headers = { "idempotency-key": "anyone's" };
    const path = `/api/user/${user.id}/profiles/laptop`;
    const [one, other] = await Promise.all([
      service.post(path, linux, { headers }),
      as.service({ realmId }).post(path, linux, { headers }),
    ]);
    expect(one.body.data.serial).not.toBe(other.body.data.serial);
  });

  test("a repeat after the output was erased returns an error", async () => {
    const user = await given.user({ realmId });
    const key = { "idempotency-key": "erased" };
    await create(user, linux, key);
    await api.database.owner.query(sql`update issuance_outputs set sealed = null`);

    expect(await create(user, linux, key)).toBeError("output_erased");
  });

  test("an output is erased ten minutes after its first collection, however often it is collected again", async () => {
    const user = await given.user({ realmId });
    const key = { "idempotency-key": "handed-out-again" };
    const db = api.database.owner;
    const inMinutes = (minutes: number): Date => new Date(systemClock.now().getTime() + minutes * 60_000);
    expect(await create(user, linux, key)).toMatchObject({ status: 200 });
    await db.query(sql`
      update issuance_outputs o set collected_at = o.collected_at - interval '9 minutes'
        from issuances i where i.id = o.issuance_id and i.user_id = ${user.id}
    `);
    await upkeep.eraseOutputs(db, { at: inMinutes(0) });
    expect(await create(user, linux, key)).toMatchObject({ status: 200 });

    await upkeep.eraseOutputs(db, { at: inMinutes(2) });
    expect(await create(user, linux, key)).toBeError("output_erased");
  });

  test("respond-async returns 202, and the issuance then has the profile", async () => {
    const user = await given.user({ realmId });
    const first = await create(user, linux, { prefer: "respond-async" });

    expect(first).toMatchObject({
      status: 202,
      headers: { "preference-applied": "respond-async", "retry-after": "1" },
      body: { result: "ok", code: 202, data: { state: "queued", finishedAt: null, error: null, profile: null } },
    });
    const location = String(first.headers.location);
    expect(location).toBe(`/api/issuances/${first.body.data.id}`);

    const settled = await service.get(location, { headers: { prefer: "wait=20" } });
    expect(settled).toMatchObject({
      status: 200,
      headers: { "preference-applied": "wait=20" },
      body: { data: { id: first.body.data.id, state: "issued", error: null, profile: { owner: user.id } } },
    });
    expect(settled.body.data.profile.privateKey).toContain("PRIVATE KEY");
  });

  test("32 concurrent requests all succeed", async () => {
    const users = await Promise.all(Array.from({ length: 32 }, () => given.user({ realmId })));
    const answers = await Promise.all(users.map((user) => create(user)));
    expect(answers.map(({ status }) => status)).toEqual(users.map(() => 200));
  });

  test("without a worker the request gets 202 when the wait expires", async () => {
    await worker.stop();
    const answer = await create(await given.user({ realmId }), linux, { prefer: "wait=1" });
    expect(answer).toMatchObject({
      status: 202,
      headers: { "preference-applied": "wait=1" },
      body: { data: { state: "queued" } },
    });
  });
});

test.each<[name: string, change: object]>([
  ["no format", { format: undefined }],
  ["an unknown format", { format: "p7b" }],
  ["no device type", { deviceType: undefined }],
  ["a device type in another letter case", { deviceType: "linux" }],
  ["an unknown key type", { keyType: "dsa" }],
  ["a signing request beyond 16 kB", { csr: "x".repeat(16_385) }],
  ["allowAuth that is no boolean", { allowAuth: "true" }],
])("%s is refused, and the response names the field", async (_, change) => {
  const user = await given.user({ realmId: api.realmId });
  const answer = await as.admin().post(`/api/user/${user.id}/profiles/laptop`, { ...linux, ...change });

  expect(answer).toBeError("invalid_request");
  expect(answer.body.fields[0].path).toBe(Object.keys(change)[0]);
});

test.each(["", "x".repeat(65), "a\u0007b", "a\nb"])("the name %j is refused", async (name) => {
  const user = await given.user({ realmId: api.realmId });
  const answer = await as.admin().post(`/api/user/${user.id}/profiles/${encodeURIComponent(name)}`, linux);
  if (name === "") expect(answer).toBeError("not_found");
  else expect(answer).toBeError("invalid_request");
});

test("the key type is the requested one, else the realm's for the device, else the device's default", async () => {
  const realm = await givenIssuingRealm(api.database.owner, { keyTypes: { ChromeOS: "ec-p256" } });
  const service = as.service(realm);
  const { id } = await given.user({ ...realm, profileOverride: 6 });
  const keyOf = async (deviceType: string, keyType?: string): Promise<unknown> => {
    const { body } = await service.post(`/api/user/${id}/profiles/laptop`, { format: "pem", deviceType, keyType });
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(body.data.privateKey);
    return [asymmetricKeyType, asymmetricKeyDetails?.modulusLength];
  };
  const { stop } = await api.startWorker();
  expect(await keyOf("Linux")).toEqual(["ec", undefined]);
  expect(await keyOf("Android")).toEqual(["ec", undefined]);
  expect(await keyOf("Other")).toEqual(["rsa", 2048]);
  expect(await keyOf("Windows")).toEqual(["ec", undefined]);
  expect(await keyOf("ChromeOS")).toEqual(["ec", undefined]);
  expect(await keyOf("ChromeOS", "rsa-2048")).toEqual(["rsa", 2048]);
  await stop();
});

test("locked, offboarded, unknown and other realms' users get no profile", async () => {
  const admin = as.admin();
  const { realmId } = api;
  const at = new Date(0);
  const create = (id: string) => admin.post(`/api/user/${id}/profiles/laptop`, linux);

  expect(await create((await given.user({ realmId, lockedAt: at })).id)).toBeError("user_locked");
  expect(await create((await given.user({ realmId, offboardedAt: at })).id)).toBeError("user_offboarded");
  expect(await create("999999999")).toBeError("user_not_found");
  expect(await create((await given.user({ realmId: await given.realm() })).id)).toBeError("user_not_found");
});

test("a realm without an issuer, or whose issuer ends too soon, issues nothing", async () => {
  const create = async (realmId: string) => {
    const user = await given.user({ realmId });
    return as.admin({ realmId }).post(`/api/user/${user.id}/profiles/laptop`, linux);
  };
  expect(await create(await given.realm({ issuerEndsInDays: null }))).toBeError("no_issuer");
  expect(await create(await given.realm({ issuerEndsInDays: 300 }))).toBeError("issuer_expiring");
});

test.each(["", " ", "a b", "x".repeat(256), "ä"])("the Idempotency-Key %j is refused", async (key) => {
  const user = await given.user({ realmId: api.realmId });
  const headers = { "idempotency-key": Buffer.from(key).toString("latin1") };
  expect(await as.admin().post(`/api/user/${user.id}/profiles/laptop`, linux, { headers })).toBeError(
    "invalid_request",
  );
});
