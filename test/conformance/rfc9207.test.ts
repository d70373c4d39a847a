import { beforeAll, expect, test } from "vitest";
import { answerOf, authorizationOn } from "../support/given/authorization.ts";
import type { GivenApplication, GivenUser } from "../support/given/given.ts";
import { useApi } from "../support/service/api.ts";

const api = useApi();
const { given } = api;
const { allow, authorizeUrl, browser } = authorizationOn(api);

let application: GivenApplication;
let user: GivenUser;
beforeAll(async () => {
  application = await given.application({ realmId: api.realmId, type: "useragent" });
  user = await given.user({ realmId: api.realmId });
});

test("2 a response with a code names the issuer, and has no state if the request had none", async () => {
  const answer = answerOf(await allow(await browser(user), authorizeUrl(application)));
  expect(answer).toEqual({ code: expect.any(String), iss: api.url });
});

test("2 an error response names the issuer if the user denies access", async () => {
  const who = await browser(user);
  const visit = await who.submit(await who.get(authorizeUrl(application, { state: "s", prompt: "consent" })), {
    decision: "deny",
  });
  expect(visit.status).toBe(303);
  expect(answerOf(visit)).toMatchObject({ error: "access_denied", state: "s", iss: api.url });
});
