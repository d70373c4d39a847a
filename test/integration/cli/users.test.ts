import { beforeAll, describe, expect, test } from "vitest";
import { systemClock, type Clock } from "../../../cli/context/clock.ts";
import { sql } from "../../../db/sql.ts";
import { givenTwins } from "../../support/given/spellings.ts";
import { startReverseProxy, type ReverseProxy } from "../../support/run/reverse-proxy.ts";
import { useApi } from "../../support/service/api.ts";
import type { CliRun } from "../../support/service/cli.ts";
import { useCliRealm } from "../../support/service/cli-realm.ts";

const api = useApi();
const realm = useCliRealm(api);
const { cli } = realm;
let proxy: ReverseProxy;
beforeAll(async () => {
  proxy = await startReverseProxy(() => api.url);
});

const shown = async (user: string): Promise<Record<string, unknown>> =>
  JSON.parse((await cli(["users", "show", user, "--json"])).out) as Record<string, unknown>;

test("a user is found by exact userID, pairwiseID or e-mail address", async () => {
  const { id } = await realm.user({ pairwiseId: "ann@north", email: "Ann@Example.org" });
  await realm.user({ pairwiseId: "joann@north", email: "joann@example.org" });

  for (const name of [id, "ann@north", "ann@example.org"]) expect((await shown(name))["userID"]).toBe(id);
  expect((await cli(["users", "show", "ann"])).code).toBe(1);
});

test("a pairwiseID matches in any letter case and Unicode form; if two people's ids differ only in spelling, each matches only its exact spelling", async () => {
  const { id } = await realm.user({ pairwiseId: "J\u00e4ger@north" });
  for (const name of ["J\u00e4ger@north", "j\u00e4ger@NORTH", "JA\u0308GER@north", "\u200bJ\u00e4ger@north\u00a0"]) {
    expect((await shown(name))["userID"]).toBe(id);
  }
  const { realmId } = await realm.user();
  const [first, second] = await givenTwins(api.database.owner, { realmId, ids: ["Twin@north", "twin@north"] });
  expect((await shown("Twin@north"))["userID"]).toBe(first!.id);
  expect((await shown("twin@north"))["userID"]).toBe(second!.id);
  const { code, err } = await cli(["users", "lock", "TWIN@north"]);
  expect(code).toBe(1);
  expect(err).toContain("more than one");
});

test("an exact pairwiseID is found among more than a thousand longer pairwiseIDs", async () => {
  const { id, realmId } = await realm.user({ pairwiseId: "crowd" });
  await api.database.owner.query(sql`
    insert into users (realm_id, pairwise_id, email, administrator, created_at)
    select ${realmId}, 'crowd' || n, '', false, now() + make_interval(secs => n) * (n % 2 * 2 - 1)
      from generate_series(1, 2002) n
  `);
  expect((await shown("crowd"))["userID"]).toBe(id);
});

test("a name that two people share is refused as ambiguous", async () => {
  await realm.user({ email: "shared@example.org" });
  await realm.user({ email: "shared@example.org" });

  const { code, err } = await cli(["users", "lock", "shared@example.org"]);

  expect(code).toBe(1);
  expect(err).toContain("more than one");
});

test("a user of another realm is not found", async () => {
  const other = await api.given.user({ realmId: await api.given.realm(), pairwiseId: "elsewhere" });
  const byId = await cli(["users", "show", other.id, "--json"]);

  expect(byId.code).toBe(1);
  expect(JSON.parse(byId.out)).toMatchObject({ error: "user_not_found", code: 404 });
  expect((await cli(["users", "lock", "elsewhere"])).code).toBe(1);
});

test("users why shows the reason that keeps a user's device off the network, as text and as JSON", async () => {
  const user = await realm.user({ pairwiseId: "offline@north" });
  const serial = await api.given.profile(user, { name: "tablet" });
  await api.as.service({ realmId: user.realmId }).delete(`/api/profiles/${serial}`, { reason: 1 });

  const { code, out } = await cli(["users", "why", "offline@north"]);
  expect(code).toBe(0);
  expect(out).toMatch(/^offline@north, tablet: Revoked by the application .* No attempt seen since\.\n/);
  expect(out).toContain(`${serial}\ttablet\trevoked\tnever seen\n`);
  const json = await cli(["users", "why", user.id, "--json"]);
  expect(JSON.parse(json.out)).toMatchObject({ diagnosis: { code: "revoked", serial }, profiles: [{ serial }] });
});

test("an export contains a user with the user's profiles, as JSON", async () => {
  const user = await realm.user({ pairwiseId: "exported@north" });
  const serial = await api.given.profile(user);
  const { code, out } = await cli(["users", "export", "exported@north"]);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    user: { userID: user.id, pairwiseID: "exported@north" },
    profiles: [{ serial }],
  });
});

test("several users are locked and unlocked by one command", async () => {
  const users = [await realm.user(), await realm.user()].map(({ id }) => id);

  const { code, out, err } = await cli(["users", "lock", ...users]);
  expect({ code, out }).toEqual({ code: 0, out: "" });
  expect(err.match(/: locked\.$/gm)).toHaveLength(2);
  for (const user of users) expect((await shown(user))["locked"]).toBe(true);

  expect((await cli(["users", "unlock", ...users, "--quiet"])).err).toBe("");
  for (const user of users) expect((await shown(user))["locked"]).toBe(false);
});

test("if one user cannot be changed, the command continues with the others and exits with 3", async () => {
  const { id } = await realm.user();
  const { code, out } = await cli(["users", "lock", "999999", id, "nobody", "--json"]);

  expect(code).toBe(3);
  expect(JSON.parse(out)).toMatchObject([
    { user: "999999", status: "failed", error: "user_not_found" },
    { userID: id, status: "locked" },
    { user: "nobody", status: "failed" },
  ]);
  expect((await cli(["users", "lock", "999999", "nobody"])).code).toBe(1);
});

test("--quiet leaves the failure of a user on standard error, and no success", async () => {
  const { id } = await realm.user();
  const { code, out, err } = await cli(["users", "lock", "999999", id, "--quiet"]);

  expect({ code, out }).toEqual({ code: 3, out: "" });
  expect(err).toMatch(/^999999: [^\n]+\n$/);
});

describe("if the connection is lost in the middle", () => {
  /** Offboards users over a connection that is lost at the given user. */
  const offboarding = async (users: readonly string[], lostAt: string, ...options: string[]): Promise<CliRun> => {
    proxy.decide(({ method, path }) =>
      method === "DELETE" && path === `/api/user/${lostAt}` ? "lose-answer" : "pass",
    );
    const clock: Clock = { ...systemClock, wait: () => Promise.resolve() };
    const env = { REALMPASS_URL: proxy.url };
    return cli(["users", "offboard", ...users, "--yes", ...options], { env, clock });
  };
  const threeUsers = async (): Promise<string[]> =>
    [await realm.user(), await realm.user(), await realm.user()].map(({ id }) => id);

  test("--json gives the outcomes up to the user at whom it was lost", async () => {
    const users = await threeUsers();
    const { code, out, err } = await offboarding(users, users[1]!, "--json", "--quiet");

    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject([
      { user: users[0], userID: users[0], status: "offboarded" },
      { user: users[1], userID: users[1], status: "failed", error: "unreachable" },
    ]);
    expect(err).toContain(`${users[1]}: The service cannot be reached`);
    expect((await shown(users[2]!))["blacklisted"]).toBe(false);
  });

  test("--json gives the error alone if it was lost at the first user", async () => {
    const users = await threeUsers();
    const { code, out } = await offboarding(users, users[0]!, "--json");

    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ result: "error", error: "unreachable" });
  });

  test("without --json, standard error names the users who are done, and standard output stays empty", async () => {
    const users = await threeUsers();
    const { code, out, err } = await offboarding(users, users[1]!);

    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(`(${users[0]}): offboarded.`);
  });
});

test("offboarding without a terminal requires --yes", async () => {
  const user = await realm.user();
  const serial = await api.given.profile(user);

  const asked = await cli(["users", "offboard", user.id]);
  expect(asked.code).toBe(2);
  expect(asked.err).toMatch(/1 profile will be revoked permanently.*--yes/);
  expect((await shown(user.id))["blacklisted"]).toBe(false);

  expect((await cli(["users", "offboard", user.id, "--yes", "--reason", "key-compromise"])).code).toBe(0);
  expect((await shown(user.id))["blacklisted"]).toBe(true);
  const profiles = JSON.parse((await cli(["profiles", "list", "--user", user.id, "--json"])).out) as unknown;
  expect(profiles).toMatchObject([{ serial, revokeReason: 1 }]);

  expect((await cli(["users", "reactivate", user.id])).code).toBe(0);
  expect((await shown(user.id))["blacklisted"]).toBe(false);
});

test("offboarding with a grace period locks a person out, and their devices keep access", async () => {
  const user = await realm.user();
  await api.given.profile(user);

  expect((await cli(["users", "offboard", user.id, "--grace-days", "3", "--reason", "superseded", "--yes"])).code).toBe(
    2,
  );
  expect((await cli(["users", "offboard", user.id, "--grace-days", "3", "--yes"])).code).toBe(0);

  expect(await shown(user.id)).toMatchObject({ blacklisted: true, profileCount: 1 });
});

test("on a terminal the command asks for the user's name, and changes nothing if the typed text differs", async () => {
  const { id } = await realm.user({ pairwiseId: "m.keller" });

  const refused = cli.onTerminal(["users", "offboard", id]);
  await refused.type(/Type m\.keller to continue: /, "yes\r");
  const { code, out } = await refused.ended;
  expect(code).toBe(1);
  expect(out).toContain("Nothing was done.");
  expect((await shown(id))["blacklisted"]).toBe(false);

  const agreed = cli.onTerminal(["users", "offboard", id]);
  await agreed.type(/Type m\.keller to continue: /, "m.keller\r");
  expect((await agreed.ended).code).toBe(0);
  expect((await shown(id))["blacklisted"]).toBe(true);
});

test("offboarding several users is confirmed by typing the number of users", async () => {
  const users = [await realm.user(), await realm.user()].map(({ id }) => id);
  const session = cli.onTerminal(["users", "offboard", ...users]);
  await session.type(/2 people: 0 profiles[^]*Type 2 to continue: /, "2\r");

  expect((await session.ended).code).toBe(0);
  for (const user of users) expect((await shown(user))["blacklisted"]).toBe(true);
});

test("if the service requires confirmation for several users, the terminal asks for the service's number only once", async () => {
  const realmId = await api.given.realm();
  const { clientId, secret } = await api.given.application({ realmId });
  const env = { REALMPASS_CLIENT_ID: clientId, REALMPASS_CLIENT_SECRET: secret };
  const users: string[] = [];
  for (let made = 0; made < 103; made++) users.push((await api.given.user({ realmId })).id);
  const service = api.as.service({ realmId });
  for (const user of users.slice(2)) {
    const { status } = await service.delete(`/api/user/${user}`);
    expect([200, 409]).toContain(status);
  }
  // A hundred users have been removed before; one more removal was refused, because it needed confirmation.
  const leaving = [users[0]!, users[1]!];
  const session = cli.onTerminal(["users", "offboard", ...leaving], { env });
  await session.type(/Type 2 to continue: /, "2\r");
  await session.type(/101 people and profiles of the realm would be off[^]*Type 101 to continue: /, "101\r");

  expect((await session.ended).code).toBe(0);
  for (const user of leaving) {
    expect((await service.get(`/api/user/${user}`)).body.data).toMatchObject({ blacklisted: true });
  }
});

test("a client without the scope gets the error insufficient_scope, and doctor lists the missing scopes", async () => {
  const { id } = await realm.user();
  const { clientId, secret } = await api.given.application({ realmId: realm.realmId, scopes: ["user.read"] });
  const env = { REALMPASS_CLIENT_ID: clientId, REALMPASS_CLIENT_SECRET: secret };

  const { code, out } = await cli(["users", "lock", id, "--json"], { env });
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({ code: 403, error: "insufficient_scope" });
  const doctor = await cli(["doctor"], { env });
  expect(doctor.out).toMatch(/^scopes\tok\t.*users: user\.modify user\.delete/m);
});
