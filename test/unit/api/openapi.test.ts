import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { endpoints } from "../../../api/endpoints.ts";
import { oauthPaths } from "../../../api/oauth/openapi.ts";
import { createOpenApiDocument, errorCodesOf } from "../../../api/contract/openapi/openapi.ts";
import { errorCatalogue } from "../../../domain/errors.ts";
import { specification } from "../../conformance/specification-rows.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const document = createOpenApiDocument(endpoints, oauthPaths, {
  baseUrl: "http://localhost:3000",
  authUrl: "http://localhost:3000",
});
const text = JSON.stringify(document, null, 2);

test("docs/openapi.json matches the endpoints; `npm run openapi` writes the file", () => {
  expect(readFileSync(join(root, "docs", "openapi.json"), "utf8")).toBe(`${text}\n`);
});

test("every reference has a target", () => {
  const references = [...text.matchAll(/"\$ref": "#\/([^"]+)"/g)];
  expect(references.length).toBeGreaterThan(1_000);
  for (const [, path = ""] of references) {
    const found = path
      .split("/")
      .reduce<unknown>((inside, name) => (inside as Record<string, unknown> | undefined)?.[name], document);
    expect(found, path).toBeDefined();
  }
});

test("operations have distinct names, and path templates differ in more than the names of their parameters", () => {
  const operations = [...text.matchAll(/"operationId": "([^"]+)"/g)].map(([, name]) => name);
  expect(operations.length).toBeGreaterThan(endpoints.length);
  expect(new Set(operations).size).toBe(operations.length);
  const templates = Object.keys(document["paths"] as object).map((path) => path.replace(/\{[^}]+\}/g, "{}"));
  expect(new Set(templates).size).toBe(templates.length);
});

const described = new Set(
  Object.entries(document["paths"] as Record<string, object>).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replace(/\{[^}]+\}/g, "{}")}`),
  ),
);
const promised = [...specification["4.1"], ...specification["4.2"]].flatMap(([methods, path]) =>
  methods.split(", ").map((method) => `${method} ${path.replace("{auth_url}", "").replace(/ \(.*\)$/, "")}`),
);

test.each([...promised, "GET /.well-known/openid-configuration", "GET /.well-known/oauth-authorization-server"])(
  "%s is described",
  (operation) => {
    expect(described).toContain(operation.replace(/\{[^}]+\}/g, "{}"));
  },
);

test("paths for browsers are described with their redirects and pages", () => {
  const paths = document["paths"] as Record<string, { get: { responses: Record<string, Record<string, object>> } }>;
  for (const path of ["/oauth/authorize", "/oauth/logout"]) {
    const responses = paths[path]?.get.responses ?? {};
    expect(responses["303"]?.["headers"], path).toHaveProperty("Location");
    for (const status of ["200", "400"]) expect(responses[status]?.["content"], path).toHaveProperty(["text/html"]);
  }
});

describe.each(endpoints.map((endpoint) => [endpoint.operation, endpoint] as const))("%s", (operation, endpoint) => {
  test("documents every error that it can return, under the error's status", () => {
    interface Operation {
      operationId: string;
      responses: Record<string, { $ref: string } | undefined>;
    }
    const paths = document["paths"] as Record<string, Record<string, Operation>>;
    const { responses: shared } = document["components"] as { responses: Record<string, object> };
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    for (const method of endpoint.methods) {
      const name = endpoint.methods.length > 1 && method === "post" ? `${operation}ByPost` : operation;
      const found = operations.find(({ operationId }) => operationId === name);
      for (const code of errorCodesOf(endpoint)) {
        const { $ref = "" } = found?.responses[errorCatalogue[code].status] ?? {};
        expect(JSON.stringify(shared[$ref.replace("#/components/responses/", "")]), code).toContain(`"${code}"`);
      }
    }
  });

  test("has a test file with its name in the folder of its resource", () => {
    const file = operation.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const folders = [
      "user",
      "profile",
      "guest-account",
      "guest-profile",
      "infrastructure-profile",
      "realm",
      "issuance",
      "session",
      "consent",
      "application",
      "audit",
    ];
    const folder = folders.find((name) => existsSync(join(root, "api", "resources", name, `${file}.ts`)));
    const tested = folder === undefined ? "health.test.ts" : join(folder, `${file}.test.ts`);
    expect(existsSync(join(root, "test", "integration", "api", "resources", tested)), tested).toBe(true);
  });
});
