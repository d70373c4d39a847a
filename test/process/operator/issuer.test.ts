import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { only } from "../../../db/client.ts";
import { sql } from "../../../db/sql.ts";
import { openssl } from "../../support/pki/openssl.ts";
import { useOperator } from "../../support/service/test-operator.ts";

const operator = useOperator();

const rootOf = async (): Promise<{ realm: string; key: string; certificate: string }> => {
  const realm = `r${Math.random().toString(36).slice(2, 10)}`;
  const { json } = await operator.run(["realm", "create", "--name", realm, "--domain", `${realm}.example`]);
  return { realm, key: String(json["rootKey"]), certificate: String(json["rootCertificate"]) };
};

const listed = async (realm: string): Promise<Record<string, unknown>[]> =>
  (await operator.run(["issuer", "list", "--realm", realm])).json["issuers"] as Record<string, unknown>[];

/** Publishes a CRL of an issuer, as a worker does; the CRL ends `endsInHours` hours from now. */
const publishCrl = (issuerId: unknown, { endsInHours = 48 } = {}) =>
  operator.database.owner.query(sql`
    insert into crls (issuer_id, number, this_update, next_update, entries, size, tag, head, pieces, tail, last_piece)
    values (${String(issuerId)}, 1, now() - interval '1 day', now() + make_interval(hours => ${endsInHours}), 0, 10, 'tag', '', '{}', '', 0)
    on conflict (issuer_id) do update set number = crls.number + 1, next_update = excluded.next_update
  `);

test("after a rotation the new issuer issues under the same root, and the earlier issuer stays listed", async () => {
  const { realm, certificate } = await rootOf();
  const [first] = await listed(realm);

  const rotated = await operator.run(["issuer", "rotate", "--realm", realm]);

  expect(rotated.code).toBe(0);
  expect(await listed(realm)).toEqual([rotated.json, { ...first, issuing: false }]);
  expect(rotated.json).toMatchObject({ issuing: true, rootFingerprint: first?.["rootFingerprint"] });
  expect(await operator.auditEvents(realm)).toEqual(["realm_create", "issuer_create", "issuer_rotate"]);

  const { der } = only(
    await operator.database.owner.query<{ der: Buffer }>(
      sql`select certificate as der from issuers where id = ${rotated.json["issuerID"]}`,
    ),
  );
  const pem = openssl(["x509", "-inform", "der", "-in", "i.der"], { "i.der": der }).stdout;
  const verified = openssl(["verify", "-CAfile", "root.pem", "i.pem"], {
    "root.pem": readFileSync(certificate),
    "i.pem": pem,
  });
  expect(verified.stdout).toContain("OK");
});

test("a prepared issuer is listed beside the current issuer, and issues after the next rotation, which does not need the root", async () => {
  const { realm, key } = await rootOf();
  const [first] = await listed(realm);

  const prepared = await operator.run(["issuer", "rotate", "--prepare", "--realm", realm]);

  expect(prepared.code).toBe(0);
  expect(prepared.json).toMatchObject({ issuing: false, prepared: true });
  expect(await listed(realm)).toEqual([prepared.json, first]);
  const { out } = await operator.runPlain(["issuer", "list", "--realm", realm]);
  expect(out.split("\n").map((line) => line.split(/ +/).slice(0, 2))).toEqual([
    ["prepared", prepared.json["issuerID"]],
    ["issuing", first?.["issuerID"]],
    [""],
  ]);

  rmSync(key);
  await publishCrl(prepared.json["issuerID"]);
  const rotated = await operator.run(["issuer", "rotate", "--realm", realm]);

  expect(rotated.json).toEqual({ ...prepared.json, issuing: true, prepared: false });
  expect(await listed(realm)).toEqual([rotated.json, { ...first, issuing: false, prepared: false }]);
  expect(await operator.auditEvents(realm)).toEqual([
    "realm_create",
    "issuer_create",
    "issuer_prepare",
    "issuer_rotate",
  ]);
});

test("there is at most one prepared issuer, and the next rotation uses it without the root", async () => {
  const { realm, key, certificate } = await rootOf();
  const prepare = () => operator.run(["issuer", "rotate", "--prepare", "--realm", realm]);
  const together = await Promise.all([prepare(), prepare(), prepare()]);
  expect(together.map(({ code }) => code).sort()).toEqual([0, 1, 1]);

  const again = await prepare();
  expect([again.code, again.json["error"]]).toEqual([1, "issuer_prepared"]);
  const root = ["--root-key", key, "--root-certificate", certificate];
  const withRoot = await operator.run(["issuer", "rotate", "--realm", realm, ...root]);
  expect([withRoot.code, withRoot.json["error"]]).toEqual([2, "usage"]);

  const rotate = () => operator.run(["issuer", "rotate", "--realm", realm]);
  await publishCrl((await listed(realm))[0]?.["issuerID"]);
  await rotate();
  const issuers = await listed(realm);
  expect(issuers).toHaveLength(2);
  expect(issuers.map(({ issuing }) => issuing)).toEqual([true, false]);
});

test("a prepared issuer does not issue until RADIUS servers have a valid CRL of it", async () => {
  const { realm } = await rootOf();
  const { json: prepared } = await operator.run(["issuer", "rotate", "--prepare", "--realm", realm]);
  const rotate = () => operator.run(["issuer", "rotate", "--realm", realm]);

  const missing = await rotate();
  expect([missing.code, missing.json["error"]]).toEqual([1, "crl_missing"]);
  expect(missing.err).toContain("no CRL yet");
  await publishCrl(prepared["issuerID"], { endsInHours: -1 });
  expect((await rotate()).err).toContain("a CRL that has ended");
  expect((await listed(realm)).map(({ issuing }) => issuing)).toEqual([false, true]);

  await publishCrl(prepared["issuerID"]);
  expect((await rotate()).json).toMatchObject({ issuerID: prepared["issuerID"], issuing: true });
});

test("an expired prepared issuer is ignored; the next rotation makes another", async () => {
  const { realm } = await rootOf();
  const { json } = await operator.run(["issuer", "rotate", "--prepare", "--realm", realm]);
  await operator.database.owner.query(sql`
    update issuers set not_before = now() - interval '2 days', not_after = now() - interval '1 day'
     where id = ${json["issuerID"] as string}
  `);

  const rotated = await operator.run(["issuer", "rotate", "--realm", realm]);

  expect(rotated.code).toBe(0);
  expect(rotated.json["issuerID"]).not.toBe(json["issuerID"]);
  expect((await listed(realm)).map(({ issuing, prepared }) => [issuing, prepared])).toEqual([
    [true, false],
    [false, false],
    [false, false],
  ]);
});

test("simultaneous rotations leave exactly one issuer issuing", async () => {
  const { realm } = await rootOf();

  const rotations = await Promise.all([1, 2, 3].map(() => operator.run(["issuer", "rotate", "--realm", realm])));

  expect(rotations.map(({ code }) => code)).toEqual([0, 0, 0]);
  const issuers = await listed(realm);
  expect(issuers).toHaveLength(4);
  expect(issuers.filter(({ issuing }) => issuing)).toHaveLength(1);
});

test("the command uses a root kept offline if its options name the root's files", async () => {
  const { realm, key, certificate } = await rootOf();
  const offline = join(dirname(key), "..", `offline-${realm}`);
  mkdirSync(offline);
  const moved = { key: join(offline, "key"), certificate: join(offline, "certificate") };
  renameSync(key, moved.key);
  renameSync(certificate, moved.certificate);

  const without = await operator.run(["issuer", "rotate", "--realm", realm]);
  const half = await operator.run(["issuer", "rotate", "--realm", realm, "--root-key", moved.key]);
  const named = await operator.run([
    "issuer",
    "rotate",
    "--realm",
    realm,
    "--root-key",
    moved.key,
    "--root-certificate",
    moved.certificate,
  ]);

  expect([without.code, without.json["error"]]).toEqual([1, "no_root"]);
  expect(without.err).toContain("--root-key");
  expect(half.code).toBe(2);
  expect(named.code).toBe(0);
});

test("`issuer create` makes only a realm's first issuer, from its root, and `issuer rotate` only later issuers", async () => {
  const { realm } = await rootOf();
  const second = await operator.run(["issuer", "create", "--realm", realm]);
  await operator.database.owner.query(sql`
    delete from issuers where realm_id = (select id from realms where name = ${realm})
  `);

  const rotate = await operator.run(["issuer", "rotate", "--realm", realm]);
  const create = await operator.run(["issuer", "create", "--realm", realm]);

  expect([second.code, second.json["error"]]).toEqual([1, "issuer_exists"]);
  expect([rotate.code, rotate.json["error"]]).toEqual([1, "no_issuer"]);
  expect(create.code).toBe(0);
  expect(await listed(realm)).toEqual([create.json]);
});

test("unusable roots are refused with an explanation", async () => {
  const { realm, key, certificate } = await rootOf();
  const other = await rootOf();
  const rotate = (rootKey: string, rootCertificate: string, env = {}) =>
    operator.run(["issuer", "rotate", "--realm", realm, "--root-key", rootKey, "--root-certificate", rootCertificate], {
      env,
    });

  const answers = {
    "another realm's root": await rotate(other.key, other.certificate),
    "another key": await rotate(other.key, certificate),
    "no key file": await rotate("/nonexistent/key", certificate),
    "no key in it": await rotate(certificate, certificate),
    "no certificate in it": await rotate(key, key),
    "another passphrase": await rotate(key, certificate, { REALMPASS_ISSUER_KEY_PASSPHRASE: "not the passphrase" }),
  };

  for (const [name, { code, json, err }] of Object.entries(answers)) {
    expect([name, code], err).toEqual([name, 1]);
    expect(json["error"]).toBe(name === "another passphrase" ? "wrong_passphrase" : "root_unusable");
    expect(err).not.toContain("    at ");
  }
  expect(await listed(realm)).toHaveLength(1);
});

test("leftovers of an interrupted run in the ceremony directory do not hinder later commands", async () => {
  const { realm, key, certificate } = await rootOf();
  const other = await rootOf();
  const leftover = join(dirname(key), `${realm}-root-0123456789abcdef`);
  copyFileSync(other.key, `${leftover}.key.json`);
  copyFileSync(other.certificate, `${leftover}.crt.pem`);

  expect((await operator.run(["issuer", "rotate", "--realm", realm])).code).toBe(0);

  await operator.database.owner.query(sql`
    delete from issuers where realm_id = (select id from realms where name = ${realm})
  `);
  const ambiguous = await operator.run(["issuer", "create", "--realm", realm]);
  expect(ambiguous.code).toBe(2);
  expect(ambiguous.err).toContain("--root-key");
  rmSync(`${leftover}.key.json`);
  expect((await operator.run(["issuer", "create", "--realm", realm])).json).toMatchObject({ issuing: true });
  expect(readFileSync(certificate, "utf8")).toContain("BEGIN CERTIFICATE");
});

describe("the constraints of an issuing CA", () => {
  const rotate = (realm: string, ...options: string[]) =>
    operator.run(["issuer", "rotate", "--realm", realm, ...options]);

  test("are the realm's domains when the CA is created, and not critical unless requested", async () => {
    const { realm } = await rootOf();
    const domain = `${realm}.example`;
    expect((await listed(realm))[0]).toMatchObject({
      constraints: { nameConstraints: "plain", permittedDomains: [domain] },
    });

    await operator.run(["realm", "set", "--realm", realm, "--infrastructure-domain", "example.org"]);
    const both = [domain, "example.org"];
    expect((await rotate(realm)).json).toMatchObject({
      constraints: { nameConstraints: "plain", permittedDomains: both },
    });
    expect((await rotate(realm, "--name-constraints", "critical")).json).toMatchObject({
      constraints: { nameConstraints: "critical", permittedDomains: both },
    });
    expect((await rotate(realm, "--name-constraints", "none")).json).toMatchObject({
      constraints: { nameConstraints: "none", permittedDomains: null },
    });
    const { out } = await operator.runPlain(["issuer", "list", "--realm", realm]);
    expect(
      out
        .trim()
        .split("\n")
        .map((line) => line.split("  ").at(-1)),
    ).toEqual([
      "no name constraints",
      `critical name constraints: ${domain}, example.org`,
      `plain name constraints: ${domain}, example.org`,
      `plain name constraints: ${domain}`,
    ]);
    const entries = await operator.database.owner.query<{ constraints: object }>(sql`
      select properties -> 'constraints' as constraints
        from audit_entries a
        join realms r on r.id = a.realm_id
       where r.name = ${realm}
         and event like 'issuer_%'
       order by a.id desc
    `);
    expect(entries.map(({ constraints }) => constraints)).toEqual(
      (await listed(realm)).map((issuer) => issuer["constraints"]),
    );
  });

  test("can be chosen with the realm, and are in a prepared issuer's certificate", async () => {
    const realm = `r${Math.random().toString(36).slice(2, 10)}`;
    const create = ["realm", "create", "--name", realm, "--domain", `${realm}.example`, "--name-constraints"];
    const nonsense = await operator.run([...create, "soft"]);
    expect([nonsense.code, nonsense.json["error"]]).toEqual([2, "usage"]);
    expect((await operator.run([...create, "none"])).json).toMatchObject({
      issuer: { constraints: { nameConstraints: "none" } },
    });

    const prepared = await rotate(realm, "--prepare", "--name-constraints", "critical");
    expect(prepared.json).toMatchObject({ prepared: true, constraints: { nameConstraints: "critical" } });
    const { der } = only(
      await operator.database.owner.query<{ der: Buffer }>(
        sql`select certificate as der from issuers where id = ${prepared.json["issuerID"]}`,
      ),
    );
    const shown = openssl(["x509", "-inform", "der", "-in", "i.der", "-noout", "-ext", "nameConstraints"], {
      "i.der": der,
    });
    expect(shown.stdout).toMatch(new RegExp(`X509v3 Name Constraints: critical[^]*DNS:${realm}\\.example`));
    const late = await rotate(realm, "--name-constraints", "plain");
    expect([late.code, late.json["error"]]).toEqual([2, "usage"]);
  });
});
