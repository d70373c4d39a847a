import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { only } from "../../db/client.ts";
import { sql } from "../../db/sql.ts";
import { checkDatabase } from "../../operator/audit/audit-chain-in-database.ts";
import { createHeadVerifier } from "../../runtime/keys/audit-key.ts";
import { anHourAhead } from "../support/run/faketime.ts";
import { eventually } from "../support/run/eventually.ts";
import { ended } from "../support/run/services.ts";
import { describeWithTool } from "../support/run/tools.ts";
import { givenUser } from "../support/given/issuing.ts";
import { faultTest } from "../support/service/fault.ts";
import { askDoctor } from "../support/service/operator.ts";
import type { RunningService } from "../support/service/service.ts";

const creation = { format: "pem", deviceType: "Linux" };

const ask = (service: RunningService, userId: string, prefer: string) =>
  service.call("POST", `/api/user/${userId}/profiles/laptop`, creation, { prefer });

const countCrls = async ({ owner }: RunningService): Promise<number> =>
  (await owner.query(sql`select from crls`)).length;

describeWithTool("faketime", "on a machine whose clock is an hour ahead", () => {
  const clockTest = faultTest("postgres");

  clockTest("a worker issues, publishes and seals nothing, and the audit log stays intact", async (service) => {
    const { owner, realmId } = service;
    const userId = await givenUser(owner, realmId);
    for (const worker of service.workers) await ended(worker);
    await owner.query(sql`alter table crls disable trigger user`);
    await owner.query(sql`delete from crls`);
    await owner.query(sql`alter table crls enable trigger user`);
    await service.startWorker(anHourAhead());
    await eventually(async () => {
      expect(await service.logs()).toContain('"event":"clock.untrusted"');
    });
    await eventually(async () => {
      const checks = await askDoctor({
        DATABASE_URL: service.databaseUrl,
        REALMPASS_DATA_DIRECTORY: service.dataDirectory,
      });
      const words = checks.filter(({ name }) => name === `process worker ${hostname()}`);
      expect(words.map(({ message }) => message)).toContainEqual(
        expect.stringMatching(
          /^clock_skewed since .*: this machine's clock and the database's differ by more than 2 s$/,
        ),
      );
    });
    await owner.query(sql`
      insert into audit_entries (realm_id, at, event, properties) values (${realmId}, now(), 'user_lock', '{}')
    `);
    expect((await ask(service, userId, "wait=15")).status).toBe(202);
    expect(await owner.query(sql`select status, claims from issuances`)).toEqual([{ status: "queued", claims: 0 }]);
    expect(await countCrls(service)).toBe(0);
    expect(await owner.query(sql`select from audit_unsealed`)).not.toEqual([]);

    await service.startWorker();
    await eventually(async () => {
      expect(await owner.query(sql`select status, claims from issuances`)).toEqual([{ status: "issued", claims: 1 }]);
      expect(await countCrls(service)).toBe(1);
      expect(await owner.query(sql`select from audit_unsealed`)).toEqual([]);
    });
    expect((await ask(service, userId, "wait=60")).status).toBe(200);
    await eventually(async () => {
      expect(await owner.query(sql`select from audit_unsealed`)).toEqual([]);
    });
    expect(await owner.query(sql`select from crls where this_update > now() + interval '1 minute'`)).toEqual([]);
    const verifier = await createHeadVerifier(await readFile(join(service.dataDirectory, "audit-key.json"), "utf8"));
    expect(await checkDatabase(owner, { realmId, verifier, kept: undefined })).toMatchObject({ faults: [] });
  });

  clockTest("an api dates its actions by the database's clock", async (service) => {
    const { owner, realmId } = service;
    const userId = await givenUser(owner, realmId);
    await service.startApi(anHourAhead());

    const { body, status } = await ask(service, userId, "wait=60");
    expect(status).toBe(200);
    const { serial } = body.data as { serial: string };
    expect((await service.call("DELETE", `/api/profiles/${serial}`)).status).toBe(200);
    const dated = await owner.query<{ ahead: boolean }>(sql`
      select greatest(revoked_at, created_at) > now() + interval '1 minute' as ahead
        from certificates
       where serial_number = ${serial}
    `);
    expect(only(dated)).toEqual({ ahead: false });
    expect(await owner.query(sql`select from audit_entries where at > now() + interval '1 minute'`)).toEqual([]);
  });
});
