import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { expectFaultless, useBrowser } from "../support/browser/browser.ts";
import { countedHands, type Hands } from "../support/browser/counted-hands.ts";
import { downloadBy } from "../support/browser/console-views.ts";
import { debianConfiguration, describeWithRadius, edit, freeUdpPorts, run } from "../support/counterparts/radius.ts";
import { atEndOfFile } from "../support/run/at-end.ts";
import { eventually } from "../support/run/eventually.ts";
import { shellBlocks } from "../support/run/shell-blocks.ts";
import { ended, scratchDirectory } from "../support/run/services.ts";
import { requireTool } from "../support/run/tools.ts";
import { startWhole } from "../support/service/whole-service.ts";

/** Includes the time until a responder has recorded the asking server and the page has polled the record. */
const walkMs = 300_000;
vi.setConfig({ testTimeout: walkMs });
const seen = { withinMs: 90_000, everyMs: 500 };

/**
 * The maximum number of presses in the browser, from the link in the terminal to the device's file, including one
 * mistake.
 */
const stepsMax = 15;

const password = "a newcomer's long password";

/**
 * Follows a newcomer from an empty directory to a device on the network, in the browser except for three commands. The
 * service, the browser, FreeRADIUS and the device are real.
 */
describeWithRadius("a newcomer", () => {
  const browser = useBrowser();

  test("gets from an empty directory to an admitted device with two commands on this machine and one on the RADIUS server", async () => {
    const here = await commandsOfReadme();
    expect(here).toEqual(["npm ci", "npm start"]);
    const service = await startWhole({
      data: await scratchDirectory("realmpass-newcomer-"),
      args: ["dist/start.js", "--domain", "wifi.campus.de"],
    });
    atEndOfFile(() => service.stop());
    await service.ready();
    expect(service.output()).toContain('realm "wifi" with the domain wifi.campus.de');
    const base = service.url.replace("127.0.0.1", "localhost");

    const watched = await browser.open({ theme: "light", width: 1440, language: "en" });
    const { page } = watched;
    await page.goto(/http:\/\/\S+\/sign-in\/\S+/.exec(service.output())?.[0] ?? "");
    const hands = await countedHands(watched, "finger");
    await hands.press(page.locator("form button"));
    await hands.type(page.locator("[name=password]"), password);
    await hands.type(page.locator("[name=repeated]"), password);
    await hands.press(page.locator("form button"));

    const step = (title: string) => page.locator("main section > ol > li").filter({ hasText: title });
    expect(await step("A domain of your own").innerText()).toContain("Done");
    await hands.press(step("Name of the Wi-Fi").getByRole("button", { name: "eduroam is right" }));
    await step("Name of the Wi-Fi").getByText("Done").waitFor();
    await expectFaultless(watched);

    await hands.press(
      step("Certificate of the RADIUS server").getByRole("link", { name: "FreeRADIUS in one download" }),
    );
    await page.getByLabel("Addresses of the access points").fill("not an address");
    await page.getByRole("button", { name: "Make and download" }).click();
    await page.locator("[role=alert]").first().waitFor();
    await page.getByLabel("Addresses of the access points").fill("");
    await hands.type(page.getByLabel("Addresses of the access points"), "192.0.2.0/24");
    await expectFaultless(watched);
    const { bytes, name } = await downloadBy(page, page.getByRole("button", { name: "Make and download" }));
    const command = await page.getByLabel("Install it", { exact: true }).locator("code").innerText();
    await page.getByText("Waiting for the RADIUS server to ask").waitFor();
    await expectFaultless(watched);
    // The newcomer copies one secret from this page; the page's only other code is the one command to type.
    const secret = /^[0-9a-f]{32}$/;
    const copied = await page.locator("main code").allInnerTexts();
    expect(copied.filter((text) => secret.test(text))).toHaveLength(1);
    expect(copied.filter((text) => !secret.test(text)).flatMap((text) => text.split("\n"))).toEqual([command]);
    expect(commandsOfPackage(bytes)).toHaveLength(1);

    const radius = await install(name, bytes, command);
    await page.getByText("The RADIUS server reaches this service and has asked").waitFor({ timeout: seen.withinMs });
    expect(await page.locator("main li").innerText()).toMatch(/127\.0\.0\.1|::1/);
    await expectFaultless(watched);

    const device = await addDevice(hands, base);
    const chain = await (await fetch(`${base}/ca/${await issuerOf(radius.directory)}.pem`)).text();
    const tried = await tryDevice(radius, { device, chain });
    expect(tried.output, radius.output()).toContain("SUCCESS");
    const steps = await hands.actions();
    expect(steps).toBeGreaterThan(0);
    expect(steps).toBeLessThanOrEqual(stepsMax);
    await page.goto(`${base}/console`);
    await eventually(async () => {
      expect(await step("Your own device").innerText()).toContain("Done");
    }, seen);
    expect(await step("The RADIUS server asks").innerText()).toContain("Done");
    expect(watched.complaints).toEqual([]);
    await watched.context.close();

    const later = await browser.open({ theme: "light", width: 390, language: "en" });
    await later.page.goto(`${base}/login?continue=%2Fconsole`);
    await later.page.fill("[name=username]", "admin");
    await later.page.fill("[name=password]", password);
    await later.page.click("form button");
    await later.page.waitForURL(/\/console/);
    await later.context.close();
  });

  /** Returns the commands that start the service, from the README's first block without its line for the tests. */
  async function commandsOfReadme(): Promise<string[]> {
    const [block = ""] = await shellBlocks("README.md");
    const lines = block.trim().split("\n");
    const forTests = "npm ci && npm test";
    expect(lines).toContain(forTests);
    return lines.filter((line) => line !== forTests).flatMap((line) => line.split(" && "));
  }

  /** Returns the indented lines of the package's README. */
  function commandsOfPackage(archive: Buffer): string[] {
    const read = spawnSync("tar", ["-xOf", "-", "realmpass-radius/README"], { input: archive, encoding: "utf8" });
    expect(read.stdout, read.stderr).toContain("one command");
    return read.stdout.split("\n").filter((line) => /^\s+\S/.test(line));
  }

  /** Adds a device in self-service; returns the device's file. */
  async function addDevice(hands: Hands, base: string): Promise<Buffer> {
    const { page } = hands;
    await page.goto(`${base}/me`);
    await hands.press(page.getByRole("link", { name: "Add a device" }).first());
    await hands.tick(page.locator("[name=device_type][value=Linux]"));
    await hands.press(page.locator("details.more summary"));
    await hands.tick(page.locator("[name=format][value=pem]"));
    await hands.press(page.getByRole("button", { name: "On this device" }));
    const link = page.locator("button.large, a.button.large").first();
    return (await downloadBy(page, link)).bytes;
  }

  interface Installed {
    directory: string;
    configuration: string;
    port: number;
    output: () => string;
  }

  /**
   * Runs the command with DESTDIR set to a directory with Debian's configuration, and starts FreeRADIUS with this
   * configuration.
   */
  async function install(name: string, archive: Buffer, command: string): Promise<Installed> {
    const directory = await mkdtemp(join(tmpdir(), "realmpass-newcomer-radius-"));
    const configuration = join(directory, debianConfiguration);
    await mkdir(join(directory, "etc/freeradius"), { recursive: true });
    await cp(debianConfiguration, configuration, { recursive: true, verbatimSymlinks: true });
    await writeFile(join(directory, name), archive);
    const installed = spawnSync("sh", ["-e", "-c", command], {
      cwd: directory,
      env: { ...process.env, DESTDIR: directory },
      encoding: "utf8",
    });
    expect(installed, installed.stderr).toMatchObject({ status: 0 });

    const [port, accountingPort] = await freeUdpPorts();
    for (const made of ["log", "run", "crl"]) await mkdir(join(directory, made));
    await edit(join(configuration, "sites-available/realmpass"), [
      ["port = 1812", `port = ${port}`],
      ["port = 1813", `port = ${accountingPort}`],
    ]);
    await edit(join(configuration, "mods-available/realmpass_eap"), [
      ["ca_path = /var/lib/realmpass-crl", `ca_path = ${directory}/crl`],
    ]);
    await edit(join(configuration, "radiusd.conf"), [
      [/^raddbdir = .*$/m, `raddbdir = ${configuration}`],
      [/^logdir = .*$/m, `logdir = ${directory}/log`],
      [/^run_dir = .*$/m, `run_dir = ${directory}/run`],
      [/^\s*user = freerad$/m, ""],
      [/^\s*group = freerad$/m, ""],
    ]);
    // Fetches CRLs, as the unit does every minute.
    const urls = /CRL_URLS="(.*)"/.exec(await readFile(join(directory, "etc/default/realmpass-crl"), "utf8"))?.[1];
    const script = join(directory, "usr/local/sbin/fetch-crl");
    const issuers = join(configuration, "certs/realmpass/issuers.pem");
    expect(await run(script, [issuers, join(directory, "crl"), ...(urls ?? "").split(" ")])).toMatchObject({ code: 0 });
    const checked = spawnSync(requireTool("freeradius"), ["-CX", "-d", configuration], { encoding: "utf8" });
    expect(checked.stdout).toContain("Configuration appears to be OK");

    let output = "";
    const child: ChildProcess = spawn(requireTool("freeradius"), ["-f", "-l", "stdout", "-xx", "-d", configuration]);
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    atEndOfFile(async () => {
      await ended(child);
      await rm(directory, { recursive: true, force: true });
    });
    await eventually(() => {
      expect(output).toContain("Ready to process requests");
    });
    return { directory, configuration, port, output: () => output };
  }

  const issuerOf = async (directory: string): Promise<string> =>
    /crl\/(\d+)\.crl/.exec(await readFile(join(directory, "etc/default/realmpass-crl"), "utf8"))?.[1] ?? "";

  /** Runs eapol_test as the guide describes it, with the test secret of the installed clients. */
  async function tryDevice(
    { directory, configuration, port }: Installed,
    { device, chain }: { device: Buffer; chain: string },
  ): Promise<{ output: string }> {
    const clients = await readFile(join(configuration, "clients.conf"), "utf8");
    const secret = /client localhost \{[^}]*secret = "([0-9a-f]{32})"/.exec(clients)?.[1] ?? "";
    const ofAccessPoints = /client access-points-1 \{[^}]*secret = "([0-9a-f]{32})"/.exec(clients)?.[1];
    expect(ofAccessPoints).toBeDefined();
    expect(secret).not.toBe(ofAccessPoints);
    await writeFile(join(directory, "laptop.pem"), device);
    await writeFile(join(directory, "ca.pem"), chain);
    const guide = await readFile("docs/guides/first-device.md", "utf8");
    const network = (/^```ini\n(network=.*?)^```$/ms.exec(guide)?.[1] ?? "")
      .replaceAll("demo.example", "wifi.campus.de")
      .replace('"ca.pem"', `"${directory}/ca.pem"`)
      .replaceAll('"laptop.pem"', `"${directory}/laptop.pem"`);
    await writeFile(join(directory, "laptop.conf"), network);
    const args = ["-c", join(directory, "laptop.conf"), "-a", "127.0.0.1", "-p", String(port), "-s", secret];
    return run(requireTool("eapol_test"), [...args, "-t", "15"]);
  }
});
