import { randomUUID } from "node:crypto";
import { parse } from "csv-parse/sync";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { outputPublicKey, createDataKey, seal } from "../../../../../runtime/keys/sealed-output.ts";
import { useApi, type ApiAnswer, type Caller } from "../../../../support/service/api.ts";
import { auditOf, leaveIn } from "../../../../support/given/bulk-jobs.ts";
import { testOutputKeys } from "../../../../support/service/worker.ts";

const api = useApi();
let clientId: string;
let creator: Caller;
let service: Caller;
let other: Caller;

beforeAll(async () => {
  const { given, realmId } = api;
  const user = await given.user({ realmId, administrator: true });
  creator = api.as.user(user);
  ({ clientId } = await given.application({ realmId }));
  service = api.as.token(await given.token({ realmId, clientId }));
  other = api.as.admin();
});

async function created(raw: string, { as = creator, kind = "onboarding" } = {}): Promise<string> {
  const answer = await as.send("POST", `/api/jobs/${kind}`, { raw, headers: { "content-type": "text/csv" } });
  expect(answer.status, answer.text).toBe(202);
  return answer.body.data.id;
}

const read = (id: string, type: string, { as = creator, query = "" } = {}): Promise<ApiAnswer> =>
  as.get(`/api/jobs/${id}/results${query}`, { headers: { accept: type } });

const rowsIn = async (id: string, options?: Parameters<typeof read>[2]): Promise<Record<string, unknown>[]> =>
  (await read(id, "application/json", options)).body.data;

const tableIn = async (id: string, options?: Parameters<typeof read>[2]): Promise<Record<string, string>[]> =>
  parse((await read(id, "text/csv", options)).text, { columns: true });

/** Issues a profile for a row, with its output sealed as a worker does. */
async function issueFor(jobId: string, position: number, output: Record<string, string>): Promise<string> {
  const { owner } = api.database;
  const user = await api.given.user({ realmId: api.realmId });
  const serial = await api.given.profile(user);
  const [row] = await owner.query<{ issuanceId: string }>(sql`
    select issuance_id as "issuanceId" from certificates where serial_number = ${serial}
  `);
  const issuanceId = row?.issuanceId ?? "";
  await owner.query(sql`
    insert into issuances (id, realm_id, kind, user_id, name, device_type, format, key_type, authable, validity_months,
                           created_at, status, finished_at, error_code)
    values (${issuanceId}, ${api.realmId}, 'user', ${user.id}, 'laptop', 'Linux', 'pem', 'ec-p256', false, 12, now(),
            'failed', now(), 'issuance_failed')
  `);
  const { key, wrapped } = createDataKey(outputPublicKey(testOutputKeys.publicJwk));
  const dataKeyId = randomUUID();
  await owner.query(
    sql`insert into output_data_keys (id, wrapped, created_at) values (${dataKeyId}, ${wrapped}, now())`,
  );
  await owner.query(sql`
    insert into issuance_outputs (issuance_id, data_key_id, sealed, created_at, job_id)
    values (${issuanceId}, ${dataKeyId}, ${seal(key, Buffer.from(JSON.stringify(output)), issuanceId)}, now(), ${jobId})
  `);
  await owner.query(sql`
    update job_rows set status = 'changed', issuance_id = ${issuanceId} where job_id = ${jobId} and position = ${position}
  `);
  return serial;
}

const pem = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";

describe("results", () => {
  test("show the expected outcome before the run, and the actual one afterwards", async () => {
    const { owner } = api.database;
    const id = await created("Kennung;E-Mail;max. Profile\nanna;a@x.example;3\notto;;\nmaria;;viele\n");
    await owner.query(sql`
      update job_rows set expected = 'failed', error_code = 'user_offboarded' where job_id = ${id} and position = 2
    `);
    await leaveIn(owner, id, "ready");

    const [anna, otto, maria] = await rowsIn(id);
    expect(anna).toEqual({
      pairwiseID: "anna",
      email: "a@x.example",
      maxProfiles: 3,
      row: 1,
      status: "changed",
      error: null,
      message: null,
    });
    expect(otto).toEqual({
      pairwiseID: "otto",
      email: null,
      maxProfiles: null,
      row: 2,
      status: "failed",
      error: "user_offboarded",
      message: "This user is offboarded; reactivate them first.",
    });
    expect(maria).toMatchObject({
      maxProfiles: "viele",
      status: "failed",
      error: "invalid_row",
      message: "maxProfiles: must be a whole number from 0 to 100",
    });

    await leaveIn(owner, id, "running");
    expect(await rowsIn(id)).toMatchObject([
      { status: "pending", error: null },
      { status: "pending", error: null, message: null },
      { status: "failed", error: "invalid_row" },
    ]);
  });

  test("are available as JSON, NDJSON or CSV", async () => {
    const id = await created("Kennung;E-Mail\nanna;a@x.example\notto;\n");
    await leaveIn(api.database.owner, id, "completed");

    const [json, ndjson, csv, any] = await Promise.all([
      read(id, "application/json"),
      read(id, "application/x-ndjson"),
      read(id, "text/csv"),
      read(id, "*/*"),
    ]);

    expect(json.body).toMatchObject({ result: "ok", code: 200 });
    expect(json.headers["cache-control"]).toBe("no-store");
    expect(any.body).toEqual(json.body);
    expect(ndjson.headers["content-type"]).toBe("application/x-ndjson");
    expect(
      ndjson.text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(json.body.data);
    expect(csv.headers["content-disposition"]).toBe(`attachment; filename="onboarding-${id}.csv"`);
    expect(csv.text).toBe(
      "Kennung,E-Mail,row,status,error,message,serial,identity,radiusCN,data,certificate,privateKey\r\n" +
        "anna,a@x.example,1,changed,,,,,,,,\r\notto,,2,changed,,,,,,,,\r\n",
    );
  });

  test("can be filtered by status", async () => {
    const id = await created("pairwiseID,email\na,\n,\n,no-address\nb,\n");
    await leaveIn(api.database.owner, id, "completed_with_errors");
    const numbers = async (query: string) => (await rowsIn(id, { query })).map(({ row }) => row);

    expect(await numbers("")).toEqual([1, 3, 4]);
    expect(await numbers("?status=failed")).toEqual([3]);
    expect(await numbers("?status=failed,changed")).toEqual([1, 3, 4]);
    expect(await numbers("?status=failed&status=changed")).toEqual([1, 3, 4]);
    expect(await numbers("?status=skipped")).toEqual([]);
    expect((await read(id, "text/csv", { query: "?status=skipped" })).text.split("\r\n")).toHaveLength(2);
    for (const query of ["?status=", "?status=done", "?status=failed&status=gone"]) {
      expect(await read(id, "application/json", { query })).toBeError("invalid_request");
    }
  });

  test("of many rows contain each row once, in order", async () => {
    const lines = Array.from({ length: 1_501 }, (_, index) => `p${index}`);
    const id = await created(`pairwiseID\n${lines.join("\n")}\n`);
    expect((await rowsIn(id)).map(({ pairwiseID }) => pairwiseID)).toEqual(lines);
  });

  test("can be uploaded again, whatever users write into cells", async () => {
    const cells = [
      "=1+1",
      "+49 731",
      "-x",
      "@home",
      "'=a",
      "''+b",
      "'tis",
      'a"b',
      "a,b;c",
      "ü",
      " x",
      "a;=1",
      "b,'-1",
      'c"; +1',
    ];
    const body = { users: cells.map((pairwiseID) => ({ pairwiseID, email: null })) };
    const first = (await creator.post("/api/jobs/onboarding", body)).body.data.id;
    const table = await read(first, "text/csv");
    for (const line of table.text.split("\r\n").slice(1)) expect(line).not.toMatch(/(^"?|[;\t])[=+\-@]/);

    const again = await created(table.text);

    const ids = async (id: string) => (await rowsIn(id)).map(({ pairwiseID }) => pairwiseID);
    expect(await ids(first)).toEqual(cells);
    expect(await ids(again)).toEqual(cells);
    const next = await created((await read(again, "text/csv")).text);
    expect(await ids(next)).toEqual(cells);
  });
});

describe("files and keys", () => {
  test("are shown to the job's creator, in every format, on every request", async () => {
    const id = await created("pairwiseID\na\nb\nc\n");
    const serial = await issueFor(id, 1, { certificate: pem, privateKey: "KEY" });
    await issueFor(id, 2, { data: "cDEy" });
    await leaveIn(api.database.owner, id, "completed");

    for (let time = 0; time < 2; time += 1) {
      const [pair, bundle, none] = await rowsIn(id);
      expect(pair).toMatchObject({ serial, certificate: pem, privateKey: "KEY", status: "changed" });
      expect(pair?.["identity"]).toContain("@");
      expect(pair?.["radiusCN"]).toMatch(/^radius\./);
      expect(bundle).toMatchObject({ data: "cDEy" });
      expect(none).not.toHaveProperty("serial");
    }
    expect(await tableIn(id)).toMatchObject([
      { serial, certificate: pem, privateKey: "KEY", data: "" },
      { data: "cDEy", privateKey: "" },
      { serial: "", data: "" },
    ]);
    expect((await read(id, "application/x-ndjson")).text).toMatch(/"privateKey":"KEY".*\n.*"data":"cDEy"/);
    const events = (await auditOf(api.database.owner, id)).map(({ event }) => event);
    expect(events).toEqual(["job_create", ...Array.from({ length: 4 }, () => "job_output_read")]);
  });

  test("are shown to no other caller", async () => {
    const id = await created("pairwiseID\na\n");
    const serial = await issueFor(id, 1, { certificate: pem, privateKey: "KEY" });
    const ofService = await created("pairwiseID\na\n", { as: service });
    await issueFor(ofService, 1, { certificate: pem, privateKey: "KEY" });

    for (const as of [other, service]) {
      for (const type of ["application/json", "application/x-ndjson", "text/csv"]) {
        const { status, text } = await read(id, type, { as });
        expect(status).toBe(200);
        expect(text).toContain(serial);
        expect(text).not.toMatch(/KEY|BEGIN/);
      }
    }
    expect((await read(ofService, "application/json", { as: creator })).text).not.toContain("KEY");
    expect((await read(ofService, "application/json", { as: service })).text).toContain("KEY");
  });

  test("are removed when erased; the rows' outcomes stay", async () => {
    const id = await created("pairwiseID\na\n");
    const serial = await issueFor(id, 1, { certificate: pem, privateKey: "KEY" });
    const kept = await created("pairwiseID\na\n");
    await issueFor(kept, 1, { certificate: pem, privateKey: "KEY" });
    await leaveIn(api.database.owner, id, "completed");
    const hasOutput = async (job: string) => (await other.get(`/api/jobs/${job}`)).body.data.hasOutput;
    expect(await hasOutput(id)).toBe(true);

    expect((await other.delete(`/api/jobs/${id}/results`)).body).toEqual({ result: "ok", code: 200, data: true });
    expect((await other.delete(`/api/jobs/${id}/results`)).status).toBe(200);

    const [row] = await rowsIn(id);
    expect(row).toMatchObject({ serial, status: "changed" });
    expect(row).not.toHaveProperty("privateKey");
    expect(
      await api.database.owner.query(sql`
        select sealed, j.output_erased_at is not null as erased
          from issuance_outputs o join jobs j on j.id = o.job_id
         where o.job_id = ${id}
      `),
    ).toEqual([{ sealed: null, erased: true }]);
    expect((await rowsIn(kept))[0]).toMatchObject({ privateKey: "KEY" });
    expect([await hasOutput(id), await hasOutput(kept)]).toEqual([false, true]);
  });
});
