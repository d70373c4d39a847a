import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sql, type Sql } from "../../../db/sql.ts";
import { generateAuditKey } from "../../../runtime/keys/audit-key.ts";
import { useApi } from "../../support/service/api.ts";
import { insertEntries, sealEntries } from "../../support/given/audit-chain.ts";
import { extent } from "../../support/run/extent.ts";
import { describeWithTool, requireTool } from "../../support/run/tools.ts";
import { useOperator, type Ran } from "../../support/service/test-operator.ts";

const api = useApi();
const operator = useOperator(api.database);

interface Chain {
  realm: number;
  entries: number;
  unsealed: number;
  position: number;
  faultCount: number;
  faults: { kind: string; position: number | null; id: string | null; message: string }[];
}

const chainOf = ({ json }: Ran): Chain => (json["chains"] as Chain[])[0]!;

/** Returns the faults, with their positions. */
const faultsOf = (ran: Ran): string[] => chainOf(ran).faults.map(({ kind, position }) => `${kind} ${position}`);

/** Seals the unsealed entries in slices; each slice ends with a signed head. */
const seal = (key = operator.data.find("auditKey")!, slice = 200): Promise<void> =>
  sealEntries(api.database, { key, slice });

/** Runs statements as the owner of the whole database, without triggers. */
const tamper = (...statements: readonly Sql[]): Promise<void> =>
  api.database.owner.transaction(async (tx) => {
    await tx.query(sql`set local session_replication_role = replica`);
    for (const statement of statements) await tx.query(statement);
  });

const file = (name: string): string => join(operator.data.path, name);

/** Makes a realm with sealed entries, and the copy kept elsewhere: a file with the output of `audit head`. */
async function givenChain(
  count: number,
  { slice }: { slice?: number } = {},
): Promise<{ realmId: string; name: string; kept: string }> {
  const realmId = await api.given.realm();
  const [realm] = await api.database.owner.query<{ name: string }>(sql`select name from realms where id = ${realmId}`);
  const name = realm?.name ?? "";
  await insertEntries(api.database, realmId, count);
  await seal(undefined, slice);
  const kept = file(`${name}-head.json`);
  writeFileSync(kept, (await operator.run(["audit", "head", "--realm", name])).out);
  return { realmId, name, kept };
}

/** Exports the realm's audit log through the API to a file; returns the file's path. */
async function exportOf(realmId: string): Promise<string> {
  const { status, text } = await api.as.service({ realmId }).get("/api/audit/export");
  expect(status).toBe(200);
  const path = file(`${realmId}.ndjson`);
  writeFileSync(path, text);
  return path;
}

const verifyExport = (path: string, kept: string): Promise<Ran> =>
  operator.run(["audit", "verify", "--export", path, "--public-key", kept, "--head", kept], {
    // An export is checked without a database, and without the service's key.
    env: { DATABASE_URL: "", REALMPASS_AUDIT_KEY: generateAuditKey() },
  });

const entryAt = (realmId: string, position: number): Sql =>
  sql`(select entry_id from audit_seals where realm_id = ${realmId} and position = ${position})`;

describe("an export, a public key and a head kept elsewhere", () => {
  const many = 3_000;
  let realmId: string;
  let kept: string;
  let saved: Sql;

  beforeAll(async () => {
    ({ realmId, kept } = await givenChain(many));
    await api.database.owner.query(sql`create table saved_entries as select * from audit_entries`);
    saved = sql`saved_entries`;
  });

  /** Tampers with the log, checks an export of it, and undoes the change. */
  async function found(tampering: readonly Sql[], undoing: readonly Sql[]): Promise<Ran> {
    await tamper(...tampering);
    const path = await exportOf(realmId);
    await tamper(...undoing);
    return verifyExport(path, kept);
  }

  const restored = (position: number): Sql => sql`
    update audit_entries e
       set (at, event, user_id, client_id, properties) = (s.at, s.event, s.user_id, s.client_id, s.properties)
      from ${saved} s
     where s.id = e.id
       and e.id = ${entryAt(realmId, position)}
  `;

  test("find nothing wrong with an untouched log", async () => {
    const ran = await verifyExport(await exportOf(realmId), kept);
    expect(ran.code).toBe(0);
    expect(ran.json).toMatchObject({ ok: true });
    expect(chainOf(ran)).toMatchObject({ realm: Number(realmId), entries: many, position: many, faults: [] });
    expect(chainOf(ran).unsealed).toBeGreaterThan(0);
  });

  test.each<[field: string, set: Sql]>([
    ["event", sql`event = 'user_create'`],
    ["date, by a microsecond", sql`at = at + interval '1 microsecond'`],
    ["date, by a year", sql`at = at - interval '1 year'`],
    ["actor", sql`user_id = 99`],
    ["property", sql`properties = jsonb_set(properties, '{after,locked}', 'null')`],
  ])("find a changed %s", async (_, set) => {
    const target = 1_321;
    const ran = await found(
      [sql`update audit_entries set ${set} where id = ${entryAt(realmId, target)}`],
      [restored(target)],
    );

    expect(ran.code).toBe(1);
    expect(ran.json["ok"]).toBe(false);
    expect(faultsOf(ran)[0]).toBe(`entry_changed ${target}`);
    expect(chainOf(ran).faults.map(({ position }) => position)).not.toContain(target + 1);
    const { id } = chainOf(ran).faults[0]!;
    expect(chainOf(ran).faults[0]?.message).toContain(`Entry ${id} at position ${target}`);
  });

  test("find a deleted entry", async () => {
    const target = 345;
    const ran = await found(
      [sql`delete from audit_entries where id = ${entryAt(realmId, target)}`],
      [
        sql`insert into audit_entries overriding system value
            select * from ${saved} where id = ${entryAt(realmId, target)}`,
      ],
    );
    expect(ran.code).toBe(1);
    expect(faultsOf(ran)).toEqual([`entry_missing ${target}`]);
  });

  test("find two swapped entries", async () => {
    const [one, other] = [1_000, 2_001];
    const swap = (a: number, b: number): Sql => sql`
      update audit_entries e
         set (at, event, user_id, client_id, properties) = (s.at, s.event, s.user_id, s.client_id, s.properties)
        from ${saved} s
       where e.id = ${entryAt(realmId, a)}
         and s.id = ${entryAt(realmId, b)}
    `;
    const ran = await found([swap(one, other), swap(other, one)], [restored(one), restored(other)]);
    expect(ran.code).toBe(1);
    expect(faultsOf(ran)).toEqual([`entry_changed ${one}`, `entry_changed ${other}`]);
  });

  test("find an entry added later with an earlier date", async () => {
    await api.database.owner.query(sql`
      insert into audit_entries (realm_id, at, event, properties)
      select ${realmId}, at - interval '1 hour', 'user_lock', '{}' from ${saved} where id = ${entryAt(realmId, many)}
    `);
    await seal();

    const ran = await verifyExport(await exportOf(realmId), kept);

    expect(ran.code).toBe(1);
    expect(chainOf(ran).faults.map(({ kind }) => kind)).toEqual(["entry_backdated"]);
    expect(chainOf(ran).faults[0]?.position).toBeGreaterThan(many);
  });
});

const many = extent(100_000);

test(`one change among ${many} entries is found`, async () => {
  const changed = Math.floor(many * 0.54321);
  const { realmId, kept } = await givenChain(many, { slice: 2_000 });
  await tamper(sql`update audit_entries set event = 'user_create' where id = ${entryAt(realmId, changed)}`);
  const path = await exportOf(realmId);

  const ran = await verifyExport(path, kept);

  expect(ran.code).toBe(1);
  expect(chainOf(ran)).toMatchObject({ entries: many, position: many });
  expect(faultsOf(ran)).toEqual([`entry_changed ${changed}`]);
});

describe("in the database", () => {
  const count = 500;
  let realmId: string;
  let name: string;
  let kept: string;
  beforeEach(async () => {
    ({ realmId, name, kept } = await givenChain(count));
  });
  afterEach(async () => {
    // Discards waiting entries: sealing stops at a broken chain, which would fail the following tests.
    await tamper(sql`delete from audit_unsealed where realm_id = ${realmId}`);
  });

  const verify = (...more: readonly string[]): Promise<Ran> =>
    operator.run(["audit", "verify", "--realm", name, ...more]);

  test("an untouched log has no fault, and waiting entries are counted", async () => {
    await insertEntries(api.database, realmId, 3);
    const ran = await verify("--head", kept, "--public-key", kept);
    expect(ran.code).toBe(0);
    expect(ran.json).toMatchObject({
      ok: true,
      chains: [{ entries: count, unsealed: 3, position: count, faults: [] }],
    });
    expect((await operator.runPlain(["audit", "verify", "--realm", name])).out).toBe(
      `realm ${realmId}: ${count} sealed, 3 waiting to be sealed; nothing is wrong.\n`,
    );
  });

  test.each<[what: string, statements: (at: Sql) => Sql[], faults: string[]]>([
    ["a change", (at) => [sql`update audit_entries set event = 'user_create' where id = ${at}`], ["entry_changed 250"]],
    ["a deletion", (at) => [sql`delete from audit_entries where id = ${at}`], ["entry_missing 250"]],
    [
      "a deletion with its place",
      (at) => [
        sql`delete from audit_entries where id = ${at}`,
        sql`delete from audit_seals where realm_id = ${realmId} and position = 250`,
      ],
      ["entry_missing 250"],
    ],
    [
      "a change with its hash",
      () => [sql`update audit_seals set hash = sha256('x') where realm_id = ${realmId} and position = 250`],
      ["entry_changed 250", "entry_changed 251"],
    ],
    [
      "an insertion past the trigger",
      () => [
        sql`insert into audit_entries (realm_id, at, event, properties) values (${realmId}, now(), 'user_lock', '{}')`,
      ],
      ["entry_inserted null"],
    ],
    [
      "a deletion before it was sealed",
      () => [sql`insert into audit_unsealed values (${realmId}, 9223372036854775807)`],
      ["entry_missing null"],
    ],
    [
      "an insertion at the end, with a place",
      () => [
        sql`insert into audit_entries (realm_id, at, event, properties) values (${realmId}, now(), 'user_lock', '{}')`,
        sql`insert into audit_seals (realm_id, position, entry_id, hash)
            select ${realmId}, 501, max(id), sha256('x') from audit_entries`,
      ],
      ["entry_changed 501", "head_missing 501"],
    ],
    [
      "a head with another signature",
      () => [sql`update audit_heads set signature = 'x.y.z' where realm_id = ${realmId} and position = 200`],
      ["head_forged 200"],
    ],
    [
      "a head of another place",
      () => [
        sql`update audit_heads h set signature = o.signature from audit_heads o
             where h.realm_id = ${realmId} and h.position = 400 and o.realm_id = h.realm_id and o.position = 200`,
      ],
      ["head_forged 400"],
    ],
    [
      "heads that are gone",
      () => [sql`delete from audit_heads where realm_id = ${realmId} and position = 200`],
      ["head_missing 200"],
    ],
    ["no heads at all", () => [sql`delete from audit_heads where realm_id = ${realmId}`], ["head_missing 1"]],
  ])("%s is found", async (_, statements, faults) => {
    await tamper(...statements(entryAt(realmId, 250)));
    const ran = await verify();
    expect(ran.code).toBe(1);
    expect(faultsOf(ran)).toEqual(faults);
  });

  const cutOff = (): Sql[] => [
    sql`delete from audit_entries where id in (select entry_id from audit_seals where realm_id = ${realmId} and position > 400)`,
    sql`delete from audit_seals where realm_id = ${realmId} and position > 400`,
    sql`delete from audit_heads where realm_id = ${realmId} and position > 400`,
  ];

  test("a cut-off tail is found with the kept head, in the database and in an export", async () => {
    await tamper(...cutOff());
    expect(faultsOf(await verify("--head", kept))).toEqual(["chain_truncated 400"]);
    expect(faultsOf(await verifyExport(await exportOf(realmId), kept))).toEqual(["chain_truncated 400"]);
  });

  test("a tail that was cut off and grew again is found with the kept head", async () => {
    await tamper(...cutOff());
    await insertEntries(api.database, realmId, 150);
    await seal();
    expect(faultsOf(await verify())).toEqual([]);
    expect(faultsOf(await verify("--head", kept))[0]).toBe("chain_rewritten 500");
    expect(faultsOf(await verifyExport(await exportOf(realmId), kept))[0]).toBe("chain_rewritten 500");
  });

  const unsealAll = (): Sql[] => [
    sql`update audit_entries set event = 'user_create' where id = ${entryAt(realmId, 10)}`,
    sql`delete from audit_seals where realm_id = ${realmId}`,
    sql`delete from audit_heads where realm_id = ${realmId}`,
    sql`insert into audit_unsealed select realm_id, id from audit_entries where realm_id = ${realmId}`,
  ];

  test("a log resealed by the service's own worker is reported as rewritten when it is verified with the kept head", async () => {
    await tamper(...unsealAll());
    await seal();
    expect(faultsOf(await verify("--head", kept))).toEqual(["chain_rewritten 500"]);
    expect(faultsOf(await verifyExport(await exportOf(realmId), kept))).toEqual(["chain_rewritten 500"]);
  });

  test("a log resealed with another key is found", async () => {
    const forger = generateAuditKey();
    await tamper(...unsealAll());
    await seal(forger);

    expect(faultsOf(await verify())).toEqual(["head_forged 200", "head_forged 400", "head_forged 500"]);
    expect(faultsOf(await verifyExport(await exportOf(realmId), kept))).toEqual([
      "chain_rewritten 500",
      "head_forged null",
      "head_missing 1",
    ]);
    const shown = await operator.run(["audit", "head", "--realm", name]);
    expect([shown.code, shown.json["error"]]).toEqual([1, "head_forged"]);
  });

  test("an export changed in transit is found", async () => {
    const path = await exportOf(realmId);
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    const verifyLines = async (changed: readonly string[]): Promise<string[]> => {
      writeFileSync(path, `${changed.join("\n")}\n`);
      return faultsOf(await verifyExport(path, kept));
    };

    expect(await verifyLines(lines)).toEqual([]);
    expect(await verifyLines(lines.slice(0, -1))).toEqual(["chain_truncated null", "head_missing 1"]);
    expect(await verifyLines(lines.filter((_, index) => index !== 99))).toEqual(["entry_missing 100"]);
    expect(await verifyLines(lines.slice(1))).toEqual(["entry_missing 1"]);
    expect(await verifyLines([lines[1]!, lines[0]!, ...lines.slice(2)])).toEqual([
      "entry_missing 1",
      "entry_inserted 1",
    ]);
    expect(await verifyLines(lines.map((line, index) => (index === 7 ? line.replace("Zoë", "Zoe") : line)))).toEqual([
      "entry_changed 8",
    ]);
    expect(await verifyLines([...lines.slice(0, -1), '{"head":null}'])).toEqual(["head_missing 1"]);
  });

  test("another realm's export is a fault if checked with this realm's head", async () => {
    const other = await givenChain(10);
    const ran = await verifyExport(await exportOf(other.realmId), kept);
    expect(ran.code).toBe(1);
    expect(chainOf(ran).faults[0]?.kind).toBe("entry_inserted");
  });
});

describeWithTool("python3", "the program in docs/audit.md", () => {
  const [, program = ""] = /```python\n(.*?)```/s.exec(readFileSync("docs/audit.md", "utf8")) ?? [];
  const check = (path: string) => spawnSync(requireTool("python3"), ["-", path], { input: program, encoding: "utf8" });

  test("computes the same hashes, and finds a change", async () => {
    const { realmId, kept } = await givenChain(25);
    const path = await exportOf(realmId);
    const { hash } = JSON.parse(readFileSync(kept, "utf8")) as { hash: string };

    expect(check(path)).toMatchObject({ status: 0, stdout: `25 ${hash}\n` });
    writeFileSync(path, readFileSync(path, "utf8").replace('Zoë \\\\\\"7', 'Zoe \\\\\\"7'));
    expect(check(path)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/at position 7 is not what was sealed/),
    });
  });
});

test("`audit head` shows the head to keep elsewhere, and no part of the private key", async () => {
  const { name, realmId } = await givenChain(7);
  const shown = await operator.run(["audit", "head", "--realm", name]);
  expect(shown.json).toEqual({
    realm: Number(realmId),
    position: 7,
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    sealedAt: expect.any(String),
    head: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    publicKey: { kty: "EC", crv: "P-256", x: expect.any(String), y: expect.any(String) },
  });
});

describe("checks that cannot be made are refused with an explanation", () => {
  const verify = (...args: string[]): Promise<Ran> => operator.run(["audit", "verify", ...args]);
  const write = (name: string, content: string): string => {
    writeFileSync(file(name), content);
    return file(name);
  };

  test.each<[what: string, run: () => Promise<Ran>, code: number, error: string]>([
    ["no file", () => verify("--export", "/nonexistent"), 1, "file_unreadable"],
    ["a directory", () => verify("--export", operator.data.path), 1, "file_unreadable"],
    ["no export", () => verify("--export", write("x", "id,date\n")), 1, "not_an_export"],
    ["an export of something else", () => verify("--export", write("x", '{"id":"1"}\n')), 1, "not_an_export"],
    ["more after the head", () => verify("--export", write("x", '{"head":null}\n{"head":null}\n')), 1, "not_an_export"],
    ["a realm of an export", () => verify("--export", "/x", "--realm", "y"), 2, "usage"],
    ["no key", () => verify("--public-key", write("x", "{}")), 1, "audit_key_unusable"],
    ["a key that is no JSON", () => verify("--public-key", write("x", "key")), 1, "audit_key_unusable"],
    ["another kind of key", () => verify("--public-key", write("x", '{"kty":"RSA"}')), 1, "audit_key_unusable"],
    [
      "a key that is no point",
      () => verify("--public-key", write("x", '{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}')),
      1,
      "audit_key_unusable",
    ],
    ["a head that is none", () => verify("--head", write("x", "x.y.z")), 1, "head_unusable"],
    ["no head in a file", () => verify("--head", "/nonexistent"), 1, "file_unreadable"],
  ])("%s", async (_, run, code, error) => {
    const ran = await run();
    expect([ran.code, ran.json["error"]]).toEqual([code, error]);
    expect(ran.err).not.toContain("    at ");
  });

  test("a head of a realm that is not being checked is a usage error", async () => {
    const [one, other] = [await givenChain(1), await givenChain(1)];
    const ran = await verify("--realm", one.name, "--head", other.kept);
    expect([ran.code, ran.json["error"]]).toEqual([2, "usage"]);
  });

  test("a realm without sealed entries has no head", async () => {
    const realm = await operator.realm();
    const ran = await operator.run(["audit", "head", "--realm", realm]);
    expect([ran.code, ran.json["error"]]).toEqual([1, "nothing_sealed"]);
  });
});
