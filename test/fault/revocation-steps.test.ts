import { expect } from "vitest";
import { only } from "../../db/client.ts";
import { sql } from "../../db/sql.ts";
import { readCrl, storedCrl, type ReadCrl } from "../support/pki/crl.ts";
import { eventually } from "../support/run/eventually.ts";
import { faultTest, givenProfiles, givenUsers, hold } from "../support/service/fault.ts";
import type { Answer, RunningService } from "../support/service/service.ts";
import { ended } from "../support/run/services.ts";

/** docs/revocation.md lists the steps that these tests interrupt. No step uses the queue. */

const step = faultTest("postgres");

/** Makes a profile to revoke, and returns it with the CRL from before the revocation, which does not contain it. */
async function givenRevocable(service: RunningService) {
  const userId = only(await givenUsers(service, 1));
  await givenProfiles(service, [userId], 1);
  const { serial } = only(
    await service.owner.query<{ serial: string }>(sql`select serial_number as serial from certificates`),
  );
  const before = await eventually(() => crlOf(service));
  expect(before.entries.size).toBe(0);
  const revoke = (): Promise<Answer> => service.call("DELETE", `/api/profiles/${serial}`);
  return { serial, before, revoke };
}

const crlOf = async ({ owner, issuerId }: RunningService): Promise<ReadCrl> =>
  readCrl(await storedCrl(owner, issuerId));

/** Waits for a CRL with a higher number that contains exactly these serial numbers. */
async function expectPublished(
  service: RunningService,
  { before, serials }: { before: ReadCrl; serials: readonly string[] },
): Promise<void> {
  const after = await eventually(async () => {
    const crl = await crlOf(service);
    expect(crl.entries.size).toBe(serials.length);
    return crl;
  });
  expect([...after.entries.keys()].sort()).toEqual([...serials].sort());
  expect(after.number).toBeGreaterThan(before.number);
  expect(await service.owner.query(sql`select from crl_unpublished`)).toEqual([]);
}

/** Counts the revocations that a dead worker has left unpublished. */
const waiting = async ({ owner }: RunningService): Promise<number> =>
  (await owner.query(sql`select from crl_unpublished`)).length;

step(
  "if the api is killed before step 1 commits, nothing is revoked, and the client can safely retry",
  async (service) => {
    const { serial, before, revoke } = await givenRevocable(service);
    const revoking = await hold(service, sql`lock table revocations in share mode`);
    const first = revoke().catch(() => undefined);
    await revoking.reached("api", "insert into revocations");
    await ended(service.api[0]!, "SIGKILL");
    await first;
    await revoking.drop();
    await revoking.release();
    expect(await service.owner.query(sql`select from revocations`)).toEqual([]);
    expect(await service.owner.query(sql`select from audit_entries where event = 'profile_revoke'`)).toEqual([]);

    await service.startApi();
    expect(await revoke()).toMatchObject({ status: 200 });
    expect(await service.owner.query(sql`select from audit_entries where event = 'profile_revoke'`)).toHaveLength(1);
    await expectPublished(service, { before, serials: [serial] });
  },
);

step(
  "if api and worker are killed after step 1 (revoke), the next worker publishes the revocation",
  async (service) => {
    const { serial, before, revoke } = await givenRevocable(service);
    await ended(service.workers[0]!, "SIGKILL");
    expect(await revoke()).toMatchObject({ status: 200 });
    await ended(service.api[0]!, "SIGKILL");
    expect(await waiting(service)).toBe(1);
    expect(await crlOf(service)).toEqual(before);

    await service.startWorker();
    await expectPublished(service, { before, serials: [serial] });
  },
);

step("if the worker is killed during step 3 (pack), the next worker publishes the revocation", async (service) => {
  const { serial, before, revoke } = await givenRevocable(service);
  const packing = await hold(service, sql`lock table crl_pieces in share mode`);
  await revoke();
  await packing.reached("worker", "insert into crl_pieces");
  await ended(service.workers[0]!, "SIGKILL");
  await packing.release();
  expect(await waiting(service)).toBe(1);

  await service.startWorker();
  await expectPublished(service, { before, serials: [serial] });
});

step(
  "if the worker is killed after step 4 (sign), its CRL is never published, and the next worker publishes another",
  async (service) => {
    const { serial, before, revoke } = await givenRevocable(service);
    const publishing = await hold(service, sql`lock table crls in share mode`);
    await revoke();
    await publishing.reached("worker", "insert into crls");
    await ended(service.workers[0]!, "SIGKILL");
    await publishing.release();
    await eventually(async () => {
      expect(await service.owner.query(sql`select from pg_locks where locktype = 'advisory'`)).toEqual([]);
    });
    expect(await waiting(service)).toBe(1);
    expect(await crlOf(service)).toEqual(before);

    await service.startWorker();
    await expectPublished(service, { before, serials: [serial] });
  },
);

step(
  "if the worker is killed between slices of a large batch, the next CRL contains the packed slices and the rest",
  async (service) => {
    const { before } = await givenRevocable(service);
    const publishing = await hold(service, sql`lock table crls in share mode`);
    const rows = await service.owner.query<{ serial: string }>(sql`
    insert into abandoned_serial_numbers (issuer_id, serial_number, issuance_id, not_after, abandoned_at)
    select ${service.issuerId}, '2000000' || i, gen_random_uuid(), now() + interval '1 year', now()
      from generate_series(1, 12000) as i
    returning serial_number as serial
  `);
    await publishing.reached("worker", "insert into crls");
    await ended(service.workers[0]!, "SIGKILL");
    await publishing.release();
    await eventually(async () => {
      expect(await waiting(service)).toBe(2_000);
    });
    expect(await crlOf(service)).toEqual(before);

    await service.startWorker();
    await expectPublished(service, { before, serials: rows.map(({ serial }) => serial) });
  },
);
