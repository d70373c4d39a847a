import { spawn } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "../run/at-end.ts";
import { eventually } from "../run/eventually.ts";
import { ended, freePort } from "../run/services.ts";
import { requireTool } from "../run/tools.ts";

/**
 * Starts PgBouncer between a client and a database, with transaction pooling. PgBouncer refuses unknown startup
 * parameters, except those in `ignored`, which it drops. Returns the database URL that leads through PgBouncer, which
 * stops at the end of the test.
 */
export async function startPgBouncer(databaseUrl: string, ignored: readonly string[] = []): Promise<string> {
  const program = requireTool("pgbouncer");
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const directory = await mkdtemp(join(tmpdir(), "realmpass-pgbouncer-"));
  const listenPort = await freePort();
  const login = `user=${decodeURIComponent(username)} password='${decodeURIComponent(password)}'`;
  const settings = join(directory, "pgbouncer.ini");
  await writeFile(
    settings,
    [
      "[databases]",
      `* = host=${hostname} port=${port || "5432"} ${login}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${listenPort}`,
      "unix_socket_dir =",
      "auth_type = any",
      "pool_mode = transaction",
      `ignore_startup_parameters = ${ignored.join(", ")}`,
    ].join("\n"),
  );
  // PgBouncer does not run as root: it reads its settings as another user.
  await chmod(directory, 0o755);
  const child = spawn(program, [...(process.getuid?.() === 0 ? ["-u", "nobody"] : []), settings], { stdio: "ignore" });
  atEnd(async () => {
    await ended(child, "SIGINT");
    await rm(directory, { recursive: true, force: true });
  });
  await eventually(() => listens(listenPort));
  return `postgres://nobody:nothing@127.0.0.1:${listenPort}${pathname}`;
}

const listens = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve();
    });
    socket.on("error", reject);
  });
