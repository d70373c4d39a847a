import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { eventually } from "../../support/run/eventually.ts";
import { startReverseProxy } from "../../support/run/reverse-proxy.ts";
import { useApi } from "../../support/service/api.ts";
import { useCliProcess } from "../../support/service/cli-process.ts";
import { useCliRealm } from "../../support/service/cli-realm.ts";

/** Tests what only a real process shows: exit code, pipes, signals, a terminal, the list of processes. */
const api = useApi();
const realm = useCliRealm(api);
const { cli } = realm;
const compiled = useCliProcess(cli, () => realm.env);
const at = (name: string): string => join(cli.directory, name);
const usersMax = 2_005;

beforeAll(async () => {
  await api.database.owner.query(sql`
    insert into users (realm_id, pairwise_id, email, administrator, created_at)
    select ${realm.realmId}, 'person-' || n, '', false, now() from generate_series(1, ${usersMax}::integer) n
  `);
});

describe("the compiled program exits like the same command in this process", () => {
  test("success: a list longer than a pipe's buffer arrives whole", async () => {
    const argv = ["users", "list", "--json", "--search", "person-"];
    const { code, out, err } = await compiled(argv);

    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(JSON.parse(out)).toHaveLength(usersMax);
    expect(out).toBe((await cli(argv)).out);
  });

  beforeAll(async () => {
    await realm.user({ pairwiseId: "known" });
  });
  test.each([
    ["not found: 1", ["users", "show", "nobody", "--json"], {}, 1],
    ["called wrongly: 2", ["users", "list", "--limit", "0", "--json"], {}, 2],
    ["partly failed: 3", ["users", "unlock", "known", "nobody", "--json"], {}, 3],
    ["not signed in: 4", ["users", "list", "--json"], { REALMPASS_CLIENT_SECRET: "" }, 4],
  ])("%s", async (_name, argv, env, code) => {
    const ran = await compiled(argv, { env });

    expect(ran.code, ran.err + ran.out).toBe(code);
    expect(ran.err).not.toBe("");
    expect(JSON.parse(ran.out)).toBeInstanceOf(Object);
    const withoutId = ({ out, err }: typeof ran) => (out + err).replaceAll(/("request_id":"|Request id: )[\w-]+/g, "");
    expect(withoutId(ran)).toBe(withoutId(await cli(argv, { env })));
  });
});

describe("standard input and output", () => {
  test("standard input can be empty", async () => {
    const child = spawn(process.execPath, ["dist/cli/main.js", "users", "list", "--limit", "1"], {
      env: { ...realm.env, HOME: cli.directory },
      stdio: "ignore",
    });
    expect(await once(child, "close")).toEqual([0, null]);
  });

  test("rows are read from a pipe", async () => {
    const { code, out } = await compiled(["jobs", "start", "onboard", "-", "--type", "ndjson", "--json"], {
      input: '{"pairwiseID":"piped-1"}\n{"pairwiseID":"piped-2"}\n',
    });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ kind: "onboarding", total: 2 });
  });

  test("a reader that closes the pipe early is no error", async () => {
    const running = compiled.start(["users", "list"]);
    running.child.stdout?.once("data", () => running.child.stdout?.destroy());
    const { code, err } = await running.ended;
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  test("a file with other columns is refused with the reason, however long the file is", async () => {
    const rows = Array.from({ length: 200_000 }, (_, n) => `row-${n + 1},x`);
    await writeFile(at("wrong.csv"), `${["name,surname", ...rows].join("\n")}\n`);
    const { code, err } = await compiled(["jobs", "start", "onboard", "wrong.csv"]);
    expect(code).toBe(1);
    expect(err).toMatch(/pairwiseID/i);
  });
});

describe("signing in", () => {
  const file = (): string => at(".config/realmpass/login.json");
  const environment = { REALMPASS_URL: "", REALMPASS_CLIENT_ID: "", REALMPASS_CLIENT_SECRET: "" };
  const login = () => ["login", "--url", realm.env["REALMPASS_URL"]!, "--client-id", realm.env["REALMPASS_CLIENT_ID"]!];
  const secret = (): string => realm.env["REALMPASS_CLIENT_SECRET"]!;
  beforeEach(async () => {
    await cli(["logout"]);
  });

  test("the secret is read from a pipe, and other commands use the stored login until logout", async () => {
    const { code, out, err } = await compiled(login(), { env: environment, input: `${secret()}\n` });

    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(err).not.toContain(secret());
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect((await cli(["users", "list", "--limit", "1"], { env: environment })).code).toBe(0);
    expect((await compiled(["logout"])).code).toBe(0);
    expect((await cli(["users", "list"], { env: environment })).code).toBe(4);
  });

  test("on a terminal the secret is prompted for and not echoed", async () => {
    const env = { ...environment, REALMPASS_CLIENT_ID: realm.env["REALMPASS_CLIENT_ID"] };
    const session = compiled.onTerminal(["login"], { env });
    await session.type(/Service \(URL\): /, `${api.url}\r`);
    await session.type(/Client secret \(not shown\): /, `${secret()}\r`);
    const { code, out } = await session.ended;

    expect(code).toBe(0);
    // Control: the terminal echoes the address.
    expect(out).toContain(api.url);
    expect(out).not.toContain(secret());
    expect(JSON.parse(await readFile(file(), "utf8"))).toMatchObject({ clientSecret: secret() });
  });

  test("on a terminal the secret of --client-secret-file - is prompted for and not echoed", async () => {
    const session = compiled.onTerminal(["users", "list", "--limit", "1", "--json", "--client-secret-file", "-"], {
      env: { REALMPASS_CLIENT_SECRET: "" },
    });
    await session.type(/Client secret \(not shown\): /, `${secret()}\r`);
    const { code, out } = await session.ended;

    expect(code).toBe(0);
    expect(out).toContain("pairwiseID");
    expect(out).not.toContain(secret());
  });

  test("Ctrl-C at a prompt exits with 130 and stores nothing", async () => {
    const session = compiled.onTerminal(login(), { env: environment });
    await session.type(/Client secret/, "\u0003");

    expect((await session.ended).code).toBe(130);
    await expect(stat(file())).rejects.toThrow("ENOENT");
  });

  test("the secret appears in no process list", async () => {
    const proxy = await startReverseProxy(() => api.url);
    // Every request has to wait, which leaves time to read the process list.
    proxy.decide(() => ({ status: 503, headers: { "Retry-After": "20" } }));
    const running = compiled.start(["users", "list"], { env: { REALMPASS_URL: proxy.url } });
    await eventually(() => {
      expect(proxy.seen.length).toBeGreaterThan(0);
    });

    const shown = readFileSync(`/proc/${running.child.pid}/cmdline`, "latin1");
    expect(shown).toContain("users\0list");
    expect(shown).not.toContain(secret());
    running.child.kill("SIGINT");
    expect((await running.ended).code).toBe(130);
  });
});

describe("Ctrl-C while a job is watched, without a worker", () => {
  let id: string;
  beforeAll(async () => {
    await writeFile(at("waiting.csv"), "pairwiseID\nwaiting-1\nwaiting-2\nwaiting-3\n");
    const { out } = await cli(["jobs", "start", "onboard", "waiting.csv", "--json"]);
    ({ id } = JSON.parse(out) as { id: string });
  });

  test("exits with 130, and the message explains that the job continues, how to watch it and how to cancel it", async () => {
    const watching = compiled.start(["jobs", "watch", id]);
    await watching.type(/Checking: 0 of 3/, "");
    watching.child.kill("SIGINT");
    const { code, err, out } = await watching.ended;

    expect({ code, out }).toEqual({ code: 130, out: "" });
    expect(err).toContain("The job continues.");
    expect(err).toContain(`realmpass jobs watch ${id}`);
    expect(err).toContain(`realmpass jobs cancel ${id}`);
    expect(JSON.parse((await cli(["jobs", "show", id, "--json"])).out)).toMatchObject({ state: "checking" });
  });

  test("shows a bar on a terminal, and exits in the same way", async () => {
    const watching = compiled.onTerminal(["jobs", "watch", id]);
    await watching.type(/░+ Checking: 0 of 3/, "\u0003");
    const { code, out } = await watching.ended;
    expect(code).toBe(130);
    expect(out).toContain("The job continues.");
  });
});

describe("on a terminal", () => {
  test("a list is a table in colours", async () => {
    const { code, out } = await compiled.onTerminal(["users", "list", "--search", "person-20", "--limit", "3"]).ended;
    expect(code).toBe(0);
    const [head, ...rows] = out.trimEnd().split("\r\n");
    expect(head).toContain("\u001b[1mUser\u001b[22m  \u001b[1mPairwise ID");
    expect(rows).toHaveLength(3);
    for (const row of rows) expect(row).toContain("\u001b[32mactive");
  });

  test("an irreversible command asks for the name, and changes nothing if the typed text differs", async () => {
    const { id } = await realm.user({ pairwiseId: "m.keller" });
    const offboarded = async () => JSON.parse((await cli(["users", "show", id, "--json"])).out) as unknown;

    const refused = compiled.onTerminal(["users", "offboard", id]);
    await refused.type(/Type m\.keller to continue: /, "yes\r");
    expect(await refused.ended).toMatchObject({ code: 1, out: expect.stringContaining("Nothing was done.") as string });
    expect(await offboarded()).toMatchObject({ blacklisted: false });

    const agreed = compiled.onTerminal(["users", "offboard", id]);
    await agreed.type(/Type m\.keller to continue: /, "m.keller\r");
    expect((await agreed.ended).code).toBe(0);
    expect(await offboarded()).toMatchObject({ blacklisted: true });
  });
});
