import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { withLogin } from "../../../runtime/config/server-url.ts";
import { asLogin } from "../../support/run/queue-schema.ts";
import { freePort } from "../../support/run/services.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import type { EncryptedKey } from "../../../worker/keys/encrypted-key.ts";
import {
  copyFor,
  findersOf,
  issueAndAskOcsp,
  placesOf,
  prepareMachine,
  runAs,
  secretsIn,
  startAs,
  startPostgresFor,
  walkAs,
  type Machine,
  type Seat,
  type Walk,
} from "../../support/service/separate-users.ts";

const servers = ["api", "worker", "responder"] as const;
const program = (name: string): string[] => ["node", "--enable-source-maps", `dist/${name}/main.js`];

/**
 * Processes set up as in docs/operations.md: each has a user and a directory of `secrets create`, and the queues are in
 * Postgres.
 */
describeWithTool(["root", "openssl"], "processes started by hand, each as its own user", () => {
  let machine: Machine;
  /** The user who makes the secrets and migrates. */
  let administrator: Seat;
  let superuser: string;
  let port: number;
  const seats: Record<string, Seat> = {};
  const secretsDirectory = (): string => join(administrator.directory, "secrets");
  const read = (file: string): string => secretsIn(secretsDirectory(), {})[file] ?? "";

  beforeAll(async () => {
    machine = prepareMachine();
    administrator = machine.seat("administrator");
    port = await freePort();
    await runAs(administrator, [...program("operator"), "secrets", "create", "--dir", secretsDirectory()]);
    const url = await startPostgresFor(machine, () => read("the superuser's password"));
    superuser = withLogin(url.href, { name: "postgres", password: read("the superuser's password") });
    administrator.env = { DATABASE_URL: superuser };
    await runAs(administrator, [...program("operator"), "migrate", "--logins", secretsDirectory()]);

    const address = ({ name }: { name: string }): string => `postgres://${name}@${url.host}${url.pathname}`;
    for (const name of [...servers, "operator"]) {
      const seat = (seats[name] = machine.seat(name));
      const data = join(seat.directory, "data");
      copyFor(seat, join(secretsDirectory(), name), data);
      seat.env = {
        REALMPASS_BOUNDARY: "enforce",
        REALMPASS_DATA_DIRECTORY: data,
        DATABASE_URL: address({ name: `realmpass_${name}_login` }),
        DATABASE_PASSWORD_FILE: join(data, "database-password"),
        PORT: String(port),
        REALMPASS_METRICS_PORT: "0",
        REALMPASS_RSA_KEY_POOL: "0",
      };
    }
    for (const name of ["api", "worker"]) {
      const { env } = seats[name]!;
      env["QUEUE_DATABASE_URL"] = address({ name: "realmpass_queue_login" });
      env["QUEUE_DATABASE_PASSWORD_FILE"] = join(env["REALMPASS_DATA_DIRECTORY"] ?? "", "queue-database-password");
    }
    // A passphrase in the environment appears in /proc.
    seats["worker"]!.env["REALMPASS_ISSUER_KEY_PASSPHRASE"] = read("the passphrase of issuers");
    await Promise.all(servers.map((name) => startAs(seats[name]!, program(name))));
  });

  test("a profile is made and is good by OCSP", async () => {
    await issueAndAskOcsp({
      operator: (command) => runAs(seats["operator"]!, [...program("operator"), ...command.split(" ")]),
      url: `http://localhost:${port}`,
      ceremony: join(seats["operator"]!.directory, "data/ceremony"),
    });
  });

  test("in everything that each process can read, a secret is found only by the processes that need it", async () => {
    const rows = await asLogin(superuser, (client) =>
      client.query<{ key: EncryptedKey }>("select encrypted_key as key from issuer_keys"),
    );
    const secrets = secretsIn(secretsDirectory(), {
      ceremony: join(seats["operator"]!.directory, "data/ceremony"),
      issuerKey: rows.rows[0]!.key,
    });
    const walks: Record<string, Walk> = {};
    for (const name of [...servers, "operator"]) walks[name] = await walkAs(seats[name]!, machine);
    walks["administrator"] = await walkAs(administrator, machine, { database: false });

    expect(findersOf(walks, secrets)).toEqual({
      "the superuser's password": ["administrator"],
      "the api's password": ["api", "administrator"],
      "the worker's password": ["worker", "administrator"],
      "the responder's password": ["responder", "administrator"],
      "the operator's password": ["operator", "administrator"],
      "the queue's password": ["api", "worker", "administrator"],
      "the password of Redis": ["api", "worker", "operator", "administrator"],
      "the master key": ["api", "operator", "administrator"],
      "the output key": ["api", "administrator"],
      "the passphrase of issuers": ["worker", "operator", "administrator"],
      "the passphrase of roots": ["operator", "administrator"],
      "the audit key": ["worker", "administrator"],
      "the root key": ["operator"],
      "the issuer's key": ["worker", "operator"],
    });
    // Control: the walk reads the environments of processes, because it finds the worker's, which contains a secret.
    const inProcesses = placesOf(walks["worker"]!, secrets["the passphrase of issuers"]!).filter((place) =>
      /^\/proc\/\d+\/environ$/.test(place),
    );
    expect(inProcesses).not.toEqual([]);
  });
});
