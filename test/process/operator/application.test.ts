import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import * as applications from "../../../db/queries/oauth/applications.ts";
import { scopesAllowedTo } from "../../../domain/people/scopes.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { useOperator, type Ran } from "../../support/service/test-operator.ts";

const operator = useOperator();

const create = async (...options: string[]): Promise<Ran & { realm: string }> => {
  const realm = await operator.anyRealm();
  return { realm, ...(await operator.run(["application", "create", "--realm", realm, ...options])) };
};

const stored = ({ json }: Ran) =>
  applications.findWithSecrets(operator.database.open("realmpass_api"), {
    clientId: String(json["client_id"]),
    at: systemClock.now(),
  });

const service = ["--type", "service", "--name", "Sync", "--client-uri", "https://sync.example"];
const useragent = ["--type", "useragent", "--name", "App", "--client-uri", "https://app.example"];
const callback = ["--redirect-uri", "https://app.example/callback"];

test("a service always gets a secret, stored only as a hash, and every scope that services can have", async () => {
  const ran = await create(...service);

  expect(ran.code).toBe(0);
  expect(Object.keys(ran.json)).toEqual(["client_id", "client_secret"]);
  expect(ran.json["client_secret"]).toMatch(/^[a-z]+_[A-Za-z0-9_-]{43}$/);
  expect(await stored(ran)).toMatchObject({
    type: "service",
    active: true,
    useClientSecret: true,
    redirectUris: [],
    scopes: scopesAllowedTo("service"),
    secretHashes: [createHash("sha256").update(String(ran.json["client_secret"])).digest()],
  });
  expect(scopesAllowedTo("service")).not.toContain("openid");
  expect(await operator.auditEvents(ran.realm)).toContain("client_create");
});

test("a useragent has a secret only on request", async () => {
  const without = await create(...useragent, ...callback);
  const withSecret = await create(...useragent, ...callback, "--secret");

  expect(Object.keys(without.json)).toEqual(["client_id"]);
  expect(await stored(without)).toMatchObject({
    useClientSecret: false,
    secretHashes: [],
    scopes: scopesAllowedTo("useragent"),
  });
  expect(Object.keys(withSecret.json)).toEqual(["client_id", "client_secret"]);
  expect(await stored(withSecret)).toMatchObject({
    useClientSecret: true,
    redirectUris: ["https://app.example/callback"],
  });
});

test("an application gets exactly the named scopes, each once", async () => {
  const ran = await create(...useragent, ...callback, "--scopes", "openid  profile.read openid", "--require-pkce");

  expect(await stored(ran)).toMatchObject({ scopes: ["openid", "profile.read"], requirePkce: true });
});

test.each([
  ["https", "https://app.example/cb?x=1"],
  ["http on this machine by name", "http://localhost:8080/cb"],
  ["http on this machine by address", "http://127.0.0.1/cb"],
  ["http on this machine by IPv6 address", "http://[::1]:9/cb"],
  ["a scheme of its own", "com.example.app:/cb"],
])("a redirect uri may be %s", async (_, uri) => {
  const ran = await create(...useragent, "--redirect-uri", uri);
  expect(ran.code, ran.err).toBe(0);
  expect((await stored(ran))?.redirectUris).toEqual([uri]);
});

test("a useragent may have up to 10 redirect uris, in the given order and each once", async () => {
  const uris = Array.from({ length: 10 }, (_, index) => `https://app.example/${index}`);
  const options = (given: readonly string[]) => given.flatMap((uri) => ["--redirect-uri", uri]);
  const ran = await create(...useragent, ...options(["https://app.example/9", ...uris.slice(0, 9)]));
  expect((await stored(ran))?.redirectUris).toEqual(["https://app.example/9", ...uris.slice(0, 9)]);
  const twice = await create(...useragent, ...options(["https://app.example/1", "https://app.example/1"]));
  expect((await stored(twice))?.redirectUris).toEqual(["https://app.example/1"]);
  expect((await create(...useragent, ...options([...uris, "https://app.example/10"]))).code).toBe(2);
  expect((await create(...useragent, ...options(["https://app.example/1", "/2"]))).code).toBe(2);
});

test("a name that resembles a first-party application's is refused for all other applications", async () => {
  const realm = await operator.anyRealm();
  const named = (name: string, ...options: string[]) =>
    operator.run(
      ["application", "create", "--realm", realm, "--type", "useragent", "--client-uri", "https://app.example"].concat(
        ["--name", name, ...callback],
        options,
      ),
    );
  expect((await named("Campus portal", "--first-party")).code).toBe(0);

  for (const name of ["Administration console", "\u0410DMINISTRATION  console", "C\u0430mpus Portal"]) {
    const { code, json } = await named(name);
    expect([code, json]).toEqual([
      2,
      { error: "usage", error_description: "--name is the name of a part of this service." },
    ]);
  }
  expect((await named("Campus portals")).code).toBe(0);
  expect((await named("Campus portal", "--first-party")).code).toBe(0);
});

test.each([
  ["an unknown type", ["--type", "robot", "--name", "x", "--client-uri", "https://x.example"]],
  ["no name", ["--type", "service", "--client-uri", "https://x.example"]],
  ["no client uri", ["--type", "service", "--name", "x"]],
  ["a relative client uri", ["--type", "service", "--name", "x", "--client-uri", "/x"]],
  ["a client uri that is no web address", ["--type", "service", "--name", "x", "--client-uri", "ftp://x.example"]],
  ["a service with a redirect uri", [...service, ...callback]],
  ["a useragent without one", useragent],
  ["a redirect uri with a fragment", [...useragent, "--redirect-uri", "https://app.example/#x"]],
  ["a redirect uri over http elsewhere", [...useragent, "--redirect-uri", "http://app.example/"]],
  ["a redirect uri that is a script", [...useragent, "--redirect-uri", "javascript:alert(1)"]],
  ["a redirect uri with a space", [...useragent, "--redirect-uri", "https://app.example/ "]],
  ["an unknown scope", [...service, "--scopes", "profile.read everything"]],
  ["a scope that a service cannot have", [...service, "--scopes", "openid"]],
  ["a machine's scope beside another", [...service, "--scopes", "radius.read profile.read"]],
  ["two machines' scopes", [...service, "--scopes", "radius.read scim"]],
  ["a machine's scope of a useragent", [...useragent, ...callback, "--scopes", "radius.read"]],
  ["an empty list of scopes", [...service, "--scopes", " "]],
])("%s is a usage error", async (_, options) => {
  const { code, json } = await create(...options);
  expect([code, json["error"]]).toEqual([2, "usage"]);
});
