import { systemClock } from "../../../../../runtime/clock.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { allScopes } from "../../../../../domain/people/scopes.ts";
import { auditOf, driveJobs } from "../../../../support/given/bulk-jobs.ts";
import type { GivenUser } from "../../../../support/given/given.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";

/** Tests revocation as a bulk job, from the upload to the results. */

const api = useApi();
const worker = driveJobs(() => api.database.open("realmpass_worker"));
let admin: Caller;
let owner: GivenUser;
beforeAll(async () => {
  admin = api.as.admin();
  owner = await api.given.user({ realmId: api.realmId, pairwiseId: "holder-of-many" });
});

const send = (raw: string, { query = "", type = "text/csv", as = admin, headers = {} } = {}) =>
  as.send("POST", `/api/jobs/revocation${query}`, { raw, headers: { "content-type": type, ...headers } });

/** Uploads a file, runs its job to the end and returns the job's ID. */
async function run(raw: string, options?: Parameters<typeof send>[1]): Promise<string> {
  const answer = await send(raw, options);
  expect(answer.status, answer.text).toBe(202);
  await worker.run(answer.body.data.id);
  return answer.body.data.id;
}

const check = (raw: string, type = "text/csv", query = ""): Promise<string> =>
  run(raw, { query: `?dryRun=true${query}`, type });
const jobOf = async (id: string) => (await admin.get(`/api/jobs/${id}`)).body.data;
const resultsOf = async (id: string) => (await admin.get(`/api/jobs/${id}/results`)).body.data;

async function profiles(count: number): Promise<string[]> {
  const serials: string[] = [];
  for (let index = 0; index < count; index++) serials.push(await api.given.profile(owner));
  return serials;
}

const isRevoked = async (serial: string): Promise<boolean> =>
  (
    await api.database.owner.query(
      sql`select from certificates where serial_number = ${serial} and revoked_at is not null`,
    )
  ).length > 0;

const grouped = (serial: string, separator = " "): string =>
  [...serial.matchAll(/.{1,4}/g)].map(([digits]) => digits).join(separator);

function octets(serial: string, separator: string): string {
  const hex = BigInt(serial).toString(16);
  return [...hex.padStart(hex.length + (hex.length % 2), "0").matchAll(/../g)].join(separator);
}

describe("a file of serial numbers", () => {
  let [a, b]: string[] = [];
  beforeAll(async () => {
    [a, b] = await profiles(2);
  });

  test.each<[string, string, (a: string, b: string) => string]>([
    ["a list", "application/json", (one, two) => JSON.stringify({ serials: [one, two] })],
    [
      "a list of rows",
      "application/json",
      (one, two) => JSON.stringify({ Serials: [{ serial: one }, { Serial: two }] }),
    ],
    ["a line for each", "application/x-ndjson", (one, two) => `{"serial":"${one}"}\n{"serial":"${two}","x":1}\n`],
    ["bare lines of JSON", "application/x-ndjson", (one, two) => `"${one}"\n"${two}"\n`],
    ["a table", "text/csv", (one, two) => `serial\n${one}\n${two}\n`],
    ["pasted numbers", "text/csv", (one, two) => `${one}\r\n${two}\r\n`],
    ["pasted groups of digits", "text/csv", (one, two) => `${grouped(one)}\n${grouped(two, "\u00a0")}\n`],
    ["octets", "text/csv", (one, two) => `serial\n${octets(one, ":")}\n${octets(two, "-").toUpperCase()}\n`],
    ["pasted octets", "text/csv", (one, two) => `${octets(one, ":")}\n${octets(two, ":")}\n`],
    [
      "as openssl prints it",
      "text/csv",
      (one, two) => `serial\nserial=${octets(one, "").toUpperCase()}\n${octets(two, "")}\n`,
    ],
    ["with a prefix", "application/x-ndjson", (one, two) => `"0x${octets(one, "")}"\n"0X${octets(two, "")}"\n`],
    [
      "the console's list in English",
      "text/csv",
      (one, two) => `Serial number,Name,Person,Created (Europe/Berlin)\n${one},a,b,c\n${grouped(two)},a,b,c\n`,
    ],
    [
      "the console's list in German",
      "text/csv",
      (one, two) => `sep=;\r\nName;Seriennummer;Kennung;E-Mail\r\nx;${grouped(one)};p;p@x.example\r\nx;${two};p;\r\n`,
    ],
    [
      "the results of an onboarding",
      "text/csv",
      (one, two) =>
        `pairwiseID,profileName,row,status,serial,identity\np,laptop,1,changed,${one},i\nq,laptop,2,changed,${two},i\n`,
    ],
  ])("%s (%s) identifies the profiles", async (name, type, file) => {
    const id = await check(file(a!, b!), type, name.startsWith("pasted") ? "&header=none" : "");

    expect(await resultsOf(id)).toMatchObject([
      { row: 1, serial: a, status: "changed", error: null },
      { row: 2, serial: b, status: "changed", error: null },
    ]);
    expect(await jobOf(id)).toMatchObject({
      kind: "revocation",
      state: "ready",
      changed: 2,
      affectedProfiles: 2,
      reason: 0,
    });
    expect(await isRevoked(a!)).toBe(false);
  });

  test("fails the row whose number a spreadsheet has shortened", async () => {
    const id = await check(`serial\n"2,05872E+29"\n${a!}\n`);
    const [bad, good] = await resultsOf(id);
    expect(bad).toMatchObject({ message: "serial: is a number that the spreadsheet shortened" });
    expect(good).toMatchObject({ status: "changed" });
  });

  test.each([
    ["no number", "laptop"],
    ["a fraction", "4711.5"],
    ["nothing but zeros", "0000 0000"],
    ["more digits than a serial number has", "1".repeat(49)],
    ["octets that are too many", "ab:".repeat(21) + "ab"],
  ])("fails only the row with %s", async (_, cell) => {
    const id = await check(`serial\n"${cell}"\n${a!}\n`);

    const [bad, good] = await resultsOf(id);
    expect(bad).toMatchObject({
      status: "failed",
      error: "invalid_row",
      message: "serial: must be a serial number, decimal or in hexadecimal octets",
    });
    expect(good).toMatchObject({ status: "changed" });
  });

  test("takes numbers as text, and never looks up a number that JSON has rounded", async () => {
    const id = await check('{"serials":[205871943376402915538846120977]}', "application/json");
    expect(await jobOf(id)).toMatchObject({ state: "failed", error: "nothing_usable" });
    expect(await resultsOf(id)).toMatchObject([{ status: "failed", error: "invalid_row" }]);
  });

  test.each([
    ["application/json", '{"users":[]}', "The file has no rows."],
    ["application/json", '{"serials":{"a":"1"}}', "serials must be an array."],
    ["application/json", "[]", 'The body must be a JSON object: {"serials": […]}.'],
    ["text/csv", "userID,Name\n1,x\n", "The file lacks the column serial. Known are serial."],
    ["text/csv", "serial,Seriennummer\n1,2\n", "The file has two columns for serial."],
    ["text/csv", "serial,Etage\n1,2\n", "The file has a column “Etage” that is unknown. Known are serial."],
  ])("%s: %s is refused", async (type, raw, description) => {
    const answer = await send(raw, { type });
    expect(answer).toBeError("invalid_request");
    expect(answer.body.error_description).toBe(description);
  });
});

describe("a revocation", () => {
  test("revokes the profiles that its check listed with their owners, and reports them", async () => {
    const [one, two, three] = await profiles(3);
    const id = await check(`serial\n${one}\n${two}\n${three}\n4711\n`);

    const { body } = await admin.get(`/api/jobs/${id}/rows?include=people&filter[status]=changed`);
    expect(body.data).toMatchObject([one, two, three].map((serial) => ({ serial, user: owner.id, profiles: 1 })));
    expect(body.people[owner.id]).toMatchObject({ pairwiseID: "holder-of-many" });
    const found = await admin.get(`/api/jobs/${id}/rows?search=${encodeURIComponent(grouped(two!))}`);
    expect(found.body.data).toMatchObject([{ serial: two, row: 2 }]);

    const without = await admin.delete(`/api/jobs/${id}/rows`, { rows: [1, 2] });
    expect(without.body.data).toMatchObject({ changed: 1, skipped: 2, affectedProfiles: 1 });
    const again = await admin.put(`/api/jobs/${id}/rows`, { rows: [2] });
    expect(again.body.data).toMatchObject({ changed: 2, skipped: 1, affectedProfiles: 2 });
    expect((await admin.post(`/api/jobs/${id}/start`, {})).status).toBe(202);
    await worker.run(id);

    expect(await jobOf(id)).toMatchObject({ state: "completed_with_errors", changed: 2, failed: 1, skipped: 1 });
    expect(await Promise.all([one, two, three].map((serial) => isRevoked(serial!)))).toEqual([false, true, true]);
    expect(await jobOf(id)).toMatchObject({ undoUntil: null });
    expect(await admin.post(`/api/jobs/${id}/undo`)).toBeError("job_state");
  });

  test.each([
    ["", 0],
    ["?reason=1", 1],
    ["?reason=4", 4],
  ])("%s has the reason %d, in the job, the profile and the audit log", async (query, reason) => {
    const [serial] = await profiles(1);
    const id = await run(`serial\n${serial}\n`, { query });

    expect(await jobOf(id)).toMatchObject({ state: "completed", reason });
    const entries = await auditOf(api.database.owner, id);
    expect(entries.map(({ event, properties }) => [event, properties["reason"]])).toEqual([
      ["job_create", reason],
      ["profile_revoke", reason],
      ["job_finish", undefined],
    ]);
    const shown = await admin.get(`/api/profiles/${serial}`);
    expect(shown.body.data).toMatchObject({ revokeReason: reason });
  });

  test.each(["2", "6", "01x", "-1", "", "key"])("with the reason %j is refused", async (reason) => {
    expect(await send("serial\n4711\n", { query: `?reason=${reason}` })).toBeError("invalid_request");
  });

  test("waits for its time, and can be cancelled", async () => {
    const [serial] = await profiles(1);
    const later = new Date(systemClock.now().getTime() + 3_600_000).toISOString();
    const id = await run(`serial\n${serial}\n`, { query: `?executeAt=${later}&name=lost%20phones&rowOffset=3` });

    expect(await jobOf(id)).toMatchObject({ state: "scheduled", name: "lost phones", rowOffset: 3 });
    await admin.post(`/api/jobs/${id}/cancel`);
    await worker.run(id);
    expect(await jobOf(id)).toMatchObject({ state: "cancelled", skipped: 1 });
    expect(await isRevoked(serial!)).toBe(false);
  });

  test("sent twice with one Idempotency-Key creates one job", async () => {
    const [serial] = await profiles(1);
    const headers = { "Idempotency-Key": `revoke-${serial}` };
    const first = await send(`serial\n${serial}\n`, { headers });
    const second = await send(`serial\n${serial}\n`, { headers });
    expect(second.body.data.id).toBe(first.body.data.id);
    expect(await send(`serial\n${serial}\n`, { headers, query: "?reason=1" })).toBeError("idempotency_key_reused");
  });

  test("has results that can be uploaded again, with each serial number once", async () => {
    const serials = await profiles(2);
    const id = await run(`Seriennummer;Name\n${serials.map((serial) => `${grouped(serial)};x`).join("\n")}\n`);
    const results = await admin.get(`/api/jobs/${id}/results`, { headers: { accept: "text/csv" } });

    expect(results.text.split("\r\n")[0]).toMatch(/^Seriennummer,row,status,error,message,identity/);
    const again = await check(results.text);
    expect(await jobOf(again)).toMatchObject({ state: "completed", unchanged: 2 });
  });

  test("can be retried as a job with only the failed rows, under their numbers, and the same reason", async () => {
    const [revoked] = await profiles(1);
    const id = await run(`serial\n${revoked}\n4711\n`, { query: "?reason=4&name=first" });
    const late = await api.given.profile(owner, { serialNumber: "4711" });

    const retried = (await admin.post(`/api/jobs/${id}/retry`)).body.data.id;
    await worker.run(retried);

    expect(await jobOf(retried)).toMatchObject({ state: "completed", total: 1, changed: 1, reason: 4, name: "first" });
    expect(await resultsOf(retried)).toMatchObject([{ row: 2, serial: "4711", status: "changed" }]);
    expect(await isRevoked(late)).toBe(true);
  });

  test("that covers a large share of the realm's profiles shows their number and waits until it is confirmed", async () => {
    const realmId = await api.given.realm();
    const boss = api.as.admin({ realmId });
    const user = await api.given.user({ realmId });
    const serials: string[] = [];
    for (let index = 0; index < 101; index++) serials.push(await api.given.profile(user));
    const id = await run(JSON.stringify({ serials }), { type: "application/json", as: boss });

    expect((await boss.get(`/api/jobs/${id}`)).body.data).toMatchObject({
      state: "ready",
      error: "confirmation_required",
      changed: 101,
    });
    const refused = await boss.post(`/api/jobs/${id}/start`, {});
    expect(refused).toBeError("confirmation_required");
    expect(refused.body.error_description).toMatch(/^101 profiles would be revoked\./);
    expect((await boss.post(`/api/jobs/${id}/start`, { confirmTotal: 101 })).status).toBe(202);
  });

  test("requires profile.delete to create and to start", async () => {
    const without = api.as.admin({ scopes: allScopes.filter((scope) => scope !== "profile.delete") });
    expect(await send("serial\n4711\n", { as: without })).toBeError("insufficient_scope");
    const [serial] = await profiles(1);
    const id = await check(`serial\n${serial}\n`);
    expect(await without.post(`/api/jobs/${id}/start`, {})).toBeError("insufficient_scope");
  });

  test("finds no profile of another realm", async () => {
    const [serial] = await profiles(1);
    const stranger = api.as.admin({ realmId: await api.given.realm() });
    const id = await run(`serial\n${serial}\n`, { as: stranger });
    expect((await stranger.get(`/api/jobs/${id}/results`)).body.data).toMatchObject([
      { status: "failed", error: "profile_not_found" },
    ]);
    expect(await isRevoked(serial!)).toBe(false);
  });
});
