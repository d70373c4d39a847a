import { beforeAll, describe, expect, test } from "vitest";
import { endpoints } from "../../../../api/endpoints.ts";
import { sendRequest, useApi, type ApiAnswer } from "../../../support/service/api.ts";
import {
  givenSubject,
  nobodysSubject,
  samplesOf,
  type Sample,
  type SampleSubject,
} from "../../../support/given/endpoint-samples.ts";

const api = useApi({ settings: { waitSeconds: 1 } });
let subject: SampleSubject;
let headers: Record<string, string>;
let userHeaders: Record<string, string>;
let guestHeaders: Record<string, string>;
let machineHeaders: Record<string, string>;

beforeAll(async () => {
  subject = await givenSubject(api.given, api.realmId);
  const { clientId } = await api.given.application({ realmId: api.realmId });
  headers = { authorization: `Bearer ${await api.given.token({ realmId: api.realmId, clientId })}` };
  const { id: userId } = await api.given.user({ realmId: api.realmId, roles: ["administrator"] });
  userHeaders = { authorization: `Bearer ${await api.given.token({ realmId: api.realmId, userId })}` };
  const { id: guestAccountId } = await api.given.guestAccount({ realmId: api.realmId });
  guestHeaders = { authorization: `Bearer ${await api.given.token({ realmId: api.realmId, guestAccountId })}` };
  const machine = await api.given.application({ realmId: api.realmId, scopes: ["radius.read"] });
  const token = await api.given.token(
    { realmId: api.realmId, clientId: machine.clientId },
    { scopes: ["radius.read"] },
  );
  machineHeaders = { authorization: `Bearer ${token}` };
});

const json = { "content-type": "application/json" };

/** Returns the headers of a caller whom the endpoint accepts, so only the request itself can be refused. */
const headersFor = ({ endpoint: { access, scope, furtherScopes } }: Sample): Record<string, string> => {
  if (access === "guest") return guestHeaders;
  if (scope === "radius.read") return machineHeaders;
  return access === "user" || [scope, ...furtherScopes].includes("role.modify") ? userHeaders : headers;
};

const send = (sample: Sample, { raw, path = (own: string) => own, type = json }: Bad): Promise<ApiAnswer> => {
  const now = samplesOf([sample.endpoint], subject).find(({ method }) => method === sample.method) ?? sample;
  return sendRequest(`${api.url}${path(now.path)}`, sample.method.toUpperCase(), {
    headers: { ...headersFor(sample), ...(raw === undefined ? {} : type) },
    ...(raw === undefined ? {} : { raw }),
  });
};

interface Bad {
  raw?: string | Buffer;
  path?: (own: string) => string;
  type?: Record<string, string>;
}

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

const badBodies: [name: string, bad: Bad, status: number][] = [
  ["a body that is no JSON", { raw: "{" }, 400],
  ["a body that is a form", { raw: "a=b", type: { "content-type": "application/x-www-form-urlencoded" } }, 415],
  ["a body in latin1", { raw: "{}", type: { "content-type": "application/json; charset=latin1" } }, 415],
  ["a compressed body", { raw: "{}", type: { ...json, "content-encoding": "gzip" } }, 415],
  ["an array", { raw: "[]" }, 400],
  ["a string", { raw: '"x"' }, 400],
  ["null", { raw: "null" }, 400],
  ["NUL in a value", { raw: '{"x":"a\\u0000b"}' }, 400],
  ["NUL in a name", { raw: '{"a\\u0000b":1}' }, 400],
  ["a raw NUL", { raw: '{"x":"\0"}' }, 400],
  ["a lone surrogate", { raw: '{"x":"\\ud800"}' }, 400],
  ["bytes that are no UTF-8", { raw: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) }, 400],
  ["33 levels", { raw: nested(33) }, 400],
  ["100,000 levels", { raw: "[".repeat(50_000) + "]".repeat(50_000) }, 400],
  ["a repeated property", { raw: '{"x":1,"x":1}' }, 400],
  ["a repeated property in disguise", { raw: '{"x":1,"\\u0078":1}' }, 400],
  ["a body of a megabyte", { raw: `{"x":"${"x".repeat(1_000_000)}"}` }, 413],
];

const badQueries: [name: string, query: string][] = [
  ["a bad percent escape", "x=%"],
  ["a bad percent escape in a name", "%zz=1"],
  ["NUL", "x=a%00b"],
  ["a lone surrogate", "x=%ED%A0%80"],
  ["5 kB", `x=${"x".repeat(5000)}`],
];

const badParts = ["%", "%zz", "a%00b", "%ED%A0%80", "x".repeat(5000), "a%0D%0ASet-Cookie:b", "%0a", "..%2f..%2fetc"];

const titled = samplesOf(endpoints, nobodysSubject).map(
  (sample) => [`${sample.method.toUpperCase()} ${sample.endpoint.path}`, sample] as const,
);

const expectRefused = (answer: ApiAnswer): void => {
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
  expect(answer.body).toMatchObject({
    result: "error",
    code: answer.status,
    error: expect.any(String),
    error_description: expect.any(String),
    request_id: answer.headers["x-request-id"],
  });
};

describe.each(titled)("%s", (_, sample) => {
  const takesBody = sample.endpoint.body !== undefined || sample.endpoint.list !== undefined;

  test.each(takesBody ? badBodies : [])("%s", async (_name, bad, status) => {
    const answer = await send(sample, bad);
    expectRefused(answer);
    expect(answer.status).toBe(status);
  });

  const properties = Object.keys(sample.endpoint.body?.shape ?? {});
  test.each(properties)("%s is refused in two spellings, of a wrong type, and 5 kB long", async (name) => {
    for (const raw of [
      JSON.stringify({ ...sample.body, [name]: "x", [name.toUpperCase()]: "x" }),
      JSON.stringify({ ...sample.body, [name]: { deep: [] } }),
      // A user may have no role, and a realm may name no RADIUS servers or roaming consortiums.
      ...(["roles", "radiusAddresses", "radiusNames", "rcois"].includes(name)
        ? []
        : [JSON.stringify({ ...sample.body, [name]: [] })]),
      JSON.stringify({ ...sample.body, [name]: "x".repeat(name === "csr" ? 20_000 : 5000) }),
    ]) {
      expectRefused(await send(sample, { raw }));
    }
  });

  test.each(badQueries)("a query with %s is refused", async (_name, query) => {
    expectRefused(await send(sample, { path: (own) => `${own}?${query}` }));
  });

  test.each(sample.endpoint.path.includes(":") ? badParts : [])("a path that ends in %s is refused", async (part) => {
    const answer = await send(sample, { path: (own) => own.replace(/[^/]+$/, part) });
    // A name can contain dots and slashes; such a request is refused because it lacks a body.
    expectRefused(answer);
    expect(answer.headers["set-cookie"]).toBeUndefined();
  });

  test("an unknown version is refused", async () => {
    const answer = await sendRequest(`${api.url}${sample.path}`, sample.method.toUpperCase(), {
      headers: { ...headersFor(sample), "x-api-version": "3.0" },
    });
    expect(answer).toBeError("unsupported_api_version");
  });

  test("another method gets 405 and the list of allowed methods", async () => {
    const answer = await sendRequest(`${api.url}${sample.path}`, "PATCH", { headers });
    expect(answer).toBeError("method_not_allowed");
    expect(answer.headers.allow?.split(", ")).toContain(sample.method.toUpperCase());
  });
});

test.each(["/api", "/api/nothing", "/api/user/1/2/3", "/API/user", "/api/user/", "/favicon.ico"])(
  "%s is not found",
  async (path) => {
    expect(await sendRequest(`${api.url}${path}`, "GET", { headers })).toBeError("not_found");
  },
);

test("__proto__ in a body is ignored like every unknown property", async () => {
  const raw = '{"__proto__":{"limit":5},"constructor":{"prototype":{"limit":5}},"limit":7}';
  const answer = await sendRequest(`${api.url}/api/user`, "POST", { raw, headers: { ...headers, ...json } });
  expect(answer).toMatchObject({ status: 200, body: { limit: 7 } });
  expect(({} as { limit?: number }).limit).toBeUndefined();
});
