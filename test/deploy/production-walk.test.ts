import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { asRun, barePlace, named, packRelease, runOnMachine } from "../support/deploy/page.ts";
import { atEndOfFile } from "../support/run/at-end.ts";
import { shellBlocks } from "../support/run/shell-blocks.ts";
import { describeWithTool } from "../support/run/tools.ts";

/** Debian's packages, as they start without systemd. */
const startPackages = `
pg_ctlcluster "$version" main start
runuser -u redis -- redis-server /etc/redis/redis.conf --daemonize yes >/dev/null
nginx
`;

/** When a step fails, what the processes said last. */
const whatWasSaid = "trap 'status=$?; [ $status = 0 ] || tail -n 8 /run/units/*.log | cut -c 1-300; exit $status' EXIT";

/** Nothing of the database is left. */
const newCluster = `
version=$(ls /usr/lib/postgresql | sort -n | tail -1)
pg_dropcluster --stop "$version" main
pg_createcluster "$version" main --port 5432 >/dev/null
pg_ctlcluster "$version" main start
`;

/** The commands of docs/production.md and docs/backup.md, as they stand there, on a machine of their own with Debian's packages. */
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
        ["set -eu -o pipefail", whatWasSaid, barePlace, startPackages, named(release), ...steps].join("\n"),
      );
      const units = resolve("test/support/deploy/units.mjs");
      printed = await runOnMachine("machine.sh", [join(directory, "machine"), script, process.execPath, units]);
      const said = (word: string) =>
        JSON.parse(new RegExp(`^${word} (.*)$`, "m").exec(printed)?.[1] ?? "{}") as Record<string, unknown>;
      found = said("FOUND");
      drill = said("DRILL");
    });

    test("a profile is issued and good by OCSP over plain http; revoked, it is refused at once and on the list", () => {
      expect(found).toMatchObject({ before: "good", after: "revoked", onList: true, subjectEnds: true });
      expect(found["points"]).toEqual(
        expect.arrayContaining(["http://wifi.example.org/ocsp/1", "http://wifi.example.org/ca/1.cer"]),
      );
    });

    test("everything else on port 80 leads to https", () => {
      expect(found["elsewhere"]).toEqual([301, "https://wifi.example.org/me"]);
    });

    test("with one process of each kind stopped, everything goes on", () => {
      expect(new Set(found["withOneLess"] as unknown[])).toEqual(new Set([200, "revoked"]));
    });

    test("one api after the other is started again, and nobody who asks meanwhile hears of it from the proxy", () => {
      const answers = found["rolling"] as Record<string, number>;
      expect(answers["200"]).toBeGreaterThan(20);
      // Of a limit that is reached, and of an api that stops: repeated, such a request is answered.
      const others = Object.keys(answers).filter((status) => !["200", "202", "409", "429", "503"].includes(status));
      expect(others).toEqual([]);
    });

    test("no log has a sign-in link, a guest's, one that hands a profile over, a token or a secret", () => {
      expect(found["linkStatus"]).toBe(200);
      expect(found["links"]).toEqual([200, 200, 200]);
      expect(found["secretsInLogs"]).toEqual([]);
    });

    test("200,000 rows pass the proxy, and the api that takes them needs less than 400 MB", () => {
      expect(found["upload"]).toEqual([202, 200_000, "student-1@example.org"]);
      expect(found["apiMegabytes"]).toBeLessThan(400);
    });

    test("browsers are told to stay with https, but not in what is fetched without it", () => {
      expect(found["strictTransport"]).toEqual([true, false, false]);
    });

    test("the service is well, and the doctor finds nothing that fails", () => {
      expect(found["status"]).toBe("ok");
      const { checks } = JSON.parse(found["doctor"] as string) as { checks: { name: string; status: string }[] };
      expect(checks.filter(({ status }) => status === "fail")).toEqual([]);
    });

    test("systemd has nothing to say about the units, and finds them well confined", () => {
      expect(found["verified"]).toEqual([]);
      expect(found["exposed"]).toEqual([]);
    });

    test("the dump of the night is there, and what the audit log had until then", () => {
      expect(found["dumps"]).toEqual(["realmpass-00000000T000000Z.dump"]);
      expect(found["exports"]).toEqual(["example-000000000000-000000000000.ndjson"]);
    });

    describe("a restore of a dump before 1,000 creations and 200 revocations, and replaying them", () => {
      test("no device that was revoked or offboarded since is good, and the others are", () => {
        const [off, on] = [["revoked"], ["good"]];
        expect(drill["ocsp"]).toEqual({ good: on, revoked: off, offboarded: off, lost: off });
        expect(drill["onList"]).toEqual({ good: 0, others: 1_200 });
      });

      test("CRL numbers rise, and no number of a person is given twice", () => {
        expect([drill["crlNumberRises"], drill["numberIsNew"]]).toEqual([true, true]);
      });

      test("a certificate is revoked by its serial number, known or not", () => {
        expect(drill["bySerial"]).toEqual(["unchanged", "revoked", "revoked"]);
      });

      test("the audit log tells what was lost, and is otherwise as it was written", () => {
        // The second once the new chain reaches as far as the head.
        expect([["chain_truncated"], ["chain_rewritten"]]).toContainEqual(drill["unacknowledged"]);
        expect(drill["verified"]).toEqual({
          ok: true,
          lost: { from: expect.any(Number) as number, to: drill["head"], restore: expect.any(String) as string },
        });
      });

      test("replayed a second time, nothing changes", () => {
        expect(drill["again"]).toEqual([0, 0, 0]);
      });
    });
  },
);
