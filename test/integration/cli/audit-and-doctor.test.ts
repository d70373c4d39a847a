import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { givenProcess } from "../../support/given/process.ts";
import { eventually } from "../../support/run/eventually.ts";
import { useApi } from "../../support/service/api.ts";
import { useCliRealm } from "../../support/service/cli-realm.ts";
import { startReverseProxy, type ReverseProxy } from "../../support/run/reverse-proxy.ts";

const api = useApi();
const realm = useCliRealm(api);
const { cli } = realm;
let proxy: ReverseProxy;

beforeAll(async () => {
  const { id } = await realm.user();
  await api.as.service({ realmId: realm.realmId }).put(`/api/user/${id}/status`, { locked: true });
  proxy = await startReverseProxy(() => api.url);
});

test("the audit log is exported as NDJSON, or as CSV with only the filtered events", async () => {
  const ndjson = await cli(["audit", "export"]);
  const [first = ""] = ndjson.out.split("\n");
  expect(JSON.parse(first)).toMatchObject({ event: "user_lock" });

  expect((await cli(["audit", "export", "--csv"])).out).toContain("audit_export");
  const csv = await cli(["audit", "export", "--csv", "--filter", "event=user_lock"]);
  expect(csv.out).toMatch(/^id,date,event,[^]*user_lock/);
  expect(csv.out).not.toContain("audit_export");
});

test("an export goes into a new file that only its owner can read", async () => {
  const { code, out, err } = await cli(["audit", "export", "--out", "audit.ndjson"]);
  const file = join(cli.directory, "audit.ndjson");

  expect({ code, out }).toEqual({ code: 0, out: "" });
  expect(err).toContain("audit.ndjson");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, "utf8")).toContain('"user_lock"');
  expect((await cli(["audit", "export", "--out", "audit.ndjson"])).code).toBe(1);
});

test("an export with an unknown filter fails and writes no file", async () => {
  const { code } = await cli(["audit", "export", "--filter", "evnt=x", "--out", "none.ndjson"]);
  expect(code).toBe(1);
  await expect(stat(join(cli.directory, "none.ndjson"))).rejects.toThrow("ENOENT");
});

const doctor = async (env: Record<string, string> = {}) => {
  const { code, out } = await cli(["doctor", "--json"], { env });
  const findings = JSON.parse(out) as { check: string; ok: boolean; detail: string }[];
  return { code, found: Object.fromEntries(findings.map(({ check, ok, detail }) => [check, { ok, detail }])) };
};

test("doctor fails without a worker, and passes with a worker and a responder", async () => {
  // Expires the issuers of other realms, which have no keys.
  await api.database.owner.query(sql`
    update issuers set not_after = now() where id not in (select issuer_id from issuer_keys)
  `);
  const before = await doctor();
  expect(before.code).toBe(1);
  expect(before.found["status"]).toEqual({ ok: false, detail: expect.stringContaining("workers: none is alive") });

  await api.startWorker();
  // The process counts as alive until the end of the test, however slow this machine is.
  await givenProcess(api.database.owner, { kind: "responder", startedSeconds: 60 });
  const after = await eventually(async () => {
    const found = await doctor();
    expect(found.code).toBe(0);
    return found;
  });
  expect(after.found["status"]).toEqual({ ok: true, detail: "all parts of the service are well" });

  await givenProcess(api.database.owner, { kind: "responder", silentSeconds: 20 });
  await eventually(async () => {
    expect((await doctor()).found["status"]).toEqual({
      ok: true,
      detail: "works, with warnings: responders: one fell silent and did not stop cleanly",
    });
  });
  expect(Object.keys(after.found)).toEqual(["credentials", "service", "clock", "status", "token", "scopes", "realm"]);
});

test("doctor reports a clock that differs from the service's, an unreachable service, and wrong or missing credentials", async () => {
  proxy.decide(({ path }) =>
    path === "/healthz" ? { status: 200, headers: { Date: "Thu, 01 Jan 2026 00:00:00 GMT" } } : "pass",
  );
  expect((await doctor({ REALMPASS_URL: proxy.url })).found["clock"]).toEqual({
    ok: false,
    detail: expect.stringMatching(/this machine is \d+ s ahead of the service/),
  });
  expect((await doctor({ REALMPASS_URL: "http://127.0.0.1:9" })).found["service"]?.ok).toBe(false);
  expect((await doctor({ REALMPASS_CLIENT_SECRET: "wrong" })).found["token"]?.ok).toBe(false);
  expect((await doctor({ REALMPASS_CLIENT_ID: "", REALMPASS_CLIENT_SECRET: "" })).found).toEqual({
    credentials: { ok: false, detail: expect.stringContaining("realmpass login") },
  });
});
