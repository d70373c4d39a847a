import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

/** Returns the lines that the realm's RADIUS server reads. */
async function linesOf(realmId: string): Promise<string[]> {
  const { clientId } = await given.application({ realmId, scopes: ["radius.read"] });
  const token = await given.token({ realmId, clientId }, { scopes: ["radius.read"] });
  const answer = await as.token(token).get("/api/radius/vlans");
  expect(answer).toMatchObject({ status: 200, headers: { "content-type": "text/plain; charset=utf-8" } });
  return answer.text.split("\n").slice(0, -1);
}

const setVlan = (user: { id: string; realmId: string }, vlan: string): Promise<unknown> =>
  api.database.owner.query(sql`
    insert into user_vlans (user_id, realm_id, given) values (${user.id}, ${user.realmId}, ${vlan})
  `);

const identityOf = async (serial: string): Promise<string> => {
  const [row] = await api.database.owner.query<{ identity: string }>(
    sql`select identity from certificates where serial_number = ${serial}`,
  );
  return row!.identity;
};

test("each active profile of a user with a VLAN has a line, after a line for the default; other realms' profiles have none", async () => {
  const [realmId, other] = [await given.realm(), await given.realm()];
  expect(await linesOf(realmId)).toEqual(["end"]);
  const [staff, guest, nobody, stranger] = [
    await given.user({ realmId }),
    await given.user({ realmId }),
    await given.user({ realmId }),
    await given.user({ realmId: other }),
  ];
  const profiles = [await given.profile(staff), await given.profile(staff), await given.profile(guest)];
  await given.profile(nobody);
  await given.profile(stranger);
  await setVlan(staff, "30");
  await setVlan(guest, "guests");
  await setVlan(stranger, "66");
  await api.database.owner.query(sql`update realms set vlan_default = '20' where id = ${realmId}`);
  const [first, second, third] = await Promise.all(profiles.map(identityOf));

  expect(await linesOf(realmId)).toEqual(["*\t20", `${first}\t30`, `${second}\t30`, `${third}\tguests`, "end"]);

  await api.database.owner.query(sql`
    update certificates set revoked_at = now(), revocation_reason = 0 where serial_number = ${profiles[1]!}
  `);
  expect(await linesOf(realmId)).toEqual(["*\t20", `${first}\t30`, `${third}\tguests`, "end"]);
});

test("a list of several pages contains every line once", async () => {
  const realmId = await given.realm();
  const user = await given.user({ realmId });
  const serial = await given.profile(user);
  await setVlan(user, "30");
  await api.database.owner.transaction(async (tx) => {
    await tx.query(sql`set local session_replication_role = replica`);
    await tx.query(sql`
      insert into certificates overriding system value
      select (jsonb_populate_record(c, jsonb_build_object(
                'id', (select max(id) from certificates) + number, 'serial_number', '1' || lpad(number::text, 30, '0'),
                'identity', 'copy' || number || '@x.example', 'issuance_id', gen_random_uuid(), 'spki_sha256', sha256(number::text::bytea)))).*
        from certificates c, generate_series(1, 4500) number
       where c.serial_number = ${serial}
    `);
  });
  const lines = await linesOf(realmId);
  expect([lines.length, new Set(lines).size, lines.at(-1)]).toEqual([4_502, 4_502, "end"]);
});
