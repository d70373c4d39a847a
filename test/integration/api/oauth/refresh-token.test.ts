import { decodeJwt } from "jose";
import { beforeAll, expect, test } from "vitest";
import { sql } from "../../../../db/sql.ts";
import { useApi } from "../../../support/service/api.ts";
import { authorizationOn } from "../../../support/given/authorization.ts";
import type { GivenApplication, GivenUser } from "../../../support/given/given.ts";

const api = useApi();
const { as, given } = api;
const { signIn, token } = authorizationOn(api);

let application: GivenApplication;
let user: GivenUser;
beforeAll(async () => {
  application = await given.application({ realmId: api.realmId, type: "useragent" });
  user = await given.user({ realmId: api.realmId });
});

const refresh = (refreshToken: string, fields: Record<string, string> = {}) =>
  token({ grant_type: "refresh_token", client_id: application.clientId, refresh_token: refreshToken, ...fields });

const refused = (error: string) => ({ status: 400, body: { error } });

test("answers exactly three properties, and the same refresh token goes on working", async () => {
  const { body: first } = await signIn(user, application, { nonce: "n" });
  for (let round = 0; round < 2; round++) {
    const { status, body } = await refresh(first.refresh_token);
    expect({ status, properties: Object.keys(body).sort() }).toEqual({
      status: 200,
      properties: ["access_token", "id_token", "token_type"],
    });
    expect(await as.token(body.access_token).get("/api/realm")).toMatchObject({ status: 200 });
  }
  expect(await as.token(first.access_token).get("/api/realm")).toMatchObject({ status: 200 });
});

test("the id token is about the same sign-in, without the nonce", async () => {
  const { body: first } = await signIn(user, application, { nonce: "n" });
  const { body } = await refresh(first.refresh_token);
  const { iat: _, exp: __, nonce, ...same } = decodeJwt(first.id_token);
  const { iat: ___, exp: ____, ...refreshed } = decodeJwt(body.id_token);
  expect(nonce).toBe("n");
  expect(refreshed).toEqual(same);
});

test("a narrower scope is what the new token has, a wider one is refused, and neither changes the session", async () => {
  const { body: first } = await signIn(user, application, { scope: "openid offline_access realm.read profile.read" });
  const narrow = await refresh(first.refresh_token, { scope: "profile.read" });
  expect(Object.keys(narrow.body).sort()).toEqual(["access_token", "token_type"]);
  expect(await as.token(narrow.body.access_token).get("/api/realm")).toBeError("insufficient_scope");
  expect(await refresh(first.refresh_token, { scope: "realm.read user.read" })).toMatchObject(refused("invalid_scope"));
  const { body: full } = await refresh(first.refresh_token);
  expect(await as.token(full.access_token).get("/api/realm")).toMatchObject({ status: 200 });
});

test("unknown tokens, those of another kind and those of another client are refused", async () => {
  const { body } = await signIn(user, application);
  const other = await given.application({ realmId: api.realmId, type: "useragent" });
  for (const wrong of ["rpr_unknown", body.access_token, body.code, body.id_token].map(String)) {
    expect(await refresh(wrong)).toMatchObject(refused("invalid_grant"));
  }
  expect(await refresh(body.refresh_token, { client_id: other.clientId })).toMatchObject(refused("invalid_grant"));
  expect(await refresh("")).toMatchObject(refused("invalid_request"));
  expect(await refresh(body.refresh_token)).toMatchObject({ status: 200 });
});

test("30 days unused, or 90 days after signing in, it has ended", async () => {
  const [idle, old] = [await signIn(user, application), await signIn(user, application)];
  const sid = (answer: typeof idle) => decodeJwt(answer.body.id_token)["sid"];
  const { owner } = api.database;
  await owner.query(sql`update sessions set last_used_at = now() - interval '29 days' where id = ${sid(idle)}`);
  expect(await refresh(idle.body.refresh_token)).toMatchObject({ status: 200 });
  await owner.query(sql`update sessions set last_used_at = now() - interval '31 days' where id = ${sid(idle)}`);
  expect(await refresh(idle.body.refresh_token)).toMatchObject(refused("invalid_grant"));

  const [row] = await owner.query<{ days: number }>(
    sql`select round(extract(epoch from expires_at - now()) / 86400)::integer as days from refresh_tokens r where r.session_id = ${sid(old)}`,
  );
  expect(row?.days).toBe(90);
  await owner.query(sql`update sessions set expires_at = now() - interval '1 second' where id = ${sid(old)}`);
  expect(await refresh(old.body.refresh_token)).toMatchObject(refused("invalid_grant"));
});

test("an offboarded person's is refused, and stays so after reactivation; a locked person's works", async () => {
  const leaver = await given.user({ realmId: api.realmId });
  const { body } = await signIn(leaver, application);
  await as.admin().put(`/api/user/${leaver.id}/status`, { locked: true });
  expect(await refresh(body.refresh_token)).toMatchObject({ status: 200 });
  await as.admin().delete(`/api/user/${leaver.id}`);
  expect(await refresh(body.refresh_token)).toMatchObject(refused("invalid_grant"));
  expect(await as.token(body.access_token).get("/api/realm")).toBeError("unauthenticated");
  await as.admin().put(`/api/user/${leaver.id}/undelete`);
  expect(await refresh(body.refresh_token)).toMatchObject(refused("invalid_grant"));
});

test("a service has no refresh tokens", async () => {
  const service = await given.application({ realmId: api.realmId });
  const answer = await refresh("rpr_x", { client_id: service.clientId, client_secret: service.secret });
  expect(answer).toMatchObject(refused("unauthorized_client"));
});
