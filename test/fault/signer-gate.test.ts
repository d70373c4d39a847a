import { hostname } from "node:os";
import { expect } from "vitest";
import { only } from "../../db/client.ts";
import { sql } from "../../db/sql.ts";
import { encryptKey } from "../../worker/keys/encrypted-key.ts";
import { generateKeyPair } from "../../pki/key-pair.ts";
import { eventuallyIn, expectCountsToAddUp, jobOf } from "../support/given/bulk-jobs.ts";
import { eventually } from "../support/run/eventually.ts";
import { extent } from "../support/run/extent.ts";
import { repeating } from "../support/run/repeating.ts";
import { ended } from "../support/run/services.ts";
import { givenIssuingRealm } from "../support/given/issuing.ts";
import { askOverHttp, encodeCertId, encodeOcspRequest, nonceExtension, outcomeOf } from "../support/pki/ocsp.ts";
import { faultTest, givenUsers, onBothBackends, useQuickKeys } from "../support/service/fault.ts";
import { askDoctor, type SeenCheck } from "../support/service/operator.ts";
import { givenServiceApplication, type Answer, type RunningService } from "../support/service/service.ts";
import { testKeyCost } from "../support/given/hierarchy/test-hierarchy.ts";

const creation = { format: "pem", deviceType: "Linux" };

/**
 * Longer than a claim (20 s) and the queue's pauses between attempts; a full run uses a minute, with the same outcome.
 */
const outageMs = extent(60_000, 0.45);

/** Returns the path of a new profile: a new name for each count, and the people in turn. */
const profileOf = (people: readonly string[], count: number): string =>
  `/api/user/${people[count % people.length] ?? ""}/profiles/laptop-${count}`;

const statusesOf = (answers: readonly Answer[]): number[] => [...new Set(answers.map(({ status }) => status))].sort();

/** Expects everything accepted to have been issued exactly once, and no attempt to count as a failure. */
async function expectNothingFailed({ owner }: RunningService, issued: number): Promise<void> {
  await eventually(async () => {
    const rows = await owner.query(sql`
      select status, failures, error_code as error, count(*)::integer as count
        from issuances
       group by status, failures, error_code
       order by status
    `);
    expect(rows).toEqual([{ status: "issued", failures: 0, error: null, count: issued }]);
  });
  expect(only(await owner.query(sql`select count(*)::integer as count from certificates`))).toEqual({ count: issued });
}

const logged = async (service: RunningService, event: string): Promise<number> =>
  (await service.logs()).split(`"event":"${event}"`).length - 1;

/** Returns the findings of `doctor` on the operator's machine. */
const diagnosed = ({ databaseUrl, redisUrl, dataDirectory }: RunningService): Promise<SeenCheck[]> =>
  askDoctor({
    DATABASE_URL: databaseUrl,
    REALMPASS_DATA_DIRECTORY: dataDirectory,
    ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
  });

onBothBackends((kind) => {
  const gateTest = faultTest(kind);

  gateTest(
    "a second worker with a wrong passphrase exits with 78 and names the variable, and clients notice nothing",
    async (service) => {
      const people = await givenUsers(service, 50);
      const create = (count: number) => service.call("POST", profileOf(people, count), creation, { prefer: "wait=60" });
      const creating = repeating(create);
      await expect(service.startWorker({ REALMPASS_ISSUER_KEY_PASSPHRASE: "a wrong passphrase" })).rejects.toThrow(
        "exit code 78",
      );
      const answers = await creating.stop();

      expect(statusesOf(answers)).toEqual([200]);
      await expectNothingFailed(service, answers.length);
      expect(await service.owner.query(sql`select from abandoned_serial_numbers`)).toEqual([]);
      expect(await service.logs()).toContain("REALMPASS_ISSUER_KEY_PASSPHRASE: it does not open the key");
      // The worker that failed to start was never registered as a process.
      expect((await diagnosed(service)).find(({ name }) => name === "processes")?.message).not.toContain("no worker");
      expect(await service.owner.query(sql`select from processes where kind = 'worker'`)).toHaveLength(1);
    },
  );

  gateTest(
    "while every worker lacks an issuer, its work waits and then finishes; another realm, revocation and OCSP do not wait",
    async (service) => {
      const { owner, issuerId } = service;
      const people = await givenUsers(service, 50);
      // The other realm's issuer is the newest, and a worker can only start if it can use the newest issuer.
      const other = await givenIssuingRealm(owner, { maxProfiles: 100 });
      await useQuickKeys(service);
      const authorization = `Bearer ${await service.tokenOf(await givenServiceApplication(owner, other.realmId))}`;
      const strangers = await givenUsers({ owner, realmId: other.realmId }, 500);

      const create = (name: string, prefer: string) =>
        service.call("POST", `/api/user/${people[0]!}/profiles/${name}`, creation, { prefer });
      const serials: string[] = [];
      for (let count = 0; count < 5; count++) {
        const { body } = await create(`phone-${count}`, "wait=60");
        serials.push((body.data as { serial: string }).serial);
      }
      const outcome = async (serialNumber: string) => {
        const certId = encodeCertId({ issuer: service.issuer, serialNumber });
        const request = encodeOcspRequest([certId], [nonceExtension(Buffer.alloc(16, 1))]);
        const url = `http://127.0.0.1:${service.apiPort}/ocsp/${issuerId}`;
        return outcomeOf((await askOverHttp(url, { body: request })).body);
      };
      // The responder's key is certified now, while a worker can still do so.
      await service.startResponder();
      await eventually(async () => {
        expect(await outcome(serials[0]!)).toBe("good");
      });

      const elsewhere = repeating((count) =>
        service.call("POST", profileOf(strangers, count), creation, { authorization, prefer: "wait=60" }),
      );
      const here = repeating((count) => service.call("POST", profileOf(people, count), creation, { prefer: "wait=1" }));
      const key = await replaceKey(service);
      // One worker loses the issuer, and the other never has it.
      await service.startWorker();
      await eventually(async () => {
        expect(await logged(service, "issuer.away")).toBe(2);
      });
      const outageBegan = performance.now();
      const late = await Promise.all(Array.from({ length: 20 }, (_, count) => create(`tablet-${count}`, "wait=1")));
      expect(statusesOf(late)).toEqual([202]);
      const users = Array.from({ length: 60 }, (_, count) => ({ pairwiseID: `bulk-${count}`, ...bulkProfile }));
      const job = await service.call("POST", "/api/jobs/onboarding", { users });
      expect(job).toMatchObject({ status: 202 });
      const { id: jobId } = job.body.data as { id: string };
      await eventuallyIn(owner, jobId, ["running"]);

      await eventually(async () => {
        const words = (await diagnosed(service)).filter(({ message }) => message.startsWith("issuer_away since "));
        expect(words).toHaveLength(2);
        for (const { name, status, message } of words) {
          expect(name).toBe(`process worker ${hostname()}`);
          expect(status).not.toBe("ok");
          expect(message).toMatch(new RegExp(`: issuer ${issuerId}$`));
        }
      });
      for (const serial of serials) {
        expect((await service.call("DELETE", `/api/profiles/${serial}`)).status).toBe(200);
        expect(await outcome(serial)).toBe("revoked");
      }
      await ended(service.workers[0]!, "SIGKILL");
      await service.startWorker();
      await new Promise((resolve) => setTimeout(resolve, outageMs - (performance.now() - outageBegan)));
      expect(await jobOf(owner, jobId)).toMatchObject({ state: "running", changed: 0, failed: 0, skipped: 0 });
      expect(await logged(service, "issuer.back")).toBe(0);
      const otherAnswers = await elsewhere.stop();
      expect(statusesOf(otherAnswers)).toEqual([200]);

      await putKey(service, key);
      const answers = [...(await here.stop()), ...late];
      expect(statusesOf(answers)).toEqual([200, 202]);
      await eventuallyIn(owner, jobId, ["completed"], 60_000);
      expect(await jobOf(owner, jobId)).toMatchObject({ changed: users.length, failed: 0, skipped: 0 });
      await expectCountsToAddUp(owner, jobId);
      await expectNothingFailed(service, serials.length + otherAnswers.length + answers.length + users.length);
      await eventually(async () => {
        expect(await logged(service, "issuer.back")).toBe(2);
        expect((await diagnosed(service)).filter(({ message }) => message.includes("issuer_away"))).toEqual([]);
      });
    },
  );
});

const bulkProfile = { profileName: "laptop", deviceType: "Linux", format: "pem" };

const putKey = ({ owner, issuerId }: RunningService, record: object) =>
  owner.query(
    sql`update issuer_keys set encrypted_key = ${JSON.stringify(record)}::jsonb where issuer_id = ${issuerId}`,
  );

/** Replaces a key with one that no worker's passphrase opens; returns the previous key. */
async function replaceKey(service: RunningService): Promise<object> {
  const { key } = only(
    await service.owner.query<{ key: object }>(
      sql`select encrypted_key as key from issuer_keys where issuer_id = ${service.issuerId}`,
    ),
  );
  const { privateKeyPkcs8 } = generateKeyPair("ec-p256");
  await putKey(service, await encryptKey(privateKeyPkcs8, "another passphrase", { cost: testKeyCost }));
  return key;
}
