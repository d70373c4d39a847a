import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithTool, requireTool } from "../../support/run/tools.ts";

const radius = fileURLToPath(new URL("../../../docs/radius/", import.meta.url));

/**
 * docs/radius/{resilient,hostapd,disconnect,vlans}/systemd: the units that fetch CRLs and VLANs, and the unit that
 * disconnects devices.
 */
describeWithTool("systemd-analyze", "the systemd units", () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "realmpass-systemd-"));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  /** Returns systemd's report about a folder's units, with the path of the script in this tree. */
  async function verify(folder: string, change: (unit: string) => string = (unit) => unit): Promise<string> {
    const copies = join(directory, folder);
    await mkdir(copies, { recursive: true });
    const units = await readdir(join(radius, folder, "systemd"));
    for (const unit of units) {
      const text = await readFile(join(radius, folder, "systemd", unit), "utf8");
      await writeFile(join(copies, unit), change(text.replace("/usr/local/sbin/", join(radius, folder, "/"))));
    }
    const files = units.map((unit) => join(copies, unit));
    const { stderr, status } = spawnSync(requireTool("systemd-analyze"), ["verify", "--man=no", ...files], {
      encoding: "utf8",
    });
    expect(status).not.toBeNull();
    // Drops messages about other units of this machine, which are not under test.
    return stderr
      .split("\n")
      .filter((line) => line.includes("realmpass-"))
      .join("\n");
  }

  test.each([
    ["resilient", "-crl /etc"],
    ["hostapd", "-crl /etc"],
    ["disconnect", "realmpass-disconnect ${URL}"],
    ["vlans", "fetch-vlans ${URL}"],
  ])("of docs/radius/%s are valid, and start an existing script", async (folder, start) => {
    expect(await verify(folder)).toBe("");
    expect(await verify(folder, (unit) => unit.replace("ProtectHome=yes", "ProtectHome=perhaps"))).not.toBe("");
    expect(await verify(folder, (unit) => unit.replace(start, `x${start}`))).not.toBe("");
  });
});
