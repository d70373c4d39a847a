import { beforeAll, describe, expect, test } from "vitest";
import { authorizationOn, drawPkce, expectSentToApplication, markedState } from "../support/given/authorization.ts";
import type { GivenApplication, GivenUser } from "../support/given/given.ts";
import { useApi } from "../support/service/api.ts";

const api = useApi();
const { given } = api;
const { authorizeUrl, browser, codeFor, redeem } = authorizationOn(api);

let application: GivenApplication;
let strict: GivenApplication;
let user: GivenUser;
beforeAll(async () => {
  const useragent = { realmId: api.realmId, type: "useragent" } as const;
  application = await given.application(useragent);
  strict = await given.application({ ...useragent, requirePkce: true });
  user = await given.user({ realmId: api.realmId });
});

const { challenge } = drawPkce();

describe("4.4.1 the application receives the error for", () => {
  test.each<[string, Record<string, string | undefined>, string, (() => GivenApplication)?]>([
    ["PKCE plain", { code_challenge: challenge, code_challenge_method: "plain" }, "invalid_request"],
    ["a challenge without a method", { code_challenge: challenge }, "invalid_request"],
    ["a method without a challenge", { code_challenge_method: "S256" }, "invalid_request"],
    ["a short challenge", { code_challenge: "abc", code_challenge_method: "S256" }, "invalid_request"],
    ["a padded challenge", { code_challenge: `${challenge}=`, code_challenge_method: "S256" }, "invalid_request"],
    ["no PKCE where it is required", {}, "invalid_request", () => strict],
  ])("%s", async (_, parameters, error, of = () => application) => {
    const url = authorizeUrl(of(), { state: markedState, ...parameters });
    expectSentToApplication(await (await browser(user)).get(url, { follow: false }), { error, iss: api.url });
  });
});

test("4.6 a code with a challenge is redeemed only with its verifier", async () => {
  const { verifier, challenge } = drawPkce();
  const code = await codeFor(user, application, { code_challenge: challenge, code_challenge_method: "S256" });
  expect(await redeem(application, code)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  for (const wrong of [drawPkce().verifier, challenge, "short"]) {
    const answer = await redeem(application, code, { code_verifier: wrong });
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  }
  expect(await redeem(application, code, { code_verifier: verifier })).toMatchObject({ status: 200 });
});
