import { expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { useApi } from "../../support/service/api.ts";
import { useCliRealm } from "../../support/service/cli-realm.ts";

const api = useApi();
const { cli } = useCliRealm(api);

test("guest accounts are created, listed, shown and revoked", async () => {
  const argv = [
    "guests",
    "create",
    "summer school",
    "--expires",
    "2099-08-01",
    "--note",
    "hall 3",
    "--profile-limit",
    "20",
  ];
  const created = JSON.parse((await cli([...argv, "--json"])).out) as Record<string, string>;
  expect(created).toMatchObject({ name: "summer school", note: "hall 3", profileLimit: 20, revoked: false });
  const id = String(created["id"]);

  expect((await cli(["guests", "list"])).out).toBe(`${id}\tsummer school\t0/20\tactive\t2099-08-01 00:00Z\thall 3\n`);
  expect((await cli(["guests", "show", id])).out).toMatch(/^Name\tsummer school$/m);

  const session = cli.onTerminal(["guests", "revoke", id]);
  await session.type(/Type summer school to continue: /, "summer school\r");
  expect((await session.ended).code).toBe(0);
  expect(JSON.parse((await cli(["guests", "show", id, "--json"])).out)).toMatchObject({ revoked: true });
});

test("the code of a guest account is printed as the API returns it, and the audit log records each reading", async () => {
  const created = await cli(["guests", "create", "reading room", "--expires", "2099-08-01", "--json"]);
  const { id } = JSON.parse(created.out) as { id: string };
  const readings = async () => {
    const rows = await api.database.owner.query(sql`
      select from audit_entries where event = 'guest_token_read' and properties->>'guestAccountID' = ${id}
    `);
    return rows.length;
  };
  expect(await readings()).toBe(0);
  const { code, out } = await cli(["guests", "code", id]);
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^[0-9A-Z]{4}(-[0-9A-Z]{4}){2}\n$/) });
  expect(await readings()).toBe(1);
  const again = await cli(["guests", "code", id, "--json"]);
  expect(JSON.parse(again.out)).toEqual({ account: id, code: out.trim() });
  await cli(["guests", "revoke", id, "--yes"]);
  const revoked = await cli(["guests", "code", id]);
  expect({ code: revoked.code, out: revoked.out }).toEqual({ code: 1, out: "" });
});

test("every invalid field of a guest account is shown with its error", async () => {
  const { code, err } = await cli(["guests", "create", "too late", "--expires", "1999-01-01"]);
  expect(code).toBe(1);
  expect(err).toMatch(/^ {2}expirationDate: /m);

  const long = "n".repeat(3_000);
  const both = await cli(["guests", "create", long, "--expires", "2099-01-01", "--note", long]);
  expect(both.code).toBe(1);
  for (const field of ["name", "note"]) expect(both.err).toMatch(new RegExp(`^ {2}${field}: `, "m"));
});

test.each([
  [["guests", "create", "x"], "--expires is required"],
  [["guests", "create", "x", "--expires", "2099-01-01", "--profile-limit", "-1"], "--profile-limit"],
  [["guests", "show", "abc"], "ACCOUNT"],
  [["guests", "revoke", "1", "--reason", "boredom"], "--reason"],
])("%j is a usage error", async (argv, message) => {
  const { code, err } = await cli(argv);
  expect(code).toBe(2);
  expect(err).toContain(message);
});

test("revoking without a terminal needs --yes", async () => {
  const { out } = await cli(["guests", "create", "talk", "--expires", "2099-01-01", "--json"]);
  const { id } = JSON.parse(out) as { id: string };
  expect((await cli(["guests", "revoke", id])).code).toBe(2);
  expect((await cli(["guests", "revoke", id, "--yes", "--json"])).out).toBe(`{"revoked":"${id}"}\n`);
});
