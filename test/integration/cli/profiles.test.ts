import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { useApi } from "../../support/service/api.ts";
import { useCliRealm } from "../../support/service/cli-realm.ts";
import { openssl } from "../../support/pki/openssl.ts";
import { describeWithTool } from "../../support/run/tools.ts";

const api = useApi();
const realm = useCliRealm(api);
const { cli } = realm;
const at = (name: string): string => join(cli.directory, name);
let user: string;

beforeAll(async () => {
  await api.startWorker();
});
beforeAll(async () => {
  user = (await realm.user({ profileOverride: 50 })).id;
});

const create = (...argv: string[]) => cli(["profiles", "create", user, "laptop", "--device-type", "Linux", ...argv]);

test("a profile is written to a file that only its owner can read, and its keys appear nowhere else", async () => {
  const { code, out, err } = await create("--out", "laptop.p12", "--json");

  expect(code).toBe(0);
  const profile = JSON.parse(out) as Record<string, unknown>;
  expect(profile).toMatchObject({ name: "laptop", owner: user, deviceType: "Linux", file: "laptop.p12" });
  expect(Object.keys(profile)).not.toEqual(expect.arrayContaining(["data"]));
  expect(err).toBe("");
  expect((await stat(at("laptop.p12"))).mode & 0o777).toBe(0o600);
  const file = await readFile(at("laptop.p12"));
  // A PKCS#12 file is a DER sequence.
  expect(file[0]).toBe(0x30);
  expect(out).not.toContain(file.toString("base64").slice(0, 60));
});

test("a PEM profile is one file with certificates and key", async () => {
  const { code, out } = await create("--out", "laptop.pem", "--format", "pem", "--key-type", "ec-p256");
  const pem = await readFile(at("laptop.pem"), "utf8");

  expect(code).toBe(0);
  expect(pem).toContain("-----BEGIN PRIVATE KEY-----");
  expect(new X509Certificate(pem).publicKey.asymmetricKeyType).toBe("ec");
  expect(out).not.toContain("-----BEGIN");
});

describeWithTool("openssl", "a certification request by openssl", () => {
  test("a signing request is sent and a certificate returned; the private key stays with the requester", async () => {
    const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" });
    const request = openssl(["req", "-new", "-key", "key.pem", "-subj", "/CN=ignored"], { "key.pem": key }).stdout;
    await writeFile(at("request.pem"), request);
    const { code } = await create("--out", "own.pem", "--csr", "request.pem");
    const pem = await readFile(at("own.pem"), "utf8");

    expect(code).toBe(0);
    expect(pem).toContain("-----BEGIN CERTIFICATE-----");
    expect(pem).not.toContain("PRIVATE KEY");
  });
});

test("an existing file stays as it is, and no profile is issued", async () => {
  await writeFile(at("precious.p12"), "keys");
  const before = (await cli(["profiles", "list", "--user", user])).out;
  const { code, err } = await create("--out", "precious.p12");

  expect(code).toBe(1);
  expect(err).toContain("precious.p12 already exists");
  expect(await readFile(at("precious.p12"), "utf8")).toBe("keys");
  expect((await cli(["profiles", "list", "--user", user])).out).toBe(before);
});

test("a failed request leaves no file", async () => {
  const locked = (await realm.user({ lockedAt: new Date(0) })).id;
  const { code, err } = await cli(["profiles", "create", locked, "x", "--device-type", "iOS", "--out", "none.p12"]);

  expect(code).toBe(1);
  expect(err).toContain("Request id: ");
  await expect(stat(at("none.p12"))).rejects.toThrow("ENOENT");
});

test("an unwritable path is reported before a profile is issued", async () => {
  const before = (await cli(["profiles", "list", "--user", user])).out;
  const { code, err } = await create("--out", "no/such/folder/laptop.p12");
  expect(code).toBe(1);
  expect(err).toContain("ENOENT");
  expect((await cli(["profiles", "list", "--user", user])).out).toBe(before);
});

test.each([
  [["--out", "x"], "--device-type is required"],
  [["--device-type", "linux", "--out", "x"], "--device-type must be one of MacOS"],
  [["--device-type", "Linux"], "--out is required"],
  [["--device-type", "Linux", "--out", "x", "--format", "der"], "--format"],
])("profiles create … %j is a usage error", async (argv, message) => {
  const { code, err } = await cli(["profiles", "create", user, "laptop", ...argv]);
  expect(code).toBe(2);
  expect(err).toContain(message);
});

test("one profile is revoked once its name is typed", async () => {
  const serial = await api.given.profile({ id: user, realmId: realm.realmId }, { name: "Mia’s phone" });
  expect((await cli(["profiles", "revoke", serial])).code).toBe(2);

  const session = cli.onTerminal(["profiles", "revoke", serial, "--reason", "superseded"]);
  await session.type(/Type Mia’s phone to continue: /, "Mia’s phone\r");

  expect((await session.ended).code).toBe(0);
  const { out } = await cli(["profiles", "list", "--user", user, "--search", serial, "--json"]);
  expect(JSON.parse(out)).toMatchObject([{ serial, revokeReason: 4 }]);
});

test("several profiles are revoked together or not at all", async () => {
  const owner = { id: user, realmId: realm.realmId };
  const serials = [await api.given.profile(owner), await api.given.profile(owner)];

  const failed = await cli(["profiles", "revoke", ...serials, "12345", "--yes", "--json"]);
  expect(failed.code).toBe(1);
  expect(JSON.parse(failed.out)).toMatchObject({ error: "profile_not_found" });
  for (const serial of serials) {
    const { out } = await cli(["profiles", "list", "--user", user, "--search", serial, "--json"]);
    expect(JSON.parse(out)).toMatchObject([{ serial, revokeTime: null }]);
  }

  const grouped = serials.map((serial) => serial.replace(/\B(?=(?:\d{4})+$)/g, " "));
  const done = await cli(["profiles", "revoke", ...grouped, "--yes", "--json"]);
  expect(done.code).toBe(0);
  expect(JSON.parse(done.out)).toEqual({ revoked: serials });
});

describe("revoking a large part of the realm", () => {
  let serials: string[];
  let env: Record<string, string>;

  beforeAll(async () => {
    const realmId = await api.given.realm();
    const owner = await api.given.user({ realmId });
    serials = [];
    for (let made = 0; made < 130; made++) serials.push(await api.given.profile(owner));
    const { clientId, secret } = await api.given.application({ realmId });
    env = { REALMPASS_CLIENT_ID: clientId, REALMPASS_CLIENT_SECRET: secret };
  });

  test("needs --confirm-total without a terminal, and --yes alone revokes nothing", async () => {
    const many = serials.slice(0, 101);
    const refused = await cli(["profiles", "revoke", ...many, "--yes", "--json"], { env });
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.out)).toMatchObject({
      code: 409,
      error: "confirmation_required",
      fields: [{ path: "confirmTotal", reason: "101" }],
    });
    const active = async () => JSON.parse((await cli(["profiles", "list", "--json"], { env })).out) as unknown;
    expect(await active()).toHaveLength(130);
    const done = await cli(["profiles", "revoke", ...many, "--yes", "--confirm-total", "101", "--json"], { env });
    expect(done.code).toBe(0);
    expect(JSON.parse(done.out)).toEqual({ revoked: many });
    expect(await active()).toHaveLength(29);
  });
});

test("activity shows a profile's owner and state, and that no RADIUS server is known to have asked the service", async () => {
  const user = await realm.user({ pairwiseId: "seen@north" });
  const serial = await api.given.profile(user, { name: "phone" });
  const { code, out } = await cli(["profiles", "activity", serial]);
  expect(code).toBe(0);
  expect(out).toMatch(
    /^No RADIUS server is known to have asked this service\.\nProfile: phone \(\d+\), active\nOwner: seen@north\n/,
  );
  expect((await cli(["profiles", "activity", "4711", "--json"])).code).toBe(1);
});
