import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readCsvHead, withoutUtf16 } from "../../../console/pages/bulk-jobs/input/files/read-csv-head.ts";
import { sql } from "../../../db/sql.ts";
import { useApi } from "../../support/service/api.ts";
import { useCliRealm } from "../../support/service/cli-realm.ts";

const api = useApi();
const { cli } = useCliRealm(api);

const headings = ["Kennung", "E-Mail"];
const people = [
  ["jäger", "jaeger@x.example"],
  ["zoë, 陳", "zoe@x.example"],
];

const utf8 = (text: string): Buffer => Buffer.from(text);
const utf8Marked = (text: string): Buffer => Buffer.from(`\ufeff${text}`);
const utf16le = (text: string): Buffer => Buffer.from(`\ufeff${text}`, "utf16le");
const utf16be = (text: string): Buffer => utf16le(text).swap16();

interface Style {
  encode: (text: string) => Buffer;
  separator: string;
  end: string;
  /** A line before the headings. */
  first?: string;
}

const written = ({ encode, separator, end, first = "" }: Style, rows: readonly string[][] = people): Buffer => {
  const cell = (text: string): string => (text.includes(separator) ? `"${text}"` : text);
  return encode(first + [headings, ...rows].map((row) => row.map(cell).join(separator) + end).join(""));
};

/** The forms in which spreadsheets, text editors and older programs save tables. */
const styles: Readonly<Record<string, Style>> = {
  "Excel's “CSV UTF-8” where commas are decimal": { encode: utf8Marked, separator: ";", end: "\r\n" },
  "Excel's “CSV UTF-8” elsewhere": { encode: utf8Marked, separator: ",", end: "\r\n" },
  "Excel's “Unicode text”": { encode: utf16le, separator: "\t", end: "\r\n" },
  "LibreOffice's UTF-8": { encode: utf8, separator: ",", end: "\n" },
  "LibreOffice's UTF-16": { encode: utf16le, separator: ";", end: "\n" },
  "UTF-16, big-endian": { encode: utf16be, separator: ";", end: "\r\n" },
  "UTF-16, big-endian, with tabs and CR": { encode: utf16be, separator: "\t", end: "\r" },
  "tabs in UTF-8": { encode: utf8, separator: "\t", end: "\r\n" },
  "CR alone": { encode: utf8, separator: ";", end: "\r" },
  "sep=;": { encode: utf8, separator: ";", end: "\r\n", first: "sep=;\r\n" },
  "sep=; after a mark": { encode: utf8Marked, separator: ";", end: "\n", first: "sep=;\n" },
  "sep=, with CR": { encode: utf8, separator: ",", end: "\r", first: "sep=,\r" },
  "sep=; in UTF-16": { encode: utf16le, separator: ";", end: "\r\n", first: "sep=;\r\n" },
};

const rowsOf = async (jobId: string): Promise<(string | null)[][]> => {
  const rows = await api.database.owner.query<{ person: string | null; email: string | null }>(sql`
    select pairwise_id as person, email from job_rows where job_id = ${jobId} order by position
  `);
  return rows.map(({ person, email }) => [person, email]);
};

const admin = () => api.as.admin();
const post = (raw: Buffer, type = "text/csv") =>
  admin().send("POST", "/api/jobs/onboarding?dryRun=true", { raw, headers: { "content-type": type } });

const start = async (raw: Buffer, more: readonly string[] = []) => {
  await writeFile(join(cli.directory, "people.csv"), raw);
  return cli(["jobs", "start", "onboard", "people.csv", "--dry-run", "--json", ...more]);
};

const idIn = (text: string): string => (JSON.parse(text) as { id: string }).id;

describe.each(Object.entries(styles))("%s", (_, style) => {
  const bytes = written(style);

  test("is read by the service", async () => {
    const answer = await post(bytes);
    expect(answer.status, answer.text).toBe(202);
    expect(await rowsOf(answer.body.data.id)).toEqual(people);
  });

  test("is read from the command line", async () => {
    const { code, out, err } = await start(bytes);
    expect(code, err).toBe(0);
    expect(await rowsOf(idIn(out))).toEqual(people);
  });

  test("is previewed by the console with the same rows that the service reads after the upload", async () => {
    const file = await withoutUtf16(new Blob([new Uint8Array(bytes)]));
    expect(await readCsvHead(file)).toMatchObject({
      charset: undefined,
      top: [{ cells: headings, samples: people, separator: style.separator }, {}, {}],
    });
    const answer = await post(Buffer.from(await file.arrayBuffer()));
    expect(await rowsOf(answer.body.data.id)).toEqual(people);
  });
});

describe("a Windows-1252 file, such as Excel's “CSV” in Western Europe,", () => {
  const western = [["jäger", "jaeger@x.example"]];
  const bytes = written({ encode: (text) => Buffer.from(text, "latin1"), separator: ";", end: "\r\n" }, western);
  const named = "text/csv; charset=windows-1252";

  test("is read by the service and the command line if its encoding is named; otherwise the error explains what to do", async () => {
    const answer = await post(bytes);
    expect(answer).toBeError("invalid_request");
    expect(answer.body.error_description).toMatch(/^The file is not UTF-8\. In Excel, save it as/);
    expect(await rowsOf((await post(bytes, named)).body.data.id)).toEqual(western);

    const { code, err } = await start(bytes);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining("The file is not UTF-8. In Excel, save it"),
    });
    expect(await rowsOf(idIn((await start(bytes, ["--charset", "windows-1252"])).out))).toEqual(western);
  });

  test("is recognized by the console and previewed correctly", async () => {
    const file = await withoutUtf16(new Blob([new Uint8Array(bytes)]));
    expect(await readCsvHead(file)).toMatchObject({
      charset: "windows-1252",
      top: [{ cells: headings, samples: western }, {}],
    });
  });
});
