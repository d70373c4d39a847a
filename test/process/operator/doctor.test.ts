import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import * as crls from "../../../db/queries/certificates/crls.ts";
import { sql } from "../../../db/sql.ts";
import type { Check } from "../../../operator/doctor/check.ts";
import { generateAuditKey } from "../../../runtime/keys/audit-key.ts";
import { programVersion } from "../../../runtime/program-files.ts";
import { systemClock, type Clock } from "../../../runtime/clock.ts";
import { problemCodes, processKinds } from "../../../domain/process.ts";
import { sealEntries } from "../../support/given/audit-chain.ts";
import { givenProcess } from "../../support/given/process.ts";
import { givenRows } from "../../support/given/given.ts";
import { certificateDer } from "../../support/given/hierarchy/test-hierarchy.ts";
import { startPublication } from "../../support/given/publication-server.ts";
import { freePort, scratchDirectory } from "../../support/run/services.ts";
import { atEnd } from "../../support/run/at-end.ts";
import { asLogin } from "../../support/run/queue-schema.ts";
import { givenTwins } from "../../support/given/spellings.ts";
import { useOperator, type RunOptions } from "../../support/service/test-operator.ts";

const operator = useOperator();

const examine = async (argv: string[] = [], options?: RunOptions) => {
  const { code, json } = await operator.run(["doctor", ...argv], options);
  if (json["checks"] === undefined) throw new Error(JSON.stringify(json));
  const checks = json["checks"] as Check[];
  return { code, ok: json["ok"], checks, of: (name: string) => checks.find((check) => check.name === name) };
};

/**
 * Runs the doctor for one realm, because the doctor opens the key of every issuer that it checks. One realm suffices
 * for checks that do not concern realms.
 */
const examineOne = async (options?: RunOptions) => examine(["--realm", await operator.anyRealm()], options);

const aliveProcesses = async () => {
  for (const kind of processKinds) await givenProcess(operator.database.owner, { kind });
};

/** Makes a CRL of the realm's issuer that is valid for an hour from `thisUpdate` on. */
async function givenCrl(realm: string, { thisUpdate = systemClock.now() }: { thisUpdate?: Date } = {}): Promise<void> {
  const [issuer] = await operator.database.owner.query<{ id: string }>(sql`
    select i.id from issuers i join realms r on r.id = i.realm_id where r.name = ${realm}
  `);
  await crls.publish(operator.database.open("realmpass_worker"), {
    issuerId: issuer?.id ?? "",
    number: String(thisUpdate.getTime()),
    thisUpdate,
    nextUpdate: new Date(thisUpdate.getTime() + 3_600_000),
    entries: 0,
    size: 2,
    tag: "tag",
    head: Buffer.from([1]),
    pieces: [],
    tail: Buffer.from([2]),
  });
}

const clockAhead = (seconds: number): Clock => ({ now: () => new Date(systemClock.now().getTime() + seconds * 1000) });

test("a healthy installation passes every check", async () => {
  const realm = await operator.realm();
  for (const username of ["ada", "ben"]) {
    await operator.run(["user", "create", "--realm", realm, "--username", username, "--admin"]);
  }
  await aliveProcesses();
  await givenCrl(realm);
  rmSync(operator.data.ceremony, { recursive: true });
  const env = { REALMPASS_PUBLICATION_URL: await startPublication(operator.database.owner) };

  const { code, ok, checks } = await examine(["--realm", realm], { env });

  // Checks that depend on this machine: the Postgres of the tests does not wait for its disk, and the disk may be
  // nearly full.
  const machine = ["postgres-settings", "disk"];
  expect(checks.filter(({ name, status }) => status !== "ok" && !machine.includes(name))).toEqual([]);
  expect([code, ok]).toEqual(checks.every((check) => check.ok) ? [0, true] : [1, false]);
  expect(checks.map(({ name }) => name.split(" ")[0])).toEqual([
    "node",
    "data-directory",
    "disk",
    "database",
    "clock",
    "login",
    "migrations",
    "locks",
    "database-write",
    "postgres-settings",
    "connections",
    "roles",
    "queue-schema",
    "queue",
    "processes",
    "secrets",
    "issuer",
    "issuer-key",
    "root-crl",
    "constraints",
    "infrastructure-domains",
    "administrators",
    "spellings",
    "audit-guards",
    "audit",
    "audit-kept",
    "crl",
    "backlog",
    "jobs",
    "publication",
  ]);
});

test("administrators: a realm without administrators is a failure, and a realm with a single administrator a warning", async () => {
  const realm = await operator.realm();
  const administrators = async () => (await examine(["--realm", realm])).of(`administrators ${realm}`);
  expect(await administrators()).toMatchObject({ status: "fail" });
  const make = (username: string, role: string) =>
    operator.run(["user", "create", "--realm", realm, "--username", username, "--role", role]);
  await make("ada", "administrator");
  await make("ben", "auditor");
  expect(await administrators()).toMatchObject({ status: "warn" });
  await operator.run(["user", "roles", "--realm", realm, "--username", "ben", "--give", "administrator"]);
  expect(await administrators()).toMatchObject({ status: "ok" });
});

test("spellings: people whose ids differ only in spelling are named", async () => {
  const realm = await operator.realm();
  const spellings = async () => (await examine(["--realm", realm])).of(`spellings ${realm}`);
  const [row] = await operator.database.owner.query<{ id: string }>(sql`select id from realms where name = ${realm}`);
  const realmId = row!.id;
  await givenTwins(operator.database.owner, { realmId, ids: ["ann"] });
  expect(await spellings()).toMatchObject({ status: "ok" });
  const [first, second] = await givenTwins(operator.database.owner, { realmId, ids: ["JDoe", "jdoe"] });
  expect(await spellings()).toMatchObject({
    status: "warn",
    message: `1 id is there in several spellings: JDoe (userID ${first!.id}) and jdoe (userID ${second!.id})`,
  });
});

test("jobs: an offboarding whose devices are still admitted ten minutes after its grace period fails the check, and the message names the job", async () => {
  const realm = await operator.realm();
  const [job] = await operator.database.owner.query<{ id: string; revokeAt: Date }>(sql`
    insert into jobs (id, realm_id, kind, state, dry_run, columns, created_at, started_at, marked_at, grace_days, revoke_at,
                      total, progress_at)
    select gen_random_uuid(), id, 'offboarding', 'grace', false, '{userID}', now(), now(), now(), 7, now(), 0, now()
      from realms where name = ${realm}
    returning id, revoke_at as "revokeAt"
  `);
  const jobs = async (seconds: number) =>
    (await examine(["--realm", realm], { clock: clockAhead(seconds) })).of("jobs");

  expect(await jobs(500)).toMatchObject({ status: "ok" });
  expect(await jobs(700)).toMatchObject({ status: "fail", message: expect.stringContaining(job!.id) as string });
  await operator.database.owner.query(sql`delete from jobs`);
});

describe("the secrets", () => {
  const values = async (kind: string, text: string): Promise<void> => {
    const file = join(operator.data.path, `${kind}-to-adopt`);
    writeFileSync(file, text);
    expect((await operator.run(["secrets", "adopt", kind, "--from", file])).code).toBe(0);
  };

  test("are compared with the installation's by a value that does not reveal the secrets", async () => {
    await values("master", operator.data.find("masterKey")!);
    await values("audit", operator.data.find("auditKey")!);
    const { of, checks } = await examineOne();
    const { d } = JSON.parse(operator.data.find("auditKey")!) as { d: string };
    for (const secret of [operator.data.find("masterKey")!, d]) expect(JSON.stringify(checks)).not.toContain(secret);
    expect(of("secrets")).toMatchObject({
      status: "ok",
      message: expect.stringMatching(/master [0-9a-f]{16}, audit [0-9a-f]{64}/) as string,
    });
    const others = await examineOne({
      env: { REALMPASS_MASTER_KEY: "A".repeat(43), REALMPASS_AUDIT_KEY: generateAuditKey() },
    });
    expect(others.of("secrets")).toMatchObject({
      status: "fail",
      message: "not those of this installation: REALMPASS_MASTER_KEY, REALMPASS_AUDIT_KEY",
    });
  });

  test("that an api or a responder does not need are named if they lie in its directory", async () => {
    const directory = mkdtempSync(join(operator.data.path, "secrets-"));
    const env = { REALMPASS_DATA_DIRECTORY: join(directory, "operator") };
    expect((await operator.run(["secrets", "create", "--dir", directory])).code).toBe(0);
    expect((await examineOne({ env })).of("secret-files")).toBeUndefined();
    writeFileSync(join(directory, "api", "issuer-key-passphrase"), "a decoy, or the real one");
    writeFileSync(join(directory, "responder", "audit-key.json"), "{}");
    expect((await examineOne({ env })).of("secret-files")).toMatchObject({
      status: "fail",
      message: `an api or a responder has secrets that only others need: ${directory}/api/issuer-key-passphrase, ${directory}/responder/audit-key.json`,
    });
  });
});

test("constraints: a CA of an earlier version, or a CA that excludes the realm's domains, is a warning", async () => {
  const realm = await operator.realm();
  const constraints = async () => (await examine(["--realm", realm])).of(`constraints ${realm}`);
  expect(await constraints()).toMatchObject({ status: "ok", message: `plain name constraints: ${realm}.example` });

  await operator.run(["realm", "set", "--realm", realm, "--infrastructure-domain", "example.org"]);
  expect(await constraints()).toMatchObject({
    status: "warn",
    message: "the issuing CA does not permit example.org",
    remedy: `\`issuer rotate --realm ${realm}\` creates one that does.`,
  });
  await operator.run(["issuer", "rotate", "--realm", realm, "--name-constraints", "none"]);
  expect(await constraints()).toMatchObject({ status: "ok", message: "no name constraints" });

  await operator.database.owner.query(sql`
    update issuers
       set certificate = ${certificateDer("issuing")}, permitted_domains = null
     where issuing
       and realm_id = (select id from realms where name = ${realm})
  `);
  expect(await constraints()).toMatchObject({
    status: "warn",
    message: expect.stringContaining("earlier version") as string,
    remedy: expect.stringContaining(`issuer rotate --realm ${realm}`) as string,
  });
});

test("infrastructure-domains: active server names that could not be renewed are a warning", async () => {
  const realm = await operator.realm();
  const [row] = await operator.database.owner.query<{ id: string }>(sql`select id from realms where name = ${realm}`);
  const given = givenRows(() => operator.database.owner);
  const names = async () => (await examine(["--realm", realm])).of(`infrastructure-domains ${realm}`);
  const profile = async (identity: string, revoked = false) => {
    const serial = await given.profile({ realmId: row!.id }, { kind: "infrastructure" });
    await operator.database.owner.query(sql`
      update certificates
         set identity = ${identity}, revoked_at = case when ${revoked} then now() end,
             revocation_reason = case when ${revoked} then 0 end
       where serial_number = ${serial}
    `);
  };
  await profile(`radius.${realm}.example`);
  await profile(`abcdefghijklmnopqrst@example.net`);
  await profile("gone.example.net", true);
  expect(await names()).toMatchObject({ status: "ok", message: `${realm}.example` });

  await profile("www.example.net");
  await profile("radius.example.org");
  expect(await names()).toMatchObject({
    status: "warn",
    message: `not in ${realm}.example: radius.example.org, www.example.net`,
    remedy: expect.stringContaining(`realm set --realm ${realm} --infrastructure-domain`) as string,
  });

  await operator.run(["realm", "set", "--realm", realm, "--infrastructure-domain", "example.org"]);
  expect(await names()).toMatchObject({ message: expect.stringMatching(/: www\.example\.net$/) as string });
});

test("an overdue CRL is a warning, and a missing or expired CRL a failure", async () => {
  const realm = await operator.realm();
  const standing = async (options?: RunOptions) => {
    const { checks } = await examine(["--realm", realm], options);
    return checks.find(({ name }) => name.startsWith(`crl ${realm} `))?.status;
  };
  expect(await standing()).toBe("fail");

  await givenCrl(realm);
  expect(await standing()).toBe("ok");
  expect(await standing({ clock: clockAhead(1_900) })).toBe("warn");
  expect(await standing({ clock: clockAhead(3_700) })).toBe("fail");
});

test.each<[string, RunOptions]>([
  ["node", { nodeVersion: "18.20.0" }],
  ["clock", { clock: clockAhead(60) }],
  ["database", { env: { DATABASE_URL: "postgres://127.0.0.1:1/none" } }],
  ["queue", { env: { REDIS_URL: "redis://127.0.0.1:1" } }],
])("%s fails with a remedy, and so does the command", async (name, options) => {
  await aliveProcesses();

  const { code, ok, of } = await examineOne(options);

  expect(of(name)).toMatchObject({ ok: false, status: "fail", remedy: expect.stringMatching(/\w/) as string });
  expect([code, ok]).toEqual([1, false]);
});

describe("the processes", () => {
  beforeEach(() => operator.database.owner.query(sql`delete from processes`));

  test.each(processKinds)("without a live %s fail", async (missing) => {
    await aliveProcesses();
    await operator.database.owner.query(sql`
      update processes set seen_at = now() - interval '16 seconds' where kind = ${missing}
    `);
    const { code, of } = await examineOne();
    expect(of("processes")).toMatchObject({
      status: "fail",
      message: expect.stringContaining(`no ${missing}: `) as string,
      remedy: expect.stringContaining(`npm run ${missing}`) as string,
    });
    expect(of(`process ${missing} host`)).toMatchObject({
      status: "warn",
      message: expect.stringMatching(/was not seen for \d+ s/) as string,
    });
    expect(code).toBe(1);
  });

  test("with a reported problem each cause a warning", async () => {
    await aliveProcesses();
    const since = new Date("2027-01-01T00:00:00Z");
    const problems = [{ code: "publication_failed", detail: "issuer 7", since }] as const;
    await givenProcess(operator.database.owner, { kind: "worker", host: "elsewhere", problems });
    const { of } = await examineOne();
    expect(of("processes")?.message).toMatch(/^alive: worker 2 \(\S+\), responder 1 \(\S+\), api 1 \(\S+\)/);
    expect(of("process worker elsewhere")).toMatchObject({
      status: "warn",
      message: "publication_failed since 2027-01-01T00:00:00.000Z: issuer 7",
      remedy: expect.stringContaining("crl.failed") as string,
    });
  });

  test("have a remedy for each problem that a process can report", async () => {
    const since = systemClock.now();
    const reported = problemCodes.map((code) => ({ code, detail: "something", since }));
    await givenProcess(operator.database.owner, { kind: "worker", problems: reported });
    const { checks } = await examineOne();
    const found = checks.filter(({ name }) => name === "process worker host");
    expect(found.map(({ message }) => message.split(" ")[0])).toEqual(problemCodes);
    expect(new Set(found.map(({ remedy }) => remedy)).size).toBe(problemCodes.length);
  });

  test("fail if no worker can use an issuer, and are a warning if only another worker can use the issuer", async () => {
    await aliveProcesses();
    await operator.database.owner.query(sql`delete from processes where kind = 'worker'`);
    const since = systemClock.now();
    const away = (...issuers: string[]) =>
      issuers.map((id) => ({ code: "issuer_away", detail: `issuer ${id}`, since }) as const);
    await givenProcess(operator.database.owner, { kind: "worker", host: "one", problems: away("7", "8") });
    await givenProcess(operator.database.owner, { kind: "worker", host: "gone", silentSeconds: 20 });
    const states = async () => {
      const { checks } = await examineOne();
      return checks.flatMap(({ name, status, message }) =>
        message.includes("issuer_away") ? [`${name} ${status} ${message.split(": ")[1] ?? ""}`] : [],
      );
    };
    expect(await states()).toEqual(["process worker one fail issuer 7", "process worker one fail issuer 8"]);

    await givenProcess(operator.database.owner, { kind: "worker", host: "two", problems: away("8") });
    expect(await states()).toEqual([
      "process worker one warn issuer 7",
      "process worker one fail issuer 8",
      "process worker two fail issuer 8",
    ]);
  });

  test.each([
    [2_001, "warn"],
    [-5_001, "fail"],
  ])("whose clock is %i ms off are a %s", async (clockSkewMs, status) => {
    await aliveProcesses();
    const problems = [{ code: "clock_skewed", detail: "the clocks differ", since: systemClock.now() }] as const;
    await givenProcess(operator.database.owner, { kind: "responder", host: "elsewhere", clockSkewMs, problems });
    const { code, of } = await examineOne();
    expect(of("process responder elsewhere")).toMatchObject({ status });
    if (status === "fail") expect(code).toBe(1);
  });

  test.each([
    [["0.1.0", "0.2.3"], "ok"],
    [["0.1.0", "0.2.0", "0.3.0"], "warn"],
    [["0.1.0", "0.3.0"], "warn"],
    [["0.9.0", "1.0.0"], "ok"],
  ])("of the versions %j are %s: processes of two releases may run at the same time", async (versions, status) => {
    const [first = ""] = versions;
    for (const kind of processKinds) await givenProcess(operator.database.owner, { kind, version: first });
    for (const version of versions) await givenProcess(operator.database.owner, { kind: "api", version });
    await givenProcess(operator.database.owner, { kind: "api", version: "9.0.0", silentSeconds: 20 });
    expect((await examineOne()).of("processes")).toMatchObject({ status });
  });

  test("are listed with their versions, even if a kind is missing, and other versions than this program's are named", async () => {
    const own = programVersion();
    for (const kind of processKinds) await givenProcess(operator.database.owner, { kind, version: own });
    const look = async (): Promise<string> => (await examineOne()).of("processes")?.message ?? "";
    expect(await look()).toBe(`alive: worker 1 (${own}), responder 1 (${own}), api 1 (${own})`);

    const left = { kind: "api", host: "left", pid: 7, version: "0.0.9" } as const;
    await givenProcess(operator.database.owner, left);
    expect(await look()).toContain(
      `alive: worker 1 (${own}), responder 1 (${own}), api 2 (0.0.9 and ${own}); ` +
        `of another version than this program (${own}): api left 7 (0.0.9)`,
    );
    await operator.database.owner.query(sql`delete from processes where kind = 'worker'`);
    expect(await look()).toMatch(/^no worker: .*; alive: worker 0, responder 1 \(.*api left 7 \(0\.0\.9\)$/);
  });
});

test("a data directory open to other users fails", async () => {
  // Secrets come from the environment, so no command repairs the directory on the way.
  const env = { REALMPASS_ISSUER_KEY_PASSPHRASE: "another passphrase" };
  chmodSync(operator.data.path, 0o755);
  try {
    expect((await examineOne({ env })).of("data-directory")?.status).toBe("fail");
  } finally {
    chmodSync(operator.data.path, 0o700);
  }
});

test("the free disk space is measured in the data directory, not in the memory for systemd credentials", async () => {
  expect((await examineOne()).of("disk")?.message).toMatch(` MiB are free in ${operator.data.path}`);
  const env = { CREDENTIALS_DIRECTORY: operator.data.path };
  expect((await examineOne({ env })).of("disk")).toBeUndefined();
});

test("without a passphrase the doctor opens no issuer key, makes no passphrase, and fails only for a missing key", async () => {
  const realm = await operator.realm();
  const empty = await scratchDirectory("realmpass-without-");
  atEnd(() => {
    rmSync(empty, { recursive: true });
  });
  const env = { REALMPASS_DATA_DIRECTORY: empty, REALMPASS_GENERATE_SECRETS: "1" };
  const issuerKey = async () => {
    const { checks } = await examine(["--realm", realm], { env });
    return checks.find(({ name }) => name.startsWith("issuer-key"));
  };
  expect(await issuerKey()).toMatchObject({
    status: "ok",
    message: "exists; without the passphrase here, only workers can decrypt it",
  });
  expect(readdirSync(empty)).not.toContain("issuer-key-passphrase");

  await operator.database.owner.query(sql`
    delete from issuer_keys
     where issuer_id in (select i.id from issuers i join realms r on r.id = i.realm_id where r.name = ${realm})
  `);
  expect(await issuerKey()).toMatchObject({ status: "fail", message: "the issuer's key is missing" });
});

test("an issuer key that does not open under the passphrase fails", async () => {
  const realm = await operator.realm();

  const { code, checks } = await examine(["--realm", realm], {
    env: { REALMPASS_ISSUER_KEY_PASSPHRASE: "another passphrase" },
  });

  expect(checks.find(({ name }) => name.startsWith("issuer-key"))?.status).toBe("fail");
  expect(code).toBe(1);
});

test("an issuer key that belongs to another certificate fails", async () => {
  const [one, other] = [await operator.realm(), await operator.realm()];
  const idOf = (name: string) =>
    sql`(select i.id from issuers i join realms r on r.id = i.realm_id where r.name = ${name})`;
  await operator.database.owner.query(sql`
    update issuer_keys
       set encrypted_key = (select encrypted_key from issuer_keys where issuer_id = ${idOf(other)})
     where issuer_id = ${idOf(one)}
  `);

  const { checks } = await examine(["--realm", one]);

  expect(checks.find(({ name }) => name.startsWith("issuer-key"))).toMatchObject({
    status: "fail",
    message: expect.stringContaining("does not match") as string,
  });
});

test("any realm without an issuer is a failure", async () => {
  const realm = await operator.realm();
  await operator.database.owner.query(
    sql`delete from issuers where realm_id = (select id from realms where name = ${realm})`,
  );

  const { of } = await examine();

  expect(of(`issuer ${realm}`)).toMatchObject({
    status: "fail",
    remedy: expect.stringContaining("issuer create") as string,
  });
  await operator.run(["issuer", "create", "--realm", realm]);
});

test("an issuer near its end is a warning, and a failure once profiles would outlive it", async () => {
  const realm = await operator.realm();
  await operator.run(["realm", "set", "--realm", realm, "--max-valid", "1"]);
  const endsIn = async (days: number) => {
    const at = new Date(systemClock.now().getTime() + days * 86_400_000);
    await operator.database.owner.query(sql`
      update issuers set not_after = ${at} where realm_id = (select id from realms where name = ${realm})
    `);
    return (await examine(["--realm", realm])).of(`issuer ${realm}`)?.status;
  };

  expect(await endsIn(120)).toBe("ok");
  expect(await endsIn(60)).toBe("warn");
  expect(await endsIn(20)).toBe("fail");
});

test("an issuer that outlives a six-month profile made on 31 August is no failure", async () => {
  const realm = await operator.realm();
  await operator.run(["realm", "set", "--realm", realm, "--max-valid", "6"]);
  const clock: Clock = { now: () => new Date("2027-08-31T12:00:00Z") };
  const endsAt = async (at: string) => {
    await operator.database.owner.query(sql`
      update issuers set not_after = ${new Date(at)} where realm_id = (select id from realms where name = ${realm})
    `);
    return (await examine(["--realm", realm], { clock })).of(`issuer ${realm}`)?.status;
  };

  expect(await endsAt("2028-02-29T11:59:59Z")).toBe("fail");
  expect(await endsAt("2028-02-29T12:00:00Z")).toBe("ok");
});

describe("the audit log", () => {
  const sealed = async (key = operator.data.find("auditKey")!) => {
    const realm = await operator.realm();
    await sealEntries(operator.database, { key });
    const look = async (options?: RunOptions) => (await examine(["--realm", realm], options)).of(`audit ${realm}`);
    return { realm, look };
  };

  test("passes while every entry is sealed, however long no new entry arrives", async () => {
    const { look } = await sealed();
    for (const seconds of [0, 3600]) {
      const check = await look({ clock: clockAhead(seconds) });
      expect(check).toMatchObject({ status: "ok", message: expect.stringContaining("sealed up to") as string });
    }
  });

  test("causes a warning, not a failure, once entries have waited for more than a minute", async () => {
    const realm = await operator.realm();
    const look = async (seconds: number) =>
      (await examine(["--realm", realm], { clock: clockAhead(seconds) })).of(`audit ${realm}`);
    expect(await look(30)).toMatchObject({ status: "ok" });
    expect(await look(90)).toMatchObject({ ok: true, status: "warn", remedy: expect.stringMatching(/\w/) as string });
    await sealEntries(operator.database, { key: operator.data.find("auditKey")! });
    expect(await look(90)).toMatchObject({ status: "ok" });
  });

  test("fails for a realm whose head has a foreign signature, and only for that realm", async () => {
    const { look: lookAtSound } = await sealed();
    const { realm, look } = await sealed(generateAuditKey());
    expect(await look()).toMatchObject({
      ok: false,
      status: "fail",
      message: expect.stringContaining("not signed with our key") as string,
      remedy: expect.stringContaining(`audit verify --realm ${realm}`) as string,
    });
    expect((await examine(["--realm", realm])).code).toBe(1);
    expect(await lookAtSound()).toMatchObject({ status: "ok" });
  });

  test("cannot be checked without a key", async () => {
    const { of } = await examineOne({ env: { REALMPASS_AUDIT_KEY: "no key" } });
    expect(of("audit")).toMatchObject({
      status: "fail",
      remedy: expect.stringContaining("REALMPASS_AUDIT_KEY") as string,
    });
  });
});

describe("the queue's schema", () => {
  const asOwner = (statement: string) => asLogin(operator.database.url, (client) => client.query(statement));
  const plantable = "grant usage, create on schema bullmq to realmpass_queue; set role realmpass_queue";
  const asQueue = (statement: string) =>
    asOwner(`${plantable}; ${statement}; reset role; revoke create on schema bullmq from realmpass_queue`);

  test.each<[string, () => Promise<unknown>, string]>([
    ["a right to create", () => asOwner("grant create on schema bullmq to realmpass_queue"), "right to create"],
    ["an object", () => asQueue("create sequence bullmq.planted"), "sequence bullmq.planted of realmpass_queue"],
    [
      "a trigger",
      () =>
        asOwner(
          "create trigger planted before update on bullmq.job for each row execute function suppress_redundant_updates_trigger()",
        ),
      "trigger planted on table bullmq.job",
    ],
    [
      "a rule",
      () => asOwner("create rule planted as on insert to bullmq.job do also notify planted"),
      "rule planted on table bullmq.job",
    ],
  ])("fails with %s of a foreign owner until it is migrated", async (_, plant, name) => {
    await plant();

    const { code, of } = await examineOne();
    expect(of("queue-schema")).toMatchObject({
      status: "fail",
      message: expect.stringContaining(name) as string,
      remedy: expect.stringContaining("migrate") as string,
    });
    expect(of("queue")).toBeUndefined();
    expect(code).toBe(1);

    expect((await operator.run(["migrate"])).code).toBe(0);
    expect((await examineOne()).of("queue-schema")).toMatchObject({ status: "ok" });
  });

  test("is checked even if Redis holds the queues", async () => {
    const { of } = await examineOne({ env: { REDIS_URL: "redis://127.0.0.1:1" } });
    expect(of("queue-schema")).toMatchObject({ status: "ok" });
  });

  test("cannot make doctor run a function planted in the schema", async () => {
    // To compare two states with "=", Postgres prefers this operator to its own wherever the search path includes the
    // schema.
    await asQueue(`
      create table bullmq.ran (by name);
      grant insert on bullmq.ran to public;
      create function bullmq.planted(a bullmq.job_state, b bullmq.job_state) returns boolean language plpgsql as $body$
      begin insert into bullmq.ran values (session_user); return a::text = b::text; end $body$;
      create operator bullmq.= (function = bullmq.planted, leftarg = bullmq.job_state, rightarg = bullmq.job_state);
    `);
    await asOwner(`
      insert into bullmq.job (queue, id, seq, name, state, data, opts, priority, delay_ms, max_attempts, added_at_ms, pending_deps)
      values ('issuance', 'planted', 1, 'planted', 'waiting', '{}', '{}', 0, 0, 1, 0, 0)
    `);

    await examineOne();

    const ran = async () => (await asOwner("select by from bullmq.ran")).rows;
    expect(await ran()).toEqual([]);
    // Control: a session whose search path includes the schema runs the function.
    await asOwner("set search_path = bullmq; select from job where state = 'waiting'::job_state");
    expect(await ran()).not.toEqual([]);
    await operator.run(["migrate"]);
  });

  test("grants the operator the right to count tasks, and no other right", async () => {
    const { of } = await examineOne();
    expect(of("queue")).toMatchObject({ status: "ok", message: expect.stringContaining("0 tasks") as string });
    const tables = sql`
      select relname, has_table_privilege('realmpass_operator', oid, 'insert, update, delete, truncate, trigger') as "isWritable"
        from pg_class
       where relnamespace = 'bullmq'::regnamespace and relkind = 'r'
         and has_table_privilege('realmpass_operator', oid, 'select, insert, update, delete, truncate, trigger')
    `;
    expect(await operator.database.owner.query(tables)).toEqual([{ relname: "job", isWritable: false }]);
  });
});

test("disconnect: a reader of revocations that is silent for five minutes is a warning that names the reader, while it still has access", async () => {
  const realm = await operator.realm();
  const { owner } = operator.database;
  const [{ id: realmId } = { id: "" }] = await owner.query<{ id: string }>(
    sql`select id from realms where name = ${realm}`,
  );
  const found = async () => (await examine(["--realm", realm])).of(`disconnect ${realm}`);
  expect(await found()).toBeUndefined();

  const { clientId } = await givenRows(() => owner).application({
    realmId,
    name: "RADIUS server 1",
    scopes: ["radius.read"],
  });
  await owner.query(
    sql`insert into revoked_feed_readers (client_id, realm_id, read_at) values (${clientId}, ${realmId}, now())`,
  );
  expect(await found()).toMatchObject({ status: "ok" });

  await owner.query(
    sql`update revoked_feed_readers set read_at = now() - interval '301 seconds' where client_id = ${clientId}`,
  );
  expect(await found()).toMatchObject({
    status: "warn",
    message: expect.stringContaining(`"RADIUS server 1"`) as string,
  });

  await owner.query(sql`update applications set active = false where client_id = ${clientId}`);
  expect(await found()).toBeUndefined();
});

test("people due to be forgotten, and old entries that name people, are a warning", async () => {
  const realm = await operator.realm();
  const { owner } = operator.database;
  const given = givenRows(() => owner);
  const [{ id: realmId } = { id: "" }] = await owner.query<{ id: string }>(
    sql`select id from realms where name = ${realm}`,
  );
  const found = async () => (await examine(["--realm", realm])).of(`forgetting ${realm}`);
  expect(await found()).toBeUndefined();

  await owner.query(sql`update realms set forget_after_months = 2 where id = ${realmId}`);
  expect(await found()).toMatchObject({ status: "ok" });

  const left = new Date(systemClock.now().getTime() - 100 * 86_400_000);
  const user = await given.user({ realmId, offboardedAt: left });
  expect(await found()).toMatchObject({
    status: "warn",
    message: expect.stringContaining("for offboarded users: 1") as string,
  });

  await owner.query(sql`delete from users where id = ${user.id}`);
  await owner.query(sql`
    insert into audit_entries (realm_id, at, event, properties)
    values (${realmId}, now(), 'user_create', '{"userID": "1", "pairwiseID": "ada"}')
  `);
  expect(await found()).toMatchObject({
    status: "warn",
    message: expect.stringContaining("earlier versions") as string,
  });
});

test("doctor reports a database that was never migrated", async () => {
  const url = new URL(operator.database.url);
  url.pathname = "/postgres";

  const { code, of } = await examine([], { env: { DATABASE_URL: url.href } });

  expect(of("migrations")).toMatchObject({
    status: "fail",
    remedy: expect.stringContaining("npm run migrate") as string,
  });
  expect(code).toBe(1);
});

test.skipIf(process.env["TEST_REDIS_URL"] === undefined)("Redis is checked if it holds the queues", async () => {
  const { of } = await examineOne({ env: { REDIS_URL: process.env["TEST_REDIS_URL"] } });

  expect(of("queue")?.message).toContain("Redis");
  expect([of("redis-eviction")?.status, of("redis-persistence")?.status]).toEqual(["ok", "ok"]);
});

test("a missing Redis is reported", async () => {
  const { of } = await examineOne({ env: { REDIS_URL: `redis://127.0.0.1:${await freePort()}` } });
  expect(of("queue")?.message).toContain("ECONNREFUSED");
});
