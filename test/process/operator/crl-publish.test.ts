import { expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { auditOf } from "../../support/given/audit.ts";
import { eventually } from "../../support/run/eventually.ts";
import { givenIssuingRealm } from "../../support/given/issuing.ts";
import { givenProcess } from "../../support/given/process.ts";
import { startTestWorker } from "../../support/service/worker.ts";
import { useOperator } from "../../support/service/test-operator.ts";

const operator = useOperator();
const { database } = operator;

const realmName = async (realmId: string): Promise<string> => {
  const [row] = await database.owner.query<{ name: string }>(sql`select name from realms where id = ${realmId}`);
  return row?.name ?? "";
};

test("the command reports a missing issuer or worker", async () => {
  expect((await operator.run(["crl", "publish"])).json).toMatchObject({ error: "no_issuer" });
  const name = await operator.realm();
  const refused = await operator.run(["crl", "publish"]);
  expect(refused.code).toBe(1);
  expect(refused.json).toMatchObject({ error: "no_worker" });

  await database.owner.query(sql`update issuers set not_after = now() - interval '1 second'`);
  await givenProcess(database.owner, { kind: "worker" });
  expect((await operator.run(["crl", "publish", "--realm", name])).json).toMatchObject({ error: "no_issuer" });
});

test("the workers publish the CRL of the named realm only, and the audit log has one entry for its issuer", async () => {
  const [realm, other] = [await givenIssuingRealm(database.owner), await givenIssuingRealm(database.owner)];
  const name = await realmName(realm.realmId);
  await startTestWorker({ databaseUrl: database.url });
  const numberOf = async (issuerId: string) =>
    (await database.owner.query<{ number: string }>(sql`select number from crls where issuer_id = ${issuerId}`))[0]
      ?.number;
  const [before, otherBefore] = await eventually(async () => {
    const numbers = [await numberOf(realm.issuerId), await numberOf(other.issuerId)];
    expect(numbers).not.toContain(undefined);
    return numbers as [string, string];
  });

  const { code, json } = await operator.run(["crl", "publish", "--realm", name]);
  expect(code).toBe(0);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string;
  expect(json).toEqual({
    crls: [
      {
        issuerID: realm.issuerId,
        crlNumber: await numberOf(realm.issuerId),
        thisUpdate: time,
        nextUpdate: time,
        entries: 0,
        size: expect.any(Number) as number,
      },
    ],
  });
  expect(BigInt((json["crls"] as { crlNumber: string }[])[0]?.crlNumber ?? 0)).toBeGreaterThan(BigInt(before));
  expect(await numberOf(other.issuerId)).toBe(otherBefore);
  expect(await auditOf(database, "issuerID", realm.issuerId)).toMatchObject([{ event: "crl_publish", userId: null }]);

  const plain = await operator.runPlain(["crl", "publish", "--realm", name]);
  expect(plain.out).toMatch(/^issuer \d+: CRL \d+ with 0 entries/);
});
