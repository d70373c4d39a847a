import { beforeAll, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { useApi } from "../../support/service/api.ts";
import { useCli } from "../../support/service/cli.ts";

const api = useApi();
let env: Record<string, string> = {};
const cli = useCli(() => env);
const usersMax = 2_005;

beforeAll(async () => {
  const { clientId, secret } = await api.given.application({ realmId: api.realmId });
  env = { REALMPASS_URL: api.url, REALMPASS_CLIENT_ID: clientId, REALMPASS_CLIENT_SECRET: secret };
  await api.database.owner.query(sql`
    insert into users (realm_id, pairwise_id, email, administrator, created_at)
    select ${api.realmId}, 'person-' || n, '', false, now() from generate_series(1, ${usersMax - 2}::integer) n
  `);
  await api.given.user({ realmId: api.realmId, pairwiseId: "hostile\u001b[2J\u202e\ttab", lockedAt: new Date(0) });
  await api.given.user({ realmId: api.realmId, pairwiseId: "=1+1", email: 'a "quote", and more' });
});

test("a list is read to its end, each row once, over any number of pages", async () => {
  const { code, out } = await cli(["users", "list", "--json"]);
  const users = JSON.parse(out) as { userID: string }[];

  expect(code).toBe(0);
  expect(new Set(users.map(({ userID }) => userID)).size).toBe(usersMax);
  expect(users).toHaveLength(usersMax);
});

test.each([1, 999, 1_000, 1_001, 5_000])("--limit %i prints at most that many rows", async (limit) => {
  const { out } = await cli(["users", "list", "--limit", String(limit)]);
  expect(out.split("\n").length - 1).toBe(Math.min(limit, usersMax));
});

test("without a terminal each row is a tab-separated line, and no text in it can control the terminal", async () => {
  const { out, err } = await cli(["users", "list", "--search", "hostile"]);

  expect(out).toMatch(/^\d+\thostile\ufffd\[2J\ufffd\ufffdtab\t\tlocked\t0\/5\t\d{4}-\d\d-\d\d \d\d:\d\dZ\n$/);
  expect(err).toBe("");
});

test("on a terminal a list is a table with a header, in colour unless colours are switched off", async () => {
  const argv = ["users", "list", "--search", "person-20", "--limit", "3"];
  const coloured = await cli.onTerminal(argv).ended;
  const plain = await cli.onTerminal([...argv, "--no-color"]).ended;
  const asAsked = await cli.onTerminal(argv, { env: { NO_COLOR: "1" } }).ended;

  expect(coloured.out).toContain("\u001b[32mactive");
  expect(plain.out).not.toContain("\u001b[");
  expect(plain.out.split("\n").slice(0, 2)).toEqual([
    expect.stringMatching(/^User +Pairwise ID +E-mail +Status +Profiles +Created$/),
    expect.stringMatching(/^\d+ +person-20\d* +active +0\/5 +\S+ \S+Z$/),
  ]);
  expect(asAsked.out).toBe(plain.out);
});

test("--csv prints every property, and no cell that a spreadsheet reads as a formula", async () => {
  const { out } = await cli(["users", "list", "--csv", "--search", "=1"]);
  const [head = "", row] = out.split("\r\n");
  const [user] = JSON.parse((await cli(["users", "list", "--json", "--search", "=1"])).out) as [object];

  expect(head).toMatch(/^userID,pairwiseID,email,locked,/);
  expect(head.split(",").sort()).toEqual(Object.keys(user).sort());
  expect(row).toMatch(/^\d+,'=1\+1,"a ""quote"", and more",false,/);
});

test("an empty list is [] or the CSV's header", async () => {
  expect((await cli(["users", "list", "--json", "--search", "nobody at all"])).out).toBe("[]\n");
  expect((await cli(["users", "list", "--csv", "--search", "nobody at all"])).out).toMatch(/^userID,[^\n]*\r\n$/);
  expect((await cli(["users", "list", "--search", "nobody at all"])).out).toBe("");
});

test("the service applies the order and the limit, and accepts the filter", async () => {
  const { out } = await cli([
    "users",
    "list",
    "--json",
    "--filter",
    "locked=false",
    "--sort",
    "pairwiseid:desc",
    "--limit",
    "2",
  ]);
  expect((JSON.parse(out) as { pairwiseID: string }[]).map(({ pairwiseID }) => pairwiseID)).toEqual([
    "person-999",
    "person-998",
  ]);
});

test("an error of the service is shown with its fields and request id, with --json as an object", async () => {
  const { code, out, err } = await cli(["users", "list", "--filter", "lokced=true", "--json"]);
  const failure = JSON.parse(out) as Record<string, unknown>;

  expect(code).toBe(1);
  expect(failure).toMatchObject({
    result: "error",
    code: 400,
    error: "invalid_request",
    fields: [{ path: "filter.lokced" }],
  });
  expect(err).toContain("filter.lokced");
  expect(err).toContain(`Request id: ${String(failure["request_id"])}`);
});

test.each([
  [["users", "list", "--limit", "0"], "--limit"],
  [["users", "list", "--limit", "many"], "--limit"],
  [["users", "list", "--filter", "locked"], "key=value"],
  [["users", "list", "--sort", "created:up"], ":asc"],
  [
    ["profiles", "list", "--filter", "deviceType=iOS", "--filter", "deviceType=Android"],
    "--filter deviceType is given twice",
  ],
  [["users", "list", "--sort", "created", "--sort", "created:desc"], "--sort created is given twice"],
  [
    ["jobs", "start", "onboard", "-", "--column", "E-Mail=email", "--column", "email=ignore"],
    "--column email is given twice",
  ],
  [["users", "list", "--colour"], "unknown option"],
  [["users", "list", "too", "much"], "too many arguments"],
  [["usres"], "Did you mean users?"],
  [["users"], "Usage: realmpass users"],
  [["users", "show"], "USER is required"],
  [["jobs", "show", "7"], "UUID"],
  [["profiles", "revoke", "abc"], "serial"],
])("%j is a usage error: 2", async (argv, message) => {
  const { code, out, err } = await cli([...argv]);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(message);
});

test("different keys can be given, also if they differ only in letter case", async () => {
  const argv = [
    "users",
    "list",
    "--limit",
    "1",
    "--filter",
    "locked=false",
    "--sort",
    "created",
    "--sort",
    "pairwiseid",
  ];
  expect((await cli(argv)).code).toBe(0);

  const { code, err } = await cli(["users", "list", "--filter", "locked=false", "--filter", "Locked=true"]);
  expect(code).toBe(1);
  expect(err).toContain("filter.Locked: there is no such filter");
});

test("help is output, and exits with 0", async () => {
  const { code, out, err } = await cli(["jobs", "start", "offboard", "--help"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain("--confirm-total");
});
