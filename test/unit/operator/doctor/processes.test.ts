import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { apiVariables } from "../../../../api/config.ts";
import type { ProcessState } from "../../../../db/queries/upkeep/processes.ts";
import { loadConfig, type Env } from "../../../../runtime/config/config.ts";
import { processKinds } from "../../../../domain/process.ts";
import { operatorVariables } from "../../../../operator/context/context.ts";
import { checkProcesses as check } from "../../../../operator/doctor/processes.ts";
import {
  killedRemedy,
  migrateRemedy,
  reasonOf,
  restart,
  startRemedy,
  startServerRemedy,
  timerRemedy,
  wayOf,
  type Way,
} from "../../../../operator/context/way.ts";
import { imageVariables } from "../../../support/service/compose-file.ts";

const database = { DATABASE_URL: "postgres://db.example/realmpass" };
const ways: Record<Way, Env> = {
  "npm start": {},
  systemd: { ...database, CREDENTIALS_DIRECTORY: "/run/credentials/realmpass-doctor.service" },
  compose: { ...database, ...imageVariables() },
  hand: { ...database },
};
const seen = Object.keys(ways) as Way[];

const state = (given: Partial<ProcessState>): ProcessState => ({
  kind: "worker",
  host: "one",
  pid: 1,
  version: "0.0.0",
  clockSkewMs: 0,
  queue: null,
  connectionsMax: 1,
  alive: true,
  silentSeconds: 1,
  problems: [],
  ...given,
});
const one = { api: 1, worker: 1, responder: 1 };
const checkProcesses = (states: readonly ProcessState[], way: Way, expected = one) => check(states, { way, expected });

const silent = (pid: number, silentSeconds = 60): ProcessState => state({ pid, alive: false, silentSeconds });

test.each(seen)("the doctor's environment shows that the service was started by %s", (way) => {
  expect(wayOf({ config: loadConfig(operatorVariables, ways[way]), env: ways[way] })).toBe(way);
});

/** Returns the commands in a remedy. */
const commandsOf = (remedy: string | null | undefined): string[] =>
  [...(remedy ?? "").matchAll(/`([^`]+)`/g)].map(([, command]) => command ?? "");

describe("without a worker", () => {
  const found = (way: Way) => checkProcesses([state({ kind: "api" }), state({ kind: "responder" })], way)[0];

  test.each<[Way, RegExp]>([
    ["npm start", /^npm start$/],
    ["systemd", /^systemctl start realmpass\.target$/],
    ["compose", /^docker compose up -d --no-deps worker$/],
    ["hand", /^npm start$/],
  ])("the first command of the remedy starts a worker as %s does", (way, command) => {
    expect(found(way)).toMatchObject({ name: "processes", status: "fail" });
    expect(commandsOf(found(way)?.remedy)[0]).toMatch(command);
  });
});

/** Returns each remedy that names a command. */
const remediesOf = (way: Way): string[] => [
  startRemedy(way, processKinds),
  reasonOf(way, processKinds),
  restart(way, processKinds),
  killedRemedy(way, "worker"),
  migrateRemedy(way),
  startServerRemedy(way, "PostgreSQL", "correct DATABASE_URL"),
  startServerRemedy(way, "Redis", "correct REDIS_URL"),
  timerRemedy(way, "realmpass-backup"),
];

test.each<[Way, RegExp]>([
  ["npm start", /^(?:npm |journalctl -k|dmesg)/],
  ["systemd", /^(?:systemctl|journalctl) /],
  ["compose", /^(?:docker compose |journalctl -k)/],
  ["hand", /^(?:npm |journalctl -k|dmesg)/],
])("remedies name only commands for a service started by %s", (way, own) => {
  const commands = remediesOf(way).flatMap(commandsOf);
  expect(commands.filter((command) => !own.test(command))).toEqual([]);
  expect(commands.length).toBeGreaterThan(3);
});

test("remedies for systemd name units that exist", () => {
  const units = remediesOf("systemd")
    .flatMap(commandsOf)
    .flatMap((command) => command.match(/realmpass[\w-]*(?:@|\.target|\.timer)?/g) ?? []);
  for (const unit of units) {
    const file = /\.(?:target|timer)$/.test(unit) ? unit : `${unit}.service`;
    expect(readFileSync(`deploy/systemd/${file}`, "utf8")).toContain("[Unit]");
  }
  expect(units).toContain("realmpass-responder@");
  expect(() => readFileSync("deploy/systemd/realmpass-other@.service")).toThrow("ENOENT");
});

test("remedies for Compose name services that exist", () => {
  const { services } = parse(readFileSync("docker-compose.yml", "utf8")) as { services: Record<string, unknown> };
  const named = remediesOf("compose")
    .flatMap(commandsOf)
    .flatMap((command) => /^docker compose (?:up|run|logs) ((?:-\S+ )*)(.*)$/.exec(command)?.[2]?.split(" ") ?? []);
  expect(named.filter((name) => !Object.hasOwn(services, name))).toEqual([]);
  expect(new Set(named)).toEqual(new Set(["api", "worker", "responder", "migrate", "postgres", "redis"]));
});

describe("processes that fell silent", () => {
  const alive = processKinds.map((kind) => state({ kind, host: "two" }));
  const found = (states: readonly ProcessState[], way: Way = "systemd") =>
    checkProcesses([...alive, ...states], way).filter(({ name }) => name.startsWith("process "));

  test("are reported with the log that contains the reason, if there is only one", () => {
    expect(found([silent(7)])).toMatchObject([
      {
        name: "process worker one",
        status: "warn",
        message: "pid 7 was not seen for 60 s and did not stop cleanly",
        remedy: expect.stringContaining("journalctl -u 'realmpass-worker@*'") as string,
      },
    ]);
  });

  test("are one warning if several fell silent within an hour; it refers to the kernel's log and to the memory limit", () => {
    expect(found([silent(7), silent(8), silent(9, 3_600), silent(10, 3_601)])).toMatchObject([
      {
        name: "process worker",
        status: "warn",
        message:
          "3 workers fell silent in the last hour and did not stop cleanly: one 7 60 s ago, one 8 60 s ago, one 9 3600 s ago",
        remedy: expect.stringMatching(/systemctl status 'realmpass-worker@\*'.*journalctl -k.*MemoryMax/) as string,
      },
    ]);
  });

  test("are named separately if they are of different kinds", () => {
    expect(found([silent(7), { ...silent(8), kind: "api" }]).map(({ name }) => name)).toEqual([
      "process worker one",
      "process api one",
    ]);
  });
});

describe("fewer processes than expected", () => {
  const two = { ...one, worker: 2 };
  const alive = processKinds.map((kind) => state({ kind, host: "two" }));
  const found = (states: readonly ProcessState[]) =>
    checkProcesses([...alive, ...states], "systemd", two).filter(({ status }) => status !== "ok");

  test("make the doctor warn, with the number of running processes, the way to start more, and the setting", () => {
    expect(found([])).toMatchObject([
      {
        name: "processes-expected",
        status: "warn",
        message: "1 of 2 workers are alive",
        remedy: expect.stringMatching(/systemctl start realmpass\.target.*REALMPASS_EXPECTED_WORKERS/) as string,
      },
    ]);
    expect(found([state({})])).toEqual([]);
  });

  test("are reported even if a further process fell silent", () => {
    expect(found([silent(7)]).map(({ name }) => name)).toEqual(["processes-expected", "process worker one"]);
  });

  test("are a failure if no process of a kind runs", () => {
    const names = checkProcesses(alive.slice(0, 1), "systemd", { api: 2, worker: 2, responder: 2 }).map((each) => [
      each.name,
      each.status,
    ]);
    expect(names).toEqual([
      ["processes", "fail"],
      ["processes-expected", "warn"],
    ]);
  });

  test.each(["", "1", "2", "1000"])("%j is a number of processes", (value) => {
    const { REALMPASS_EXPECTED_WORKERS: number } = loadConfig(operatorVariables, { REALMPASS_EXPECTED_WORKERS: value });
    expect(number).toBe(Number(value) || 1);
  });

  test.each(["0", "two", "1.5", "-1", "1001"])("%j is refused as a number of processes", (value) => {
    expect(() => loadConfig(apiVariables, { REALMPASS_EXPECTED_WORKERS: value })).toThrow("REALMPASS_EXPECTED_WORKERS");
    expect(() => loadConfig(operatorVariables, { REALMPASS_EXPECTED_WORKERS: value })).toThrow(
      "REALMPASS_EXPECTED_WORKERS",
    );
  });
});

test.each(seen)(
  "before a certificate expires, the remedy replaces it and restarts the process, for a service started by %s",
  (way) => {
    const problems = [{ code: "certificate_ending", detail: "tls", since: "2027-01-31T12:00:00Z" }];
    const [check] = checkProcesses([state({ kind: "api", problems })], way).filter(
      ({ name }) => name === "process api one",
    );
    expect(check?.remedy).toBe(`Replace it and its key. ${restart(way, ["api"])}`);
  },
);
