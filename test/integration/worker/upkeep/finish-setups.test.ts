import { beforeEach, expect, test } from "vitest";
import type { Database } from "../../../../db/client.ts";
import { sql } from "../../../../db/sql.ts";
import { finishSetups } from "../../../../worker/upkeep/upkeep.ts";
import { useDatabase } from "../../../support/run/database.ts";
import { fromNow, givenRows } from "../../../support/given/given.ts";
import { silentLog } from "../../../support/service/worker.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
const day = 24 * 3_600_000;

let worker: Database | undefined;
const finish = (at = fromNow(0)): Promise<void> =>
  finishSetups({ db: (worker ??= database.open("realmpass_worker")), clock: { now: () => at }, log: silentLog });

const finishedAt = async (realmId: string): Promise<Date | null> => {
  const [realm] = await database.owner.query<{ at: Date | null }>(sql`
    select set_up_at as at from realms where id = ${realmId}
  `);
  return realm?.at ?? null;
};

const entriesOf = (realmId: string) =>
  database.owner.query(sql`
    select user_id as "userId", client_id as "clientId" from audit_entries where realm_id = ${realmId} and event = 'setup_finish'
  `);

let realmId: string;
beforeEach(async () => {
  realmId = await given.realm();
});

test("a realm's set-up ends once, 30 days after a person's first profile, with one audit entry without an actor", async () => {
  const user = await given.user({ realmId });
  const firstAt = fromNow(-10 * day);
  await given.profile(user, { createdAt: fromNow(-day) });
  await given.profile(user, { createdAt: firstAt, notAfter: fromNow(-9 * day) });

  await finish(new Date(firstAt.getTime() + 30 * day - 1));
  expect(await finishedAt(realmId)).toBeNull();

  const at = new Date(firstAt.getTime() + 30 * day);
  await Promise.all([finish(at), finish(at)]);
  await finish(new Date(at.getTime() + day));
  expect(await finishedAt(realmId)).toEqual(at);
  expect(await entriesOf(realmId)).toEqual([{ userId: null, clientId: null }]);
});

test("the set-up stays open without a person's profile; profiles of servers and guests do not count", async () => {
  const { id: guestAccountId } = await given.guestAccount({ realmId });
  const createdAt = fromNow(-100 * day);
  await given.profile({ realmId }, { kind: "infrastructure", createdAt });
  await given.profile({ realmId }, { guestAccountId, createdAt });
  await finish();
  expect(await finishedAt(realmId)).toBeNull();
});

test("several set-ups are finished in one turn, and all stay open if one of them fails", async () => {
  const others = [realmId, await given.realm()];
  for (const id of others) {
    await given.profile(await given.user({ realmId: id }), { createdAt: fromNow(-31 * day) });
  }
  await database.owner.query(sql`
    create function refuse_entries() returns trigger language plpgsql as 'begin raise exception ''refused''; end'
  `);
  await database.owner.query(sql`
    create trigger refuse before insert on audit_entries for each row execute function refuse_entries()
  `);
  await expect(finish()).rejects.toThrow("refused");
  expect(await Promise.all(others.map(finishedAt))).toEqual([null, null]);

  await database.owner.query(sql`drop trigger refuse on audit_entries`);
  await finish();
  expect(await Promise.all(others.map(finishedAt))).not.toContain(null);
  for (const id of others) expect(await entriesOf(id)).toHaveLength(1);
});
