import { beforeEach, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;
const path = "/api/realm/apps";

let realmId: string;
let service: Caller;
beforeEach(async () => {
  realmId = await given.realm();
  service = as.service({ realmId });
});

const read = async () => (await service.get(path)).body.data;
const audited = () =>
  api.database.owner.query<{ event: string; properties: object }>(sql`
    select event, properties from audit_entries where realm_id = ${realmId} order by id
  `);

const all = {
  onboardingApps: true,
  appsListing: "Universität Beispiel",
  radiusNames: ["radius-2.uni.example"],
  rcois: ["5A03BA0000", "001BC5"],
  helpMail: "help@uni.example",
  helpPhone: "+49 (351) 463-0/1",
  reminderLead: 60,
  keyTypes: { Android: "rsa-2048", MacOS: "rsa-3072" },
};

test("all settings change together, and the audit entry contains the old and the new values", async () => {
  const { appsURL, locked, ...before } = await read();
  expect([appsURL, locked]).toEqual([expect.any(String), {}]);
  expect(await service.put(path, { ...all, rcois: ["5a03ba0000", "001bc5"] })).toMatchObject({ status: 200 });
  expect(await read()).toMatchObject(all);
  expect(await audited()).toEqual([{ event: "realm_update", properties: { before, after: all } }]);
});

test.each(Object.entries(all))("%s is accepted alone, and the other settings stay", async (name, value) => {
  const before = await read();
  expect(await service.put(path, { [name]: value, appsURL: "https://evil.example/" })).toMatchObject({ status: 200 });
  const { locked, ...after } = await read();
  expect({ ...after, locked: {} }).toEqual({ ...before, [name]: value });
  expect(Object.keys(locked)).toEqual(name === "radiusNames" ? ["radiusNames"] : []);
});

test("a device gets the realm's new key type if the request names no key type", async () => {
  const { id } = await given.user({ realmId });
  await service.put(path, { keyTypes: { Android: "rsa-3072" } });
  const create = (body: object) =>
    service.post(
      `/api/user/${id}/profiles/phone`,
      { format: "pkcs12", deviceType: "Android", ...body },
      {
        headers: { prefer: "respond-async" },
      },
    );
  expect([(await create({})).status, (await create({ keyType: "ec-p256" })).status]).toEqual([202, 202]);
  const rows = await api.database.owner.query<{ type: string }>(sql`
    select key_type as type from issuances where user_id = ${id} order by created_at, id
  `);
  expect(rows.map(({ type }) => type).toSorted()).toEqual(["ec-p256", "rsa-3072"]);
});

test.each<[change: object, path: string]>([
  [{ onboardingApps: "yes" }, "onboardingApps"],
  [{ appsListing: "a".repeat(201) }, "appsListing"],
  [{ appsListing: "a\nb" }, "appsListing"],
  [{ radiusNames: ["radius"] }, "radiusNames.0"],
  [{ radiusNames: ["*.uni.example"] }, "radiusNames.0"],
  [{ radiusNames: ["a.example;b.example"] }, "radiusNames.0"],
  [{ radiusNames: ["a.example", "A.EXAMPLE"] }, "radiusNames"],
  [{ radiusNames: Array.from({ length: 9 }, (_, index) => `r${index}.example`) }, "radiusNames"],
  [{ rcois: ["001BC504"] }, "rcois.0"],
  [{ rcois: ["0x001BC5"] }, "rcois.0"],
  [{ rcois: ["001bc5", "001BC5"] }, "rcois"],
  [{ rcois: Array.from({ length: 9 }, (_, index) => `00000${index}`) }, "rcois"],
  [{ helpMail: "mailto:help@uni.example" }, "helpMail"],
  [{ helpMail: "a@b.example\r\nBcc: c@d.example" }, "helpMail"],
  [{ helpPhone: "1".repeat(41) }, "helpPhone"],
  [{ helpPhone: "()" }, "helpPhone"],
  [{ reminderLead: 61 }, "reminderLead"],
  [{ reminderLead: -1 }, "reminderLead"],
  [{ keyTypes: { Phone: "rsa-2048" } }, "keyTypes"],
  [{ keyTypes: { Android: "rsa-1024" } }, "keyTypes.Android"],
])("a change to %j is refused, and nothing is saved", async (change, at) => {
  const before = (await service.get(path)).text;
  const answer = await service.put(path, { ...change, helpPhone: "1", ...change });
  expect(answer).toBeError("invalid_request");
  expect(answer.body.fields.map((field: { path: string }) => field.path)).toEqual([at]);
  expect((await service.get(path)).text).toBe(before);
});

test("the names of all RADIUS servers together have at most 255 characters, in whatever order they are set", async () => {
  const name = (length: number): string => `${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(length - 122)}`;
  const settings = (radiusCN: string) => service.put("/api/realm/settings", { radiusCN });
  expect(await service.put(path, { radiusNames: [name(130)] })).toMatchObject({ status: 200 });
  const tooLong = await settings(name(125));
  expect(tooLong).toBeError("invalid_request");
  expect(tooLong.body.fields).toEqual([expect.objectContaining({ path: "radiusCN" })]);
  expect(await settings(name(124))).toMatchObject({ status: 200 });

  realmId = await given.realm();
  service = as.service({ realmId });
  await settings(name(125));
  expect(await service.put(path, { radiusNames: [name(130)] })).toBeError("invalid_request");
  expect(await service.put(path, { radiusNames: [name(129)] })).toMatchObject({ status: 200 });
});

test("the servers' names can be set once; a later change is refused with the operator's command, and no setting is saved", async () => {
  await service.put(path, { radiusNames: ["radius-2.uni.example"] });
  const refused = await service.put(path, { radiusNames: ["radius-2.evil.example"], helpPhone: "1" });
  expect(refused).toBeError("operator_required");
  const { helpPhone, radiusNames, locked } = await read();
  expect(refused.body.fields).toEqual([{ path: "radiusNames", reason: locked.radiusNames }]);
  expect([helpPhone, radiusNames]).toEqual(["", ["radius-2.uni.example"]]);
  expect(await service.put(path, { radiusNames: [] })).toBeError("operator_required");
  expect(await service.put(path, { radiusNames: ["radius-2.uni.example"], helpPhone: "1" })).toMatchObject({
    status: 200,
  });
});

test("once the set-up is finished, the servers' names cannot be set here, but the other settings can", async () => {
  await api.database.owner.query(sql`update realms set set_up_at = now() where id = ${realmId}`);
  expect(await service.put(path, { radiusNames: ["radius-2.uni.example"] })).toBeError("operator_required");
  expect(await service.put(path, { ...all, radiusNames: [] })).toMatchObject({ status: 200 });
});

test("sending back the settings as read changes nothing and writes nothing", async () => {
  await service.put(path, all);
  expect(await service.put(path, await read())).toMatchObject({ status: 200 });
  expect(await audited()).toHaveLength(1);
});

test("the settings are changed only if `If-Match` names their current version", async () => {
  const tag = (await service.get(path)).headers.etag ?? "";
  const put = (change: object) => service.put(path, change, { headers: { "if-match": tag } });
  expect(await put({ helpPhone: "1" })).toMatchObject({ status: 200 });
  expect(await put({ helpPhone: "2" })).toBeError("precondition_failed");
  expect(await read()).toMatchObject({ helpPhone: "1" });
});

test("a change needs realm.modify, and only the caller's realm changes", async () => {
  expect(await as.service({ realmId, scopes: ["realm.read"] }).put(path, { helpPhone: "1" })).toBeError(
    "insufficient_scope",
  );
  const other = (await as.service().get(path)).text;
  await service.put(path, { helpPhone: "1" });
  expect((await as.service().get(path)).text).toBe(other);
  expect(await service.put(path, {})).toBeError("invalid_request");
});
