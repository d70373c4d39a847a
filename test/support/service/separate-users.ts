import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { randomInt, X509Certificate } from "node:crypto";
import {
  chmodSync,
  cpSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import { startEmbeddedPostgres } from "../../../embedded-postgres/embedded-postgres.ts";
import type { EncryptedKey } from "../../../worker/keys/encrypted-key.ts";
import { atEndOfFile } from "../run/at-end.ts";
import { eventually } from "../run/eventually.ts";
import { askWithOpenssl } from "../pki/ocsp.ts";
import { asLogin } from "../run/queue-schema.ts";
import { copyDataDirectory, ended } from "../run/services.ts";

/** A process with its own system user. Only root can run it. */
export interface Seat {
  name: string;
  uid: number;
  /** A directory that belongs to the user and that no other user is able to enter. */
  directory: string;
  /** The whole environment of the process. */
  env: Record<string, string>;
}

/** The machine on which several seats run. */
export interface Machine {
  /** Contains the directories of all seats; every user is able to enter it. */
  directory: string;
  seat(name: string): Seat;
}

/**
 * Makes the directory, which is removed with its contents at the end of the file. The users have no names, and no other
 * process has their ids.
 */
export function prepareMachine(): Machine {
  const directory = mkdtempSync(join(tmpdir(), "realmpass-users-"));
  chmodSync(directory, 0o755);
  atEndOfFile(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  let uid = 20_000 + randomInt(400) * 100;
  return {
    directory,
    seat(name) {
      const seat = { name, uid: uid++, directory: join(directory, name), env: {} };
      mkdirSync(seat.directory, { mode: 0o700 });
      give(seat.directory, seat.uid);
      return seat;
    },
  };
}

/** Gives everything below a path to a user; does not change modes. */
export function give(path: string, uid: number): void {
  lchownSync(path, uid, uid);
  for (const name of readdirSync(path, { recursive: true, encoding: "utf8" })) lchownSync(join(path, name), uid, uid);
}

/** Copies a directory for a seat, with the same modes. */
export function copyFor(seat: Seat, from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  give(to, seat.uid);
}

/** Returns whether every user can enter a directory. */
const isOpenToAll = (directory: string): boolean =>
  (statSync(directory).mode & 0o001) !== 0 && (directory === "/" || isOpenToAll(dirname(directory)));

let program: string | undefined;

/**
 * Returns a directory in which every user finds the built program: this directory, or a copy if other users cannot
 * enter it.
 */
function programDirectory(): string {
  if (program !== undefined) return program;
  if (isOpenToAll(process.cwd())) return (program = process.cwd());
  const copy = mkdtempSync(join(tmpdir(), "realmpass-program-"));
  atEndOfFile(() => {
    program = undefined;
    rmSync(copy, { recursive: true, force: true });
  });
  execFileSync("cp", ["-a", "--parents", "dist", "node_modules", "package.json", walkProgram, copy]);
  execFileSync("chmod", ["-R", "a+rX", copy]);
  return (program = copy);
}

const walkProgram = "test/support/service/walk.mjs";

const options = ({ uid, env }: Seat) => ({
  uid,
  gid: uid,
  cwd: programDirectory(),
  env: { PATH: process.env["PATH"] ?? "", ...env },
});

/** Runs a program as the seat's user. Returns its output; throws with its error output if it fails. */
export async function runAs(seat: Seat, [program = "", ...args]: readonly string[]): Promise<string> {
  const child = spawn(program, args, { ...options(seat), stdio: ["ignore", "pipe", "pipe"] });
  atEndOfFile(() => ended(child, "SIGKILL"));
  const code = new Promise((resolve) => child.once("close", resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if ((await code) !== 0) throw new Error(`${seat.name}: ${program} ${args.join(" ")} failed: ${err}`);
  return out;
}

/**
 * Starts a server process as the seat's user, and waits until it reports that it is ready; stopped at the end of the
 * file.
 */
export async function startAs(seat: Seat, [program = "", ...args]: readonly string[]): Promise<ChildProcess> {
  const child = spawn(program, args, { ...options(seat), stdio: ["ignore", "ignore", "pipe", "ipc"] });
  atEndOfFile(() => ended(child));
  let err = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (err += chunk));
  await new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("close", (code) => {
      reject(new Error(`${seat.name} ended with ${String(code)}: ${err}`));
    });
  });
  return child;
}

/** Starts a Postgres whose superuser has this password; stopped at the end of the file. */
export async function startPostgresFor(machine: Machine, superuserPassword: () => string): Promise<URL> {
  const directory = join(machine.directory, "cluster");
  mkdirSync(directory);
  await copyDataDirectory(directory);
  const server = await startEmbeddedPostgres({
    dataDirectory: directory,
    log: { info: () => undefined, error: () => undefined },
    searchPath: process.env["PATH"] ?? "",
  });
  atEndOfFile(() => server.stop());
  const password = superuserPassword();
  await asLogin(server.url, (client) => client.query(`alter role postgres password '${password}'`));
  return new URL(server.url);
}

/** Everything that a user can read, by place. */
export type Walk = Map<string, string>;

/**
 * Reads everything that the seat's user can: below the machine's directory, in /proc, and in the database with the
 * seat's login.
 */
export async function walkAs(seat: Seat, machine: Machine, { database = true } = {}): Promise<Walk> {
  const args = [walkProgram, database ? "database" : "", machine.directory];
  const child = spawn(process.execPath, args, { ...options(seat), stdio: ["ignore", "pipe", "pipe"] });
  atEndOfFile(() => ended(child, "SIGKILL"));
  const failure = text(child.stderr);
  const code = new Promise((resolve) => child.once("close", resolve));
  const found: Walk = new Map();
  for await (const line of createInterface({ input: child.stdout })) {
    const { place, text: content } = JSON.parse(line) as { place: string; text: string };
    found.set(place, content);
  }
  if ((await code) !== 0) throw new Error(`the walk of ${seat.name} failed: ${await failure}`);
  return found;
}

/** Returns the places in which a walk found a secret, as clear text or as the octets of a column. */
export const placesOf = (walk: Walk, secret: string): string[] =>
  [...walk]
    .filter(([, content]) => content.includes(secret) || content.includes(Buffer.from(secret).toString("hex")))
    .map(([place]) => place);

/** Returns, for each secret, the walks that found that secret. */
export function findersOf(walks: Record<string, Walk>, secrets: Record<string, string>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(secrets).map(([name, secret]) => {
      if (secret.length < 16) throw new Error(`${name} is no secret to look for`);
      return [name, Object.keys(walks).filter((walker) => placesOf(walks[walker]!, secret).length > 0)];
    }),
  );
}

/**
 * Returns the secrets that `operator secrets create` has made in a directory, and, if named, the root key in `ceremony`
 * and an issuer's key.
 */
export function secretsIn(
  directory: string,
  { ceremony, issuerKey }: { ceremony?: string; issuerKey?: EncryptedKey },
): Record<string, string> {
  const read = (file: string): string => readFileSync(join(directory, file), "utf8").trim();
  const scalar = (file: string): string => (JSON.parse(read(file)) as { d: string }).d;
  const ciphertext = (key: EncryptedKey): string => key.cipher.ciphertext;
  return {
    "the superuser's password": read("postgres/database-password"),
    "the api's password": read("api/database-password"),
    "the worker's password": read("worker/database-password"),
    "the responder's password": read("responder/database-password"),
    "the operator's password": read("operator/database-password"),
    "the queue's password": read("api/queue-database-password"),
    "the password of Redis": read("redis/redis-password"),
    "the master key": read("api/master-key"),
    "the output key": scalar("api/output-private-key.json"),
    "the passphrase of issuers": read("worker/issuer-key-passphrase"),
    "the passphrase of roots": read("operator/root-key-passphrase"),
    "the audit key": scalar("worker/audit-key.json"),
    ...(ceremony !== undefined && {
      "the root key": ciphertext(JSON.parse(readFileSync(rootFile(ceremony, ".key.json"), "utf8")) as EncryptedKey),
    }),
    ...(issuerKey !== undefined && { "the issuer's key": ciphertext(issuerKey) }),
  };
}

const rootFile = (ceremony: string, suffix: string): string =>
  join(ceremony, readdirSync(ceremony).find((name) => name.endsWith(suffix)) ?? "none");

/**
 * Makes a realm as an operator and a profile in the realm as a program, and asks for the profile's OCSP status with
 * OpenSSL. Throws if the status is not good.
 */
export async function issueAndAskOcsp({
  operator,
  url,
  ceremony,
}: {
  operator: (command: string) => Promise<string>;
  url: string;
  ceremony: string;
}): Promise<void> {
  await operator("realm create --name demo --domain demo.example");
  const { userID } = JSON.parse(await operator("user create --username mia --json")) as { userID: string };
  const client = JSON.parse(
    await operator("application create --type service --name test --client-uri http://localhost --json"),
  ) as { client_id: string; client_secret: string };
  const json = async (path: string, init: RequestInit): Promise<Record<string, unknown>> => {
    const answer = await fetch(url + path, init);
    const body = (await answer.json()) as Record<string, unknown>;
    expect([path, answer.status, body]).toEqual([path, 200, body]);
    return body;
  };
  const form = new URLSearchParams({ grant_type: "client_credentials", ...client });
  const { access_token: token } = await json("/oauth/token", { method: "POST", body: form });
  const { data } = (await json(`/api/user/${userID}/profiles/laptop`, {
    method: "POST",
    headers: { authorization: `Bearer ${String(token)}`, "content-type": "application/json" },
    body: JSON.stringify({ format: "pem", deviceType: "Linux", keyType: "ec-p256" }),
  })) as { data: { certificate: string } };

  const { serialNumber } = new X509Certificate(data.certificate);
  const issuer = Buffer.from(await (await fetch(`${url}/ca/1.cer`)).arrayBuffer());
  const root = new X509Certificate(readFileSync(rootFile(ceremony, ".crt.pem"))).raw;
  await eventually(async () => {
    const answer = await askWithOpenssl(`${url}/ocsp/1`, { issuer, root, serialNumber: `0x${serialNumber}` });
    expect(answer).toMatch(/: good$/m);
    expect(answer).toContain("Response verify OK");
  });
}

/**
 * Returns the command that runs a program as root with these capabilities and no others, as a container's first process
 * has them.
 */
export const withCapabilities = (names: readonly string[], command: readonly string[]): string[] => [
  "setpriv",
  "--inh-caps=-all",
  `--bounding-set=-all${names.map((name) => `,+${name.toLowerCase()}`).join("")}`,
  ...command,
];

/** Returns the output of a program that runs with {@link withCapabilities}. */
export const outputWithCapabilities = (names: readonly string[], command: readonly string[]): string => {
  const [program = "", ...args] = withCapabilities(names, command);
  return execFileSync(program, args, { encoding: "utf8" });
};
