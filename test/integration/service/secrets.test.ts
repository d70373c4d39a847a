import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import type { QueueBackend } from "../../../runtime/queues.ts";
import { decryptKeySync } from "../../../worker/pki/encrypted-key.ts";
import { givenUser, testPassphrase } from "../../support/issuing.ts";
import { startService, type RunningService } from "../../support/service.ts";
import { describeWithTool } from "../../support/tools.ts";

/** A secret, in every form in which it could lie around. */
const forms = (secret: string | Buffer): string[] => {
  const octets = typeof secret === "string" ? Buffer.from(secret) : secret;
  return [
    octets.toString("latin1"),
    octets.toString("hex"),
    octets.toString("base64").slice(0, -4),
    octets.toString("base64url").slice(0, -4),
  ];
};

/** Every value of every table, binary ones as hexadecimal, as a reader with all rights would see it. */
async function everythingInPostgres({ owner }: RunningService): Promise<string> {
  const tables = await owner.query<{ name: string }>(sql`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'bullmq')
  `);
  const contents = await Promise.all(
    tables.map(({ name }) =>
      owner.query<{ row: string }>({ text: `select t::text as row from ${name} t`, values: [] }),
    ),
  );
  return contents.flatMap((rows) => rows.map(({ row }) => row)).join("\n");
}

async function everythingInRedis(url: string): Promise<string> {
  const redis = new Redis(url);
  const found: string[] = [];
  for (const key of await redis.keys("*")) {
    // A key may have expired since it was listed, of which the type knows nothing.
    const dump = (await redis.dumpBuffer(key)) as Buffer | null;
    found.push(key, dump?.toString("latin1") ?? "");
  }
  redis.disconnect();
  return found.join("\n");
}

const processArguments = ({ api, workers }: RunningService): string =>
  [...api, ...workers].map(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, "latin1")).join("\n");

function behaviour(kind: QueueBackend["kind"]): void {
  test("no private key, secret, token or passphrase can be read in Postgres, the queue, the logs or process arguments", async () => {
    const service = await startService({ kind, env: { REALMPASS_LOG_LEVEL: "trace" } });
    const userId = await givenUser(service.owner, service.realmId);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        service.call("POST", `/api/user/${userId}/profiles/device${index}`, {
          format: "pem",
          deviceType: index % 2 ? "Linux" : "iOS",
        }),
      ),
    );
    // Work that is still waiting lies in the queue, so look there as well.
    for (const worker of service.workers) worker.kill("SIGSTOP");
    await service.call(
      "POST",
      `/api/user/${userId}/profiles/waiting`,
      { format: "pem", deviceType: "iOS" },
      { prefer: "respond-async" },
    );
    await service.call("GET", "/api/user?access_token=" + service.accessToken);
    const places = {
      postgres: await everythingInPostgres(service),
      ...(service.redisUrl === undefined ? {} : { redis: await everythingInRedis(service.redisUrl) }),
      logs: await service.logs(),
      arguments: processArguments(service),
    };
    for (const worker of service.workers) worker.kill("SIGCONT");

    const [issuer] = await service.owner.query<{ key: object }>(sql`select encrypted_key as key from issuer_keys`);
    const secrets: Record<string, string | Buffer> = {
      passphrase: testPassphrase,
      "client secret": service.clientSecret,
      "access token": service.accessToken,
      "issuer key": privateScalar(decryptKeySync(issuer?.key, testPassphrase)),
    };
    answers.forEach(({ status, body }, index) => {
      expect(status).toBe(200);
      const { privateKey } = body.data as { privateKey: string };
      secrets[`private key ${index}`] = privateScalar(
        createPrivateKey(privateKey).export({ type: "pkcs8", format: "der" }),
      );
    });

    for (const [place, text] of Object.entries(places)) {
      expect(text.length, place).toBeGreaterThan(20);
      for (const [name, secret] of Object.entries(secrets)) {
        const found = forms(secret).filter((form) => text.includes(form));
        expect(found, `${name} in ${place}`).toEqual([]);
      }
    }
  }, 60_000);
}

/** The part of a key that is nobody else's business: the EC scalar, or the first RSA prime. */
function privateScalar(pkcs8: Buffer): Buffer {
  const jwk = createPrivateKey({ key: pkcs8, type: "pkcs8", format: "der" }).export({ format: "jwk" });
  return Buffer.from(jwk.p ?? jwk.d ?? "", "base64url");
}

describe("with the queue in Postgres", () => {
  behaviour("postgres");
});
describeWithTool("redis", "with the queue in Redis", () => {
  behaviour("redis");
});
