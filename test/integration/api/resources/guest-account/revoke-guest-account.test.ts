import { beforeAll, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi, type ApiAnswer } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { postForm } from "../../../../support/given/authorization.ts";
import { eventually } from "../../../../support/run/eventually.ts";
import type { GivenGuestAccount } from "../../../../support/given/given.ts";

const api = useApi();
const { as, given } = api;
const respondAsync = { headers: { prefer: "respond-async" } };
const phone = { format: "pem", deviceType: "iOS" };

const audited = (id: string) => auditOf(api.database, "guestAccountID", id);

let account: GivenGuestAccount;
beforeAll(async () => {
  account = await given.guestAccount({ realmId: api.realmId });
});

test("revoking an account ends its profiles, tokens and pending issuances, with one audit entry", async () => {
  const { realmId } = api;
  const bystander = await given.guestAccount({ realmId });
  const spared = await given.profile({ realmId }, { guestAccountId: bystander.id });
  const serials = [
    await given.profile({ realmId }, { guestAccountId: account.id }),
    await given.profile({ realmId }, { guestAccountId: account.id }),
  ];
  const guest = as.guest(account);
  const pending = await guest.post("/api/guest-profile", phone, respondAsync);
  expect(pending.status).toBe(202);
  const service = as.service();

  expect(await service.delete(`/api/guest-accounts/${account.id}`)).toMatchObject({
    status: 200,
    body: { data: true },
  });

  expect((await service.get(`/api/guest-accounts/${account.id}`)).body.data).toMatchObject({
    revoked: true,
    activeProfileCount: 0,
  });
  const profiles = (await service.get(`/api/guest-accounts/${account.id}/profiles`)).body.data;
  expect(profiles).toHaveLength(2);
  for (const profile of profiles) expect(profile).toMatchObject({ revokeReason: 5, revokeDate: expect.any(String) });

  expect(await guest.get("/api/realm")).toBeError("unauthenticated");
  const form = { grant_type: "guest_token", guest_token: account.token };
  expect(await postForm(`${api.url}/oauth/token`, form)).toMatchObject({
    status: 400,
    body: { error: "invalid_grant" },
  });
  const issuances = await api.database.owner.query(sql`
    select status, error_code from issuances where guest_account_id = ${account.id}
  `);
  expect(issuances).toEqual([{ status: "failed", error_code: "guest_account_ended" }]);

  expect(await audited(account.id)).toMatchObject([
    {
      event: "guest_account_revoke",
      properties: { reason: 5, profiles: 2, serials: expect.arrayContaining(serials) },
    },
  ]);
  expect(await auditOf(api.database, "serial", serials[0] ?? "")).toEqual([]);

  const others = (await service.get(`/api/guest-accounts/${bystander.id}/profiles`)).body.data;
  expect(others).toMatchObject([{ serial: spared, revokeDate: null }]);
});

test("revoking again succeeds and writes nothing", async () => {
  expect(await as.service().delete(`/api/guest-accounts/${account.id}`, { reason: 1 })).toMatchObject({
    status: 200,
    body: { data: true },
  });
  expect(await audited(account.id)).toHaveLength(1);
});

test("two concurrent revocations revoke the account once", async () => {
  const { id } = await given.guestAccount({ realmId: api.realmId });
  const service = as.service();
  let answers: Promise<ApiAnswer>[] = [];
  await api.database.owner.transaction(async (tx) => {
    await tx.query(sql`select id from guest_accounts where id = ${id} for update`);
    answers = [1, 4].map((reason) => service.delete(`/api/guest-accounts/${id}`, { reason }));
    await eventually(async () => {
      const waiting = await api.database.owner.query(sql`
        select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      `);
      expect(waiting).toHaveLength(2);
    });
  });

  for (const answer of answers) expect(await answer).toMatchObject({ status: 200, body: { data: true } });
  expect(await audited(id)).toHaveLength(1);
});

test("concurrent profile requests leave nothing pending or active", async () => {
  const one = await given.guestAccount({ realmId: api.realmId });
  const guest = as.guest(one);
  const asked = Array.from({ length: 20 }, () => guest.post("/api/guest-profile", phone, respondAsync));
  const revoked = as.service().delete(`/api/guest-accounts/${one.id}`);
  await Promise.all([...asked, revoked]);

  expect(await revoked).toMatchObject({ status: 200 });
  const left = await api.database.owner.query(sql`
    select id from issuances where guest_account_id = ${one.id} and status <> 'failed'
  `);
  expect(left).toEqual([]);
});

test("the given reason applies to the profiles", async () => {
  const one = await given.guestAccount({ realmId: api.realmId });
  await given.profile({ realmId: api.realmId }, { guestAccountId: one.id });
  const service = as.service();
  await service.delete(`/api/guest-accounts/${one.id}`, { reason: 1 });

  const { data } = (await service.get(`/api/guest-accounts/${one.id}/profiles`)).body;
  expect(data).toMatchObject([{ revokeReason: 1 }]);
});

test("other realms' accounts are not found", async () => {
  const stranger = await given.guestAccount({ realmId: await given.realm() });
  for (const id of [stranger.id, "999999999", "abc"]) {
    expect(await as.service().delete(`/api/guest-accounts/${id}`)).toBeError("guest_account_not_found");
  }
  expect(await as.service().delete(`/api/guest-accounts/${stranger.id}`, { reason: 2 })).toBeError("invalid_request");
});
