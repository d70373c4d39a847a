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
  /** The directory of its files, which it reads as root. */
  directory: string;
  /** Returns the text of all its logs and of its standard error. */
  logs(): Promise<string>;
}

/** Replaces every occurrence of the parts of a shipped file that differ here; expects each part to occur. */
function asHere(config: string, parts: readonly (readonly [string, string])[]): string {
  return parts.reduce((text, [from, to]) => {
    expect(text).toContain(from);
    return text.replaceAll(from, to);
  }, config);
}

/**
 * Starts nginx with the configuration that docker-compose.yml ships, in front of these addresses; stops it at the end
 * of the test or file.
 */
export async function startNginx(upstreams: string[]): Promise<Nginx> {
  const servers = upstreams.map((upstream) => `server ${upstream} max_fails=0;`).join(" ");
  return run("realmpass.conf", (port, directory) => [
    ["listen 3000;", `listen 127.0.0.1:${port};`],
    ["server api:3000 resolve max_fails=0;", servers],
    ["/var/log/nginx/", `${directory}/`],
  ]);
}

export interface TlsNginx extends Nginx {
  /** The address with TLS, and the PEM of the certificate to trust for it. */
  tlsUrl: string;
  certificate: string;
}

/**
 * Starts nginx with the configuration for one machine, in front of two apis and two responders; its port is the one
 * without TLS.
 */
export async function startTlsNginx(before: { apis: string[]; responders: string[] }): Promise<TlsNginx> {
  const tlsPort = await freePort();
  const [firstApi = "", secondApi = ""] = before.apis;
  const [firstResponder = "", secondResponder = ""] = before.responders;
  const nginx = await run("realmpass-tls.conf", (port, directory) => {
    const [key, certificate] = [join(directory, "privkey.pem"), join(directory, "fullchain.pem")];
    const made = [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-subj",
      "/CN=here",
      "-addext",
      "subjectAltName=IP:127.0.0.1",
    ];
    const { status } = spawnSync(requireTool("openssl"), [...made, "-keyout", key, "-out", certificate]);
    expect(status).toBe(0);
    return [
      ["listen 80;", `listen 127.0.0.1:${port};`],
      ["listen [::]:80;", ""],
      ["listen 443 ssl", `listen 127.0.0.1:${tlsPort} ssl`],
      ["listen [::]:443 ssl", `listen unix:${directory}/tls.sock ssl`],
      ["/etc/realmpass/tls/privkey.pem", key],
      ["/etc/realmpass/tls/fullchain.pem", certificate],
      ["127.0.0.1:3000", firstApi],
      ["127.0.0.1:3001", secondApi],
      ["127.0.0.1:4000", firstResponder],
      ["127.0.0.1:4001", secondResponder],
      ["/var/log/nginx/", `${directory}/`],
      ["/var/www/acme", join(directory, "acme")],
    ];
  });
  const certificate = await readFile(join(nginx.directory, "fullchain.pem"), "utf8");
  return { ...nginx, tlsUrl: `https://127.0.0.1:${tlsPort}`, certificate };
}

/** Returns whether this nginx has the directive `http2`, as 1.25.1 and newer do. */
function hasHttp2Directive(program: string): boolean {
  const [, ...version] =
    /nginx\/(\d+)\.(\d+)\.(\d+)/.exec(spawnSync(program, ["-v"], { encoding: "utf8" }).stderr) ?? [];
  const [major = 0, minor = 0, patch = 0] = version.map(Number);
  return major > 1 || minor > 25 || (minor === 25 && patch >= 1);
}

/** Applies to a shipped file the command in docs/production.md that nginx 1.25.1 and newer need; returns the result. */
export async function withHttp2Directive(config: string): Promise<string> {
  const [, options = ""] =
    /^# sed -i (.*http2.*) \/etc\/nginx\/.*$/m.exec(await readFile("docs/production.md", "utf8")) ?? [];
  const { status, stdout } = spawnSync("sh", ["-c", `sed ${options}`], { input: config, encoding: "utf8" });
  expect([status, options]).toEqual([0, expect.stringContaining("http2 on;")]);
  return stdout;
}

async function run(
  file: string,
  parts: (port: number, directory: string) => readonly (readonly [string, string])[],
): Promise<Nginx> {
  const program = requireTool("nginx");
  const directory = await mkdtemp(join(tmpdir(), "realmpass-nginx-"));
  const port = await freePort();
  const shipped = await readFile(join("deploy/nginx", file), "utf8");
  const config = hasHttp2Directive(program) ? await withHttp2Directive(shipped) : shipped;
  await writeFile(join(directory, "realmpass.conf"), asHere(config, parts(port, directory)));
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
    directory,
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

/** Returns a file like the image's /etc/nginx/nginx.conf: it logs whatever the files in conf.d do not log elsewhere. */
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
