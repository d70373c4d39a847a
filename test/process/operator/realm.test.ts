import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import * as realms from "../../../db/queries/realm/realms.ts";
import { sql } from "../../../db/sql.ts";
import { masterKeys, openUnderMasterKey } from "../../../runtime/keys/master-key.ts";
import { openssl } from "../../support/pki/openssl.ts";
import { useOperator } from "../../support/service/test-operator.ts";

const operator = useOperator();

/** Returns the audit log's entries for changes to a realm. */
async function updatesOf(realm: string): Promise<object[]> {
  const entries = await operator.database.owner.query<{ properties: object }>(sql`
    select properties
      from audit_entries a
      join realms r on r.id = a.realm_id
     where r.name = ${realm}
       and event = 'realm_update'
     order by a.id
  `);
  return entries.map(({ properties }) => properties);
}

test("without a realm the list is empty, and a command that needs a realm explains what to do", async () => {
  expect((await operator.run(["realm", "list"])).json).toEqual({ realms: [] });

  const { code, json, err } = await operator.run(["issuer", "list"]);
  expect(code).toBe(1);
  expect(json["error"]).toBe("no_realm");
  expect(err).toContain("realm create");
});

test("a new realm has its own root and issuer, and its root key is encrypted in the ceremony directory", async () => {
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

test("a taken name is refused with an explanation, and leaves nothing behind", async () => {
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

test("device files configure eduroam until other networks are named, each with its own option", async () => {
  const realm = await operator.realm();
  const set = (...names: string[]) =>
    operator.run(["realm", "set", "--realm", realm, ...names.flatMap((name) => ["--ssid", name])]);
  const two = ["<Campus> & more", "日本語の無線"];
  const longest = "ä".repeat(16);

  const { json } = await operator.run(["realm", "list", "--realm", realm]);
  expect((json["realms"] as Record<string, unknown>[])[0]?.["ssids"]).toEqual(["eduroam"]);
  expect((await set(...two)).json).toMatchObject({ ssids: two });
  expect((await set(longest)).json).toMatchObject({ ssids: [longest] });
  const other = await operator.run(["realm", "set", "--realm", realm, "--max-profiles", "3"]);
  expect(other.json).toMatchObject({ ssids: [longest] });

  expect(await updatesOf(realm)).toEqual([
    { before: { ssids: ["eduroam"] }, after: { ssids: two } },
    { before: { ssids: two }, after: { ssids: [longest] } },
    { before: { maxProfiles: 5 }, after: { maxProfiles: 3 } },
  ]);
});

test("wired networks are switched on and off, and each change is recorded", async () => {
  const realm = await operator.realm();
  const wired = (value: string) => operator.run(["realm", "set", "--realm", realm, "--wired", value]);

  const { json } = await operator.run(["realm", "list", "--realm", realm]);
  expect((json["realms"] as Record<string, unknown>[])[0]).toMatchObject({ wired: false, ssids: ["eduroam"] });
  expect((await wired("on")).json).toMatchObject({ wired: true, ssids: ["eduroam"] });
  const other = await operator.run(["realm", "set", "--realm", realm, "--max-profiles", "3"]);
  expect(other.json).toMatchObject({ wired: true });
  expect((await wired("off")).json).toMatchObject({ wired: false });
  const { code, json: refused } = await wired("yes");
  expect([code, refused["error"]]).toEqual([2, "usage"]);

  expect(await updatesOf(realm)).toEqual([
    { before: { wired: false }, after: { wired: true } },
    { before: { maxProfiles: 5 }, after: { maxProfiles: 3 } },
    { before: { wired: true }, after: { wired: false } },
  ]);
});

test("the geteduroam apps are switched on and off, and each change is recorded", async () => {
  const realm = await operator.realm();
  const set = (...options: string[]) => operator.run(["realm", "set", "--realm", realm, ...options]);

  const { json } = await operator.run(["realm", "list", "--realm", realm]);
  expect((json["realms"] as Record<string, unknown>[])[0]).toMatchObject({ onboardingApps: false, appsListing: "" });
  const on = await set("--onboarding-apps", "on", "--apps-listing", "University of Example");
  expect(on.json).toMatchObject({ onboardingApps: true, appsListing: "University of Example" });
  expect(on.err).toContain(`/letswifi/${realm}/`);
  expect(on.err).toContain("use https alone");
  expect((await set("--max-profiles", "3")).json).toMatchObject({ onboardingApps: true });
  expect((await set("--onboarding-apps", "off", "--apps-listing", "")).json).toMatchObject({
    onboardingApps: false,
    appsListing: "",
  });
  for (const wrong of [
    ["--onboarding-apps", "yes"],
    ["--apps-listing", "a\u0007b"],
    ["--apps-listing", "a".repeat(201)],
  ]) {
    const { code, json: refused } = await set(...wrong);
    expect([code, refused["error"]]).toEqual([2, "usage"]);
  }

  expect(await updatesOf(realm)).toEqual([
    {
      before: { onboardingApps: false, appsListing: "" },
      after: { onboardingApps: true, appsListing: "University of Example" },
    },
    { before: { maxProfiles: 5 }, after: { maxProfiles: 3 } },
    {
      before: { onboardingApps: true, appsListing: "University of Example" },
      after: { onboardingApps: false, appsListing: "" },
    },
  ]);
});

test.each([
  ["no name", [""]],
  ["a name beyond 32 octets", [`${"ä".repeat(16)}a`]],
  ["a control character", ["a\u0007b"]],
  ["the same twice", ["a", "a"]],
  ["more than 16", Array.from({ length: 17 }, (_, index) => `net-${String(index)}`)],
])("networks with %s are a usage error", async (_, names) => {
  const realm = await operator.anyRealm();
  const { code, json } = await operator.run(
    ["realm", "set", "--realm", realm].concat(names.flatMap((name) => ["--ssid", name])),
  );
  expect([code, json["error"]]).toEqual([2, "usage"]);
});

test("the RADIUS server's CA is read from a file of certificates, and reset to the realm's own", async () => {
  const realm = await operator.realm();
  const directory = mkdtempSync(join(tmpdir(), "radius-ca-"));
  const file = join(directory, "ca.pem");
  const set = (...words: string[]) => operator.run(["realm", "set", "--realm", realm, ...words]);
  const { stdout: ca } = openssl(
    ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=RADIUS CA"].concat(
      ["-keyout", join(directory, "key")],
    ),
  );
  writeFileSync(file, `What is around it is left out.\n${ca}`);

  expect((await set("--radius-ca-file", file)).json).toMatchObject({ radiusCA: ca });
  expect((await set("--max-profiles", "4")).json).toMatchObject({ radiusCA: ca });
  expect((await set("--clear", "radius-ca")).json).toMatchObject({ radiusCA: null });
  expect((await set("--clear", "radius-ca", "--radius-ca-file", file)).code).toBe(2);

  writeFileSync(file, "no certificate");
  for (const unusable of [file, join(directory, "missing.pem"), join(directory, "key")]) {
    expect((await set("--radius-ca-file", unusable)).json).toMatchObject({ error: "unreadable_file" });
  }
  rmSync(directory, { recursive: true });
});

test("the addresses for help and for data protection are set, recorded, and removed with an empty address", async () => {
  const realm = await operator.realm();
  const set = (...words: string[]) => operator.run(["realm", "set", "--realm", realm, ...words]);
  const help = "mailto:help@north.example";
  const privacy = "https://north.example/privacy?of=network";

  expect((await set("--help-uri", help, "--privacy-uri", privacy)).json).toMatchObject({
    helpURI: help,
    privacyURI: privacy,
  });
  const { json } = await operator.run(["realm", "list", "--realm", realm]);
  expect(json).toMatchObject({ realms: [{ helpURI: help, privacyURI: privacy }] });
  expect((await set("--help-uri", "")).json).toMatchObject({ helpURI: "", privacyURI: privacy });

  expect(await updatesOf(realm)).toEqual([
    { before: { helpURI: "", privacyURI: "" }, after: { helpURI: help, privacyURI: privacy } },
    { before: { helpURI: help }, after: { helpURI: "" } },
  ]);
});

test.each([
  "javascript:alert(1)",
  "data:text/html,x",
  "//north.example",
  "/help",
  "north.example",
  "https://user:word@north.example/",
  "https://north.example/\nx",
  "ftp://north.example/",
  "mailto:",
  "mailto:help",
  "mailto:a@north.example,b@north.example",
  "mailto:a@north.example?bcc=everybody@north.example",
  "tel:+4912345",
])("%s is refused as an address for help", async (address) => {
  const realm = await operator.anyRealm();
  expect((await operator.run(["realm", "set", "--realm", realm, "--help-uri", address])).code).toBe(2);
  expect((await operator.run(["realm", "set", "--realm", realm, "--privacy-uri", address])).code).toBe(2);
});

test("the address about people's data must be a web page", async () => {
  const realm = await operator.realm();
  const given = ["realm", "set", "--realm", realm, "--privacy-uri", "mailto:help@north.example"];
  expect((await operator.run(given)).code).toBe(2);
});

test("the share of people above which an offboarding needs confirmation is a percentage", async () => {
  const realm = await operator.realm();
  const set = (share: string) => operator.run(["realm", "set", "--realm", realm, "--offboarding-share", share]);

  expect((await operator.run(["realm", "set", "--realm", realm, "--max-profiles", "4"])).json).toMatchObject({
    offboardingShare: 20,
  });
  expect((await set("0")).json).toMatchObject({ offboardingShare: 0 });
  expect((await set("100")).json).toMatchObject({ offboardingShare: 100 });
  for (const wrong of ["101", "-1", "20%", ""]) expect((await set(wrong)).code).toBe(2);
});

test("nobody is forgotten until the realm sets a number of months, and the setting can be removed", async () => {
  const realm = await operator.realm();
  const set = (...options: string[]) => operator.run(["realm", "set", "--realm", realm, ...options]);
  const listed = async () => {
    const [found] = (await operator.run(["realm", "list", "--realm", realm])).json["realms"] as object[];
    return found;
  };

  expect(await listed()).toMatchObject({ forgetAfterMonths: null });
  expect((await set("--forget-after-months", "120")).json).toMatchObject({ forgetAfterMonths: 120 });
  expect(await listed()).toMatchObject({ forgetAfterMonths: 120 });
  for (const wrong of ["0", "121", "1.5", ""]) expect((await set("--forget-after-months", wrong)).code).toBe(2);
  expect((await set("--forget-after-months", "3", "--clear", "forget-after-months")).code).toBe(2);
  expect((await set("--clear", "forget-after-months")).json).toMatchObject({ forgetAfterMonths: null });
  expect(await updatesOf(realm)).toEqual([
    { before: { forgetAfterMonths: null }, after: { forgetAfterMonths: 120 } },
    { before: { forgetAfterMonths: 120 }, after: { forgetAfterMonths: null } },
  ]);
});

test("named settings change and all other settings stay", async () => {
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

const upstream = ["--upstream-issuer", "https://idp.example", "--upstream-client-id", "rp"];
const claims = ["--claim-pairwise-id", "eduperson_unique_id", "--claim-email", "mail"].concat(
  ["--claim-display-name", "https://idp.example/claims/name"],
  ["--claim-administrator", "entitlements=urn:example:wifi=admin"],
);

const sealedSecret = async (realm: string): Promise<{ id: string; sealed: Buffer | null } | undefined> => {
  const [row] = await operator.database.owner.query<{ id: string; sealed: Buffer | null }>(sql`
    select id, upstream_client_secret as sealed from realms where name = ${realm}
  `);
  return row;
};

test("an identity provider is set with its secret and claims; the secret is never shown, and is stored sealed", async () => {
  const realm = await operator.realm();
  const secret = "a secret: ü & 100%";

  const argv = ["realm", "set", "--realm", realm, ...upstream, ...claims, "--upstream-client-secret-stdin"];
  const set = await operator.run(argv, { input: `${secret}\n` });

  const shown = {
    upstreamIssuer: "https://idp.example",
    upstreamClientID: "rp",
    upstreamClientSecretSet: true,
    claimPairwiseID: "eduperson_unique_id",
    claimEmail: "mail",
    claimDisplayName: "https://idp.example/claims/name",
    claimAdministrator: "entitlements=urn:example:wifi=admin",
  };
  expect(set.json).toMatchObject(shown);
  expect(set.err).toContain("/login/upstream/callback");
  const listed = await operator.runPlain(["realm", "list", "--realm", realm, "--json"]);
  expect(listed.json["realms"]).toEqual([set.json]);
  expect(set.out + set.err + listed.out).not.toContain("a secret");

  const { id, sealed } = (await sealedSecret(realm)) ?? { id: "", sealed: null };
  expect(sealed?.includes("a secret")).toBe(false);
  const key = masterKeys(operator.data.find("masterKey")!);
  expect(openUnderMasterKey(key, sealed ?? Buffer.alloc(0), realms.upstreamSecretContext(id)).toString()).toBe(secret);

  const audited = await operator.database.owner.query<{ properties: unknown }>(sql`
    select properties from audit_entries where realm_id = ${id} and event = 'realm_update'
  `);
  expect(audited[0]?.properties).toMatchObject({
    after: { ...shown, upstreamClientSecretSet: true },
    upstreamClientSecret: "replaced",
  });
  expect(JSON.stringify(audited)).not.toContain("a secret");
});

test("one claim changes and the other claims stay; cleared claims return to their defaults", async () => {
  const realm = await operator.realm();
  await operator.run(["realm", "set", "--realm", realm, ...upstream, ...claims]);

  const changed = await operator.run(["realm", "set", "--realm", realm, "--claim-email", "email2"]);
  expect(changed.json).toMatchObject({ claimEmail: "email2", claimPairwiseID: "eduperson_unique_id" });

  const all = ["claim-pairwise-id", "claim-email", "claim-display-name", "claim-administrator"].join(",");
  const cleared = await operator.run(["realm", "set", "--realm", realm, "--clear", all]);
  expect(cleared.json).toMatchObject({
    upstreamIssuer: "https://idp.example",
    claimPairwiseID: null,
    claimEmail: null,
    claimDisplayName: null,
    claimAdministrator: null,
  });
});

test("claims give roles by any number of rules; the rules of one role are replaced together", async () => {
  const realm = await operator.realm();
  const set = (...argv: string[]) => operator.run(["realm", "set", "--realm", realm, ...argv]);
  const role = (...rules: string[]) => rules.flatMap((rule) => ["--claim-role", rule]);

  await set("--claim-administrator", "groups=wifi-admins");
  const made = await set(...role("help_desk=groups=it-support", "help_desk=unit=a=b", "auditor=groups=audit"));
  expect(made.json).toMatchObject({
    claimAdministrator: "groups=wifi-admins",
    claimRoles: [
      "administrator=groups=wifi-admins",
      "help_desk=groups=it-support",
      "help_desk=unit=a=b",
      "auditor=groups=audit",
    ],
  });
  const changed = await set(...role("help_desk=groups=desk", "administrator=groups=a", "administrator=groups=b"));
  const rules = ["administrator=groups=a", "administrator=groups=b", "help_desk=groups=desk", "auditor=groups=audit"];
  expect(changed.json).toMatchObject({ claimAdministrator: null, claimRoles: rules });
  const email = await set("--claim-email", "mail");
  expect(email.json).toMatchObject({ claimRoles: rules });
  expect((await set("--clear", "claim-administrator")).json).toMatchObject({ claimRoles: rules.slice(2) });
  expect((await set("--clear", "claim-role")).json).toMatchObject({ claimRoles: [], claimEmail: "mail" });
});

test("the rules about who may use the realm are replaced together, and the list of realms shows them", async () => {
  const realm = await operator.realm();
  const set = (...argv: string[]) => operator.run(["realm", "set", "--realm", realm, ...argv]);
  const made = await set(...upstream, "--may-use", "hd=uni.example", "--may-use", "groups=wifi=all");
  expect(made.json).toMatchObject({ mayUse: ["hd=uni.example", "groups=wifi=all"] });
  const listed = await operator.run(["realm", "list", "--realm", realm]);
  expect(listed.json["realms"]).toMatchObject([{ mayUse: ["hd=uni.example", "groups=wifi=all"] }]);
  expect((await set("--may-use", "groups=wifi")).json).toMatchObject({ mayUse: ["groups=wifi"] });
  const others = await set("--claim-email", "mail", "--claim-role", "auditor=groups=audit");
  expect(others.json).toMatchObject({ mayUse: ["groups=wifi"], claimRoles: ["auditor=groups=audit"] });
  expect((await set("--clear", "may-use")).json).toMatchObject({ mayUse: [], claimEmail: "mail" });
  expect((await operator.auditEvents(realm)).filter((event) => event === "realm_update")).toHaveLength(4);

  const rules = Array.from({ length: 21 }, (_, index) => ["--may-use", `groups=g${index}`]).flat();
  expect(await set(...rules)).toMatchObject({ code: 2 });
  expect(await set("--may-use", "groups")).toMatchObject({ code: 2 });
});

test("the VLANs of people are replaced together, shown and recorded", async () => {
  const realm = await operator.realm();
  const set = (...argv: string[]) => operator.run(["realm", "set", "--realm", realm, ...argv]);
  const made = await set("--vlan-rule", "groups=staff=30", "--vlan-rule", "unit=a=b=40", "--vlan-default", "20");
  const both = { vlanRules: ["groups=staff=30", "unit=a=b=40"], vlanDefault: "20" };
  expect(made).toMatchObject({ code: 0, json: both });
  const [stored] = await operator.database.owner.query(sql`
    select vlan_rules as rules, vlan_default as "byDefault" from realms where name = ${realm}
  `);
  expect(stored).toEqual({
    rules: [
      { claim: "groups", value: "staff", vlan: "30" },
      { claim: "unit", value: "a=b", vlan: "40" },
    ],
    byDefault: "20",
  });
  expect((await set("--vlan-rule", "groups=staff=31")).json).toMatchObject({ ...both, vlanRules: ["groups=staff=31"] });
  expect((await set("--clear", "vlan-rule")).json).toMatchObject({ vlanRules: [], vlanDefault: "20" });
  expect((await set("--clear", "vlan-default")).json).toMatchObject({ vlanRules: [], vlanDefault: null });
  expect(await updatesOf(realm)).toEqual([
    { before: { vlanRules: [], vlanDefault: null }, after: both },
    { before: { vlanRules: both.vlanRules }, after: { vlanRules: ["groups=staff=31"] } },
    { before: { vlanRules: ["groups=staff=31"] }, after: { vlanRules: [] } },
    { before: { vlanDefault: "20" }, after: { vlanDefault: null } },
  ]);

  for (const wrong of ["groups=staff", "groups", "=staff=30", "groups==30", "groups=staff=", 'groups=staff=3", x'])
    expect(await set("--vlan-rule", wrong), wrong).toMatchObject({ code: 2 });
  expect(await set("--vlan-default", "")).toMatchObject({ code: 2 });
  expect(await set("--vlan-default", 'a"b')).toMatchObject({ code: 2 });
  expect(await updatesOf(realm)).toHaveLength(4);
});

test.each([
  "https://accounts.google.com",
  "https://appleid.apple.com",
  "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0",
  "https://login.microsoftonline.com/common/v2.0",
])("%s signs in anyone, so it needs a rule when it is set, and its last rule cannot be removed", async (issuer) => {
  const realm = await operator.realm();
  const argv = (...options: string[]) => ["realm", "set", "--realm", realm, ...options];
  const open = ["--upstream-issuer", issuer, "--upstream-client-id", "rp"];
  const shown = async () => (await operator.run(["realm", "list", "--realm", realm])).json["realms"];

  const before = await shown();
  const refused = await operator.run(argv(...open));
  expect(refused).toMatchObject({ code: 2, json: { error: "usage" } });
  expect(refused.err + refused.out).toContain("--may-use");
  expect(await shown()).toEqual(before);
  expect((await operator.run(argv(...open, "--may-use", "hd=uni.example"))).json).toMatchObject({
    upstreamIssuer: issuer,
    mayUse: ["hd=uni.example"],
  });
  expect(await operator.run(argv("--clear", "may-use"))).toMatchObject({ code: 2 });
  expect((await operator.run(argv("--clear", "may-use", ...upstream))).json).toMatchObject({ mayUse: [] });
});

test("a realm that already has an open identity provider without a rule keeps the provider, and other settings can change", async () => {
  const realm = await operator.realm();
  await operator.database.owner.query(sql`
    update realms set upstream_issuer = 'https://accounts.google.com', upstream_client_id = 'rp' where name = ${realm}
  `);
  const set = await operator.run(["realm", "set", "--realm", realm, "--claim-email", "mail"]);
  expect(set.json).toMatchObject({ upstreamIssuer: "https://accounts.google.com", claimEmail: "mail", mayUse: [] });
});

test("an identity provider can be removed, with its secret", async () => {
  const realm = await operator.realm();
  await operator.run(["realm", "set", "--realm", realm, ...upstream, "--upstream-client-secret-stdin"], { input: "s" });

  const names = "upstream-issuer,upstream-client-id";
  const { json, err } = await operator.run(["realm", "set", "--realm", realm, "--clear", names]);

  expect(json).toMatchObject({ upstreamIssuer: null, upstreamClientID: null, upstreamClientSecretSet: false });
  expect(err).toContain("Nobody can sign in");
  expect((await sealedSecret(realm))?.sealed).toBeNull();
});

test("the secret of one identity provider is not used for another; a new secret can be given", async () => {
  const realm = await operator.realm();
  const set = (options: string[], input = "") =>
    operator.run(["realm", "set", "--realm", realm, ...options], { input });
  await set([...upstream, "--upstream-client-secret-stdin"], "first");

  expect((await set(["--upstream-issuer", "https://idp.example"])).json).toMatchObject({
    upstreamClientSecretSet: true,
  });
  const moved = await set(["--upstream-issuer", "https://other.example"]);
  expect(moved.json).toMatchObject({ upstreamClientSecretSet: false });
  expect(moved.err).toContain("removed");
  const both = await set(["--upstream-issuer", "https://third.example", "--upstream-client-secret-stdin"], "third");
  expect(both.json).toMatchObject({ upstreamClientSecretSet: true });
});

test("an incomplete identity provider is reported", async () => {
  const realm = await operator.realm();
  const { err } = await operator.run(["realm", "set", "--realm", realm, "--upstream-issuer", "https://idp.example"]);
  expect(err).toContain("--upstream-client-id");
});

test.each([
  ["an empty secret", ["--upstream-client-secret-stdin"], "\n"],
  ["a secret of two lines", ["--upstream-client-secret-stdin"], "one\ntwo\n"],
  ["a secret of 2 kB", ["--upstream-client-secret-stdin"], "x".repeat(2048)],
  ["a claim without a value", ["--claim-administrator", "groups"], ""],
  ["a claim with an empty value", ["--claim-administrator", "groups="], ""],
  ["a value without a claim", ["--claim-administrator", "=admins"], ""],
  ["a rule for a role that there is not", ["--claim-role", "root=groups=x"], ""],
  ["a rule without a value", ["--claim-role", "auditor=groups"], ""],
  ["administrators both ways", ["--claim-role", "administrator=a=b", "--claim-administrator", "a=c"], ""],
  ["a claim with a space", ["--claim-email", "e mail"], ""],
  ["an empty claim", ["--claim-pairwise-id", ""], ""],
  ["something that cannot be cleared", ["--clear", "domain"], ""],
  ["nothing to clear", ["--clear", ""], ""],
  ["one setting both ways", ["--clear", "claim-email", "--claim-email", "mail"], ""],
  ["a secret both ways", ["--clear", "upstream-client-secret", "--upstream-client-secret-stdin"], "s"],
])("%s is a usage error", async (_, options, input) => {
  const realm = await operator.anyRealm();
  expect((await operator.run(["realm", "set", "--realm", realm, ...options], { input })).code).toBe(2);
});

test("a realm that nobody can sign in to is reported", async () => {
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
  const realm = await operator.anyRealm();
  expect((await operator.run(["realm", "set", "--realm", realm, ...options])).code).toBe(2);
});

test("with several realms a command must name one, and the error lists the realms", async () => {
  const names = [await operator.realm(), await operator.realm()];

  const unnamed = await operator.run(["issuer", "list"]);
  const unknown = await operator.run(["issuer", "list", "--realm", "nowhere"]);

  expect(unnamed.code).toBe(2);
  for (const name of names) expect(unnamed.err).toContain(name);
  expect([unknown.code, unknown.json["error"]]).toEqual([1, "realm_not_found"]);
});

describe("the domains of server names", () => {
  const set = (realm: string, ...domains: string[]) =>
    operator.run(["realm", "set", "--realm", realm, ...domains.flatMap((name) => ["--infrastructure-domain", name])]);

  test("are set together, in lower case, in addition to the realm's own; --clear removes them", async () => {
    const realm = await operator.realm();

    expect((await set(realm, "Campus.Example.org", "example.net")).json).toMatchObject({
      domain: `${realm}.example`,
      infrastructureDomains: ["campus.example.org", "example.net"],
    });
    expect((await set(realm, "example.net")).json).toMatchObject({ infrastructureDomains: ["example.net"] });
    const cleared = await operator.run(["realm", "set", "--realm", realm, "--clear", "infrastructure-domain"]);
    expect(cleared.json).toMatchObject({ infrastructureDomains: [] });

    expect(await updatesOf(realm)).toEqual([
      {
        before: { infrastructureDomains: [] },
        after: { infrastructureDomains: ["campus.example.org", "example.net"] },
      },
      {
        before: { infrastructureDomains: ["campus.example.org", "example.net"] },
        after: { infrastructureDomains: ["example.net"] },
      },
      { before: { infrastructureDomains: ["example.net"] }, after: { infrastructureDomains: [] } },
    ]);
  });

  test("outside the issuing CA's constraints are reported with the command that makes another CA", async () => {
    const realm = await operator.realm();
    const before = await set(realm, "a.example.org", `b.${realm}.example`);
    expect(before.err).toContain(`does not permit a.example.org: \`issuer rotate --realm ${realm}\``);

    await operator.run(["issuer", "rotate", "--realm", realm]);
    expect((await set(realm, "a.example.org")).err).not.toContain("issuer rotate");
  });

  test.each([
    ["org"],
    ["*.example.org"],
    ["example.org", "EXAMPLE.org."],
    ["bücher.example"],
    ["192.0.2.1"],
    ["a.org", "A.org"],
    [""],
  ])("%j is refused", async (...domains) => {
    const { code, json } = await set(await operator.anyRealm(), ...domains);
    expect([code, json["error"]]).toEqual([2, "usage"]);
  });
});

test("the addresses of the RADIUS servers are set, shown, recorded and cleared", async () => {
  const realm = await operator.realm();
  const set = (...words: string[]) => operator.run(["realm", "set", "--realm", realm, ...words]);
  const after = { radiusAddresses: ["192.0.2.7", "2001:db8::/32"] };
  const words = ["--radius-address", "192.0.2.7", "--radius-address", "2001:db8::/32"];
  expect((await set(...words)).json).toMatchObject(after);
  expect((await set(...words, "--clear", "radius-address")).code).toBe(2);
  expect((await set("--radius-address", "radius.example.org")).code).toBe(2);
  expect((await operator.run(["realm", "list", "--realm", realm])).json).toMatchObject({ realms: [after] });
  expect((await set("--clear", "radius-address")).json).toMatchObject({ radiusAddresses: [] });
  const none = { radiusAddresses: [] };
  expect(await updatesOf(realm)).toEqual([
    { before: none, after },
    { before: after, after: none },
  ]);
});

test("server names, consortiums, help, reminders and key types are set, shown, recorded and cleared", async () => {
  const realm = await operator.realm();
  const set = (...words: string[]) => operator.run(["realm", "set", "--realm", realm, ...words]);
  const after = {
    radiusNames: ["radius-2.example.org", "radius-3.example.net"],
    rcois: ["5A03BA0000", "001BC50460"],
    helpMail: "help@example.org",
    helpPhone: "+49 (351) 463-0",
    reminderLead: 14,
    keyTypes: { Android: "rsa-2048", Linux: "rsa-3072" },
  };
  const words = [
    ...["--radius-name", "radius-2.example.org", "--radius-name", "radius-3.example.net"],
    ...["--rcoi", "5a03ba0000", "--rcoi", "001BC50460", "--help-mail", "help@example.org"],
    ...["--help-phone", "+49 (351) 463-0", "--reminder-lead", "14"],
    ...["--key-type", "Android=rsa-2048", "--key-type", "Linux=rsa-3072"],
  ];
  expect((await set(...words)).json).toMatchObject(after);
  expect((await operator.run(["realm", "list", "--realm", realm])).json).toMatchObject({ realms: [after] });
  const none = { radiusNames: [], rcois: [], helpMail: "", helpPhone: "", reminderLead: 0, keyTypes: {} };
  const cleared = [
    "--clear",
    "radius-name,rcoi,key-type",
    "--help-mail",
    "",
    "--help-phone",
    "",
    "--reminder-lead",
    "0",
  ];
  expect((await set(...cleared)).json).toMatchObject(none);
  expect(await updatesOf(realm)).toEqual([
    { before: none, after },
    { before: after, after: none },
  ]);
});

test.each([
  [["--radius-name", "radius"]],
  [["--radius-name", "a.example", "--radius-name", "A.example"]],
  [["--radius-name", "a.example", "--clear", "radius-name"]],
  [["--rcoi", "0x1BC50460"]],
  [["--rcoi", "001bc50460", "--rcoi", "001BC50460"]],
  [["--help-mail", "help@example.org, other@example.org"]],
  [["--help-phone", "ext. 7"]],
  [["--reminder-lead", "61"]],
  [["--key-type", "Phone=rsa-2048"]],
  [["--key-type", "Android=rsa-1024"]],
  [["--key-type", "Android"]],
  [["--key-type", "Android=rsa-2048", "--key-type", "Android=ec-p256"]],
])("%j is refused", async (words) => {
  const { code, json } = await operator.run(["realm", "set", "--realm", await operator.anyRealm(), ...words]);
  expect([code, json["error"]]).toEqual([2, "usage"]);
});

test("the names of all RADIUS servers together have at most 255 characters, however they are set", async () => {
  const realm = await operator.realm();
  const set = (...words: string[]) => operator.run(["realm", "set", "--realm", realm, ...words]);
  const named = (length: number): string => `${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(length - 122)}`;
  expect((await set("--radius-cn", "r.example", "--radius-name", named(180), "--radius-name", named(124))).code).toBe(
    2,
  );
  expect((await set("--radius-cn", named(124), "--radius-name", named(130))).json).toMatchObject({
    radiusNames: [named(130)],
  });
  const { code, json } = await set("--radius-cn", named(125));
  expect([code, json["error"]]).toEqual([2, "usage"]);
  expect((await operator.run(["realm", "list", "--realm", realm])).json).toMatchObject({
    realms: [{ radiusCN: named(124) }],
  });
});

test("the list of realms shows the line for eduroam CAT only for realms with the geteduroam apps", async () => {
  const [on, off] = [await operator.realm(), await operator.realm()];
  await operator.database.owner.query(sql`update realms set onboarding_apps = true where name = ${on}`);
  const { out } = await operator.runPlain(["realm", "list"]);
  expect(out).toMatch(new RegExp(`^${on}  .*\n  redirect field in eduroam CAT: .*/letswifi/${on}/#letswifi$`, "m"));
  expect(out).not.toContain(`/letswifi/${off}/`);
});

test("the time zone and the limits of guest managers are set, shown and recorded", async () => {
  const realm = await operator.realm();
  const set = (...words: string[]) => operator.run(["realm", "set", "--realm", realm, ...words]);
  const after = { timeZone: "Europe/Berlin", guestDaysMax: 3650, guestLimitMax: 1 };
  expect(
    (await set("--time-zone", "Europe/Berlin", "--guest-days-max", "3650", "--guest-limit-max", "1")).json,
  ).toMatchObject(after);
  expect((await operator.run(["realm", "list", "--realm", realm])).json).toMatchObject({ realms: [after] });
  expect(await updatesOf(realm)).toEqual([
    { before: { timeZone: "UTC", guestDaysMax: 90, guestLimitMax: 200 }, after },
  ]);
  for (const words of [
    ["--time-zone", "Berlin"],
    ["--guest-days-max", "0"],
    ["--guest-limit-max", "100001"],
    ["--radius-cn", "radius server"],
  ]) {
    expect((await set(...words)).code).toBe(2);
  }
});

test("a directory's additional attributes are set, shown, recorded and cleared; reserved attributes are refused", async () => {
  const realm = await operator.realm();
  const set = (...words: string[]) => operator.run(["realm", "set", "--realm", realm, ...words]);
  const department = "department=urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department";
  const given = await set("--scim-attribute", department, "--scim-attribute", "affiliation=roles");
  expect(given.json).toMatchObject({ scimAttributes: [department, "affiliation=roles"] });
  expect((await set("--clear", "scim-attribute")).json).toMatchObject({ scimAttributes: [] });
  expect(await updatesOf(realm)).toMatchObject([
    { before: { scimAttributes: [] }, after: { scimAttributes: [department, "affiliation=roles"] } },
    { after: { scimAttributes: [] } },
  ]);
  for (const path of ["active", "userName", "emails.value", "urn:example:2.0:User:active", "roles[0]", "a.b.c", ""]) {
    expect((await set("--scim-attribute", `claim=${path}`)).code, path).toBe(2);
  }
  expect((await set("--clear", "scim-attribute", "--scim-attribute", "affiliation=roles")).code).toBe(2);
});

test("the rule that matches a directory's people to sign-ins is set, shown and recorded, and cannot change once the directory has created people", async () => {
  const realm = await operator.realm();
  const set = (...words: string[]) => operator.run(["realm", "set", "--realm", realm, ...words]);
  const after = { scimPairwise: "userName", newPeople: "scim" };
  expect((await set("--scim-pairwise", "userName", "--new-people", "scim")).json).toMatchObject(after);
  expect((await operator.run(["realm", "list", "--realm", realm])).json).toMatchObject({ realms: [after] });
  const before = { scimPairwise: "externalId", newPeople: "sign-in" };
  expect(await updatesOf(realm)).toEqual([{ before, after }]);
  for (const words of [
    ["--scim-pairwise", "email"],
    ["--new-people", "nobody"],
  ]) {
    expect((await set(...words)).code).toBe(2);
  }

  await operator.database.owner.query(sql`
    with person as (
      insert into users (realm_id, pairwise_id, created_at)
      select id, 'ada', now() from realms where name = ${realm}
      returning id, realm_id
    )
    insert into scim_users (user_id, realm_id, user_name, active, created_at, updated_at)
    select id, realm_id, 'ada', true, now(), now() from person
  `);
  const refused = await set("--scim-pairwise", "externalId");
  expect([refused.code, refused.json["error"]]).toEqual([1, "pairwise_in_use"]);
  expect((await set("--scim-pairwise", "userName", "--new-people", "sign-in")).code).toBe(0);
});
