import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { clockWithinAnHour } from "../../../../support/run/moved-clock.ts";
import { useApi } from "../../../../support/service/api.ts";

const clock = clockWithinAnHour();
const api = useApi({ clock, requestCountsEveryMs: 100 });
const { as, given, database } = api;
const hour = 3_600_000;
const current = Math.floor(clock.now().getTime() / hour) * hour;

const pictureOf = async (clientId: string, realmId = api.realmId) => {
  const { status, body } = await as.service({ realmId }).get(`/api/applications/${clientId}/requests`);
  expect(status).toBe(200);
  return body.data;
};

test("an application that sent no request has 168 empty hours", async () => {
  const { clientId } = await given.application({ realmId: api.realmId });
  expect(await pictureOf(clientId)).toEqual({
    hours: Array.from({ length: 168 }, (_, index) => ({
      from: new Date(current - (167 - index) * hour).toISOString(),
      answered: 0,
      refused: 0,
    })),
    refusals: [],
  });
});

test("the response contains the requests of 7 days by hour, and refusals by status", async () => {
  const { clientId } = await given.application({ realmId: api.realmId });
  const other = await given.application({ realmId: api.realmId });
  const counted = (id: string, hoursAgo: number, status: number, requests: number) =>
    database.owner.query(sql`
      insert into application_requests (client_id, hour, status, requests)
      values (${id}, ${new Date(current - hoursAgo * hour)}, ${status}, ${requests})
    `);
  await counted(clientId, 0, 200, 5);
  await counted(clientId, 0, 403, 2);
  await counted(clientId, 3, 403, 2);
  await counted(clientId, 3, 500, 3);
  await counted(clientId, 167, 202, 7);
  await counted(clientId, 168, 200, 100);
  await counted(other.clientId, 0, 200, 100);
  const { hours, refusals } = await pictureOf(clientId);
  expect(hours.at(-1)).toMatchObject({ answered: 5, refused: 2 });
  expect(hours.at(-4)).toMatchObject({ answered: 0, refused: 5 });
  expect(hours[0]).toMatchObject({ answered: 7, refused: 0 });
  expect(refusals).toEqual([
    { status: 403, requests: 4 },
    { status: 500, requests: 3 },
  ]);
});

test("only requests with a token of the application are counted, whether they succeed or are refused", async () => {
  const { clientId } = await given.application({ realmId: api.realmId });
  const user = await given.user({ realmId: api.realmId });
  const { accessToken } = await given.session({ user, clientId, scopes: ["profile.read"] });
  const caller = as.token(accessToken);
  expect((await caller.get("/api/profile")).status).toBe(200);
  expect((await caller.get("/api/user")).status).toBe(403);
  expect((await as.token(`${accessToken}x`).get("/api/profile")).status).toBe(401);
  await expect.poll(async () => (await pictureOf(clientId)).refusals).toEqual([{ status: 403, requests: 1 }]);
  const { hours } = await pictureOf(clientId);
  expect(hours.reduce((sum: number, { answered }: { answered: number }) => sum + answered, 0)).toBe(1);
});

test("an application of another realm and the console are not found", async () => {
  const elsewhere = await given.application({ realmId: await given.realm() });
  for (const clientId of [elsewhere.clientId, `console-${api.realmId}`]) {
    expect(await as.service().get(`/api/applications/${clientId}/requests`)).toMatchObject({
      status: 404,
      body: { error: "application_not_found" },
    });
  }
});
