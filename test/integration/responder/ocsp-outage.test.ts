import { connect } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { ocspErrors } from "../../../responder/ocsp-response.ts";
import { useDatabase } from "../../support/run/database.ts";
import { eventually } from "../../support/run/eventually.ts";
import { givenRows } from "../../support/given/given.ts";
import { givenIssuingRealm, type IssuingRealm } from "../../support/given/issuing.ts";
import { askOverHttp, encodeCertId, encodeOcspRequest, nonceExtension, outcomeOf } from "../../support/pki/ocsp.ts";
import { startTcpProxy, type TcpProxy } from "../../support/run/tcp-proxy.ts";
import { startTestResponder } from "../../support/service/responder.ts";
import { startTestWorker } from "../../support/service/worker.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
const serialNumber = "4711";

let realm: IssuingRealm;
let proxy: TcpProxy;
let url = "";

beforeAll(async () => {
  realm = await givenIssuingRealm(database.owner);
  await given.profile({ realmId: realm.realmId }, { kind: "infrastructure", serialNumber });
  const behind = new URL(database.url);
  proxy = await startTcpProxy({ host: behind.hostname, port: Number(behind.port) });
  behind.hostname = "127.0.0.1";
  behind.port = String(proxy.port);
  await startTestWorker({ databaseUrl: database.url });
  ({ url } = await startTestResponder({
    databaseUrl: behind.href,
    requestsPerSecond: 20,
    lastOcspEveryMs: 200,
    slowClients: { headersTimeout: 1_000, requestTimeout: 1_500, connectionsCheckingInterval: 100 },
  }));
});

const ask = async (headers: Record<string, string> = {}): Promise<string | number> => {
  const request = encodeOcspRequest(
    [encodeCertId({ issuer: realm.issuer, serialNumber })],
    [nonceExtension(Buffer.alloc(16))],
  );
  const answer = await askOverHttp(`${url}/ocsp/${realm.issuerId}`, { body: request, headers });
  const outcome = outcomeOf(answer.body);
  expect(answer.status).toBe(outcome === ocspErrors.tryLater ? 503 : 200);
  return outcome;
};
/** Each request comes from a different address, so that the limit does not apply. */
let addresses = 0;
const askAnew = (): Promise<string | number> => ask({ "x-forwarded-for": `198.51.100.${++addresses % 250}` });

describe("while Postgres is away", () => {
  test("answers are tryLater, and good once Postgres is back", async () => {
    await eventually(async () => {
      expect(await askAnew()).toBe("good");
    });
    await proxy.cut();
    await eventually(async () => {
      expect(await askAnew()).toBe(ocspErrors.tryLater);
    });
    expect(await askAnew()).toBe(ocspErrors.tryLater);

    await proxy.restore();
    await eventually(async () => {
      expect(await askAnew()).toBe("good");
    });
  });

  test("a request is answered even if the database connection stays silent", async () => {
    proxy.silence();
    expect(await askAnew()).toBe(ocspErrors.tryLater);

    await proxy.restore();
    await eventually(async () => {
      expect(await askAnew()).toBe("good");
    });
  });

  test("last answers that could not be written are written once Postgres is back", async () => {
    const lastAt = async (): Promise<Date | null> => {
      const [row] = await database.owner.query<{ at: Date | null }>(sql`select last_ocsp_at as at from certificates`);
      return row!.at;
    };
    // Starts again if the responder has written the answer before the connection fell silent.
    await eventually(async () => {
      await proxy.restore();
      await database.owner.query(sql`update certificates set last_ocsp_at = null`);
      expect(await askAnew()).toBe("good");
      proxy.silence();
      // This answer takes longer than the responder's pause between its writes.
      expect(await askAnew()).toBe(ocspErrors.tryLater);
      expect(await lastAt()).toBeNull();
    });

    await proxy.restore();
    await eventually(async () => {
      expect(await lastAt()).not.toBeNull();
    });
  });
});

test("a locked row is skipped, and no request waits for it", async () => {
  const other = "4712";
  await given.profile({ realmId: realm.realmId }, { kind: "infrastructure", serialNumber: other });
  await database.owner.query(sql`update certificates set last_ocsp_at = null`);
  const lastOf = async (number: string): Promise<Date | null> => {
    const [row] = await database.owner.query<{ at: Date | null }>(
      sql`select last_ocsp_at as at from certificates where serial_number = ${number}`,
    );
    return row!.at;
  };
  await database.owner.transaction(async (tx) => {
    await tx.query(sql`select 1 from certificates where serial_number = ${serialNumber} for update`);
    expect(await askAnew()).toBe("good");
    const request = encodeOcspRequest([encodeCertId({ issuer: realm.issuer, serialNumber: other })]);
    await askOverHttp(`${url}/ocsp/${realm.issuerId}`, { body: request });
    await eventually(async () => {
      expect(await lastOf(other)).not.toBeNull();
    });
  });
  expect(await lastOf(serialNumber)).toBeNull();
});

test("an address over its limit gets tryLater, and other addresses get answers", async () => {
  const mine = { "x-forwarded-for": "203.0.113.9" };
  const answers = await Promise.all(Array.from({ length: 60 }, () => ask(mine)));
  expect(answers).toContain("good");
  expect(answers).toContain(ocspErrors.tryLater);
  expect(await ask({ "x-forwarded-for": "203.0.113.10" })).toBe("good");
  await eventually(async () => {
    expect(await ask(mine)).toBe("good");
  });
});

test("a client that sends a request octet by octet, or only its beginning, is disconnected", async () => {
  const { hostname, port } = new URL(url);
  const closed = (first: string, { drips }: { drips: boolean }): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(Number(port), hostname, () => socket.write(first));
      const dripping = drips ? setInterval(() => socket.write("x"), 50) : undefined;
      socket.on("error", () => undefined);
      socket.on("close", () => {
        clearInterval(dripping);
        resolve();
      });
      socket.resume();
    });
  const head = "POST /ocsp/1 HTTP/1.1\r\nHost: x\r\n";
  const beginnings = [
    `${head}X-Slow: `,
    `${head}Content-Type: application/ocsp-request\r\nContent-Length: 4000\r\n\r\n`,
  ];
  await Promise.all(beginnings.flatMap((first) => [true, false].map((drips) => closed(first, { drips }))));
});
