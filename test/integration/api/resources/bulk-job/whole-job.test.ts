import { createPrivateKey, randomUUID, X509Certificate } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { useApi, type Caller } from "../../../../support/service/api.ts";
import { givenIssuingRealm } from "../../../../support/given/issuing.ts";

/** Tests bulk jobs from the upload to the results, with a real worker. */

const api = useApi();
let admin: Caller;

beforeAll(async () => {
  const { realmId } = await givenIssuingRealm(api.database.owner);
  await api.startWorker();
  admin = api.as.admin({ realmId });
});

const run = async (kind: string, raw: string, query = "") => {
  const answer = await admin.send("POST", `/api/jobs/${kind}${query}`, {
    raw,
    headers: { "content-type": "text/csv", prefer: "wait=30" },
  });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
};
const rowsOf = async (id: string) => (await admin.get(`/api/jobs/${id}/results`)).body.data;
const userOf = async (pairwiseID: string) =>
  (await admin.get(`/api/user?search=${encodeURIComponent(pairwiseID)}`)).body.data[0];

test("a spreadsheet is checked, started, and yields a profile for every user", async () => {
  const [anna, otto] = [`anna-${randomUUID()}`, `otto-${randomUUID()}`];
  const file =
    "\ufeffKennung;E-Mail;max. Profile;Profilname;Gerätetyp;Dateiformat\r\n" +
    `${anna};anna@x.example;3;Annas iPhone;iOS;pkcs12\r\n;;;;;\r\n${otto};;;"Laptop; blue";Linux;pem\r\nmaria;;viele;;;\r\n`;

  const checked = await run("onboarding", file, "?dryRun=true");
  expect(checked).toMatchObject({ state: "ready", total: 3, changed: 2, failed: 1, startedAt: null });
  expect(await userOf(anna)).toBeUndefined();

  const started = await admin.post(`/api/jobs/${checked.id}/start`, {}, { headers: { prefer: "wait=30" } });
  expect(started.body.data).toMatchObject({ state: "completed_with_errors", changed: 2, failed: 1, done: 3 });
  expect(await userOf(anna)).toMatchObject({ email: "anna@x.example", profileOverride: 3, profileCount: 1 });

  const [first, second, third] = await rowsOf(checked.id);
  expect(first).toMatchObject({ row: 1, pairwiseID: anna, status: "changed", error: null, data: expect.any(String) });
  expect(second).toMatchObject({ row: 3, profileName: "Laptop; blue", status: "changed" });
  expect(new X509Certificate(second.certificate).checkPrivateKey(createPrivateKey(second.privateKey))).toBe(true);
  expect(third).toMatchObject({ row: 4, status: "failed", error: "invalid_row", maxProfiles: "viele" });

  const csv = await admin.get(`/api/jobs/${checked.id}/results`, { headers: { accept: "text/csv" } });
  const again = await run("onboarding", csv.text);
  expect(again).toMatchObject({ state: "completed_with_errors", changed: 0, unchanged: 2, failed: 1 });
});

test("a retry keeps the row numbers of failed rows, even large ones", async () => {
  const gone = `gone-${randomUUID()}`;
  await run("onboarding", `pairwiseID\n${gone}\n`);
  await admin.delete(`/api/user/${(await userOf(gone)).userID}`);
  const lines = Array.from({ length: 700 }, (_, index) => `new-${randomUUID()}-${index}`);
  const job = await run("onboarding", `pairwiseID\n${lines.join("\n")}\n${"\n".repeat(20)}${gone}\n`);
  expect(job).toMatchObject({ state: "completed_with_errors", changed: 700, failed: 1 });

  await admin.put(`/api/user/${(await userOf(gone)).userID}/undelete`);
  const retried = await admin.post(`/api/jobs/${job.id}/retry`, undefined, { headers: { prefer: "wait=30" } });

  expect(retried.body.data).toMatchObject({ total: 1, done: 1, failed: 0 });
  expect(await rowsOf(retried.body.data.id)).toMatchObject([{ row: 721, pairwiseID: gone, error: null }]);
});

test("a cancelled offboarding changes nothing, and a completed one revokes every user's profiles", async () => {
  const people = [`a-${randomUUID()}`, `b-${randomUUID()}`];
  await run(
    "onboarding",
    `pairwiseID,profileName,deviceType,format\n${people.map((id) => `${id},phone,iOS,pem`).join("\n")}\n`,
  );
  const file = `pairwiseID\n${people.join("\n")}\nnobody-${randomUUID()}\n`;

  const waiting = await run("offboarding", file, "?dryRun=true");
  const cancelled = await admin.post(`/api/jobs/${waiting.id}/cancel`, undefined, { headers: { prefer: "wait=30" } });
  expect(cancelled.body.data).toMatchObject({ state: "cancelled", changed: 0, skipped: 3 });
  for (const id of people) expect(await userOf(id)).toMatchObject({ blacklisted: false, profileCount: 1 });

  const done = await run("offboarding", file);
  expect(done).toMatchObject({ state: "completed_with_errors", changed: 2, failed: 1 });
  for (const id of people) expect(await userOf(id)).toMatchObject({ blacklisted: true, profileCount: 0 });
  expect(await rowsOf(done.id)).toMatchObject([
    { status: "changed" },
    { status: "changed" },
    { status: "failed", error: "user_not_found" },
  ]);
});
