import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { allScopes } from "../../../../../domain/people/scopes.ts";
import { unfinishedRowsMax } from "../../../../../domain/limits.ts";
import { auditOf, driveJobs, expectCountsToAddUp, rowsOf } from "../../../../support/given/bulk-jobs.ts";
import { fromNow } from "../../../../support/given/given.ts";
import { useApi, type ApiAnswer, type Caller } from "../../../../support/service/api.ts";

/** Tests jobs for everything that a list's search and filter find. */

const api = useApi();
const worker = driveJobs(() => api.database.open("realmpass_worker"));
const day = 24 * 3_600_000;

interface Matching {
  search?: string;
  filter?: Record<string, string>;
}

const start = (as: Caller, matching: unknown, { kind = "offboarding", query = "?dryRun=true", headers = {} } = {}) =>
  as.post(`/api/jobs/${kind}${query}`, { matching }, { headers });

/** Returns the job in a 202 response. */
function jobIn(answer: ApiAnswer) {
  expect(answer.status, answer.text).toBe(202);
  return answer.body.data;
}

const usersOf = async (jobId: string): Promise<(string | null)[]> =>
  (await rowsOf(api.database.owner, jobId)).map(({ userId }) => userId);

/** Returns the state and the number of rows of every job in a realm. */
const kept = (realmId: string) =>
  api.database.owner.query(sql`
    select j.state, (select count(*)::integer from job_rows r where r.job_id = j.id) as rows
      from jobs j where j.realm_id = ${realmId}
  `);

describe("a selection", () => {
  const people = new Map<string, string>();
  let serial = "";
  let realmId = "";
  let admin: Caller;

  beforeAll(async () => {
    realmId = await api.given.realm();
    admin = api.as.admin({ realmId });
    const add = async (name: string, given: Omit<Parameters<typeof api.given.user>[0], "realmId"> = {}) => {
      const user = await api.given.user({ realmId, pairwiseId: `${name}@demo.example`, ...given });
      people.set(name, user.id);
      return user;
    };
    await add("anna", { email: "anna.berg@mail.example", createdAt: fromNow(-300 * day) });
    const nora = await add("nora", { email: "nora_berg@mail.example", createdAt: fromNow(-200 * day) });
    await add("carl", { email: "carl@other.example", lockedAt: fromNow(-3 * day), createdAt: fromNow(-100 * day) });
    await add("dora", { offboardedAt: fromNow(-5 * day), createdAt: fromNow(-50 * day) });
    const emil = await add("emil", { lockedAt: fromNow(-1 * day), offboardedAt: fromNow(-1 * day) });
    serial = await api.given.profile(nora);
    await api.given.profile(nora);
    await api.given.profile(emil);
    // The same names, in another realm.
    const elsewhere = await api.given.realm();
    for (const name of ["anna", "nora", "carl"]) {
      await api.given.user({ realmId: elsewhere, pairwiseId: `${name}@demo.example`, email: "anna.berg@mail.example" });
    }
  });

  const cases = (): [what: string, matching: Matching][] => [
    ["nothing", {}],
    ["a search", { search: "DEMO.EXAMPLE" }],
    ["a search for a wildcard character", { search: "a@%" }],
    ["an e-mail address", { filter: { email: "_Berg@" } }],
    ["a text", { filter: { text: "berg@mail" } }],
    ["a person's number", { filter: { text: people.get("carl") ?? "" } }],
    ["a serial number", { filter: { text: serial } }],
    ["being offboarded", { filter: { blacklisted: "TRUE" } }],
    ["being active", { filter: { blacklisted: "false", locked: "false" } }],
    ["being locked", { filter: { locked: "true" } }],
    ["the number of profiles", { filter: { minProfileCount: "1", maxProfileCount: "1" } }],
    ["profiles and a search", { search: "nora", filter: { minProfileCount: "2" } }],
    ["no profiles", { filter: { maxProfileCount: "0" } }],
    ["when users were created", { filter: { minCreated: iso(-250), maxCreated: iso(-75) } }],
    ["since when they are locked", { filter: { minLockDate: iso(-4), maxLockDate: iso(-2) } }],
    ["since when they are offboarded", { filter: { minBlacklistDate: iso(-2), maxBlacklistDate: iso(1) } }],
    ["everything at once", { search: "nora", filter: { email: "berg", locked: "false", minCreated: iso(-201) } }],
  ];
  const iso = (days: number): string => fromNow(days * day).toISOString();

  test("matches exactly the users that the list finds, in the list's order", async () => {
    const found: number[] = [];
    for (const kind of ["offboarding", "reactivation"]) {
      for (const [what, matching] of cases()) {
        const listed: { userID: string }[] = (await admin.post("/api/user", matching)).body.data;
        if (listed.length === 0) {
          expect(await start(admin, matching, { kind }), what).toBeError("invalid_request");
        } else {
          const { id, total } = jobIn(await start(admin, matching, { kind }));
          expect(await usersOf(id), what).toEqual(listed.map(({ userID }) => userID));
          expect(total).toBe(listed.length);
        }
        found.push(listed.length);
      }
    }
    // The requesting administrator is also in the realm. The search for a number also matches IDs, so its count varies.
    const some = expect.any(Number) as number;
    expect(found.slice(0, cases().length)).toEqual([6, 5, 0, 1, 2, some, 1, 2, 3, 2, 1, 1, 4, 2, 1, 1, 1]);
  });

  test("accepts filters as pairs and in any letter case, like the list's body", async () => {
    const { id, matching } = jobIn(
      await admin.post("/api/jobs/offboarding?dryRun=true", {
        Matching: { FILTER: [{ key: "locked", value: true }], search: null },
      }),
    );
    expect(await usersOf(id)).toEqual([people.get("emil"), people.get("carl")]);
    expect(matching).toEqual({ filter: { locked: "true" } });
  });

  test("excludes forgotten users", async () => {
    const realm = await api.given.realm();
    await api.database.owner.query(sql`update realms set forget_after_months = 1 where id = ${realm}`);
    const [left, forgotten] = await Promise.all([
      api.given.user({ realmId: realm, offboardedAt: fromNow(-9 * day) }),
      api.given.user({ realmId: realm, offboardedAt: fromNow(-90 * day) }),
    ]);
    await api.database.owner.query(sql`select forget_users(array[${forgotten.id}]::bigint[], now())`);
    const as = api.as.admin({ realmId: realm });
    expect((await as.get("/api/user?filter[blacklisted]=true")).body.total).toBe(2);

    const { id } = jobIn(await start(as, { filter: { blacklisted: "true" } }, { kind: "reactivation" }));

    expect(await usersOf(id)).toEqual([left.id]);
  });

  test("never includes users of another realm", async () => {
    const other = await api.given.realm();
    const answer = await start(api.as.service({ realmId: other }), { search: "anna@" });
    expect(answer).toBeError("invalid_request");
    expect(await kept(other)).toEqual([]);
  });

  test("requires the scopes of the list and of the job", async () => {
    const own = await api.given.realm();
    await api.given.user({ realmId: own });
    for (const [missing, kind] of [
      ["user.read", "offboarding"],
      ["user.read", "reactivation"],
      ["user.delete", "offboarding"],
      ["user.modify", "reactivation"],
      ["job.create", "offboarding"],
    ] as const) {
      const as = api.as.admin({ realmId: own, scopes: allScopes.filter((scope) => scope !== missing) });
      expect(await start(as, {}, { kind }), missing).toBeError("insufficient_scope");
    }
    expect(await start(api.as.user(api.given.user({ realmId: own })), {})).toBeError("forbidden");
    expect(await kept(own)).toEqual([]);
  });

  test("is shown with the job, and recorded without the search texts", async () => {
    const matching = { search: "nora", filter: { email: "berg", text: "nora@", locked: "false" } };
    const { id, ...job } = jobIn(await start(admin, matching, { query: "?dryRun=true&graceDays=7" }));

    expect(job).toMatchObject({ origin: "filter", matching, total: 1, graceDays: 7 });
    expect((await admin.get(`/api/jobs/${id}`)).body.data).toMatchObject({ origin: "filter", matching });
    expect((await auditOf(api.database.owner, id))[0]).toMatchObject({
      event: "job_create",
      properties: {
        job: id,
        kind: "offboarding",
        total: 1,
        dryRun: true,
        graceDays: 7,
        matching: { search: "…", filter: { email: "…", text: "…", locked: "false" } },
      },
    });
    const upload = await admin.post("/api/jobs/offboarding?dryRun=true", { users: [{ userID: people.get("nora") }] });
    expect(upload.body.data).toMatchObject({ origin: "upload", matching: null });
  });

  test("becomes rows with the users' identifiers, so results can be uploaded to another job", async () => {
    const { id } = jobIn(await start(admin, { search: "nora" }));
    await worker.run(id);

    const { body } = await admin.get(`/api/jobs/${id}/rows`);
    expect(body.data).toMatchObject([
      {
        row: 1,
        userID: people.get("nora"),
        pairwiseID: "nora@demo.example",
        email: "nora_berg@mail.example",
        user: people.get("nora"),
        profiles: 2,
        status: "changed",
      },
    ]);
    const results = (await admin.get(`/api/jobs/${id}/results`, { headers: { accept: "text/csv" } })).text;
    const again = await admin.send("POST", "/api/jobs/offboarding?dryRun=true", {
      raw: results,
      headers: { "content-type": "text/csv" },
    });
    await worker.run(jobIn(again).id);
    expect(await usersOf(again.body.data.id)).toEqual([people.get("nora")]);
  });
});

describe("a job from a selection", () => {
  /** Makes a new realm with this many people, each with a profile. */
  async function realmOf(count: number) {
    const realmId = await api.given.realm();
    const ids: string[] = [];
    for (let index = 0; index < count; index++) {
      const user = await api.given.user({
        realmId,
        pairwiseId: `matched-${index}`,
        createdAt: fromNow(-index * 1_000),
      });
      await api.given.profile(user);
      ids.push(user.id);
    }
    return { realmId, ids, as: api.as.service({ realmId }) };
  }

  const blacklisted = async (as: Caller): Promise<string[]> =>
    (await as.get("/api/user?filter[blacklisted]=true")).body.data.map(({ userID }: { userID: string }) => userID);

  test("is checked and shown, and changes only users that were found and not excluded", async () => {
    const { realmId, ids, as } = await realmOf(4);
    const { id } = jobIn(await start(as, { search: "MATCHED-" }));
    await worker.run(id);
    expect((await as.get(`/api/jobs/${id}`)).body.data).toMatchObject({
      state: "ready",
      changed: 4,
      affectedProfiles: 4,
    });
    await as.delete(`/api/jobs/${id}/rows`, { rows: [2] });
    await api.given.user({ realmId, pairwiseId: "matched-later" });

    await as.post(`/api/jobs/${id}/start`, {});
    await worker.run(id);

    expect((await as.get(`/api/jobs/${id}`)).body.data).toMatchObject({ state: "completed", changed: 3, skipped: 1 });
    expect((await blacklisted(as)).sort()).toEqual([ids[0], ids[2], ids[3]].sort());
    await expectCountsToAddUp(api.database.owner, id);

    const back = jobIn(
      await start(as, { filter: { blacklisted: "true" } }, { kind: "reactivation", query: "?confirmTotal=3" }),
    );
    await worker.run(back.id);
    expect(await blacklisted(as)).toEqual([]);
  });

  test("accepts a time, a grace period, a name and the number to confirm, like a job from a file", async () => {
    const { as } = await realmOf(2);
    const executeAt = fromNow(day).toISOString();
    const query = `?executeAt=${executeAt}&graceDays=3&confirmTotal=2&name=Exmatrikulation&rowOffset=0`;
    const { id } = jobIn(await start(as, {}, { query }));
    await worker.run(id);

    expect((await as.get(`/api/jobs/${id}`)).body.data).toMatchObject({
      state: "scheduled",
      dryRun: false,
      graceDays: 3,
      name: "Exmatrikulation",
      changed: 2,
    });
    expect((await auditOf(api.database.owner, id))[0]?.properties).toMatchObject({ executeAt, confirmTotal: 2 });
  });

  test("can be retried and undone like a job from a file", async () => {
    const { as } = await realmOf(2);
    const { id } = jobIn(await start(as, {}, { query: "" }));
    await worker.run(id);
    const undone = jobIn(await as.post(`/api/jobs/${id}/undo`, {}));
    expect(undone).toMatchObject({ kind: "reactivation", origin: "undo", matching: null, total: 2 });
    await worker.run(undone.id);
    expect(await blacklisted(as)).toEqual([]);

    await api.database.owner.query(sql`
      update job_rows set status = 'failed', error_code = 'internal_error' where job_id = ${id} and position = 1
    `);
    const retried = jobIn(await as.post(`/api/jobs/${id}/retry`));
    expect(retried).toMatchObject({ origin: "retry", matching: null, total: 1 });
    await worker.run(retried.id);
    expect(await blacklisted(as)).toHaveLength(1);
  });
});

describe("a refused selection leaves nothing behind", () => {
  let realmId = "";
  let as: Caller;
  beforeAll(async () => {
    realmId = await api.given.realm();
    await api.given.user({ realmId, pairwiseId: "somebody" });
    as = api.as.service({ realmId });
  });

  test.each<[what: string, matching: unknown, fields: { path: string; reason: string }[]]>([
    ["without a match", { search: "nobody" }, [{ path: "matching", reason: "Nothing in the list matches." }]],
    [
      "with filters that the list does not have",
      { filter: { lokced: "true", admin: "1" } },
      [
        { path: "matching.filter.lokced", reason: "there is no such filter" },
        { path: "matching.filter.admin", reason: "there is no such filter" },
      ],
    ],
    [
      "with values that the list refuses",
      { filter: { locked: "yes", minCreated: "yesterday" } },
      [
        { path: "matching.filter.locked", reason: 'must be "true" or "false"' },
        { path: "matching.filter.minCreated", reason: "must be an ISO 8601 date-time" },
      ],
    ],
    [
      "with a search that is too long",
      { search: "x".repeat(257) },
      [{ path: "matching.search", reason: expect.any(String) as string }],
    ],
    [
      "with a filter that is a text",
      { filter: "locked=true" },
      [{ path: "matching.filter", reason: expect.any(String) as string }],
    ],
    [
      "with a misspelled property, which would otherwise match every user",
      { filtre: { locked: "true" }, limit: 10 },
      [
        { path: "matching.filtre", reason: "there is no such property" },
        { path: "matching.limit", reason: "there is no such property" },
      ],
    ],
    ["in two spellings", { filter: {}, Filter: {} }, [{ path: "matching.filter", reason: "occurs in two spellings" }]],
    ["that is a text", "somebody", [{ path: "matching", reason: "matching must be an object." }]],
    ["that is a list", [{ search: "somebody" }], [{ path: "matching", reason: "matching must be an object." }]],
    ["that is null", null, [{ path: "matching", reason: "matching must be an object." }]],
  ])("%s", async (_, matching, fields) => {
    const answer = await start(as, matching);
    expect(answer).toBeError("invalid_request");
    expect(answer.body.fields).toEqual(fields);
    expect(await kept(realmId)).toEqual([]);
  });

  test.each([
    ["beside users", '{"matching":{"search":"some"},"users":[{"pairwiseID":"somebody"}]}'],
    ["after users", '{"users":[{"pairwiseID":"somebody"}],"matching":{"search":"some"}}'],
    ["beside an empty list", '{"users":[],"matching":{}}'],
    ["twice", '{"matching":{"search":"some"},"matching":{}}'],
    ["in two spellings", '{"matching":{"search":"some"},"Matching":{}}'],
    ["with a property twice", '{"matching":{"search":"some","search":"somebody"}}'],
    ["with a prototype for a filter", '{"matching":{"filter":{"__proto__":{"locked":"true"}}}}'],
    ["with a prototype", '{"matching":{"__proto__":{"search":"nobody"}}}'],
    ["with half a character", '{"matching":{"search":"\\ud800"}}'],
    ["with NUL", '{"matching":{"search":"some\\u0000"}}'],
    ["without an end", '{"matching":{"search":"some"}'],
    ["with text after its end", '{"matching":{"search":"some"}} {}'],
    ["that is too long", `{"matching":{"search":"${"x".repeat(100_000)}"}}`],
    ["nested too deeply", `{"matching":{"filter":${"[".repeat(5_000)}`],
  ])("%s", async (_, raw) => {
    const answer = await as.send("POST", "/api/jobs/offboarding", {
      raw,
      headers: { "content-type": "application/json" },
    });
    expect(answer).toBeError("invalid_request");
    expect(await kept(realmId)).toEqual([]);
  });

  test("for onboarding, which is not supported", async () => {
    const answer = await start(as, {}, { kind: "onboarding" });
    expect(answer).toBeError("invalid_request");
    expect(answer.body.error_description).toMatch(/no rows/);
    expect(await kept(realmId)).toEqual([]);
  });

  test.each([
    ["in the queue", "queued", 0],
    ["checked, with findings for all of them", "ready", unfinishedRowsMax],
  ])("if the realm has too many waiting rows: %s", async (_, state, changed) => {
    const busy = await api.given.realm();
    await api.given.user({ realmId: busy });
    await api.database.owner.query(sql`
      insert into jobs (id, realm_id, kind, state, dry_run, columns, created_at, total, changed, progress_at)
      values (${randomUUID()}, ${busy}, 'offboarding', ${state}, false, '{}', now(), ${unfinishedRowsMax}, ${changed}, now())
    `);
    expect(await start(api.as.service({ realmId: busy }), {})).toBeError("too_many_rows_waiting");
    expect(await kept(busy)).toHaveLength(1);
  });

  test("but not if as many rows are done", async () => {
    const busy = await api.given.realm();
    await api.given.user({ realmId: busy });
    await api.database.owner.query(sql`
      insert into jobs (id, realm_id, kind, state, dry_run, columns, created_at, started_at, total, changed, progress_at)
      values (${randomUUID()}, ${busy}, 'offboarding', 'running', false, '{}', now(), now(), ${unfinishedRowsMax}, ${unfinishedRowsMax}, now())
    `);
    expect((await start(api.as.service({ realmId: busy }), {})).status).toBe(202);
  });
});

describe("Idempotency-Key", () => {
  test("a repeat of a selection returns the first job, without users who have matched since", async () => {
    const realmId = await api.given.realm();
    await api.given.user({ realmId });
    const as = api.as.service({ realmId });
    const headers = { "idempotency-key": randomUUID() };
    const first = jobIn(await start(as, {}, { headers }));
    await api.given.user({ realmId });

    const again = jobIn(await start(as, {}, { headers }));

    expect(again.id).toBe(first.id);
    expect(await kept(realmId)).toEqual([{ state: "checking", rows: 1 }]);
    expect(await start(as, { filter: { locked: "false" } }, { headers })).toBeError("idempotency_key_reused");
    expect(await kept(realmId)).toHaveLength(1);
  });

  test("five concurrent requests with the same selection create one job", async () => {
    const realmId = await api.given.realm();
    await api.given.user({ realmId });
    const as = api.as.service({ realmId });
    const headers = { "idempotency-key": randomUUID() };

    const answers = await Promise.all(Array.from({ length: 5 }, () => start(as, {}, { headers })));

    expect(new Set(answers.map((answer) => jobIn(answer).id)).size).toBe(1);
    expect(await kept(realmId)).toEqual([{ state: "checking", rows: 1 }]);
  });

  test("a failed selection is not remembered", async () => {
    const realmId = await api.given.realm();
    const as = api.as.service({ realmId });
    const headers = { "idempotency-key": randomUUID() };
    expect(await start(as, {}, { headers })).toBeError("invalid_request");
    await api.given.user({ realmId });

    expect(jobIn(await start(as, {}, { headers }))).toMatchObject({ total: 1 });
  });
});

describe("a selection of profiles", () => {
  const serialsOf = async (as: Caller, jobId: string): Promise<string[]> =>
    (await as.get(`/api/jobs/${jobId}/rows?limit=1000`)).body.data.map(({ serial }: { serial: string }) => serial);
  const revoke = (as: Caller, matching: unknown, query = "?dryRun=true") =>
    start(as, matching, { kind: "revocation", query });
  const iso = (days: number): string => fromNow(days * day).toISOString();

  async function realmWithProfiles() {
    const realmId = await api.given.realm();
    const [one, other] = await Promise.all([api.given.user({ realmId }), api.given.user({ realmId })]);
    const serials = [
      await api.given.profile(one, { deviceType: "iOS", createdAt: fromNow(-50 * day), notAfter: fromNow(10 * day) }),
      await api.given.profile(one, { deviceType: "iOS", createdAt: fromNow(-40 * day), notAfter: fromNow(300 * day) }),
      await api.given.profile(other, {
        deviceType: "Linux",
        createdAt: fromNow(-30 * day),
        notAfter: fromNow(20 * day),
      }),
      await api.given.profile(other, { authable: true, createdAt: fromNow(-20 * day) }),
    ];
    // The list contains no revoked or expired profile, and no profile of another kind or realm.
    const admin = api.as.service({ realmId });
    const revoked = await api.given.profile(one, { deviceType: "iOS" });
    await admin.delete(`/api/profiles/${revoked}`, { reason: 4 });
    await api.given.profile(one, { deviceType: "iOS", createdAt: fromNow(-9 * day), notAfter: fromNow(-day) });
    await api.given.profile({ realmId }, { kind: "infrastructure" });
    await api.given.profile(await api.given.user({ realmId: await api.given.realm() }), { deviceType: "iOS" });
    return { realmId, serials, as: admin };
  }

  test("matches exactly the profiles that the list finds, in the list's order", async () => {
    const { serials, as } = await realmWithProfiles();
    const found: number[] = [];
    for (const matching of [
      {},
      { search: serials[1]?.slice(3, 14) ?? "" },
      { filter: { deviceType: "iOS" } },
      { filter: { maxExpirationTime: iso(30) } },
      { filter: { minCreated: iso(-45), maxCreated: iso(-25) } },
      { filter: { authable: "true" } },
      { filter: { serials: `${serials[0] ?? ""}, ${serials[3] ?? ""}` } },
      { filter: { deviceType: "iOS", minExpirationTime: iso(100) } },
      { filter: { state: "active", deviceType: "Linux" } },
    ]) {
      const listed: { serial: string }[] = (await as.post("/api/profiles", matching)).body.data;
      const { id, total } = jobIn(await revoke(as, matching));
      expect(await serialsOf(as, id), JSON.stringify(matching)).toEqual(listed.map(({ serial }) => serial));
      expect(total).toBe(listed.length);
      found.push(total);
    }
    expect(found).toEqual([4, 1, 2, 2, 2, 1, 2, 1, 2]);
  });

  test("is checked, revoked with the given reason, and shown in job and audit entry", async () => {
    const { serials, as } = await realmWithProfiles();
    const matching = { search: serials[0]?.slice(3, 14) ?? "", filter: { deviceType: "iOS" } };
    const { id, ...job } = jobIn(await revoke(as, matching, "?dryRun=true&reason=4&name=Old%20phones"));
    expect(job).toMatchObject({ kind: "revocation", origin: "filter", matching, reason: 4, name: "Old phones" });
    expect((await auditOf(api.database.owner, id))[0]?.properties).toMatchObject({ matching, reason: 4, total: 1 });
    await worker.run(id);
    expect((await as.get(`/api/jobs/${id}`)).body.data).toMatchObject({
      state: "ready",
      changed: 1,
      affectedProfiles: 1,
    });

    await as.post(`/api/jobs/${id}/start`, {});
    await worker.run(id);

    expect((await as.get(`/api/jobs/${id}`)).body.data).toMatchObject({ state: "completed", changed: 1 });
    const profiles = await Promise.all(serials.map((serial) => as.get(`/api/profiles/${serial}`)));
    expect(profiles.map(({ body }) => body.data.revokeReason)).toEqual([4, null, null, null]);
  });

  test("includes neither profiles that match only later nor excluded profiles", async () => {
    const { realmId, serials, as } = await realmWithProfiles();
    const { id } = jobIn(await revoke(as, { filter: { deviceType: "iOS" } }));
    await worker.run(id);
    const late = await api.given.profile(await api.given.user({ realmId }), { deviceType: "iOS" });
    const first = (await serialsOf(as, id))[0];
    await as.delete(`/api/jobs/${id}/rows`, { rows: [1] });

    await as.post(`/api/jobs/${id}/start`, {});
    await worker.run(id);

    for (const serial of [late, first]) {
      expect((await as.get(`/api/profiles/${serial ?? ""}`)).body.data).toMatchObject({ revokeTime: null });
    }
    expect((await as.get(`/api/profiles/${serials[0] ?? ""}`)).body.data.revokeTime).toEqual(expect.any(String));
  });

  test("requires the scopes of the list and of revoking", async () => {
    const { realmId } = await realmWithProfiles();
    for (const missing of ["profile.read", "profile.delete", "job.create"] as const) {
      const as = api.as.admin({ realmId, scopes: allScopes.filter((scope) => scope !== missing) });
      expect(await revoke(as, {}), missing).toBeError("insufficient_scope");
    }
    const blind = api.as.admin({ realmId, scopes: allScopes.filter((scope) => scope !== "user.read") });
    expect((await revoke(blind, {})).status).toBe(202);
    expect(await kept(realmId)).toHaveLength(1);
  });

  test.each<[what: string, body: unknown, path: string]>([
    ["of people's filters", { matching: { filter: { blacklisted: "true" } } }, "matching.filter.blacklisted"],
    ["with a misspelled property", { matching: { filters: {} } }, "matching.filters"],
    ["of revoked ones", { matching: { filter: { state: "revoked" } } }, "matching.filter.state"],
    ["without a match", { matching: { search: "0000000000000000" } }, "matching"],
    ["beside serials", { matching: {}, serials: ["17"] }, "matching"],
  ])("%s is refused and leaves nothing behind", async (_, body, path) => {
    const { realmId, as } = await realmWithProfiles();
    const answer = await as.post("/api/jobs/revocation", body);
    expect(answer).toBeError("invalid_request");
    expect(answer.body.fields).toEqual([{ path, reason: expect.any(String) }]);
    expect(await kept(realmId)).toEqual([]);
  });
});
