import { randomBytes, randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import type { Database } from "../../../db/client.ts";
import * as acceptance from "../../../db/operations/acceptance.ts";
import * as collection from "../../../db/operations/collection.ts";
import * as settlement from "../../../db/operations/settlement.ts";
import * as accessTokens from "../../../db/queries/oauth/access-tokens.ts";
import * as work from "../../../db/queries/issuance/issuance-work.ts";
import { sql } from "../../../db/sql.ts";
import { operatorActor } from "../../../domain/audit/audit.ts";
import { identityLabelOf } from "../../../domain/certificate/certificate-profile.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { drawSerialNumber } from "../../../pki/serial-number.ts";
import { givenIssuingRealm, givenUser } from "../../support/given/issuing.ts";
import { useDatabase } from "../../support/run/database.ts";

/** The number of custom plans that Postgres tries before it keeps a generic plan. */
const triedMax = 5;

const database = useDatabase();
let api: Database;
let worker: Database;
let realmId: string;
let issuerId: string;

beforeAll(async () => {
  api = database.open("realmpass_api", { connectionsMax: 1 });
  worker = database.open("realmpass_worker", { connectionsMax: 1 });
  ({ realmId, issuerId } = await givenIssuingRealm(database.owner));
});

/** Runs the statements of a creation, from the token to the file, for this many people together. */
async function createTogether(count: number): Promise<void> {
  const at = systemClock.now();
  const tokenHashes = Array.from({ length: count }, () => randomBytes(32));
  expect(await accessTokens.findHolders(api, { tokenHashes, at })).toEqual(tokenHashes.map(() => undefined));

  const wanted = await Promise.all(
    Array.from({ length: count }, async () => ({
      id: randomUUID(),
      realmId,
      userId: await givenUser(database.owner, realmId),
      name: "laptop",
      deviceType: "Linux" as const,
      format: "pem" as const,
      allowAuth: false,
      actor: operatorActor,
      at,
      requestId: randomUUID(),
    })),
  );
  expect(await acceptance.acceptTogether(api, wanted)).toEqual(wanted.map(() => null));

  const claimId = randomUUID();
  const draws = wanted.map(({ id }) => ({
    id,
    serialNumber: drawSerialNumber(),
    label: identityLabelOf(randomBytes(20)),
  }));
  expect(await work.claim(worker, { draws, issuerIds: [issuerId], claimId, at })).toHaveLength(count);
  const dataKeyId = randomUUID();
  const signed = wanted.map(({ id }) => ({
    id,
    certificate: randomBytes(8),
    spkiSha256: randomBytes(32),
    sealed: randomBytes(8),
    dataKeyId,
  }));
  const dataKeys = [{ id: dataKeyId, wrapped: randomBytes(8) }];
  expect(await settlement.settle(worker, { signed, dataKeys, claimId, at })).toHaveLength(count);

  const collected = await collection.collect(api, { ids: wanted.map(({ id }) => id), at });
  expect(collected.map(({ issuance, certificate }) => [issuance.state, certificate?.issuanceId])).toEqual(
    wanted.map(({ id }) => ["issued", id]),
  );
}

const plansOf = (db: Database) =>
  db.query<{ statement: string; kept: string; tried: string }>(sql`
    select left(regexp_replace(statement, '\\s+', ' ', 'g'), 100) as statement, generic_plans as kept, custom_plans as tried
      from pg_prepared_statements
  `);

test("a creation's statements are planned a few times, however often they run", async () => {
  for (const count of [1, 3, 1, 8, 2, 20, 1, 5, 1, 40, 2, 1]) await createTogether(count);

  const plans = [...(await plansOf(api)), ...(await plansOf(worker))];
  expect(plans.length).toBeGreaterThanOrEqual(7);
  expect(plans.filter(({ kept, tried }) => Number(kept) === 0 || Number(tried) > triedMax)).toEqual([]);
});
