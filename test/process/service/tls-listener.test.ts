import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openssl } from "../../support/pki/openssl.ts";
import { startService } from "../../support/service/service.ts";
import { eventually } from "../../support/run/eventually.ts";
import { freePort } from "../../support/run/services.ts";

const key = generateKeyPairSync("ec", { namedCurve: "P-256" })
  .privateKey.export({ type: "pkcs8", format: "pem" })
  .toString();
const certificate = openssl(["req", "-x509", "-key", "key.pem", "-subj", "/CN=localhost"], { "key.pem": key }).stdout;

/** Fetches JSON from an address of the TLS listener. */
const fetchJson = (url: string): Promise<{ status: number | undefined; body: unknown }> =>
  new Promise((resolve, reject) => {
    get(url, { ca: certificate, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (text += part));
      response.once("error", reject);
      response.once("end", () => {
        resolve({ status: response.statusCode, body: JSON.parse(text) });
      });
    }).once("error", reject);
  });

test("the api listens for profiles over TLS if configured, and logs the port but not the key", async () => {
  const directory = await mkdtemp(join(tmpdir(), "realmpass-tls-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const [certificateFile, keyFile] = [join(directory, "tls.crt"), join(directory, "tls.key")];
  await writeFile(certificateFile, certificate);
  await writeFile(keyFile, key);
  const port = await freePort();

  const service = await startService({
    kind: "postgres",
    worker: false,
    env: {
      REALMPASS_TLS_PORT: String(port),
      REALMPASS_TLS_CERTIFICATE_FILE: certificateFile,
      REALMPASS_TLS_KEY_FILE: keyFile,
    },
  });

  const url = `https://localhost:${port}`;
  expect(await fetchJson(`${url}/.well-known/openid-configuration`)).toMatchObject({
    status: 200,
    body: { mtls_endpoint_aliases: { token_endpoint: `${url}/oauth/token` } },
  });
  expect((await service.call("GET", "/api/realm")).status).toBe(200);
  await eventually(async () => {
    expect(await service.logs()).toMatch(new RegExp(`"event":"api.tls_listening".*"port":${port}\\b`));
  });
  expect(await service.logs()).not.toContain("PRIVATE KEY");
});
