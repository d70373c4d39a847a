import { decodeJwt } from "jose";
import { beforeAll, expect, test } from "vitest";
import { sql } from "../../../../db/sql.ts";
import { useApi } from "../../../support/service/api.ts";
import { authorizationOn } from "../../../support/given/authorization.ts";
import type { GivenApplication, GivenUser } from "../../../support/given/given.ts";

const api = useApi();
const { as, given } = api;
const { refresh, signIn } = authorizationOn(api);

let application: GivenApplication;
let user: GivenUser;
beforeAll(async () => {
  application = await given.application({ realmId: api.realmId, type: "useragent" });
  user = await given.user({ realmId: api.realmId });
});

const refused = (error: string) => ({ status: 400, body: { error } });

test("a refresh token expires after 30 days without use, or 90 days after signing in", async () => {
  const [idle, old] = [await signIn(user, application), await signIn(user, application)];
  const sid = (answer: typeof idle) => decodeJwt(answer.body.id_token)["sid"];
  const { owner } = api.database;
  await owner.query(sql`update sessions set last_used_at = now() - interval '29 days' where id = ${sid(idle)}`);
  expect(await refresh(application, idle.body.refresh_token)).toMatchObject({ status: 200 });
  await owner.query(sql`update sessions set last_used_at = now() - interval '31 days' where id = ${sid(idle)}`);
  expect(await refresh(application, idle.body.refresh_token)).toMatchObject(refused("invalid_grant"));

  const [row] = await owner.query<{ days: number }>(
    sql`select round(extract(epoch from expires_at - now()) / 86400)::integer as days from refresh_tokens r where r.session_id = ${sid(old)}`,
  );
  expect(row?.days).toBe(90);
  await owner.query(sql`update sessions set expires_at = now() - interval '1 second' where id = ${sid(old)}`);
  expect(await refresh(application, old.body.refresh_token)).toMatchObject(refused("invalid_grant"));
});

test("an offboarded user's refresh token is refused, also after reactivation; a locked user's works", async () => {
  const leaver = await given.user({ realmId: api.realmId });
  const { body } = await signIn(leaver, application);
  await as.admin().put(`/api/user/${leaver.id}/status`, { locked: true });
  expect(await refresh(application, body.refresh_token)).toMatchObject({ status: 200 });
  await as.admin().delete(`/api/user/${leaver.id}`);
  expect(await refresh(application, body.refresh_token)).toMatchObject(refused("invalid_grant"));
  expect(await as.token(body.access_token).get("/api/realm")).toBeError("unauthenticated");
  await as.admin().put(`/api/user/${leaver.id}/undelete`);
  expect(await refresh(application, body.refresh_token)).toMatchObject(refused("invalid_grant"));
});
