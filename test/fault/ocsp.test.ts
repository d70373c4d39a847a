import { beforeAll, expect, test } from "vitest";
import { sql } from "../../db/sql.ts";
import { eventually } from "../support/run/eventually.ts";
import { givenRows } from "../support/given/given.ts";
import {
  askOverHttp,
  encodeCertId,
  encodeOcspRequest,
  nonceExtension,
  outcomeOf,
  responderUrls,
} from "../support/pki/ocsp.ts";
import { startService, type RunningService } from "../support/service/service.ts";

const serialNumber = "4711";
let service: RunningService;

beforeAll(async () => {
  service = await startService({ kind: "postgres" });
  await givenRows(() => service.owner).profile({ realmId: service.realmId }, { kind: "infrastructure", serialNumber });
});

const ask = async (): Promise<string | number> => {
  const body = encodeOcspRequest(
    [encodeCertId({ issuer: service.issuer, serialNumber })],
    [nonceExtension(Buffer.alloc(16, 1))],
  );
  const answer = await askOverHttp(`http://127.0.0.1:${service.apiPort}/ocsp/${service.issuerId}`, { body });
  expect(answer.status).toBe(200);
  return outcomeOf(answer.body);
};

test("a worker that is killed is missed by nobody who asks the address in certificates", async () => {
  await service.startWorker();
  expect(await responderUrls(service.owner)).toHaveLength(2);
  await eventually(async () => {
    expect(await ask()).toBe("good");
  });

  let stopped = false;
  const asking = Array.from({ length: 4 }, async () => {
    const outcomes: (string | number)[] = [];
    while (!stopped) outcomes.push(await ask());
    return outcomes;
  });
  service.workers[0]!.kill("SIGKILL");
  await new Promise((resolve) => service.workers[0]!.once("exit", resolve));
  for (let round = 0; round < 20; round++) expect(await ask()).toBe("good");
  stopped = true;
  expect(new Set((await Promise.all(asking)).flat())).toEqual(new Set(["good"]));
});

test("a worker that stops takes its address back, and its last answers are written down", async () => {
  await service.owner.query(sql`update certificates set last_ocsp_at = null`);
  await service.startWorker();
  const [url = ""] = await responderUrls(service.owner).then((urls) => urls.slice(-1));
  const body = encodeOcspRequest([encodeCertId({ issuer: service.issuer, serialNumber })]);
  expect(outcomeOf((await askOverHttp(`${url}/ocsp/${service.issuerId}`, { body })).body)).toBe("good");

  const last = service.workers.at(-1)!;
  const gone = new Promise((resolve) => last.once("exit", resolve));
  last.kill("SIGTERM");
  await gone;
  expect(await responderUrls(service.owner)).not.toContain(url);
  const [row] = await service.owner.query<{ at: Date | null }>(sql`select last_ocsp_at as at from certificates`);
  expect(row!.at).not.toBeNull();
  expect(await ask()).toBe("good");
});
