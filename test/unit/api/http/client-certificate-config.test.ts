import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { clientCertificatesOf, tlsListenerOf } from "../../../../api/http/client-certificate/config.ts";
import { apiVariables } from "../../../../api/config.ts";
import { ConfigError, loadConfig, type Env } from "../../../../runtime/config/config.ts";
import { openssl } from "../../../support/pki/openssl.ts";

const newKey = (): string =>
  generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" }).toString();

const key = newKey();
const certificate = openssl(["req", "-x509", "-key", "key.pem", "-subj", "/CN=localhost"], { "key.pem": key }).stdout;
const complete = {
  REALMPASS_TLS_PORT: "3443",
  REALMPASS_TLS_CERTIFICATE: certificate,
  REALMPASS_TLS_KEY: key,
};

const load = (env: Env) => loadConfig(apiVariables, env);

describe("the TLS listener", () => {
  test("is configured by a port, a certificate and a key", () => {
    expect(tlsListenerOf(load(complete))).toEqual({ port: 3443, certificate: certificate.trimEnd() + "\n", key });
    expect(tlsListenerOf(load({}))).toBeUndefined();
  });

  test.each<[string, Env]>([
    ["a port alone", { REALMPASS_TLS_PORT: "3443" }],
    ["a certificate alone", { REALMPASS_TLS_CERTIFICATE: certificate }],
    ["no port", { ...complete, REALMPASS_TLS_PORT: undefined }],
    ["no key", { ...complete, REALMPASS_TLS_KEY: undefined }],
    ["another's key", { ...complete, REALMPASS_TLS_KEY: newKey() }],
    ["a certificate that is none", { ...complete, REALMPASS_TLS_CERTIFICATE: certificate.replace(/M[A-Z]/, "!!") }],
    ["a file's name for a certificate", { ...complete, REALMPASS_TLS_CERTIFICATE: "/etc/tls.pem" }],
    ["an encrypted key", { ...complete, REALMPASS_TLS_KEY: key.replaceAll("PRIVATE", "ENCRYPTED PRIVATE") }],
    ["a port that is none", { ...complete, REALMPASS_TLS_PORT: "70000" }],
  ])("does not start with %s, and the error shows no key", (_, env) => {
    const start = () => tlsListenerOf(load(env));
    expect(start).toThrow(ConfigError);
    expect(start).toThrow(/REALMPASS_TLS_/);
    expect(start).not.toThrow(/PRIVATE/);
  });
});

describe("signing in with profiles", () => {
  const settings = (env: Env, tlsPort?: number) => clientCertificatesOf(load(env), tlsPort);

  test("is off by default", () => {
    expect(settings({ REALMPASS_TRUSTED_PROXIES: "10.0.0.1" })).toBeUndefined();
  });

  test("uses the TLS listener, under the address by which clients know it", () => {
    expect(settings({ REALMPASS_AUTH_URL: "https://auth.example:8443/x" }, 3443)).toEqual({
      listenerUrl: "https://auth.example:3443",
    });
    expect(settings({ REALMPASS_TLS_URL: "https://mtls.example/" }, 3443)).toEqual({
      listenerUrl: "https://mtls.example",
    });
    expect(() => load({ REALMPASS_TLS_URL: "http://mtls.example" })).toThrow(/REALMPASS_TLS_URL/);
  });

  test("accepts a certificate header behind a trusted proxy; without a trusted proxy the header is a configuration error", () => {
    const env = { REALMPASS_CLIENT_CERTIFICATE_HEADER: "Client-Cert" };
    expect(settings({ ...env, REALMPASS_TRUSTED_PROXIES: "10.0.0.1" })).toEqual({ header: "Client-Cert" });
    expect(() => settings(env)).toThrow(ConfigError);
    expect(() => settings({ ...env, REALMPASS_TRUSTED_PROXIES: " , " })).toThrow(ConfigError);
    expect(() => load({ REALMPASS_CLIENT_CERTIFICATE_HEADER: "Client-Cert: x" })).toThrow(ConfigError);
  });
});
