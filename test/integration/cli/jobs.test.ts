import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { useApi } from "../../support/service/api.ts";
import { useCliRealm } from "../../support/service/cli-realm.ts";
import { startReverseProxy, type ReverseProxy } from "../../support/run/reverse-proxy.ts";
import type { TestWorker } from "../../support/service/worker.ts";
import { systemClock } from "../../../runtime/clock.ts";

const api = useApi();
const realm = useCliRealm(api, { maxProfiles: 3 });
const { cli } = realm;
let proxy: ReverseProxy;

interface Job {
  id: string;
  state: string;
  [name: string]: unknown;
}
const jobOf = (out: string): Job => JSON.parse(out) as Job;
const at = (name: string): string => join(cli.directory, name);
const file = async (name: string, lines: readonly string[]): Promise<string> => {
  await writeFile(at(name), `${lines.join("\n")}\n`);
  return name;
};
const people = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}-${n + 1}`);

beforeAll(async () => {
  proxy = await startReverseProxy(() => api.url);
});

describe("without a worker", () => {
  let job: Job;
  beforeAll(async () => {
    const name = await file("waiting.csv", ["pairwiseID", ...people(3, "waiting")]);
    job = jobOf((await cli(["jobs", "start", "onboard", name, "--json"])).out);
  });

  test("a job is started, shown and listed", async () => {
    expect(job).toMatchObject({ kind: "onboarding", state: "checking", total: 3, done: 0 });
    expect(jobOf((await cli(["jobs", "show", job.id, "--json"])).out).id).toBe(job.id);
    expect((await cli(["jobs", "list"])).out).toContain(`${job.id}\tonboarding\tchecking\t3`);
  });

  test("offboarding without a terminal and without --yes is a usage error", async () => {
    const name = await file("leavers.csv", ["pairwiseID", "waiting-1"]);
    const { code, err } = await cli(["jobs", "start", "offboard", name]);
    expect(code).toBe(2);
    expect(err).toContain("--yes");
  });

  test("a file without a header needs --no-header; otherwise the error shows which cell was read as the header", async () => {
    const name = await file("bare.csv", people(3, "bare"));
    const { code, err } = await cli(["jobs", "start", "onboard", name]);
    expect(code).toBe(1);
    expect(err).toContain("It was read as “bare-1”");
    const declared = await cli(["jobs", "start", "onboard", name, "--no-header", "--json"]);
    expect(jobOf(declared.out)).toMatchObject({ total: 3 });
  });

  test("watching an unknown job fails", async () => {
    const { code, err } = await cli(["jobs", "watch", "00000000-0000-4000-8000-000000000000"]);
    expect(code).toBe(1);
    expect(err).not.toContain("The job continues");
  });

  test.each([
    ["a file that is not there", ["nowhere.csv"], 1, "ENOENT"],
    ["a folder", [".", "--type", "csv"], 1, "directory"],
    ["a file of an unknown kind", ["people.xlsx"], 2, "--type"],
    ["standard input of an unknown kind", ["-"], 2, "--type"],
  ])("%s", async (_name, argv, expected, message) => {
    const { code, err } = await cli(["jobs", "start", "onboard", ...argv]);
    expect(code).toBe(expected);
    expect(err).toContain(message);
  });

  test("an upload that a busy service refuses is retried with the whole file", async () => {
    let left = 1;
    proxy.decide(({ path }) =>
      path.startsWith("/api/jobs/") && left-- > 0 ? { status: 503, headers: { "Retry-After": "0" } } : "pass",
    );
    const name = await file("again.csv", ["pairwiseID", ...people(5, "again")]);
    const { code, out } = await cli(["jobs", "start", "onboard", name, "--json"], {
      env: { REALMPASS_URL: proxy.url },
    });
    expect(code).toBe(0);
    expect(jobOf(out)).toMatchObject({ total: 5 });
    expect(proxy.seen.filter(({ path }) => path.startsWith("/api/jobs/"))).toHaveLength(2);
  });

  test("a job is cancelled", async () => {
    const { code, out } = await cli(["jobs", "cancel", job.id, "--json"]);
    expect(code).toBe(0);
    expect(jobOf(out).state).toMatch(/^cancel/);
  });
});

describe("with a worker", () => {
  let worker: TestWorker;
  beforeAll(async () => {
    worker = await api.startWorker();
  });
  afterAll(() => worker.stop());

  test("onboarding with --wait writes progress to stderr and the job to stdout, and exits with 0", async () => {
    const name = await file("new.csv", [
      "pairwiseID;email",
      ...people(20, "new").map((who) => `${who};${who}@x.example`),
    ]);
    const { code, out, err } = await cli(["jobs", "start", "onboard", name, "--wait", "--json"]);

    expect(code).toBe(0);
    expect(jobOf(out)).toMatchObject({ state: "completed", total: 20, changed: 20, failed: 0 });
    expect(err).toMatch(/^Completed: 20 of 20$/m);
    expect((await cli(["users", "show", "new-20@x.example"])).code).toBe(0);
  });

  test("a job reads NDJSON from standard input, and with --quiet prints no progress", async () => {
    const { code, out, err } = await cli(
      ["jobs", "start", "onboard", "-", "--type", "ndjson", "--wait", "--json", "--quiet"],
      {
        input: '{"pairwiseID":"piped-1"}\n{"pairwiseID":"piped-2"}\n',
      },
    );
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(jobOf(out)).toMatchObject({ changed: 2 });
  });

  test("if rows fail, the command exits with 3; the rows can be shown, written to a file for another upload, and retried", async () => {
    const name = await file("mixed.csv", ["pairwiseID,maxProfiles", "good-1,2", "bad-1,many", "good-2,"]);
    const { code, out, err } = await cli(["jobs", "start", "onboard", name, "--wait", "--json"]);
    const { id } = jobOf(out);

    expect(code).toBe(3);
    expect(jobOf(out)).toMatchObject({ state: "completed_with_errors", changed: 2, failed: 1 });
    expect(err).toContain(`realmpass jobs results ${id} --failed`);
    expect((await cli(["jobs", "watch", id])).code).toBe(3);

    const failed = await cli(["jobs", "results", id, "--failed"]);
    expect(failed.out).toMatch(/^2\tbad-1\tfailed\tinvalid_row\t[^\n]*\n$/);
    expect(JSON.parse((await cli(["jobs", "results", id, "--json"])).out)).toHaveLength(3);
    expect((await cli(["jobs", "results", id, "--failed", "--out", "failed.csv"])).code).toBe(0);
    expect(await readFile(at("failed.csv"), "utf8")).toMatch(/pairwiseID,maxProfiles[^]*bad-1/i);

    const again = await cli(["jobs", "retry", id, "--wait", "--json"]);
    expect(again.code).toBe(3);
    expect(jobOf(again.out).id).not.toBe(id);
  });

  test("private keys of issued profiles are written only to files, never to stdout, until the output is erased", async () => {
    const name = await file("phones.csv", ["pairwiseID,profileName,deviceType,format", "phone-1,phone,iOS,pem"]);
    const { id } = jobOf((await cli(["jobs", "start", "onboard", name, "--wait", "--json"])).out);

    for (const form of [[], ["--json"], ["--csv"]]) {
      const { out } = await cli(["jobs", "results", id, ...form]);
      expect(out).toContain("phone-1");
      expect(out).not.toContain("PRIVATE KEY");
    }
    await cli(["jobs", "results", id, "--out", "phones.ndjson"]);
    expect((await stat(at("phones.ndjson"))).mode & 0o777).toBe(0o600);
    expect(await readFile(at("phones.ndjson"), "utf8")).toContain("PRIVATE KEY");

    expect((await cli(["jobs", "erase", id])).code).toBe(2);
    expect((await cli(["jobs", "erase", id, "--yes"])).code).toBe(0);
    await cli(["jobs", "results", id, "--out", "erased.ndjson"]);
    expect(await readFile(at("erased.ndjson"), "utf8")).not.toContain("PRIVATE KEY");
  });

  test("after a dry run, which changes nothing, rows are excluded and the job runs", async () => {
    const name = await file("checked.csv", ["pairwiseID", ...people(3, "checked")]);
    const checked = await cli(["jobs", "start", "onboard", name, "--dry-run", "--wait", "--json"]);
    const { id } = jobOf(checked.out);
    expect(checked.code).toBe(0);
    expect(jobOf(checked.out)).toMatchObject({ state: "ready", changed: 3 });
    expect(checked.err).toContain(`realmpass jobs run ${id}`);
    expect((await cli(["users", "show", "checked-1"])).code).toBe(1);

    expect(jobOf((await cli(["jobs", "leave-out", id, "2", "--json"])).out)).toMatchObject({ skipped: 1 });
    const run = await cli(["jobs", "run", id, "--wait", "--json"]);
    expect(run.code).toBe(0);
    expect(jobOf(run.out)).toMatchObject({ state: "completed", changed: 2, skipped: 1 });
    expect((await cli(["users", "show", "checked-2"])).code).toBe(1);
  });

  test("a file can have its own column names and encoding; the job lists its problems, and excluded rows can be included again", async () => {
    await writeFile(
      at("matrikel.csv"),
      Buffer.from("Matrikel;Vorname;Ort\nJ\u00e4ger-1;Zo\u00eb;Ulm\nmatrikel-2;Mia;Bonn\n;Ida;\n", "latin1"),
    );
    const { out } = await cli([
      ...["jobs", "start", "onboard", "matrikel.csv", "--dry-run", "--wait", "--json", "--charset", "windows-1252"],
      ...["--column", "Matrikel=pairwiseID", "--ignore-unknown", "--row-offset", "1"],
    ]);
    expect(jobOf(out)).toMatchObject({ state: "ready", changed: 2, failed: 1, name: "matrikel.csv", rowOffset: 1 });
    const { id } = jobOf(out);

    const problems = await cli(["jobs", "problems", id, "--json"]);
    expect(JSON.parse(problems.out)).toMatchObject([{ error: "invalid_row", count: 1, rows: [3] }]);
    await cli(["jobs", "leave-out", id, "1", "2"]);
    expect(jobOf((await cli(["jobs", "take-in", id, "1", "--json"])).out)).toMatchObject({ changed: 1, skipped: 1 });
    expect(jobOf((await cli(["jobs", "run", id, "--wait", "--json"])).out)).toMatchObject({ changed: 1, skipped: 1 });
    expect((await cli(["users", "show", "Jäger-1"])).code).toBe(0);
  });

  const inThirtyDays = (): string => new Date(systemClock.now().getTime() + 30 * 86_400_000).toISOString();

  test("a scheduled job can be cancelled before it starts", async () => {
    const name = await file("later.csv", ["pairwiseID", "later-1"]);
    const { out } = await cli(["jobs", "start", "onboard", name, "--dry-run", "--wait", "--json"]);
    const scheduled = await cli(["jobs", "run", jobOf(out).id, "--execute-at", inThirtyDays(), "--json"]);
    expect(jobOf(scheduled.out)).toMatchObject({ state: "scheduled" });
    const cancelled = await cli(["jobs", "cancel", jobOf(out).id, "--wait", "--json"]);
    expect(cancelled.code).toBe(0);
    expect(jobOf(cancelled.out)).toMatchObject({ state: "cancelled", skipped: 1 });
  });

  test("a job that was checked with a time keeps it when it is run, and the messages name it", async () => {
    const name = await file("at-night.csv", ["pairwiseID", "night-1"]);
    const at = inThirtyDays();
    const shown = `${at.slice(0, 16).replace("T", " ")}Z`;
    const checked = await cli(["jobs", "start", "onboard", name, "--dry-run", "--execute-at", at, "--wait", "--json"]);
    const { id } = jobOf(checked.out);
    expect(checked.err).toContain(`Run it at ${shown}: realmpass jobs run ${id}`);
    const scheduled = await cli(["jobs", "run", id, "--json"]);
    expect(jobOf(scheduled.out)).toMatchObject({ state: "scheduled", executeAt: at });
    expect(scheduled.err).toContain(`It runs at ${shown}.`);
    await cli(["jobs", "cancel", id]);
  });

  test("on a terminal, an offboarding job is checked first and runs once the user has typed the number", async () => {
    await Promise.all(people(3, "leaver").map((pairwiseId) => realm.user({ pairwiseId })));
    const name = await file("leavers.csv", ["pairwiseID", ...people(3, "leaver"), "nobody"]);

    const refused = cli.onTerminal(["jobs", "start", "offboard", name, "--wait"]);
    await refused.type(/3 people will be offboarded[^]*1 row cannot be used[^]*Type 3 to continue: /, "4\r");
    expect((await refused.ended).code).toBe(1);

    const agreed = cli.onTerminal(["jobs", "start", "offboard", name, "--wait"]);
    await agreed.type(/Type 3 to continue: /, "3\r");
    const { code, out } = await agreed.ended;
    expect(code).toBe(3);
    expect(out).toContain("█");
    expect(out).toMatch(/Completed with errors: 4 of 4 · 1 failed/);
    expect((await cli(["users", "show", "leaver-3"])).out).toContain("offboarded");
  });

  test("offboarding a large part of the realm stops until --confirm-total is given, and then runs", async () => {
    await Promise.all(people(120, "many").map((pairwiseId) => realm.user({ pairwiseId })));
    const name = await file("many.csv", ["pairwiseID", ...people(120, "many")]);
    const stopped = await cli(["jobs", "start", "offboard", name, "--yes", "--wait", "--json"]);
    const { id } = jobOf(stopped.out);
    expect(stopped.code).toBe(1);
    expect(jobOf(stopped.out)).toMatchObject({ state: "ready", error: "confirmation_required" });
    expect(stopped.err).toContain(`realmpass jobs run ${id} --confirm-total 120`);

    expect((await cli(["jobs", "run", id, "--yes"])).code).toBe(1);
    const run = await cli(["jobs", "run", id, "--confirm-total", "120", "--yes", "--wait", "--json"]);
    expect(run.code).toBe(0);
    expect(jobOf(run.out)).toMatchObject({ state: "completed", changed: 120 });
  });

  test("an offboarding with a grace period can be undone, or its devices revoked before the period ends", async () => {
    const users = await Promise.all(people(3, "grace").map((pairwiseId) => realm.user({ pairwiseId })));
    for (const user of users) await api.given.profile(user);
    const name = await file("grace.csv", ["pairwiseID", ...people(2, "grace")]);
    const given = await cli(["jobs", "start", "offboard", name, "--grace-days", "7", "--yes", "--wait", "--json"]);
    const { id } = jobOf(given.out);
    expect(given.code, given.err).toBe(0);
    expect(jobOf(given.out)).toMatchObject({ state: "grace", graceDays: 7, done: 0 });
    expect(given.err).toContain(`Undo it: realmpass jobs undo ${id}`);
    expect((await cli(["jobs", "start", "offboard", name, "--grace-days", "31", "--yes"])).code).toBe(2);

    const checked = await cli(["jobs", "undo", id, "--dry-run", "--wait", "--json"]);
    expect(jobOf(checked.out)).toMatchObject({ state: "ready", kind: "reactivation", undoOf: id, changed: 2 });
    const asked = await cli(["jobs", "undo", id]);
    expect(asked.code).toBe(2);
    expect(asked.err).toMatch(/2 people can sign in again\. 2 devices never went offline\./);
    const session = cli.onTerminal(["jobs", "undo", id, "--wait"]);
    await session.type(/Type 2 to continue: /, "2\r");
    expect((await session.ended).code).toBe(0);
    expect((await cli(["jobs", "undo", id, "--yes"])).err).toContain("no longer keeps anybody out");
    for (const user of users) expect((await cli(["users", "show", user.id])).out).not.toContain("offboarded");

    const third = await file("third.csv", ["pairwiseID", "grace-3"]);
    const again = await cli(["jobs", "start", "offboard", third, "--grace-days", "7", "--yes", "--wait", "--json"]);
    const now = await cli(["jobs", "run", jobOf(again.out).id, "--yes", "--confirm-total", "1", "--wait", "--json"]);
    expect(jobOf(now.out)).toMatchObject({ state: "completed", changed: 1 });
    const back = await cli(["jobs", "start", "reactivate", third, "--wait", "--json"]);
    expect(jobOf(back.out)).toMatchObject({ state: "completed", kind: "reactivation", changed: 1 });
  });

  test("on a terminal, serial numbers are checked first and revoked once the user has typed the number", async () => {
    const user = await realm.user({ pairwiseId: "serials" });
    const serials = [await api.given.profile(user), await api.given.profile(user)];
    const name = await file("serials.csv", ["serial", ...serials, "4711"]);
    const revoke = ["jobs", "start", "revoke", name, "--reason", "key-compromise", "--wait"];

    const refused = await cli(revoke);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(
      "Revoked profiles cannot be restored. Without a terminal to ask on, this needs --yes.",
    );
    const session = cli.onTerminal(revoke);
    await session.type(
      /2 profiles will be revoked permanently\. 1 row cannot be used\.[^]*Type 2 to continue: /,
      "2\r",
    );
    expect((await session.ended).code).toBe(3);
    const again = await cli([...revoke, "--yes", "--json"]);
    expect(jobOf(again.out)).toMatchObject({ kind: "revocation", reason: 1, unchanged: 2, failed: 1 });
    const results = await cli(["jobs", "results", jobOf(again.out).id]);
    expect(results.out).toContain(`unchanged\t\t\t${serials[0]}`);
    const listed = (await cli(["profiles", "list", "--user", user.id])).out;
    expect(listed.match(/\trevoked\t/g)).toHaveLength(2);
  });

  test("without an event stream, the command polls", async () => {
    proxy.decide(({ path }) => (path.endsWith("/events") ? { status: 502, body: "no streams here" } : "pass"));
    const name = await file("polled.csv", ["pairwiseID", "polled-1"]);
    const { code, out } = await cli(["jobs", "start", "onboard", name, "--wait", "--json"], {
      env: { REALMPASS_URL: proxy.url },
    });
    expect(code).toBe(0);
    expect(jobOf(out).state).toBe("completed");
    expect(proxy.seen.some(({ headers }) => headers["prefer"] === "wait=5")).toBe(true);
  });
});
