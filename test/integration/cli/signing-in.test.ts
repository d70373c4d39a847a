import { chmod, mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { useApi } from "../../support/service/api.ts";
import { useCli } from "../../support/service/cli.ts";
import { startReverseProxy, type ReverseProxy } from "../../support/run/reverse-proxy.ts";
import type { GivenApplication } from "../../support/given/given.ts";

const api = useApi();
const cli = useCli(() => ({}));
let application: GivenApplication;
let proxy: ReverseProxy;
const file = (): string => join(cli.directory, ".config", "realmpass", "login.json");

beforeAll(async () => {
  application = await api.given.application({ realmId: api.realmId });
  proxy = await startReverseProxy(() => api.url);
});
beforeEach(async () => {
  await cli(["logout"]);
});

const login = (options: { url?: string; input?: string } = {}) =>
  cli(["login", "--url", options.url ?? api.url, "--client-id", application.clientId], {
    input: options.input ?? `${application.secret}\n`,
  });

test("without credentials a command exits with 4 and explains how to sign in", async () => {
  const { code, out, err } = await cli(["users", "list", "--json"]);

  expect(code).toBe(4);
  expect(JSON.parse(out)).toMatchObject({ result: "error", error: "not_signed_in" });
  expect(err).toContain("realmpass login");
});

test("login checks the secret and stores it in a file that only its owner can read, other commands use the secret, and logout deletes it", async () => {
  const { code, out, err } = await login();

  expect({ code, out }).toEqual({ code: 0, out: "" });
  expect(err).not.toContain(application.secret);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  expect((await stat(join(file(), ".."))).mode & 0o777).toBe(0o700);
  expect(await readdir(join(file(), ".."))).toEqual(["login.json"]);
  expect((await cli(["users", "list"])).code).toBe(0);

  expect((await cli(["logout"])).code).toBe(0);
  expect((await cli(["users", "list"])).code).toBe(4);
  expect((await cli(["logout"])).code).toBe(0);
});

test("a wrong secret exits with 4, and login stores nothing", async () => {
  const { code, err } = await login({ input: "wrong\n" });

  expect(code).toBe(4);
  expect(err).toContain("does not accept these credentials");
  await expect(stat(file())).rejects.toThrow("ENOENT");
});

test.each([
  ["nothing", "", "The client secret is empty"],
  ["two lines", "hush-1\nhush-2\n", "This is not a client secret"],
])("a malformed secret (%s) is reported without being shown", async (_name, input, message) => {
  const { code, err } = await login({ input });

  expect(code).toBe(2);
  expect(err).toContain(message);
  expect(err).not.toContain("hush");
});

test("XDG_CONFIG_HOME determines where the login is stored", async () => {
  const home = join(cli.directory, "elsewhere");
  const env = { XDG_CONFIG_HOME: home };
  await cli(["login", "--url", api.url, "--client-id", application.clientId], { env, input: application.secret });

  expect(JSON.parse(await readFile(join(home, "realmpass", "login.json"), "utf8"))).toMatchObject({ url: api.url });
  expect((await cli(["logout", "--json"], { env })).out).toBe('{"removed":true}\n');
});

test("on a terminal the secret is prompted for and not echoed", async () => {
  const session = cli.onTerminal(["login", "--client-id", application.clientId]);
  await session.type(/Service \(URL\): /, `${api.url}\r`);
  await session.type(/Client secret \(not shown\): /, `${application.secret}\r`);
  const { code, out } = await session.ended;

  expect(code).toBe(0);
  expect(out).not.toContain(application.secret);
  expect(JSON.parse(await readFile(file(), "utf8"))).toMatchObject({ clientSecret: application.secret });
});

test("Ctrl-C at a prompt exits with 130 and stores nothing", async () => {
  const session = cli.onTerminal(["login", "--url", api.url, "--client-id", application.clientId]);
  await session.type(/Client secret/, "\u0003");

  expect((await session.ended).code).toBe(130);
  await expect(stat(file())).rejects.toThrow("ENOENT");
});

test("a stored login that others can read is not used", async () => {
  await login();
  await chmod(file(), 0o640);

  const { code, err } = await cli(["users", "list"]);

  expect(code).toBe(1);
  expect(err).toContain(`chmod 600 ${file()}`);
});

test("a damaged stored login is reported", async () => {
  await mkdir(join(file(), ".."), { recursive: true });
  await writeFile(file(), "{", { mode: 0o600 });

  expect((await cli(["users", "list"])).err).toContain("Log in again");
});

test("a stored secret is used only for the service and the client that it was stored for", async () => {
  await login();
  proxy.decide(() => "pass");

  const elsewhere = await cli(["users", "list", "--url", proxy.url]);
  const asAnother = await cli(["users", "list", "--client-id", "somebody"]);

  expect([elsewhere.code, asAnother.code]).toEqual([4, 4]);
  expect(proxy.seen).toEqual([]);
});

test("the secret can come from a file or from the environment, which takes precedence over the stored login", async () => {
  await login();
  await writeFile(join(cli.directory, "secret"), `${application.secret}\n`);
  const named = ["--url", proxy.url, "--client-id", application.clientId];
  proxy.decide(() => "pass");

  const fromFile = await cli(["users", "list", ...named, "--client-secret-file", "secret"]);
  const fromInput = await cli(["users", "list", ...named, "--client-secret-file", "-"], { input: application.secret });
  const fromEnvironment = await cli(["users", "list", ...named], {
    env: { REALMPASS_CLIENT_SECRET: application.secret },
  });
  const wrong = await cli(["users", "list"], { env: { REALMPASS_CLIENT_SECRET: "wrong" } });

  expect([fromFile.code, fromInput.code, fromEnvironment.code, wrong.code]).toEqual([0, 0, 0, 4]);
});

test("login and other commands do not take the secret as an argument", async () => {
  for (const command of [["login"], ["users", "list"]]) {
    const { code, err } = await cli([...command, "--client-secret", application.secret]);
    expect(code).toBe(2);
    expect(err).toContain("unknown option");
  }
});

test.each([
  ["plain http to another machine", ["--url", "http://service.example"], "--insecure-http"],
  ["no URL", ["--url", "service.example"], "https://"],
  ["another scheme", ["--url", "ftp://service.example"], "https://"],
  ["a password in the URL", ["--url", "https://user:pass@service.example"], "password"],
])("%s is a usage error", async (_name, argv, message) => {
  const { code, err } = await cli(["users", "list", ...argv, "--client-id", "c"], {
    env: { REALMPASS_CLIENT_SECRET: "s" },
  });

  expect(code).toBe(2);
  expect(err).toContain(message);
});

test("a command refuses to run with certificate checks disabled", async () => {
  const { code, err } = await cli(["users", "list"], { env: { NODE_TLS_REJECT_UNAUTHORIZED: "0" } });

  expect(code).toBe(2);
  expect(err).toContain("NODE_EXTRA_CA_CERTS");
});

test("the secret is not sent to the target of a redirect", async () => {
  proxy.decide(() => ({ status: 307, headers: { Location: `${api.url}/oauth/token` } }));
  const { code } = await login({ url: proxy.url });

  expect(code).toBe(1);
  expect(proxy.seen).toHaveLength(1);
});
