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
import { ended } from "../support/run/services.ts";
import { startService, type RunningService } from "../support/service/service.ts";

const serialNumber = "4711";
let service: RunningService;

beforeAll(async () => {
  service = await startService({ kind: "postgres", responder: true });
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

test("OCSP clients notice nothing when a responder is killed", async () => {
  await service.startResponder();
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
  await ended(service.responders[0]!, "SIGKILL");
  for (let round = 0; round < 20; round++) expect(await ask()).toBe("good");
  stopped = true;
  expect(new Set((await Promise.all(asking)).flat())).toEqual(new Set(["good"]));
});

test("a stopping responder withdraws its address and records its last checks", async () => {
  await service.owner.query(sql`update certificates set last_ocsp_at = null`);
  await service.startResponder();
  const [url = ""] = await responderUrls(service.owner).then((urls) => urls.slice(-1));
  const body = encodeOcspRequest([encodeCertId({ issuer: service.issuer, serialNumber })]);
  await eventually(async () => {
    expect(outcomeOf((await askOverHttp(`${url}/ocsp/${service.issuerId}`, { body })).body)).toBe("good");
  });

  await ended(service.responders.at(-1)!, "SIGTERM");
  expect(await responderUrls(service.owner)).not.toContain(url);
  const [row] = await service.owner.query<{ at: Date | null }>(sql`select last_ocsp_at as at from certificates`);
  expect(row!.at).not.toBeNull();
  expect(await ask()).toBe("good");
});

test("a responder that started before the worker answers once a worker starts, and still answers after the worker is killed", async () => {
  await Promise.all([...service.responders, ...service.workers].map((child) => ended(child, "SIGKILL")));
  await service.startResponder();
  const [url = ""] = await responderUrls(service.owner).then((urls) => urls.slice(-1));
  const askIt = async () => {
    const body = encodeOcspRequest([encodeCertId({ issuer: service.issuer, serialNumber })]);
    return askOverHttp(`${url}/ocsp/${service.issuerId}`, { body });
  };
  expect((await askIt()).status).toBe(503);

  const worker = await service.startWorker();
  await eventually(async () => {
    expect(outcomeOf((await askIt()).body)).toBe("good");
  });
  await ended(worker, "SIGKILL");
  expect(outcomeOf((await askIt()).body)).toBe("good");
});
