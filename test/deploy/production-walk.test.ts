import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { asRun, barePlace, named, packRelease, runOnMachine, startPackages } from "../support/deploy/page.ts";
import { atEndOfFile } from "../support/run/at-end.ts";
import { shellBlocks } from "../support/run/shell-blocks.ts";
import { describeWithTool } from "../support/run/tools.ts";

/** Shows the last lines of each process's log when a step fails. */
const journalOnFailure =
  "trap 'status=$?; [ $status = 0 ] || tail -n 8 /run/units/*.log | cut -c 1-300; exit $status' EXIT";

/** Replaces the database cluster with an empty one. */
const newCluster = `
version=$(ls /usr/lib/postgresql | sort -n | tail -1)
pg_dropcluster --stop "$version" main
pg_createcluster "$version" main --port 5432 >/dev/null
pg_ctlcluster "$version" main start
`;

/**
 * Runs the commands of docs/production.md and docs/backup.md, as printed, on a separate machine with Debian's packages.
 */
describeWithTool(
  [
    "root",
    "unshare",
    "pg_createcluster",
    "redis-server",
    "nginx",
    "openssl",
    "setpriv",
    "systemd-analyze",
    "ip",
    "pkill",
  ],
  "docs/production.md and docs/backup.md",
  () => {
    let directory: string;
    let printed: string;
    let found: Record<string, unknown>;
    let drill: Record<string, unknown>;

    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), "realmpass-machine-"));
      chmodSync(directory, 0o755);
      atEndOfFile(() => {
        rmSync(directory, { recursive: true, force: true });
      });
      const release = join(directory, "release");
      packRelease(release);

      const blocks = await shellBlocks("docs/production.md");
      expect(blocks.length).toBeGreaterThan(8);
      const node = (name: string): string => `"${process.execPath}" "${resolve(`test/support/deploy/${name}`)}"`;
      const script = join(directory, "script.sh");
      const restore = await shellBlocks("docs/backup.md");
      const steps = [
        ...blocks.map(asRun),
        node("after-the-page.mjs"),
        `${node("drill.mjs")} before`,
        ...restore.slice(0, 1),
        newCluster,
        ...blocks.filter((block) => block.includes("createdb")),
        ...restore.slice(1),
        `${node("drill.mjs")} after`,
      ];
      writeFileSync(
        script,
        ["set -eu -o pipefail", journalOnFailure, barePlace, startPackages, named(release), ...steps].join("\n"),
      );
      const units = resolve("test/support/deploy/units.mjs");
      printed = await runOnMachine("machine.sh", [join(directory, "machine"), script, process.execPath, units]);
      const said = (word: string) =>
        JSON.parse(new RegExp(`^${word} (.*)$`, "m").exec(printed)?.[1] ?? "{}") as Record<string, unknown>;
      found = said("FOUND");
      drill = said("DRILL");
    });

    test("OCSP over plain http returns good for a new profile, and revoked immediately after its revocation; the CRL lists it", () => {
      expect(found).toMatchObject({ before: "good", after: "revoked", onList: true, subjectEnds: true });
      expect(found["points"]).toEqual(
        expect.arrayContaining(["http://wifi.example.org/ocsp/1", "http://wifi.example.org/ca/1.cer"]),
      );
    });

    test("the proxy redirects every other request on port 80 to https", () => {
      expect(found["elsewhere"]).toEqual([301, "https://wifi.example.org/me"]);
    });

    test("the service keeps working while one process of each kind is stopped", () => {
      expect(new Set(found["withOneLess"] as unknown[])).toEqual(new Set([200, "revoked"]));
    });

    test("no request at the proxy fails while one api restarts after the other", () => {
      const answers = found["rolling"] as Record<string, number>;
      expect(answers["200"]).toBeGreaterThan(20);
      // The other statuses mean a reached limit or a stopping api: a retry succeeds.
      const others = Object.keys(answers).filter((status) => !["200", "202", "409", "429", "503"].includes(status));
      expect(others).toEqual([]);
    });

    test("no log contains a sign-in link, a guest link, a hand-over link, a token or a secret", () => {
      expect(found["linkStatus"]).toBe(200);
      expect(found["links"]).toEqual([200, 200, 200]);
      expect(found["secretsInLogs"]).toEqual([]);
    });

    test("the proxy accepts an upload of 200,000 rows, and each api uses less than 400 MB of memory", () => {
      expect(found["upload"]).toEqual([202, 200_000, "student-1@example.org"]);
      expect(found["apiMegabytes"]).toBeLessThan(400);
    });

    test("the proxy makes browsers keep using https, except for files that clients fetch over http", () => {
      expect(found["strictTransport"]).toEqual([true, false, false]);
    });

    test("the service's status is ok, and the doctor reports no failure", () => {
      expect(found["status"]).toBe("ok");
      const { checks } = JSON.parse(found["doctor"] as string) as { checks: { name: string; status: string }[] };
      expect(checks.filter(({ status }) => status === "fail")).toEqual([]);
    });

    test("systemd reports no fault in the units, and rates their confinement as good", () => {
      expect(found["verified"]).toEqual([]);
      expect(found["exposed"]).toEqual([]);
    });

    test("the nightly backup writes a dump and the audit log", () => {
      expect(found["dumps"]).toEqual(["realmpass-00000000T000000Z.dump"]);
      expect(found["exports"]).toEqual(["example-000000000000-000000000000.ndjson"]);
    });

    describe("the replay after a restore that lost 1,000 creations and 200 revocations", () => {
      test("refuses every device that was created, revoked or offboarded after the backup, and admits other devices", () => {
        const [off, on] = [["revoked"], ["good"]];
        expect(drill["ocsp"]).toEqual({ good: on, revoked: off, offboarded: off, lost: off });
        expect(drill["onList"]).toEqual({ good: 0, others: 1_200 });
      });

      test("raises CRL numbers, and issues each serial number only once", () => {
        expect([drill["crlNumberRises"], drill["numberIsNew"]]).toEqual([true, true]);
      });

      test("revokes a certificate by its serial number, even if the number is unknown", () => {
        expect(drill["bySerial"]).toEqual(["unchanged", "revoked", "revoked"]);
      });

      test("records the loss in the audit log, and keeps the other entries unchanged", () => {
        // `chain_rewritten` if the new chain is already as long as the recorded head.
        expect([["chain_truncated"], ["chain_rewritten"]]).toContainEqual(drill["unacknowledged"]);
        expect(drill["verified"]).toEqual({
          ok: true,
          lost: { from: expect.any(Number) as number, to: drill["head"], restore: expect.any(String) as string },
        });
      });

      test("changes nothing when it runs again", () => {
        expect(drill["again"]).toEqual([0, 0, 0]);
      });
    });
  },
);
