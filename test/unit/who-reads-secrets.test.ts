import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { operatorVariables } from "../../operator/context/context.ts";
import { placedSecrets, writeSecrets } from "../../operator/secrets/secrets-directory.ts";
import { secretFiles } from "../../runtime/keys/data-directory.ts";
import { variables, type Variable } from "../../runtime/config/variables.ts";
import { readCompose } from "../support/service/compose-file.ts";
import { serverProcessVariables } from "../support/service/process-variables.ts";

/** The secrets that each process reads, as listed in its own code. */
const reads = { ...serverProcessVariables, operator: operatorVariables as readonly Variable[] };
const processes = Object.keys(reads) as (keyof typeof reads)[];
const servers = processes.filter((name) => name !== "operator");

/** Every secret, and the public halves that processes get in the same way. */
const secrets = (Object.keys(variables) as Variable[]).filter(
  (name) => "secret" in variables[name] || Object.values(secretFiles).some(({ variable }) => variable === name),
);

/** The variable for each file of `secrets create`. */
const variableOf: Readonly<Record<string, Variable>> = {
  ...Object.fromEntries(Object.values(secretFiles).map(({ file, variable }) => [file, variable])),
  "database-password": "DATABASE_PASSWORD",
  "queue-database-password": "QUEUE_DATABASE_PASSWORD",
  "redis-password": "REDIS_PASSWORD",
};
const variablesOf = (files: readonly string[]): (Variable | undefined)[] =>
  files.map((file) => variableOf[file]).sort();
const notReadBy = (name: keyof typeof reads, given: readonly (string | undefined)[]): (string | undefined)[] =>
  given.filter((each) => !reads[name].some((read) => read === each?.replace(/_FILE$/, "")));

const directory = mkdtempSync(join(tmpdir(), "realmpass-placed-"));
writeSecrets({ directory, kinds: placedSecrets, from: undefined });
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});
const placed = (name: string): string[] => readdirSync(join(directory, name)).sort();

/** The rows of the table in docs/secrets.md: the processes that read a secret, and the units of timers that do. */
const table = new Map(
  [...readFileSync("docs/secrets.md", "utf8").matchAll(/^\| `([A-Z_]+)` +\|[^|]*\|([^|]*)\|([^|]*)\|$/gm)].map(
    ([, variable = "", who = "", units = ""]) => [
      variable,
      { who: processes.filter((name) => who.includes(name)), units: units.split(",").map((unit) => unit.trim()) },
    ],
  ),
);
const ofUnit = (unit: string): string[] =>
  [...table].flatMap(([variable, { units }]) => (units.includes(unit) ? [variable] : [])).sort();

const units = readdirSync("deploy/systemd").filter((name) => name.endsWith(".service"));
const unitText = (name: string): string => readFileSync(join("deploy/systemd", name), "utf8");
/** Returns the files given to a unit, or to the operator's command, each as `DIRECTORY/FILE` of `secrets create`. */
const loaded = (text: string): string[] =>
  [...text.matchAll(/LoadCredential=([^:\n]+):"?(?:\/etc\/realmpass\/credentials|\$credentials)\/([\w./-]+)/g)]
    .map(([, name = "", file = ""]) => {
      expect(file.split("/").at(-1)).toBe(name);
      return file;
    })
    .sort();
const inDirectory = (name: string, files: readonly string[]): string[] => files.map((file) => `${name}/${file}`);
const assigned = (text: string): string[] =>
  [...text.matchAll(/(?:^|[ =])([A-Z][A-Z_]+)=/gm)].map(([, name = ""]) => name);

test("the table in the documentation contains every secret, with the processes whose code reads it", () => {
  expect([...table.keys()].sort()).toEqual([...secrets].sort());
  for (const [variable, { who }] of table) {
    expect([variable, who]).toEqual([variable, processes.filter((name) => notReadBy(name, [variable]).length === 0)]);
  }
  // Control: the comparison finds a secret that the process does not read.
  expect(notReadBy("responder", ["DATABASE_PASSWORD", "REDIS_PASSWORD"])).toEqual(["REDIS_PASSWORD"]);
});

test("`secrets create` gives each process only the secrets that the process reads", () => {
  for (const name of processes) {
    expect([name, notReadBy(name, variablesOf(placed(name)))]).toEqual([name, []]);
  }
});

describe("the units", () => {
  test("of a server have every secret that `secrets create` makes for it, except the queue's password, because the queue is in Redis", () => {
    for (const name of servers) {
      const files = placed(name).filter((file) => file !== "queue-database-password");
      expect([name, loaded(unitText(`realmpass-${name}@.service`))]).toEqual([name, inDirectory(name, files)]);
    }
  });

  test("of timers have the operator's secrets that the documentation lists for them", () => {
    for (const name of ["doctor", "audit-export", "backup"]) {
      const files = loaded(unitText(`realmpass-${name}.service`)).map((file) => file.replace(/^operator\//, ""));
      expect([name, variablesOf(files)]).toEqual([name, ofUnit(name)]);
    }
    expect(ofUnit("doctor").length).toBeGreaterThan(1);
  });

  test("that a person starts have only the owner's password, and the unit that reports a failure has no secret", () => {
    for (const name of ["migrate", "database-restored"]) {
      expect(loaded(unitText(`realmpass-${name}.service`))).toEqual(["postgres/owner-password"]);
    }
    expect(loaded(unitText("realmpass-failed@.service"))).toEqual([]);
  });

  test("do not contain the passphrases of issuer keys and roots, except the worker's unit, which contains the passphrase of issuer keys", () => {
    const holders = (file: string): string[] => units.filter((name) => unitText(name).includes(file));
    expect(holders("issuer-key-passphrase")).toEqual(["realmpass-worker@.service"]);
    expect(holders("root-key-passphrase")).toEqual([]);
  });

  test("set no variable that their process does not read", () => {
    // Read by Node itself.
    const elsewhere = ["NODE_ENV"];
    const process = (name: string) => servers.find((server) => name.startsWith(`realmpass-${server}`)) ?? "operator";
    for (const name of units) {
      const lines = unitText(name).match(/^Environment=.*$/gm) ?? [];
      const names = lines.flatMap((line) => assigned(line)).filter((each) => !elsewhere.includes(each));
      expect([name, notReadBy(process(name), names)]).toEqual([name, []]);
    }
    expect(assigned(unitText("realmpass-doctor.service"))).toContain("DATABASE_PASSWORD_FILE");
    for (const name of processes) {
      const names = assigned(readFileSync(`deploy/env/${name}.env`, "utf8"));
      expect([name, names.length > 0, notReadBy(name, names)]).toEqual([name, true, []]);
    }
  });
});

test("the operator at a terminal has every secret that `secrets create` makes for the operator", () => {
  const text = readFileSync("deploy/bin/realmpass-operator", "utf8");
  expect(loaded(text)).toEqual(placed("operator"));
});

test("docker compose gives no process a login, an address of a server or a secret that it does not read", () => {
  const { services } = readCompose();
  const servers = ["DATABASE_URL", "QUEUE_DATABASE_URL", "REDIS_URL"];
  for (const name of processes) {
    const names = Object.keys(services[name]?.environment ?? {}).filter((variable) =>
      [...secrets, ...servers].some((each) => variable.replace(/_FILE$/, "") === each),
    );
    expect([name, names.length > 0, notReadBy(name, names)]).toEqual([name, true, []]);
    const volumes = services[name]?.mounts
      .map(({ volume }) => volume)
      .filter((volume) => volume.startsWith("secrets-"));
    expect([name, volumes]).toEqual([name, [`secrets-${name}`]]);
  }
});
