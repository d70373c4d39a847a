import { chown, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { exists, giveTree, type EmbeddedPostgresFiles } from "./files.ts";
import { runAndWait, type RunAs } from "./process.ts";

/** The accounts to try, in this order; the second exists nearly everywhere. */
export const unprivilegedAccounts = ["postgres", "nobody"] as const;

/**
 * Chooses the user that Postgres runs as and gives that user the data directory. An ordinary user runs Postgres
 * directly. initdb refuses a user without a name (containers are started with any number); this user runs Postgres in a
 * user namespace where the user has a name. Postgres refuses root; root runs it as the first of these users that can
 * reach binaries and data: the accounts, the owner of the directory that contains the data (`sudo npm start` in a
 * user's home), a user namespace in which root has another name.
 */
export async function chooseRunAs(options: {
  files: EmbeddedPostgresFiles;
  postgres: string;
  accounts: readonly string[];
}): Promise<RunAs> {
  if (process.getuid?.() !== 0) return chooseForOrdinaryUser(options);
  const refusals: string[] = [];
  for await (const candidate of candidates(options)) {
    const refusal = (await whyUnreachable(candidate, options)) ?? (await whyNotGiven(options.files, candidate));
    if (refusal === undefined) return candidate;
    refusals.push(`${describe(candidate)}: ${refusal}`);
  }
  throw new Error(
    `Postgres refuses to run as root, and nobody else could run it (${refusals.join("; ")}). ` +
      "Start as an ordinary user, or set DATABASE_URL to a Postgres server.",
  );
}

async function chooseForOrdinaryUser(options: { files: EmbeddedPostgresFiles; postgres: string }): Promise<RunAs> {
  const self = { kind: "self" } as const;
  if (process.platform !== "linux" || !process.getuid || !process.getgid) return self;
  if ((await runAndWait(self, "id", ["-un"])).code === 0) return self;
  const namespace = { kind: "namespace", uid: process.getuid(), gid: process.getgid() } as const;
  return (await whyUnreachable(namespace, options)) === undefined ? namespace : self;
}

/** Describes the user that Postgres runs as, in a few words for a log line or a message. */
export function describe(runAs: RunAs): string {
  if (runAs.kind === "self") return "this user";
  return runAs.kind === "account" ? runAs.name : "a user namespace";
}

async function* candidates(options: {
  files: EmbeddedPostgresFiles;
  accounts: readonly string[];
}): AsyncGenerator<RunAs> {
  for (const name of options.accounts) {
    const [uid, gid] = await Promise.all([accountNumber("-u", name), accountNumber("-g", name)]);
    if (uid !== undefined && gid !== undefined && uid !== 0) yield { kind: "account", name, uid, gid };
  }
  const { uid, gid } = await stat(dirname(options.files.root));
  if (uid !== 0) yield { kind: "account", name: `uid ${uid}`, uid, gid };
  if (process.platform === "linux") yield { kind: "namespace", uid: 0, gid: 0 };
}

async function accountNumber(flag: "-u" | "-g", name: string): Promise<number | undefined> {
  const { code, output } = await runAndWait({ kind: "self" }, "id", [flag, name]);
  return code === 0 && /^-?\d+$/.test(output) ? Number(output) >>> 0 : undefined;
}

/**
 * Returns why a user cannot reach the data or the binaries; undefined if the user can. Tries access rather than
 * computing it from modes, which ignore access lists and mount options.
 */
async function whyUnreachable(
  candidate: RunAs,
  { files, postgres }: { files: EmbeddedPostgresFiles; postgres: string },
) {
  // initdb refuses a user without a name.
  const probe = 'id -un && cd "$1" && "$2" --version';
  const { code, output } = await runAndWait(candidate, "/bin/sh", ["-c", probe, "sh", dirname(files.root), postgres]);
  if (code === 0) return undefined;
  const lastLine = output.split("\n").at(-1) ?? "";
  return lastLine === "" ? `ended with ${code}` : lastLine;
}

async function whyNotGiven(files: EmbeddedPostgresFiles, candidate: RunAs): Promise<string | undefined> {
  if (candidate.kind === "self") return undefined;
  try {
    await chown(files.root, candidate.uid, candidate.gid);
    if ((await exists(files.cluster)) && (await stat(files.cluster)).uid !== candidate.uid) {
      await giveTree(files.cluster, candidate);
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
