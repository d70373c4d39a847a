import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { crls } from "../../../db/migrations/20261121-1110-crls.ts";
import { sql, verbatim } from "../../../db/sql.ts";
import { useDatabase } from "../../support/run/database.ts";
import { fromNow, givenRows } from "../../support/given/given.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
const day = 86_400_000;

test("all unexpired serial numbers that were revoked or abandoned before CRLs existed wait for the first CRL", async () => {
  const run = (text: string) => database.owner.query(verbatim(text));
  await run(`
    drop trigger revocations_await_publication on revocations;
    drop trigger abandoned_serial_numbers_await_publication on abandoned_serial_numbers;
    drop table crl_requests, crls, crl_pieces, crl_unpublished cascade;
    drop function await_publication, await_publication_of_abandoned, keep_crl_entries, number_crls;
  `);
  const realmId = await given.realm();
  const user = await given.user({ realmId });
  const revoked = await given.profile(user);
  const ended = await given.profile(user, { createdAt: fromNow(-2 * day), notAfter: fromNow(-day) });
  await given.profile(user);
  await database.owner.query(sql`
    insert into revocations (certificate_id, revoked_at, reason)
    select id, now(), 4 from certificates where serial_number = any(${[revoked, ended]}::text[])
  `);
  await database.owner.query(sql`
    insert into abandoned_serial_numbers (issuer_id, serial_number, issuance_id, not_after, abandoned_at)
    select id, '4242', ${randomUUID()}, now() + interval '1 day', now() from issuers where realm_id = ${realmId}
  `);

  await run(crls.up);

  const waiting = await database.owner.query(sql`
    select serial_number as serial, reason from crl_unpublished order by reason nulls last
  `);
  expect(waiting).toEqual([
    { serial: revoked, reason: 4 },
    { serial: "4242", reason: null },
  ]);
});
