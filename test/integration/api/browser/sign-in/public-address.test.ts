import { beforeAll, expect, test } from "vitest";
import { sendRequest, useApi } from "../../../../support/service/api.ts";
import { givenLocalAccount, testPassword } from "../../../../support/given/local-account.ts";

/** The api runs behind a proxy that removes `/auth` from paths, on https. */
const api = useApi({ settings: { authUrl: "https://login.example/auth" } });

beforeAll(async () => {
  await givenLocalAccount(api, { username: "ada" });
});

test("pages, redirects and cookies use the public address", async () => {
  const { clientId } = await api.given.application({ realmId: api.realmId, type: "useragent" });
  const path = `/oauth/authorize?client_id=${clientId}`;
  const page = await sendRequest(`${api.url}/login?continue=${encodeURIComponent(path)}`, "GET");
  const addresses = [...page.text.matchAll(/(?:href|action)="([^"]*)"/g)].map(([, address]) => address);
  expect(addresses.length).toBeGreaterThan(3);
  expect(addresses.filter((address) => !/^\/auth\/(?:login|assets\/)/.test(address!))).toEqual([]);
  const [cookie] = page.headers["set-cookie"]!;
  expect(cookie).toMatch(/^__Host-realmpass-form=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Secure$/);

  const [, token] = /name="form_token" value="([^"]+)"/.exec(page.text)!;
  const form = { username: "ada", password: testPassword, continue: path, form_token: token! };
  const answer = await sendRequest(`${api.url}/login`, "POST", {
    raw: new URLSearchParams(form).toString(),
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      cookie: cookie!.split(";")[0]!,
      origin: "https://login.example",
    },
  });
  expect(answer).toMatchObject({ status: 303, headers: { location: `/auth${path}` } });
  expect(answer.headers["set-cookie"]).toEqual([
    expect.stringMatching(/^__Host-realmpass-login=rpb_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/),
  ]);
});
