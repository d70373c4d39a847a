import { expect, test } from "vitest";
import { useApi } from "../../../support/service/api.ts";
import { authorizationOn } from "../../../support/given/authorization.ts";

const api = useApi();
const { as, given } = api;
const { signIn } = authorizationOn(api);

test("userinfo returns the signed-in user, by GET and POST", async () => {
  const application = await given.application({ realmId: api.realmId, type: "useragent" });
  const user = await given.user({ realmId: api.realmId, email: "mia@example.org", pairwiseId: "mia" });
  const { body } = await signIn(user, application, { scope: "openid" });
  for (const method of ["GET", "POST"]) {
    const answer = await as.token(body.access_token).send(method, "/oauth/userinfo");
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: { sub: user.id, pairwise_id: "mia", email: "mia@example.org" },
    });
  }
});
