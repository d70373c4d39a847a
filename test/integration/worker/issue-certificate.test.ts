import { expect, test } from "vitest";
import * as certificates from "../../../db/queries/certificates.ts";
import * as issuances from "../../../db/queries/issuances.ts";
import { IssuanceID } from "../../../domain/ids.ts";
import { issueCertificate } from "../../../domain/jobs/issue-certificate.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { useDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { givenIssuance, givenIssuingRealm, givenUser } from "../../support/issuing.ts";
import { startTestWorker } from "../../support/worker.ts";

const database = useDatabase();

test("a queued issuance becomes a certificate", async () => {
  const { realmId } = await givenIssuingRealm(database.owner);
  const userId = await givenUser(database.owner, realmId);
  const { queues } = await startTestWorker({ databaseUrl: database.url });

  const id = await givenIssuance(database.owner, { realmId, userId });
  const started = performance.now();
  await queues.enqueue(issueCertificate, { version: 1, issuanceId: IssuanceID.parse(id) });

  await eventually(async () => {
    const [issuance] = await issuances.collect(database.owner, { ids: [id], at: systemClock.now() });
    expect(issuance).toMatchObject({ state: "issued", errorCode: null });
  });
  console.log("ms", performance.now() - started);
  expect(await certificates.listByIssuances(database.owner, [id])).toHaveLength(1);
});
