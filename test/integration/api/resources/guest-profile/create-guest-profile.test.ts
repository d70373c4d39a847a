import { X509Certificate } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { fromNow, type GivenGuestAccount } from "../../../../support/given/given.ts";
import { givenIssuingRealm } from "../../../../support/given/issuing.ts";

const api = useApi();
const { as, given } = api;
const path = "/api/guest-profile";
const phone = { format: "pem", deviceType: "iOS", keyType: "ec-p256" };
const respondAsync = { headers: { prefer: "respond-async" } };
const day = 24 * 3_600_000;

describe("with a worker", () => {
  let realmId: string;

  beforeAll(async () => {
    ({ realmId } = await givenIssuingRealm(api.database.owner));
    await api.startWorker();
  });

  const account = (options: { profileLimit?: number; expiresAt?: Date; name?: string } = {}) =>
    given.guestAccount({ realmId, ...options });

  test("a guest profile has exactly the fields of the specification and a PEM pair, with one audit entry", async () => {
    const guest = await account();
    const { status, body } = await as.guest(guest).post(path, phone);

    expect(status).toBe(200);
    expect(body).toEqual({
      result: "ok",
      code: 200,
      data: {
        serial: expect.stringMatching(/^[1-9][0-9]+$/),
        deviceType: "iOS",
        creationDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        revokeDate: null,
        revokeReason: null,
        lastOcsp: null,
        accountId: guest.id,
        identity: expect.stringMatching(/^[a-z2-7]{20}@.+$/),
        radiusCN: expect.stringMatching(/^radius\./),
        certificate: expect.stringMatching(/^-----BEGIN CERTIFICATE-----/),
        privateKey: expect.stringMatching(/^-----BEGIN PRIVATE KEY-----/),
      },
    });
    expect(await auditOf(api.database, "serial", body.data.serial)).toMatchObject([
      { event: "guest_profile_create", userId: null, clientId: null, properties: { guestAccount: guest.id } },
    ]);
    const { data } = (await as.service({ realmId }).get(`/api/guest-accounts/${guest.id}/profiles`)).body;
    expect(data).toMatchObject([{ serial: body.data.serial, accountId: guest.id }]);
  });

  test.each(["PKCS12", "pfx"])("%s returns base64 in data, without a PEM pair", async (format) => {
    const { status, body } = await as.guest(await account()).post(path, { ...phone, format });

    expect(status).toBe(200);
    expect(Buffer.from(body.data.data, "base64")[0]).toBe(0x30);
    expect(body.data).not.toHaveProperty("certificate");
    expect(body.data).not.toHaveProperty("privateKey");
  });

  test.each([
    ["of three days", 3 * day],
    ["of half an hour", day / 48],
  ])("the certificate of an account %s expires with the account", async (_, length) => {
    const expiresAt = fromNow(length);
    const { body } = await as.guest(await account({ expiresAt })).post(path, phone);
    const end = Date.parse(new X509Certificate(body.data.certificate).validTo);
    expect(end).toBe(Math.floor(expiresAt.getTime() / 1000) * 1000);
  });

  test("the certificate of a ten-year account has a user's lifetime", async () => {
    const { body } = await as.guest(await account({ expiresAt: fromNow(3650 * day) })).post(path, phone);
    const months = new X509Certificate(body.data.certificate);
    const days = (Date.parse(months.validTo) - fromNow(0).getTime()) / day;
    expect(days).toBeGreaterThan(364);
    expect(days).toBeLessThan(367);
  });

  test("the limit holds for concurrent requests, and a revoked profile no longer counts", async () => {
    const guest = as.guest(await account({ profileLimit: 3 }));
    const answers = await Promise.all(Array.from({ length: 12 }, () => guest.post(path, phone)));
    const made = answers.filter(({ status }) => status === 200);

    expect(made).toHaveLength(3);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(answer).toBeError("profile_limit_reached");
    }
    await as.service({ realmId }).delete(`/api/guest-profile/${made[0]?.body.data.serial}`);
    expect(await guest.post(path, phone)).toMatchObject({ status: 200 });
  });

  test("a repeat with the same key returns the same profile; the same key from another account is a different key", async () => {
    const guest = as.guest(await account());
    const key = { headers: { "idempotency-key": "phone" } };
    const [one, two] = [await guest.post(path, phone, key), await guest.post(path, phone, key)];

    expect(two.text).toBe(one.text);
    const other = await as.guest(await account()).post(path, phone, key);
    expect(other.body.data.serial).not.toBe(one.body.data.serial);
  });

  test("respond-async returns 202, and only the guest can poll for the profile", async () => {
    const guest = as.guest(await account());
    const first = await guest.post(path, phone, respondAsync);
    expect(first).toMatchObject({ status: 202, body: { data: { state: "queued", profile: null } } });

    const location = String(first.headers.location);
    const strangers = [as.guest(await account()), as.service({ realmId }), as.admin({ realmId })];
    for (const stranger of strangers) expect(await stranger.get(location)).toBeError("issuance_not_found");
    const settled = await guest.get(location, { headers: { prefer: "wait=20" } });
    expect(settled).toMatchObject({ status: 200, body: { data: { state: "issued" } } });
    expect(Object.keys(settled.body.data.profile).sort()).toEqual(
      [
        ...["accountId", "certificate", "creationDate", "deviceType", "identity", "lastOcsp", "privateKey"],
        ...["radiusCN", "revokeDate", "revokeReason", "serial"],
      ].sort(),
    );
  });

  test.each([true, "yes", null, { deep: [] }])("allowAuth %j is ignored", async (allowAuth) => {
    const { status, body } = await as.guest(await account()).post(path, { ...phone, allowAuth });
    expect(status).toBe(200);
    const rows = await api.database.owner.query(sql`
      select authable, name from certificates where serial_number = ${body.data.serial}
    `);
    expect(rows).toEqual([{ authable: false, name: "a conference" }]);
  });

  test("an account with a long name can get profiles", async () => {
    const guest = as.guest(await account({ name: "ü".repeat(200) }));
    expect(await guest.post(path, phone)).toMatchObject({ status: 200 });
  });

  test("an error that the worker finds is returned in the response", async () => {
    const guest = as.guest(await account());
    const answer = await guest.post(path, { ...phone, csr: "not a request" });
    expect(answer).toBeError("invalid_csr");
    expect(answer.body.error_description).toContain("-----BEGIN CERTIFICATE REQUEST-----");
  });
});

describe("refusals", () => {
  let guest: Caller;
  let account: GivenGuestAccount;
  beforeAll(async () => {
    account = await given.guestAccount({ realmId: api.realmId, profileLimit: 2 });
    guest = as.guest(account);
  });

  test.each<[given: object, where: string]>([
    [{ format: undefined }, "format"],
    [{ format: "p7b" }, "format"],
    [{ format: null }, "format"],
    [{ deviceType: undefined }, "deviceType"],
    [{ deviceType: "ios" }, "deviceType"],
    [{ keyType: "dsa" }, "keyType"],
    [{ csr: "x".repeat(16_385) }, "csr"],
  ])("a guest profile with %j is refused, and the response names the field", async (change, where) => {
    const answer = await guest.post(path, { ...phone, ...change });
    expect(answer).toBeError("invalid_request");
    expect(answer.body.fields[0].path).toBe(where);
  });

  test("only a guest account can create a guest profile", async () => {
    const user = await given.user({ realmId: api.realmId });
    for (const who of [as.admin(), as.service(), as.user(user)]) {
      expect(await who.post(path, phone)).toBeError("guest_account_required");
    }
  });

  test("active and pending profiles count towards the limit, ended profiles do not", async () => {
    const ofAccount = { guestAccountId: account.id };
    const { realmId } = api;
    await given.profile({ realmId }, { ...ofAccount, createdAt: fromNow(-2 * day), notAfter: fromNow(-day) });
    await given.profile({ realmId }, ofAccount);

    expect(await guest.post(path, phone, respondAsync)).toMatchObject({ status: 202 });
    expect(await guest.post(path, phone, respondAsync)).toBeError("profile_limit_reached");
  });

  test("a limit of 0 allows no profile, a missing limit any number", async () => {
    const { realmId } = api;
    const none = as.guest(await given.guestAccount({ realmId, profileLimit: 0 }));
    expect(await none.post(path, phone, respondAsync)).toBeError("profile_limit_reached");

    const unlimited = await given.guestAccount({ realmId });
    for (let made = 0; made < 7; made++) await given.profile({ realmId }, { guestAccountId: unlimited.id });
    expect(await as.guest(unlimited).post(path, phone, respondAsync)).toMatchObject({ status: 202 });
  });

  test("the token of an ended account is refused", async () => {
    const ended = await given.guestAccount({ realmId: api.realmId, expiresAt: fromNow(-1) });
    expect(await as.guest(ended).post(path, phone)).toBeError("unauthenticated");
  });

  test("an issuer must outlive the profile, whose end is no later than the account's", async () => {
    const create = async (realmId: string, expiresAt: Date) =>
      as.guest(await given.guestAccount({ realmId, expiresAt })).post(path, phone, respondAsync);

    expect(await create(await given.realm({ issuerEndsInDays: null }), fromNow(day))).toBeError("no_issuer");
    expect(await create(await given.realm({ issuerEndsInDays: 300 }), fromNow(400 * day))).toBeError("issuer_expiring");
    expect(await create(await given.realm({ issuerEndsInDays: 300 }), fromNow(day))).toMatchObject({ status: 202 });
  });
});
