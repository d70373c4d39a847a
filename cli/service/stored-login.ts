import { chmod, mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { z } from "zod";
import { CommandError } from "../../terminal/failure.ts";

const StoredLogin = z.object({ url: z.string(), clientId: z.string(), clientSecret: z.string() });
/** The credentials that `login` stores for the other commands. */
export type StoredLogin = z.infer<typeof StoredLogin>;

/** Returns the path of the stored login (XDG Base Directory Specification). Ignores a relative path in the variable. */
export function storedLoginPath({
  XDG_CONFIG_HOME: configured,
  HOME: home,
}: Readonly<Record<string, string | undefined>>): string {
  const base = configured !== undefined && isAbsolute(configured) ? configured : join(home ?? homedir(), ".config");
  return join(base, "realmpass", "login.json");
}

/**
 * Reads the stored login; returns undefined if there is none. Throws if other users can access the file, or if it does
 * not contain a login.
 */
export async function readStoredLogin(path: string): Promise<StoredLogin | undefined> {
  const found = await stat(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (found === undefined) return undefined;
  if (process.platform !== "win32" && (found.mode & 0o077) !== 0) {
    throw new CommandError("login_readable", `${path} can be read by others. Run: chmod 600 ${path}`);
  }
  const login = StoredLogin.safeParse(jsonOf(await readFile(path, "utf8")));
  if (!login.success)
    throw new CommandError("login_unreadable", `${path} was not written by realmpass login. Log in again.`);
  return login.data;
}

/** Stores the login atomically, in a file that only its owner can ever read. */
export async function writeStoredLogin(path: string, login: StoredLogin): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await chmod(dirname(path), 0o700);
  const fresh = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    const file = await open(fresh, "wx", 0o600);
    try {
      await file.writeFile(`${JSON.stringify(login, null, 2)}\n`);
    } finally {
      await file.close();
    }
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

/** Removes the stored login. Returns true if there was one. */
export async function removeStoredLogin(path: string): Promise<boolean> {
  try {
    await rm(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

const isMissing = (error: unknown): boolean => {
  const { code } = error as { code?: unknown };
  return code === "ENOENT" || code === "ENOTDIR";
};

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
