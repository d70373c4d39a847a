import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { beforeAll, expect, test } from "vitest";
import { pem } from "../../../pki/pem.ts";
import { stapledAnswerMinutes } from "../../../domain/lifetimes.ts";
import { givenIssuingRealm } from "../../support/given/issuing.ts";
import { atEndOfFile } from "../../support/run/at-end.ts";
import { eventually } from "../../support/run/eventually.ts";
import { clockAhead, clockByFile } from "../../support/run/faketime.ts";
import { movedClock } from "../../support/run/moved-clock.ts";
import { ended, freePort } from "../../support/run/services.ts";
import { describeWithTool, requireTool } from "../../support/run/tools.ts";
import { useApi } from "../../support/service/api.ts";
import { startTestResponder, type TestResponder } from "../../support/service/responder.ts";
import { startTestWorker } from "../../support/service/worker.ts";

const dayMinutes = 24 * 60;

/** An nginx whose certificate is an infrastructure profile staples our responder's OCSP responses (RFC 6066 section 8). */
describeWithTool(["nginx", "openssl", "faketime"], "nginx with ssl_stapling", () => {
  const api = useApi();
  const name = "web.demo.example";
  let directory = "";
  let port = 0;
  let minutes = 0;
  let responder: TestResponder;
  const clock = movedClock();

  /** Moves the clocks of nginx and of the responder. */
  async function moveTo(ahead: number): Promise<void> {
    minutes = ahead;
    clock.setAhead(ahead);
    // Replaces the file in one step, because nginx can read it at any time.
    await writeFile(join(directory, "clock.new"), `+${ahead * 60}`);
    await rename(join(directory, "clock.new"), join(directory, "clock"));
  }

  beforeAll(async () => {
    const { owner, url: databaseUrl } = api.database;
    const realm = await givenIssuingRealm(owner);
    await startTestWorker({ databaseUrl });
    responder = await startTestResponder({ databaseUrl, clock });
    const service = api.as.service({ realmId: realm.realmId });
    const asked = { format: "pem", keyType: "ec-p256", validityMonths: 12 };
    const { body } = await service.post(`/api/infrastructure-profile/${name}`, asked);

    directory = await mkdtemp(join(tmpdir(), "realmpass-stapling-"));
    port = await freePort();
    const config = `
${process.getuid?.() === 0 ? "user root root;" : ""}
daemon off;
master_process off;
${Object.keys(clockByFile(""))
  .map((each) => `env ${each};`)
  .join("\n")}
pid nginx.pid;
error_log error.log info;
events {}
http {
  access_log off;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((each) => `${each}_temp_path ${each};`).join("\n  ")}
  server {
    listen 127.0.0.1:${port} ssl;
    server_name ${name};
    ssl_certificate server.pem;
    ssl_certificate_key server.key;
    ssl_stapling on;
    ssl_stapling_verify on;
    ssl_trusted_certificate cas.pem;
    ssl_stapling_responder ${responder.url}/ocsp/${realm.issuerId};
    location / { return 204; }
  }
}
`;
    const files = {
      "nginx.conf": config,
      "server.pem": body.data.certificate as string,
      "server.key": body.data.privateKey as string,
      "issuer.pem": pem("CERTIFICATE", realm.issuer),
      "root.pem": pem("CERTIFICATE", realm.root),
      "cas.pem": pem("CERTIFICATE", realm.issuer) + pem("CERTIFICATE", realm.root),
    };
    for (const [file, content] of Object.entries(files)) await writeFile(join(directory, file), content);
    await moveTo(0);

    const child = spawn(requireTool("nginx"), ["-p", directory, "-c", "nginx.conf", "-e", "start.log"], {
      cwd: directory,
      env: { ...process.env, ...clockByFile(join(directory, "clock")) },
      stdio: "ignore",
    });
    atEndOfFile(async () => {
      await ended(child);
      await rm(directory, { recursive: true, force: true });
    });
    await eventually(async () => {
      await staple();
    });
  });

  /** Opens a connection and returns the stapled answer; undefined if nginx staples no answer. */
  const staple = (): Promise<Buffer | undefined> =>
    new Promise((resolve, reject) => {
      // Node's types lack `requestOCSP`, which asks for an answer (RFC 6066 section 8).
      const options = { host: "127.0.0.1", port, servername: name, requestOCSP: true, rejectUnauthorized: false };
      const socket = connect(options);
      let answer: Buffer | undefined;
      socket.once("OCSPResponse", (response: Buffer | null) => (answer = response ?? undefined));
      socket.once("secureConnect", () => {
        socket.destroy();
        resolve(answer);
      });
      socket.once("error", reject);
    });

  /** Returns OpenSSL's verdict on an answer, on a machine with the clock of nginx, without tolerance. */
  async function verdict(answer: Buffer): Promise<string> {
    await writeFile(join(directory, "answer.ocsp"), answer);
    const args = [
      "ocsp",
      "-respin",
      "answer.ocsp",
      "-issuer",
      "issuer.pem",
      "-cert",
      "server.pem",
      "-CAfile",
      "root.pem",
    ];
    const { stdout, stderr } = spawnSync(requireTool("openssl"), [...args, "-no_nonce", "-validity_period", "1"], {
      cwd: directory,
      env: { ...process.env, ...clockAhead(minutes) },
      encoding: "utf8",
    });
    return stdout + stderr;
  }

  test("staples a valid answer to every handshake of a day, one every four minutes, and no answer once the responder has been away for longer than an answer is valid", async () => {
    await eventually(async () => {
      expect(await staple()).toBeDefined();
    });
    let answers = 0;
    let signedAt = 0;
    let last: Buffer | undefined;
    for (let ahead = 0; ahead <= dayMinutes; ahead += 4) {
      await moveTo(ahead);
      const stapled = await staple();
      if (stapled === undefined) throw new Error(`no answer after ${ahead} minutes`);
      const isEnding = ahead - signedAt >= stapledAnswerMinutes - 5;
      // Checks each answer when the answer is new, at times in between, and as late as nginx sends it.
      if (last?.equals(stapled) !== true || ahead % 20 === 0 || isEnding) {
        const found = await verdict(stapled);
        expect(found, `after ${ahead} minutes`).toContain("server.pem: good");
        expect(found, `after ${ahead} minutes`).not.toContain("WARNING");
      }
      last = stapled;
      if (!isEnding) continue;
      // nginx requests the next answer during a handshake in the last five minutes, and sends it in a later handshake.
      await eventually(async () => {
        expect((await staple())?.equals(stapled)).toBe(false);
      });
      answers += 1;
      signedAt = ahead;
    }
    expect(answers).toBeGreaterThan(dayMinutes / stapledAnswerMinutes - 1);

    await responder.stop();
    await moveTo(dayMinutes + stapledAnswerMinutes + 5);
    expect(await staple()).toBeUndefined();
  }, 400_000);
});
