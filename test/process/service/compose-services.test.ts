import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Redis } from "ioredis";
import { beforeAll, describe, expect, test } from "vitest";
import { installationLogins } from "../../../db/logins.ts";
import type { EncryptedKey } from "../../../worker/keys/encrypted-key.ts";
import { atEndOfFile } from "../../support/run/at-end.ts";
import { eventually } from "../../support/run/eventually.ts";
import { asLogin } from "../../support/run/queue-schema.ts";
import { ended, freePort } from "../../support/run/services.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { imageVariables, readCompose } from "../../support/service/compose-file.ts";
import {
  copyFor,
  findersOf,
  give,
  issueAndAskOcsp,
  outputWithCapabilities,
  prepareMachine,
  runAs,
  secretsIn,
  startAs,
  startPostgresFor,
  walkAs,
  withCapabilities,
  type Machine,
  type Seat,
  type Walk,
} from "../../support/service/separate-users.ts";

const compose = readCompose();
const server = ["api", "worker", "responder"] as const;

/**
 * Users stand in for containers: each service runs as a separate user, with copies of its mounted volumes below a
 * directory that no other user can enter.
 */
describeWithTool(["root", "setpriv", "redis-server", "openssl"], "the services of docker-compose.yml", () => {
  let machine: Machine;
  const seats: Record<string, Seat> = {};
  const ports: Record<string, number> = {};
  let superuser: URL;

  const seat = (name: string): Seat => (seats[name] ??= machine.seat(name));
  const service = (name: string) => compose.services[name]!;

  /** Adapts a text of the file to this machine: paths are below the service's directory, and servers are local. */
  const here = (name: string, text: string): string =>
    text
      .replace(/(?<![\w.:/])\/(?=(?:secrets|data)\b)/g, `${seat(name).directory}/`)
      .replaceAll(/(?<=@)postgres:5432/g, superuser.host)
      .replaceAll("redis:6379", `127.0.0.1:${ports["redis"]}`)
      .replace(/^0\.0\.0\.0$/, "127.0.0.1")
      .replaceAll(/(?<=localhost:|127\.0\.0\.1:|^)3000\b/g, String(ports["api"]))
      .replaceAll(/(?<=127\.0\.0\.1:)9464\b/g, String(ports[`${name} metrics`]));

  const commandOf = (name: string, args = service(name).command ?? []): string[] =>
    [...(service(name).entrypoint ?? []), ...args].map((arg) => here(name, arg));

  /** Prepares the service's seat, with the settings of the compose file. */
  function prepared(name: string): Seat {
    const { environment, mounts } = service(name);
    const place = seat(name);
    for (const { volume, path, readOnly } of mounts) {
      const [, secrets] = /^secrets-(\w+)$/.exec(volume) ?? [];
      const to = join(place.directory, path);
      mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
      if (secrets !== undefined && readOnly) copyFor(place, join(seat("secrets").directory, "secrets", secrets), to);
      else mkdirSync(to, { recursive: true, mode: 0o700 });
    }
    give(place.directory, place.uid);
    const variables = { ...imageVariables(), ...environment };
    place.env = Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, here(name, value)]));
    return place;
  }

  const operator = (command: string): Promise<string> =>
    runAs(seats["operator"]!, commandOf("operator", command.split(" ")));
  const ceremony = (): string => join(seat("operator").directory, "data/ceremony");

  /**
   * Starts Redis through the image's entrypoint, which finally changes to the image's user and gives up all
   * capabilities.
   */
  async function startRedis(): Promise<void> {
    const { uid, directory } = prepared("redis");
    const bin = join(machine.directory, "bin");
    mkdirSync(bin);
    mkdirSync(join(machine.directory, "redis-data"));
    give(join(machine.directory, "redis-data"), uid);
    // The file belongs to another user, as it does in the container.
    give(join(directory, "secrets"), seat("secrets").uid);
    const entrypoint = join(bin, "docker-entrypoint.sh");
    const user = `setpriv --reuid=${uid} --regid=${uid} --clear-groups --inh-caps=-all --bounding-set=-all`;
    const options = `--port ${ports["redis"]} --bind 127.0.0.1 --dir ${machine.directory}/redis-data`;
    writeFileSync(entrypoint, `#!/bin/sh\nprogram=$1\nshift\nexec ${user} "$program" ${options} "$@"\n`);
    chmodSync(entrypoint, 0o755);
    const [program = "", ...args] = withCapabilities(service("redis").cap_add ?? [], commandOf("redis"));
    const child = spawn(program, args, { stdio: "ignore", env: { PATH: `${bin}:${process.env["PATH"]}` } });
    atEndOfFile(() => ended(child));
    const redis = new Redis({ port: ports["redis"]!, retryStrategy: () => 100 });
    redis.on("error", () => undefined);
    atEndOfFile(() => {
      redis.disconnect();
    });
    await eventually(async () => {
      await expect(redis.ping()).rejects.toThrow("NOAUTH");
    });
  }

  beforeAll(async () => {
    machine = prepareMachine();
    for (const name of ["redis", "api", ...server.map((each) => `${each} metrics`)]) ports[name] = await freePort();
    superuser = new URL("postgres://localhost");
    await runAs(prepared("secrets"), commandOf("secrets"));

    // As root, the image's entrypoint reads a file that another user owns.
    prepared("postgres");
    const { directory } = seat("postgres");
    give(join(directory, "secrets"), seat("secrets").uid);
    const { cap_add = [], environment } = service("postgres");
    const passwordFile = join(directory, environment["POSTGRES_PASSWORD_FILE"] ?? "");
    superuser = await startPostgresFor(machine, () => outputWithCapabilities(cap_add, ["cat", passwordFile]).trim());
    await startRedis();
    await runAs(prepared("migrate"), commandOf("migrate"));
    for (const name of server) {
      const place = prepared(name);
      place.env["REALMPASS_METRICS_PORT"] = String(ports[`${name} metrics`]);
      place.env["REALMPASS_RSA_KEY_POOL"] = "0";
    }
    await Promise.all(server.map((name) => startAs(seats[name]!, commandOf(name))));
    prepared("operator");
  });

  test("a profile is made and is good by OCSP, and the containers of api, worker and responder are healthy", async () => {
    await issueAndAskOcsp({ operator, url: `http://localhost:${ports["api"]}`, ceremony: ceremony() });
    for (const name of server) {
      const [, ...check] = service(name).healthcheck?.test ?? [];
      await eventually(() =>
        runAs(
          seats[name]!,
          check.map((arg) => here(name, arg)),
        ),
      );
    }
  });

  test("each process signs in with its own login, and doctor finds no fault with logins and roles", async () => {
    const logins = await asLogin(superuserUrl(), (client) =>
      client.query<{ name: string; login: string }>(
        `select distinct application_name as name, usename as login from pg_stat_activity where application_name like 'realmpass %' order by 1`,
      ),
    );
    expect(logins.rows).toEqual(
      ["api", "responder", "worker"].map((name) => ({ name: `realmpass ${name}`, login: `realmpass_${name}_login` })),
    );
    await operator("user create --username admin --admin");
    const doctor = JSON.parse(await operator("doctor --json").catch((error: unknown) => String(error))) as {
      checks: { name: string; status: string }[];
    };
    const found = Object.fromEntries(doctor.checks.map(({ name, status }) => [name, status]));
    expect(found).toMatchObject({ login: "ok", roles: "ok", secrets: "ok", queue: "ok", processes: "ok" });
  });

  describe("in all files, processes and tables that each service can read,", () => {
    const walks: Record<string, Walk> = {};
    let secrets: Record<string, string>;
    beforeAll(async () => {
      const [row] = await asLogin(superuserUrl(), async (client) => {
        const { rows } = await client.query<{ key: EncryptedKey }>("select encrypted_key as key from issuer_keys");
        return rows;
      });
      secrets = secretsIn(join(seat("secrets").directory, "secrets"), { ceremony: ceremony(), issuerKey: row!.key });
      for (const name of [...server, "operator"]) walks[name] = await walkAs(seats[name]!, machine);
      for (const name of ["migrate", "redis"]) walks[name] = await walkAs(seats[name]!, machine, { database: false });
    });

    test("a secret is found only by the services that need it", () => {
      expect(findersOf(walks, secrets)).toEqual({
        "the superuser's password": ["migrate"],
        "the api's password": ["api", "migrate"],
        "the worker's password": ["worker", "migrate"],
        "the responder's password": ["responder", "migrate"],
        "the operator's password": ["operator", "migrate"],
        "the queue's password": ["api", "worker", "migrate"],
        "the password of Redis": ["api", "worker", "operator", "migrate"],
        "the master key": ["api", "operator", "migrate"],
        "the output key": ["api", "migrate"],
        "the passphrase of issuers": ["worker", "operator", "migrate"],
        "the passphrase of roots": ["operator", "migrate"],
        "the audit key": ["worker", "migrate"],
        "the root key": ["operator"],
        "the issuer's key": ["worker", "operator"],
      });
    });

    test("the search covers the process itself: its environment, its files, and its rows", () => {
      for (const name of server) {
        const places = [...walks[name]!];
        const environments = places.filter(([place]) => place.endsWith("/environ"));
        expect(environments.some(([, text]) => text.includes(`realmpass_${name}_login`))).toBe(true);
        const others = installationLogins
          .map((login) => login.name)
          .filter((login) => login !== `realmpass_${name}_login`);
        for (const login of others) expect(environments.filter(([, text]) => text.includes(login))).toEqual([]);
        expect(places.some(([place]) => place.startsWith(`${seat(name).directory}/`))).toBe(true);
        expect(walks[name]!.get("public.processes")).toContain(name);
      }
    });
  });

  test("no service has written to its secrets", () => {
    for (const name of [...server, "operator", "migrate"]) {
      const directory = join(seat(name).directory, "secrets");
      for (const file of readdirSync(directory, { recursive: true, encoding: "utf8" })) {
        const original = join(seat("secrets").directory, "secrets", file);
        const found = statSync(join(directory, file));
        expect([file, found.mode, found.isFile() && readFileSync(join(directory, file), "utf8")]).toEqual([
          file,
          statSync(original).mode,
          found.isFile() && readFileSync(original, "utf8"),
        ]);
      }
    }
  });

  const superuserUrl = (): string => {
    const url = new URL(superuser);
    url.password = outputWithCapabilities(
      ["DAC_OVERRIDE"],
      ["cat", join(seat("secrets").directory, "secrets/postgres/database-password")],
    ).trim();
    return url.href;
  };
});
