import { beforeAll, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi, type TestApi } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { service, statusWith, tokenWith, useragent } from "../../../../support/given/registration.ts";

const api = useApi();
const { as, given } = api;
let both: Pick<TestApi, "url" | "as">[];

beforeAll(async () => {
  both = [api, await api.another()];
});

interface Registered {
  client_id: string;
  client_secret: string;
}

const register = async (registration: object = service): Promise<Registered> =>
  (await as.admin().post("/api/applications", registration)).body.data;

const rotate = async ({ client_id }: Registered, overlapHours?: number): Promise<Registered> => {
  const { status, body } = await as.admin().post(`/api/applications/${client_id}/secret`, { overlapHours });
  expect(status).toBe(200);
  return body.data;
};

/** Returns the token endpoint's status for each of these secrets; expects the same status at both APIs. */
const statuses = async (secrets: readonly Registered[]): Promise<number[]> => {
  const [here, there] = await Promise.all(
    both.map(async (one) => Promise.all(secrets.map(async (secret) => (await tokenWith(one, secret)).status))),
  );
  expect(there).toEqual(here);
  return here ?? [];
};

test("without overlap, the old secret and its tokens end immediately", async () => {
  const old = await register();
  const { access_token } = (await tokenWith(api, old)).body;

  const next = await rotate(old);

  expect(next.client_secret).not.toBe(old.client_secret);
  expect(await statuses([old, next])).toEqual([401, 200]);
  for (const one of both) expect(await statusWith(one, access_token)).toBe(401);
});

test("with overlap, both secrets and their tokens work until the old secret expires", async () => {
  const old = await register();
  const { access_token } = (await tokenWith(api, old)).body;

  const next = await rotate(old, 24);
  expect(await statuses([old, next])).toEqual([200, 200]);
  for (const one of both) expect(await statusWith(one, access_token)).toBe(200);

  const [{ hours } = { hours: 0 }] = await api.database.owner.query<{ hours: number }>(sql`
    update application_secrets
       set expires_at = now() - interval '1 second'
     where client_id = ${old.client_id}
       and expires_at is not null
    returning extract(epoch from (select expires_at - created_at
                                    from application_secrets
                                   where client_id = ${old.client_id}
                                     and expires_at is not null))::float / 3600 as hours
  `);
  expect(hours).toBeCloseTo(24, 1);
  expect(await statuses([old, next])).toEqual([401, 200]);
  for (const one of both) expect(await statusWith(one, access_token)).toBe(401);
});

test("a token that is issued concurrently for the old secret is refused, and no request fails with 5xx", async () => {
  for (let round = 0; round < 20; round++) {
    const old = await register();
    const [, ...answers] = await Promise.all([rotate(old), ...[1, 2, 3].map(() => tokenWith(api, old))]);
    for (const { status, body } of answers) {
      if (status === 200) expect(await statusWith(api, body.access_token)).toBe(401);
      else expect({ status, error: body.error }).toEqual({ status: 401, error: "invalid_client" });
    }
  }
});

test("at most two secrets are valid, however often and however fast they are rotated", async () => {
  const first = await register();
  const second = await rotate(first, 24);
  const third = await rotate(second, 24);
  expect(await statuses([first, second, third])).toEqual([401, 200, 200]);

  await Promise.all(Array.from({ length: 6 }, () => rotate(third, 1)));
  const rows = await api.database.owner.query<{ lasts: boolean }>(sql`
    select expires_at is null as lasts from application_secrets where client_id = ${first.client_id} order by lasts
  `);
  expect(rows).toEqual([{ lasts: false }, { lasts: true }]);

  const last = await rotate(third);
  expect(await statuses([second, third, last])).toEqual([401, 401, 200]);
});

test("the response is the application with its new secret, and the audit entry does not contain the secret", async () => {
  const { client_id } = await register({ ...useragent, useClientSecret: true });
  const admin = as.admin();
  const { data } = (await admin.post(`/api/applications/${client_id}/secret`, { overlapHours: 2 })).body;

  const { client_secret, ...application } = data;
  expect(client_secret).toMatch(/^rps_[A-Za-z0-9_-]{43}$/);
  expect(application).toEqual((await admin.get(`/api/applications/${client_id}`)).body.data);
  const [, entry] = await auditOf(api.database, "clientID", client_id);
  expect(entry).toMatchObject({ event: "client_secret_create", properties: { clientID: client_id, overlapHours: 2 } });
  expect(JSON.stringify(entry)).not.toContain("rps_");
});

test("a repeat with the same key returns the same secret and creates no other secret", async () => {
  const registered = await register();
  const caller = as.service();
  const path = `/api/applications/${registered.client_id}/secret`;
  const headers = { "idempotency-key": "k" };
  const [first, repeat] = await Promise.all([
    caller.post(path, { overlapHours: 1 }, { headers }),
    caller.post(path, { overlapHours: 1 }, { headers }),
  ]);

  expect(repeat.text).toBe(first.text);
  expect(await statuses([registered, first.body.data])).toEqual([200, 200]);
  expect(await caller.post(path, { overlapHours: 2 }, { headers })).toBeError("idempotency_key_reused");
  const [row] = await api.database.owner.query<{ result: string }>(sql`
    select result::text from idempotency_keys where result::text like ${`%${registered.client_id}%`}
  `);
  expect(row?.result).not.toContain(String(first.body.data.client_secret).slice(4));
});

test("an application without client authentication gets no secret", async () => {
  const { client_id } = await register(useragent);
  expect(await as.admin().post(`/api/applications/${client_id}/secret`)).toBeError("no_client_secret");
});

test("rotation requires every scope of the application, since the caller could use the secret", async () => {
  const registered = await register({ ...service, scopes: ["user.read", "user.delete"] });
  const weak = as.service({ scopes: ["application.modify", "user.read"] });

  const answer = await weak.post(`/api/applications/${registered.client_id}/secret`);

  expect(answer).toBeError("insufficient_scope");
  expect(answer.headers["www-authenticate"]).toContain('scope="user.delete"');
  expect(await statuses([registered])).toEqual([200]);
});

test.each([-1, 25, 1.5, "1", null, true])("overlapHours %j is refused", async (overlapHours) => {
  const { clientId } = await given.application({ realmId: api.realmId });
  const answer = await as.admin().post(`/api/applications/${clientId}/secret`, { overlapHours });
  expect(answer).toBeError("invalid_request");
  expect(answer.body.fields[0].path).toBe("overlapHours");
});
