import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { ConfigError, loadConfig, type Env } from "../../../../runtime/config/config.ts";
import { workerVariables } from "../../../../worker/config.ts";
import { profileSigningEnd, profileSigningOf } from "../../../../worker/issuance/profile-signing.ts";
import { openssl } from "../../../support/pki/openssl.ts";

const newKey = (namedCurve = "P-256"): string =>
  generateKeyPairSync("ec", { namedCurve }).privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const newCertificate = (key: string): string =>
  openssl(["req", "-x509", "-key", "key.pem", "-subj", "/CN=Signs Profiles", "-days", "10"], { "key.pem": key }).stdout;

const key = newKey();
const certificate = newCertificate(key);
const complete = { REALMPASS_PROFILE_SIGNING_CERTIFICATE: certificate, REALMPASS_PROFILE_SIGNING_KEY: key };
const oddKey = newKey("P-521");

const read = (env: Env) => profileSigningOf(loadConfig(workerVariables, env));

test("profiles are signed if a certificate and its key are configured, and unsigned if neither is", () => {
  expect(read(complete)).toEqual({ certificate, key });
  expect(read({})).toBeUndefined();
});

test("the end of the signing certificate is returned", () => {
  const { stdout } = openssl(["x509", "-in", "c.pem", "-noout", "-enddate", "-dateopt", "iso_8601"], {
    "c.pem": certificate,
  });
  const [, end = ""] = /notAfter=(.*)/.exec(stdout) ?? [];
  expect(profileSigningEnd({ certificate, key })).toEqual(new Date(end.replace(" ", "T")));
});

test.each<[string, Env]>([
  ["a certificate alone", { REALMPASS_PROFILE_SIGNING_CERTIFICATE: certificate }],
  ["a key alone", { REALMPASS_PROFILE_SIGNING_KEY: key }],
  ["another's key", { ...complete, REALMPASS_PROFILE_SIGNING_KEY: newKey() }],
  [
    "a certificate that is none",
    { ...complete, REALMPASS_PROFILE_SIGNING_CERTIFICATE: certificate.replace(/M[A-Z]/, "!!") },
  ],
  ["a file's name for a certificate", { ...complete, REALMPASS_PROFILE_SIGNING_CERTIFICATE: "/etc/profiles.pem" }],
  ["an encrypted key", { ...complete, REALMPASS_PROFILE_SIGNING_KEY: key.replaceAll("PRIVATE", "ENCRYPTED PRIVATE") }],
  [
    "a key of a kind that cannot sign here",
    { REALMPASS_PROFILE_SIGNING_CERTIFICATE: newCertificate(oddKey), REALMPASS_PROFILE_SIGNING_KEY: oddKey },
  ],
])("a worker does not start with %s, and the error shows no key", (_, env) => {
  const start = () => read(env);
  expect(start).toThrow(ConfigError);
  expect(start).toThrow(/REALMPASS_PROFILE_SIGNING_/);
  expect(start).not.toThrow(/BEGIN|MI[A-Z]/);
});
