import { randomUUID } from "node:crypto";
import { request as httpRequest } from "node:http";
import { describe, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { certificateFormats } from "../../../../../domain/certificate/format.ts";
import { allScopes } from "../../../../../domain/people/scopes.ts";
import { useApi, type ApiAnswer, type SendOptions } from "../../../../support/service/api.ts";
import { fromNow } from "../../../../support/given/given.ts";
import { auditOf } from "../../../../support/given/bulk-jobs.ts";
import { eventually } from "../../../../support/run/eventually.ts";

const api = useApi();

interface Stored {
  position: number;
  input: (string | null)[];
  pairwiseId: string | null;
  userId: string | null;
  email: string | null;
  maxProfiles: number | null;
  profileName: string | null;
  deviceType: string | null;
  format: string | null;
  status: string;
  message: string | null;
}

const storedRows = (jobId: string): Promise<Stored[]> =>
  api.database.owner.query<Stored>(sql`
    select position, input, pairwise_id as "pairwiseId", user_id as "userId", email, max_profiles as "maxProfiles",
           profile_name as "profileName", device_type as "deviceType", format, status, message
      from job_rows
     where job_id = ${jobId}
     order by position
  `);

const jobCount = async (): Promise<number> => {
  const [row] = await api.database.owner.query<{ count: number }>(sql`select count(*)::integer as count from jobs`);
  return row?.count ?? 0;
};

const columnsOf = async (jobId: string): Promise<string[]> => {
  const [row] = await api.database.owner.query<{ columns: string[] }>(
    sql`select columns from jobs where id = ${jobId}`,
  );
  return row?.columns ?? [];
};

type Raw = string | Buffer;
type Options = SendOptions & { query?: string; as?: ReturnType<typeof api.as.admin> };

const upload = (
  kind: "onboarding" | "offboarding",
  type: string | undefined,
  raw: Raw,
  { query = "", as = api.as.admin(), headers = {} }: Options = {},
): Promise<ApiAnswer> =>
  as.send("POST", `/api/jobs/${kind}${query}`, {
    raw,
    headers: { ...(type === undefined ? {} : { "content-type": type }), ...headers },
  });

const csv = (raw: Raw, options?: Options) => upload("onboarding", "text/csv", raw, options);
const ndjson = (raw: Raw, options?: Options) => upload("onboarding", "application/x-ndjson", raw, options);
const json = (raw: Raw, options?: Options) => upload("onboarding", "application/json", raw, options);

async function rowsOfCsv(raw: Raw, kind: "onboarding" | "offboarding" = "onboarding"): Promise<Stored[]> {
  const answer = await upload(kind, "text/csv", raw);
  expect(answer.status, answer.text).toBe(202);
  return storedRows(answer.body.data.id);
}

describe("a file", () => {
  test.each([
    ["application/json", '{"users":[{"pairwiseID":"a","email":"a@x.example"},{"pairwiseID":"b","maxProfiles":3}]}'],
    [
      "application/json; charset=UTF-8",
      '\ufeff {"other":{"users":[1]},"Users":[{"PAIRWISEID":"a","e-mail":"a@x.example"},{"kennung":"b","maxProfiles":"3"}],"x":[]}\n',
    ],
    ["application/x-ndjson", '{"pairwiseID":"a","email":"a@x.example"}\n{"pairwiseID":"b","maxProfiles":3}'],
    [
      "application/jsonl",
      '{"pairwiseID":"a","email":"a@x.example","unknown":{}}\r\n{"pairwiseID":"b","maxProfiles":3,"email":null}\r\n',
    ],
    ["text/csv", "pairwiseID,email,maxProfiles\na,a@x.example,\nb,,3\n"],
    ["application/vnd.ms-excel", "\ufeffKennung;E-Mail;max. Profile\r\na;a@x.example;\r\nb;;3\r\n;;\r\n"],
    [
      "text/csv; charset=utf-8; header=present",
      "sep=;\r\n PAIRWISE_ID ; e-mail;Max Profiles;\r\n a ; a@x.example ;;\r\nb;;3;\r\n",
    ],
    ["text/tab-separated-values", "email\tpairwise id\tmaxprofiles\ra@x.example\ta\r\tb\t3"],
  ])("%s becomes a job that is checked", async (type, raw) => {
    const answer = await upload("onboarding", type, raw);

    expect(answer.status, answer.text).toBe(202);
    const { data } = answer.body;
    expect(answer.body).toMatchObject({ result: "ok", code: 202 });
    expect(answer.headers).toMatchObject({ location: `/api/jobs/${data.id}`, "retry-after": "1" });
    expect(data).toMatchObject({
      kind: "onboarding",
      state: "checking",
      dryRun: false,
      total: 2,
      done: 0,
      error: null,
    });
    const rows = await storedRows(data.id);
    expect(rows).toMatchObject([
      { position: 1, pairwiseId: "a", email: "a@x.example", maxProfiles: null, status: "pending" },
      { position: 2, pairwiseId: "b", email: null, maxProfiles: 3, status: "pending" },
    ]);
  });

  test("of users to offboard identifies them by userID or pairwiseID", async () => {
    const rows = await rowsOfCsv("userID;pairwiseID\n17;\n;anna\n;\n18;otto\n", "offboarding");

    expect(rows).toMatchObject([
      { position: 1, userId: "17", pairwiseId: null },
      { position: 2, userId: null, pairwiseId: "anna" },
      { position: 4, userId: "18", pairwiseId: "otto" },
    ]);
  });

  test("keeps its column names, and its cells unchanged", async () => {
    const answer = await csv(
      'Kennung;"E-Mail";status;Profilname;Gerätetyp;Dateiformat\n"a;""b""\nc"; x ;old;My phone;iOS;PFX\n',
    );
    const [row] = await storedRows(answer.body.data.id);

    expect(await columnsOf(answer.body.data.id)).toEqual([
      "Kennung",
      "E-Mail",
      "Profilname",
      "Gerätetyp",
      "Dateiformat",
    ]);
    expect(row?.input).toEqual(['a;"b"\nc', " x ", "My phone", "iOS", "PFX"]);
    // A line break is not part of an identifier.
    expect(row?.message).toBe("pairwiseID: holds 1 line break");
  });

  test("in which one line ends in LF and the others in CRLF has a row for each line", async () => {
    const rows = await rowsOfCsv("Kennung;E-Mail\r\nl1;\r\nl2;\r\nl3;\nl4;\r\n", "offboarding");
    expect(rows.map(({ pairwiseId, status }) => [pairwiseId, status])).toEqual(
      ["l1", "l2", "l3", "l4"].map((id) => [id, "pending"]),
    );
  });

  test.each([
    ["that identifies", 'pairwiseID;email\n"Al\nbob;Bob\ncarol;"\ndora;\n', "pairwiseID: holds 2 line breaks"],
    ["of addresses", 'pairwiseID;email\nanna;"a@x.example\nb@x.example"\ndora;\n', "email: holds 1 line break"],
    ["that is ignored", 'pairwiseID;Name\nanna;"Anna\nbert;Bert"\ndora;\n', "A cell holds 1 line break."],
    ["that is ignored", 'pairwiseID;Name\nanna;"Anna\nbert;\ncarl;"\ndora;\n', "A cell holds 2 line breaks."],
  ])(
    "with line breaks in a column %s has a failed row that reports them, and the next row is read",
    async (_, text, message) => {
      const answer = await upload("offboarding", "text/csv", text.replaceAll("\n", "\r\n"), {
        query: "?unknownColumns=ignore",
      });
      expect(answer.status, answer.text).toBe(202);
      expect(await storedRows(answer.body.data.id)).toMatchObject([
        { status: "failed", message },
        { pairwiseId: "dora", status: "pending" },
      ]);
    },
  );

  test("with quoted line breaks and delimiters has one row for each user", async () => {
    const rows = await rowsOfCsv(
      'pairwiseID,profileName,deviceType,format\r\na,"tablet, big",iOS,pkcs12\r\n"b","5"" phone",Android,PEM\r\n',
    );

    expect(rows).toMatchObject([
      { pairwiseId: "a", profileName: "tablet, big", deviceType: "iOS", format: "pkcs12" },
      { pairwiseId: "b", profileName: '5" phone', deviceType: "Android", format: "pem" },
    ]);
  });

  test("of results is accepted unchanged, and nothing about the issued profiles is stored", async () => {
    const answer = await csv(
      'pairwiseID,row,status,error,message,serial,identity,radiusCN,data,certificate,privateKey\nanna,7,failed,,,,,,AAAA,"\'-----BEGIN",secret\n',
    );

    expect(await columnsOf(answer.body.data.id)).toEqual(["pairwiseID"]);
    const rows = await storedRows(answer.body.data.id);
    expect(rows).toMatchObject([{ input: ["anna"], pairwiseId: "anna", status: "pending" }]);
    expect(JSON.stringify(rows)).not.toMatch(/AAAA|BEGIN|secret/);
  });

  test("loses the apostrophe that keeps a spreadsheet from evaluating a formula", async () => {
    const rows = await rowsOfCsv("pairwiseID\n'=1+1\n'@sum\n''-x\n'tis\n'\"-\n");
    expect(rows.map(({ pairwiseId }) => pairwiseId)).toEqual(["=1+1", "@sum", "'-x", "'tis", "'\"-"]);
  });
});

describe("an unusable row does not affect the others:", () => {
  const good = "good,,,,,";
  test.each([
    ["no identifier", ",,3,,,", "pairwiseID or email: is missing"],
    ["256 characters", `${"x".repeat(256)},,,,,`, "pairwiseID: must have 1 to 255 characters"],
    ["a control character", "a\u0007b,,,,,", "pairwiseID: must not contain control characters"],
    ["a long address", `a,${"x".repeat(250)}@x.example,,,,`, "email: is no address"],
    ["no address", "a,not-an-email,,,,", "email: is no address"],
    ["two addresses", 'a,"a@x.example, b@x.example",,,,', "email: is no address"],
    ["a name beside an address", "a,Anna <a@x.example>,,,,", "email: is no address"],
    ["101 profiles", "a,,101,,,", "maxProfiles: must be a whole number from 0 to 100"],
    ["minus one profile", "a,,-1,,,", "maxProfiles: must be a whole number from 0 to 100"],
    ["half a profile", 'a,,"2,5",,,', "maxProfiles: must be a whole number from 0 to 100"],
    ["a profile without a device", "a,,,phone,,pem", "deviceType: is missing"],
    ["a profile without a name", "a,,,,iOS,pem", "profileName: is missing"],
    [
      "a device in another case",
      "a,,,phone,ios,pem",
      "deviceType: must be one of MacOS, iOS, iPadOS, Android, Windows, Linux, ChromeOS, Other",
    ],
    ["an unknown format", "a,,,phone,iOS,zip", `format: must be one of ${certificateFormats.join(", ")}`],
    ["a long name", `a,,,${"n".repeat(65)},iOS,pem`, "profileName: must be 1 to 64 characters"],
    ["an invisible name", "a,,,pho\u200bne,iOS,pem", "profileName: must not contain an invisible character, as at 4"],
    ["more cells than columns", "a,,,,,,more", "The row has more cells than the header."],
  ])("%s", async (_, line, message) => {
    const rows = await rowsOfCsv(`pairwiseID,email,maxProfiles,profileName,deviceType,format\n${good}\n${line}\n`);

    expect(rows).toMatchObject([
      { position: 1, status: "pending", message: null },
      { position: 2, status: "failed", message },
    ]);
  });

  test.each([
    ["no JSON", "{oops", "The line is not valid JSON."],
    ["no object", "[1]", "The row is no JSON object."],
    ["a property twice", '{"pairwiseID":"a","pairwiseID":"b"}', "A property occurs twice in one object."],
    ["two spellings", '{"pairwiseID":"a","PAIRWISEID":"b"}', "pairwiseID: occurs twice"],
    ["an object for a text", '{"pairwiseID":{"a":1}}', "pairwiseID: must be text"],
    ["a number for a text", '{"pairwiseID":17}', "pairwiseID: must be text"],
    ["half a number", '{"pairwiseID":"a","maxProfiles":1.5}', "maxProfiles: must be a whole number from 0 to 100"],
    ["true", '{"pairwiseID":"a","maxProfiles":true}', "maxProfiles: must be a whole number from 0 to 100"],
    ["NUL", '{"pairwiseID":"a\\u0000"}', "A string contains NUL or half a surrogate pair."],
    ["a prototype", '{"__proto__":{"pairwiseID":"a"}}', "pairwiseID or email: is missing"],
    [
      "a line without an end",
      JSON.stringify({ pairwiseID: "x".repeat(70_000) }),
      "The line is longer than 65536 characters.",
    ],
  ])("a line with %s", async (_, line, message) => {
    const answer = await ndjson(`{"pairwiseID":"good"}\n\n${line}\n{"pairwiseID":"too"}`);
    expect(answer.status, answer.text).toBe(202);

    expect(await storedRows(answer.body.data.id)).toMatchObject([
      { position: 1, status: "pending" },
      { position: 3, status: "failed", message },
      { position: 4, status: "pending" },
    ]);
  });

  test.each([
    ["NUL and half a character", '{"pairwiseID":"a\\u0000\\ud800"}', "pairwiseID: must not contain control characters"],
    ["a prototype", '{"__proto__":{"pairwiseID":"a"}}', "pairwiseID or email: is missing"],
    ["a list", '["a"]', "The row is no JSON object."],
    ["nothing", "null", "The row is no JSON object."],
  ])("an element with %s", async (_, element, message) => {
    const answer = await json(`{"users":[${element},{"pairwiseID":"good"}]}`);
    expect(answer.status, answer.text).toBe(202);

    expect(await storedRows(answer.body.data.id)).toMatchObject([
      { position: 1, status: "failed", message },
      { position: 2, status: "pending" },
    ]);
  });
});

describe("an unusable file leaves nothing behind:", () => {
  const known = /Known are pairwiseID, email, maxProfiles, profileName, deviceType, format/;
  test.each([
    ["an unknown column", "text/csv", "pairwiseID,Vorname\na,Anna\n", /“Vorname”.*Known are/],
    ["a missing column", "text/csv", "maxProfiles\n3\n", known],
    [
      "a part of a profile",
      "text/csv",
      "pairwiseID,profileName\na,phone\n",
      /^The file has profileName without deviceType and format, which a profile needs as well\.$/,
    ],
    ["a column twice", "text/csv", "pairwiseID,Kennung\na,b\n", /two columns for pairwiseID/],
    ["a quotation mark that is not closed", "text/csv", 'pairwiseID\na\n"b\nc\n', /line \d+ is not closed/],
    [
      "a quotation mark that is not closed in much text",
      "text/csv",
      `pairwiseID\n"${"b\n".repeat(40_000)}`,
      /quotation mark/,
    ],
    ["no rows", "text/csv", "pairwiseID,email\r\n", /no rows/],
    ["rows without anything", "text/csv", "pairwiseID,email\r\n,\r\n;\r\n".replace(";", ","), /no rows/],
    ["nothing", "text/csv", "", /empty/],
    ["half of UTF-16", "text/csv", Buffer.from("\ufeffpairwiseID\r\na", "utf16le").subarray(0, -1), /not UTF-8.*Excel/],
    ["one byte", "text/csv", Buffer.from([0xff]), /not UTF-8.*Excel/],
    ["UTF-16 without a mark", "text/csv", Buffer.from("pairwiseID\r\na\r\n", "utf16le"), /not UTF-8.*Excel/],
    ["Latin-1", "text/csv", Buffer.from("Kennung;E-Mail\r\nMüller;a@x.example\r\n", "latin1"), /not UTF-8.*Excel/],
    ["half a character at the end", "text/csv", Buffer.from([...Buffer.from("pairwiseID\na"), 0xc3]), /not UTF-8/],
    ["no JSON", "application/json", "{oops", /not valid JSON/],
    ["JSON without an end", "application/json", '{"users":[{"pairwiseID":"a"}', /not valid JSON/],
    ["JSON with text after its end", "application/json", '{"users":[{"pairwiseID":"a"}]} {}', /not valid JSON/],
    ["an array", "application/json", '[{"pairwiseID":"a"}]', /must be a JSON object/],
    ["no users", "application/json", '{"people":[{"pairwiseID":"a"}]}', /no rows/],
    ["users that are no array", "application/json", '{"users":{"a":{"pairwiseID":"a"}}}', /must be an array/],
    ["users twice", "application/json", '{"users":[{"pairwiseID":"a"}],"users":[{"pairwiseID":"b"}]}', /twice/],
    [
      "users in two spellings",
      "application/json",
      '{"users":[{"pairwiseID":"a"}],"Users":[{"pairwiseID":"b"}]}',
      /twice/,
    ],
    ["no users in it", "application/json", '{"users":[]}', /no rows/],
    ["depth", "application/json", `{"users":[${"[".repeat(5_000)}`, /deeper/],
    [
      "an element without an end",
      "application/json",
      `{"users":[{"pairwiseID":"${"x".repeat(200_000)}"}]}`,
      /longer than/,
    ],
    ["no body", "application/json", "", /must be a JSON object/],
    ["empty lines", "application/x-ndjson", "\n\n\n", /no rows/],
  ])("%s", async (_, type, raw, description) => {
    const before = await jobCount();
    const answer = await upload("onboarding", type, raw);

    expect(answer).toBeError("invalid_request");
    expect(answer.body.error_description).toMatch(description);
    expect(await jobCount()).toBe(before);
  });

  test("data instead of a header", async () => {
    const before = await jobCount();
    const answer = await csv("anna,a@x.example\notto,o@x.example\n");

    expect(answer).toBeError("unknown_columns");
    expect(answer.body.error_description).toMatch(/“anna”, “a@x.example”/);
    expect(await jobCount()).toBe(before);
  });

  test.each([
    ["no type", undefined, {}],
    ["a form", "application/x-www-form-urlencoded", {}],
    ["an archive", "application/zip", {}],
    ["another encoding", "text/csv; charset=utf-16", {}],
    ["another encoding of JSON", "application/json; charset=windows-1252", {}],
    ["compressed", "text/csv", { "content-encoding": "gzip" }],
  ])("%s, which gets 415", async (_, type, headers) => {
    const before = await jobCount();
    const answer = await upload("onboarding", type, "pairwiseID\na\n", { headers });
    expect(answer).toBeError("unsupported_media_type");
    expect(await jobCount()).toBe(before);
  });

  test("a body with a Content-Length beyond the limit", async () => {
    const before = await jobCount();
    const answer = await csv("pairwiseID\na\n", { headers: { "content-length": String(200 * 1024 * 1024) } }).catch(
      () => undefined,
    );
    if (answer !== undefined) expect(answer).toBeError("payload_too_large");
    expect(await jobCount()).toBe(before);
  });

  test("an aborted upload", async () => {
    const before = await jobCount();
    const token = await api.given.token({
      realmId: api.realmId,
      clientId: (await api.given.application({ realmId: api.realmId })).clientId,
    });
    const sent = httpRequest(`${api.url}/api/jobs/onboarding`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "text/csv", "content-length": "10000000" },
    });
    sent.on("error", () => undefined);
    sent.write(`pairwiseID\n${"somebody\n".repeat(5_000)}`);
    await eventually(async () => {
      expect(await jobCount()).toBe(before + 1);
    });
    const [receiving] = await api.database.owner.query<{ id: string }>(
      sql`select id from jobs where state = 'receiving'`,
    );
    expect(await api.as.admin().get(`/api/jobs/${receiving?.id ?? ""}`)).toBeError("job_not_found");
    expect((await api.as.admin().get("/api/jobs?limit=1000")).text).not.toContain(receiving?.id);

    sent.destroy();

    await eventually(async () => {
      expect(await jobCount()).toBe(before);
    });
  });
});

describe("creating a job", () => {
  test("is in the audit log, with its actor", async () => {
    const executeAt = fromNow(3_600_000).toISOString();
    const user = await api.given.user({ realmId: api.realmId, administrator: true });
    const answer = await csv("pairwiseID\na\n\nb\n,,\n", {
      query: `?dryRun=TRUE&executeAt=${executeAt}&confirmTotal=17`,
      as: api.as.user(user),
    });

    expect(answer.body.data).toMatchObject({ dryRun: true, total: 2 });
    expect(await auditOf(api.database.owner, answer.body.data.id)).toMatchObject([
      {
        event: "job_create",
        properties: {
          kind: "onboarding",
          total: 2,
          invalid: 0,
          dryRun: true,
          executeAt,
          confirmTotal: 17,
        },
      },
    ]);
    expect(
      await api.database.owner.query(sql`
        select user_id as "userId" from audit_entries where properties ->> 'job' = ${String(answer.body.data.id)}
      `),
    ).toEqual([{ userId: user.id }]);
  });

  test.each([
    "?dryRun=maybe",
    "?executeAt=tomorrow",
    "?executeAt=2999-01-01T00:00:00Z",
    "?confirmTotal=-1",
    "?dryRun=true&dryRun=true",
    "?rowOffset=-1",
    "?rowOffset=1048577",
    "?name=",
    `?name=${"x".repeat(201)}`,
    "?unknownColumns=keep",
    "?columns=pairwiseID",
    "?columns[Matrikel]=something",
    "?columns[Matrikel]=pairwiseID&columns[Matrikel]=email",
    `?${Array.from({ length: 101 }, (_, index) => `columns[c${index}]=ignore`).join("&")}`,
  ])("%s is refused", async (query) => {
    expect(await csv("pairwiseID\na\n", { query })).toBeError("invalid_request");
  });

  const without = (...scopes: string[]) =>
    api.as.user(api.given.user({ realmId: api.realmId, administrator: true }), {
      scopes: allScopes.filter((scope) => !scopes.includes(scope)),
    });

  test.each([
    ["onboarding", "user.modify", "pairwiseID\na\n"],
    ["offboarding", "user.delete", "pairwiseID\na\n"],
    ["onboarding", "job.create", "pairwiseID\na\n"],
    ["onboarding", "profile.create", "pairwiseID,profileName,deviceType,format\na,phone,iOS,pem\n"],
  ] as const)("%s needs the scope %s", async (kind, scope, raw) => {
    const before = await jobCount();
    expect(await upload(kind, "text/csv", raw, { as: without(scope) })).toBeError("insufficient_scope");
    expect(await jobCount()).toBe(before);
  });

  test("needs no profile scope if no row has a profile", async () => {
    const answer = await csv("pairwiseID,profileName,deviceType,format\na,,,\n", {
      as: without("profile.create", "user.delete"),
    });
    expect(answer.status).toBe(202);
  });

  test("is refused beyond a million waiting rows", async () => {
    const realmId = await api.given.realm();
    const as = api.as.service({ realmId });
    await api.database.owner.query(sql`
      insert into jobs (id, realm_id, kind, state, dry_run, columns, created_at, total, progress_at)
      values (${randomUUID()}, ${realmId}, 'onboarding', 'queued', false, '{}', now(), 999999, now())
    `);
    const before = await jobCount();

    const answer = await csv("pairwiseID\na\nb\n", { as });
    expect(answer).toBeError("too_many_rows_waiting");
    expect(answer.headers["retry-after"]).toBe("60");
    expect(await jobCount()).toBe(before);
    expect((await csv("pairwiseID\na\n", { as })).status).toBe(202);
    expect((await csv("pairwiseID\na\nb\n")).status).toBe(202);
  });
});

describe("Idempotency-Key", () => {
  const key = () => ({ "idempotency-key": randomUUID() });

  test("a repeat returns the first job and creates no other job", async () => {
    const as = api.as.admin();
    const headers = key();
    const first = await csv("pairwiseID\na\n", { as, headers });
    const before = await jobCount();

    const again = await csv("pairwiseID\na\n", { as, headers });

    expect(again.status).toBe(202);
    expect(again.body.data.id).toBe(first.body.data.id);
    expect(await jobCount()).toBe(before);
    expect(await csv("pairwiseID\nb\n", { as, headers })).toBeError("idempotency_key_reused");
    expect(await csv("pairwiseID\na\n", { as, headers, query: "?dryRun=true" })).toBeError("idempotency_key_reused");
    expect(await jobCount()).toBe(before);
  });

  test("three concurrent requests with the same key create one job", async () => {
    const other = await api.another();
    const token = await api.given.token({
      realmId: api.realmId,
      clientId: (await api.given.application({ realmId: api.realmId })).clientId,
    });
    const before = await jobCount();
    const headers = key();
    const raw = `pairwiseID\n${Array.from({ length: 3_000 }, (_, index) => `p${index}`).join("\n")}\n`;

    const answers = await Promise.all(
      [api.as.token(token), other.as.token(token), api.as.token(token)].map((caller) =>
        csv(raw, { as: caller, headers }),
      ),
    );

    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    expect(await jobCount()).toBe(before + 1);
    expect(await storedRows(answers[0]?.body.data.id)).toHaveLength(3_000);
  });

  test("a failure is not remembered", async () => {
    const as = api.as.admin();
    const headers = key();
    expect(await csv("pairwiseID\n", { as, headers })).toBeError("invalid_request");
    expect((await csv("pairwiseID\na\n", { as, headers })).status).toBe(202);
  });
});
