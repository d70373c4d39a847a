import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { radiusClients } from "../../domain/radius-clients.ts";
import { asRun, barePlace, named, packRelease, runOnMachine } from "../support/deploy/page.ts";
import { atEndOfFile } from "../support/run/at-end.ts";
import { promptBlocks, shellBlocks } from "../support/run/shell-blocks.ts";
import { describeWithTool } from "../support/run/tools.ts";

/** Starts Debian's packages with their own units. */
const startPackages = `
systemctl daemon-reload
systemctl start "postgresql@$version-main" redis-server nginx
`;

/** Shows the last lines of the units' logs when a step fails. */
const journalOnFailure = "trap 'status=$?; [ $status = 0 ] || journalctl --lines 60 | cut -c 1-300; exit $status' EXIT";

interface Run {
  status: number;
  result: string;
}
type Examined = Run & Record<"fails" | "disk" | "queue" | "warns", string[]>;
type Found = Record<"enabled" | "stopped" | "started" | "dumps" | "exports", string[]> &
  Record<"backup" | "export", Run> & {
    copies: Record<"without" | "failing" | "seeing" | "writing" | "good", Run & { copied: boolean }>;
  } & Record<"well" | "without" | "mended" | "full", Examined> & {
    ofRoot: [number, string];
    named: boolean;
    remedied: [number, ...boolean[]];
    inPostgres: {
      refused: string[];
      /** The state of Redis' unit. */
      redis: string;
      /** The fingerprint of the profile's certificate. */
      issued: string;
      doctor: Examined;
    };
  } & Record<"loggedWhileWell" | "errors" | "heard", string[]> &
  Record<"withoutProgram" | "withProgram", string>;

type Radius = Record<"freeradius" | "timer" | "timers", string[]> & Record<"before" | "revoked" | "away", boolean[]>;

const good = { status: 0, result: "success" };
const failed = { status: 1, result: "exit-code" };

/** The units of deploy/systemd, installed as docs/production.md describes, under a running systemd. */
describeWithTool(
  [
    "root",
    "booted machine",
    "pg_createcluster",
    "redis-server",
    "nginx",
    "openssl",
    "curl",
    "ip",
    "dbus-daemon",
    "systemd-run",
    "freeradius",
    "eapol_test",
  ],
  "the units of deploy/systemd under a booted systemd",
  () => {
    let found: Found;
    let radius: Record<"strict" | "resilient", Radius>;

    beforeAll(async () => {
      const directory = mkdtempSync(join(tmpdir(), "realmpass-booted-"));
      atEndOfFile(() => {
        rmSync(directory, { recursive: true, force: true });
      });
      packRelease(join(directory, "release"));
      cpSync("test/support/deploy", join(directory, "scripts"), { recursive: true });
      const script = join(directory, "script.sh");
      const blocks = await shellBlocks("docs/production.md");
      const clients = { networks: ["192.0.2.0/24"], secret: "forAccessPoints", testSecret: "forThisMachine" };
      writeFileSync(join(directory, "clients.conf"), radiusClients(clients));
      const [withoutRedis = ""] = await promptBlocks("docs/production.md", "5. Redis");
      writeFileSync(join(directory, "without-redis.sh"), withoutRedis);
      const programs = ["radius-package.mjs", "booted.mjs"].map((name) => `/usr/bin/node /mnt/scripts/${name}`);
      const steps = [...blocks.map(asRun), ...programs];
      writeFileSync(
        script,
        ["set -eu -o pipefail", journalOnFailure, barePlace, startPackages, named("/mnt/release"), ...steps].join("\n"),
      );
      const printed = await runOnMachine("booted-machine.sh", [directory, script, resolve(process.execPath)]);
      found = JSON.parse(/^FOUND (.*)$/m.exec(printed)?.[1] ?? "{}") as Found;
      radius = JSON.parse(/^RADIUS (.*)$/m.exec(printed)?.[1] ?? "{}") as typeof radius;
    });

    test("the strict download for FreeRADIUS installs with one command, and admits good devices only while OCSP answers", () => {
      const running = ["enabled", "active"];
      expect(radius.strict).toMatchObject({ freeradius: running, before: [true, true], revoked: [true, false] });
      expect(radius.strict.timer[1]).toBe("inactive");
      expect(radius.strict.away).toEqual([false, false]);
    });

    test("the resilient download replaces the strict download and, while OCSP is away, decides by the CRL that its timer fetched", () => {
      const running = ["enabled", "active"];
      expect(radius.resilient).toMatchObject({ freeradius: running, before: [true, true], revoked: [true, false] });
      expect(radius.resilient).toMatchObject({ timer: running, away: [true, false] });
    });

    test("the CRL's timer stops with everything else before a restore, and starts with timers.target", () => {
      expect(radius.resilient.timers).toEqual(["inactive", "active"]);
    });

    test("every process and timer runs once enabled, and stops and starts with the target", () => {
      const all = (state: string): string[] => Array<string>(10).fill(state);
      expect([found.enabled, found.stopped, found.started]).toEqual([all("active"), all("inactive"), all("active")]);
    });

    test("the backup units write the dump and the export of the audit log", () => {
      expect([found.backup, found.export]).toEqual([good, good]);
      expect(found.dumps).toEqual(["realmpass-00000000T000000Z.dump"]);
      expect(found.exports).toEqual(["example-000000000000-000000000000.ndjson"]);
    });

    test("the operator's program copies dumps and exports, and a copy counts only if it succeeds", () => {
      expect(found.copies.without).toEqual({ ...good, copied: false });
      expect(found.copies.failing).toEqual({ ...failed, copied: false });
      expect(found.copies.good).toEqual({ ...good, copied: true });
    });

    test("the operator's program cannot read Realmpass's secrets or write dumps", () => {
      expect(found.copies.seeing).toEqual({ ...failed, copied: false });
      expect(found.copies.writing).toMatchObject({ ...failed, copied: false });
    });

    test("realmpass-operator accepts a file that only root can read", () => {
      expect(found.ofRoot).toEqual([0, ""]);
    });

    test("the journal names each instance", () => {
      expect(found.named).toBe(true);
    });

    describe("the doctor", () => {
      test("succeeds without an alarm if nothing is wrong", () => {
        expect(found.well).toMatchObject({ ...good, fails: [] });
        expect(found.loggedWhileWell).toEqual([]);
      });

      test("checks the disk of the operator's directory", () => {
        expect(found.well.disk).toEqual([expect.stringMatching(/ MiB are free in \/var\/lib\/realmpass-operator$/)]);
        expect(found.full).toMatchObject(failed);
        expect(found.full.fails).toEqual([
          expect.stringMatching(/^fail {2}disk: \d\d MiB are free in \/var\/lib\/realmpass-operator$/),
        ]);
      });

      test("fails when no responder runs, and succeeds after the user runs the commands that it prints", () => {
        expect(found.without).toMatchObject(failed);
        expect(found.without.fails.join("\n")).toContain("no responder");
        expect(found.remedied).toEqual([0, true, true]);
        expect(found.mended).toMatchObject({ ...good, fails: [] });
      });
    });

    describe("with the page's commands for a queue in PostgreSQL", () => {
      test("api and worker start without Redis and issue a profile, and the doctor finds no failure", () => {
        expect(found.inPostgres).toMatchObject({
          redis: "inactive",
          issued: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/) as string,
          doctor: { ...good, fails: [], queue: [expect.stringContaining("the queues in Postgres are there")] },
        });
      });

      test("api and worker do not start without their drop-ins, because they lack a login for the queue", () => {
        expect(found.inPostgres.refused).toEqual(["failed 78", "failed 78"]);
      });
    });

    test("a failed unit logs an error, even without a program to notify", () => {
      expect(found.withoutProgram).toBe("success");
      expect(found.errors).toEqual([expect.stringContaining("realmpass-doctor failed")]);
    });

    test("systemd calls the operator's program with the failed unit's name and without secrets", () => {
      expect(found.withProgram).toBe("success");
      expect(found.heard).toEqual([expect.stringMatching(/^realmpass-doctor as realmpass-[\w-]+ without secrets$/)]);
    });
  },
);
