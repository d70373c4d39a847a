import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { endpoints } from "../../../../api/endpoints.ts";
import type { Db } from "../../../../db/client.ts";
import * as audit from "../../../../db/queries/audit/audit-entries.ts";
import { sql } from "../../../../db/sql.ts";
import { systemClock } from "../../../../runtime/clock.ts";
import { useApi, type Caller } from "../../../support/service/api.ts";
import { givenSubject, samplesOf, type SampleSubject } from "../../../support/given/endpoint-samples.ts";

let statements = 0;
const counting = <Counted extends Db>(db: Counted): Counted => ({
  ...db,
  query: (statement) => {
    statements++;
    return db.query(statement);
  },
});

const api = useApi({
  watch: (db) => ({
    ...counting(db),
    transaction: (run) => db.transaction((tx) => run(counting(tx))),
  }),
});
const { as, given } = api;

const lists = endpoints.filter(
  ({ methods, list, data }) => methods.includes("get") && (list !== undefined || data instanceof z.ZodArray),
);
const personal = new Set(endpoints.filter(({ access }) => access === "user").map(({ path }) => path));
const service = as.service();
let subject: SampleSubject;
let user: Caller;

beforeAll(async () => {
  subject = await givenSubject(given, api.realmId);
  user = as.user(subject.user);
});

/** Makes more rows for every list. */
async function givenMore(): Promise<void> {
  const { user, guestAccountId } = subject;
  const { realmId } = user;
  for (let made = 0; made < 3; made++) {
    await givenSubject(given, realmId);
    await given.profile(user);
    await given.profile({ realmId }, { guestAccountId });
    const { clientId } = await given.session({ user });
    await given.consent(user, clientId);
    await api.database.owner.query(sql`
      insert into job_rows (job_id, position, input, status, error_code, message)
      select ${subject.jobs.ended}, last + 1, '{}', 'failed', 'invalid_row', 'a cause of its own: ' || last
        from (select max(position) as last from job_rows where job_id = ${subject.jobs.ended}) as rows
    `);
    await audit.record(api.database.owner, {
      realmId,
      event: "user_lock",
      actor: { userId: user.id, clientId },
      at: systemClock.now(),
      properties: {},
    });
  }
}

/** Returns how many rows a list's response has, and how many statements the request took. */
async function ask(path: string, paging: object): Promise<{ rows: number; statements: number }> {
  const asked = personal.has(path) ? user : service;
  const options = Object.keys(paging).length === 0 ? {} : { body: paging };
  await asked.get(path, options);
  statements = 0;
  const answer = await asked.get(path, options);
  expect(answer.status).toBe(200);
  return { rows: answer.body.data.length, statements };
}

test("no list runs a statement for every row", async () => {
  const paths = () =>
    samplesOf(lists, subject)
      .filter(({ method }) => method === "get")
      .flatMap(({ path, endpoint: { list } }) => {
        const included = Object.keys(list?.includes ?? {}).join(",");
        return [path, ...(included === "" ? [] : [`${path}?include=${included}`])].flatMap((asked) =>
          (list === undefined ? [{}] : [{}, { limit: 1 }, { limit: 1000 }]).map((paging) => ({ path: asked, paging })),
        );
      });
  await givenMore();
  const before = [];
  for (const { path, paging } of paths()) before.push({ path, paging, ...(await ask(path, paging)) });
  await givenMore();
  await givenMore();

  for (const { path, paging, rows, statements: few } of before) {
    const after = await ask(path, paging);
    expect({ path, paging, statements: after.statements }).toEqual({ path, paging, statements: few });
    // The number of roles is fixed, and the new rows concern neither this guest account nor this application.
    const grows =
      path !== "/api/roles" && !/^\/api\/(?:guest-accounts\/\w+\/timeline|applications\/[\w-]+\/tokens)$/.test(path);
    if (grows && (!("limit" in paging) || paging.limit !== 1)) {
      expect([path, after.rows > rows]).toEqual([path, true]);
    }
  }
  expect(new Set(before.map(({ path }) => path.split("?")[0])).size).toBe(lists.length);
  expect(before.filter(({ path }) => path.includes("?include=people")).length).toBeGreaterThan(4);
  expect(lists.length).toBeGreaterThan(8);
});
