import { execFileSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { only } from "../../../db/client.ts";
import { givenUser } from "../../support/given/issuing.ts";
import { atEndOfFile } from "../../support/run/at-end.ts";
import { eventually } from "../../support/run/eventually.ts";
import { startService, type Answer, type RunningService } from "../../support/service/service.ts";

interface Line {
  event: string;
  process: string;
  requestId?: string;
  traceId?: string;
  issuanceId?: string;
  bulkJobId?: string;
  issuer?: string;
  route?: string;
  certificates?: { serial: string; issuanceId: string; requestId?: string }[];
  entries?: { serial: string; revokedAt: string; reason: number | null }[];
}

let service: RunningService;
let userID: string;
beforeAll(async () => {
  service = await startService({ kind: "redis", atEnd: atEndOfFile });
  userID = await givenUser(service.owner, service.realmId);
});

const lines = async (): Promise<Line[]> =>
  (await service.logs())
    .split("\n")
    .filter((line) => line.endsWith("}"))
    .map((line) => JSON.parse(line) as Line);

/** Waits until a process has logged a line that meets the condition; returns the line. */
const line = (isIt: (line: Line) => boolean): Promise<Line> =>
  eventually(async () => {
    const found = (await lines()).find(isIt);
    expect(found).toBeDefined();
    return found!;
  });

const idOf = ({ headers }: Answer): string => headers["x-request-id"] as string;
const requestLine = (answer: Answer): Promise<Line> =>
  line(({ event, requestId }) => event === "request" && requestId === idOf(answer));
const issuedLine = async (serial: string): Promise<{ issuer: string | undefined; requestId: string | undefined }> => {
  const { process, issuer, certificates } = await line(
    (each) => each.event === "certificates.issued" && each.certificates!.some((one) => one.serial === serial),
  );
  expect(process).toBe("worker");
  return { issuer, requestId: certificates!.find((one) => one.serial === serial)!.requestId };
};

const create = (name: string, headers: Record<string, string> = {}): Promise<Answer> =>
  service.call(
    "POST",
    `/api/user/${userID}/profiles/${name}`,
    { format: "pem", deviceType: "Linux", keyType: "ec-p256" },
    headers,
  );
const serialOf = ({ body }: Answer): string => (body.data as { serial: string }).serial;

test("a creation can be traced from its answer to the api's log line, the row, and the line of the worker that issued it", async () => {
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const created = await create("phone", {
    traceparent: `00-${trace}-00f067aa0ba902b7-01`,
    "x-request-id": "00000000-0000-4000-8000-000000000000",
  });
  const serial = serialOf(created);
  // The service does not use the request id that the client sent.
  expect(idOf(created)).toMatch(/^(?!0{8})[0-9a-f-]{36}$/);

  const request = await requestLine(created);
  expect(request).toMatchObject({ process: "api", traceId: trace });
  const { issuer, requestId } = await issuedLine(serial);
  expect({ issuer, requestId }).toEqual({ issuer: service.issuerId, requestId: idOf(created) });
  const row = only(
    await service.owner.query<{ id: string; requestId: string }>(sql`
      select i.id, i.request_id as "requestId" from issuances i join certificates c on c.issuance_id = i.id
       where c.serial_number = ${serial}
    `),
  );
  expect(row).toEqual({ id: request.issuanceId, requestId: idOf(created) });

  const asked = await service.call("GET", `/api/issuances/${row.id}`);
  expect(await requestLine(asked)).toMatchObject({ issuanceId: row.id });
});

test("a repeated creation leads to the issuance, which keeps the first request's id", async () => {
  const key = { "idempotency-key": randomUUID() };
  const [first, again] = [await create("tablet", key), await create("tablet", key)];
  expect(serialOf(again)).toBe(serialOf(first));
  expect(idOf(again)).not.toBe(idOf(first));

  const [one, other] = [await requestLine(first), await requestLine(again)];
  expect(other.issuanceId).toBe(one.issuanceId);
  expect(one.traceId).toBe(idOf(first).replaceAll("-", ""));
  expect((await issuedLine(serialOf(first))).requestId).toBe(idOf(first));
});

test("profiles of a bulk job lead to the request that created the job", async () => {
  const created = await service.call("POST", "/api/jobs/onboarding", {
    users: [{ pairwiseID: "fresher", profileName: "laptop", deviceType: "Linux", format: "pem" }],
  });
  const { id: jobId } = created.body.data as { id: string };
  expect(await requestLine(created)).toMatchObject({ bulkJobId: jobId });

  const { serial } = await eventually(async () =>
    only(
      await service.owner.query<{ serial: string }>(sql`
        select c.serial_number as serial from certificates c join issuances i on i.id = c.issuance_id
         where i.batch_id = ${jobId}
      `),
    ),
  );
  expect((await issuedLine(serial)).requestId).toBe(idOf(created));
  expect(await requestLine(await service.call("GET", `/api/jobs/${jobId}`))).toMatchObject({ bulkJobId: jobId });
  const unknown = await requestLine(await service.call("GET", "/api/jobs/rpt_secret"));
  expect(unknown).not.toHaveProperty("bulkJobId");
});

test("a request that a worker refuses can be traced", async () => {
  const csr = execFileSync(
    "openssl",
    [
      "req",
      "-new",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-keyout",
      "/dev/null",
      "-subj",
      "/CN=x",
    ],
    { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );
  const wanted = { format: "pem", deviceType: "Linux", csr };
  const path = `/api/user/${userID}/profiles/`;
  expect((await service.call("POST", `${path}one`, wanted)).status).toBe(200);
  const refused = await service.call("POST", `${path}two`, wanted);
  expect(refused.body.error).toBe("key_already_certified");

  const { issuanceId } = await requestLine(refused);
  const found = await line((each) => each.event === "issuance.not_settled" && each.issuanceId === issuanceId);
  expect(found.requestId).toBe(idOf(refused));
});

test("the worker logs a revocation when the CRL includes it", async () => {
  const serial = serialOf(await create("lost"));
  await service.call("DELETE", `/api/profiles/${serial}`);
  const listed = await line(
    (each) => each.event === "revocations.listed" && each.entries!.some((entry) => entry.serial === serial),
  );
  expect(listed).toMatchObject({ process: "worker", issuer: service.issuerId });
  expect(listed.entries!.find((entry) => entry.serial === serial)).toEqual({
    serial,
    revokedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    reason: expect.any(Number) as number,
  });
});

test("no line contains a token, and each request has its own id", async () => {
  const text = await service.logs();
  expect(text).not.toContain(service.accessToken);
  expect(text).not.toContain(createHash("sha256").update(service.accessToken).digest("hex"));
  const ids = (await lines()).filter(({ event }) => event === "request").map(({ requestId }) => requestId);
  expect(ids.length).toBeGreaterThan(5);
  expect(new Set(ids).size).toBe(ids.length);
});
