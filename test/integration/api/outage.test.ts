import { expect, test } from "vitest";
import { sendRequest, useApi } from "../../support/service/api.ts";

const api = useApi({ databaseUrl: () => "postgres://nobody:nothing@127.0.0.1:1/nowhere" });
const { as } = api;

test("without the database every request gets 503 with Retry-After, in the API's response wrapper", async () => {
  for (const path of ["/api/user", "/api/realm", "/api/user/1", "/api/profiles/1", "/api/issuances/1"]) {
    const answer = await as.token("whatever").get(path);
    expect(answer).toBeError("unavailable");
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
  }
});

test("requests that need no database still succeed", async () => {
  expect(await as.nobody().get("/healthz")).toMatchObject({ status: 200 });
  expect(await as.nobody().get("/api/realm")).toBeError("unauthenticated");
  expect(await as.nobody().get("/openapi.json")).toMatchObject({ status: 200 });
});

test("guides are shown with example values and the service's address", async () => {
  const { status, text } = await as.nobody().get("/docs/radius?realm=demo");
  expect(status).toBe(200);
  expect(text).toContain("radius.demo.example");
  expect((await as.nobody().get("/docs/quickstart")).text).toContain(`${api.url}/oauth/token`);
});

test.each(["/readyz", "/status"])(
  "%s reports that the database is away, since no other state is known",
  async (path) => {
    const answer = await as.nobody().get(path);
    expect(answer).toBeError("unavailable");
    expect(answer.body.fields).toEqual([{ path: "database", reason: expect.any(String) }]);
  },
);

test("the token endpoint reports the outage as an OAuth error", async () => {
  const answer = await sendRequest(`${api.url}/oauth/token`, "POST", {
    raw: "grant_type=client_credentials&client_id=a&client_secret=b",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  expect(answer).toMatchObject({
    status: 503,
    body: { error: "temporarily_unavailable" },
    headers: { "retry-after": "2" },
  });
});

test("sign-in links show a page", async () => {
  expect(await as.nobody().get("/sign-in/rpl_x")).toMatchObject({
    status: 503,
    headers: { "content-type": "text/html; charset=utf-8" },
  });
});
