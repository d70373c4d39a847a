import pg from "pg";
import { expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { atEnd } from "../../support/run/at-end.ts";
import { eventually } from "../../support/run/eventually.ts";
import { sendRequest, useApi, type ApiAnswer } from "../../support/service/api.ts";

const api = useApi();

/**
 * Returns the response to a request that holds a row of the table `has` and waits for the table `wants`, while another
 * session holds `wants` and waits for `has`.
 */
async function inDeadlock(has: string, wants: string, request: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
  const other = new pg.Client({ connectionString: api.database.url });
  await other.connect();
  atEnd(() => other.end());
  await other.query("set deadlock_timeout = '20s'");
  for (;;) {
    await other.query(`begin; lock table ${wants}`);
    const answer = request();
    await eventually(async () => {
      const waiting = await api.database.owner.query(sql`
        select from pg_locks where relation = ${wants}::regclass and not granted
      `);
      expect(waiting).toHaveLength(1);
    });
    await other.query(`lock table ${has}`).catch(() => undefined);
    await other.query("rollback");
    // Postgres checks a waiting request for a deadlock only once, after a second. If the request had already waited
    // longer than that when the other session began to wait, Postgres finds no deadlock and the request continues.
    if ((await answer).status !== 200) return answer;
  }
}

test("a token request that ends in a Postgres deadlock gets 503 and can be retried", async () => {
  const { clientId, secret } = await api.given.application({ realmId: api.realmId });
  const body = new URLSearchParams({ grant_type: "client_credentials", client_id: clientId, client_secret: secret });
  const ask = (): Promise<ApiAnswer> =>
    sendRequest(`${api.url}/oauth/token`, "POST", {
      raw: body.toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });

  expect(await inDeadlock("access_tokens", "users", ask)).toMatchObject({
    status: 503,
    body: { error: "temporarily_unavailable" },
    headers: { "retry-after": "2" },
  });
  expect(await ask()).toMatchObject({ status: 200 });
});

test("a change that ends in a Postgres deadlock gets 503 and can be retried", async () => {
  const user = await api.given.user({ realmId: api.realmId });
  const admin = api.as.admin({ realmId: api.realmId });
  const lock = (): Promise<ApiAnswer> => admin.put(`/api/user/${user.id}/status`, { locked: true });

  const answer = await inDeadlock("users", "audit_entries", lock);

  expect(answer).toBeError("unavailable");
  expect(answer.headers["retry-after"]).toBe("2");
  expect(await lock()).toMatchObject({ status: 200 });
});
