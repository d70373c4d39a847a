import { expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { givenRows } from "../../support/given/given.ts";
import { useOperator } from "../../support/service/test-operator.ts";

const operator = useOperator();

interface Check {
  name: string;
  status: string;
  message: string;
}

test("scim: a directory that is silent, does not know everyone, or has an expiring token or a waiting offboarding is a warning; a directory that knows the realm's only administrator is a failure", async () => {
  const realm = await operator.realm();
  const { owner } = operator.database;
  const given = givenRows(() => owner);
  const [{ id: realmId } = { id: "" }] = await owner.query<{ id: string }>(
    sql`select id from realms where name = ${realm}`,
  );
  const found = async (): Promise<Check[]> => {
    const { json } = await operator.run(["doctor", "--realm", realm]);
    return (json["checks"] as Check[]).filter(({ name }) => name === `scim ${realm}`);
  };
  const has = async (status: string, ...words: string[]) => {
    expect(await found()).toEqual(
      words.map((part) => expect.objectContaining({ status, message: expect.stringContaining(part) as string })),
    );
  };
  expect(await found()).toEqual([]);

  const { clientId } = await given.application({ realmId, name: "Directory 1", scopes: ["scim"] });
  await has("ok", "knows all 0 people");

  await owner.query(
    sql`update applications set last_used_at = now() - interval '49 hours' where client_id = ${clientId}`,
  );
  await has("warn", `"Directory 1" last came`);
  await owner.query(sql`update applications set last_used_at = now() where client_id = ${clientId}`);

  await owner.query(sql`
    insert into static_tokens (id, realm_id, client_id, token_hash, created_at, created_by, expires_at)
    values (gen_random_uuid(), ${realmId}, ${clientId}, sha256('x'), now(), 'test', now() + interval '13 days')
  `);
  await has("warn", `a static token of "Directory 1" ends on`);
  await owner.query(
    sql`update static_tokens set expires_at = now() + interval '15 days' where client_id = ${clientId}`,
  );
  await has("ok", "knows all");

  const person = await given.user({ realmId, administrator: true });
  await has("warn", "1 people with access are unknown");
  await owner.query(sql`
    insert into scim_users (user_id, realm_id, client_id, user_name, active, created_at, updated_at)
    values (${person.id}, ${realmId}, ${clientId}, 'ada', true, now(), now())
  `);
  await has("fail", "the realm's only administrator is known to the directory");
  const local = await given.user({ realmId, administrator: true });
  await has("warn", "1 people with access are unknown");
  await owner.query(sql`
    insert into scim_users (user_id, realm_id, client_id, user_name, active, created_at, updated_at)
    values (${local.id}, ${realmId}, ${clientId}, 'alan', true, now(), now())
  `);
  await has("ok", "knows all 2 people");

  await owner.query(sql`
    insert into jobs (id, realm_id, kind, state, dry_run, columns, created_at, started_at, marked_at, expected_change,
                      origin, progress_at, total)
    values (gen_random_uuid(), ${realmId}, 'offboarding', 'grace', false, '{userID}', now(), now(), now(), 7, 'scim', now(), 7)
  `);
  await has("warn", "7 are locked out, their devices are still online");
});
