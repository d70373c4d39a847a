import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { shellBlocks } from "../support/run/shell-blocks.ts";

const [old, next] = ["realmpass-0.2.0-linux-x64", "realmpass-0.2.1-linux-x64"];

/** Joins blocks as separate pastes into a shell, which continues after a failed block. */
const pasted = (blocks: readonly string[]): string => blocks.map((block) => `${block}\n:`).join("\n");

describe("docs/upgrade.md, with the files of two releases in one directory,", () => {
  const base = mkdtempSync(join(tmpdir(), "realmpass-upgrade-page-"));
  afterAll(() => {
    rmSync(base, { recursive: true, force: true });
  });
  let machine: string;
  const at = (...names: string[]): string => join(machine, ...names);

  /** Makes the file of a release, and the file's checksum. The release's tree contains the release's name. */
  function givenRelease(name: string): void {
    mkdirSync(at("tree", name, "deploy/systemd"), { recursive: true });
    writeFileSync(at("tree", name, "deploy/systemd/realmpass.target"), name);
    execFileSync("tar", [
      "--create",
      "--gzip",
      "--file",
      at("here", `${name}.tar.gz`),
      "--directory",
      at("tree"),
      name,
    ]);
    const sum = createHash("sha256")
      .update(readFileSync(at("here", `${name}.tar.gz`)))
      .digest("hex");
    writeFileSync(at("here", `${name}.tar.gz.sha256`), `${sum}  ${name}.tar.gz\n`);
  }

  beforeEach(() => {
    machine = mkdtempSync(join(base, "machine-"));
    for (const name of ["here", "bin", "opt", "units"]) mkdirSync(at(name));
    for (const name of [old, next]) givenRelease(name);
    mkdirSync(at("opt", old));
    symlinkSync(old, at("opt/current"));
    // Records the release from which each unit is started.
    const notes = `#!/bin/sh\necho "$* of $(readlink ${at("opt/current")})" >>${at("log")}\n`;
    writeFileSync(at("log"), "");
    for (const name of ["systemctl", "realmpass-operator"]) writeFileSync(at("bin", name), notes);
    writeFileSync(at("bin/curl"), "#!/bin/sh\n");
    for (const name of ["systemctl", "realmpass-operator", "curl"]) chmodSync(at("bin", name), 0o755);
  });

  /**
   * Skips the page's first step, with which every upgrade begins, and follows the rest; returns the commands that ran.
   */
  async function follow(release: string | undefined): Promise<string[]> {
    const [, ...blocks] = await shellBlocks("docs/upgrade.md");
    const here = pasted(blocks).replaceAll("/opt/realmpass", at("opt")).replaceAll("/etc/systemd/system", at("units"));
    const named = release === undefined ? "" : `release=${release}\n`;
    spawnSync("bash", ["-c", named + here], {
      cwd: at("here"),
      env: { PATH: `${at("bin")}:${process.env["PATH"] ?? ""}` },
    });
    return readFileSync(at("log"), "utf8").split("\n").filter(Boolean);
  }
  const restarts = (log: readonly string[]): string[] => log.filter((line) => line.startsWith("restart"));

  test("installs the named release, migrates with it and restarts every process from it", async () => {
    const log = await follow(next);
    expect(readlinkSync(at("opt/current"))).toBe(next);
    expect(readFileSync(at("units/realmpass.target"), "utf8")).toBe(next);
    expect(log.slice(0, 2)).toEqual([`daemon-reload of ${next}`, `start realmpass-migrate of ${next}`]);
    expect(restarts(log)).toHaveLength(6);
    expect(restarts(log).filter((line) => !line.endsWith(` of ${next}`))).toEqual([]);
  });

  test.each([
    ["is none of them", () => "realmpass-0.2.2-linux-x64"],
    ["was not named", () => undefined],
    [
      "was changed on its way",
      () => {
        writeFileSync(at("here", `${next}.tar.gz`), "something else", { flag: "a" });
        return next;
      },
    ],
    [
      "was not wholly copied",
      () => {
        rmSync(at("here", `${next}.tar.gz`));
        return next;
      },
    ],
  ])("migrates and restarts nothing if the release %s", async (_, given) => {
    const log = await follow(given());
    expect(readlinkSync(at("opt/current"))).toBe(old);
    expect(log.filter((line) => !line.startsWith("doctor"))).toEqual([]);
  });
});

/** Returns whether a block is one command, or runs its commands in turn until one fails. */
const endsAtFailure = (block: string): boolean =>
  /^\(\n {2}set -eu( -o pipefail)?\n(?:(?: {2}.*)?\n)*\)\n$/.test(block) ||
  block.replaceAll(/\\\n/g, "").trim().split("\n").length === 1;

test.each(["production", "upgrade", "backup"])(
  "in docs/%s.md every block ends at the first command that fails",
  async (name) => {
    const blocks = await shellBlocks(`docs/${name}.md`);
    expect(blocks.length).toBeGreaterThan(0);
    expect(blocks.filter((block) => !endsAtFailure(block))).toEqual([]);
    expect(endsAtFailure("cd /nowhere\nrm -r .\n")).toBe(false);
  },
);
