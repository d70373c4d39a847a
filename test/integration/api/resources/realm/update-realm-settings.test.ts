import { beforeAll, beforeEach, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { openssl } from "../../../../support/pki/openssl.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;
const path = "/api/realm/settings";

let realmId: string;
let service: Caller;
beforeEach(async () => {
  realmId = await given.realm();
  service = as.service({ realmId });
});

const read = async () => (await service.get(path)).body.data;
const audited = () =>
  api.database.owner.query<{ event: string; properties: object }>(sql`
    select event, properties from audit_entries where realm_id = ${realmId} order by id
  `);
const fieldsOf = (answer: { body: { fields: { path: string; reason: string }[] } }) =>
  answer.body.fields.map((field) => field.path);

/** A CA certificate that is valid from 2020 to the beginning of 2021. */
const ended = `-----BEGIN CERTIFICATE-----
MIIBRjCB7aADAgECAgEBMAoGCCqGSM49BAMCMBMxETAPBgNVBAMMCEVuZGVkIENB
MB4XDTIwMDEwMTAwMDAwMFoXDTIxMDEwMTAwMDAwMFowEzERMA8GA1UEAwwIRW5k
ZWQgQ0EwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATkaYSVRafD+fksiWvu4drl
4uQAX8toSi46I7Wbri/i0Vfu2k1gNhKUueA2ReocyrUDmn0JZcGBNw8ljLOMGiVD
ozIwMDAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBQUY68O7UsyLj61BHBm3VJ2
OMwOEDAKBggqhkjOPQQDAgNIADBFAiEAx96AVLKU/3Dw12c89ZGBEMOK9r4O1lAY
mR065pck+ZsCIHnoevQ41cQuXLigtqnP/rzYBIx3ZUP+8gdOSwwDu9dB
-----END CERTIFICATE-----
`;
let ca: string;
let server: string;
beforeAll(() => {
  const made = (name: string, ...more: string[]): string =>
    openssl(
      ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "key"].concat(
        ["-subj", `/CN=${name}`],
        more,
      ),
    ).stdout;
  ca = made("RADIUS CA");
  server = made("radius.uni.example", "-addext", "basicConstraints=critical,CA:FALSE");
});

const all = {
  displayName: "Universität",
  logoURI: "https://example.org/l.svg",
  helpURI: "mailto:help@example.org",
  privacyURI: "https://example.org/privacy",
  maxProfiles: 100,
  maxValid: 24,
  ssids: ["eduroam", "Campus Wi-Fi"],
  offboardingShare: 0,
  guestDaysMax: 3650,
  guestLimitMax: 1,
  timeZone: "Europe/Berlin",
  radiusCN: "radius.uni.example",
  radiusAddresses: ["192.0.2.7", "2001:db8::/32"],
};

test("all settings change together, and the audit entry contains the old and the new values", async () => {
  const before = await read();
  const change = { ...all, radiusCA: `What is around it is left out.\n${ca}` };
  expect(await service.put(path, change)).toMatchObject({ status: 200, body: { data: true } });
  const after = await read();
  expect(after).toMatchObject({ ...all, radiusCA: ca });
  expect(after.locked).toMatchObject({ radiusCN: expect.any(String), radiusCA: expect.any(String) });
  const was = Object.fromEntries(Object.keys(change).map((name) => [name, before[name]]));
  expect(await audited()).toEqual([
    { event: "realm_update", properties: { before: was, after: { ...all, radiusCA: ca } } },
  ]);
});

test.each<[change: object]>([
  [{ maxProfiles: 0 }],
  [{ GUESTDAYSMAX: 1 }],
  [{ helpURI: "http://help.example/a" }],
  [{ timeZone: "Etc/GMT+5", realmName: "ignored", setUpAt: "2020-01-01T00:00:00Z", localSignIn: true }],
])("a change to %j alone is accepted, and the other settings stay", async (change) => {
  const before = await read();
  expect(await service.put(path, change)).toMatchObject({ status: 200 });
  const after = await read();
  expect(Object.keys(after).filter((key) => JSON.stringify(after[key]) !== JSON.stringify(before[key]))).toHaveLength(
    1,
  );
});

test("sending back the settings as read, including trust, changes nothing and writes nothing", async () => {
  await service.put(path, { radiusCN: "radius.uni.example", radiusCA: ca });
  await api.database.owner.query(sql`update realms set set_up_at = now() where id = ${realmId}`);
  expect(await service.put(path, await read())).toMatchObject({ status: 200, body: { data: true } });
  expect(await audited()).toHaveLength(1);
});

test("all errors are in one response, each with its field, and nothing is saved", async () => {
  const before = (await service.get(path)).text;
  const answer = await service.put(path, {
    displayName: "a\nb",
    logoURI: "http://example.org/l.svg",
    helpURI: "help",
    privacyURI: "mailto:a@b.example",
    maxProfiles: 101,
    maxValid: 0,
    ssids: ["x", "x"],
    offboardingShare: 101,
    guestDaysMax: 3651,
    guestLimitMax: 0,
    timeZone: "Berlin",
    radiusCN: "radius",
    radiusCA: ended,
    radiusAddresses: "192.0.2.7",
  });
  expect(answer).toBeError("invalid_request");
  expect(fieldsOf(answer).toSorted()).toEqual([...Object.keys(all), "radiusCA"].toSorted());
  expect((await service.get(path)).text).toBe(before);
});

test.each<[name: string, pem: () => string, reason: RegExp]>([
  ["no PEM", () => "certificate", /CA certificate in PEM/],
  ["nothing", () => "", /CA certificate in PEM/],
  ["unreadable", () => "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", /in PEM/],
  ["a server's certificate", () => server, /CAs only/],
  ["a server's certificate behind a CA's", () => ca + server, /CAs only/],
  ["an ended one behind a good one", () => ca + ended, /ended on 2021-01-01/],
  ["a number", () => 5 as unknown as string, /expected string/],
])("as the RADIUS server's CA, %s is refused", async (_, pem, reason) => {
  const answer = await service.put(path, { radiusCA: pem() });
  expect(answer).toBeError("invalid_request");
  expect(answer.body.fields).toEqual([{ path: "radiusCA", reason: expect.stringMatching(reason) }]);
});

test("several CAs are accepted", async () => {
  expect((await service.put(path, { radiusCA: ca + ca })).status).toBe(200);
  expect((await read()).radiusCA).toBe(ca + ca);
});

test("the devices' trust can be set once; a later change is refused with the operator's command, and no setting is saved", async () => {
  await service.put(path, { radiusCN: "radius.uni.example" });
  const refused = await service.put(path, { displayName: "New", radiusCN: "radius.evil.example", radiusCA: ca });
  expect(refused).toBeError("operator_required");
  const { realmName, displayName, radiusCA, locked } = await read();
  expect(refused.body.fields).toEqual([{ path: "radiusCN", reason: locked.radiusCN }]);
  expect(locked.radiusCN).toBe(`npm run operator -- realm set --realm ${realmName} --radius-cn radius.uni.example`);
  expect([displayName, radiusCA]).toEqual([realmName, null]);
  expect(await service.put(path, { radiusCN: null })).toBeError("operator_required");
  expect((await service.put(path, { radiusCA: ca })).status).toBe(200);
});

test("once the set-up is finished, the devices' trust cannot be set here", async () => {
  await api.database.owner.query(sql`update realms set set_up_at = now() where id = ${realmId}`);
  const refused = await service.put(path, { maxValid: 3, radiusCN: "radius.uni.example", radiusCA: ca });
  expect(refused).toBeError("operator_required");
  expect(fieldsOf(refused)).toEqual(["radiusCN", "radiusCA"]);
  expect(await read()).toMatchObject({ maxValid: 12, radiusCN: null, radiusCA: null });
  expect((await service.put(path, { radiusCN: null, radiusCA: null, maxValid: 3 })).status).toBe(200);
  expect(await audited()).toHaveLength(1);
});

test("the settings are changed only if `If-Match` names their current version", async () => {
  const tag = (await service.get(path)).headers.etag ?? "";
  const put = (change: object) => service.put(path, change, { headers: { "if-match": tag } });
  const answers = await Promise.all([6, 7, 8].map((maxProfiles) => put({ maxProfiles })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
  expect(await put({ timeZone: "Europe/Rome" })).toBeError("precondition_failed");
  expect(await audited()).toHaveLength(1);
});

test("a change needs realm.modify, and only the caller's realm changes", async () => {
  const reader = as.service({ realmId, scopes: ["realm.read"] });
  expect(await reader.put(path, { maxValid: 3 })).toBeError("insufficient_scope");
  const auditor = await given.user({ realmId, roles: ["auditor"] });
  expect(await as.user(auditor).put(path, { maxValid: 3 })).toBeError("insufficient_scope");
  const other = (await as.service().get(path)).text;
  await service.put(path, { maxValid: 3 });
  expect((await as.service().get(path)).text).toBe(other);
  expect(await service.put(path, {})).toBeError("invalid_request");
});
