import { beforeAll, expect, test } from "vitest";
import { authorizationOn } from "../support/given/authorization.ts";
import type { GivenApplication, GivenUser } from "../support/given/given.ts";
import { useApi } from "../support/service/api.ts";

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

test("6 the response has exactly three properties, and the refresh token keeps working", async () => {
  const { body: first } = await signIn(user, application, { nonce: "n" });
  for (let round = 0; round < 2; round++) {
    const { status, body } = await refresh(application, first.refresh_token);
    expect({ status, properties: Object.keys(body).sort() }).toEqual({
      status: 200,
      properties: ["access_token", "id_token", "token_type"],
    });
    expect(await as.token(body.access_token).get("/api/realm")).toMatchObject({ status: 200 });
  }
  expect(await as.token(first.access_token).get("/api/realm")).toMatchObject({ status: 200 });
});

test("6 a narrower scope applies only to the new token, a wider scope is rejected, and the session keeps its scope", async () => {
  const { body: first } = await signIn(user, application, { scope: "openid offline_access realm.read profile.read" });
  const narrow = await refresh(application, first.refresh_token, { scope: "profile.read" });
  expect(Object.keys(narrow.body).sort()).toEqual(["access_token", "token_type"]);
  expect(await as.token(narrow.body.access_token).get("/api/realm")).toBeError("insufficient_scope");
  expect(await refresh(application, first.refresh_token, { scope: "realm.read user.read" })).toMatchObject(
    refused("invalid_scope"),
  );
  const { body: full } = await refresh(application, first.refresh_token);
  expect(await as.token(full.access_token).get("/api/realm")).toMatchObject({ status: 200 });
});

test("6 and 5.2 unknown tokens, tokens of another kind and another client's tokens are refused", async () => {
  const { body } = await signIn(user, application);
  const other = await given.application({ realmId: api.realmId, type: "useragent" });
  for (const wrong of ["rpr_unknown", body.access_token, body.code, body.id_token].map(String)) {
    expect(await refresh(application, wrong)).toMatchObject(refused("invalid_grant"));
  }
  expect(await refresh(application, body.refresh_token, { client_id: other.clientId })).toMatchObject(
    refused("invalid_grant"),
  );
  expect(await refresh(application, "")).toMatchObject(refused("invalid_request"));
  expect(await refresh(application, body.refresh_token)).toMatchObject({ status: 200 });
});

test("5.2 a service that uses a refresh token gets unauthorized_client", async () => {
  const service = await given.application({ realmId: api.realmId });
  const answer = await refresh(application, "rpr_x", { client_id: service.clientId, client_secret: service.secret });
  expect(answer).toMatchObject(refused("unauthorized_client"));
});
