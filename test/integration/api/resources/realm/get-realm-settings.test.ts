import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as } = api;

test("administrators read after how many months people are forgotten; null: nobody is", async () => {
  const settings = async () => (await as.admin().get("/api/realm/settings")).body.data;
  expect(await settings()).toEqual({ forgetAfterMonths: null });
  await api.database.owner.query(sql`update realms set forget_after_months = 18 where id = ${api.realmId}`);
  expect(await settings()).toEqual({ forgetAfterMonths: 18 });
});

test("nobody else does, and no request changes it", async () => {
  const user = as.user(api.given.user({ realmId: api.realmId }));
  expect(await user.get("/api/realm/settings")).toBeError("forbidden");
  expect(await as.admin().put("/api/realm/settings", { forgetAfterMonths: 1 })).toBeError("method_not_allowed");
  expect(await as.admin().put("/api/realm", { forgetAfterMonths: 1 })).toBeError("invalid_request");
});
