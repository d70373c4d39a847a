import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { expect } from "vitest";
import { only } from "../../db/client.ts";
import { sql } from "../../db/sql.ts";
import { readCrl, storedCrl } from "../support/pki/crl.ts";
import { eventually } from "../support/run/eventually.ts";
import { faultTest, hold, holdEnqueuing, onBothBackends, queueDepths } from "../support/service/fault.ts";
import { givenUser } from "../support/given/issuing.ts";
import type { Answer, RunningService } from "../support/service/service.ts";
import { ended } from "../support/run/services.ts";
import { startTcpProxy } from "../support/run/tcp-proxy.ts";

/** docs/issuance.md lists the steps that these tests interrupt. */

const creation = { format: "pem", deviceType: "Linux", keyType: "ec-p256" };

/** Makes a client that requests one profile repeatedly, with the same Idempotency-Key. */
async function givenClient(service: RunningService) {
  const userId = await givenUser(service.owner, service.realmId);
  const path = `/api/user/${userId}/profiles/laptop`;
  const headers = { "idempotency-key": randomUUID(), prefer: "wait=5" };
  const ask = (): Promise<Answer> => service.call("POST", path, creation, headers);
  return {
    path,
    headers,
    ask,
    /** Sends the request and ignores a broken connection. */
    askInVain: () => ask().catch(() => undefined),
    /** Repeats the request until it returns the profile. */
    async askUntilIssued(): Promise<{ serial: string; content: string }> {
      return eventually(
        async () => {
          const answer = await ask();
          expect(answer.status).toBe(200);
          return answer.body.data as { serial: string; content: string };
        },
        { withinMs: 60_000 },
      );
    },
  };
}

interface Standing {
  status: string;
  claims: number;
  serial: string | null;
  certificates: number;
  collected: boolean;
}

const standings = ({ owner }: RunningService): Promise<Standing[]> =>
  owner.query<Standing>(sql`
    select i.status, i.claims, i.serial_number as serial,
           (select count(*)::integer from certificates where issuance_id = i.id) as certificates,
           exists (select from issuance_outputs where issuance_id = i.id and collected_at is not null) as collected
      from issuances i
  `);

const eventuallyStands = (service: RunningService, expected: Partial<Standing>, withinMs = 60_000): Promise<Standing> =>
  eventually(
    async () => {
      const standing = only(await standings(service));
      expect(standing).toMatchObject(expected);
      return standing;
    },
    { withinMs },
  );

/**
 * Expects one profile, with one audit entry and a serial number that was not abandoned; the CRL contains exactly the
 * abandoned serial numbers.
 */
async function expectExactlyOne(service: RunningService, { abandoned }: { abandoned: readonly (string | null)[] }) {
  const standing = only(await standings(service));
  expect(standing).toMatchObject({ status: "issued", certificates: 1, claims: 1 + abandoned.length });
  const rows = await service.owner.query<{ serial: string }>(
    sql`select serial_number as serial from abandoned_serial_numbers`,
  );
  expect(rows.map(({ serial }) => serial)).toEqual(abandoned);
  expect(abandoned).not.toContain(standing.serial);
  const audited = await service.owner.query(sql`
    select from audit_entries where event = 'profile_create' and properties ->> 'serial' = ${standing.serial}
  `);
  expect(audited).toHaveLength(1);
  await eventually(async () => {
    const { entries } = readCrl(await storedCrl(service.owner, service.issuerId));
    expect([...entries.keys()]).toEqual(abandoned);
  });
}

onBothBackends((kind) => {
  const step = faultTest(kind);

  step(
    "if the api is killed before step 1 commits, nothing exists, and the client can safely retry",
    async (service) => {
      const client = await givenClient(service);
      const inserting = await hold(service, sql`lock table issuances in share mode`);
      const first = client.askInVain();
      await inserting.reached("api", "insert into issuances");
      await ended(service.api[0]!, "SIGKILL");
      await first;
      await inserting.drop();
      await inserting.release();
      expect(await standings(service)).toEqual([]);
      expect(await service.owner.query(sql`select from idempotency_keys`)).toEqual([]);

      await service.startApi();
      await client.askUntilIssued();
      await expectExactlyOne(service, { abandoned: [] });
    },
  );

  step(
    "if the api is killed after step 1 (accept), a worker makes the profile without a task in the queue",
    async (service) => {
      const client = await givenClient(service);
      const enqueuing = await holdEnqueuing(service);
      const first = client.askInVain();
      await enqueuing.reached(async () => {
        await eventuallyStands(service, { status: "queued" });
      });
      await ended(service.api.at(-1)!, "SIGKILL");
      await first;
      await enqueuing.release();
      await eventuallyStands(service, { status: "queued", claims: 0 });
      expect(await queueDepths(service)).toMatchObject({ issuance: 0 });

      await eventuallyStands(service, { status: "issued" });
      await service.startApi();
      await client.askUntilIssued();
      await expectExactlyOne(service, { abandoned: [] });
    },
  );

  step(
    "if the api is killed after it accepts many requests together, a worker makes each profile without a task in the queue",
    async (service) => {
      const users = await Promise.all(Array.from({ length: 8 }, () => givenUser(service.owner, service.realmId)));
      const enqueuing = await holdEnqueuing(service);
      const asked = users.map((id) =>
        service.call("POST", `/api/user/${id}/profiles/laptop`, creation, { prefer: "wait=5" }).catch(() => undefined),
      );
      await enqueuing.reached(() =>
        eventually(async () => {
          expect(await standings(service)).toEqual(users.map(() => expect.objectContaining({ status: "queued" })));
        }),
      );
      await ended(service.api.at(-1)!, "SIGKILL");
      await Promise.all(asked);
      await enqueuing.release();
      expect(await queueDepths(service)).toMatchObject({ issuance: 0 });

      await eventually(
        async () => {
          const issued = { status: "issued", claims: 1, certificates: 1, collected: false };
          expect(await standings(service)).toEqual(users.map(() => expect.objectContaining(issued)));
        },
        { withinMs: 60_000 },
      );
    },
  );

  step(
    "if the worker is killed after step 3 (take), the next sweep of another worker makes the profile",
    async (service) => {
      const client = await givenClient(service);
      const claiming = await hold(service, sql`lock table abandoned_serial_numbers in share mode`);
      const first = client.ask();
      await claiming.reached("worker", "with drawn as");
      await ended(service.workers[0]!, "SIGKILL");
      await claiming.drop();
      await claiming.release();
      await eventuallyStands(service, { status: "queued", claims: 0 });
      expect(await queueDepths(service)).toMatchObject({ issuance: 1 });

      await service.startWorker();
      expect((await first).status).toBeLessThan(300);
      await client.askUntilIssued();
      await expectExactlyOne(service, { abandoned: [] });
    },
  );

  step(
    "if the worker is killed after step 4 (claim), another worker draws a new serial number, and the CRL lists the first",
    async (service) => {
      const client = await givenClient(service);
      const claiming = await hold(service, sql`lock table abandoned_serial_numbers in share mode`);
      const first = client.ask();
      await claiming.reached("worker", "with drawn as");
      await ended(service.workers[0]!, "SIGKILL");
      await claiming.release();
      const { serial } = await eventuallyStands(service, { status: "signing", claims: 1, certificates: 0 });

      await service.startWorker();
      expect((await first).status).toBeLessThan(300);
      await client.askUntilIssued();
      await expectExactlyOne(service, { abandoned: [serial] });
    },
  );

  step(
    "if the worker is killed after step 5 (sign), the signed certificate is abandoned, and another worker makes a new one",
    async (service) => {
      const client = await givenClient(service);
      const settling = await hold(service, sql`lock table certificates in share mode`);
      const first = client.ask();
      await settling.reached("worker", "with signed as");
      await ended(service.workers[0]!, "SIGKILL");
      await settling.drop();
      await settling.release();
      const { serial } = await eventuallyStands(service, { status: "signing", claims: 1, certificates: 0 });

      await service.startWorker();
      expect((await first).status).toBeLessThan(300);
      await client.askUntilIssued();
      await expectExactlyOne(service, { abandoned: [serial] });
    },
  );

  step(
    "if the worker is killed after step 6 (settle), the client gets its profile, and the queue's second delivery changes nothing",
    async (service) => {
      const client = await givenClient(service);
      const settling = await hold(service, sql`lock table certificates in share mode`);
      const first = client.ask();
      await settling.reached("worker", "with signed as");
      await ended(service.workers[0]!, "SIGKILL");
      await settling.release();
      const settled = await eventuallyStands(service, { status: "issued", certificates: 1 });
      expect(await first).toMatchObject({ status: 200, body: { data: { serial: settled.serial } } });
      expect(await queueDepths(service)).toMatchObject({ issuance: 1 });

      await service.startWorker();
      await eventually(
        async () => {
          expect(await queueDepths(service)).toMatchObject({ issuance: 0 });
        },
        { withinMs: 60_000, everyMs: 500 },
      );
      await expectExactlyOne(service, { abandoned: [] });
    },
  );

  step("if the api is killed after step 6 (settle), the client retries and gets the same profile", async (service) => {
    const client = await givenClient(service);
    const settling = await hold(service, sql`lock table certificates in share mode`);
    const first = client.askInVain();
    await settling.reached("worker", "with signed as");
    service.api[0]!.kill("SIGSTOP");
    await settling.release();
    const { serial } = await eventuallyStands(service, { status: "issued", collected: false });
    await ended(service.api[0]!, "SIGKILL");
    await first;

    await service.startApi();
    expect(await client.askUntilIssued()).toMatchObject({ serial });
    await expectExactlyOne(service, { abandoned: [] });
  });

  step(
    "if the api is killed after step 7 (collect) before its response arrives, the client retries and gets the same file",
    async (service) => {
      const client = await givenClient(service);
      const proxy = await startTcpProxy({ host: "127.0.0.1", port: service.apiPort });
      const settling = await hold(service, sql`lock table certificates in share mode`);
      const first = sendThrough(proxy.port, service, client);
      await settling.reached("worker", "with signed as");
      proxy.silence();
      await settling.release();
      const { serial } = await eventuallyStands(service, { status: "issued", collected: true });
      await ended(service.api[0]!, "SIGKILL");
      expect(await first).toBe("broken");

      await service.startApi();
      const repeated = await client.askUntilIssued();
      expect(repeated).toMatchObject({ serial });
      expect(await client.askUntilIssued()).toEqual(repeated);
      await expectExactlyOne(service, { abandoned: [] });
    },
  );
});

const sendThrough = (
  port: number,
  { accessToken }: RunningService,
  { path, headers }: { path: string; headers: Record<string, string> },
): Promise<"answered" | "broken"> =>
  new Promise((resolve) => {
    const outgoing = request({
      host: "127.0.0.1",
      port,
      method: "POST",
      path,
      headers: { ...headers, authorization: `Bearer ${accessToken}`, "content-type": "application/json" },
    });
    outgoing.on("response", () => {
      resolve("answered");
    });
    outgoing.on("error", () => {
      resolve("broken");
    });
    outgoing.end(JSON.stringify(creation));
  });
