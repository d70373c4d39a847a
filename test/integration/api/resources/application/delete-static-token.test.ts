import { beforeAll, expect, test } from "vitest";
import { auditOf } from "../../../../support/given/audit.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;
let admin: Caller;

beforeAll(() => {
  admin = as.admin();
});

const givenToken = async (): Promise<{ clientId: string; path: string; id: string }> => {
  const { clientId } = await given.application({ realmId: api.realmId, scopes: ["scim"] });
  const path = `/api/applications/${clientId}/tokens`;
  const { body } = await admin.post(path, {});
  return { clientId, path, id: body.data.id };
};

test("a token is deleted once, with one entry in the audit log, and the application's other token stays", async () => {
  const { clientId, path, id } = await givenToken();
  const sibling = (await admin.post(path, {})).body.data.id;
  expect((await admin.delete(`${path}/${id.toUpperCase()}`)).status).toBe(200);
  expect(await admin.delete(`${path}/${id}`)).toBeError("token_not_found");
  expect((await admin.get(path)).body.data).toEqual([expect.objectContaining({ id: sibling })]);
  const entries = await auditOf(api.database, "clientID", clientId);
  expect(entries.filter(({ event }) => event === "static_token_delete")).toEqual([
    expect.objectContaining({ properties: { clientID: clientId, tokenID: id } }),
  ]);
});

test("a token is found only under its own application", async () => {
  const [one, other] = [await givenToken(), await givenToken()];
  expect(await admin.delete(`${other.path}/${one.id}`)).toBeError("token_not_found");
  expect(await admin.delete(`${one.path}/nothing`)).toBeError("token_not_found");
  const stranger = as.admin({ realmId: await given.realm() });
  expect(await stranger.delete(`${one.path}/${one.id}`)).toBeError("application_not_found");
  expect((await admin.get(one.path)).body.data).toHaveLength(1);
});
