import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { atEnd } from "../run/at-end.ts";
import { eventually } from "../run/eventually.ts";
import { ended, freePort } from "../run/services.ts";
import { requireTool } from "../run/tools.ts";

export interface Nginx {
  url: string;
  port: number;
  /** Everything in any of its logs and on its standard error. */
  logs(): Promise<string>;
}

/** What differs here from the container: where it listens, who is behind it, and where logs are. */
function asHere(config: string, { port, upstreams, logs }: { port: number; upstreams: string[]; logs: string }) {
  const replaced = (text: string, from: string, to: string): string => {
    expect(text.split(from)).toHaveLength(2);
    return text.replace(from, to);
  };
  const servers = upstreams.map((upstream) => `server ${upstream} max_fails=0;`).join(" ");
  const listening = replaced(config, "listen 3000;", `listen 127.0.0.1:${port};`);
  return replaced(listening, "server api:3000 resolve max_fails=0;", servers).replaceAll("/var/log/nginx/", `${logs}/`);
}

/** nginx with the configuration that docker-compose.yml ships, before these addresses; stopped at the end of the test or file. */
export async function startNginx(upstreams: string[]): Promise<Nginx> {
  const program = requireTool("nginx");
  const directory = await mkdtemp(join(tmpdir(), "realmpass-nginx-"));
  const port = await freePort();
  const config = await readFile("deploy/nginx/realmpass.conf", "utf8");
  await writeFile(join(directory, "realmpass.conf"), asHere(config, { port, upstreams, logs: directory }));
  await writeFile(join(directory, "nginx.conf"), imageConfig(directory));

  const args = ["-p", directory, "-c", join(directory, "nginx.conf"), "-e", join(directory, "start.log")];
  const tested = spawnSync(program, ["-t", "-q", ...args], { encoding: "utf8" });
  expect([tested.status, tested.stderr]).toEqual([0, ""]);

  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  atEnd(async () => {
    await ended(child);
    await rm(directory, { recursive: true, force: true });
  });
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`nginx ended: ${errors}`);
    await accepts(port);
  });

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async logs() {
      const names = (await readdir(directory)).filter((name) => name.endsWith(".log"));
      const texts = await Promise.all(names.map((name) => readFile(join(directory, name), "utf8")));
      return [...texts, errors].join("\n");
    },
  };
}

const accepts = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", reject);
  });

/** As /etc/nginx/nginx.conf of the image: it logs everything that the files in conf.d do not log otherwise. */
const imageConfig = (directory: string): string => `
${process.getuid?.() === 0 ? "user root root;" : ""}
daemon off;
worker_processes 1;
pid ${directory}/nginx.pid;
error_log ${directory}/image-error.log notice;
events { worker_connections 1024; }
http {
  log_format main '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer"';
  access_log ${directory}/image-access.log main;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${directory}/${name};`).join("\n  ")}
  sendfile on;
  keepalive_timeout 65;
  include ${directory}/realmpass.conf;
}
`;
