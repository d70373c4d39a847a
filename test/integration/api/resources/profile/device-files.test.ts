import { createPrivateKey, X509Certificate } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import * as realms from "../../../../../db/queries/realm/realms.ts";
import { sql } from "../../../../../db/sql.ts";
import { deviceTypes } from "../../../../../domain/certificate/device.ts";
import { useApi, type ApiAnswer, type Caller } from "../../../../support/service/api.ts";
import {
  bundleOfEapConfig,
  bundleOfMobileconfig,
  faultsOf,
  openBundle,
  payloadsOf,
  readPlist,
  xpath,
} from "../../../../support/pki/device-file-reader.ts";
import { givenIssuingRealm, type IssuingRealm } from "../../../../support/given/issuing.ts";
import { describeWithTool } from "../../../../support/run/tools.ts";

const api = useApi();
const { as, given } = api;
const owner = () => api.database.owner;
const grammar = new URL("../../../../fixtures/eap-metadata.rng", import.meta.url);

let realm: IssuingRealm;
let service: Caller;

beforeAll(async () => {
  realm = await givenIssuingRealm(owner(), { maxProfiles: 20 });
  await api.startWorker();
  service = as.service({ realmId: realm.realmId });
});

const base64 = (der: Buffer): string => der.toString("base64");
const fileOf = ({ body }: ApiAnswer): Buffer => Buffer.from(String(body.data.data), "base64");
const request = (format: string, rest: object = {}) => ({ format, deviceType: "Other", keyType: "ec-p256", ...rest });
const create = async (body: object, headers: Record<string, string> = {}) => {
  const { id } = await given.user({ realmId: realm.realmId });
  return service.post(`/api/user/${id}/profiles/laptop`, body, { headers });
};
/** Changes settings in the database, as an operator or another writer may have done. */
const change = (settings: {
  displayName?: string;
  ssids?: string[];
  wired?: boolean;
  radiusCn?: string | null;
  radiusCa?: string | null;
}) =>
  owner().query(sql`
    update realms
       set display_name = coalesce(${settings.displayName ?? null}, display_name),
           ssids = ${settings.ssids ?? ["eduroam"]}, wired = ${settings.wired ?? false}, radius_cn = ${settings.radiusCn ?? null},
           radius_ca = ${settings.radiusCa ?? null}
     where id = ${realm.realmId}
  `);

describeWithTool(["python3", "xmllint", "openssl"], "a file that sets a device up", () => {
  test.each(deviceTypes.flatMap((type) => [[type, "MobileConfig"] as const, [type, "EAP-CONFIG"] as const]))(
    "%s returns %s with the profile's certificate and key, and the realm's own CA",
    async (deviceType, format) => {
      const answer = await create(request(format, { deviceType }));
      expect(answer.status).toBe(200);
      expect(answer.body.data).not.toHaveProperty("certificate");
      expect(answer.body.data).not.toHaveProperty("privateKey");
      const { identity, radiusCN, serial, expirationTime } = answer.body.data as Record<string, string>;

      const file = fileOf(answer);
      const isPlist = format === "MobileConfig";
      const opened = openBundle(isPlist ? bundleOfMobileconfig(readPlist(file)) : bundleOfEapConfig(file));
      const [leaf] = opened?.certificates ?? [];
      expect(leaf?.subject).toContain(`CN=${String(identity)}`);
      expect(BigInt(`0x${leaf?.serialNumber ?? "0"}`).toString()).toBe(serial);
      expect(leaf?.verify(new X509Certificate(realm.issuer).publicKey)).toBe(true);
      expect(leaf?.checkPrivateKey(createPrivateKey(opened?.privateKey ?? ""))).toBe(true);

      if (isPlist) {
        const profile = readPlist(file);
        const [root] = payloadsOf(profile, "com.apple.security.root");
        const [network] = payloadsOf(profile, "com.apple.wifi.managed");
        expect(root?.["PayloadContent"]).toEqual({ data: base64(realm.root) });
        expect(network).toMatchObject({
          SSID_STR: "eduroam",
          EAPClientConfiguration: { TLSTrustedServerNames: [radiusCN] },
        });
        expect(new Date(profile["ExpirationDate"].date)).toEqual(new Date(`${String(expirationTime).slice(0, 19)}Z`));
      } else {
        expect(faultsOf(file, grammar)).toBe("");
        expect(opened?.certificates.slice(1).map(({ raw }) => raw)).toEqual([realm.issuer]);
        expect(Date.parse(xpath(file, "//ValidUntil")[0] ?? "")).toBe(Date.parse(leaf?.validTo ?? ""));
        expect(xpath(file, "//CA")).toEqual([base64(realm.root), base64(realm.issuer)]);
        expect(xpath(file, "//ServerID")).toEqual([radiusCN]);
        expect(xpath(file, "//SSID")).toEqual(["eduroam"]);
      }
    },
  );

  test("is available to guests in both formats", async () => {
    const guest = as.guest(await given.guestAccount({ realmId: realm.realmId }));
    const [mobileconfig, eapConfig] = await Promise.all(
      ["mobileconfig", "eap-config"].map((format) => guest.post("/api/guest-profile", request(format))),
    );
    if (mobileconfig === undefined || eapConfig === undefined) throw new Error("no answers");

    expect([mobileconfig.status, eapConfig.status]).toEqual([200, 200]);
    expect(openBundle(bundleOfMobileconfig(readPlist(fileOf(mobileconfig))))?.certificates).toHaveLength(1);
    expect(openBundle(bundleOfEapConfig(fileOf(eapConfig)))?.certificates).toHaveLength(2);
  });

  test.each(["mobileconfig", "eap-config"])(
    "%s is the same file for a client that waits and one that collects it later",
    async (format) => {
      const accepted = await create(request(format), { prefer: "respond-async" });
      expect(accepted.status).toBe(202);

      const collect = () => service.get(String(accepted.headers.location), { headers: { prefer: "wait=20" } });
      const [first, again] = [await collect(), await collect()];
      expect(first.body.data).toMatchObject({
        state: "issued",
        profile: { data: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/) as string },
      });
      expect(again.body.data.profile.data).toBe(first.body.data.profile.data);
    },
  );

  test("the files of a realm with wired networks also set up wired connections: mobileconfig for Macs, eap-config for other devices", async () => {
    const filesOf = async () => ({
      mac: readPlist(fileOf(await create(request("mobileconfig", { deviceType: "MacOS" })))),
      phone: readPlist(fileOf(await create(request("mobileconfig", { deviceType: "iOS" })))),
      tablet: fileOf(await create(request("eap-config", { deviceType: "Android" }))),
    });
    const cables = ({ mac, phone, tablet }: Awaited<ReturnType<typeof filesOf>>) => ({
      mac: payloadsOf(mac, "com.apple.globalethernet.managed").length,
      phone: payloadsOf(phone, "com.apple.globalethernet.managed").length,
      tablet: tablet.toString("utf8").split("<IEEE8023/>").length - 1,
    });
    expect(cables(await filesOf())).toEqual({ mac: 0, phone: 0, tablet: 0 });
    await change({ wired: true });
    try {
      const files = await filesOf();
      expect(cables(files)).toEqual({ mac: 1, phone: 0, tablet: 1 });
      expect(faultsOf(files.tablet, grammar)).toBe("");
      expect(xpath(files.tablet, "//SSID")).toEqual(["eduroam"]);
      const [wired] = payloadsOf(files.mac, "com.apple.globalethernet.managed");
      const [wifi] = payloadsOf(files.mac, "com.apple.wifi.managed");
      expect(wired?.["EAPClientConfiguration"]).toEqual(wifi?.["EAPClientConfiguration"]);
      expect(openBundle(bundleOfMobileconfig(files.mac))).toBeDefined();
    } finally {
      await change({});
    }
  });

  test("the file contains the realm's own networks, server name and CA, whatever their names, and the device's issuing CA", async () => {
    const other = await givenIssuingRealm(owner());
    const displayName = `A & B <"of"> 'C' ${"𝔘".repeat(64)}`;
    const ssids = ["<Campus> & more", "日本語の無線"];
    await change({
      displayName,
      ssids,
      radiusCn: "aaa.example.org",
      radiusCa: [other.issuer, other.root].map((der) => new X509Certificate(der).toString()).join(""),
    });
    try {
      const file = fileOf(await create(request("eap-config")));
      const profile = readPlist(fileOf(await create(request("mobileconfig"))));

      expect(faultsOf(file, grammar)).toBe("");
      expect(xpath(file, "//DisplayName")).toEqual([displayName]);
      expect(xpath(file, "//SSID")).toEqual(ssids);
      expect(xpath(file, "//ServerID")).toEqual(["aaa.example.org"]);
      expect(xpath(file, "//CA")).toEqual([base64(other.root), base64(other.issuer)]);
      expect(profile).toMatchObject({ PayloadDisplayName: displayName, PayloadOrganization: displayName });
      expect(payloadsOf(profile, "com.apple.wifi.managed").map(({ SSID_STR }) => String(SSID_STR))).toEqual(ssids);
      expect(payloadsOf(profile, "com.apple.security.root").map(({ PayloadContent }) => PayloadContent)).toEqual([
        { data: base64(other.root) },
      ]);
      expect(payloadsOf(profile, "com.apple.security.pkcs1").map(({ PayloadContent }) => PayloadContent)).toEqual([
        { data: base64(other.issuer) },
        { data: base64(realm.issuer) },
      ]);
      expect(openBundle(bundleOfMobileconfig(profile))).toBeDefined();
    } finally {
      await change({ displayName: "A realm" });
    }
  });
});

test("the files contain the realm's further server names, consortiums, help, and the reminder's date", async () => {
  const set = (change: realms.RealmChange) => realms.update(owner(), realm.realmId, change);
  await set({
    radiusNames: ["radius-2.example.org"],
    rcois: ["001BC50460"],
    helpUri: "mailto:help@example.org",
    helpPhone: "+49 351 4630",
    reminderLeadDays: 10,
  });
  try {
    const answer = await create(request("eap-config"));
    const { radiusCN, expirationTime } = answer.body.data as Record<string, string>;
    const file = fileOf(answer);
    const profile = readPlist(fileOf(await create(request("mobileconfig"))));

    expect(faultsOf(file, grammar)).toBe("");
    expect(xpath(file, "//ServerID")).toEqual([radiusCN, "radius-2.example.org"]);
    expect(xpath(file, "//ConsortiumOID")).toEqual(["001BC50460"]);
    expect(xpath(file, "//Helpdesk/*")).toEqual(["help@example.org", "+49 351 4630"]);
    const end = new Date(Date.parse(expirationTime ?? "") - 10 * 86_400_000).toISOString();
    expect(xpath(file, "//ValidUntil")).toEqual([`${end.slice(0, 19)}Z`]);
    const [, passpoint] = payloadsOf(profile, "com.apple.wifi.managed");
    expect(passpoint).toMatchObject({
      RoamingConsortiumOIs: ["001BC50460"],
      EAPClientConfiguration: { TLSTrustedServerNames: [radiusCN, "radius-2.example.org"] },
    });

    await set({ helpUri: "https://example.org/help", helpMail: "wifi@example.org", helpPhone: "" });
    const other = fileOf(await create(request("eap-config")));
    expect(xpath(other, "//Helpdesk/*")).toEqual(["wifi@example.org", "https://example.org/help"]);
  } finally {
    await set({ radiusNames: [], rcois: [], helpUri: "", helpMail: "", helpPhone: "", reminderLeadDays: 0 });
  }
});

test("the key of an iwd file is RSA, whatever the realm sets for the device; P-256 is refused", async () => {
  await realms.update(owner(), realm.realmId, { keyTypes: { Linux: "ec-p256" } });
  try {
    const keyTypeOf = async (body: object) => {
      const { id } = await given.user({ realmId: realm.realmId });
      const answer = await service.post(`/api/user/${id}/profiles/laptop`, { deviceType: "Linux", ...body });
      expect(answer.status).toBe(200);
      const rows = await owner().query<{ type: string }>(
        sql`select key_type as type from issuances where user_id = ${id}`,
      );
      return rows.map(({ type }) => type);
    };
    expect(await keyTypeOf({ format: "iwd" })).toEqual(["rsa-2048"]);
    expect(await keyTypeOf({ format: "iwd", keyType: "rsa-3072" })).toEqual(["rsa-3072"]);
    expect(await keyTypeOf({ format: "networkmanager" })).toEqual(["ec-p256"]);
    const refused = await create({ format: "iwd", deviceType: "Linux", keyType: "ec-p256" });
    expect(refused).toBeError("invalid_request");
    expect(refused.body.fields).toEqual([expect.objectContaining({ path: "keyType" })]);
    const guest = as.guest(await given.guestAccount({ realmId: realm.realmId }));
    const body = { format: "iwd", deviceType: "Linux", keyType: "ec-p256" };
    expect(await guest.post("/api/guest-profile", body)).toBeError("invalid_request");
  } finally {
    await realms.update(owner(), realm.realmId, { keyTypes: {} });
  }
});

test.each(["onc", "networkmanager", "iwd"])("a request for %s that contains a CSR is refused", async (format) => {
  const csr = "-----BEGIN CERTIFICATE REQUEST-----";
  const answer = await create({ format, deviceType: "Linux", csr });
  expect(answer).toBeError("invalid_request");
  expect(answer.body.fields).toEqual([expect.objectContaining({ path: "csr" })]);
});

test("with an unreadable RADIUS CA, no file is made and no certificate issued", async () => {
  await change({ radiusCa: "PEM of another CA" });
  try {
    const { id } = await given.user({ realmId: realm.realmId });
    const answer = await service.post(`/api/user/${id}/profiles/laptop`, request("mobileconfig"), {
      headers: { prefer: "wait=30" },
    });
    expect(answer).toBeError("issuance_failed");
    expect(await owner().query(sql`select 1 from certificates where user_id = ${id}`)).toEqual([]);
  } finally {
    await change({});
  }
});

test("the database contains nothing of a file in readable form", async () => {
  const file = fileOf(await create(request("eap-config")));
  const [, password = ""] = /<Passphrase>(.*)<\/Passphrase>/.exec(file.toString("utf8")) ?? [];
  expect(password).toHaveLength(22);

  const stored = await owner().query<{ text: string }>(sql`
    select encode(sealed, 'escape') || i::text as text from issuance_outputs o join issuances i on i.id = o.issuance_id
  `);
  expect(stored.length).toBeGreaterThan(0);
  for (const { text } of stored) {
    expect(text).not.toContain(password);
    expect(text).not.toContain("EAPIdentityProvider");
  }
});

test.each(["mobileconfig", "EAP-Config"])("%s is refused for a key that stays on the client", async (format) => {
  const answer = await create(request(format, { csr: "-----BEGIN CERTIFICATE REQUEST-----" }));
  expect(answer).toBeError("invalid_request");
  expect(answer.body.fields).toEqual([
    { path: "csr", reason: "cannot be combined with a format that contains the private key" },
  ]);

  const guest = as.guest(await given.guestAccount({ realmId: realm.realmId }));
  expect(await guest.post("/api/guest-profile", request(format, { csr: "x" }))).toBeError("invalid_request");
});

test.each(["mobileconfig", "eap-config", "onc", "networkmanager", "iwd"])(
  "%s is refused for infrastructure profiles",
  async (format) => {
    const answer = await service.post("/api/infrastructure-profile/radius.example.org", { format, validityMonths: 12 });
    expect(answer).toBeError("invalid_request");
    expect(answer.body.fields[0].path).toBe("format");
  },
);
