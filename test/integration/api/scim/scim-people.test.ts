import { pino } from "pino";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../db/sql.ts";
import { systemClock } from "../../../../runtime/clock.ts";
import { forgetPeople } from "../../../../worker/upkeep/forget-people.ts";
import { entriesAbout, givenDirectory, type GivenDirectory } from "../../../support/given/directory.ts";
import { givenTwins } from "../../../support/given/spellings.ts";
import { extent } from "../../../support/run/extent.ts";
import { useApi } from "../../../support/service/api.ts";
import { silentLog } from "../../../support/service/worker.ts";

/** The events that the api has logged. */
const logged: { event?: string; attribute?: string; path?: string; scimType?: string }[] = [];
const api = useApi({
  log: pino({ base: null }, { write: (line: string) => logged.push(JSON.parse(line) as (typeof logged)[0]) }),
});
const { as, given } = api;

let directory: GivenDirectory;
beforeAll(async () => {
  directory = await givenDirectory(api, { realmId: api.realmId });
});

const missing = { status: 404, body: { detail: "There is no such person." } };

interface Row {
  pairwiseId: string;
  displayName: string | null;
  email: string;
  offboarded: boolean;
}
async function userRow(id: string): Promise<Row | undefined> {
  const [row] = await api.database.owner.query<Row>(sql`
    select pairwise_id as "pairwiseId", display_name as "displayName", email, offboarded_at is not null as offboarded
      from users where id = ${id}
  `);
  return row;
}

const profilesOf = async (id: string): Promise<number> =>
  (await api.database.owner.query(sql`select from certificates where user_id = ${id} and revoked_at is null`)).length;

const eventsAbout = async (id: string): Promise<string[]> => (await entriesAbout(api, id)).map(({ event }) => event);

describe("POST", () => {
  test("creates a person, and a GET returns the person as created", async () => {
    const body = {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
      userName: "Ada@example.org",
      externalId: "object-1",
      displayName: "Ada Lovelace",
      emails: [{ value: "ada@example.org", type: "work", primary: true }],
      active: true,
      password: "secret",
      roles: [{ value: "administrator" }],
    };
    const made = await directory.scim.post("/Users", body, { headers: { "content-type": "application/scim+json" } });
    expect(made).toMatchObject({ status: 201, headers: { "content-type": "application/scim+json" } });
    const { id } = made.body;
    const { roles: _roles, password: _password, ...kept } = body;
    expect(made.body).toEqual({
      ...kept,
      id,
      name: { formatted: "Ada Lovelace" },
      meta: {
        resourceType: "User",
        created: expect.stringMatching(/Z$/),
        lastModified: made.body.meta.created,
        location: `${api.url}/scim/v2/Users/${id}`,
        version: made.headers.etag,
      },
    });
    expect(made.headers.location).toBe(made.body.meta.location);
    expect(await directory.scim.get(`/Users/${id}`)).toMatchObject({ status: 200, body: made.body });
    expect(await userRow(id)).toEqual({
      pairwiseId: "object-1",
      displayName: "Ada Lovelace",
      email: "ada@example.org",
      offboarded: false,
    });
    expect(await entriesAbout(api, id)).toEqual([
      { event: "user_create", clientId: directory.clientId, properties: { userID: id, source: "scim" } },
    ]);
    expect(
      JSON.stringify(await api.database.owner.query(sql`select * from scim_users where user_id = ${id}`)),
    ).not.toMatch(/secret|administrator/);
  });

  test("adopts the user who has signed in with the same pairwise id, but never a user with only the same e-mail address", async () => {
    const user = await given.user({ realmId: api.realmId, pairwiseId: "Object-2", email: "b@example.org" });
    const id = await directory.person({ externalId: "object-2", displayName: "B" });
    expect(id).toBe(user.id);
    expect(await userRow(id)).toMatchObject({ pairwiseId: "Object-2", displayName: "B", email: "b@example.org" });
    expect((await entriesAbout(api, id)).map(({ event, properties }) => [event, properties["changed"]])).toEqual([
      ["user_update", ["scim", "displayName"]],
    ]);
    const namesake = await directory.person({ emails: [{ value: "b@example.org" }] });
    expect(namesake).not.toBe(user.id);
  });

  test("a name loses invisible characters at its ends, and a name that consists only of them is dropped", async () => {
    const id = await directory.person({ displayName: "\u200bAda\u202c Lovelace\u00ad" });
    expect(await userRow(id)).toMatchObject({ displayName: "Ada\u202c Lovelace" });
    const nameless = await directory.person({ displayName: "\u200b" });
    expect(await userRow(nameless)).toMatchObject({ displayName: null });
  });

  test("a third spelling of an id that two users already have in different letter case gets 409", async () => {
    await givenTwins(api.database.owner, { realmId: api.realmId, ids: ["Twin", "TWIN"] });
    const conflict = { status: 409, body: { scimType: "uniqueness", status: "409" } };
    expect(await directory.scim.post("/Users", { userName: "twin-3", externalId: "twin" })).toMatchObject(conflict);
    // The exact spelling identifies one of the two users.
    expect(await directory.scim.post("/Users", { userName: "twin-1", externalId: "Twin" })).toMatchObject({
      status: 201,
    });
  });

  test("creating a person who exists, under either name, gets 409, and the directory then finds the person by a search", async () => {
    await directory.person({ userName: "taken", externalId: "taken-id" });
    const conflict = { status: 409, body: { scimType: "uniqueness", status: "409" } };
    expect(await directory.scim.post("/Users", { userName: "other", externalId: "taken-id" })).toMatchObject(conflict);
    const byName = await directory.scim.post("/Users", { userName: "TAKEN", externalId: "other-id" });
    expect(byName).toMatchObject(conflict);
    expect(byName.body.detail).toContain("userName");
    // Nothing is left of a refused person.
    expect(await api.database.owner.query(sql`select from users where pairwise_id = 'other-id'`)).toEqual([]);
    const found = await directory.scim.get(`/Users?filter=${encodeURIComponent('userName eq "Taken"')}`);
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ userName: "taken" }] });
  });

  test.each([
    [{ externalId: "x" }, "invalidValue"],
    [{ userName: "x" }, "invalidValue"],
    [{ userName: "x", externalId: "a\u200bb" }, "invalidValue"],
    [{ userName: "x".repeat(256), externalId: "x" }, "invalidValue"],
    [{ userName: "x", externalId: "x", active: "0" }, "invalidValue"],
    ["text", "invalidSyntax"],
  ])("%j is refused", async (body, scimType) => {
    expect(await directory.scim.post("/Users", body)).toMatchObject({ status: 400, body: { scimType } });
  });

  test("creates a person who is inactive from the start as offboarded", async () => {
    const id = await directory.person({ active: false });
    expect(await userRow(id)).toMatchObject({ offboarded: true });
    expect(await entriesAbout(api, id)).toMatchObject([{ event: "user_create", properties: { active: false } }]);
    expect((await directory.scim.get(`/Users/${id}`)).body.active).toBe(false);
  });
});

describe("leaving and coming back", () => {
  test("active:false offboards the person and revokes their profiles immediately; fifty repeats change and record nothing", async () => {
    const id = await directory.person();
    await given.profile({ id, realmId: api.realmId });
    expect((await directory.deactivate(id)).body.active).toBe(false);
    expect([await profilesOf(id), (await userRow(id))?.offboarded]).toEqual([0, true]);
    const { meta } = (await directory.scim.get(`/Users/${id}`)).body;
    for (let time = 0; time < 50; time++) {
      expect(await directory.deactivate(id)).toMatchObject({ status: 200, body: { active: false, meta } });
    }
    expect(await entriesAbout(api, id)).toMatchObject([
      { event: "user_create" },
      { event: "user_offboard", clientId: directory.clientId, properties: { reason: 5, profiles: 1, source: "scim" } },
    ]);
  });

  test("active:true reactivates the same person, without their devices", async () => {
    const id = await directory.person();
    await given.profile({ id, realmId: api.realmId });
    await directory.deactivate(id);
    const back = await directory.patch(id, { op: "replace", path: "active", value: "True" });
    expect(back.body).toMatchObject({ id, active: true });
    expect([await profilesOf(id), (await userRow(id))?.offboarded]).toEqual([0, false]);
    expect(await eventsAbout(id)).toEqual(["user_create", "user_offboard", "user_undelete"]);
  });

  test("a new POST of a person who was deactivated or deleted reactivates the same person", async () => {
    for (const leave of [directory.deactivate, (id: string) => directory.scim.delete(`/Users/${id}`)]) {
      const name = `returner-${await directory.person()}`;
      const id = await directory.person({ userName: name, externalId: name });
      await leave(id);
      expect(await userRow(id)).toMatchObject({ offboarded: true });
      expect(await directory.person({ userName: `${name}-new`, externalId: name })).toBe(id);
      expect((await directory.scim.get(`/Users/${id}`)).body).toMatchObject({ active: true, userName: `${name}-new` });
      expect(await userRow(id)).toMatchObject({ offboarded: false });
    }
  });

  test("DELETE returns 204 once, then 404, and the user stays", async () => {
    const id = await directory.person();
    await given.profile({ id, realmId: api.realmId });
    expect(await directory.scim.delete(`/Users/${id}`)).toMatchObject({ status: 204, text: "" });
    expect(await directory.scim.delete(`/Users/${id}`)).toMatchObject(missing);
    expect(await directory.scim.get(`/Users/${id}`)).toMatchObject(missing);
    expect([await profilesOf(id), (await userRow(id))?.offboarded]).toEqual([0, true]);
  });

  test("a repeated active:true never reactivates a person who was offboarded here", async () => {
    const id = await directory.person();
    expect(await as.admin().delete(`/api/user/${id}`)).toMatchObject({ status: 200 });
    const read = (await directory.scim.get(`/Users/${id}`)).body;
    expect(read.active).toBe(false);
    expect((await directory.scim.put(`/Users/${id}`, { ...read, active: true })).body).toEqual(read);
    expect(await userRow(id)).toMatchObject({ offboarded: true });
    // After the directory itself has deactivated the person, its active:true reactivates them.
    await directory.deactivate(id);
    expect((await directory.patch(id, { op: "replace", path: "active", value: true })).body.active).toBe(true);
  });

  test("active:false offboards a person who was reactivated here since the last active:false", async () => {
    const id = await directory.person();
    await directory.deactivate(id);
    expect(await as.admin().put(`/api/user/${id}/undelete`)).toMatchObject({ status: 200 });
    expect((await directory.deactivate(id)).body.active).toBe(false);
    expect(await userRow(id)).toMatchObject({ offboarded: true });
  });

  test("active:false offboards a person even if another attribute in the same request is invalid", async () => {
    await directory.person({ userName: "occupied", externalId: "occupied" });
    const operations = [
      { op: "replace", path: "userName", value: "OCCUPIED" },
      { op: "remove", path: "externalId" },
      { op: "replace", path: "userName", value: "x".repeat(300) },
      { op: "replace", path: "externalId", value: "a\u200bb" },
    ];
    for (const operation of operations) {
      const id = await directory.person();
      expect((await directory.patch(id, operation)).status, JSON.stringify(operation)).toBeGreaterThanOrEqual(400);
      expect(await userRow(id)).toMatchObject({ offboarded: false });
      const left = await directory.patch(id, operation, { op: "replace", path: "active", value: "False" });
      expect([left.status, left.body.active], JSON.stringify(operation)).toEqual([200, false]);
      expect(await userRow(id)).toMatchObject({ offboarded: true });
    }
  });

  test("with active:false only attributes that cannot be saved are dropped, and the log names them", async () => {
    await directory.person({ userName: "held-name", externalId: "held-name" });
    const id = await directory.person();
    await given.profile({ id, realmId: api.realmId });
    logged.length = 0;
    const value = { active: "False", userName: "HELD-NAME", externalId: "other", displayName: "Ada King" };
    const left = await directory.patch(id, { op: "replace", value });
    const kept = { userName: expect.stringMatching(/^person-/), externalId: expect.stringMatching(/^person-/) };
    expect(left).toMatchObject({ status: 200, body: { ...kept, active: false, displayName: "Ada King" } });
    const dropped = logged.filter(({ event }) => event === "scim.value_dropped").map(({ attribute }) => attribute);
    expect(new Set(dropped)).toEqual(new Set(["userName", "externalId"]));
    expect(JSON.stringify(logged)).not.toContain("HELD-NAME");
  });

  test.each(["externalId", "userName"] as const)(
    "with active:false a changed id (%s) does not keep the person, whichever attributes are sent",
    async (pairwise) => {
      const other = await givenDirectory(api, { pairwise });
      await other.person({ userName: "taken", externalId: "taken" });
      for (const name of ["changed", "TAKEN"]) {
        const id = await other.person();
        await given.profile({ id, realmId: other.realmId });
        const value = { userName: name, externalId: name, displayName: "Ada King" };
        expect((await other.patch(id, { op: "replace", value })).status).toBeGreaterThanOrEqual(400);
        expect([await userRow(id), await profilesOf(id)]).toMatchObject([{ offboarded: false }, 1]);
        const left = await other.patch(id, { op: "replace", value: { ...value, active: false } });
        expect(left).toMatchObject({ status: 200, body: { active: false, displayName: "Ada King" } });
        expect([await userRow(id), await profilesOf(id)]).toMatchObject([{ offboarded: true }, 0]);
      }
    },
  );

  test("a POST with active:false offboards the person even if another person has the userName", async () => {
    await directory.person({ userName: "occupied-2", externalId: "occupied-2" });
    const local = await given.user({ realmId: api.realmId, pairwiseId: "leaver" });
    await given.profile(local);
    const body = { userName: "Occupied-2", externalId: "leaver" };
    // While the person is active, the same request is refused.
    expect(await directory.scim.post("/Users", body)).toMatchObject({ status: 409, body: { scimType: "uniqueness" } });
    expect([await userRow(local.id), await profilesOf(local.id)]).toMatchObject([{ offboarded: false }, 1]);
    const left = await directory.scim.post("/Users", { ...body, active: false });
    expect(left).toMatchObject({ status: 201, body: { id: local.id, userName: "leaver", active: false } });
    expect([await userRow(local.id), await profilesOf(local.id)]).toMatchObject([{ offboarded: true }, 0]);
    // A person who exists and is active is not new, so the POST is refused.
    const there = await directory.person({ externalId: "there" });
    const again = { userName: "x", externalId: "there", active: false };
    expect(await directory.scim.post("/Users", again)).toMatchObject({ status: 409 });
    expect(await userRow(there)).toMatchObject({ offboarded: false });
  });

  test.each([
    [{ op: "replace", path: "active", value: "0" }, "invalidValue"],
    [{ op: "replace", path: "active.value", value: false }, "invalidPath"],
    [{ op: "replace", path: "nickName", Path: "active", value: false }, "invalidSyntax"],
    [
      { op: "replace", value: { active: true, "urn:ietf:params:scim:schemas:core:2.0:User": { active: false } } },
      "invalidSyntax",
    ],
    [{ op: "delete", path: "active" }, "invalidSyntax"],
  ])("%j is refused and logged, and the person stays unchanged", async (form, scimType) => {
    const id = await directory.person();
    await given.profile({ id, realmId: api.realmId });
    const before = await directory.scim.get(`/Users/${id}`);
    logged.length = 0;
    expect(await directory.patch(id, form)).toMatchObject({ status: 400, body: { scimType } });
    expect(logged.filter(({ event }) => event === "scim.refused")).toMatchObject([{ scimType }]);
    expect((await directory.scim.get(`/Users/${id}`)).body).toEqual(before.body);
    expect([await userRow(id), await profilesOf(id)]).toMatchObject([{ offboarded: false }, 1]);
    // Control: the nearest form that is accepted.
    expect(await directory.patch(id, { op: "replace", path: "active", value: "false" })).toMatchObject({ status: 200 });
    expect([await userRow(id), await profilesOf(id)]).toMatchObject([{ offboarded: true }, 0]);
  });

  test("a request that would offboard the last administrator gets 409 and makes none of its changes", async () => {
    const other = await givenDirectory(api);
    const admin = await given.user({ realmId: other.realmId, administrator: true, pairwiseId: "boss" });
    const id = await other.person({ externalId: "boss" });
    expect(id).toBe(admin.id);
    await given.profile(admin);
    const refused = await other.patch(id, { op: "replace", value: { active: false, displayName: "Gone" } });
    expect(refused).toMatchObject({ status: 409, body: { status: "409" } });
    expect(refused.body).not.toHaveProperty("scimType");
    expect(await other.scim.put(`/Users/${id}`, { active: false })).toMatchObject({ status: 409 });
    expect(await other.scim.delete(`/Users/${id}`)).toMatchObject({ status: 409 });
    expect([await profilesOf(id), await userRow(id)]).toMatchObject([1, { offboarded: false, displayName: null }]);
    await given.user({ realmId: other.realmId, administrator: true });
    expect(await other.deactivate(id)).toMatchObject({ status: 200, body: { active: false } });
  });
});

/** Backdates a person's offboarding by two months, and forgets the person. */
async function forget(id: string): Promise<void> {
  const { owner } = api.database;
  await owner.query(sql`update realms set forget_after_months = 1 where id = ${api.realmId}`);
  await owner.query(sql`update users set offboarded_at = now() - interval '2 months' where id = ${id}`);
  await forgetPeople({ db: api.database.open("realmpass_worker"), clock: systemClock, log: silentLog });
  await owner.query(sql`update realms set forget_after_months = null where id = ${api.realmId}`);
  expect(await owner.query(sql`select from users where id = ${id} and forgotten_at is not null`)).toHaveLength(1);
}

describe("identity", () => {
  test("the pairwise id can change before the first sign-in and profile, but not afterwards", async () => {
    const id = await directory.person();
    expect(await directory.patch(id, { op: "replace", path: "externalId", value: "mended" })).toMatchObject({
      status: 200,
    });
    expect(await userRow(id)).toMatchObject({ pairwiseId: "mended" });
    await given.profile({ id, realmId: api.realmId });
    const refused = await directory.patch(id, { op: "replace", path: "externalId", value: "moved" });
    expect(refused).toMatchObject({ status: 400, body: { scimType: "mutability" } });
    expect(await userRow(id)).toMatchObject({ pairwiseId: "mended" });
    expect((await directory.scim.get(`/Users/${id}`)).body.externalId).toBe("mended");
  });

  test("with userName as pairwise id, another letter case changes only the name", async () => {
    const other = await givenDirectory(api, { pairwise: "userName" });
    const { body } = await other.scim.post("/Users", { userName: "ada@example.org" });
    await given.profile({ id: body.id, realmId: other.realmId });
    expect((await other.scim.put(`/Users/${body.id}`, { userName: "Ada@Example.org" })).body.userName).toBe(
      "Ada@Example.org",
    );
    expect(await userRow(body.id)).toMatchObject({ pairwiseId: "ada@example.org" });
    expect(await other.patch(body.id, { op: "remove", path: "externalId" })).toMatchObject({ status: 200 });
  });

  test("the realm's choice of the pairwise id attribute cannot change once a directory has added people", async () => {
    const change = sql`update realms set scim_pairwise = 'userName' where id = ${api.realmId}`;
    await expect(api.database.owner.query(change)).rejects.toMatchObject({ constraint: "realms_scim_pairwise_stays" });
    const empty = await given.realm();
    await api.database.owner.query(sql`update realms set scim_pairwise = 'userName' where id = ${empty}`);
  });

  test("people of another connection or realm, and deleted or forgotten ones, get the same 404 as unknown ones", async () => {
    const foreign = [await givenDirectory(api, { realmId: api.realmId }), await givenDirectory(api)];
    const deleted = await directory.person();
    await directory.scim.delete(`/Users/${deleted}`);
    const local = await given.user({ realmId: api.realmId, administrator: true });
    const forgotten = await directory.person();
    await directory.deactivate(forgotten);
    await forget(forgotten);
    const hidden = [
      await foreign[0]!.person(),
      await foreign[1]!.person(),
      deleted,
      local.id,
      forgotten,
      "999999999",
      "0",
      "x",
      "%20",
    ];
    const bytes = new Set<string>();
    for (const id of hidden) {
      for (const answer of [
        await directory.scim.get(`/Users/${id}`),
        await directory.scim.put(`/Users/${id}`, { active: false }),
        await directory.deactivate(id),
        await directory.scim.delete(`/Users/${id}`),
      ]) {
        expect(answer.status, id).toBe(404);
        bytes.add(answer.text);
      }
      if (/^\d+$/.test(id) && id !== deleted && id !== forgotten)
        expect((await userRow(id))?.offboarded ?? false).toBe(false);
    }
    expect([...bytes]).toHaveLength(1);
    const listed = await directory.scim.get("/Users?count=200");
    expect(listed.body.Resources.map(({ id }: { id: string }) => id)).not.toEqual(expect.arrayContaining([local.id]));
    for (const id of hidden.slice(0, 4)) expect(listed.text).not.toContain(`"id":"${id}"`);
  });

  test("a person whose connection was deleted is adopted by another connection", async () => {
    const gone = await givenDirectory(api);
    const id = await gone.person({ externalId: "orphan" });
    const heir = await givenDirectory(api, { realmId: gone.realmId });
    expect(await heir.scim.post("/Users", { userName: "o", externalId: "orphan" })).toMatchObject({ status: 409 });
    await api.database.owner.query(sql`delete from applications where client_id = ${gone.clientId}`);
    expect(await heir.person({ externalId: "orphan" })).toBe(id);
  });
});

describe("reading and writing", () => {
  test("PUT leaves absent attributes unchanged, and clears those that are null or an empty list", async () => {
    const id = await directory.person({ displayName: "A", emails: [{ value: "a@example.org" }] });
    const { body: before } = await directory.scim.get(`/Users/${id}`);
    expect((await directory.scim.put(`/Users/${id}`, { userName: before.userName })).body).toEqual(before);
    const { body: after } = await directory.scim.put(`/Users/${id}`, { displayName: null, emails: [] });
    expect(after).not.toHaveProperty("displayName");
    expect(after).not.toHaveProperty("emails");
    expect(await eventsAbout(id)).toEqual(["user_create", "user_update"]);
  });

  test("a GET returns what was written, and the same PUT again changes nothing", async () => {
    let seed = 11;
    const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const some = <Value>(values: readonly Value[]): Value => values[next(values.length)]!;
    for (let index = 0; index < extent(200, 0.2); index++) {
      const name = `random-${index}`;
      const id = await directory.person({ userName: name, externalId: name });
      const resource = {
        userName: some([name, name.toUpperCase(), `${name} ünïcode 𝒳`]),
        externalId: name,
        ...some([{}, { displayName: some(["Ada", "Ada O'Hara", "名前", "a".repeat(200)]) }]),
        ...some([
          {},
          {
            emails: [
              { value: `a${index}@example.org`, type: some(["work", "Work", "home"]), primary: some([true, false]) },
            ],
          },
        ]),
        active: some([true, true, false]),
      };
      const put = await directory.scim.put(`/Users/${id}`, resource);
      expect(put, JSON.stringify(resource)).toMatchObject({ status: 200, body: resource });
      const entries = (await entriesAbout(api, id)).length;
      const again = await directory.scim.put(`/Users/${id}`, put.body);
      expect(again.body).toEqual(put.body);
      expect((await directory.scim.get(`/Users/${id}`)).body).toEqual(put.body);
      expect(await entriesAbout(api, id)).toHaveLength(entries);
    }
  });

  test("every change yields a new version, even one made here, and a stale If-Match is refused", async () => {
    const id = await directory.person();
    const { headers } = await directory.scim.get(`/Users/${id}`);
    const etag = String(headers.etag);
    expect(etag).toMatch(/^W\/"[\w-]{16}"$/);
    expect(await directory.scim.get(`/Users/${id}`, { headers: { "if-none-match": etag } })).toMatchObject({
      status: 304,
      text: "",
    });
    await api.database.owner.query(sql`update users set display_name = 'New' where id = ${id}`);
    const stale = { headers: { "if-match": etag } };
    expect(await directory.scim.put(`/Users/${id}`, { displayName: "Mine" }, stale)).toMatchObject({
      status: 412,
      body: { status: "412" },
    });
    expect(await directory.scim.delete(`/Users/${id}`, undefined, stale)).toMatchObject({ status: 412 });
    const fresh = String((await directory.scim.get(`/Users/${id}`)).headers.etag);
    expect(fresh).not.toBe(etag);
    expect(
      await directory.scim.put(`/Users/${id}`, { displayName: "Mine" }, { headers: { "if-match": fresh } }),
    ).toMatchObject({ status: 200 });
  });
});
