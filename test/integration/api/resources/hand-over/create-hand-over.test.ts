import { beforeAll, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { roles } from "../../../../../domain/people/roles.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { givenIssuingRealm } from "../../../../support/given/issuing.ts";
import { useApi } from "../../../../support/service/api.ts";
import { headingOf, serialsOf, visitorOf } from "../../browser/self-service/self-service-support.ts";

const api = useApi();
const { as, given } = api;
let realmId = "";

beforeAll(async () => {
  ({ realmId } = await givenIssuingRealm(api.database.owner));
  await api.startWorker();
});

const pathOf = ({ id }: { id: string }): string => `/api/user/${id}/hand-overs`;
const phone = { profileName: "phone", deviceType: "Linux" };

test("a code from the help desk, typed on a device without signing in, sets up the device with a profile of the user", async () => {
  const user = await given.user({ realmId });
  const desk = await given.user({ realmId, roles: ["help_desk"] });
  const { status, headers, body } = await as.user(desk).post(pathOf(user), phone);
  expect(status).toBe(200);
  expect(headers["cache-control"]).toContain("no-store");
  const { id, code, page, link } = body.data;
  expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
  expect({ page, link: String(link).startsWith(`${api.url}/d/rph_`) }).toEqual({ page: `${api.url}/code`, link: true });

  const device = await visitorOf(api);
  const asked = await device.send(await device.get("/code"), { code: ` ${code.toLowerCase().replace("-", " ")}` });
  expect(asked.url).toBe(link);
  const taken = await device.send(asked, { device_type: "Linux" });
  expect(headingOf(taken)).toBe("Set up phone");
  expect((await device.download(taken)).text).toContain("private-key=");
  expect(await serialsOf(api, user)).toHaveLength(1);

  const entries = await auditOf(api.database, "userID", user.id);
  expect(entries.filter(({ event }) => event === "hand_over_create")).toMatchObject([
    { userId: desk.id, properties: { handOver: id, name: "phone", deviceType: "Linux" } },
  ]);
  const rows = await api.database.owner.query(sql`select h::text as row from hand_overs h where id = ${id}`);
  expect(rows).toHaveLength(1);
  const bare = String(code).replace("-", "");
  for (const form of [code, bare, Buffer.from(bare).toString("hex")])
    expect(JSON.stringify([entries, rows])).not.toContain(form);
});

test("a repeat with the same key returns the same code", async () => {
  const user = await given.user({ realmId });
  const headers = { "idempotency-key": "one-code" };
  const admin = as.user(await given.user({ realmId, administrator: true }));
  const ask = async () => (await admin.post(pathOf(user), phone, { headers })).body.data;
  const first = await ask();
  expect(await ask()).toEqual(first);
  expect((await admin.post(pathOf(user), phone)).body.data.code).not.toBe(first.code);
});

test.each(roles)(
  "the help desk cannot create a code for a user with the role %s, except the role help_desk",
  async (role) => {
    const desk = as.user(await given.user({ realmId, roles: ["help_desk"] }));
    const staff = await given.user({ realmId, roles: [role] });
    const answer = await desk.post(pathOf(staff), phone);
    if (role === "help_desk") expect(answer.status).toBe(200);
    else expect(answer).toBeError("insufficient_scope");
    expect(await as.admin({ realmId }).post(pathOf(staff), phone)).toMatchObject({ status: 200 });
  },
);

test("no code is created for a user who cannot get a profile, or for a user of another realm", async () => {
  const admin = as.admin({ realmId });
  const locked = await given.user({ realmId, lockedAt: new Date(0) });
  expect(await admin.post(pathOf(locked), phone)).toBeError("user_locked");
  const full = await given.user({ realmId, profileOverride: 1 });
  expect(await admin.post(pathOf(full), phone)).toMatchObject({ status: 200 });
  await given.profile(full);
  expect(await admin.post(pathOf(full), phone)).toBeError("profile_limit_reached");
  const other = await given.user({ realmId: await given.realm() });
  expect(await admin.post(pathOf(other), phone)).toBeError("user_not_found");
});

test("a user can have 20 unused codes at a time", async () => {
  const user = await given.user({ realmId });
  const answers = await Promise.all(Array.from({ length: 22 }, () => as.admin({ realmId }).post(pathOf(user), phone)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
});
