import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { openssl } from "../../support/openssl.ts";
import { useOperator } from "./operator-support.ts";

const operator = useOperator();

test("without a realm the list is empty and everything that needs one says what to do", async () => {
  expect((await operator.run(["realm", "list"])).json).toEqual({ realms: [] });

  const { code, json, err } = await operator.run(["issuer", "list"]);
  expect(code).toBe(1);
  expect(json["error"]).toBe("no_realm");
  expect(err).toContain("realm create");
});

test("a new realm has its own root and issuer, and its root key lies encrypted in the ceremony directory", async () => {
  const made = await operator.run([
    "realm",
    "create",
    "--name",
    "north",
    "--domain",
    "north.example",
    "--display-name",
    "The North",
  ]);

  expect(made.code).toBe(0);
  expect(made.json).toMatchObject({
    realmID: expect.stringMatching(/^[1-9][0-9]*$/) as string,
    realmName: "north",
    displayName: "The North",
    domain: "north.example",
    localSignIn: false,
    issuer: { issuing: true, fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
  });
  expect(made.err).toContain("offline");
  expect(await operator.auditEvents("north")).toEqual(["realm_create", "issuer_create"]);

  const key = String(made.json["rootKey"]);
  const certificate = String(made.json["rootCertificate"]);
  expect(statSync(key).mode & 0o777).toBe(0o600);
  expect(statSync(certificate).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(key)).mode & 0o777).toBe(0o700);
  expect(readFileSync(key, "utf8")).toContain("aes-256-gcm");
  expect(readFileSync(key, "utf8")).not.toContain("PRIVATE KEY");
  expect(readFileSync(`${dirname(key)}/README.txt`, "utf8")).toContain("offline");
  const shown = openssl(["x509", "-in", certificate, "-noout", "-subject", "-ext", "basicConstraints"]);
  expect(shown.stdout).toContain("The North Root CA");
  expect(shown.stdout).toContain("CA:TRUE");
});

test("two realms share neither root nor issuer", async () => {
  const [one, other] = [await operator.realm(), await operator.realm()];

  const fingerprints = await Promise.all(
    [one, other].map(async (realm) => {
      const { json } = await operator.run(["issuer", "list", "--realm", realm]);
      const [issuer] = json["issuers"] as Record<string, string>[];
      return [issuer?.["fingerprint"], issuer?.["rootFingerprint"]];
    }),
  );

  expect(new Set(fingerprints.flat()).size).toBe(4);
});

test("a taken name is refused in a sentence, and nothing is left behind", async () => {
  const name = await operator.realm();

  const again = await operator.run(["realm", "create", "--name", name, "--domain", "again.example"]);

  expect(again.code).toBe(1);
  expect(again.json["error"]).toBe("name_taken");
  expect(again.err).not.toContain("    at ");
  expect(readdirSync(operator.data.ceremony).filter((file) => file.startsWith(`${name}-root-`))).toHaveLength(2);
  expect(await operator.auditEvents(name)).toEqual(["realm_create", "issuer_create"]);
});

test("a realm whose keys the workers could not open is refused", async () => {
  await operator.realm();

  const { code, json } = await operator.run(["realm", "create", "--name", "lost", "--domain", "lost.example"], {
    env: { REALMPASS_ISSUER_KEY_PASSPHRASE: "not the passphrase" },
  });

  expect([code, json["error"]]).toEqual([1, "wrong_passphrase"]);
  expect(await operator.auditEvents("lost")).toEqual([]);
});

test.each([
  ["no name", ["--domain", "a.example"]],
  ["no domain", ["--name", "a"]],
  ["a name in capitals", ["--name", "A", "--domain", "a.example"]],
  ["a domain of one label", ["--name", "a", "--domain", "example"]],
  ["a domain that no certificate may have", ["--name", "a", "--domain", "a.--"]],
  ["a domain too long for an identity", ["--name", "a", "--domain", `${"a".repeat(36)}.example`]],
  ["another realm's name", ["--name", "a", "--domain", "a.example", "--realm", "b"]],
])("a realm with %s is a usage error", async (_, options) => {
  const { code, json } = await operator.run(["realm", "create", ...options]);
  expect([code, json["error"]]).toEqual([2, "usage"]);
});

test("settings that are given change and the others stay", async () => {
  const realm = await operator.realm();

  const set = await operator.run(
    ["realm", "set", "--realm", realm, "--display-name", "New", "--radius-cn", "radius.new.example"].concat(
      ["--local-sign-in", "on", "--upstream-issuer", "https://idp.example/realms/x", "--upstream-client-id", "rp"],
      ["--max-profiles", "0", "--max-valid", "24"],
    ),
  );

  expect(set.code).toBe(0);
  const expected = {
    realmName: realm,
    domain: `${realm}.example`,
    displayName: "New",
    radiusCN: "radius.new.example",
    localSignIn: true,
    upstreamIssuer: "https://idp.example/realms/x",
    upstreamClientID: "rp",
    maxProfiles: 0,
    maxValid: 24,
  };
  expect(set.json).toMatchObject(expected);
  expect((await operator.run(["realm", "list", "--realm", realm])).json["realms"]).toEqual([set.json]);
  expect((await operator.run(["realm", "set", "--realm", realm, "--local-sign-in", "off"])).json).toMatchObject({
    ...expected,
    localSignIn: false,
  });
  expect(await operator.auditEvents(realm)).toEqual(["realm_create", "issuer_create", "realm_update", "realm_update"]);
});

test("a realm that nobody can sign in to is pointed out", async () => {
  const realm = await operator.realm();
  expect((await operator.run(["realm", "set", "--realm", realm, "--local-sign-in", "off"])).err).toContain(
    "Nobody can sign in",
  );
});

test.each([
  ["nothing", []],
  ["a switch that is neither on nor off", ["--local-sign-in", "yes"]],
  ["too many profiles", ["--max-profiles", "101"]],
  ["no validity", ["--max-valid", "0"]],
  ["a number that is none", ["--max-valid", "1e1"]],
  ["an identity provider without https", ["--upstream-issuer", "http://idp.example"]],
  ["an identity provider that is no address", ["--upstream-issuer", "idp"]],
])("setting %s is a usage error", async (_, options) => {
  const realm = await operator.realm();
  expect((await operator.run(["realm", "set", "--realm", realm, ...options])).code).toBe(2);
});

test("with several realms one has to be named, and the message lists them", async () => {
  const names = [await operator.realm(), await operator.realm()];

  const unnamed = await operator.run(["issuer", "list"]);
  const unknown = await operator.run(["issuer", "list", "--realm", "nowhere"]);

  expect(unnamed.code).toBe(2);
  for (const name of names) expect(unnamed.err).toContain(name);
  expect([unknown.code, unknown.json["error"]]).toEqual([1, "realm_not_found"]);
});
