import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { faultOfAnswer, faultOfCas } from "../../../../operator/doctor/apps.ts";
import { openssl } from "../../../support/pki/openssl.ts";

const base = "https://wifi.example/letswifi/uni/";
const answer = (
  endpoints: Record<string, unknown> = { token_endpoint: `${base}oauth/token/` },
  { status = 200, type = "application/json" } = {},
) => ({
  status,
  headers: { "content-type": type },
  body: Buffer.from(JSON.stringify({ "http://letswifi.app/api#v2": endpoints })),
});

test.each<[string, ReturnType<typeof answer>, string | undefined]>([
  ["as it is", answer(), undefined],
  ["a redirect", answer(undefined, { status: 301 }), "status 301"],
  ["a charset", answer(undefined, { type: "application/json; charset=utf-8" }), "application/json alone"],
  ["addresses elsewhere", answer({ token_endpoint: "http://wifi.example/" }), "it names http://wifi.example/"],
  ["no addresses", answer({}), "does not come from an api"],
  ["something else", { ...answer(), body: Buffer.from("<html>") }, "does not come from an api"],
])("the doctor judges an answer with %s", (_, given, fault) => {
  const found = faultOfAnswer(given, base);
  if (fault === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(fault);
});

const pem = (name: string) => readFileSync(`test/support/given/hierarchy/${name}.crt.pem`, "utf8");
const selfSigned = (name: string, ca: boolean): string =>
  openssl([
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", `${name}.key`],
    ...["-subj", `/CN=${name}`, "-days", "3", "-addext", `basicConstraints=critical,CA:${ca ? "TRUE" : "FALSE"}`],
  ]).stdout;
const passpoint = ["001bc50460"];

test.each<[string, string | null, string[], string | undefined]>([
  ["the realm's own", null, passpoint, undefined],
  ["a root", pem("root"), [], undefined],
  ["a root and an issuing CA, with consortiums", `${pem("issuing")}\n${pem("root")}`, passpoint, undefined],
  ["no self-signed one", pem("issuing"), [], "need a self-signed CA"],
  ["two roots, without consortiums", pem("root") + selfSigned("second", true), [], undefined],
  [
    "two roots, with consortiums",
    pem("root") + selfSigned("second", true),
    passpoint,
    "needs one self-signed CA, and 2",
  ],
  ["one that is no CA", pem("root") + selfSigned("server", false), [], "ignore CN=server, which is no CA"],
])("the doctor judges the CAs of a RADIUS server: %s", (_, radiusCa, rcois, fault) => {
  const found = faultOfCas({ radiusCa, rcois })?.fault;
  if (fault === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(fault);
});
