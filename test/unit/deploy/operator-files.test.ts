import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const shipped = resolve("deploy/bin/realmpass-operator");
const run = (...argv: string[]) => runScript(shipped, argv);

/**
 * Runs a script as root would. Returns the arguments of systemd-run, and the directories in which the script and the
 * command ran.
 */
function runScript(script: string, argv: readonly string[]) {
  const directory = mkdtempSync(join(tmpdir(), "realmpass-operator-"));
  onTestFinished(() => {
    rmSync(directory, { recursive: true });
  });
  writeFileSync(join(directory, "id"), "#!/bin/sh\necho 0\n", { mode: 0o755 });
  writeFileSync(join(directory, "systemd-run"), `#!/bin/sh\nprintf '%s\\0' "$@"\n`, { mode: 0o755 });
  for (const name of ["head.json", "root.pem", "with space.json"]) writeFileSync(join(directory, name), name);
  const out = execFileSync("sh", [script, ...argv], {
    cwd: directory,
    encoding: "utf8",
    env: { PATH: `${directory}:${process.env["PATH"] ?? ""}` },
  });
  const all = out.split("\0").slice(0, -1);
  const prefix = "--property=LoadCredential=file-";
  return {
    properties: all.filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length)),
    command: all.slice(all.indexOf("dist/operator/main.js") + 1),
    directory,
    tree: all.find((each) => each.startsWith(inTree))?.slice(inTree.length),
  };
}
const inTree = "--property=WorkingDirectory=";

const copy = (number: number): string =>
  expect.stringMatching(new RegExp(`^/run/credentials/realmpass-operator-\\d+\\.service/file-${number}$`)) as string;

test("files that belong to root reach the operator as credentials", () => {
  const { properties, command, directory } = run("audit", "verify", "--head", "head.json", "--public-key", "root.pem");
  expect(properties).toEqual([`1:${directory}/head.json`, `2:${directory}/root.pem`]);
  expect(command).toEqual(["audit", "verify", "--head", copy(1), "--public-key", copy(2)]);
});

test.each([
  ["without a file", ["user", "create", "--username", "head.json", "--display-name", "A B", "--x", ""]],
  ["with a file that is not there", ["audit", "verify", "--head", "missing.json"]],
  ["with a name that systemd would split", ["audit", "verify", "--head", "with space.json"]],
  ["that replaces its file", ["issuer", "root-rewrap", "--root-key", "root.pem"]],
])("a command %s gets its arguments unchanged", (_, argv) => {
  const { properties, command } = run(...argv);
  expect([properties, command]).toEqual([[], argv]);
});

test("a command runs in the release of its script: the current release through its link, any other release by its path", () => {
  const base = mkdtempSync(join(tmpdir(), "realmpass-releases-"));
  onTestFinished(() => {
    rmSync(base, { recursive: true });
  });
  for (const release of ["old", "new"]) {
    mkdirSync(join(base, release, "bin"), { recursive: true });
    copyFileSync(shipped, join(base, release, "bin/realmpass-operator"));
  }
  symlinkSync("old", join(base, "current"));
  symlinkSync(join(base, "current/bin/realmpass-operator"), join(base, "realmpass-operator"));
  expect(runScript(join(base, "realmpass-operator"), ["doctor"])).toMatchObject({ tree: join(base, "old") });
  expect(runScript(join(base, "new/bin/realmpass-operator"), ["doctor"])).toMatchObject({ tree: join(base, "new") });
});
