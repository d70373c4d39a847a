import { beforeAll, expect, test } from "vitest";
import { authorizationOn } from "../support/given/authorization.ts";
import type { GivenApplication, GivenUser } from "../support/given/given.ts";
import { useApi } from "../support/service/api.ts";

const api = useApi();
const { as, given } = api;
const { signIn } = authorizationOn(api);

let application: GivenApplication;
let user: GivenUser;
beforeAll(async () => {
  application = await given.application({ realmId: api.realmId, type: "useragent" });
  user = await given.user({ realmId: api.realmId });
});

test("3 and 3.1 WWW-Authenticate distinguishes an insufficient, an invalid and a missing token", async () => {
  const { body } = await signIn(user, application, { scope: "realm.read" });
  const narrow = await as.token(body.access_token).get("/oauth/userinfo");
  expect(narrow).toMatchObject({ status: 403, body: { error: "insufficient_scope" } });
  expect(narrow.headers["www-authenticate"]).toBe('Bearer error="insufficient_scope", scope="openid"');
  expect(await as.service().get("/oauth/userinfo")).toMatchObject({ status: 403 });
  const bad = await as.token("bad").get("/oauth/userinfo");
  expect(bad).toMatchObject({ status: 401, body: { error: "invalid_token" } });
  expect(bad.headers["www-authenticate"]).toBe('Bearer realm="api", error="invalid_token"');
  expect((await as.nobody().get("/oauth/userinfo")).headers["www-authenticate"]).toBe('Bearer realm="api"');
});
