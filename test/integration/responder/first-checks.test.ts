import { beforeEach, expect, test } from "vitest";
import { only } from "../../../db/client.ts";
import * as ocsp from "../../../db/queries/certificates/ocsp.ts";
import { sql } from "../../../db/sql.ts";
import { createLastOcsp } from "../../../responder/last-ocsp.ts";
import { givenRows } from "../../support/given/given.ts";
import { useDatabase } from "../../support/run/database.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
const begin = Date.parse("2027-03-01T08:00:00Z");
const minute = 60_000;
const at = (ms: number) => new Date(begin + ms);
let certificateId: string;

beforeEach(async () => {
  const realmId = await given.realm();
  const serial = await given.profile(await given.user({ realmId }));
  certificateId = only(
    await database.owner.query<{ id: string }>(sql`select id from certificates where serial_number = ${serial}`),
  ).id;
});

const responder = () => database.open("realmpass_responder");
const answered = (ms: number) => ocsp.recordAnswers(responder(), [{ certificateId, address: null, at: at(ms) }]);
const revoked = (ms: number) =>
  database.owner.query(
    sql`insert into revocations (certificate_id, revoked_at, reason) values (${certificateId}, ${at(ms)}, 0)`,
  );
const recorded = async () => {
  const { first, refused, last } = only(
    await database.owner.query<Record<"first" | "refused" | "last", Date | null>>(sql`
      select first_ocsp_at as first, first_refused_at as refused, last_ocsp_at as last
        from certificates where id = ${certificateId}
    `),
  );
  const after = (time: Date | null) => (time === null ? null : time.getTime() - begin);
  return { first: after(first), refused: after(refused), last: after(last) };
};

test("the first check and the first refusal of a profile are recorded once", async () => {
  expect(await recorded()).toEqual({ first: null, refused: null, last: null });
  await answered(0);
  await answered(5 * minute);
  expect(await recorded()).toEqual({ first: 0, refused: null, last: 5 * minute });
  await revoked(5 * minute + 1_000);
  expect(await recorded()).toEqual({ first: 0, refused: null, last: 5 * minute });
  await answered(5 * minute + 3_000);
  await answered(9 * minute);
  expect(await recorded()).toEqual({ first: 0, refused: 5 * minute + 3_000, last: 9 * minute });
});

test("a revoked profile that nobody has asked about before has its first refusal at the time of its first check", async () => {
  await revoked(0);
  await answered(2_000);
  expect(await recorded()).toEqual({ first: 2_000, refused: 2_000, last: 2_000 });
});

test("a first check or refusal from before these times were recorded stays unknown", async () => {
  await answered(0);
  await database.owner.query(sql`update certificates set first_ocsp_at = null where id = ${certificateId}`);
  await answered(5 * minute);
  await revoked(6 * minute);
  await answered(7 * minute);
  await database.owner.query(sql`update certificates set first_refused_at = null where id = ${certificateId}`);
  await answered(20 * minute);
  expect(await recorded()).toEqual({ first: null, refused: null, last: 20 * minute });
});

test("if a responder writes only the last check, the first check and first refusal are recorded with it", async () => {
  const write = (ms: number) =>
    responder().query(sql`update certificates set last_ocsp_at = ${at(ms)} where id = ${certificateId}`);
  await write(0);
  await revoked(1_000);
  await write(2_000);
  await write(3_000);
  expect(await recorded()).toEqual({ first: 0, refused: 2_000, last: 3_000 });
});

test("of several answers within seconds, the first refusal is recorded; if no answer is a refusal, the first answer", async () => {
  const lastOcsp = createLastOcsp(responder());
  const asked = (when: Date) => ({ address: "192.0.2.7", at: when });
  const good = { certificateId, lastOcspAt: null, revokedAt: null };
  lastOcsp.note(good, asked(at(0)));
  lastOcsp.note(good, asked(at(1_000)));
  await lastOcsp.flush();
  expect(await recorded()).toEqual({ first: 0, refused: null, last: 0 });
  await revoked(2 * minute);
  const read = { certificateId, lastOcspAt: at(0), revokedAt: null };
  lastOcsp.note(read, asked(at(2 * minute - 1)));
  lastOcsp.note({ ...read, revokedAt: at(2 * minute) }, asked(at(2 * minute + 1_000)));
  lastOcsp.note({ ...read, revokedAt: at(2 * minute) }, asked(at(2 * minute + 2_000)));
  await lastOcsp.flush();
  expect(await recorded()).toEqual({ first: 0, refused: 2 * minute + 1_000, last: 2 * minute + 1_000 });
});
