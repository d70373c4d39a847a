import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import * as realms from "../../../db/queries/realm/realms.ts";
import { jobKinds, type JobKind } from "../../../domain/bulk-job/job.ts";
import { downloadBy } from "../../support/browser/console-views.ts";
import type { Caller } from "../../support/service/api.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { useConsole } from "../../support/service/console.ts";

/** The kinds of job whose rows name people. */
const kindsOfPeople = jobKinds.filter((kind) => kind !== "revocation");

/** Lists that users export from the console in both languages and upload as files of bulk jobs. */
describeWithTool("chromium-headless-shell", "exported lists", () => {
  const subject = useConsole();
  const name = `export-${randomUUID()}`;
  let service: Caller;
  let serial = "";
  let guestAccountId = "";
  beforeAll(async () => {
    const { api, realm } = subject;
    const { realmId } = realm;
    service = api.as.service({ realmId });
    const user = await api.given.user({
      realmId,
      pairwiseId: name,
      email: "export@x.example",
      displayName: "Ada Export",
    });
    serial = await api.given.profile(user, {
      name: "=phone",
      deviceType: "iOS",
      createdAt: new Date("2026-07-01T22:30:00Z"),
    });
    guestAccountId = (await api.given.guestAccount({ realmId })).id;
    await api.given.profile({ realmId }, { guestAccountId });
    await api.given.profile({ realmId }, { kind: "infrastructure" });
    await send("onboarding", `Kennung\n${name}\n`);
  });

  const send = (kind: JobKind, raw: string) =>
    service.send("POST", `/api/jobs/${kind}?dryRun=true`, { raw, headers: { "content-type": "text/csv" } });

  const grouped = (digits: string): string => digits.replace(/\B(?=(?:\d{4})+$)/g, " ");

  test.each([
    {
      language: "en",
      button: "Export",
      people: "Name,Pseudonymous ID,E-mail,Status,Profiles used,Profiles allowed,Created (Europe/Berlin)",
      person: `Ada Export,${name},export@x.example,Active,1,5,`,
      profiles:
        "Serial number,Name,Owner,Pseudonymous ID,E-mail,Device,Status,Created (Europe/Berlin),Valid until (Europe/Berlin),Last check (Europe/Berlin)",
      profile: () =>
        `${grouped(serial)},'=phone,Ada Export,${name},export@x.example,iPhone,Active,2026-07-02 00:30:00,`,
    },
    {
      language: "de",
      button: "Exportieren",
      people: "Name;Kennung;E-Mail;Status;Profile in Gebrauch;Profile erlaubt;Angelegt (Europe/Berlin)",
      person: `Ada Export;${name};export@x.example;Aktiv;1;5;`,
      profiles:
        "Seriennummer;Name;Person;Kennung;E-Mail;Gerät;Status;Erstellt (Europe/Berlin);Gültig bis (Europe/Berlin);Letzte Prüfung (Europe/Berlin)",
      profile: () => `${grouped(serial)};'=phone;Ada Export;${name};export@x.example;iPhone;Aktiv;02.07.2026 00:30:00;`,
    },
  ] as const)("are in $language; bulk jobs read those that name people", async ({ language, button, ...expected }) => {
    const { owner } = subject.api.database;
    await realms.update(owner, subject.realm.realmId, { timeZone: "Europe/Berlin" });
    const { page, context } = await subject.open("/console/users", { language, zone: "Asia/Kolkata" });
    const exportOf = async (path: string): Promise<string> => {
      await page.goto(`${subject.api.url}/console${path}`);
      await page.locator("table tbody tr").first().waitFor();
      return (await downloadBy(page, page.getByRole("button", { name: button, exact: true }))).bytes.toString();
    };
    const linesOf = (text: string): string[] => text.split("\r\n");

    const people = await exportOf("/users");
    expect(linesOf(people)[0]).toBe(`\ufeff${expected.people}`);
    expect(people).toContain(`\r\n${expected.person}`);
    const profiles = await exportOf("/profiles");
    expect(linesOf(profiles)[0]).toBe(`\ufeff${expected.profiles}`);
    expect(profiles).toContain(`\r\n${expected.profile()}`);
    for (const text of [people, profiles]) {
      for (const kind of kindsOfPeople) {
        const { status, body, text: answer } = await send(kind, text);
        expect(status, answer).toBe(202);
        const rows = await service.get(`/api/jobs/${body.data.id}/results`);
        expect(rows.body.data).toHaveLength(linesOf(text).length - 2);
        expect(rows.body.data).toContainEqual(expect.objectContaining({ pairwiseID: name }));
        expect(rows.text).not.toContain("invalid_row");
      }
    }

    // These files name no people, and the error reports only this.
    for (const path of ["/guests", `/guests/${guestAccountId}`, "/infrastructure", "/jobs", "/applications"]) {
      const text = await exportOf(path);
      expect(linesOf(text).length, path).toBeGreaterThan(2);
      expect(text, path).not.toMatch(/\d{4}-\d\d-\d\dT|\d{20}/);
      for (const kind of kindsOfPeople) {
        const refused = await send(kind, text);
        expect(refused.status).toBe(400);
        expect(refused.body.error_description, path).toMatch(/^The file lacks the column [A-Za-z ]+\. Known are /);
      }
    }
    await context.close();
  });
});
