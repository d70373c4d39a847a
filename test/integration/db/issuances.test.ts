import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import * as work from "../../../db/queries/issuance-work.ts";
import { useDatabase } from "../../support/database.ts";

const database = useDatabase();

test("smoke", async () => {
  const db = database.open("realmpass_worker");
  expect(await work.claim(db, { draws: [{ id: randomUUID(), serialNumber: "5", label: "abc" }], claimId: randomUUID(), at: new Date() })).toEqual([]);
  expect(await work.hopeless(db, { ids: [randomUUID()], at: new Date() })).toEqual([]);
  expect(await work.settle(db, { signed: [{ id: randomUUID(), certificate: Buffer.from("a"), spkiSha256: Buffer.alloc(32), sealed: Buffer.from("x"), dataKeyId: randomUUID() }], dataKeys: [], claimId: randomUUID(), at: new Date() })).toEqual([]);
  await work.abandon(db, { attempts: [{ id: randomUUID(), code: "owner" }, { id: randomUUID(), code: null }], claimId: randomUUID(), at: new Date() });
  await work.failUnclaimed(db, { rows: [{ id: randomUUID(), code: "no_issuer" }], at: new Date() });
  await work.overdue(db, { at: new Date(), queuedSeconds: 3, limit: 4 });
  await work.overdueChunks(db, { at: new Date(), queuedSeconds: 3, limit: 4, chunkSize: 200 });
  await work.renew(db, { claimIds: [randomUUID()], at: new Date() });
});
