import { expect } from "vitest";
import { sql } from "../../db/sql.ts";
import { encryptKey } from "../../worker/keys/encrypted-key.ts";
import { generateKeyPair } from "../../pki/key-pair.ts";
import { eventually } from "../support/run/eventually.ts";
import { ended } from "../support/run/services.ts";
import { givenIssuingRealm, givenUser, testKeyCost } from "../support/given/issuing.ts";
import { askOverHttp, encodeCertId, encodeOcspRequest, nonceExtension, outcomeOf } from "../support/pki/ocsp.ts";
import { faultTest, onBothBackends } from "../support/service/fault.ts";
import type { RunningService } from "../support/service/service.ts";

const creation = { format: "pem", deviceType: "Linux" };

const createAll = (service: RunningService, userId: string, count: number, prefer: string) =>
  Promise.all(
    Array.from({ length: count }, () =>
      service.call("POST", `/api/user/${userId}/profiles/laptop`, creation, { prefer }),
    ),
  );

async function expectNothingFailed({ owner }: RunningService, issued: number): Promise<void> {
  await eventually(async () => {
    const rows = await owner.query(sql`
      select status, failures, count(*)::integer as count from issuances group by status, failures order by status
    `);
    expect(rows).toEqual([{ status: "issued", failures: 0, count: issued }]);
  });
  expect(await owner.query(sql`select from abandoned_serial_numbers`)).toEqual([]);
}

onBothBackends((kind) => {
  const gateTest = faultTest(kind);

  gateTest("one of two workers with a wrong passphrase does not start, and fails nothing", async (service) => {
    const userId = await givenUser(service.owner, service.realmId);
    await expect(service.startWorker({ REALMPASS_ISSUER_KEY_PASSPHRASE: "a wrong passphrase" })).rejects.toThrow(
      "exit code 78",
    );
    const answers = await createAll(service, userId, 20, "wait=60");
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    await expectNothingFailed(service, 20);
    expect(await service.logs()).toContain("REALMPASS_ISSUER_KEY_PASSPHRASE: it does not open the key");
  });

  gateTest(
    "when one worker and then both lose an issuer, what is accepted meanwhile is issued later, and revoking goes on",
    async (service) => {
      const { owner, issuerId } = service;
      const userId = await givenUser(owner, service.realmId);
      const serial = await service
        .call("POST", `/api/user/${userId}/profiles/phone`, creation)
        .then(({ body }) => (body.data as { serial: string }).serial);
      const outcome = async () => {
        const certId = encodeCertId({ issuer: service.issuer, serialNumber: serial });
        const request = encodeOcspRequest([certId], [nonceExtension(Buffer.alloc(16, 1))]);
        const url = `http://127.0.0.1:${service.apiPort}/ocsp/${issuerId}`;
        return outcomeOf((await askOverHttp(url, { body: request })).body);
      };
      // Its key was certified while there was a worker that could.
      await service.startResponder();
      await eventually(async () => {
        expect(await outcome()).toBe("good");
      });
      // The newest issuer, which a worker must be able to use to start at all.
      await givenIssuingRealm(owner);
      const [{ key } = { key: {} }] = await owner.query<{ key: object }>(
        sql`select encrypted_key as key from issuer_keys where issuer_id = ${issuerId}`,
      );
      const putKey = (record: object) =>
        owner.query(
          sql`update issuer_keys set encrypted_key = ${JSON.stringify(record)}::jsonb where issuer_id = ${issuerId}`,
        );
      await putKey(
        await encryptKey(generateKeyPair("ec-p256").privateKeyPkcs8, "another passphrase", { cost: testKeyCost }),
      );
      // One that never had the issuer, and one that loses it.
      await service.startWorker();
      const early = await createAll(service, userId, 20, "respond-async");
      await eventually(async () => {
        expect((await service.logs()).match(/"event":"issuer.away"/g)).toHaveLength(2);
      });
      const late = await createAll(service, userId, 20, "wait=1");

      expect([...early, ...late].map(({ status }) => status)).toEqual([...early, ...late].map(() => 202));
      expect((await service.call("DELETE", `/api/profiles/${serial}`)).status).toBe(200);
      expect(await outcome()).toBe("revoked");

      await ended(service.workers[0]!, "SIGKILL");
      await service.startWorker();
      await putKey(key);
      await expectNothingFailed(service, 41);
      expect(await service.logs()).toContain('"event":"issuer.back"');
    },
  );
});
