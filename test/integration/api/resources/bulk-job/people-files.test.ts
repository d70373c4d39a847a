import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import type { JobKind } from "../../../../../domain/bulk-job/job.ts";
import { givenTwins } from "../../../../support/given/spellings.ts";
import { driveJobs } from "../../../../support/given/bulk-jobs.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";

/** Tests files as people have them, from the upload to the result of the check. */

const api = useApi();
const worker = driveJobs(() => api.database.open("realmpass_worker"));
let admin: Caller;
beforeAll(() => {
  admin = api.as.admin();
});

const send = (kind: JobKind, raw: string | Buffer, { query = "", type = "text/csv" } = {}) =>
  admin.send("POST", `/api/jobs/${kind}?dryRun=true${query}`, { raw, headers: { "content-type": type } });

/** Uploads a file; returns its checked job. */
async function check(kind: JobKind, raw: string | Buffer, options?: { query?: string; type?: string }) {
  const answer = await send(kind, raw, options);
  expect(answer.status, answer.text).toBe(202);
  await worker.run(answer.body.data.id);
  return (await admin.get(`/api/jobs/${answer.body.data.id}`)).body.data;
}

const rowsOf = async (id: string) => (await admin.get(`/api/jobs/${id}/results`)).body.data;

const person = async (values: { pairwiseId?: string; email?: string } = {}): Promise<string> =>
  (await api.given.user({ realmId: api.realmId, ...values })).id;

const nameOf = async (userId: string): Promise<string> => (await admin.get(`/api/user/${userId}`)).body.data.pairwiseID;

describe("columns of a file", () => {
  const list = "Matrikel;Vorname;E-Mail;Studiengang\r\nmk-1;Mia;mia@x.example;Physik\r\n";

  test("have all their errors reported in one response, each with its column", async () => {
    const answer = await send(
      "onboarding",
      "Vorname;Nachname;Profilname;max Profile;Max Profiles\r\nMia;Keller;phone;1;2\r\n",
    );

    expect(answer).toBeError("invalid_request");
    expect(answer.body.error_description).toBe(
      "The file has columns that are unknown: “Vorname”, “Nachname”; it lacks the column pairwiseID or email; " +
        "it has profileName without deviceType and format, which a profile needs as well; " +
        "it has two columns for maxProfiles. Known are pairwiseID, email, maxProfiles, profileName, deviceType, format.",
    );
    expect(answer.body.fields).toEqual([
      { path: "Vorname", reason: "is no column that is known" },
      { path: "Nachname", reason: "is no column that is known" },
      { path: "pairwiseID or email", reason: "is missing" },
      { path: "deviceType", reason: "is missing" },
      { path: "format", reason: "is missing" },
      { path: "Max Profiles", reason: "occurs twice" },
    ]);
  });

  test("have the meaning that the client declares, and are ignored on request", async () => {
    const mapped = await check("onboarding", list, {
      query: `&columns[matrikel]=pairwiseID&columns[${encodeURIComponent("Vorname")}]=ignore&columns[Studiengang]=ignore`,
    });
    const ignored = await check("onboarding", list, { query: "&columns[Matrikel]=pairwiseID&unknownColumns=ignore" });

    for (const { id } of [mapped, ignored]) {
      expect(await rowsOf(id)).toMatchObject([
        { row: 1, pairwiseID: "mk-1", email: "mia@x.example", status: "changed" },
      ]);
    }
  });

  test("keep their names and declared meaning in the results, which can be uploaded again", async () => {
    const { id } = await check("onboarding", list, { query: "&columns[Matrikel]=pairwiseID&unknownColumns=ignore" });
    const results = await admin.get(`/api/jobs/${id}/results`, { headers: { accept: "text/csv" } });

    expect(results.text.split("\r\n")[0]).toMatch(/^pairwiseID,E-Mail,row,status/);
    expect(await check("onboarding", results.text)).toMatchObject({ state: "ready", total: 1, changed: 1 });
  });

  test.each([
    ["&columns[Matrikelnummer]=pairwiseID", "columns.Matrikelnummer", "is not in the file"],
    ["&columns[Matrikel]=maxProfiles", "columns.Matrikel", "maxProfiles is no column of this kind of job"],
  ])("%s is reported with the file's other errors", async (query, path, reason) => {
    const answer = await send("offboarding", list, { query });

    expect(answer).toBeError("invalid_request");
    expect(answer.body.fields).toContainEqual({ path, reason });
    expect(answer.body.fields).toContainEqual({ path: "Vorname", reason: "is no column that is known" });
  });

  test.each([
    "Kennung;E-Mail;Stand;Profile in Gebrauch;Angelegt\r\n%;x@y.example;Aktiv;1 / 5;2026-11-22T06:30:00Z\r\n",
    "Kennung;E-Mail;Status;Profile in Gebrauch;Angelegt (Europe/Berlin)\r\n%;x@y.example;Aktiv;1 / 5;22.11.2026 06:30:00\r\n",
    "Pseudonymous ID,E-mail,Status,Profiles used,Created\r\n%,x@y.example,Active,1 / 5,2026-11-22T06:30:00Z\r\n",
    "Pseudonymous ID,E-mail,Status,Profiles used,Created (UTC)\r\n%,x@y.example,Active,1 / 5,2026-11-22 06:30:00\r\n",
  ])("the console's export of the user list is accepted unchanged: %s", async (text) => {
    const name = await nameOf(await person());

    const job = await check("offboarding", `\ufeff${text.replace("%", name)}`);

    expect(job).toMatchObject({ state: "ready", changed: 1, failed: 0 });
    expect(await rowsOf(job.id)).toMatchObject([{ pairwiseID: name, status: "changed" }]);
  });

  test("the results of an offboarding are accepted unchanged", async () => {
    const name = await nameOf(await person());
    const { id } = await check("offboarding", `Kennung\n${name}\n`);
    const results = await admin.get(`/api/jobs/${id}/results`, { headers: { accept: "text/csv" } });

    expect(await check("offboarding", results.text)).toMatchObject({ state: "ready", changed: 1 });
  });
});

describe("choices about the columns of a CSV file", () => {
  const others = [
    ["application/x-ndjson", '{"userID":"1","why":"rounded"}\n'],
    ["application/json", '{"users":[{"userID":"1","why":"rounded"}]}'],
  ] as const;

  test.each(others)("that mark rows as faulty are refused for %s", async (type, text) => {
    const answer = await send("offboarding", text, { query: "&columns[why]=fault&columns[x]=ignore", type });
    expect(answer).toBeError("invalid_request");
    expect(answer.body.fields).toEqual([{ path: "columns.why", reason: "is for a CSV file" }]);
  });

  test.each(others)("that mark none are ignored for %s", async (type, text) => {
    const query = "&columns[id]=userID&unknownColumns=ignore&header=none";
    expect((await send("offboarding", text, { query, type })).status).toBe(202);
  });

  test("about a heading are refused for a file without headings; columns may be ignored", async () => {
    const query = "&header=none&columns[id]=userID&columns[why]=ignore";
    const answer = await send("offboarding", "k1\nk2\n", { query });
    expect(answer).toBeError("invalid_request");
    expect(answer.body.fields).toEqual([{ path: "columns.id", reason: "is not in the file" }]);
    expect((await send("offboarding", "k1\nk2\n", { query: "&header=none&unknownColumns=ignore" })).status).toBe(202);
  });
});

describe("a list without a header", () => {
  const withoutHeader = { query: "&header=none" };

  test.each<[title: string, text: string, shown: string]>([
    ["a web page", "<!DOCTYPE html>\n<html>\n", "“<!DOCTYPE html>”"],
    ["another separator", "Kennung|E-Mail\nk1|k1@x.example\n", "“Kennung|E-Mail”"],
    ["a comma in its heading and semicolons in its rows", "Nr,Benutzer\nk9;k9@x.example\n", "“Nr”, “Benutzer”"],
    ["the version of a template", "Vorlage v3\nKennung;E-Mail\nk1;\n", "“Vorlage v3”"],
    ["the type that PowerShell writes", '#TYPE Selected.User\n"id"\n"k1"\n', "“#TYPE Selected.User”"],
    ["ids alone", "k1\nk2\n", "“k1”"],
  ])("is accepted only if the client declares it; a refusal shows its first line: %s", async (_, text, shown) => {
    for (const kind of ["onboarding", "offboarding"] as const) {
      const answer = await send(kind, text);
      expect(answer).toBeError("unknown_columns");
      expect(answer.status).toBe(400);
      expect(answer.body.error_description).toContain(`It was read as ${shown}. Known are `);
    }
  });

  test("is refused even if unknown columns are ignored", async () => {
    expect(await send("offboarding", "k1\nk2\n", { query: "&unknownColumns=ignore" })).toBeError("unknown_columns");
    expect((await send("offboarding", "Kennung;x\nk2;y\n", { query: "&unknownColumns=ignore" })).status).toBe(202);
  });

  test("is refused if it has a header", async () => {
    const answer = await send("onboarding", "Kennung\nk1\n", withoutHeader);
    expect(answer).toBeError("invalid_request");
    expect(answer.body.error_description).toBe("The file has a heading, “Kennung”: send it without header=none.");
  });

  test("contains identifiers or addresses of leavers, from its first line", async () => {
    const [byName, byAddress] = [await nameOf(await person()), `leaving-${randomUUID()}@x.example`];
    await person({ email: byAddress });
    const scoped = `scoped-${randomUUID()}@idp.example`;
    await person({ pairwiseId: scoped });

    const job = await check(
      "offboarding",
      `${byName}\r\n\r\n${byAddress.toUpperCase()}\r\n${scoped}\r\nnobody-at-all\r\n`,
      withoutHeader,
    );

    expect(job).toMatchObject({ state: "ready", total: 4, changed: 3, failed: 1 });
    expect(await rowsOf(job.id)).toMatchObject([
      { row: 1, pairwiseID: byName, status: "changed" },
      { row: 3, status: "changed" },
      { row: 4, pairwiseID: scoped, status: "changed" },
      { row: 5, status: "failed", error: "user_not_found" },
    ]);
  });

  test("never creates a user from an address", async () => {
    const job = await check("onboarding", `new-${randomUUID()}\nnobody-${randomUUID()}@x.example\n`, withoutHeader);

    expect(await rowsOf(job.id)).toMatchObject([
      { row: 1, status: "changed" },
      { row: 2, pairwiseID: null, status: "failed", error: "user_not_found" },
    ]);
  });

  test("fails rows with more than one cell", async () => {
    const { id } = await check("offboarding", `${await nameOf(await person())}\nb,c\n`, withoutHeader);
    expect(await rowsOf(id)).toMatchObject([
      { status: "changed" },
      { row: 2, message: "The row has more than one cell." },
    ]);
  });
});

describe("an e-mail address", () => {
  test.each(["offboarding", "onboarding"] as const)("identifies the only user who has it (%s)", async (kind) => {
    const email = `Only.${randomUUID()}@X.example`;
    const userId = await person({ email });

    const job = await check(kind, `E-Mail;max Profile\n${email.toLowerCase()};4\n`, {
      query: kind === "offboarding" ? "&unknownColumns=ignore" : "",
    });
    expect(job).toMatchObject({ state: "ready", changed: 1 });
    await admin.post(`/api/jobs/${job.id}/start`, {});
    await worker.run(job.id);

    expect((await admin.get(`/api/jobs/${job.id}`)).body.data).toMatchObject({ state: "completed", changed: 1 });
    expect((await admin.get(`/api/user/${userId}`)).body.data).toMatchObject(
      kind === "offboarding" ? { blacklisted: true } : { profileOverride: 4, email },
    );
  });

  test.each(["offboarding", "onboarding"] as const)(
    "fails its row with a reason if two users or no users have it (%s)",
    async (kind) => {
      const email = `two-${randomUUID()}@x.example`;
      const names = [await nameOf(await person({ email })), await nameOf(await person({ email: email.toUpperCase() }))];

      const job = await check(kind, `email\n${email}\nnobody-${randomUUID()}@x.example\nnot-an-email\n`);

      expect(await rowsOf(job.id)).toMatchObject([
        { error: "ambiguous_email", message: `several people have this e-mail address: ${names.join(", ")}` },
        { error: "user_not_found" },
        { error: "invalid_row", message: "email: is no address" },
      ]);
    },
  );

  test.each(["offboarding", "onboarding"] as const)(
    "and an identifier of the same user count as one user (%s)",
    async (kind) => {
      const email = `same-${randomUUID()}@x.example`;
      const name = await nameOf(await person({ email }));

      const job = await check(kind, `pairwiseID,email\n${name},\n,${email}\n,${email}\n`);

      const rows = await rowsOf(job.id);
      expect(rows.slice(1)).toMatchObject([
        { error: "duplicate_row", message: "the same person as row 1" },
        { error: "duplicate_row", message: "the same person as row 1" },
      ]);
    },
  );

  test("is ignored if the row has an identifier", async () => {
    const [leaving, staying] = [await nameOf(await person()), `stays-${randomUUID()}@x.example`];
    await person({ email: staying });

    const unread = await nameOf(await person());
    const job = await check("offboarding", `pairwiseID,email\n${leaving},${staying}\n${unread},no address at all\n`);

    expect(job).toMatchObject({ changed: 2, failed: 0 });
    const { body } = await admin.get(`/api/jobs/${job.id}/rows?include=people`);
    expect(Object.values(body.people)).toMatchObject([{ pairwiseID: leaving }, { pairwiseID: unread }]);
  });

  test("keeps the user that it identified at the check", async () => {
    const email = `moves-${randomUUID()}@x.example`;
    const before = await person({ email });
    const job = await check("offboarding", `email\n${email}\n`);
    await api.database.owner.query(sql`update users set email = 'elsewhere@x.example' where id = ${before}`);
    const after = await person({ email });

    await admin.post(`/api/jobs/${job.id}/start`, {});
    await worker.run(job.id);

    expect((await admin.get(`/api/user/${before}`)).body.data.blacklisted).toBe(true);
    expect((await admin.get(`/api/user/${after}`)).body.data.blacklisted).toBe(false);
  });
});

describe("an id in a file", () => {
  const unique = () => randomUUID();

  test.each([
    ["1.23457E+11", "is a number that the spreadsheet shortened"],
    ['"1,23457E+11"', "is a number that the spreadsheet shortened"],
    ["2.0", "is a number with decimal places"],
    ['"2,0"', "is a number with decimal places"],
    ["(2 rows)", "is the number of rows that a program wrote below them"],
  ])("that a program has spoilt fails its row: %s", async (cell, reason) => {
    for (const kind of ["onboarding", "offboarding"] as const) {
      const [spoilt] = await rowsOf((await check(kind, `Kennung\n${cell}\n`)).id);
      expect(spoilt).toMatchObject({ error: "invalid_row", message: `pairwiseID: ${reason}` });
    }
  });

  test("is read from a formula that keeps its leading zeros, and from quotation marks after a blank", async () => {
    const [plain, formula, quoted, blank] = [unique(), `00${unique()}`, `00${unique()}`, unique()];
    const text = `E-Mail;Kennung\n;${plain}\n;="${formula}"\n;"=""${quoted}"""\n; "${blank}"\n`;
    const { id } = await check("onboarding", text);
    const stored = await api.database.owner.query<{ name: string }>(sql`
      select pairwise_id as name from job_rows where job_id = ${id} order by position
    `);
    expect(stored.map(({ name }) => name)).toEqual([plain, formula, quoted, blank]);
  });

  test.each(["TRUE", "FALSE", "WAHR", "FALSCH"])(
    "that a spreadsheet wrote as %s fails its row, in CSV and in JSON",
    async (truth) => {
      await person({ pairwiseId: truth });
      const users = [{ pairwiseID: truth }, { pairwiseID: `${truth}-1` }];
      await person({ pairwiseId: `${truth}-1` });
      const csv = `Kennung\n${users.map(({ pairwiseID }) => pairwiseID).join("\n")}\n`;
      const json = JSON.stringify({ users });
      const lines = users.map((user) => JSON.stringify(user)).join("\n");
      for (const [raw, type] of [
        [csv, "text/csv"],
        [json, "application/json"],
        [lines, "application/x-ndjson"],
      ] as const) {
        const { id } = await check("offboarding", raw, { type });
        expect(await rowsOf(id), type).toMatchObject([
          { status: "failed", error: "invalid_row", message: "pairwiseID: is TRUE or FALSE" },
          { status: "changed", pairwiseID: `${truth}-1` },
        ]);
      }
      const truths = { users: [{ pairwiseID: /^(?:TRUE|WAHR)$/.test(truth) }] };
      const { id } = await check("offboarding", JSON.stringify(truths), { type: "application/json" });
      expect(await rowsOf(id)).toMatchObject([{ status: "failed", message: "pairwiseID: must be text" }]);
    },
  );

  test("loses invisible characters around it; inside a new id they fail the row, which reports their position", async () => {
    const [clean, inside] = [`clean-${unique()}`, unique()];
    const { id } = await check("onboarding", `Kennung\n\u200e${clean}\u200b\nj\u200b${inside}\n`);
    expect(await rowsOf(id)).toMatchObject([
      { status: "changed" },
      { error: "invalid_row", message: "pairwiseID: must not contain an invisible character, as at 2" },
    ]);
    const kept = await api.database.owner.query(sql`
      select pairwise_id as name from job_rows where job_id = ${id} order by position
    `);
    expect(kept).toEqual([{ name: clean }, { name: null }]);
    const { text } = await admin.get(`/api/jobs/${id}/results?lang=de`, { headers: { accept: "text/csv" } });
    expect(text).toContain("Kennung: enthält an Stelle 2 ein unsichtbares Zeichen");
  });

  test("that matches several users in other spellings fails its row and lists them", async () => {
    const name = unique().toUpperCase().replace(/^./, "A");
    const ids = [name, name.toLowerCase()];
    await givenTwins(api.database.owner, { realmId: api.realmId, ids });
    const third = name.toLowerCase().replace(/^./, "A");
    expect(ids).not.toContain(third);
    for (const kind of ["onboarding", "offboarding"] as const) {
      const { id } = await check(kind, `Kennung\n${third}\n`);
      expect(await rowsOf(id)).toMatchObject([
        { error: "ambiguous_user", message: `several people have this id in other spellings: ${ids.join(", ")}` },
      ]);
      const { text } = await admin.get(`/api/jobs/${id}/results?lang=de`, { headers: { accept: "text/csv" } });
      expect(text).toContain(`Mehrere Personen haben diese Kennung in anderer Schreibweise: ${ids.join(", ")}.`);
    }
  });
});

describe("a file in another encoding", () => {
  const cells = "Kennung;Anzeigename\r\nm€ller-Jäger;Jäger\r\n";
  const bytes = Buffer.from(cells.replace("€", "\u0080"), "latin1");

  test.each(["windows-1252", "iso-8859-1", '"Windows-1252"'])(
    "is read as %s if the client declares it",
    async (charset) => {
      const { id } = await check("onboarding", bytes, { type: `text/csv; charset=${charset}` });
      expect(await rowsOf(id)).toMatchObject([{ pairwiseID: "m€ller-Jäger" }]);
    },
  );

  test("is refused if the encoding is not declared", async () => {
    const answer = await send("onboarding", bytes);
    expect(answer).toBeError("invalid_request");
    expect(answer.body.error_description).toMatch(/not UTF-8/);
  });

  test("is a different request from the same bytes as UTF-8", async () => {
    const key = { "idempotency-key": randomUUID() };
    const again = (type: string) =>
      admin.send("POST", "/api/jobs/onboarding", { raw: "Kennung\na\n", headers: { "content-type": type, ...key } });

    expect((await again("text/csv")).status).toBe(202);
    expect(await again("text/csv; charset=windows-1252")).toBeError("idempotency_key_reused");
  });
});
