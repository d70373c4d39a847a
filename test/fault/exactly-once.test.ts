import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { sql } from "../../db/sql.ts";
import type { QueueBackend } from "../../runtime/queues.ts";
import { eventually } from "../support/eventually.ts";
import { givenUser } from "../support/issuing.ts";
import { startService, type Answer, type RunningService } from "../support/service.ts";
import { describeWithTool } from "../support/tools.ts";

const creation = { format: "pkcs12", deviceType: "Windows" };

const create = (service: RunningService, userId: string, headers: Record<string, string> = {}): Promise<Answer> =>
  service.call("POST", `/api/user/${userId}/profiles/laptop`, creation, headers);

/** What the database says in the end, which is what counts. */
async function counts(service: RunningService) {
  const [row] = await service.owner.query<Record<string, number>>(sql`
    select (select count(*)::integer from issuances) as issuances,
           (select count(*)::integer from issuances where status in ('queued', 'signing')) as unsettled,
           (select count(*)::integer from issuances where status = 'failed') as failed,
           (select count(*)::integer from certificates) as certificates,
           (select count(distinct issuance_id)::integer from certificates) as "issuancesWithCertificate",
           (select count(distinct serial_number)::integer from certificates) as "serialNumbers",
           (select count(distinct spki_sha256)::integer from certificates) as "publicKeys",
           (select count(*)::integer from abandoned_serial_numbers a
              join certificates c using (serial_number)) as "abandonedButActive",
           (select count(*)::integer from audit_entries where event = 'profile_create') as audited
  `);
  return row!;
}

function behaviour(kind: QueueBackend["kind"]): void {
  test("1,000 creations while the worker is killed again and again: 1,000 certificates, none twice, none missing", async () => {
    const service = await startService({ kind });
    const users = await Promise.all(Array.from({ length: 20 }, () => givenUser(service.owner, service.realmId)));
    const progress = { creating: true };
    const answers = Promise.all(
      Array.from({ length: 1_000 }, (_, index) => create(service, users[index % users.length]!)),
    ).finally(() => (progress.creating = false));

    const issuedAtKill: number[] = [];
    while (issuedAtKill.length < 3 && progress.creating) {
      const before = (await counts(service))["certificates"]!;
      await eventually(async () => {
        expect((await counts(service))["certificates"]).toBeGreaterThan(Math.min(before + 100, 950));
      });
      service.workers.at(-1)?.kill("SIGKILL");
      issuedAtKill.push((await counts(service))["certificates"]!);
      await service.startWorker();
    }
    // It was in the middle, not after the end.
    expect(issuedAtKill[0]).toBeLessThan(1_000);

    const statuses = new Set((await answers).map(({ status }) => status));
    expect([...statuses].filter((status) => status !== 200 && status !== 202)).toEqual([]);
    await eventually(
      async () => {
        expect(await counts(service)).toMatchObject({ unsettled: 0 });
      },
      { withinMs: 60_000 },
    );
    expect(await counts(service)).toMatchObject({
      issuances: 1_000,
      failed: 0,
      certificates: 1_000,
      issuancesWithCertificate: 1_000,
      serialNumbers: 1_000,
      publicKeys: 1_000,
      abandonedButActive: 0,
      audited: 1_000,
    });
  }, 180_000);

  test("the api killed in the middle: whatever it had accepted is finished, and asking again with the same key gives the same profile", async () => {
    const service = await startService({ kind });
    const userId = await givenUser(service.owner, service.realmId);
    const keys = Array.from({ length: 60 }, () => randomUUID());
    const ask = (key: string) => create(service, userId, { "idempotency-key": key });
    const first = Promise.allSettled(keys.map(ask));
    await eventually(
      async () => {
        expect((await counts(service))["issuances"]).toBeGreaterThan(10);
      },
      { everyMs: 1 },
    );
    service.api.at(-1)?.kill("SIGKILL");
    await first;

    await service.startApi();
    const second = await Promise.all(keys.map(ask));

    expect(second.map(({ status }) => status)).toEqual(keys.map(() => 200));
    const serials = second.map(({ body }) => (body.data as { serial: string }).serial);
    expect(new Set(serials).size).toBe(keys.length);
    expect(await counts(service)).toMatchObject({ issuances: 60, certificates: 60, unsettled: 0 });
  }, 120_000);
}

describe("on Postgres", () => {
  behaviour("postgres");
});
describeWithTool("redis", "on Redis", () => {
  behaviour("redis");
});
