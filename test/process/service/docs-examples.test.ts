import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { guides } from "../../../api/browser/docs/guides.ts";
import type { ApiAnswer } from "../../support/service/api.ts";
import { answerOf } from "../../support/given/authorization.ts";
import { createBrowserSession } from "../../support/browser/browser-session.ts";
import { asHere, runBlocks, shellBlocks } from "../../support/run/shell-blocks.ts";
import { startWhole, type WholeService } from "../../support/service/whole-service.ts";

/** Runs the commands in the documents as written and in order, against one freshly started service. */

let service: WholeService;
/**
 * The working directory of the guides. README and drill have separate directories, so that no document finds another's
 * files.
 */
let directory: string;
/** Shell variables that the quickstart sets and later guides use. */
let left: Record<string, string>;

beforeAll(async () => {
  service = await startWhole();
  directory = await mkdtemp(join(tmpdir(), "realmpass-documents-"));
  await service.ready();
});
afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
});

async function directoryFor(document: string): Promise<string> {
  const made = join(directory, document);
  await mkdir(made);
  return made;
}

const blocksOf = async (slug: string): Promise<string[]> => {
  const blocks = await shellBlocks(`docs/guides/${slug}.md`);
  expect(blocks.length).toBeGreaterThan(0);
  return blocks;
};
const run = async (slug: string, options: { reply?: (printed: string) => Promise<string | undefined> } = {}) =>
  runBlocks(service, await blocksOf(slug), { directory, env: left, ...options });
const json = async (file: string): Promise<ApiAnswer["body"]> =>
  JSON.parse(await readFile(join(directory, file), "utf8"));

/** Runs first, because the drill's page shows the state right after the first start. */
describe("the drill of docs/replacing-cas.md", () => {
  interface Step {
    title: string;
    block: string;
    /** The output on the page; empty if the page shows none. */
    prints: string;
  }

  async function readSteps(): Promise<Step[]> {
    const page = await readFile("docs/replacing-cas.md", "utf8");
    const section = page.split(/^## /m).find((each) => each.startsWith("Steps\n")) ?? "";
    return [...section.matchAll(/^\*\*(\d+\. [^*]+)\*\*(.*?)(?=^\*\*)/gms)].map(([, title = "", body = ""]) => ({
      title,
      block: /^```sh\n(.*?)^```$/ms.exec(body)?.[1] ?? "",
      prints: /^```text\n(.*?)^```$/ms.exec(body)?.[1] ?? "",
    }));
  }

  const betweenSteps = "=== next step ===";

  /** Returns a pattern for output on the page, in which an ellipsis stands for anything on its line. */
  const asPrinted = (prints: string): RegExp =>
    new RegExp(
      `^${prints
        .split("…")
        .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
        .join(".+")}$`,
    );

  test("prints at each step the output that the page shows", async () => {
    const steps = await readSteps();
    expect(steps.map(({ title }) => Number.parseInt(title, 10))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    for (const { title, block } of steps) expect(block, title).not.toBe("");

    const printed = await runBlocks(
      service,
      steps.map(({ block }) => `${block}\necho '${betweenSteps}'`),
      { directory: await directoryFor("drill") },
    );

    const outputs = printed.split(`${betweenSteps}\n`);
    for (const [index, { title, prints }] of steps.entries()) expect(outputs[index], title).toMatch(asPrinted(prints));
  });
});

test("README: the commands lead from nothing to a certificate that opens, has a valid chain, and is then revoked", async () => {
  const blocks = await shellBlocks("README.md", "From nothing to a certificate");
  expect(blocks.length).toBeGreaterThan(3);

  const printed = await runBlocks(service, blocks, { directory: await directoryFor("readme") });

  expect(printed).toContain("laptop.pem: OK");
  expect(printed).toContain('{"result":"ok","code":200,"data":true}');
});

test("the quickstart ends with a profile that opens, and is then revoked", async () => {
  const names = ["user", "client_id", "client_secret", "token"];
  const leave = `printf '%s\\n' ${names.map((name) => `"$${name}"`).join(" ")} > left.txt`;
  const printed = await runBlocks(service, [...(await blocksOf("quickstart")), leave], { directory });
  const values = (await readFile(join(directory, "left.txt"), "utf8")).split("\n");
  left = Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));

  expect(printed).toContain("-----BEGIN CERTIFICATE-----");
  expect(printed).toContain('{"result":"ok","code":200,"data":true}');
});

test("sign-in: a person in a browser gets a code, tokens and a profile, and ends the session", async () => {
  const printed = await run("sign-in", {
    async reply(soFar) {
      const address = /^Open (\S+)\n[^]*Which code/m.exec(soFar)?.[1];
      if (address === undefined) return undefined;
      // The operator makes the sign-in link; the guide does not mention it.
      const command = asHere(service, "npm run --silent operator -- user sign-in-link --username quinn --json");
      const { url } = JSON.parse(await runBlocks(service, [command], { directory })) as { url: string };
      const local = (link: string): string => link.replace(/^http:\/\/[^/]+/, service.url);
      const browser = createBrowserSession(() => [service.url]);
      await browser.submit(await browser.get(local(url)), {}, { follow: false });
      const consent = await browser.get(local(address));
      const { code } = answerOf(await browser.submit(consent, { decision: "allow" }));
      return code ?? "";
    },
  });

  expect(Object.keys(await json("tokens.json")).sort()).toEqual(
    ["access_token", "code", "id_token", "refresh_token", "token_type"].sort(),
  );
  expect((await json("phone.json")).data.name).toBe("phone");
  expect(Object.keys(await json("refreshed.json"))).toHaveLength(3);
  expect(printed).toContain("303 http://localhost:8080/");
});

test("guests: the commands make an account, its token and a profile, and end all three", async () => {
  const printed = await run("guests");
  expect((await json("guest.json")).data.accountId).toBe((await json("account.json")).data.id);
  expect(printed.match(/"data":true/g)).toHaveLength(2);
});

test("awaiting: a creation is accepted immediately, awaited, and repeated without a second certificate", async () => {
  const printed = await run("awaiting");
  expect(printed).toMatch(/^location: \S*\/api\/issuances\/[0-9a-f-]{36}/im);
  expect(printed).toMatch(/^issued: \d+$/m);
});

test("bulk: a job is checked, started, awaited and watched, its results contain a certificate, and its people are offboarded", async () => {
  const printed = await run("bulk");
  expect(printed).toContain("ready: 2 to change, 0 already so, 1 with problems");
  expect(printed).toMatch(/^nobody,,many,,,,3,failed,invalid_row,maxProfiles: must be/m);
  expect(printed).toContain("completed_with_errors: 1 changed, 1 failed, 1 skipped");
  expect(printed).toMatch(/^id: \d+\ndata: \{.*"state":"completed_with_errors"/m);
  expect(printed).toMatch(/^issuer=/m);
  expect(printed).toContain("completed: 1");
});

test("directory: a person comes and leaves by SCIM, sent from a script", async () => {
  const printed = await run("directory");
  expect(await json("ida.json")).toMatchObject({ externalId: "ida@demo.example", active: true });
  expect(printed).toContain("ida@demo.example is gone");
});

test("lists: query and body return the same rows, and the list with two versions returns both versions", async () => {
  const printed = await run("lists");
  expect(printed).toMatch(/^\d+ of \d+, from 0$/m);
  expect(printed).toMatch(/"data":\[.*\],"limit":100,"offset":0,"total":\d+\}/);
});

test("errors: an invalid request gets the documented error, and problem details on request", async () => {
  const printed = await run("errors");
  expect(printed).toContain("400 invalid_request: format,deviceType");
  expect(printed).toMatch(/^content-type: application\/problem\+json/im);
});

test("formats: the commands get device files, a matching key pair, and a certificate for a key that never leaves the requester", async () => {
  const printed = await run("formats");
  expect(printed).toContain("TLS Web Client Authentication");
  expect(printed).toContain("Key is valid");
  expect((await json("own.json")).data).not.toHaveProperty("privateKey");
  expect(printed).toContain("<key>SSID_STR</key>\n<string>eduroam</string>\n");
  expect(printed).toContain("<OuterIdentity>@demo.example</OuterIdentity>");
  expect(printed).toContain("<SSID>eduroam</SSID>");
  expect(printed).toContain("profile.crt: OK");
});

test("command line: the commands sign in, make and revoke a profile, and onboard and offboard people", async () => {
  const printed = await run("command-line");
  expect(printed).toMatch(/^token\tok\t/m);
  expect(printed).toMatch(/\tonboarding\tcompleted\t2\t2\t/);
  expect(printed).toMatch(/\toffboarding\tcompleted_with_errors\t2\t1\t/);
  expect((await readFile(join(directory, "tablet.p12")))[0]).toBe(0x30);
  expect(await readFile(join(directory, "results.csv"), "utf8")).toMatch(/grace@demo\.example[^]*changed/);
});

test("the first device: the commands run, and FreeRADIUS's commands are those of FreeRADIUS's own page", async () => {
  const blocks = await blocksOf("first-device");
  const [install = ""] = blocks.filter((block) => block.includes("/etc/freeradius/"));
  expect(await shellBlocks("docs/radius/README.md", "On the RADIUS server")).toContain(install);
  const printed = await runBlocks(
    service,
    [
      ...blocks.filter((block) => block !== install),
      "ls radius radius/strict",
      "openssl x509 -in issuers.pem -noout -subject",
    ],
    { directory: await directoryFor("first-device") },
  );
  expect(printed).toMatch(/\/sign-in\/\S/);
  expect(printed).toContain("radius:\ncommon\nstrict\nvlans\n\nradius/strict:\nmods-available\n");
  expect(printed).toMatch(/^subject=/m);
});

test("the compiled service contains the guides and the files they load", async () => {
  for (const { slug } of guides) expect((await fetch(`${service.url}/docs/${slug}`)).status, slug).toBe(200);
  for (const path of ["/docs/reference", "/docs/assets/swagger-ui-bundle.js", "/docs/radius/resilient.tar.gz"])
    expect((await fetch(`${service.url}${path}`)).status, path).toBe(200);
  // The page names the issuing CA of the only realm, for which the file has a placeholder.
  expect(await (await fetch(`${service.url}/docs/radius`)).text()).toMatch(/\/crl\/\d+\.crl/);
});

test("every guide with shell blocks has a test", async () => {
  const tested = [
    ...["quickstart", "sign-in", "guests", "awaiting", "bulk", "directory", "lists", "errors", "formats"],
    "command-line",
  ];
  for (const { slug, file } of guides.filter((guide) => guide.file.startsWith("docs/guides/"))) {
    const blocks = await shellBlocks(file);
    expect(blocks.length > 0, file).toBe([...tested, "first-device"].includes(slug));
  }
});
