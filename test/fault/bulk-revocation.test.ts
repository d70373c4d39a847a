import { Agent } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { sql } from "../../db/sql.ts";
import { certIdsMax } from "../../responder/ocsp-request.ts";
import { eventuallyIn, expectCountsToAddUp } from "../support/given/bulk-jobs.ts";
import { readCrl, storedCrl } from "../support/pki/crl.ts";
import { askOverHttp, encodeCertId, encodeOcspRequest, outcomesOf, responderUrls } from "../support/pki/ocsp.ts";
import { eventually } from "../support/run/eventually.ts";
import { givenProfiles, givenUsers } from "../support/service/fault.ts";
import { startService, type RunningService } from "../support/service/service.ts";

const revoked = 50_000;
const kept = 5_000;
const profilesEach = 5;
const withinMs = 300_000;
/** Concurrent requests to the responder. */
const askers = 4;

test(`a job of ${revoked} serial numbers revokes exactly these certificates, by OCSP and on the CRL`, async () => {
  const service = await startService({ kind: "postgres", responder: true });
  const userIds = await givenUsers(service, (revoked + kept) / profilesEach);
  await givenProfiles(service, userIds, profilesEach);
  const rows = await service.owner.query<{ serial: string }>(
    // Orders by hash, so the job's profiles and the remaining profiles are spread over the same people.
    sql`select serial_number as serial from certificates order by sha256(serial_number::bytea)`,
  );
  const serials = rows.map(({ serial }) => serial);
  const [listed, others] = [serials.slice(0, revoked), serials.slice(revoked)];
  expect(await statusesOf(service, [...listed.slice(0, 100), ...others.slice(0, 100)])).toEqual(
    new Map([["good", 200]]),
  );

  const { status, body } = await service.call("POST", `/api/jobs/revocation?confirmTotal=${revoked}`, {
    serials: listed,
  });
  expect(status).toBe(202);
  const { id } = body.data as { id: string };
  expect(await eventuallyIn(service.owner, id, ["completed", "failed"], withinMs)).toMatchObject({
    state: "completed",
    changed: revoked,
    done: revoked,
  });
  await expectCountsToAddUp(service.owner, id);

  expect(await statusesOf(service, listed)).toEqual(new Map([["revoked", revoked]]));
  expect(await statusesOf(service, others)).toEqual(new Map([["good", kept]]));
  const { entries } = await eventually(
    async () => {
      expect(await service.owner.query(sql`select from crl_unpublished limit 1`)).toEqual([]);
      const crl = readCrl(await storedCrl(service.owner, service.issuerId));
      expect(crl.entries.size).toBe(revoked);
      return crl;
    },
    { withinMs, everyMs: 1_000 },
  );
  expect(listed.filter((serial) => !entries.has(serial))).toEqual([]);
  const [audited] = await service.owner.query(sql`
    select count(*)::integer as entries, count(distinct properties ->> 'serial')::integer as serials
      from audit_entries
     where event = 'profile_revoke'
       and properties ->> 'job' = ${id}
  `);
  expect(audited).toEqual({ entries: revoked, serials: revoked });
}, 900_000);

/**
 * Counts the responder's statuses for certificates. Each request asks about as many certificates as the responder
 * accepts.
 */
async function statusesOf(
  { owner, issuer, issuerId }: RunningService,
  serials: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const [url = ""] = await responderUrls(owner);
  const agent = new Agent({ keepAlive: true, maxSockets: askers });
  onTestFinished(() => {
    agent.destroy();
  });
  const counts = new Map<string, number>();
  let next = 0;
  const ask = async (): Promise<void> => {
    while (next < serials.length) {
      const batch = serials.slice(next, next + certIdsMax);
      next += batch.length;
      const body = encodeOcspRequest(batch.map((serialNumber) => encodeCertId({ issuer, serialNumber })));
      const answer = await askOverHttp(`${url}/ocsp/${issuerId}`, { body, agent });
      expect(answer.status).toBe(200);
      const outcomes = outcomesOf(answer.body);
      if (typeof outcomes === "number") throw new Error(`the responder answers ${outcomes}`);
      for (const outcome of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: askers }, ask));
  return counts;
}
