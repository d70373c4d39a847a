import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { installationLogins, ownerRole } from "../../db/logins.ts";
import { CommandError } from "../../terminal/failure.ts";
import { ownerPasswordFile } from "../secrets/secrets-directory.ts";

/**
 * The files with the password of each login. All processes that use the queue share one login, with a file for each
 * process.
 */
const filesOf: Readonly<Record<string, readonly string[]>> = {
  realmpass_api: ["api/database-password"],
  realmpass_worker: ["worker/database-password"],
  realmpass_responder: ["responder/database-password"],
  realmpass_operator: ["operator/database-password"],
  realmpass_queue: ["api/queue-database-password", "worker/queue-database-password"],
};

/** Reads the passwords of an installation's logins from a directory that `operator secrets create` has made. */
export const readLoginPasswords = (directory: string): { name: string; password: string }[] => {
  // Directories made by earlier versions contain no password for the owner; the owner's password is then left as it is.
  const ofOwner = join(directory, "postgres", ownerPasswordFile);
  const owners = existsSync(ofOwner) ? [{ name: ownerRole, password: readPassword(ofOwner) }] : [];
  const logins = installationLogins.map(({ name, group }) => {
    const files = (filesOf[group] ?? []).map((file) => join(directory, file));
    const [password = "", ...others] = files.map(readPassword);
    if (others.some((other) => other !== password)) {
      throw new CommandError(
        "secret_unusable",
        `These files contain different passwords of ${name}: ${files.join(", ")}.`,
      );
    }
    return { name, password };
  });
  return [...owners, ...logins];
};

function readPassword(file: string): string {
  const password = ((): string => {
    try {
      return readFileSync(file, "utf8").replace(/\r?\n$/, "");
    } catch (error) {
      const { code = "unknown error" } = error as NodeJS.ErrnoException;
      throw new CommandError("secret_missing", `Cannot read ${file} (${code}).`);
    }
  })();
  if (/^[!-~]+$/.test(password)) return password;
  throw new CommandError("secret_unusable", `${file} holds no password: printable ASCII without spaces, on one line.`);
}
