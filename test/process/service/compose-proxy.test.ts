import { randomBytes } from "node:crypto";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { beforeAll, expect, test } from "vitest";
import { secretPaths } from "../../../api/secret-paths.ts";
import { atEndOfFile } from "../../support/run/at-end.ts";
import { uploadAndFollow } from "../../support/counterparts/behind-nginx.ts";
import { askRaw } from "../../support/pki/ocsp.ts";
import { startReverseProxy } from "../../support/run/reverse-proxy.ts";
import { startNginx, type Nginx } from "../../support/counterparts/nginx.ts";
import { startService, type RunningService } from "../../support/service/service.ts";
import { freePort } from "../../support/run/services.ts";
import { describeWithTool } from "../../support/run/tools.ts";

/**
 * nginx as docker-compose.yml ships it, in front of two api processes. The test with 200,000 rows is in
 * `fault/compose-proxy`.
 */
describeWithTool("nginx", "the proxy of docker-compose.yml", () => {
  let service: RunningService;
  let nginx: Nginx;
  beforeAll(async () => {
    service = await startService({
      kind: "postgres",
      env: { REALMPASS_TRUSTED_PROXIES: "127.0.0.1" },
      atEnd: atEndOfFile,
    });
    const ports = [service.apiPort];
    await service.startApi();
    nginx = await startNginx([...ports, service.apiPort].map((port) => `127.0.0.1:${port}`));
  });

  test("accepts a file of more than 1 MiB, and forwards the job's events while the stream is open", async () => {
    const jobs = await uploadAndFollow(nginx, service, 20_000);
    expect(jobs.at(-1)).toMatchObject({ state: "ready", total: 20_000 });
  });

  test("forwards an upload as it arrives: a client with a wrong token is refused before the upload ends", async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(`${nginx.url}/api/jobs/onboarding`, {
        method: "POST",
        headers: { authorization: "Bearer nobody", "content-type": "text/csv", "content-length": 100_000_000 },
        agent: false,
      });
      request.on("response", ({ statusCode }) => {
        resolve(statusCode);
        request.destroy();
      });
      request.on("error", reject);
      request.write("pairwiseID\r\n");
    });
    expect(status).toBe(401);
  });

  test("leaves the limit on body size to the api, which answers in JSON", async () => {
    for (let time = 0; time < 20; time += 1) {
      const answer = await fetch(`${nginx.url}/api/user`, {
        method: "POST",
        headers: { authorization: `Bearer ${service.accessToken}`, "content-type": "application/json" },
        body: JSON.stringify({ filter: { email: "x".repeat(2_000_000) } }),
      });
      expect(answer.status).toBe(413);
      expect(await answer.json()).toMatchObject({ result: "error", code: 413 });
    }
  });

  const kinds: [string, number, { type: string; path?: string; token?: string; begin?: Buffer }][] = [
    ["a wrong token", 401, { type: "text/csv", token: "nobody" }],
    ["a type that is not accepted", 415, { type: "application/pdf" }],
    ["a wrong parameter", 400, { type: "text/csv", path: "/api/jobs/onboarding?dryRun=perhaps" }],
    ["content that is not text", 400, { type: "text/csv", begin: Buffer.from([0xff, 0xfe, 0xff]) }],
    ["a path that does not exist", 404, { type: "text/csv", path: "/api/nothing" }],
    ["a path that accepts no upload", 405, { type: "text/csv", path: "/readyz" }],
  ];

  test.each(kinds)(
    "an upload with %s gets a complete error response, and no other client's request is lost",
    async (_, status, wrong) => {
      const authorization = `Bearer ${service.accessToken}`;
      const other = async (): Promise<number> => {
        const answer = await fetch(`${nginx.url}/api/user?limit=1`, {
          method: "POST",
          headers: { authorization, "content-type": "application/json" },
          body: JSON.stringify({}),
        });
        await answer.arrayBuffer();
        return answer.status;
      };
      const others = (): Promise<number[]> => Promise.all(Array.from({ length: 25 }, other));
      for (const bytes of [1_000, 70_000, 200_000, 500_000, 1_000_000, 5_000_000]) {
        const beside = others();
        const answer = await fetch(`${nginx.url}${wrong.path ?? "/api/jobs/onboarding?dryRun=true"}`, {
          method: "POST",
          headers: {
            authorization: wrong.token === undefined ? authorization : `Bearer ${wrong.token}`,
            "content-type": wrong.type,
          },
          body: Buffer.concat([wrong.begin ?? Buffer.alloc(0), Buffer.alloc(bytes, "x")]),
        });
        expect([bytes, answer.status]).toEqual([bytes, status]);
        expect(await answer.json()).toMatchObject({ code: status });
        const statuses = [...(await beside), ...(await others())];
        expect([bytes, statuses.filter((each) => each !== 200)]).toEqual([bytes, []]);
      }
    },
  );

  test("forwards a request of HTTP/1.0 without Host", async () => {
    const [head, body] = await askRaw(nginx.url, `GET /crl/${service.issuerId}.crl HTTP/1.0`);
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(body.length).toBeGreaterThan(100);
  });

  test("sets the client's address itself, whatever the client sends", async () => {
    const reverseProxy = await startReverseProxy(() => `http://127.0.0.1:${service.apiPort}`);
    const before = await startNginx([new URL(reverseProxy.url).host]);
    const answer = await fetch(`${before.url}/healthz`, {
      headers: { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https", "x-client-certificate": "forged" },
    });

    expect(answer.status).toBe(200);
    expect(reverseProxy.seen[0]?.headers).toMatchObject({
      host: new URL(before.url).host,
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-proto": "http",
    });
    expect(reverseProxy.seen[0]?.headers).not.toHaveProperty("x-client-certificate");
  });

  test("logs the request's id, but no link, code or token, for answers and for failures", async () => {
    const away = await startNginx([`127.0.0.1:${await freePort()}`]);
    // Accepts requests, and closes their connections without a response.
    const broken = await startReverseProxy(() => "http://127.0.0.1:1");
    const silent = await startNginx([new URL(broken.url).host]);
    const secrets: string[] = [];
    const ids: string[] = [];
    /** Returns the URL of a path, with secrets that no other request has. */
    const drawn = ({ path, parameters = [] }: (typeof secretPaths)[number]): string => {
      const draw = (): string => {
        const secret = randomBytes(24).toString("base64url");
        secrets.push(secret);
        return secret;
      };
      const query = parameters.map((name) => `${name}=${draw()}`).join("&");
      return `${path.replace(/\{\w+\}/, draw)}${query === "" ? "" : `?${query}`}`;
    };

    for (const each of secretPaths) {
      const referer = `http://localhost:3000${drawn(each)}`;
      const answer = await fetch(nginx.url + drawn(each), { redirect: "manual", headers: { referer } });
      expect(answer.status).toBeLessThan(500);
      ids.push(answer.headers.get("x-request-id") ?? "none");
      expect((await fetch(away.url + drawn(each), { headers: { referer } })).status).toBe(502);
      expect((await fetch(silent.url + drawn(each), { headers: { referer } })).status).toBe(502);
      expect(
        await statusOfRaw(nginx, `GET ${drawn(each)} HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(40_000)}\r\n\r\n`),
      ).toBe(400);
      expect(await statusOfRaw(nginx, `GET ${drawn(each)}${"x".repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)).toBe(414);
      expect(await statusOfRaw(nginx, `GET ${drawn(each)} HTTP/1.1\r\nHost: a b\r\n\r\n`)).toBe(400);
      await breakOff(nginx, `POST ${drawn(each)} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx`);
    }

    const logs = (await Promise.all([nginx, away, silent].map((each) => each.logs()))).join("\n");
    expect(secrets.filter((secret) => logs.includes(secret))).toEqual([]);
    expect(ids.filter((id) => !logs.includes(id))).toEqual([]);
    expect(logs).toContain(" GET 502 ");
    for (const id of ids) expect(await service.logs()).toContain(id);
  });
});

/** Returns the status of the response to these octets. */
const statusOfRaw = ({ port }: Nginx, text: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.once("data", (answer) => {
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(answer.toString("latin1"))?.[1]));
      socket.destroy();
    });
    socket.once("error", reject);
  });

/** Sends these octets and disconnects. */
const breakOff = ({ port }: Nginx, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(text, () => {
        socket.destroy();
        resolve();
      }),
    );
    socket.once("error", reject);
  });
