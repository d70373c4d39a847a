import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { csvOfSheet, faultHeading } from "../../../../../console/pages/bulk-jobs/input/files/sheet.ts";
import { readWorkbook } from "../../../../../console/pages/bulk-jobs/input/files/read-workbook.ts";
import { sql } from "../../../../../db/sql.ts";
import { driveJobs } from "../../../../support/given/bulk-jobs.ts";
import { leaverSheets, leaversMax, leaverTexts, type LeaverFile } from "../../../../support/given/leaver-files.ts";
import { givenXlsx } from "../../../../support/given/xlsx.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";

/** Files of leavers as campuses have them: every person in a file is offboarded, or a failed row names them. */

const api = useApi();
const worker = driveJobs(() => api.database.open("realmpass_worker"));
const prefix = `leaver-${randomUUID().slice(0, 8)}`;
let admin: Caller;
beforeAll(() => {
  admin = api.as.admin();
});

interface ResultRow {
  row: number;
  status: string;
  pairwiseID: string | null;
  message: string | null;
}

/**
 * Offboards the people in a file. Returns the rows of the results, and the ids of the file's people who are now
 * offboarded.
 */
async function offboard(text: string, { people }: LeaverFile, query = "") {
  await api.database.owner.query(sql`
    insert into users (realm_id, pairwise_id, created_at)
    select ${api.realmId}, id, now() from unnest(${people}::text[]) as id on conflict do nothing
  `);
  const answer = await admin.send("POST", `/api/jobs/offboarding?confirmTotal=${leaversMax}${query}`, {
    raw: Buffer.from(text),
    headers: { "content-type": "text/csv" },
  });
  expect(answer.status, answer.text).toBe(202);
  const { id } = answer.body.data as { id: string };
  await worker.run(id);
  const job = (await admin.get(`/api/jobs/${id}`)).body.data as { state: string; changed: number };
  if (job.state === "ready") {
    await admin.send("POST", `/api/jobs/${id}/start`, { body: { confirmTotal: job.changed } });
    await worker.run(id);
  }
  const rows = (await admin.get(`/api/jobs/${id}/results`)).body.data as ResultRow[];
  const off = await api.database.owner.query<{ id: string }>(sql`
    select pairwise_id as id from users
     where realm_id = ${api.realmId} and pairwise_id = any(${people}::text[]) and offboarded_at is not null
     order by pairwise_id
  `);
  return { rows, off: off.map((each) => each.id) };
}

describe.each(leaverTexts(prefix))("a text with $title", (file) => {
  test("every user is offboarded or reported, and no other user is offboarded", async () => {
    const { rows, off } = await offboard(file.text, file, "&unknownColumns=ignore");

    expect(off).toEqual(file.people.filter((id) => !file.unreadable.includes(id)));
    const failed = rows.filter(({ status }) => status === "failed");
    expect(failed.every(({ message }) => message !== null && message !== "")).toBe(true);
    // A cell with line breaks names every person whose line it contains.
    const named = failed.reduce((sum, { pairwiseID }) => sum + (pairwiseID ?? "").trim().split("\n").length, 0);
    expect(named).toBe(file.unreadable.length);
    expect(rows.filter(({ status }) => status === "changed")).toHaveLength(off.length);
  });
});

describe.each(leaverSheets(prefix))("a workbook with $title", (file) => {
  test("every user is offboarded or reported, and no other user is offboarded", async () => {
    const sheet = readWorkbook(new Uint8Array(givenXlsx({ Leavers: file.rows }))).get("Leavers")?.rows ?? [];
    const columns = [{ column: "pairwiseID", heading: "Kennung" } as const];
    const text = csvOfSheet(sheet, { kind: "offboarding", headerRow: 1, columns }).join("");
    const { rows, off } = await offboard(text, file, `&columns[${faultHeading}]=fault`);

    expect(off).toEqual(file.people.filter((id) => !file.unreadable.includes(id)));
    const failed = rows.filter(({ status }) => status === "failed");
    expect(failed).toHaveLength(file.unreadable.length);
    expect(failed.every(({ message }) => /^pairwiseID: (?:shows|is) /.test(message ?? ""))).toBe(true);
    expect(rows).toHaveLength(leaversMax);
  });
});
