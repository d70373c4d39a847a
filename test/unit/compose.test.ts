import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { secretPaths } from "../../api/secret-paths.ts";

const compose = await readFile("docker-compose.yml", "utf8");

test("docker compose builds one image, for the service that all others of the image wait for", () => {
  expect(compose.match(/^ *build:.*$/gm)).toEqual(["    build: ."]);
  expect(compose).toMatch(/^ {2}migrate:\n(?: {4}.*\n)*? {4}build: \.$/m);
  expect(compose.match(/^ *image: realmpass$/gm)).toHaveLength(1);
  expect(compose).toMatch(/^ {2}image: realmpass\n(?: {2}#.*\n)* {2}pull_policy: never$/m);
  expect(compose).toMatch(/^ {2}migrate: \{ condition: service_completed_successfully \}$/m);
});

test("docker compose publishes one port, on this machine alone", () => {
  expect(compose.match(/^ *ports:.*$/gm)).toEqual(['    ports: ["127.0.0.1:${PORT:-3000}:3000"]']);
});

test("docker compose does not start without a password for the database, and puts it into no URL", () => {
  const uses = [...compose.matchAll(/\$\{POSTGRES_PASSWORD[^}]*\}/g)].map(([use]) => use);
  expect(uses).toHaveLength(2);
  for (const use of uses) expect(use).toMatch(/^\$\{POSTGRES_PASSWORD:\?set POSTGRES_PASSWORD in /);
  expect(compose).not.toMatch(/:\/\/[^\s@]*:[^\s@]*@/);
});

test("docker compose has the nginx configuration that is tested", () => {
  expect(compose).toContain("configs: [{ source: proxy, target: /etc/nginx/conf.d/default.conf }]");
  expect(compose).toMatch(/^configs:\n {2}proxy:\n {4}file: \.\/deploy\/nginx\/realmpass\.conf$/m);
});

test("the documentation names each path whose URL holds a secret", async () => {
  const page = await readFile("docs/operations.md", "utf8");
  const rows = [...page.matchAll(/^\| `(\/[^`]*)` +\| (.*?) +\|$/gm)].map(([, path, secret]) => [path, secret]);
  expect(rows).toEqual(
    secretPaths.map(({ path, parameters }) => [
      path,
      parameters === undefined ? "the path" : parameters.map((name) => `\`${name}\``).join(", "),
    ]),
  );
});
