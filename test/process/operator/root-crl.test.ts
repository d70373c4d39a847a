import { readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { only } from "../../../db/client.ts";
import * as issuers from "../../../db/queries/realm/issuers.ts";
import * as rootCrls from "../../../db/queries/certificates/root-crls.ts";
import { sql } from "../../../db/sql.ts";
import type { Check } from "../../../operator/doctor/check.ts";
import { systemClock, type Clock } from "../../../runtime/clock.ts";
import { pem } from "../../../pki/pem.ts";
import { givenProcess } from "../../support/given/process.ts";
import { startListener } from "../../support/given/publication-server.ts";
import { readCrl } from "../../support/pki/crl.ts";
import { openssl } from "../../support/pki/openssl.ts";
import { useOperator } from "../../support/service/test-operator.ts";

const operator = useOperator();
const publication = "http://pki.example.org";
const published = { env: { REALMPASS_PUBLICATION_URL: publication } };

interface Root {
  realm: string;
  /** The options that name the root's files. */
  files: string[];
  certificate: string;
  key: string;
}

let sequence = 0;
async function givenRoot(options: Parameters<typeof operator.run>[1] = {}): Promise<Root> {
  const realm = `root-${(sequence += 1)}`;
  const { json } = await operator.run(["realm", "create", "--name", realm, "--domain", `${realm}.example`], options);
  const [key, certificate] = [String(json["rootKey"]), String(json["rootCertificate"])];
  return { realm, key, certificate, files: ["--root-key", key, "--root-certificate", certificate] };
}

interface Listed {
  issuerID: string;
  serialNumber: string;
  rootFingerprint: string;
}
const listed = async (realm: string) =>
  (await operator.run(["issuer", "list", "--realm", realm])).json["issuers"] as Listed[];
const newest = async (realm: string): Promise<Listed> => (await listed(realm))[0]!;

const crlOf = async (realm: string) =>
  rootCrls.find(operator.database.owner, (await newest(realm)).rootFingerprint).then((crl) => crl!);
const listedOn = async (realm: string): Promise<string[]> => [...readCrl((await crlOf(realm)).der).entries.keys()];

const certificateOf = async ({ issuerID }: Listed): Promise<string> => {
  const rows = await operator.database.owner.query<{ der: Buffer }>(
    sql`select certificate as der from issuers where id = ${issuerID}`,
  );
  return pem("CERTIFICATE", only(rows).der);
};
/** Returns OpenSSL's verdict on an issuing CA, given the CRL of its root. */
const verdict = async ({ realm, certificate }: Root, issuer: Listed): Promise<string> => {
  const { stdout, stderr } = openssl(
    ["verify", "-crl_check_all", "-CAfile", "root.pem", "-CRLfile", "crl.pem", "issuer.pem"],
    {
      "root.pem": readFileSync(certificate),
      "crl.pem": pem("X509 CRL", (await crlOf(realm)).der),
      "issuer.pem": await certificateOf(issuer),
    },
  );
  return stdout + stderr;
};

const signCrl = ({ realm, files }: Root, ...more: string[]) =>
  operator.run(["root", "sign-crl", "--realm", realm, ...files, ...more]);
const rotate = (realm: string, options?: Parameters<typeof operator.run>[1]) =>
  operator.run(["issuer", "rotate", "--realm", realm], options);

/** Removes the root's CRL, as in an installation whose root is older than CRLs of roots. */
const withoutCrl = async (realm: string) => {
  const { rootFingerprint } = await newest(realm);
  await operator.database.owner.query(
    sql`delete from root_crls where root_fingerprint = decode(${rootFingerprint}, 'hex')`,
  );
};

const later = (days: number): { clock: Clock } => ({
  clock: { now: () => new Date(systemClock.now().getTime() + days * 86_400_000) },
});

test("a new realm's root has a CRL, with which OpenSSL checks the whole chain", async () => {
  const root = await givenRoot();

  expect(await verdict(root, await newest(root.realm))).toBe("issuer.pem: OK\n");
  expect(await listedOn(root.realm)).toEqual([]);
});

test("an issuing CA contains the address of its root's CRL only if the publication address is known", async () => {
  const shown = async (issuer: Listed) =>
    openssl(["x509", "-in", "ca.pem", "-noout", "-text"], { "ca.pem": await certificateOf(issuer) }).stdout;
  const address = (issuer: Listed) => `URI:${publication}/crl/root-${issuer.rootFingerprint}.crl`;
  const known = await newest((await givenRoot(published)).realm);
  expect(await shown(known)).toContain(address(known));

  const { realm } = await givenRoot();
  expect(await shown(await newest(realm))).not.toContain("CRL Distribution Points");
  await rotate(realm, published);
  const next = await newest(realm);
  expect(await shown(next)).toContain(address(next));
});

test.each([
  ["issuer rotate", ["issuer", "rotate"]],
  ["issuer rotate --prepare", ["issuer", "rotate", "--prepare"]],
  ["root sign-crl", ["root", "sign-crl"]],
])("%s signs the next CRL, or the first CRL of a root without a CRL", async (_, argv) => {
  const [root, older] = [await givenRoot(), await givenRoot()];
  const run = (realm: string) => operator.run([...argv, "--realm", realm]);
  const { number } = await crlOf(root.realm);
  expect((await run(root.realm)).code).toBe(0);
  expect(Number((await crlOf(root.realm)).number)).toBeGreaterThan(Number(number));

  await withoutCrl(older.realm);
  expect((await run(older.realm)).code).toBe(0);
  for (const each of [root, older]) expect(await verdict(each, await newest(each.realm))).toBe("issuer.pem: OK\n");
});

test("an issuing CA that its root revokes is refused, and stays refused after the next CRLs", async () => {
  const root = await givenRoot();
  const first = await newest(root.realm);
  await rotate(root.realm);
  const second = await newest(root.realm);
  expect(await verdict(root, first)).toBe("issuer.pem: OK\n");

  const { code, json } = await signCrl(root, "--revoke", `0x${BigInt(first.serialNumber).toString(16)}`);
  expect([code, json["revoked"]]).toEqual([0, [first.serialNumber]]);
  for (const renew of [() => signCrl(root), () => rotate(root.realm)]) {
    expect(await verdict(root, first)).toContain("certificate revoked");
    expect(await verdict(root, second)).toBe("issuer.pem: OK\n");
    expect((await renew()).code).toBe(0);
  }
  expect(await listedOn(root.realm)).toEqual([first.serialNumber]);
  expect((await operator.auditEvents(root.realm)).filter((event) => event === "root_crl_publish")).toHaveLength(2);
});

test("the issuing CAs in use cannot be revoked; an unknown serial number can, with a message that names it; another root's files are refused", async () => {
  const root = await givenRoot();
  const { realm } = root;
  await operator.run(["issuer", "rotate", "--prepare", "--realm", realm]);
  const before = await crlOf(realm);
  for (const { serialNumber } of await listed(realm)) {
    const refused = await signCrl(root, "--revoke", serialNumber);
    expect([refused.code, refused.json["error"]]).toEqual([1, "issuer_in_use"]);
  }
  expect(await crlOf(realm)).toEqual(before);

  const unknown = await signCrl(root, "--revoke", "4711");
  expect(unknown.code).toBe(0);
  expect(unknown.err).toContain("4711 is not an issuing CA of this realm");
  expect(await listedOn(realm)).toEqual(["4711"]);

  const other = await givenRoot();
  const wrong = await operator.run(["root", "sign-crl", "--realm", realm, ...other.files]);
  expect([wrong.code, wrong.json["error"]]).toEqual([1, "root_unusable"]);
  expect(await listedOn(other.realm)).toEqual([]);
});

test("after a new root, the old and the new root's CRLs are renewed, each with its root's files", async () => {
  const old = await givenRoot();
  const before = await newest(old.realm);
  await operator.run(["issuer", "create", "--new-root", "--realm", old.realm]);
  const next = await newest(old.realm);
  expect(next.rootFingerprint).not.toBe(before.rootFingerprint);

  const ambiguous = await operator.run(["root", "sign-crl", "--realm", old.realm]);
  expect([ambiguous.code, ambiguous.json["error"]]).toEqual([2, "usage"]);
  const renewed = await signCrl(old);
  expect([renewed.code, renewed.json["rootFingerprint"]]).toEqual([0, before.rootFingerprint]);
  const stem = join(dirname(old.key), `${old.realm}-root-${next.rootFingerprint.slice(0, 16)}`);
  const files = ["--root-key", `${stem}.key.json`, "--root-certificate", `${stem}.crt.pem`];
  const ofNew = await signCrl({ ...old, files });
  expect([ofNew.code, ofNew.json["rootFingerprint"]]).toEqual([0, next.rootFingerprint]);
});

test("without the root's files the command names the options for them and changes nothing", async () => {
  const { realm, key } = await givenRoot();
  const before = await crlOf(realm);
  renameSync(key, `${key}.away`);
  const { code, json, err } = await operator.run(["root", "sign-crl", "--realm", realm]);
  expect([code, json["error"]]).toEqual([1, "no_root"]);
  expect(err).toContain("--root-key FILE");
  expect(await crlOf(realm)).toEqual(before);
});

test("each of several simultaneous commands keeps the revocations of the other commands, or changes nothing", async () => {
  const root = await givenRoot();
  const serials = ["101", "102", "103", "104"];
  const ran = await Promise.all(serials.map((serial) => signCrl(root, "--revoke", serial)));
  const done = serials.filter((_, index) => ran[index]?.code === 0);

  expect(done.length).toBeGreaterThan(0);
  for (const { code, json } of ran) if (code !== 0) expect(json["error"]).toBe("root_crl_changed");
  expect((await listedOn(root.realm)).sort()).toEqual(done);
});

test("the doctor warns if a root's CRL is missing or ends within 60 days; a missing or expired CRL is a failure only if a CA names its address", async () => {
  const check = async (realm: string, options?: Parameters<typeof operator.run>[1]) => {
    const { json } = await operator.run(["doctor", "--realm", realm], options);
    return (json["checks"] as Check[]).find(({ name }) => name.startsWith(`root-crl ${realm} `));
  };
  const { realm } = await givenRoot();
  const { realm: named } = await givenRoot(published);

  for (const each of [realm, named]) {
    expect(await check(each, later(304))).toMatchObject({ status: "ok" });
    expect(await check(each, later(306))).toMatchObject({ status: "warn" });
  }
  expect(await check(realm, later(366))).toMatchObject({ status: "warn" });
  expect(await check(named, later(366))).toMatchObject({ status: "fail" });
  for (const each of [realm, named]) await withoutCrl(each);
  const missing = await check(realm);
  expect(missing).toMatchObject({ status: "warn", ok: true });
  expect(missing?.remedy).toContain(`root sign-crl --realm ${realm}`);
  expect(await check(named)).toMatchObject({ status: "fail" });
});

test("if a CA names the address of the root's CRL, the doctor fetches that CRL, and fails if the address has another CRL or no CRL", async () => {
  const { realm, ...root } = await givenRoot(published);
  const { realm: unnamed } = await givenRoot();
  await givenProcess(operator.database.owner, { kind: "api" });
  let answer: { status: number; body: Buffer };
  const url = await startListener((request, response) => {
    const [, issuerId = ""] = /^\/ca\/(\d+)\.cer$/.exec(request.url ?? "") ?? [];
    void issuers.listByIds(operator.database.owner, [issuerId || "0"]).then(([issuer]) => {
      const isRoots = request.url?.startsWith("/crl/root-") === true;
      response.writeHead(isRoots ? answer.status : 200).end(isRoots ? answer.body : (issuer?.certificate ?? "crl"));
    });
  });
  const check = async (of: string, options: Parameters<typeof operator.run>[1] = {}) => {
    const env = { REALMPASS_PUBLICATION_URL: url };
    const { json } = await operator.run(["doctor", "--realm", of], { ...options, env });
    return (json["checks"] as Check[]).find(({ name }) => name === "publication");
  };
  const before = (await crlOf(realm)).der;
  answer = { status: 200, body: before };
  expect(await check(realm)).toMatchObject({ status: "ok" });

  expect((await signCrl({ realm, ...root })).code).toBe(0);
  expect(await check(realm)).toMatchObject({ status: "ok" });
  const stale = await check(realm, later(1));
  expect(stale).toMatchObject({ status: "fail" });
  expect(stale?.message).toContain(".crl: is not the root's current CRL");
  answer = { status: 404, body: Buffer.alloc(0) };
  expect((await check(realm))?.message).toContain(".crl: status 404");
  expect(await check(unnamed)).toMatchObject({ status: "ok" });
});

test("a root that two realms share has one CRL, which keeps the revocations of both realms", async () => {
  const root = await givenRoot();
  const { realm: other } = await givenRoot();
  await operator.database.owner.query(sql`
    with gone as (
      delete from issuer_keys
       where issuer_id in (select i.id from issuers i join realms r on r.id = i.realm_id where r.name = ${other})
      returning issuer_id)
    delete from issuers where id in (select issuer_id from gone)
  `);
  expect((await signCrl(root, "--revoke", "101")).code).toBe(0);

  expect((await operator.run(["issuer", "create", "--realm", other, ...root.files])).code).toBe(0);
  expect((await signCrl({ ...root, realm: other }, "--revoke", "102")).code).toBe(0);
  expect(await listedOn(root.realm)).toEqual(["101", "102"]);
  expect(await verdict({ ...root, realm: other }, await newest(other))).toBe("issuer.pem: OK\n");
});
