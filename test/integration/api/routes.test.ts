import { Registry } from "prom-client";
import { beforeAll, describe, expect, test } from "vitest";
import { routesOf } from "../../../api/app.ts";
import type { Deps } from "../../../api/contract/deps.ts";
import type { Route } from "../../../api/http/route.ts";
import { sql } from "../../../db/sql.ts";
import { eventually } from "../../support/run/eventually.ts";
import { sendRequest, useApi, type ApiAnswer } from "../../support/service/api.ts";

const registry = new Registry();
const api = useApi({ registry });

// Gives the realm the name in the sample paths and turns on its apps, so that their paths exist.
beforeAll(() =>
  api.database.owner.query(sql`update realms set name = '1', onboarding_apps = true where id = ${api.realmId}`),
);

/** A list of routes needs only addresses: no request is handled here. */
const settings = { baseUrl: "http://127.0.0.1", authUrl: "http://127.0.0.1" };
const routes = routesOf({ settings } as Deps);

/** Paths for templates that match more than a plain value. */
const samples: Readonly<Record<string, string>> = {
  "/ocsp/:issuer": "/ocsp/1",
  "/console/assets/:name": "/console/assets/index.js",
  "/console{/*path}": "/console/users",
  "/scim/v2{/*path}": "/scim/v2/nothing",
};

const sampleOf = ({ path, name }: Route): string =>
  samples[name] ?? (typeof path === "string" ? path.replace("{/}", "") : name).replace(/:\w+/g, "1");

const methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "PROPFIND"];

/** How each format reports that the method does not exist. */
const expectRefusal: Readonly<Record<Route["errors"]["name"], (answer: ApiAnswer) => void>> = {
  problem: (answer) => {
    expect(answer).toBeError("method_not_allowed");
  },
  // A request that is not OCSP over HTTP gets an HTTP error.
  bytes: (answer) => {
    expect(answer).toBeError("method_not_allowed");
  },
  oauth: ({ body }) => {
    expect(body).toEqual({
      error: "invalid_request",
      error_description: expect.stringMatching(/^This endpoint takes (?:GET|POST|GET and POST) only\.$/),
    });
  },
  scim: ({ headers, body }) => {
    expect(headers["content-type"]).toBe("application/scim+json");
    expect(body).toMatchObject({ schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"], status: "405" });
  },
  page: ({ headers, text }) => {
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(text).toContain(headers["x-request-id"]);
  },
};

describe.each(routes.map((route) => [`${route.errors.name} ${sampleOf(route)}`, route] as const))("%s", (_, route) => {
  const missing = methods.filter((method) => !route.methods.includes(method));

  test("returns 405 with Allow, in the route's format, for each unsupported method", async () => {
    expect(missing).toContain("PROPFIND");
    for (const method of missing) {
      const answer = await sendRequest(`${api.url}${sampleOf(route)}`, method, {});
      expect([answer.status, answer.headers.allow], method).toEqual([405, route.methods.join(", ")]);
      if (method !== "HEAD") expectRefusal[route.errors.name](answer);
    }
  });

  test("counts the request against a limit, and in the metrics under the route's name", async () => {
    const path = sampleOf(route);
    const before = await countOf(route.name);
    const { headers } = await sendRequest(`${api.url}${path}`, "PROPFIND", {});
    expect(headers["x-rate-limit-limit"]).toMatch(/^[0-9]+$/);
    await eventually(async () => {
      expect(await countOf(route.name)).toBeGreaterThan(before);
    });
    if (path !== route.name) expect(await countOf(path)).toBe(0);
  });
});

/** Returns the number of requests recorded under a route name with an unsupported method and status 405. */
async function countOf(route: string): Promise<number> {
  const metric = await registry.getSingleMetric("realmpass_http_request_seconds")?.get();
  const counts = (metric?.values ?? []) as { metricName?: string; labels: Record<string, unknown>; value: number }[];
  return counts
    .filter(({ metricName, labels }) => metricName?.endsWith("_count") === true && labels["route"] === route)
    .filter(({ labels }) => labels["method"] === "other" && labels["status"] === "405")
    .reduce((sum, { value }) => sum + value, 0);
}

test("an unknown path gets 404, counts against the limit, and has no name in the metrics", async () => {
  const answer = await sendRequest(`${api.url}/nothing/here`, "PROPFIND", {});
  expect(answer).toBeError("not_found");
  expect(answer.headers["x-rate-limit-limit"]).toBe("10000");
  await eventually(async () => {
    expect(await registry.metrics()).toContain('method="other",route="unknown",status="404"');
  });
  expect(await registry.metrics()).not.toContain("/nothing/here");
});

test.each(["/nothing", "/consoles", "/meadow", "/apis"])(
  "a browser that requests %s gets a page with the error",
  async (path) => {
    const answer = await sendRequest(`${api.url}${path}`, "GET", {
      headers: { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" },
    });
    expect(answer).toMatchObject({ status: 404, headers: { "content-type": "text/html; charset=utf-8" } });
    expect(answer.text).toContain(answer.headers["x-request-id"]);
    expect(answer.text).not.toContain(path);
  },
);

test.each(["/api/nothing", "/oauth/nothing", "/crl/nothing", "/ca/nothing", "/ocsp"])(
  "%s is for programs, and a browser gets the same response",
  async (path) => {
    expect(await sendRequest(`${api.url}${path}`, "GET", { headers: { accept: "text/html" } })).toBeError("not_found");
  },
);

test("a program that accepts anything gets the error in the API's wrapper at an unknown path", async () => {
  expect(await sendRequest(`${api.url}/nothing`, "GET", { headers: { accept: "*/*" } })).toBeError("not_found");
});
