import { expect } from "vitest";
import { sql } from "../../db/sql.ts";
import { eventually } from "../support/run/eventually.ts";
import { faultTest, givenUsers, hold } from "../support/service/fault.ts";
import type { RunningService } from "../support/service/service.ts";
import { ended } from "../support/run/services.ts";

/** docs/realms.md, "Forgetting people", lists the steps that these tests interrupt. No step uses the queue. */

const step = faultTest("postgres");

const slice = 500;

const state = async ({ owner }: RunningService) => {
  const [row] = await owner.query(sql`
    select (select count(*) from users where forgotten_at is not null)::integer as forgotten,
           (select count(*) from users where pairwise_id like 'leaver-%')::integer as known,
           (select count(*) from local_credentials where username like 'leaver-%')::integer as accounts,
           (select coalesce(sum((properties ->> 'users')::integer), 0)
              from audit_entries where event = 'user_forget')::integer as audited
  `);
  return row;
};

step(
  "if the worker is killed in the second slice, the first slice is forgotten, and the next worker forgets the rest",
  async (service) => {
    const { owner, realmId } = service;
    const userIds = await givenUsers(service, slice + 100, "leaver");
    await owner.query(sql`
    insert into local_credentials (user_id, realm_id, username)
    select id, realm_id, pairwise_id from users where id = any(${userIds}::bigint[])
  `);
    // Offboards the people in the order of their ids, so the last one is in the second slice.
    await owner.query(sql`
    update users set offboarded_at = now() - interval '1 year' + id * interval '1 second'
     where id = any(${userIds}::bigint[])
  `);
    const forgetting = await hold(
      service,
      sql`select from local_credentials where user_id = ${userIds.at(-1)} for update`,
    );
    await owner.query(sql`update realms set forget_after_months = 2 where id = ${realmId}`);
    await forgetting.reached("worker", "forget_users");
    await ended(service.workers[0]!, "SIGKILL");
    await forgetting.drop();
    await forgetting.release();

    expect(await state(service)).toEqual({ forgotten: slice, known: 100, accounts: 100, audited: slice });

    await service.startWorker();
    await eventually(
      async () => {
        expect(await state(service)).toEqual({ forgotten: slice + 100, known: 0, accounts: 0, audited: slice + 100 });
      },
      { withinMs: 90_000 },
    );
  },
);
