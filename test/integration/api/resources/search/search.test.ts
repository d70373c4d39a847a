import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import type { Scope } from "../../../../../domain/people/scopes.ts";
import { scopesAllowedTo } from "../../../../../domain/people/scopes.ts";
import type { ApiAnswer, Caller } from "../../../../support/service/api.ts";
import { useApi } from "../../../../support/service/api.ts";
import { givenJob } from "../../../../support/given/bulk-jobs.ts";
import { fromNow, type GivenGuestAccount, type GivenUser } from "../../../../support/given/given.ts";

const api = useApi();
const { as, given } = api;

const day = 24 * 60 * 60 * 1000;
const annasSerial = "123456789012345678901234567890128812";
const revokedSerial = "987654321098765432109876543210987731";
const expiredSerial = "555554321098765432109876543210985555";
const guestSerial = "777776543210987654321098765432106666";
const serverSerial = "333336543210987654321098765432107777";
const annasIdentity = "abcdefghijklmnop2345@campus.example";
const revokedIdentity = "zyxwvutsrqponmlk6543@campus.example";

let realmId: string;
let service: Caller;
let anna: GivenUser;
let bernd: GivenUser;
let guests: GivenGuestAccount;
let portal: { clientId: string };

beforeAll(async () => {
  realmId = await given.realm();
  service = as.service({ realmId });
  // Makes ids as long as in an installation with more people.
  await api.database.owner.query(sql`select setval(pg_get_serial_sequence('users', 'id'), 31234)`);
  anna = await person({ pairwiseId: "a7@campus.example", email: "anna.mueller@mail.example", name: "Anna Müller" });
  bernd = await person({ pairwiseId: "b_100%", email: "bernd@mail.example", name: "Bernd Weiß", lockedAt: fromNow(0) });
  await person({ pairwiseId: "k", email: "leonie.k.schmidt@mail.example", name: "Leonie K." });
  await person({ pairwiseId: "m", email: "leonie.m.schmidt@mail.example", name: "Leonie M." });
  await person({
    pairwiseId: "i",
    email: "leonie.m.schmidt@institute.example",
    name: "Leonie M. of the institute",
  });
  const clara = { pairwiseId: "clara", email: "clara@mail.example", name: "Clara Mueller-Strauß" };
  await person({ ...clara, offboardedAt: fromNow(-day), createdAt: fromNow(day) });
  await profile(anna, { serialNumber: annasSerial, name: "Annas Wohnzimmer-Laptop", identity: annasIdentity });
  const revoked = { serialNumber: revokedSerial, name: "Annas altes Telefon", identity: revokedIdentity };
  await profile(anna, { ...revoked, revokedAt: fromNow(-day) });
  const expired = { serialNumber: expiredSerial, createdAt: fromNow(-9 * day), notAfter: fromNow(-day) };
  await given.profile(bernd, expired);
  guests = await given.guestAccount({ realmId, name: "Fachtagung Häuser 100%" });
  await given.guestAccount({ realmId, name: "Häuser von gestern", expiresAt: fromNow(-day) });
  await given.profile({ realmId }, { guestAccountId: guests.id, serialNumber: guestSerial, name: "guest phone" });
  await given.profile(
    { realmId },
    { kind: "infrastructure", serialNumber: serverSerial, name: "radius.campus.example" },
  );
  portal = await given.application({ realmId, name: "Campus portal", type: "useragent" });

  // The same records in another realm, which no search may return.
  const stranger = await given.user({
    realmId: api.realmId,
    pairwiseId: "a7@campus.example",
    email: "anna@mail.example",
  });
  await given.profile(stranger, { serialNumber: "123456789012345678901234567890120000", name: "Annas Laptop" });
  await given.guestAccount({ realmId: api.realmId, name: "Fachtagung Häuser" });
  await given.application({ realmId: api.realmId, name: "Campus portal" });
});

async function person({
  name,
  ...user
}: Omit<Parameters<typeof given.user>[0], "realmId"> & { name: string }): Promise<GivenUser> {
  const made = await given.user({ realmId, ...user });
  await api.database.owner.query(sql`update users set display_name = ${name} where id = ${made.id}`);
  return made;
}

async function profile(
  owner: GivenUser,
  {
    identity,
    revokedAt = null,
    ...values
  }: Parameters<typeof given.profile>[1] & { identity: string; revokedAt?: Date | null },
): Promise<void> {
  const serial = await given.profile(owner, values);
  const { owner: db } = api.database;
  await db.query(sql`update certificates set identity = ${identity} where serial_number = ${serial}`);
  if (revokedAt === null) return;
  await db.query(sql`
    insert into revocations (certificate_id, revoked_at, reason)
    select id, ${revokedAt}, 5 from certificates where serial_number = ${serial}
  `);
}

interface Group {
  kind: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test reads an answer as a client does; its assertion is the check
  items: any[];
  more: boolean;
  total: number;
  isTotalExact: boolean;
}

const groupsOf = (answer: ApiAnswer): Group[] => {
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data.groups as Group[];
};

describe("the group of bulk jobs", () => {
  let jobId: string;

  beforeAll(async () => {
    const { owner } = api.database;
    jobId = await givenJob(owner, { realmId, kind: "offboarding", state: "ready", rows: [] });
    await owner.query(sql`update jobs set name = 'Abgänge_Sommer.csv' where id = ${jobId}`);
    const foreign = await givenJob(owner, { realmId: api.realmId, kind: "offboarding", state: "ready", rows: [] });
    await owner.query(sql`update jobs set name = 'Abgänge Winter' where id = ${foreign}`);
  });

  const searched = async (q: string, caller = service) =>
    groupsOf(await caller.post("/api/search", { q, include: "jobs" })).find(({ kind }) => kind === "job");

  test("contains the realm's jobs found by words of their name or by their id", async () => {
    for (const q of ["abgänge", "sommer abg", jobId]) {
      expect(await searched(q), q).toMatchObject({
        items: [{ id: jobId, kind: "offboarding", name: "Abgänge_Sommer.csv", state: "ready" }],
        total: 1,
        isTotalExact: true,
      });
    }
    expect(await searched("winter")).toMatchObject({ items: [], total: 0 });
  });

  test("is in the response only if it is requested, in the query or the body, by a caller with job.read", async () => {
    const without = as.service({ realmId, scopes: ["user.read"] });
    expect(groupsOf(await find("abgänge")).map(({ kind }) => kind)).not.toContain("job");
    expect(groupsOf(await service.get("/api/search?q=sommer&include=jobs")).map(({ kind }) => kind)).toContain("job");
    expect(await searched("abgänge", without)).toBeUndefined();
    expect(await searched("x")).toMatchObject({ items: [], total: 0 });
    expect(await service.post("/api/search", { q: "sommer", include: "secrets" })).toBeError("invalid_request");
  });
});

const find = async (q: string, caller = service): Promise<ApiAnswer> => caller.post("/api/search", { q });

const group = async (kind: string, q: string, caller = service): Promise<Group> => {
  const found = groupsOf(await find(q, caller)).find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`no group ${kind}`);
  return found;
};

const peopleFoundBy = async (q: string) =>
  (await group("user", q)).items.map(({ displayName }) => displayName as string);
const serialsFoundBy = async (q: string) => (await group("profile", q)).items.map(({ serial }) => serial as string);

describe("people", () => {
  test("are found by their ID, even if it contains an @, with the fields of a list", async () => {
    const answer = await find("a7@campus.example");
    expect(groupsOf(answer)[0]).toEqual({
      kind: "user",
      items: [
        {
          userID: anna.id,
          pairwiseID: "a7@campus.example",
          email: "anna.mueller@mail.example",
          displayName: "Anna Müller",
          state: "active",
          profileCount: 1,
        },
      ],
      more: false,
      total: 1,
      isTotalExact: true,
    });
    expect(answer.body.data.partial).toEqual([]);
  });

  test.each<[q: string, people: string[]]>([
    ["anna.mueller@mail.example", ["Anna Müller"]],
    ["  <anna.mueller@mail.example>,", ["Anna Müller"]],
    ["Anna Müller", ["Anna Müller"]],
    ["müller ANNA", ["Anna Müller"]],
    ["Mu\u0308ller", ["Anna Müller", "Clara Mueller-Strauß"]],
    ["mueller", ["Anna Müller", "Clara Mueller-Strauß"]],
    ["muller", []],
    ["weiss", ["Bernd Weiß"]],
    ["WEIẞ", ["Bernd Weiß"]],
    ["mueller strauss", ["Clara Mueller-Strauß"]],
    ["anna bernd", []],
    ["b_100%", ["Bernd Weiß"]],
    ["a_campus", []],
    ["%", []],
    ["%%", []],
    ["__", []],
    ["\\\\", []],
    [".*", []],
    ["(anna|bernd)ss", []],
    ["ra", ["Clara Mueller-Strauß"]],
  ])("%s", async (q, people) => {
    expect(await peopleFoundBy(q)).toEqual(people);
  });

  test.each<[q: string, people: string[]]>([
    ["leonie.k.schmidt@mail.example", ["Leonie K."]],
    ["onie.k.schmidt@mail", ["Leonie K."]],
    ["LEONIE.M.SCHMIDT@mail.example", ["Leonie M."]],
    ["leonie.m.schmidt@", ["Leonie M.", "Leonie M. of the institute"]],
    ["leonie.m.schmidt@institute.example", ["Leonie M. of the institute"]],
    ["leonie.n.schmidt@mail.example", []],
  ])("whose long addresses begin and end alike are told apart: %s", async (q, people) => {
    expect((await peopleFoundBy(q)).sort()).toEqual(people);
  });

  test("are found by their userID, even once forgotten", async () => {
    expect((await group("user", anna.id)).items).toMatchObject([{ userID: anna.id }]);
    const gone = await given.user({ realmId, offboardedAt: fromNow(-day) });
    await api.database.owner.query(sql`
      update users set forgotten_at = now(), email = '', display_name = null, pairwise_id = chr(127) || id where id = ${gone.id}
    `);
    expect((await group("user", gone.id)).items[0]).toMatchObject({
      userID: gone.id,
      pairwiseID: "",
      state: "forgotten",
    });
  });

  test("are sorted by best match, then active first, then newest", async () => {
    const named = async (name: string, createdAt: Date, offboardedAt: Date | null = null) =>
      person({ pairwiseId: `order-${name}-${createdAt.getTime()}`, name, createdAt, offboardedAt });
    await named("Kim Sorensen", fromNow(-3 * day));
    await named("Sorensen-Berg", fromNow(-4 * day), fromNow(-day));
    await named("Sorensen", fromNow(-5 * day));
    await named("Sorensen Lund", fromNow(-6 * day));
    await named("Aasorensen", fromNow(-day));
    await named("Sorensen Bo", fromNow(-2 * day));
    expect(await peopleFoundBy("sorensen")).toEqual([
      "Sorensen",
      "Sorensen Bo",
      "Sorensen Lund",
      "Sorensen-Berg",
      "Kim Sorensen",
      "Aasorensen",
    ]);
    const first = await service.post("/api/search", { q: "sorensen", limit: 2 });
    expect(groupsOf(first)[0]).toMatchObject({ items: [{ displayName: "Sorensen" }, {}], more: true, total: 6 });
  });

  test("are counted exactly below 200; larger counts are reported as an inexact 200", async () => {
    const make = (from: number, to: number) =>
      api.database.owner.query(sql`
        insert into users (realm_id, pairwise_id, email, created_at)
        select ${realmId}, 'counted-' || n, 'counted@mail.example', now() from generate_series(${from}::int, ${to}::int) n
      `);
    await make(1, 199);
    expect(await group("user", "counted-")).toMatchObject({ more: true, total: 199, isTotalExact: true });
    await make(200, 230);
    expect(await group("user", "counted-")).toMatchObject({ more: true, total: 200, isTotalExact: false });
  });
});

describe("profiles", () => {
  test("are found by the whole serial number, in any state, with their owners", async () => {
    const answer = await find(revokedSerial);
    expect(groupsOf(answer)[1]).toEqual({
      kind: "profile",
      items: [
        {
          serial: revokedSerial,
          kind: "user",
          name: "Annas altes Telefon",
          deviceType: "Linux",
          state: "revoked",
          identity: revokedIdentity,
          owner: anna.id,
          guestAccountID: null,
        },
      ],
      more: false,
      total: 1,
      isTotalExact: true,
    });
    expect(answer.body.data.people).toEqual({
      [anna.id]: {
        pairwiseID: "a7@campus.example",
        email: "anna.mueller@mail.example",
        displayName: "Anna Müller",
        state: "active",
      },
    });
  });

  const hexadecimal = BigInt(revokedSerial).toString(16);
  const octets = hexadecimal.padStart(32, "0").match(/../g) ?? [];

  test.each<[q: string, serials: string[]]>([
    [expiredSerial, [expiredSerial]],
    [guestSerial, [guestSerial]],
    [serverSerial, [serverSerial]],
    ["7731", [revokedSerial]],
    ["…10987731", [revokedSerial]],
    ["1098 7731", [revokedSerial]],
    ["9876", [revokedSerial]],
    ["9876 5432 1098", [revokedSerial]],
    ["773", []],
    ["8901234567", [annasSerial]],
    ["8901234599", []],
    ["43210987654321098765", []],
    [hexadecimal, [revokedSerial]],
    [hexadecimal.toUpperCase(), [revokedSerial]],
    [`0x${hexadecimal}`, [revokedSerial]],
    [octets.join(":"), [revokedSerial]],
    [octets.join(":").toUpperCase(), [revokedSerial]],
    [octets.join(" "), [revokedSerial]],
    [octets.join("-"), [revokedSerial]],
    [`00:${octets.join(":")}`, [revokedSerial]],
    [`serial=${hexadecimal.toUpperCase()}`, [revokedSerial]],
    [`Serial Number:\n    ${octets.join(":")}`, [revokedSerial]],
    [annasIdentity, [annasSerial]],
    ["abcdefgh", [annasSerial]],
    [revokedIdentity, [revokedSerial]],
    ["ZYXWVUTS", [revokedSerial]],
    ["yxwvutsr", []],
    ["laptop annas", [annasSerial]],
    ["Annas Wohnzimmer-Laptop", [annasSerial]],
    ["telefon", [revokedSerial]],
    ["altes annas", [revokedSerial]],
    ["la", [expiredSerial, annasSerial]],
    ["ap", []],
    ["an wo", [annasSerial]],
    ["guest phone", [guestSerial]],
    ["radius.campus.example", [serverSerial]],
  ])("%s", async (q, serials) => {
    expect(await serialsFoundBy(q)).toEqual(serials);
  });

  test("are sorted with active profiles first", async () => {
    await given.profile(bernd, {
      serialNumber: "414141",
      name: "x",
      createdAt: fromNow(-9 * day),
      notAfter: fromNow(-day),
    });
    await given.profile(bernd, { serialNumber: "414142", name: "x", createdAt: fromNow(-10 * day) });
    await given.profile(bernd, { serialNumber: "414143", name: "x", createdAt: fromNow(-8 * day) });
    expect(await serialsFoundBy("4141")).toEqual(["414143", "414142", "414141"]);
  });
});

test("guest accounts are found by every word of their names and by their id, active accounts first", async () => {
  const names = async (q: string) => (await group("guestAccount", q)).items.map(({ name }) => name as string);
  expect((await group("guestAccount", "fachtagung haeuser")).items).toEqual([
    { id: guests.id, name: "Fachtagung Häuser 100%", state: "active" },
  ]);
  expect(await names("Häuser")).toEqual(["Häuser von gestern", "Fachtagung Häuser 100%"]);
  expect((await group("guestAccount", "von gestern")).items).toMatchObject([{ state: "expired" }]);
  expect(await names("100%")).toEqual(["Fachtagung Häuser 100%"]);
});

test("applications are found by every word of their names and by their client id", async () => {
  const expected = [{ client_id: portal.clientId, name: "Campus portal", type: "useragent", active: true }];
  expect((await group("application", "portal campus")).items).toEqual(expected);
  expect((await group("application", portal.clientId)).items).toEqual(expected);
});

test("nothing of another realm is found", async () => {
  const answer = await find("Annas Laptop", as.service());
  expect(groupsOf(answer)[1]?.items).toMatchObject([{ name: "Annas Laptop" }]);
  for (const q of ["123456789012345678901234567890120000", "0000"]) expect(await serialsFoundBy(q)).toEqual([]);
  expect(await peopleFoundBy("anna@mail.example")).toEqual([]);
  expect((await group("guestAccount", "fachtagung")).items).toHaveLength(1);
  expect((await group("application", "portal")).items).toHaveLength(1);
});

describe("each group requires its own scope", () => {
  test.each<[scopes: Scope[], kinds: string[]]>([
    [[], []],
    [["job.read", "audit.read", "realm.read"], []],
    [["user.read"], ["user"]],
    [["profile.read"], ["profile"]],
    [["infrastructure.read"], ["profile"]],
    [["guest.read"], ["profile", "guestAccount"]],
    [["application.read"], ["application"]],
    [scopesAllowedTo("service"), ["user", "profile", "guestAccount", "application"]],
  ])("%j", async (scopes, kinds) => {
    for (const q of ["campus", "", "a"]) {
      expect(groupsOf(await find(q, as.service({ realmId, scopes }))).map(({ kind }) => kind)).toEqual(kinds);
    }
  });

  test.each<[scope: Scope, serial: string]>([
    ["profile.read", annasSerial],
    ["guest.read", guestSerial],
    ["infrastructure.read", serverSerial],
  ])("%s shows only profiles of its own kind", async (scope, serial) => {
    const caller = as.service({ realmId, scopes: [scope] });
    for (const one of [annasSerial, guestSerial, serverSerial]) {
      const { items } = await group("profile", one, caller);
      expect(items.map((item) => (item as { serial: string }).serial)).toEqual(one === serial ? [serial] : []);
    }
    expect((await group("profile", annasSerial.slice(8, 18), caller)).items).toHaveLength(
      scope === "profile.read" ? 1 : 0,
    );
  });

  test("owners are named only with user.read", async () => {
    const { body } = await find(annasSerial, as.service({ realmId, scopes: ["profile.read"] }));
    expect(body.data).toMatchObject({ groups: [{ items: [{ owner: anna.id }] }], people: {} });
  });
});

test("a user without a role, a guest and an anonymous caller cannot search", async () => {
  expect(await find("anna", as.user(anna))).toBeError("forbidden");
  expect(await find("anna", as.guest(guests))).toBeError("forbidden");
  expect(await find("anna", as.nobody())).toBeError("unauthenticated");
});

test("GET with a query, GET with a body and POST return the same; the body takes precedence", async () => {
  const expected = (await service.post("/api/search", { q: "campus", limit: 1 })).text;
  expect((await service.get("/api/search?q=campus&limit=1")).text).toBe(expected);
  expect((await service.get("/api/search?q=anna&limit=7", { body: { Q: "campus", limit: 1 } })).text).toBe(expected);
});

test.each(["", " ", "a", " ä ", "\t\n"])("%j is too short for a search", async (q) => {
  expect(groupsOf(await find(q))).toEqual(
    ["user", "profile", "guestAccount", "application"].map((kind) => ({
      kind,
      items: [],
      more: false,
      total: 0,
      isTotalExact: true,
    })),
  );
});

test.each<[body: object, path: string]>([
  [{ q: "x".repeat(257) }, "q"],
  [{ q: 7 }, "q"],
  [{ q: "anna", limit: 0 }, "limit"],
  [{ q: "anna", limit: 21 }, "limit"],
  [{ q: "anna", limit: "6" }, "limit"],
])("a request with %j is refused", async (body, path) => {
  const answer = await service.post("/api/search", body);
  expect(answer).toBeError("invalid_request");
  expect(answer.body.fields).toMatchObject([{ path }]);
});

test("a limit that is not a number is refused", async () => {
  for (const limit of ["0", "21", "ten", "1.5"]) {
    expect(await service.get(`/api/search?q=anna&limit=${limit}`)).toBeError("invalid_request");
  }
});

test("a group that times out is listed in partial, with the results found until then", async () => {
  await api.database.owner.transaction(async (tx) => {
    await tx.query(sql`lock table active_profiles in access exclusive mode`);
    const answer = await find(revokedSerial);
    expect(answer.body.data.partial).toEqual(["profile"]);
    expect(groupsOf(answer)[1]?.items).toMatchObject([{ serial: revokedSerial }]);
  });
  expect((await find(revokedSerial)).body.data.partial).toEqual([]);
});
