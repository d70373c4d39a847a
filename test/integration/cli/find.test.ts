import { beforeAll, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { useApi } from "../../support/service/api.ts";
import { useCli } from "../../support/service/cli.ts";

const api = useApi();
let env: Record<string, string> = {};
const cli = useCli(() => env);
const serial = "123456789012345678901234567890127731";
let userId = "";

beforeAll(async () => {
  const { realmId, given } = api;
  const { clientId, secret } = await given.application({ realmId });
  env = { REALMPASS_URL: api.url, REALMPASS_CLIENT_ID: clientId, REALMPASS_CLIENT_SECRET: secret };
  const anna = await given.user({ realmId, pairwiseId: "a7@campus.example", email: "anna@mail.example" });
  userId = anna.id;
  await api.database.owner.query(sql`update users set display_name = 'Anna Müller' where id = ${userId}`);
  await given.profile(anna, { serialNumber: serial, name: "Anna's \u001b[2Jlaptop" });
  for (const number of [1, 2, 3]) await given.guestAccount({ realmId, name: `Conference ${number}` });
});

test("find shows people and profiles, one per line, and their texts cannot control the terminal", async () => {
  const { code, out, err } = await cli(["find", "anna", "mueller"]);
  expect({ code, out, err }).toEqual({
    code: 0,
    out: `user\t${userId}\tAnna Müller\tactive\ta7@campus.example, anna@mail.example, 1 active\n`,
    err: "",
  });
  expect((await cli(["find", "7731"])).out).toMatch(
    new RegExp(`^profile\t${serial}\tAnna's \ufffd\\[2Jlaptop\tactive\t\\w+@example.org, Anna Müller\n$`),
  );
});

test("find reports the kinds that have more matches than it shows", async () => {
  const { out, err } = await cli(["find", "conference", "--limit", "2"]);
  expect(out).toMatch(/^(?:guest account\t\d+\tConference \d\tactive\t\n){2}$/);
  expect(err).toBe("There are more of the kind guestAccount.\n");
});

test("find --json prints the service's response", async () => {
  const { out } = await cli(["find", "anna@mail.example", "--json"]);
  expect(JSON.parse(out)).toMatchObject({
    groups: [
      { kind: "user", items: [{ userID: userId }] },
      { items: [] },
      { items: [] },
      { items: [] },
      { kind: "job" },
    ],
    partial: [],
  });
});

test("without a match, find prints nothing to standard output", async () => {
  expect(await cli(["find", "nobody at all"])).toMatchObject({ code: 0, out: "" });
  expect(await cli(["find"])).toMatchObject({ code: 2 });
});
