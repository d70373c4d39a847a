import { beforeAll, describe, expect, test } from "vitest";
import { endpoints } from "../../../api/endpoints.ts";
import { sql, verbatim } from "../../../db/sql.ts";
import { useApi, type ApiAnswer, type Caller } from "../../support/service/api.ts";
import { postForm } from "../../support/given/authorization.ts";
import {
  givenSubject,
  nobodysSubject,
  samplesOf,
  type Sample,
  type SampleSubject,
} from "../../support/given/endpoint-samples.ts";
import type { GivenApplication, GivenGuestAccount, GivenSession, GivenUser } from "../../support/given/given.ts";

/**
 * Two realms with the same kinds of objects. Requests by any principal of one realm, to any endpoint and with
 * identifiers of either realm, show, count and change nothing of the other realm.
 */

// Request counts are written only after these tests, because otherwise the hidden realm's own requests would change its
// rows.
const api = useApi({ settings: { waitSeconds: 1 }, requestCountsEveryMs: 3_600_000 });
const { as, given } = api;

interface Realm {
  id: string;
  /** A session, and the issuance of a profile that is not signed yet. */
  session: GivenSession;
  issuanceId: string;
  subject: SampleSubject;
  user: GivenUser;
  confidential: GivenApplication;
  account: GivenGuestAccount;
  callers: { who: string; caller: Caller }[];
}
/** A realm that sends the requests, and a realm that must stay hidden and unchanged. */
interface Pair {
  own: Realm;
  other: Realm;
}
/**
 * Each direction has its own pair: one realm's requests may delete its objects, which the other direction would then
 * miss.
 */
const pairs: Pair[] = [];

beforeAll(async () => {
  const [first, second] = [await givenPopulatedRealm(api.realmId), await givenPopulatedRealm(await given.realm())];
  const [third, fourth] = [
    await givenPopulatedRealm(await given.realm()),
    await givenPopulatedRealm(await given.realm()),
  ];
  pairs.push({ own: first, other: second }, { own: fourth, other: third });
});

async function givenPopulatedRealm(realmId: string): Promise<Realm> {
  const subject = await givenSubject(given, realmId);
  const user = await given.user({ realmId });
  const account = await given.guestAccount({ realmId });
  const session = await given.session({ user: subject.user });
  await given.consent(subject.user, session.clientId);
  await given.profile(user);
  await given.user({ realmId, lockedAt: new Date(0), email: `somebody@${realmId}.example` });
  const clients = { confidential: await given.application({ realmId }) };
  const caller = { admin: as.admin({ realmId }), service: as.service({ realmId }), user: as.user(user) };
  // A caller's first request makes the caller's token and rows.
  const callers = Object.entries({ ...caller, guest: as.guest(account) }).map(([who, one]) => ({ who, caller: one }));
  for (const { caller: one } of callers) await one.get("/api/realm");
  await caller.admin.put(`/api/user/${user.id}/limit`, { profileOverride: 4 });
  const { body } = await caller.admin.post(
    `/api/user/${user.id}/profiles/phone`,
    { format: "pem", deviceType: "iOS" },
    { headers: { prefer: "respond-async" } },
  );
  return { id: realmId, subject, user, account, callers, session, issuanceId: body.data.id, ...clients };
}

/** A table whose rows belong to realms, found in the database's schema. */
interface Owned {
  table: string;
  /** SQL that is true if a row `t` belongs to the realm in the first parameter. */
  condition: string;
}

interface Tables {
  owned: Owned[];
  unowned: string[];
}

let tables: Promise<Tables> | undefined;

/** Returns the tables that belong to realms. Reads the schema once, because no test changes it. */
const ownedTables = (): Promise<Tables> => (tables ??= findOwnedTables());

/** Finds the tables with a realm column, then repeatedly the tables with a foreign key to a table already found. */
async function findOwnedTables(): Promise<Tables> {
  const { owner } = api.database;
  const columns = await owner.query<{ table: string; column: string }>(sql`
    select table_name as "table", column_name as "column"
      from information_schema.columns
      join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and table_type = 'BASE TABLE'
  `);
  const references = await owner.query<{ table: string; column: string; parent: string; key: string }>(sql`
    select c.conrelid::regclass::text as "table", a.attname as "column",
           c.confrelid::regclass::text as parent, f.attname as key
      from pg_constraint c
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      join pg_attribute f on f.attrelid = c.confrelid and f.attnum = c.confkey[1]
     where c.contype = 'f' and cardinality(c.conkey) = 1
  `);
  const names = [...new Set(columns.map(({ table }) => table))];
  const conditions = new Map<string, string>([
    ["realms", "t.id = $1"],
    // This table has no foreign key, because a client waits while a row is written.
    ["crl_unpublished", "t.issuer_id in (select id from issuers where realm_id = $1)"],
  ]);
  for (const { table, column } of columns) if (column === "realm_id") conditions.set(table, "t.realm_id = $1");
  for (let found = true; found;) {
    found = false;
    for (const table of names.filter((name) => !conditions.has(name))) {
      const way = references.find((one) => one.table === table && conditions.has(one.parent));
      if (way === undefined) continue;
      const inner = String(conditions.get(way.parent)).replaceAll("t.", `${way.parent}.`);
      conditions.set(table, `t.${way.column} in (select ${way.parent}.${way.key} from ${way.parent} where ${inner})`);
      found = true;
    }
  }
  return {
    owned: [...conditions].map(([table, condition]) => ({ table, condition })),
    unowned: names.filter((table) => !conditions.has(table)),
  };
}

/** Returns for each table one hash of all the realm's rows. */
async function snapshot(realmId: string): Promise<Record<string, string>> {
  const { owned } = await ownedTables();
  const hashes = owned.map(
    ({ table, condition }) => `
      select '${table}' as "table", count(*) || ' ' || md5(coalesce(string_agg(md5(t::text), '' order by md5(t::text)), '')) as hash
        from ${table} t where ${condition}`,
  );
  const rows = await api.database.owner.query<{ table: string; hash: string }>(
    verbatim(hashes.join(" union all "), [realmId]),
  );
  return Object.fromEntries(rows.map(({ table, hash }) => [table, hash]));
}

/** Returns texts that occur in one realm only: a response with one of them has leaked that realm. */
async function marksOf({ id, session, issuanceId, account }: Realm): Promise<string[]> {
  const rows = await api.database.owner.query<{ mark: string }>(sql`
    select serial_number::text as mark from certificates where realm_id = ${id}
    union select identity from certificates where realm_id = ${id}
    union select pairwise_id from users where realm_id = ${id}
    union select email from users where realm_id = ${id}
    union select client_id::text from applications where realm_id = ${id}
    union select name from applications where realm_id = ${id}
    union select name from realms where id = ${id}
  `);
  const { accessToken, refreshToken } = session;
  return [...rows.map(({ mark }) => mark), session.id, accessToken, refreshToken, issuanceId, account.token].filter(
    (mark) => mark.length > 5,
  );
}

/**
 * Returns the sample's request with the identifiers of the realm `about`, and with that realm in every parameter that
 * an endpoint might read.
 */
function requestOf(
  sample: Sample,
  { about, own }: { about: Realm; own: Realm },
): { path: string; body: Record<string, unknown> | undefined } {
  const [found] = samplesOf([sample.endpoint], about.subject).filter(({ method }) => method === sample.method);
  const path = String(found?.path)
    .replace("7b0d4a52-6d0f-4a52-8f6e-5b9f2ac63c12", about.session.id)
    .replace("7b0d4a52-6d0f-4a52-8f6e-5b9f2ac63c11", about.issuanceId);
  const realm = { realm: about.id, realmID: about.id, realm_id: about.id };
  const profiles = [about.subject.serial, about.subject.guestSerial, about.subject.infrastructureSerial];
  const body = {
    ...found?.body,
    ...realm,
    ...(found?.body?.["profiles"] === undefined ? {} : { profiles }),
    ...(found?.body?.["name"] === undefined ? {} : { name: `made by ${own.session.id}` }),
  };
  return {
    path: `${path}?${new URLSearchParams(realm).toString()}`,
    body: sample.method === "get" ? undefined : body,
  };
}

/** Yields every value in a JSON document with its name. */
function* valuesOf(json: unknown, name = ""): Generator<[name: string, value: unknown]> {
  if (typeof json !== "object" || json === null) yield [name, json];
  else for (const [key, value] of Object.entries(json)) yield* valuesOf(value, Array.isArray(json) ? name : key);
}

/** Expects a response that contains nothing of the other realm, except texts from the request itself. */
function expectNothingOf(other: Realm, marks: readonly string[], answer: ApiAnswer, asked: string): void {
  expect(marks.filter((mark) => !asked.includes(mark) && answer.text.includes(mark))).toEqual([]);
  for (const [name, value] of valuesOf(answer.body)) {
    if (name === "realmID" || name === "realm") expect(String(value), name).not.toBe(other.id);
    if (name === "owner" || name === "userID") expect([other.user.id, other.subject.user.id]).not.toContain(value);
    if (name === "accountId") expect([other.account.id, other.subject.guestAccountId]).not.toContain(value);
  }
}

test("every table belongs to a realm, except the tables of the whole service", async () => {
  const { unowned } = await ownedTables();
  expect([...unowned].sort()).toEqual([
    // Attempts are counted per name and address, idempotency keys are kept per client. No endpoint returns them.
    "guesses",
    "idempotency_keys",
    "installation",
    "installation_secrets",
    "knex_migrations",
    "knex_migrations_lock",
    "output_data_keys",
    "processes",
    // Public CRLs of roots, which realms can share.
    "root_crls",
    "token_signing_keys",
  ]);
});

const samples = samplesOf(endpoints, nobodysSubject);
const titled = samples.map((sample) => [`${sample.method.toUpperCase()} ${sample.endpoint.path}`, sample] as const);

/** Which realm of a pair sends the requests: the first or the second. */
const directions: readonly [name: string, realms: () => Pair][] = [
  ["the first realm", () => pairs[0]!],
  ["the second realm", () => pairs[1]!],
];

/** The operations that succeeded for some caller on the caller's own realm. */
const worked = new Map(directions.map(([name]) => [name, new Set<string>()]));

describe.each(directions)(
  "%s never reaches the other realm, whichever realm's identifiers its requests contain",
  (name, realms) => {
    let own: Realm;
    let other: Realm;
    let marks: string[];
    let before: Record<string, string>;

    // While one realm sends requests, the other must not change: its state after each operation equals the initial one.
    beforeAll(async () => {
      ({ own, other } = realms());
      marks = await marksOf(other);
      before = await snapshot(other.id);
    });

    test.each(titled)("%s", async (_, sample) => {
      for (const about of [other, own]) {
        for (const { who, caller } of own.callers) {
          const { path, body } = requestOf(sample, { about, own });
          const answer = await caller.send(sample.method.toUpperCase(), path, {
            body,
            headers: { prefer: "respond-async" },
          });
          if (sample.endpoint.access !== "public") expect(answer.status, `${who}: ${answer.text}`).toBeLessThan(500);
          if (answer.status < 300 && about === own) worked.get(name)?.add(sample.endpoint.operation);
          expectNothingOf(other, marks, answer, `${path} ${JSON.stringify(body)}`);
        }
      }
      expect(await snapshot(other.id)).toEqual(before);
    });
  },
);

test.each(directions)("control: for %s, most of the same requests succeed on its own objects", (name) => {
  expect(worked.get(name)?.size).toBeGreaterThan(0.8 * endpoints.length);
});

const lists = endpoints.filter(({ list, access }) => list !== undefined && access === "staff");
const listPath = (endpoint: (typeof lists)[number], { subject }: Realm): string =>
  samplesOf([endpoint], subject)[0]?.path ?? "";
const adminOf = ({ callers }: Realm): Caller => callers[0]!.caller;

describe.each(lists.map((endpoint) => [endpoint.path, endpoint] as const))("the list %s", (_, endpoint) => {
  test.each(directions)("finds nothing for %s when it searches for the other realm's values", async (_name, realms) => {
    const { own, other } = realms();
    const list = endpoint.list as { search?: string; filter: Record<string, unknown> };
    const texts = [...(await marksOf(other)), other.user.id];
    const keys = ["email", "serials", "user", "client"].filter((key) => key in list.filter);
    let empty = 0;
    for (const text of texts) {
      const asked: Record<string, unknown>[] = list.search === undefined ? [] : [{ search: text }];
      for (const key of keys) asked.push({ filter: { [key]: text } });
      for (const body of asked) {
        // A short number can be part of the realm's own texts; a longer mark of the other realm cannot.
        if (("search" in body || "email" in (body["filter"] as object)) && text.length < 6) continue;
        const answer = await adminOf(own).send("GET", listPath(endpoint, own), { body });
        if (answer.status === 400) continue;
        expect(answer, JSON.stringify(body)).toMatchObject({ status: 200, body: { total: 0, data: [] } });
        empty += 1;
      }
    }
    expect(empty).toBeGreaterThan(0);
  });

  test.each(directions)("shows the same total for %s when rows are added to the other realm", async (_name, realms) => {
    const { own, other } = realms();
    const total = async (): Promise<number> =>
      (await adminOf(own).send("GET", listPath(endpoint, own), { body: { limit: 1 } })).body.total;
    const before = await total();
    const rows = await snapshot(other.id);

    const more = await givenSubject(given, other.id);
    await adminOf(other).put(`/api/user/${more.user.id}/status`, { locked: true });

    expect(await total()).toBe(before);
    expect(await snapshot(other.id)).not.toEqual(rows);
  });
});

test.each(directions)(
  "clients of %s learn nothing about the other realm's tokens and cannot revoke them",
  async (_name, realms) => {
    const { own, other } = realms();
    const before = await snapshot(other.id);
    const { clientId: client_id, secret: client_secret } = own.confidential;
    const useragent = { client_id: own.session.clientId };
    const { accessToken, refreshToken, code } = other.session;
    const to = (path: string, fields: Record<string, string>) => postForm(`${api.url}/oauth/${path}`, fields);

    for (const token of [accessToken, refreshToken]) {
      expect((await to("introspect", { client_id, client_secret, token })).body).toEqual({ active: false });
      expect((await to("revoke", { client_id, client_secret, token })).status).toBe(200);
      expect((await to("revoke", { ...useragent, token })).status).toBe(200);
    }
    const refresh = { grant_type: "refresh_token", refresh_token: refreshToken, ...useragent };
    expect((await to("token", refresh)).body).toMatchObject({ error: "invalid_grant" });
    const exchange = { grant_type: "authorization_code", code, redirect_uri: "https://client.example/back" };
    expect((await to("token", { ...exchange, ...useragent })).body).toMatchObject({ error: "invalid_grant" });

    expect(await snapshot(other.id)).toEqual(before);
  },
);
