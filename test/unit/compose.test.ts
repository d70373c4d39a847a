import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { secretPaths } from "../../api/secret-paths.ts";
import { readCompose } from "../support/service/compose-file.ts";

const { text, services, networks, volumes, configs } = readCompose();
const of = <Value>(value: (name: string) => Value, names = Object.keys(services)): Record<string, Value> =>
  Object.fromEntries(names.map((name) => [name, value(name)]));

/** The services that run the image built from this repository. */
const own = Object.keys(services).filter((name) => services[name]?.image === "realmpass:latest");

test("docker compose needs no variable and no file except its own", () => {
  expect(text.match(/\$\{\w+(?!\w|:-)[^}]*\}/g)).toBeNull();
  expect(text).not.toMatch(/env_file|external: true/);
});

test("docker compose builds one image, for the service that all other services of the image wait for", () => {
  expect(Object.keys(services).filter((name) => services[name]?.build !== undefined)).toEqual(["secrets"]);
  expect(own).toEqual(["secrets", "migrate", "api", "worker", "responder", "operator"]);
  const done = { condition: "service_completed_successfully" };
  for (const name of own) {
    expect([name, services[name]?.pull_policy]).toEqual([name, "never"]);
    if (name === "migrate") expect(services[name]?.depends_on).toMatchObject({ secrets: done });
    else if (name !== "secrets") expect([name, services[name]?.depends_on]).toMatchObject([name, { migrate: done }]);
  }
});

test("docker-compose.yml names the service's image only once, with the tag from REALMPASS_VERSION", () => {
  expect(text.match(/^ *image: realmpass.*$/gm)).toEqual(["  image: realmpass:${REALMPASS_VERSION:-latest}"]);
});

test("an upgrade of the image touches neither the proxy nor PostgreSQL and Redis, which depend on nothing", () => {
  const others = Object.keys(services).filter((name) => !own.includes(name));
  expect(others).toEqual(["proxy", "postgres", "redis"]);
  expect(of((name) => services[name]?.depends_on, others)).toEqual({ proxy: {}, postgres: {}, redis: {} });
});

test.each([
  ["postgres", "database-password", "postgres"],
  ["redis", "redis-password", "redis-server -"],
])("%s starts once its password exists", async (name, file, started) => {
  const directory = mkdtempSync(join(tmpdir(), "realmpass-compose-"));
  onTestFinished(() => {
    rmSync(directory, { recursive: true });
  });
  writeFileSync(join(directory, "docker-entrypoint.sh"), '#!/bin/sh\necho "started: $*"\n', { mode: 0o755 });
  // Runs each time the service waits: the first run creates an empty file, the second writes the password.
  writeFileSync(
    join(directory, "sleep"),
    `#!/bin/sh\necho waits\nif [ -e ${directory}/${file} ]; then echo secret >${directory}/${file}; else : >${directory}/${file}; fi\n`,
    { mode: 0o755 },
  );
  const [shell = "", ...args] = services[name]!.command!.map((word) => word.replaceAll(`/secrets/${name}`, directory));
  const { stdout } = await promisify(execFile)(shell, args, {
    env: { PATH: `${directory}:${process.env["PATH"] ?? ""}` },
  });
  expect(stdout).toBe(`waits\nwaits\nstarted: ${started}\n`);
});

test("docker compose publishes one port, and only on this machine", () => {
  expect(of((name) => services[name]?.ports)).toMatchObject({ proxy: ["127.0.0.1:3000:3000"] });
  expect(Object.values(services).filter(({ ports }) => ports !== undefined)).toHaveLength(1);
});

test("each process of docker compose has only its own secrets, and only `secrets` can write to them", () => {
  const mounts = of((name) =>
    services[name]!.mounts.map(({ volume, path, readOnly }) => `${volume} ${path}${readOnly ? " ro" : ""}`),
  );
  expect(mounts).toEqual({
    secrets: ["postgres", "redis", "api", "worker", "responder", "operator"].map(
      (name) => `secrets-${name} /secrets/${name}`,
    ),
    // `migrate` gives each login its password.
    migrate: ["postgres", "api", "worker", "responder", "operator"].map(
      (name) => `secrets-${name} /secrets/${name} ro`,
    ),
    proxy: [],
    api: ["secrets-api /secrets/api ro"],
    worker: ["secrets-worker /secrets/worker ro"],
    responder: ["secrets-responder /secrets/responder ro"],
    operator: ["secrets-operator /secrets/operator ro", "ceremony /data/ceremony"],
    postgres: ["postgres /var/lib/postgresql", "secrets-postgres /secrets/postgres ro"],
    redis: ["redis /data", "secrets-redis /secrets/redis ro"],
  });
  const used = Object.values(services).flatMap((service) => service.mounts.map(({ volume }) => volume));
  expect(Object.keys(volumes).sort()).toEqual([...new Set(used)].sort());
});

test("the image contains the mount point of each volume, and the image's processes own these directories", () => {
  const [, made = ""] =
    /^RUN install -d -o node -g node -m 0700 (.*)$/m.exec(
      readFileSync("Dockerfile", "utf8").replaceAll(/\\\n\s*/g, ""),
    ) ?? [];
  const paths = own.flatMap((name) => services[name]!.mounts.map(({ path }) => path));
  expect(made.split(" ")).toEqual(expect.arrayContaining([...paths, "/secrets", "/data"]));
});

test("each service of docker compose signs in with its own login, and only migrate signs in as the superuser", () => {
  const logins = of((name) => {
    const { DATABASE_URL, DATABASE_PASSWORD_FILE, REDIS_URL, REDIS_PASSWORD_FILE } = services[name]!.environment;
    return [DATABASE_URL, DATABASE_PASSWORD_FILE, REDIS_URL, REDIS_PASSWORD_FILE].filter(
      (value) => value !== undefined,
    );
  }, own);
  const database = (login: string): string => `postgres://${login}@postgres:5432/realmpass`;
  const redis = "redis://redis:6379";
  expect(logins).toEqual({
    secrets: [],
    migrate: [database("postgres"), "/secrets/postgres/database-password"],
    api: [database("realmpass_api_login"), "/secrets/api/database-password", redis, "/secrets/api/redis-password"],
    worker: [
      database("realmpass_worker_login"),
      "/secrets/worker/database-password",
      redis,
      "/secrets/worker/redis-password",
    ],
    responder: [database("realmpass_responder_login"), "/secrets/responder/database-password"],
    operator: [
      database("realmpass_operator_login"),
      "/secrets/operator/database-password",
      redis,
      "/secrets/operator/redis-password",
    ],
  });
  expect(services["postgres"]?.environment).toEqual({
    POSTGRES_DB: "realmpass",
    POSTGRES_PASSWORD_FILE: "/secrets/postgres/database-password",
  });
  expect(services["redis"]?.command?.at(-1)).toMatch(/^requirepass \$\(cat \/secrets\/redis\/redis-password\)$/m);
  expect(text).not.toMatch(/:\/\/[^\s@]*:[^\s@]*@/);
});

test("docker compose lets only the proxy and the api reach outside networks", () => {
  expect(networks).toEqual({ inside: { internal: true }, outside: null });
  expect(of((name) => services[name]!.network_mode ?? services[name]!.networks)).toEqual({
    secrets: "none",
    migrate: ["inside"],
    proxy: ["outside"],
    api: ["inside", "outside"],
    worker: ["inside"],
    responder: ["inside"],
    operator: ["inside"],
    postgres: ["inside"],
    redis: ["inside"],
  });
});

test("no service of docker compose can write to its image or has more capabilities than its image needs to start", () => {
  const changesUser = ["CHOWN", "SETGID", "SETUID"];
  expect(of((name) => services[name]!.cap_add ?? [])).toEqual({
    ...of(() => [], own),
    proxy: changesUser,
    postgres: ["CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"],
    redis: ["CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETPCAP", "SETUID"],
  });
  for (const [name, service] of Object.entries(services)) {
    expect([name, service]).toMatchObject([
      name,
      {
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
        tmpfs: expect.arrayContaining(["/tmp"]) as string[],
        logging: { options: { "max-size": "10m", "max-file": "3" } },
      },
    ]);
  }
  expect(services["postgres"]?.stop_grace_period).toBe("60s");
});

test("every service of our own in docker compose enforces its boundary and generates no secrets", () => {
  for (const name of own) {
    expect([name, services[name]?.environment]).toMatchObject([
      name,
      { REALMPASS_BOUNDARY: "enforce", REALMPASS_METRICS_HOST: "0.0.0.0" },
    ]);
  }
  expect(text).not.toContain("REALMPASS_GENERATE_SECRETS");
});

test("docker compose runs two api, worker and responder processes, and asks each process whether it can serve", () => {
  const names = ["api", "worker", "responder"];
  expect(of((name) => services[name]?.scale, names)).toEqual(of(() => 2, names));
  const asked = of(
    (name) => /http:\/\/[^\s'"]*/.exec(services[name]?.healthcheck?.test.join(" ") ?? "")?.[0],
    [...names, "proxy"],
  );
  expect(asked).toEqual({
    api: "http://127.0.0.1:3000/readyz",
    worker: "http://127.0.0.1:9464/readyz",
    responder: "http://127.0.0.1:9464/readyz",
    proxy: "http://127.0.0.1:3000/readyz",
  });
});

test("docker compose uses the nginx configuration that is tested", () => {
  expect(services["proxy"]?.configs).toEqual([{ source: "proxy", target: "/etc/nginx/conf.d/default.conf" }]);
  expect(configs).toEqual({ proxy: { file: "./deploy/nginx/realmpass.conf" } });
});

test("the image is built from everything that the build reads", () => {
  const build = readFileSync("build.mjs", "utf8");
  const listed = (name: string): string[] => {
    const [, list = ""] = new RegExp(`^const ${name} = \\[([^\\]]*)\\];$`, "m").exec(build) ?? [];
    return [...list.matchAll(/"([^"]+)"/g)].map(([, entry = ""]) => entry);
  };
  const read = ["sourceNames", "copied", "settings"].map(listed);
  expect(read.map(({ length }) => length > 0)).toEqual([true, true, true]);
  const kept = readFileSync(".dockerignore", "utf8").split("\n");
  for (const name of [...read.flat(), "console", "package.json"]) expect(kept).toContain(`!${name}`);
});

test("the documentation names each path whose URL contains a secret", () => {
  const page = readFileSync("docs/operations.md", "utf8");
  const rows = [...page.matchAll(/^\| `(\/[^`]*)` +\| (.*?) +\|$/gm)].map(([, path, secret]) => [path, secret]);
  expect(rows).toEqual(
    secretPaths.map(({ path, parameters }) => [
      path,
      parameters === undefined ? "the path" : parameters.map((name) => `\`${name}\``).join(", "),
    ]),
  );
});
