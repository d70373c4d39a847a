import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { beforeAll, expect, test } from "vitest";
import { extent } from "../../support/run/extent.ts";
import { sendRequest, useApi, type ApiAnswer } from "../../support/service/api.ts";
import { givenSubject, type SampleSubject } from "../../support/given/endpoint-samples.ts";
import { givenIssuingRealm } from "../../support/given/issuing.ts";
import { createRandom, resolved, sampleOf, type Random, type Schema } from "../../support/given/json-schema-samples.ts";

/**
 * Random requests, made from the document that the service serves: about half as documented, half broken. No response
 * is a 5xx or has an undocumented status, and each has the documented form.
 */

const all = 2_000;
const requests = extent(all);
const seed = 20261121;

const api = useApi({ settings: { waitSeconds: 5 } });
const { given } = api;
const random = createRandom(seed);

let document: Schema;
let realmId: string;
beforeAll(async () => {
  ({ realmId } = await givenIssuingRealm(api.database.owner, { maxProfiles: 100 }));
  await api.startWorker();
  document = (await api.as.nobody().get("/openapi.json")).body;
});

interface Operation {
  method: string;
  path: string;
  pointer: string;
  parameters: Schema[];
  body: { type: string; schema: Schema } | undefined;
  responses: Record<string, Schema>;
  access: keyof typeof mayCall;
}

const everybody = ["administrator", "user", "guest", "nobody"] as const;

/** The callers whom each kind of access accepts. */
const mayCall = {
  staff: ["administrator"],
  user: ["administrator", "user"],
  guest: ["guest"],
  any: ["administrator", "user", "guest"],
  public: everybody,
} as const satisfies Record<string, readonly (typeof everybody)[number][]>;

const escaped = (part: string): string => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));

function operationsOf(): Operation[] {
  return Object.entries(document["paths"] as Record<string, Schema>).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => /^(?:get|post|put|delete)$/.test(method))
      .map(([method, operation]: [string, Schema]) => {
        const [type, content] =
          Object.entries((operation["requestBody"]?.content ?? {}) as Record<string, Schema>)[0] ?? [];
        return {
          method: method.toUpperCase(),
          path,
          pointer: `#/paths/${escaped(path)}/${method}/responses`,
          parameters: ((operation["parameters"] ?? []) as Schema[]).map((parameter) => resolved(document, parameter)),
          body: type === undefined ? undefined : { type, schema: content?.["schema"] as Schema },
          responses: operation["responses"] as Record<string, Schema>,
          access: operation["x-access"] as Operation["access"],
        };
      }),
  );
}

/** Creates the checks of responses, one for each response and media type in the document. */
function createChecks() {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ ...document, $id: "https://document.example/" });
  const known = new Map<string, ValidateFunction>();

  /** Returns the faults of a response; undefined if it is as documented. */
  return ({ pointer, responses }: Operation, answer: ApiAnswer): string | undefined => {
    const { status, headers, body, text } = answer;
    const documented = responses[status];
    if (documented === undefined) return `status ${status} is not documented`;
    // The realms of tests have issuers without a CRL, which `/status` reports.
    if (status === 503 && pointer.startsWith("#/paths/~1status/")) return undefined;
    if (status >= 500) return `status ${status} is our fault`;
    const response = resolved(document, documented);
    if (response["content"] === undefined) return text === "" ? undefined : "has a body that is not documented";
    const type = (headers["content-type"] ?? "").split(";")[0] ?? "";
    if (response["content"][type] === undefined) return `type ${type} is not documented`;
    // The content of a file of lines is not checked, because each line is a value.
    if (type === "application/x-ndjson" || type === "text/csv") return undefined;
    const base = (documented["$ref"] as string | undefined) ?? `${pointer}/${status}`;
    const $ref = `https://document.example/${base}/content/${escaped(type)}/schema`;
    const check = known.get($ref) ?? ajv.compile({ $ref });
    known.set($ref, check);
    return check(type === "text/html" ? text : body) ? undefined : ajv.errorsText(check.errors);
  };
}

interface Drawn {
  /** The value of each parameter of the path, percent-encoded. */
  path: Record<string, string>;
  query: [name: string, value: string][];
  headers: Record<string, string>;
  body: unknown;
}

/** Draws a documented request, mostly about subjects that exist. */
function draw({ path, parameters, body }: Operation, subject: SampleSubject): Drawn {
  const identifiers: Record<string, string> = {
    userID: subject.user.id,
    serial: path.startsWith("/api/infrastructure") ? subject.infrastructureSerial : subject.serial,
    serialOrName: subject.serial,
    guestAccountId: subject.guestAccountId,
    profileSerial: subject.guestSerial,
    client_id: subject.clientId,
  };
  const query: Drawn["query"] = [];
  const headers: Record<string, string> = {};
  const filled: Record<string, string> = {};
  for (const { name, in: where, schema, required } of parameters) {
    const known = identifiers[name as string];
    const value = known !== undefined && random.chance(0.8) ? known : sampleOf(document, schema, random);
    if (where === "path") filled[name] = encodeURIComponent(asText(value) || "x");
    else if (required !== true && random.chance(0.6)) continue;
    else if (where === "header") headers[name] = headerText(name, value);
    else if (typeof value === "object" && value !== null)
      for (const [key, inner] of Object.entries(value)) query.push([`${name}[${key}]`, asText(inner)]);
    else query.push([name, asText(value)]);
  }
  return { path: filled, query, headers, body: body && sampleOf(document, body.schema, random) };
}

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** Returns a sensible header value where any text is allowed, in characters that HTTP permits. */
function headerText(name: string, value: unknown): string {
  if (name === "Prefer") return random.pick(["respond-async", "wait=5", "respond-async, wait=2", "handling=lenient"]);
  if (name === "Idempotency-Key") return `key-${random.integer(1, 40)}`;
  if (name === "If-None-Match") return random.pick(["*", '"nothing"', "W/"]);
  return asText(value).replace(/[^\x20-\x7e]/g, "?");
}

/** The parts of a documented request that a mutation may change. `raw` replaces the body's text. */
interface Mutable extends Drawn {
  raw: string | undefined;
  type: string | undefined;
}

const deep = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const oddities = [
  null,
  0,
  -1,
  1.5,
  1e300,
  true,
  "",
  "\u0000",
  "x".repeat(5000),
  "\ud800",
  "\r\nX-Evil: 1",
  [],
  {},
  ["x"],
  { x: 1 },
];

/** Ways to break a request. */
const mutations: Record<string, (request: Mutable, random: Random) => void> = {
  "a property of another type": (request, { pick }) => {
    const names = namesOf(request.body);
    if (names.length > 0) Object.assign(request.body as object, { [pick(names)]: pick(oddities) });
    else request.body = pick(oddities);
  },
  "a missing property": (request, { pick }) => {
    const names = namesOf(request.body);
    if (names.length > 0) Reflect.deleteProperty(request.body as object, pick(names));
  },
  "further properties": (request, { pick }) => {
    request.raw =
      `{"__proto__": {"admin": true}, "constructor": ${JSON.stringify(pick(oddities))}, ${JSON.stringify(request.body ?? {}).slice(1) || "}"}`.replace(
        /, \}$/,
        "}",
      );
  },
  "a property in two spellings": (request) => {
    const [name = "x"] = namesOf(request.body);
    request.raw = `{${JSON.stringify(name)}: 1, ${JSON.stringify(name.toUpperCase())}: 2}`;
  },
  "no object": (request, { pick }) => {
    request.body = pick(oddities);
  },
  "no JSON": (request, { pick }) => {
    request.raw = pick(["{", '{"a":}', "<xml/>", "\u0000", "'", '{"a":1}{"b":2}', "NaN", "﻿{}"]);
  },
  "deeply nested JSON": (request, { pick }) => {
    request.raw = `{"filter": ${deep(pick([200, 20_000]))}}`;
  },
  "too large a body": (request) => {
    request.raw = JSON.stringify({ name: "x".repeat(140_000) });
  },
  "another content type": (request, { pick }) => {
    request.type = pick([
      "text/plain",
      "application/xml",
      "multipart/form-data; boundary=x",
      "application/json; charset=utf-16",
      "",
      ";",
    ]);
  },
  "an odd path parameter": (request, { pick }) => {
    const odd = pick([
      "%00",
      "%",
      "%ff",
      "..%2f..",
      "0",
      "-1",
      "1e3",
      "9".repeat(400),
      "%F0%9F%93%B1",
      "x".repeat(3000),
      "%0d%0aX:1",
      "__proto__",
    ]);
    for (const name of Object.keys(request.path)) request.path[name] = odd;
  },
  "an odd query": (request, { pick }) => {
    const name = pick([
      "limit",
      "offset",
      "search",
      "filter",
      "sort",
      "filter[nothing]",
      "sort[__proto__]",
      "filter[]",
      "filter[locked",
      "x",
    ]);
    const value = pick([
      "",
      "-1",
      "0",
      "1001",
      "abc",
      "1e9",
      "\u0000",
      "x".repeat(5000),
      "asc",
      "\ud83d",
      "[object Object]",
    ]);
    request.query.push([name, value]);
    if (pick([true, false])) request.query.push([name, value]);
  },
  "odd headers": (request, { pick }) => {
    const [name, value] = pick([
      ["x-api-version", "3.0"],
      ["x-api-version", "2.0, 1.0"],
      ["Idempotency-Key", ""],
      ["Idempotency-Key", "x".repeat(256)],
      ["Prefer", "wait=0, wait=;;;"],
      ["Prefer", 'wait="\\"'],
      ["Accept", "application/problem+json"],
      ["Content-Encoding", "gzip"],
      ["Accept-Encoding", "*;q=0"],
    ] as const);
    request.headers[name] = value;
  },
};

const namesOf = (body: unknown): string[] =>
  typeof body === "object" && body !== null && !Array.isArray(body) ? Object.keys(body) : [];

function queryText(query: Drawn["query"]): string {
  const encode = (text: string): string => encodeURIComponent(Buffer.from(text).toString());
  return query.length === 0 ? "" : `?${query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&")}`;
}

/** Draws a token for every kind of caller, each valid until a request ends it. */
async function drawTokens(): Promise<Record<"administrator" | "user" | "guest" | "nobody", string | undefined>> {
  const token = async (administrator: boolean) => {
    const { id: userId } = await given.user({ realmId, administrator });
    const { clientId } = await given.application({ realmId, type: "useragent" });
    return given.token({ realmId, clientId, userId });
  };
  const { id: guestAccountId } = await given.guestAccount({ realmId });
  const guest = await given.token({ realmId, guestAccountId });
  return { administrator: await token(true), user: await token(false), guest, nobody: undefined };
}

test("control: the check detects an extra field, a missing field, another type and another code", async () => {
  const wrong = createChecks();
  const operation = operationsOf().find(({ method, path }) => method === "GET" && path === "/api/realm")!;
  const answer = await api.as.admin({ realmId }).get("/api/realm");
  const { realmName: _, ...fewer } = answer.body.data;
  const withData = (data: unknown): ApiAnswer => ({ ...answer, body: { ...answer.body, data } });

  expect(wrong(operation, answer)).toBeUndefined();
  expect(wrong(operation, withData({ ...answer.body.data, more: 1 }))).toContain("additional properties");
  expect(wrong(operation, withData(fewer))).toContain("realmName");
  expect(wrong(operation, withData({ ...answer.body.data, maxValid: "12" }))).toContain("integer");
  const refusal = await api.as.nobody().get("/api/realm");
  expect(wrong(operation, refusal)).toBeUndefined();
  expect(wrong(operation, { ...refusal, body: { ...refusal.body, error: "other" } })).toContain("allowed values");
});

test(`${requests} random requests match the OpenAPI document`, async () => {
  const operations = operationsOf();
  const wrong = createChecks();
  const faults: string[] = [];
  const statuses = new Map<number, number>();
  let subject = await givenSubject(given, realmId);
  let tokens = await drawTokens();

  for (let round = 0; round < requests; round++) {
    // Some requests revoke, offboard, lock or delete their subjects, so new subjects replace them from time to time.
    if (round % 25 === 24) [subject, tokens] = [await givenSubject(given, realmId), await drawTokens()];
    const operation = operations[round % operations.length]!;
    const who = random.chance(0.8) ? random.pick(mayCall[operation.access]) : random.pick(everybody);
    const request: Mutable = { ...draw(operation, subject), raw: undefined, type: operation.body?.type };
    const broken = random.chance(0.5) ? random.pick(Object.keys(mutations)) : undefined;
    if (broken !== undefined) mutations[broken]?.(request, random);

    const isForm = request.type === "application/x-www-form-urlencoded";
    const content =
      request.raw ??
      (request.body === undefined
        ? undefined
        : isForm
          ? queryText(Object.entries(request.body ?? {}).map(([name, value]) => [name, asText(value)])).slice(1)
          : JSON.stringify(request.body));
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => String(request.path[name]));
    const answer = await sendRequest(`${api.url}${path}${queryText(request.query)}`, operation.method, {
      headers: {
        ...(tokens[who] === undefined ? {} : { authorization: `Bearer ${tokens[who]}` }),
        ...(request.type === undefined || content === undefined ? {} : { "content-type": request.type }),
        ...request.headers,
      },
      ...(content === undefined ? {} : { raw: content }),
    });

    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    const fault = wrong(operation, answer);
    if (fault !== undefined) {
      const sent = `${operation.method} ${path.slice(0, 120)}${queryText(request.query).slice(0, 200)}`;
      faults.push(
        `${round}: ${who}, ${broken ?? "as documented"}: ${sent} ${content?.slice(0, 200) ?? ""}\n  ${fault}\n  ${answer.text.slice(0, 300)}`,
      );
    }
  }

  expect(faults.join("\n\n")).toBe("");
  // The requests were meaningful: many succeeded.
  const done = [...statuses].reduce((sum, [status, count]) => sum + (status < 400 ? count : 0), 0);
  expect(done).toBeGreaterThan(requests / 5);
  // Few requests start a job, so a smaller run may contain none.
  const rare = requests === all ? [202] : [];
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 401, 403, 404, 413, 415, ...rare]));
});
