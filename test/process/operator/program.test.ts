import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { variables } from "../../../runtime/config/variables.ts";
import { useOperator } from "../../support/service/test-operator.ts";
import { verbatim } from "../../../db/sql.ts";

const operator = useOperator();

test.each([
  ["no command", []],
  ["an unknown command", ["relam"]],
  ["a group without a command", ["realm"]],
  ["an unknown command in a group", ["realm", "destroy"]],
  ["an unknown option", ["realm", "list", "--loud"]],
  ["an argument too many", ["realm", "list", "north"]],
  ["an option without its value", ["user", "create", "--username"]],
])("%s is a usage error", async (_, argv) => {
  const ran = await operator.run(argv);
  expect([ran.code, ran.json["error"]]).toEqual([2, "usage"]);
  expect(ran.err).not.toBe("");
});

test("one error names all missing options", async () => {
  const { err } = await operator.run(["application", "create"]);
  expect(err).toMatch(/--type.*--name.*--client-uri/);
});

test("help exits with 0, and is one object with --json", async () => {
  const plain = await operator.runPlain(["realm", "create", "--help"]);
  expect([plain.code, plain.err]).toEqual([0, ""]);
  expect(plain.out).toContain("--domain <domain>");
  expect((await operator.run(["--help"])).json["help"]).toContain("guest-account");
});

test("without --json a command prints text", async () => {
  const realm = await operator.realm();
  const { code, out } = await operator.runPlain(["realm", "list", "--realm", realm]);
  expect([code, out]).toEqual([0, `${realm}  ${realm}.example  ${realm}\n`]);
});

test("options for all commands can precede the command", async () => {
  const realm = await operator.realm();
  const { json } = await operator.runPlain(["--json", "--realm", realm, "issuer", "list"]);
  expect(json["issuers"]).toHaveLength(1);
});

test("the effective configuration is shown with secrets masked", async () => {
  const { code, out, json } = await operator.run(["config"], {
    env: {
      DATABASE_URL: "postgres://someone:hunter2@db.example/realmpass",
      REALMPASS_ISSUER_KEY_PASSPHRASE: "very secret indeed",
      PORT: "8080",
    },
  });

  expect(code).toBe(0);
  expect(Object.keys(json).sort()).toEqual(Object.keys(variables).sort());
  expect(json).toMatchObject({ PORT: 8080, REALMPASS_BASE_URL: "http://localhost:8080", REDIS_URL: null });
  expect(out).not.toMatch(/hunter2|very secret/);
});

test("all faults of an unusable configuration are explained", async () => {
  const { code, json, err } = await operator.run(["realm", "list"], { env: { PORT: "many", REALMPASS_REALM: "x" } });
  expect([code, json["error"]]).toEqual([1, "configuration_invalid"]);
  expect(err).toMatch(/REALMPASS_REALM[^]*PORT/);
});

test("a database that does not answer is reported without the database's password", async () => {
  const { code, json, err } = await operator.run(["realm", "list"], {
    env: { DATABASE_URL: "postgres://someone:hunter2@127.0.0.1:1/realmpass" },
  });
  expect([code, json["error"]]).toEqual([1, "database_unavailable"]);
  expect(err).not.toMatch(/hunter2|\n {4}at /);
});

test("a password can have any characters, and no message contains a part of the password", async () => {
  const url = new URL(operator.database.url);
  const login = `operator_${randomBytes(4).toString("hex")}`;
  const asOwner = (text: string) => operator.database.owner.query(verbatim(text));
  await asOwner(`create role ${login} login password '1/2@3#4%41' in role realmpass_operator`);
  onTestFinished(async () => {
    await asOwner(`drop role ${login}`);
  });
  const run = (user: string, DATABASE_PASSWORD: string) =>
    operator.run(["realm", "list"], {
      env: { DATABASE_URL: `postgres://${user}@${url.host}${url.pathname}`, DATABASE_PASSWORD },
    });

  expect((await run(login, "1/2@3#4%41")).code).toBe(0);
  const refused = await run(login, "1/2@3#4A");
  expect([refused.code, refused.json["error"]]).toEqual([1, "database_refused"]);
  const broken = await run(`${login}:1/2@3#4%41`, "");
  expect([broken.code, broken.json["error"]]).toEqual([1, "configuration_invalid"]);
  for (const { out, err } of [refused, broken]) expect(out + err).not.toMatch(/1\/2|2@|3#|#4|%41/);
});

test("a database that was never migrated is reported with the remedy", async () => {
  const url = new URL(operator.database.url);
  url.pathname = "/postgres";
  const { code, json, err } = await operator.run(["realm", "list"], { env: { DATABASE_URL: url.href } });
  expect([code, json["error"]]).toEqual([1, "not_migrated"]);
  expect(err).toContain("run `migrate`");
});
