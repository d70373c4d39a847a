import { Agent } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { useDatabase } from "../../support/run/database.ts";
import { extent } from "../../support/run/extent.ts";
import { givenRows } from "../../support/given/given.ts";
import { givenIssuingRealm, type IssuingRealm } from "../../support/given/issuing.ts";
import { createRandom } from "../../support/given/json-schema-samples.ts";
import {
  askOverHttp,
  encodeCertId,
  encodeOcspRequest,
  nonceExtension,
  outcomeOf,
  statusOf,
} from "../../support/pki/ocsp.ts";
import { startTestResponder, type TestResponder } from "../../support/service/responder.ts";
import { startTestWorker } from "../../support/service/worker.ts";

const database = useDatabase();
const agent = new Agent({ keepAlive: true, maxSockets: 16 });
const rounds = extent(20_000);
const serialNumber = "170141183460469231731687303715884105727";

let realm: IssuingRealm;
let responder: TestResponder;
let url = "";

beforeAll(async () => {
  realm = await givenIssuingRealm(database.owner);
  await givenRows(() => database.owner).profile({ realmId: realm.realmId }, { kind: "infrastructure", serialNumber });
  await startTestWorker({ databaseUrl: database.url });
  responder = await startTestResponder({ databaseUrl: database.url });
  url = `${responder.url}/ocsp/${realm.issuerId}`;
});
afterAll(() => {
  agent.destroy();
});

const { integer } = createRandom(20_261_121);
const random = (max: number): number => integer(0, max - 1);

const certIdOf = (algorithm: "sha1" | "sha256", number = serialNumber): Buffer =>
  encodeCertId({ issuer: realm.issuer, serialNumber: number, algorithm });

/** Changes, removes, inserts or doubles octets; falsifies a length; cuts the end. */
function mutate(original: Buffer): Buffer {
  let bytes = Buffer.from(original);
  for (let change = random(3); change >= 0; change--) {
    const at = random(bytes.length);
    switch (random(6)) {
      case 0:
        bytes[at] = random(256);
        break;
      case 1:
        bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
        break;
      case 2:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random(4))]);
        break;
      case 3:
        bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([random(256)]), bytes.subarray(at)]);
        break;
      case 4:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(random(at + 1))]);
        break;
      default:
        bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([0x30, 0x84, 0xff, 0xff, 0xff, 0xff])]);
    }
    if (bytes.length === 0) bytes = Buffer.from([random(256)]);
  }
  return bytes;
}

test(`${rounds} mutated requests each get an OCSP answer, or 4xx if they are no request; an unknown certificate is never good`, async () => {
  const seeds = [
    encodeOcspRequest([certIdOf("sha1")]),
    encodeOcspRequest([certIdOf("sha256")], [nonceExtension(Buffer.alloc(32, 7))]),
    encodeOcspRequest([certIdOf("sha1"), certIdOf("sha256", "5")], [nonceExtension(Buffer.alloc(1, 7))]),
  ];
  const seen = new Map<string, number>();
  const magnitude = Buffer.from(BigInt(serialNumber).toString(16), "hex");
  let next = 0;
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (next++ < rounds) {
        const body = mutate(seeds[random(seeds.length)]!);
        const answer =
          random(8) === 0
            ? await askOverHttp(
                `${url}/${encodeURIComponent(mutate(Buffer.from(body.toString("base64"))).toString("latin1"))}`,
                { agent },
              )
            : await askOverHttp(url, { body, agent });
        if (answer.status !== 200) {
          expect(answer.status).toBeGreaterThanOrEqual(400);
          expect(answer.status).toBeLessThan(500);
        } else {
          const status = statusOf(answer.body);
          expect([0, 1, 6]).toContain(status);
          if (outcomeOf(answer.body) === "good") expect(answer.body.includes(magnitude)).toBe(true);
        }
        const what = answer.status === 200 ? String(outcomeOf(answer.body)) : `HTTP ${answer.status}`;
        seen.set(what, (seen.get(what) ?? 0) + 1);
      }
    }),
  );

  expect([...seen.values()].reduce((sum, count) => sum + count)).toBe(rounds);
  expect(seen.get("good")).toBeGreaterThan(0);
  // The responder still runs and has reported no internal error.
  expect(outcomeOf((await askOverHttp(url, { body: seeds[0]! })).body)).toBe("good");
  expect(await responder.registry.metrics()).not.toContain('status="internalError"');
  const [{ count } = { count: -1 }] = await database.owner.query<{ count: number }>(sql`
      select count(*)::integer as count from certificates where issuer_id = ${realm.issuerId}
    `);
  expect(count).toBe(1);
});
