import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { jobKinds, type JobKind } from "../../../../../domain/bulk-job/job.ts";
import { languages } from "../../../../../domain/words/language.ts";
import { driveJobs, leaveIn } from "../../../../support/given/bulk-jobs.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";

/** Files that the service writes for people, uploaded unchanged. */

const api = useApi();
const worker = driveJobs(() => api.database.open("realmpass_worker"));
let admin: Caller;
beforeAll(() => {
  admin = api.as.admin();
});

const berlin = (lang: string): string => `lang=${lang}&zone=Europe/Berlin`;
const send = (kind: JobKind, raw: string, query = "") =>
  admin.send("POST", `/api/jobs/${kind}?dryRun=true${query}`, { raw, headers: { "content-type": "text/csv" } });

async function check(kind: JobKind, raw: string, query = ""): Promise<string> {
  const answer = await send(kind, raw, query);
  expect(answer.status, answer.text).toBe(202);
  await worker.run(answer.body.data.id);
  return answer.body.data.id;
}

const jobOf = async (id: string) => (await admin.get(`/api/jobs/${id}`)).body.data;
const table = async (path: string): Promise<string> => {
  const answer = await admin.get(path, { headers: { accept: "text/csv" } });
  expect(answer.status, answer.text).toBe(200);
  return answer.text;
};
const person = async (values: { pairwiseId?: string; email?: string } = {}) =>
  api.given.user({ realmId: api.realmId, pairwiseId: `own-${randomUUID()}`, ...values });
const nameOf = async ({ id }: { id: string }): Promise<string> =>
  (await admin.get(`/api/user/${id}`)).body.data.pairwiseID;

describe("results for people", () => {
  test.each([
    [
      "de",
      ";",
      ["Zeile", "Status", "Fehler"],
      ["Geändert", ""],
      ["Fehlgeschlagen", "Dasselbe wie in Zeile 2."],
      ["Fehlgeschlagen", "E-Mail: ist keine E-Mail-Adresse"],
      ["Fehlgeschlagen", "userID oder Kennung oder E-Mail: fehlt"],
      ["Fehlgeschlagen", "Die Zeile hat mehr Zellen, als es Spalten gibt."],
      ["Fehlgeschlagen", "Diese Person gibt es in diesem Realm nicht."],
    ],
    [
      "en",
      ",",
      ["Row", "Status", "Error"],
      ["Changed", ""],
      ["Failed", "The same as in row 2."],
      ["Failed", "E-Mail: is no address"],
      ["Failed", "userID or Kennung or E-Mail: is missing"],
      ["Failed", "The row has more cells than the header."],
      ["Failed", "There is no such user in this realm."],
    ],
  ])(
    "describe each row's outcome in words, with the row numbers of the original file: %s",
    async (lang, separator, headings, ...rows) => {
      const name = await nameOf(await person());
      // The cells of each row: some rows have a cell in an ignored column, and one row has one cell too many.
      const given = [
        [name, "", ""],
        [name, "", ""],
        ["", "nowhere", ""],
        ["", "", "x"],
        ["", "", "", "x"],
        ["=nobody", "", ""],
      ];
      const raw = [["Kennung", "E-Mail", "Anzeigename"], ...given].map((cells) => `${cells.join(";")}\r\n`).join("");
      const id = await check("offboarding", raw, "&rowOffset=1");

      const text = await table(`/api/jobs/${id}/results?${berlin(lang)}`);

      const line = (cells: readonly string[]): string =>
        `${cells.map((cell) => (cell.includes(separator) ? `"${cell}"` : cell)).join(separator)}\r\n`;
      expect(text).toBe(
        `\ufeff${line(["Kennung", "E-Mail", ...headings])}${rows
          .map((outcome, index) => {
            const [whom = "", address = ""] = given[index] ?? [];
            return line([whom.replace("=", "'="), address, String(index + 2), ...outcome]);
          })
          .join("")}`,
      );
    },
  );

  test("name all users with an ambiguous address, and group the digits of serial numbers", async () => {
    const { owner } = api.database;
    const email = `two-${randomUUID()}@x.example`;
    const names = [await nameOf(await person({ email })), await nameOf(await person({ email }))];
    const serial = await api.given.profile(await person());
    const id = await check("onboarding", `email,pairwiseID\n${email},\n,${names[0]}\n`);
    await owner.query(sql`
      update job_rows set issuance_id = (select issuance_id from certificates where serial_number = ${serial})
       where job_id = ${id} and position = 2
    `);

    const text = await table(`/api/jobs/${id}/results?lang=de`);

    expect(text).toContain(`Mehrere Personen haben diese E-Mail-Adresse: ${names.join(", ")}.`);
    const grouped = serial.replace(/\B(?=(?:\d{4})+$)/g, " ");
    expect(grouped).toMatch(/ \d{4} \d{4}$/);
    expect(text.split("\r\n")[0]).toBe(
      "\ufeffemail;pairwiseID;Zeile;Status;Fehler;Seriennummer;Identität;RADIUS-Server;Datei (Base64);Zertifikat;Privater Schlüssel",
    );
    expect(text.split("\r\n")[2]).toContain(`;${grouped};`);
  });

  const ofPeople = jobKinds.filter((kind) => kind !== "revocation");

  test.each(languages)("of a revocation can be uploaded unchanged: %s", async (lang) => {
    const owner = await person();
    const serials = [await api.given.profile(owner), await api.given.profile(owner)];
    const id = await check("revocation", `Seriennummer;Kennung\n${serials.join(";x\n")};x\n4711;x\n`);
    const text = await table(`/api/jobs/${id}/results?${berlin(lang)}`);

    const again = await check("revocation", text);

    const rows = async (job: string) =>
      (await admin.get(`/api/jobs/${job}/results`)).body.data.map(({ serial, status }: Record<string, unknown>) => ({
        serial,
        status,
      }));
    expect(text).toContain(`\n${serials[0]?.replace(/\B(?=(?:\d{4})+$)/g, " ")}`);
    expect(await rows(again)).toEqual(await rows(id));
    expect(await jobOf(again)).toMatchObject({ changed: 2, failed: 1 });
  });

  test.each(ofPeople.flatMap((kind) => languages.map((lang) => [kind, lang] as const)))(
    "of the kind %s can be uploaded unchanged: %s",
    async (kind, lang) => {
      const users = [await person(), await person()];
      const names = await Promise.all(users.map(nameOf));
      if (kind === "reactivation")
        for (const { id } of users)
          await api.database.owner.query(sql`update users set offboarded_at = now() where id = ${id}`);
      const limit = kind === "onboarding" ? ";max Profile" : "";
      const id = await check(
        kind,
        `Kennung;Anzeigename${limit}\n${names.map((name) => `${name};x${limit === "" ? "" : ";7"}`).join("\n")}\n=1+1;;\n`,
      );
      const text = await table(`/api/jobs/${id}/results?${berlin(lang)}`);

      const again = await check(kind, text);

      const rows = async (job: string) =>
        (await admin.get(`/api/jobs/${job}/results`)).body.data.map(
          ({ pairwiseID, maxProfiles, status }: Record<string, unknown>) => ({ pairwiseID, maxProfiles, status }),
        );
      expect(await rows(again)).toEqual(await rows(id));
      expect(await jobOf(again)).toMatchObject({ changed: kind === "onboarding" ? 3 : 2 });
      for (const other of ofPeople) {
        const answer = await send(other, text);
        // Only an onboarding knows the column for limits; another kind of job reports this column and no other.
        if (limit === "" || other === "onboarding") expect(answer.status, other).toBe(202);
        else expect(answer.body.fields).toEqual([{ path: "max Profile", reason: "is no column that is known" }]);
      }
    },
  );
});

describe("the audit log for people", () => {
  test.each([
    [
      "de",
      ";",
      "Eintrag;Zeit (Europe/Berlin);Ereignis;Einzelheiten;Realm;Handelnde Person (interne Nummer);Anwendung;Stelle in der Kette;Hash",
      "22.11.2026 06:30:00",
    ],
    [
      "en",
      ",",
      "Entry,Time (Europe/Berlin),Event,Details,Realm,Acting person (internal number),Application,Place in the chain,Hash",
      "2026-11-22 06:30:00",
    ],
  ])(
    "has times in the reader's zone, and is refused as a list of users: %s",
    async (lang, separator, heading, time) => {
      const realmId = await api.given.realm();
      const service = api.as.service({ realmId });
      await api.database.owner.query(sql`
      insert into audit_entries (realm_id, at, event, properties)
      values (${realmId}, '2026-11-22T05:30:00.123456Z', 'user_lock', '{}')
    `);
      const answer = await service.get(`/api/audit/export?filter[event]=user_lock&${berlin(lang)}`, {
        headers: { accept: "text/csv" },
      });

      const [first, second] = answer.text.split("\r\n");
      expect(first).toBe(`\ufeff${heading}`);
      expect(second?.split(separator).slice(1, 3)).toEqual([time, "user_lock"]);
      for (const kind of jobKinds) {
        const refused = await send(kind, answer.text);
        expect(refused).toBeError("invalid_request");
        expect(refused.body.error_description).toMatch(/^The file lacks the column [A-Za-z ]+\. Known are /);
      }
    },
  );
});

describe("the language and zone of a file", () => {
  test.each([
    ["lang=fr", "lang"],
    ["lang=", "lang"],
    ["lang=de&lang=en", "lang"],
    ["zone=Europe/Nowhere", "zone"],
    ["zone=%2B02:00", "zone"],
    ["zone=", "zone"],
  ])("are refused if unknown: %s", async (query, path) => {
    const id = await check("onboarding", `pairwiseID\na-${randomUUID()}\n`);
    for (const file of [`/api/jobs/${id}/results`, "/api/audit/export"]) {
      for (const accept of ["text/csv", "application/x-ndjson"]) {
        const answer = await admin.get(`${file}?${query}`, { headers: { accept } });
        expect(answer).toBeError("invalid_request");
        expect(answer.body.fields).toMatchObject([{ path }]);
      }
    }
  });

  test("have no default; if only one is given, the other is English or UTC", async () => {
    const id = await check("onboarding", `pairwiseID\na-${randomUUID()}\n`);
    await leaveIn(api.database.owner, id, "completed");
    const heading = async (query: string) =>
      (await table(`/api/jobs/${id}/results${query}`)).split("\r\n", 1)[0]?.slice(0, 27);

    expect(await heading("")).toBe("pairwiseID,row,status,error");
    expect(await heading("?zone=UTC")).toBe("\ufeffpairwiseID,Row,Status,Erro");
    expect(await heading("?lang=en")).toBe("\ufeffpairwiseID,Row,Status,Erro");
    expect((await table("/api/audit/export?lang=de")).split("\r\n", 1)[0]).toContain("Zeit (UTC)");
  });
});
