import { randomBytes, randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { useDatabase } from "../../support/run/database.ts";
import { givenRows, type GivenUser } from "../../support/given/given.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
let user: GivenUser;

beforeAll(async () => {
  user = await given.user({ realmId: await given.realm() });
});

/** Makes a hand-over as release 0.1.0 does. */
async function givenHandOver(): Promise<string> {
  const id = randomUUID();
  await database.owner.query(sql`
    insert into hand_overs (id, token_hash, realm_id, user_id, device_type, name, created_at, expires_at)
    values (${id}, ${randomBytes(32)}, ${user.realmId}, ${user.id}, 'iOS', 'phone', now(), now() + interval '10 minutes')
  `);
  return id;
}
const change = (id: string, set: ReturnType<typeof sql>) =>
  database.owner.query(sql`update hand_overs set ${set} where id = ${id}`);

const claim = sql`claimed_at = now(), picker_hash = ${randomBytes(32)}`;
/** Returns the assignments with which release 0.1.0 claims and uses a hand-over in one step. */
const take = () => sql`picked_up_at = now(), picker_hash = ${randomBytes(32)}, issuance_id = ${randomUUID()}`;

test("release 0.1.0 can still use a claimed or unclaimed hand-over in one step, and then record its offer and its download", async () => {
  for (const before of [sql`name = name`, claim]) {
    const id = await givenHandOver();
    await change(id, before);
    await change(id, take());
    await change(id, sql`offered_at = now(), downloaded_at = now()`);
  }
});

test("a hand-over is first claimed and then used", async () => {
  const id = await givenHandOver();
  await change(id, claim);
  await change(id, sql`picked_up_at = now(), issuance_id = ${randomUUID()}`);
  await change(id, sql`downloaded_at = now()`);
});

test.each([
  ["claimed by nobody", sql`claimed_at = now()`],
  ["whose browser is known without a claim", sql`picker_hash = ${randomBytes(32)}`],
  ["used by nobody", sql`picked_up_at = now(), issuance_id = ${randomUUID()}`],
  ["used without an issuance", sql`picked_up_at = now(), picker_hash = ${randomBytes(32)}`],
  ["with an issuance, but not used", sql`${claim}, issuance_id = ${randomUUID()}`],
  ["downloaded before it was used", sql`${claim}, downloaded_at = now()`],
])("the database refuses a hand-over %s", async (_, set) => {
  const id = await givenHandOver();
  await expect(change(id, set)).rejects.toMatchObject({ constraint: "hand_overs_picked_up" });
});
