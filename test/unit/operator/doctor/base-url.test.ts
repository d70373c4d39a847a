import { X509Certificate } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { loadConfig } from "../../../../runtime/config/config.ts";
import { operatorVariables } from "../../../../operator/context/context.ts";
import { checkBaseUrl } from "../../../../operator/doctor/base-url.ts";
import { systemClock } from "../../../../runtime/clock.ts";
import { certificatePem, privateKeyPem } from "../../../support/given/hierarchy/test-hierarchy.ts";
import { startListener } from "../../../support/given/publication-server.ts";
import { openssl } from "../../../support/pki/openssl.ts";
import { atEnd } from "../../../support/run/at-end.ts";
import { freePort } from "../../../support/run/services.ts";

const look = (
  env: Record<string, string>,
  { at, addresses }: { at?: Date; addresses?: readonly string[] | Error } = {},
) =>
  checkBaseUrl(
    { config: loadConfig(operatorVariables, env), env, clock: at === undefined ? systemClock : { now: () => at } },
    addresses === undefined
      ? undefined
      : () => (addresses instanceof Error ? Promise.reject(addresses) : Promise.resolve(addresses)),
  );

const saying = (text: string): string => expect.stringContaining(text) as string;

/** Returns a listener that responds like an api whose issuer is `issuer`. */
const api =
  (issuer: string): RequestListener =>
  (request, response) => {
    if (request.url !== "/.well-known/openid-configuration") response.writeHead(404).end();
    else response.end(JSON.stringify({ issuer }));
  };

const named = "https://wifi.example";

describe("the base URL", () => {
  test("passes if the api at this URL returns the expected issuer", async () => {
    const url = await startListener(api(named));
    expect(await look({ REALMPASS_BASE_URL: url, REALMPASS_AUTH_URL: named })).toMatchObject([
      { name: "base-url", status: "ok" },
    ]);
  });

  test("is checked only if it is set", async () => {
    expect(await look({})).toEqual([]);
  });

  test.each<[string, RequestListener, string]>([
    ["another issuer", api("https://wlan.example"), "the api calls itself https://wlan.example"],
    ["a proxy without an api", (_, response) => response.writeHead(502).end(), "status 502"],
    ["a page of somebody else", (_, response) => response.end("<html>"), "does not come from an api"],
  ])("fails with %s", async (_, listener, fault) => {
    const url = await startListener(listener);
    expect(await look({ REALMPASS_BASE_URL: url, REALMPASS_AUTH_URL: named })).toMatchObject([
      { status: "fail", message: saying(fault), remedy: saying("REALMPASS_BASE_URL") },
    ]);
  });

  test("with a path that the proxy does not strip fails, and the message names the path", async () => {
    const url = await startListener(api(`${named}/wifi`));
    const env = (path: string) => ({ REALMPASS_BASE_URL: url + path, REALMPASS_AUTH_URL: `${named}/wifi` });
    expect(await look(env(""))).toMatchObject([{ status: "ok" }]);
    expect(await look(env("/wifi"))).toMatchObject([
      { status: "fail", message: saying("status 404; does the proxy strip /wifi from paths?") },
    ]);
    expect(await look(env("/"))).toMatchObject([{ status: "ok" }]);
  });

  test("fails if nothing listens at the URL, or if the host has no address", async () => {
    const refused = `http://127.0.0.1:${await freePort()}`;
    expect(await look({ REALMPASS_BASE_URL: refused })).toMatchObject([
      { status: "fail", message: saying("ECONNREFUSED") },
    ]);
    expect(
      await look({ REALMPASS_BASE_URL: named }, { addresses: new Error("getaddrinfo ENOTFOUND wifi.example") }),
    ).toMatchObject([{ status: "fail", message: saying("has no address: getaddrinfo ENOTFOUND") }]);
  });

  test("fails if one of the addresses of its host does not respond", async () => {
    const server = createServer((request, response) => {
      response.end(JSON.stringify({ issuer: `http://${request.headers.host}` }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    atEnd(() => void server.close());
    const base = `http://wifi.example:${(server.address() as AddressInfo).port}`;
    const at = (...addresses: string[]) => look({ REALMPASS_BASE_URL: base }, { addresses });
    expect(await at("127.0.0.1")).toMatchObject([{ status: "ok" }]);
    expect(await at("127.0.0.1", "127.0.0.2")).toMatchObject([{ status: "fail", message: saying(": 127.0.0.2: ") }]);
  });
});

/** Returns a certificate for these names, with its key; no machine trusts its issuer. */
function selfSigned(names: string): { cert: string; key: string } {
  const { stdout } = openssl([
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "-"],
    ...["-subj", "/CN=wifi.example", "-addext", `subjectAltName=${names}`, "-days", "90"],
  ]);
  return { cert: stdout, key: stdout };
}

describe("the server's certificate", () => {
  const end = new Date(new X509Certificate(certificatePem("root")).validTo).getTime();
  const daysBefore = (days: number): Date => new Date(end - days * 86_400_000);

  const startTls = (name: "root" | "issuing" = "root"): Promise<string> =>
    startWith({ cert: certificatePem(name), key: privateKeyPem(name) });

  async function startWith(certificate: { cert: string; key: string }): Promise<string> {
    const server = createTlsServer(certificate, api(named));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    atEnd(() => void server.close());
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test("is a warning in its last 14 days", async () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    atEnd(() => void vi.unstubAllEnvs());
    const env = { REALMPASS_BASE_URL: await startTls(), REALMPASS_AUTH_URL: named };
    expect(await look(env, { at: daysBefore(14) })).toMatchObject([{ status: "ok", message: saying("14 more days") }]);
    expect(await look(env, { at: daysBefore(13.9) })).toMatchObject([
      { status: "warn", message: saying("in 13 days"), remedy: saying("Renew it") },
    ]);
  });

  test("from a CA that this machine does not trust is a warning, and a failure once the certificate has expired", async () => {
    const certificate = selfSigned("IP:127.0.0.1");
    const env = { REALMPASS_BASE_URL: await startWith(certificate), REALMPASS_AUTH_URL: named };
    const until = new Date(new X509Certificate(certificate.cert).validTo).getTime();
    expect(await look(env, { at: new Date(until - 86_400_000) })).toMatchObject([
      { status: "warn", message: saying("does not trust"), remedy: saying("NODE_EXTRA_CA_CERTS") },
    ]);
    expect(await look(env, { at: new Date(until + 1) })).toMatchObject([
      { status: "fail", message: saying("ended on") },
    ]);
  });

  test("from such a CA fails if it is for another host", async () => {
    const certificate = selfSigned("DNS:wlan.example,IP:127.0.0.2");
    const env = { REALMPASS_BASE_URL: await startWith(certificate), REALMPASS_AUTH_URL: named };
    expect(await look(env)).toMatchObject([{ status: "fail", message: saying("127.0.0.1 is not in the cert's list") }]);
  });

  test("fails if it is not a server certificate", async () => {
    const env = { REALMPASS_BASE_URL: await startTls("root"), REALMPASS_AUTH_URL: named };
    expect(await look(env)).toMatchObject([{ status: "fail", message: saying("unsuitable certificate purpose") }]);
  });
});
