import { expect, test } from "vitest";
import type { Database } from "../../../../db/client.ts";
import { systemClock } from "../../../../runtime/clock.ts";
import { createLog } from "../../../../runtime/log.ts";
import { createIssuers } from "../../../../worker/issuance/issuers.ts";
import type { SigningPool } from "../../../../worker/signing/pool.ts";

const silentLog = createLog({ process: "test", level: "silent" });

test("if one issuer cannot be loaded, the other issuers are loaded before any caller continues", async () => {
  const db = {
    query: ({ values }: { values: readonly unknown[] }) => {
      const [ids] = values as [string[]];
      return Promise.resolve(ids.map((id) => ({ id, certificate: Buffer.of(1), chain: [], encryptedKey: {} })));
    },
  } as unknown as Database;
  const loaded: string[] = [];
  let finish: () => void = () => undefined;
  const slow = new Promise<void>((resolve) => (finish = resolve));
  const pool = {
    async ensureIssuer({ issuerId }: { issuerId: string }) {
      if (issuerId === "1") throw new Error("a wrong passphrase");
      await slow;
      loaded.push(issuerId);
    },
    probe: () => Promise.resolve(),
  } as unknown as SigningPool;

  const ensuring = createIssuers({
    db,
    pool,
    publicationUrl: "http://ca.example",
    clock: systemClock,
    log: silentLog,
  }).ensure(["1", "2"]);
  setImmediate(finish);
  await expect(ensuring).rejects.toThrow("issuer 1 cannot be signed for");
  expect(loaded).toEqual(["2"]);
});
