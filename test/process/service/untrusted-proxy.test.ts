import { expect, test } from "vitest";
import { operatorVariables } from "../../../operator/context/context.ts";
import { checkBaseUrl } from "../../../operator/doctor/base-url.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { loadConfig } from "../../../runtime/config/config.ts";
import { untrustedProxyHeader } from "../../../runtime/config/networks.ts";
import { startNginx } from "../../support/counterparts/nginx.ts";
import { freePort } from "../../support/run/services.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { startService } from "../../support/service/service.ts";

const saying = (text: string): string => expect.stringContaining(text) as string;

describeWithTool("nginx", "the base URL behind the shipped proxy", () => {
  /** Returns the findings of doctor about an api that trusts these proxies. nginx connects from 127.0.0.1. */
  async function findings(proxies: string) {
    const issuer = `http://127.0.0.1:${await freePort()}`;
    const service = await startService({
      kind: "postgres",
      env: { REALMPASS_TRUSTED_PROXIES: proxies, REALMPASS_AUTH_URL: issuer },
    });
    const nginx = await startNginx([`127.0.0.1:${service.apiPort}`]);
    const at = (url: string) =>
      checkBaseUrl({
        config: loadConfig(operatorVariables, { REALMPASS_BASE_URL: url, REALMPASS_AUTH_URL: issuer }),
        env: {},
        clock: systemClock,
      });
    return { proxied: await at(nginx.url), direct: await at(`http://127.0.0.1:${service.apiPort}`) };
  }

  test("passes if the api trusts the proxy", async () => {
    expect(await findings("127.0.0.1")).toMatchObject({ proxied: [{ status: "ok" }], direct: [{ status: "ok" }] });
  });

  test.each(["", "192.0.2.1"])("fails if the api trusts another proxy or no proxy: %j", async (proxies) => {
    expect(await findings(proxies)).toMatchObject({
      proxied: [
        { status: "fail", message: saying("takes a proxy's address"), remedy: saying("REALMPASS_TRUSTED_PROXIES") },
      ],
      direct: [{ status: "ok" }],
    });
  });
});

test("the api reports an untrusted proxy in front of a trusted proxy", async () => {
  const { apiPort } = await startService({ kind: "postgres", env: { REALMPASS_TRUSTED_PROXIES: "loopback,10.0.0.1" } });
  const reports = async (forwardedFor: string) => {
    const url = `http://127.0.0.1:${apiPort}/.well-known/openid-configuration`;
    return (await fetch(url, { headers: { "x-forwarded-for": forwardedFor } })).headers.has(untrustedProxyHeader);
  };
  expect(await reports("203.0.113.5, 10.0.0.1")).toBe(false);
  expect(await reports("203.0.113.5, 10.0.0.2")).toBe(true);
});
