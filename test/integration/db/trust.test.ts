import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Database, DatabaseRole } from "../../../db/client.ts";
import { only } from "../../../db/client.ts";
import { sql, verbatim, type Sql } from "../../../db/sql.ts";
import { useDatabase } from "../../support/run/database.ts";
import { finishedJobDays } from "../../../domain/lifetimes.ts";

const database = useDatabase();
const roles = ["realmpass_api", "realmpass_worker", "realmpass_operator"] as const;
const as = new Map<DatabaseRole, Database>();

beforeAll(() => {
  for (const role of roles) as.set(role, database.open(role, { connectionsMax: 1 }));
});

const attempt = (role: DatabaseRole, statement: Sql) => as.get(role)!.query(statement);

const id = async (statement: Sql): Promise<string> => only(await database.owner.query<{ id: string }>(statement)).id;

const givenRealm = (): Promise<string> =>
  id(sql`
    insert into realms (name, domain, display_name, created_at)
    values (${`r${randomBytes(6).toString("hex")}`}, 'demo.example', 'Demo', now()) returning id
  `);

const givenUser = (realmId: string): Promise<string> =>
  id(sql`
    insert into users (realm_id, pairwise_id, email, administrator, created_at, offboarded_at)
    values (${realmId}, ${randomBytes(9).toString("hex")}, '', false, now(), now()) returning id
  `);

const givenGuest = (realmId: string): Promise<string> =>
  id(sql`
    insert into guest_accounts (realm_id, name, token_hash, token_sealed, created_at, expires_at, revoked_at)
    values (${realmId}, 'guest', ${randomBytes(32)}, '', now(), now() + interval '1 day', now()) returning id
  `);

describe("an offboarding", () => {
  const takenBack = async (role: DatabaseRole) => {
    const userId = await givenUser(await givenRealm());
    return attempt(role, sql`update users set offboarded_at = null where id = ${userId} returning offboarded_at`);
  };

  test("is undone by the api and by the operator", async () => {
    await expect(takenBack("realmpass_api")).resolves.toEqual([{ offboarded_at: null }]);
    await expect(takenBack("realmpass_operator")).resolves.toEqual([{ offboarded_at: null }]);
  });

  test("is not undone by a worker", async () => {
    await expect(takenBack("realmpass_worker")).rejects.toThrow(/only the api and the operator/);
  });

  test("can be made, and repeated, by a worker", async () => {
    const userId = await givenUser(await givenRealm());
    await expect(
      attempt("realmpass_worker", sql`update users set offboarded_at = now() where id = ${userId} returning id`),
    ).resolves.toEqual([{ id: userId }]);
  });
});

describe("the date of an offboarding", () => {
  const dated = async (role: DatabaseRole, date: Sql) => {
    const realmId = await givenRealm();
    const active = await id(sql`
      insert into users (realm_id, pairwise_id, created_at)
      values (${realmId}, ${randomBytes(9).toString("hex")}, now()) returning id
    `);
    const gone = await givenUser(realmId);
    return Promise.allSettled(
      [active, gone].map((userId) =>
        attempt(role, sql`update users set offboarded_at = ${date} where id = ${userId} returning id`),
      ),
    );
  };

  test.each(["realmpass_api", "realmpass_worker"] as const)(
    "cannot be in the past if %s sets or moves it",
    async (role) => {
      for (const date of [sql`now() - interval '11 minutes'`, sql`timestamptz '2001-01-01'`]) {
        const outcomes = await dated(role, date);
        for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: "42501" } });
      }
      const outcomes = await dated(role, sql`now() - interval '1 second'`);
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
    },
  );

  test("can be moved into the past by the operator, who repeats changes that a restore lost", async () => {
    const outcomes = await dated("realmpass_operator", sql`now() - interval '11 minutes'`);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
  });
});

describe("a bulk job that has ended", () => {
  const states = ["cancelled", "completed", "completed_with_errors", "failed"] as const;
  const every = ["realmpass_api", "realmpass_worker", "realmpass_operator"] as const;

  const givenJob = async (state: string, { daysAgo = 0 }: { daysAgo?: number } = {}) => {
    const realmId = await givenRealm();
    const userId = await givenUser(realmId);
    const isFinal = states.some((one) => one === state);
    const jobId = await id(sql`
      insert into jobs (id, realm_id, kind, state, dry_run, columns, created_at, total, skipped, progress_at, finished_at)
      values (gen_random_uuid(), ${realmId}, 'reactivation', ${state}, false, '{userID}', now(), 1,
              ${isFinal ? 1 : 0}, now(),
              case when ${isFinal} then now() - make_interval(days => ${daysAgo}::integer) end)
      returning id
    `);
    await database.owner.query(sql`
      insert into job_rows (job_id, position, input, user_id, status)
      values (${jobId}, 1, '{}', ${userId}, ${isFinal ? "skipped" : "pending"})
    `);
    return { jobId, userId };
  };
  const refused = { code: "42501" };

  test.each(states.flatMap((state) => every.map((role) => [state, role] as const)))(
    "%s is not reopened by %s",
    async (state, role) => {
      const { jobId } = await givenJob(state);
      const revive = sql`update jobs set state = 'running', finished_at = null where id = ${jobId} returning id`;
      await expect(attempt(role, revive)).rejects.toMatchObject(refused);
      await expect(database.owner.query(revive), "the owner may").resolves.toHaveLength(1);
    },
  );

  test.each(states)("%s gives a worker no way to reactivate a person", async (state) => {
    const { jobId, userId } = await givenJob(state);
    const worker = (statement: Sql) => attempt("realmpass_worker", statement).catch(() => undefined);
    await worker(sql`update job_rows set status = 'pending' where job_id = ${jobId}`);
    await worker(sql`update jobs set state = 'running', finished_at = null, skipped = 0 where id = ${jobId}`);
    await worker(sql`select let_back_in(${jobId}, 1, 2, ${[userId]}::bigint[]) is null as done`);
    const [user] = await database.owner.query<{ out: boolean }>(
      sql`select offboarded_at is not null as out from users where id = ${userId}`,
    );
    expect(user).toEqual({ out: true });

    // Control: with a running job, the worker reactivates the person.
    const running = await givenJob("running");
    await worker(sql`select let_back_in(${running.jobId}, 1, 2, ${[running.userId]}::bigint[]) is null as done`);
    await expect(
      database.owner.query(sql`select from users where id = ${running.userId} and offboarded_at is null`),
    ).resolves.toHaveLength(1);
  });

  test.each([
    ["its state", sql`state = 'failed'`],
    ["its counts", sql`skipped = 0, failed = 1`],
    ["its end", sql`finished_at = now()`],
    ["when its outputs were erased", sql`output_erased_at = null`],
  ])("keeps %s", async (_, changes) => {
    const { jobId } = await givenJob("completed");
    await database.owner.query(sql`update jobs set output_erased_at = now() where id = ${jobId}`);
    await expect(
      attempt("realmpass_worker", sql`update jobs set ${changes} where id = ${jobId}`),
    ).rejects.toMatchObject(refused);
  });

  test("can have its outputs erased, and its progress updated by a slow worker", async () => {
    for (const role of ["realmpass_api", "realmpass_worker"] as const) {
      const { jobId } = await givenJob("completed");
      const changes = sql`output_erased_at = now(), progress_at = now(), attended_at = now()`;
      await expect(
        attempt(role, sql`update jobs set ${changes} where id = ${jobId} returning id`),
      ).resolves.toHaveLength(1);
    }
  });

  test("can be completed in the transaction that ends it, but not with an earlier end date", async () => {
    const { jobId } = await givenJob("running");
    const worker = as.get("realmpass_worker")!;
    await expect(
      worker.query(sql`update jobs set state = 'failed', finished_at = '2001-01-01' where id = ${jobId}`),
    ).rejects.toMatchObject(refused);
    await worker.transaction(async (tx) => {
      await tx.query(sql`update jobs set state = 'failed', finished_at = now() where id = ${jobId}`);
      await tx.query(sql`update jobs set failed = 1 where id = ${jobId}`);
    });
    await expect(worker.query(sql`update jobs set failed = 0 where id = ${jobId}`)).rejects.toMatchObject(refused);
  });

  test.each(["realmpass_api", "realmpass_worker"] as const)(
    "keeps its rows unchanged, even if %s writes to them",
    async (role) => {
      const set = (jobId: string) =>
        attempt(
          role,
          sql`update job_rows set status = 'failed', user_id = null where job_id = ${jobId} returning position`,
        );
      for (const state of states) {
        await expect(set((await givenJob(state)).jobId), state).rejects.toThrow(/the rows of a job that has ended/);
      }
      await expect(set((await givenJob("running")).jobId)).resolves.toHaveLength(1);
      const { jobId } = await givenJob("running");
      await expect(attempt(role, sql`delete from job_rows where job_id = ${jobId}`)).rejects.toThrow(
        /permission denied/,
      );
    },
  );

  test("never changes whom its rows are about: even while the job runs, a worker cannot change their ids, addresses or serial numbers", async () => {
    const { jobId } = await givenJob("running");
    for (const column of [sql`pairwise_id`, sql`email`, sql`serial_number`]) {
      await expect(
        attempt("realmpass_worker", sql`update job_rows set ${column} = '1' where job_id = ${jobId}`),
      ).rejects.toThrow(/permission denied/);
    }
  });

  test.each(["realmpass_api", "realmpass_worker"] as const)("is not removed by %s before its time", async (role) => {
    const remove = async (state: string, options?: { daysAgo: number }) =>
      attempt(role, sql`delete from jobs where id = ${(await givenJob(state, options)).jobId} returning id`);
    for (const state of ["ready", "grace", "running"])
      await expect(remove(state), state).rejects.toMatchObject(refused);
    await expect(remove("completed", { daysAgo: finishedJobDays - 2 })).rejects.toMatchObject(refused);
    await expect(remove("completed", { daysAgo: finishedJobDays })).resolves.toHaveLength(1);
    await expect(remove("receiving")).resolves.toHaveLength(1);
  });
});

describe("a bulk job that reactivates people", () => {
  const givenReactivation = async (realmId: string, userId: string, changes: Sql = sql``): Promise<string> => {
    const jobId = await id(sql`
      insert into jobs (id, realm_id, kind, state, dry_run, columns, created_at, total, progress_at)
      values (gen_random_uuid(), ${realmId}, 'reactivation', 'running', false, '{userID}', now(), 1, now()) returning id
    `);
    await database.owner.query(sql`
      insert into job_rows (job_id, position, input, user_id) values (${jobId}, 1, '{}', ${userId})
    `);
    await database.owner.query(sql`update jobs set dry_run = false ${changes} where id = ${jobId}`);
    return jobId;
  };
  const letIn = (role: DatabaseRole, jobId: string, userId: string) =>
    attempt(role, sql`select let_back_in(${jobId}, 1, 2, ${[userId]}::bigint[]) is null as done`);

  test("is carried out only by a worker", async () => {
    const realmId = await givenRealm();
    const userId = await givenUser(realmId);
    const jobId = await givenReactivation(realmId, userId);
    for (const role of ["realmpass_api", "realmpass_operator"] as const) {
      await expect(letIn(role, jobId, userId)).rejects.toThrow(/permission denied/);
    }
    await letIn("realmpass_worker", jobId, userId);
    await expect(database.owner.query(sql`select offboarded_at from users where id = ${userId}`)).resolves.toEqual([
      { offboarded_at: null },
    ]);
  });

  test.each<[string, Sql]>([
    ["is an offboarding", sql`, kind = 'offboarding'`],
    ["does not run", sql`, state = 'cancelling'`],
    ["takes another job back", sql`, undo_of = gen_random_uuid()`],
  ])("reactivates nobody if it %s", async (_, changes) => {
    const realmId = await givenRealm();
    const userId = await givenUser(realmId);
    const jobId = await givenReactivation(realmId, userId, changes);
    await expect(letIn("realmpass_worker", jobId, userId)).rejects.toThrow(/nobody else/);
  });

  test("reactivates only people of its realm who are in its rows", async () => {
    const realmId = await givenRealm();
    const jobId = await givenReactivation(realmId, await givenUser(realmId));
    await expect(letIn("realmpass_worker", jobId, await givenUser(realmId))).rejects.toThrow(/nobody else/);
    const elsewhere = await givenUser(await givenRealm());
    const other = await givenReactivation(realmId, elsewhere);
    await expect(letIn("realmpass_worker", other, elsewhere)).rejects.toThrow(/nobody else/);
  });

  test("can neither be made by a worker nor be converted from another job", async () => {
    const realmId = await givenRealm();
    const jobId = await givenReactivation(realmId, await givenUser(realmId));
    for (const changes of [sql`kind = 'offboarding'`, sql`realm_id = ${realmId}`, sql`undo_of = null`]) {
      await expect(attempt("realmpass_worker", sql`update jobs set ${changes} where id = ${jobId}`)).rejects.toThrow(
        /permission denied/,
      );
    }
    await expect(
      attempt("realmpass_worker", sql`insert into jobs select * from jobs where id = ${jobId}`),
    ).rejects.toThrow(/permission denied/);
  });
});

test.each(roles)("%s does not restore a revoked guest account", async (role) => {
  const guestId = await givenGuest(await givenRealm());
  await expect(attempt(role, sql`update guest_accounts set revoked_at = null where id = ${guestId}`)).rejects.toThrow(
    /stays revoked/,
  );
});

describe("the trust settings of a realm", () => {
  const settings = [
    ["radius_ca", "'first'", "'second'"],
    ["radius_cn", "'first.demo.example'", "'second.demo.example'"],
    ["radius_names", "'{first.demo.example}'", "'{first.demo.example,second.demo.example}'"],
  ] as const;

  test.each(settings)("%s is set once by the api, and changed only by the operator", async (column, first, second) => {
    const realmId = await givenRealm();
    const set = (role: DatabaseRole, value: string) =>
      attempt(role, verbatim(`update realms set ${column} = ${value} where id = $1 returning id`, [realmId]));

    await expect(set("realmpass_api", first)).resolves.toHaveLength(1);
    await expect(set("realmpass_api", second)).rejects.toThrow(/only the operator changes whom a realm trusts/);
    const none = column === "radius_names" ? "'{}'" : "null";
    await expect(set("realmpass_api", none)).rejects.toThrow(/only the operator changes whom a realm trusts/);
    await expect(set("realmpass_operator", second)).resolves.toHaveLength(1);
  });

  test.each([
    ["radius_ca", "'first'"],
    ["radius_cn", "'first.demo.example'"],
    ["radius_names", "'{first.demo.example}'"],
  ])(
    "include %s, which only the operator sets once the realm is set up, even for the first time",
    async (column, value) => {
      const realmId = await givenRealm();
      const set = (role: DatabaseRole) =>
        attempt(role, verbatim(`update realms set ${column} = ${value} where id = $1 returning id`, [realmId]));
      await attempt("realmpass_api", sql`update realms set set_up_at = now() where id = ${realmId}`);
      await expect(set("realmpass_api")).rejects.toThrow(/only the operator changes whom a realm trusts/);
      await expect(set("realmpass_operator")).resolves.toHaveLength(1);
    },
  );

  test("setting a trust setting to its present value is allowed", async () => {
    const realmId = await givenRealm();
    await database.owner.query(sql`update realms set radius_ca = 'first' where id = ${realmId}`);
    await expect(
      attempt(
        "realmpass_api",
        sql`update realms set radius_ca = radius_ca, radius_cn = 'r' where id = ${realmId} returning id`,
      ),
    ).resolves.toHaveLength(1);
  });
});

describe("the sign-in of a realm", () => {
  const whole = `upstream_kind = 'oidc', upstream_set_by = 'console', upstream_issuer = 'https://first.example',
    upstream_client_id = 'first', upstream_client_secret = '\\x01', upstream_claims = '{"email": "first"}'`;
  const set = (role: DatabaseRole, realmId: string, changes: string) =>
    attempt(role, verbatim(`update realms set ${changes} where id = $1 returning id`, [realmId]));
  const refusal = /only the operator changes whom a realm trusts/;

  const signInOf = async (realmId: string) =>
    only(
      await database.owner.query<{ kind: string | null; by: string | null }>(sql`
        select upstream_kind as kind, upstream_set_by as by from realms where id = ${realmId}
      `),
    );

  test.each([
    ["its issuer", "upstream_issuer = 'https://second.example'"],
    ["its client id", "upstream_client_id = 'second'"],
    ["its client secret", "upstream_client_secret = '\\x02'"],
    ["its claims", `upstream_claims = '{"roles": {"administrator": [{"claim": "sub", "value": "me"}]}}'`],
    ["who set it", "upstream_set_by = 'operator'"],
    ["everything, to remove it", "upstream_issuer = null, upstream_client_id = null, upstream_kind = null"],
  ])("is set once by the api as a whole; after that only the operator changes %s", async (_, changes) => {
    const realmId = await givenRealm();
    await expect(set("realmpass_api", realmId, whole)).resolves.toHaveLength(1);
    await expect(set("realmpass_api", realmId, changes)).rejects.toThrow(refusal);
    await expect(set("realmpass_worker", realmId, changes)).rejects.toThrow(/permission denied/);
    await expect(set("realmpass_operator", realmId, changes)).resolves.toHaveLength(1);
  });

  test.each([
    ["the claims", `upstream_claims = '{"email": "first"}'`],
    ["the client secret", "upstream_client_secret = '\\x01'"],
    ["the issuer", "upstream_issuer = 'https://first.example'"],
    [
      "all but the client id",
      "upstream_kind = 'oidc', upstream_set_by = 'console', upstream_issuer = 'https://f.example'",
    ],
    ["all with the operator as the author", whole.replace("'console'", "'operator'")],
    ["all without an author", whole.replace("'console'", "null")],
  ])("cannot be set by the api in part or for another author: %s", async (_, changes) => {
    const realmId = await givenRealm();
    await expect(set("realmpass_api", realmId, changes)).rejects.toThrow(refusal);
    // Control: the same realm lets the api set the whole.
    await expect(set("realmpass_api", realmId, whole)).resolves.toHaveLength(1);
  });

  test("is set only by the operator once the realm is set up, or once the operator has set part of it", async () => {
    const [setUp, begun] = [await givenRealm(), await givenRealm()];
    await attempt("realmpass_api", sql`update realms set set_up_at = now() where id = ${setUp}`);
    await set("realmpass_operator", begun, "upstream_client_id = 'first'");
    for (const realmId of [setUp, begun]) {
      await expect(set("realmpass_api", realmId, whole)).rejects.toThrow(refusal);
      await expect(set("realmpass_operator", realmId, whole)).resolves.toHaveLength(1);
    }
  });

  test("gets its kind, and the operator as its author, if the previous release sets it without knowing these columns", async () => {
    const realmId = await givenRealm();
    expect(await signInOf(realmId)).toEqual({ kind: null, by: null });
    await set("realmpass_operator", realmId, "upstream_issuer = 'https://first.example'");
    expect(await signInOf(realmId)).toEqual({ kind: "oidc", by: "operator" });
    await set("realmpass_operator", realmId, "upstream_issuer = null");
    expect(await signInOf(realmId)).toEqual({ kind: null, by: null });

    await set("realmpass_api", realmId, whole);
    expect(await signInOf(realmId)).toEqual({ kind: "oidc", by: "console" });
    await set("realmpass_operator", realmId, "upstream_claims = '{}', upstream_client_id = 'second'");
    expect(await signInOf(realmId)).toEqual({ kind: "oidc", by: "console" });
    await set("realmpass_operator", realmId, "upstream_issuer = 'https://second.example'");
    expect(await signInOf(realmId)).toEqual({ kind: "oidc", by: "operator" });
  });
});

test("a realm's access rules survive when a release that does not know them writes the claims", async () => {
  const realmId = await givenRealm();
  const write = async (claims: object) => {
    const rows = await attempt(
      "realmpass_operator",
      sql`update realms set upstream_claims = ${JSON.stringify(claims)} where id = ${realmId} returning upstream_claims as claims`,
    );
    return (rows as { claims: unknown }[])[0]?.claims;
  };
  const mayUse = [{ claim: "hd", value: "uni.example" }];
  expect(await write({ email: "mail" })).toEqual({ email: "mail" });
  expect(await write({ email: "mail", mayUse })).toEqual({ email: "mail", mayUse });
  expect(await write({ email: "e" })).toEqual({ email: "e", mayUse });
  expect(await write({ email: "e", mayUse: [] })).toEqual({ email: "e", mayUse: [] });
});

describe("the owner of an issuance", () => {
  const create = (realmId: string, owner: { user?: string; guest?: string }) =>
    attempt(
      "realmpass_api",
      sql`
        insert into issuances (id, realm_id, kind, user_id, guest_account_id, name, format, key_type, validity_months, created_at)
        values (gen_random_uuid(), ${realmId}, ${owner.user === undefined ? "guest" : "user"}, ${owner.user ?? null},
                ${owner.guest ?? null}, 'laptop', 'pem', 'ec-p256', 12, now())
        returning status`,
    );

  test("is a user of its own realm", async () => {
    const [realm, other] = [await givenRealm(), await givenRealm()];
    const user = await givenUser(realm);
    await expect(create(realm, { user })).resolves.toHaveLength(1);
    await expect(create(other, { user })).rejects.toThrow(/issuances_user_in_realm/);
  });

  test("is a guest account of its own realm", async () => {
    const [realm, other] = [await givenRealm(), await givenRealm()];
    const guest = await givenGuest(realm);
    await expect(create(realm, { guest })).resolves.toHaveLength(1);
    await expect(create(other, { guest })).rejects.toThrow(/issuances_guest_account_in_realm/);
  });
});
