import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../db/sql.ts";
import * as upkeep from "../db/queries/upkeep/upkeep.ts";
import { allScopes, scopesAllowedTo, type Scope } from "../domain/people/scopes.ts";
import { collectedOutputMinutes } from "../domain/lifetimes.ts";
import { useApi, type ApiAnswer, type Caller } from "./support/service/api.ts";
import { eventually } from "./support/run/eventually.ts";
import { fromNow } from "./support/given/given.ts";
import { givenIssuingRealm } from "./support/given/issuing.ts";

/** The creator: a user through an application, or a service without a user. */
interface Holder {
  userId?: string;
  clientId: string;
}

const api = useApi();
const key = /PRIVATE KEY/;
const pem = { format: "pem", keyType: "ec-p256" };
const device = { ...pem, deviceType: "Linux" };

let realmId: string;

beforeAll(async () => {
  ({ realmId } = await givenIssuingRealm(api.database.owner));
  await api.startWorker();
});

const tokenOf = async (holder: Holder, scopes?: readonly Scope[]): Promise<Caller> =>
  api.as.token(await api.given.token({ realmId, ...holder }, scopes && { scopes }));

async function givenHolder(type: "useragent" | "service"): Promise<Holder> {
  const { clientId } = await api.given.application({ realmId, type });
  if (type === "service") return { clientId };
  return { clientId, userId: (await api.given.user({ realmId, administrator: true })).id };
}

/** Requests a profile without waiting for its output; returns the location of its issuance, once it is issued. */
async function issued(creator: Caller, path: string, body: object): Promise<string> {
  const answer = await creator.post(path, body, { headers: { prefer: "respond-async" } });
  expect(answer.status, answer.text).toBe(202);
  const location = String(answer.headers.location);
  await eventually(async () => {
    expect(await stored(location)).toMatchObject({ status: "issued" });
  });
  return location;
}

/** Returns the row of an issuance, and the state of its output. */
async function stored(location: string): Promise<unknown> {
  const [row] = await api.database.owner.query(sql`
    select i.status, o.collected_at as collected, o.sealed is not null as sealed
      from issuances i left join issuance_outputs o on o.issuance_id = i.id
     where i.id = ${location.split("/").at(-1) ?? ""}
  `);
  return row;
}

/** Runs the upkeep that erases outputs collected by now, as if their ten minutes were over. */
const tenMinutesLater = () =>
  upkeep.eraseOutputs(api.database.owner, { at: fromNow((collectedOutputMinutes + 1) * 60_000) });

/** The issuance without its profile. Reading the issuance leaves its output unchanged. */
const bare = { status: 200, body: { data: { state: "issued", error: null, profile: null } } };

describe.each([
  [
    "a user's profile, created by an administrator",
    "useragent",
    "profile.create",
    "/api/user/:userID/profiles/laptop",
    device,
  ],
  ["a user's profile, created by a service", "service", "profile.create", "/api/user/:userID/profiles/laptop", device],
  ["one's own profile", "useragent", "profile.create", "/api/profile/laptop", device],
  [
    "an infrastructure profile, created by an administrator",
    "useragent",
    "infrastructure.create",
    "/api/infrastructure-profile/ap-1",
    { ...pem, validityMonths: 12 },
  ],
  [
    "an infrastructure profile, created by a service",
    "service",
    "infrastructure.create",
    "/api/infrastructure-profile/ap-2",
    { ...pem, validityMonths: 12 },
  ],
] as const)("the output of %s", (_, type, needed, template, body) => {
  const scopes = scopesAllowedTo(type);
  let holder: Holder;
  let path: string;

  beforeAll(async () => {
    holder = await givenHolder(type);
    path = template.replace(":userID", (await api.given.user({ realmId })).id);
  });

  test(`is only readable with the scope ${needed} of the same application; no other scope shows or erases it`, async () => {
    const location = await issued(await tokenOf(holder), path, body);

    for (const scope of scopes.filter((one) => one !== needed)) {
      const answer = await (await tokenOf(holder, [scope])).get(location, { headers: { prefer: "wait=1" } });
      expect(answer, scope).toMatchObject(bare);
      expect(answer.text, scope).not.toMatch(key);
    }
    const others = scopes.filter((one) => one !== needed);
    expect(await (await tokenOf(holder, others)).get(location)).toMatchObject(bare);
    expect(await stored(location)).toMatchObject({ collected: null, sealed: true });
    await tenMinutesLater();
    expect(await stored(location)).toMatchObject({ collected: null, sealed: true });

    const alone = await (await tokenOf(holder, [needed])).get(location);
    expect(alone.body.data.profile.privateKey).toMatch(key);
    expect((await (await tokenOf(holder)).get(location)).text).toBe(alone.text);
    await tenMinutesLater();
    expect(await (await tokenOf(holder)).get(location)).toBeError("output_erased");
    expect(await (await tokenOf(holder, others)).get(location)).toMatchObject(bare);
  });

  test("cannot be read by another application, whatever its scopes", async () => {
    const location = await issued(await tokenOf(holder), path, body);
    const other = { ...holder, clientId: (await givenHolder(type)).clientId };

    for (const granted of [scopes, ...scopes.map((scope) => [scope])]) {
      const answer = await (await tokenOf(other, granted)).get(location);
      // The user may read the issuance through any application; from another service it is hidden.
      if (type === "useragent") expect(answer, granted.join()).toMatchObject(bare);
      else expect(answer, granted.join()).toBeError("issuance_not_found");
      expect(answer.text).not.toMatch(key);
    }
    await tenMinutesLater();
    expect((await (await tokenOf(holder)).get(location)).body.data.profile.privateKey).toMatch(key);
  });
});

test("the same Idempotency-Key from another application of the same user creates another profile", async () => {
  const holder = await givenHolder("useragent");
  const other = { ...holder, clientId: (await givenHolder("useragent")).clientId };
  const options = { headers: { "idempotency-key": "one-key" } };
  const first = await (await tokenOf(holder)).post("/api/profile/laptop", device, options);
  const second = await (await tokenOf(other)).post("/api/profile/laptop", device, options);

  expect(second.status, second.text).toBe(200);
  expect(second.body.data.serial).not.toBe(first.body.data.serial);
  expect((await (await tokenOf(holder)).post("/api/profile/laptop", device, options)).text).toBe(first.text);
  const withoutScope = scopesAllowedTo("useragent").filter((scope) => scope !== "profile.create");
  const repeat = await (await tokenOf(holder, withoutScope)).post("/api/profile/laptop", device, options);
  expect(repeat).toBeError("insufficient_scope");
});

test("only a token of that guest account can read the output of a guest's profile", async () => {
  const account = await api.given.guestAccount({ realmId });
  const location = await issued(api.as.guest(account), "/api/guest-profile", device);
  const strangers = [
    api.as.guest(await api.given.guestAccount({ realmId })),
    ...(await Promise.all(allScopes.map(async (scope) => tokenOf(await givenHolder("useragent"), [scope])))),
    await tokenOf(await givenHolder("service")),
  ];

  for (const stranger of strangers) expect(await stranger.get(location)).toBeError("issuance_not_found");
  await tenMinutesLater();
  expect((await api.as.guest(account).get(location)).body.data.profile.privateKey).toMatch(key);
});

describe.each(["useragent", "service"] as const)("the keys in the results of a job that a %s created", (type) => {
  const scopes = scopesAllowedTo(type);
  const types = ["application/json", "application/x-ndjson", "text/csv"];
  let holder: Holder;
  let path: string;

  beforeAll(async () => {
    holder = await givenHolder(type);
    const row = { profileName: "laptop", deviceType: "Linux", format: "pem" };
    const users = ["one", "two"].map((name) => ({ ...row, pairwiseID: `${name}@${type}.example` }));
    const creator = await tokenOf(holder);
    const created = await creator.post("/api/jobs/onboarding", { users }, { headers: { prefer: "wait=30" } });
    expect(created.body.data).toMatchObject({ state: "completed", changed: 2 });
    path = `/api/jobs/${created.body.data.id}/results`;
  });

  const read = async (reader: Holder, granted: readonly Scope[], accept: string): Promise<ApiAnswer> => {
    const answer = await (await tokenOf(reader, granted)).get(path, { headers: { accept } });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.text).toContain("one@");
    return answer;
  };

  test("are only readable with the scope profile.create of the same application; no other scope shows them", async () => {
    for (const scope of scopes) {
      if (scope === "job.read") continue;
      expect(await (await tokenOf(holder, [scope])).get(path), scope).toBeError("insufficient_scope");
      const { text } = await read(holder, ["job.read", scope], "application/json");
      expect(text.includes("PRIVATE KEY"), scope).toBe(scope === "profile.create");
    }
    const others = scopes.filter((scope) => scope !== "profile.create");
    for (const accept of types) {
      for (const granted of [["job.read"] as const, others]) {
        expect((await read(holder, granted, accept)).text).not.toMatch(key);
      }
      expect((await read(holder, scopes, accept)).text).toMatch(key);
    }
  });

  test("cannot be read by another application or administrator, whatever their scopes", async () => {
    const stranger = await givenHolder("useragent");
    const other = { ...holder, clientId: (await givenHolder(type)).clientId };
    for (const reader of [other, stranger, { ...stranger, clientId: holder.clientId }]) {
      for (const accept of types) expect((await read(reader, scopesAllowedTo(type), accept)).text).not.toMatch(key);
    }
    expect((await read(holder, scopes, "application/json")).text).toMatch(key);
  });
});
