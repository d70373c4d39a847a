import { setTimeout as delay } from "node:timers/promises";
import type { KeyType } from "../../../../domain/certificate/device.ts";
import { only } from "../../../../db/client.ts";
import { sql } from "../../../../db/sql.ts";
import { measure, untilQuiet, type Measured } from "../../load/index.ts";
import { addUsers, type Service } from "../../service.ts";
import type { Run } from "../scenario.ts";

/** Profiles per user: few, so that neither the limit nor one user's row slows the creation. */
const profilesPerUser = 4;

/** The pause between two profiles that a client waits for while a job runs. */
export const singlesPauseMs = 50;

/**
 * Creates profiles over HTTP, each returned with its PKCS#12, for users without a profile; repeats this while other
 * processes use the machine. `made` counts the profiles of all attempts. Awaits the precondition before each attempt.
 */
export async function createProfiles(
  { service, quick, cleanup }: Run,
  {
    count,
    concurrency,
    keyType = "ec-p256",
    first,
  }: { count: number; concurrency: number; keyType?: KeyType; first?: () => Promise<void> },
): Promise<Measured & { made: number }> {
  const body = { format: "pkcs12", deviceType: "Windows", keyType };
  const attempts = await untilQuiet({ quick }, async () => {
    await first?.();
    const users = await addUsers(service, Math.ceil(count / profilesPerUser));
    const paths = users.map((id) => `/api/user/${id}/profiles/laptop`);
    return measure(service, { method: "POST", paths, body, contains: '"data":"MI', count, concurrency }, cleanup);
  });
  return { ...attempts[0], made: attempts.reduce((sum, { answers }) => sum + answers, 0) };
}

/**
 * Throws if the number of active certificates differs from the expected number, or if two have the same key or serial
 * number.
 */
export async function checkCertificates({ service: { db } }: Run, expected: number): Promise<void> {
  const found = only(
    await db.query<{ certificates: number; serials: number; keys: number; unsettled: number }>(sql`
      select count(*)::integer as certificates, count(distinct serial_number)::integer as serials,
             count(distinct spki_sha256)::integer as keys,
             (select count(*)::integer from issuances where status <> 'issued') as unsettled
        from certificates
       where revoked_at is null
         and not_after > now()
    `),
  );
  const { certificates, serials, keys, unsettled } = found;
  if (certificates !== expected || serials !== expected || keys !== expected || unsettled !== 0) {
    throw new Error(
      `expected ${expected} distinct active certificates and nothing else, found ${JSON.stringify(found)}`,
    );
  }
}

/** Creates one profile after another until stopped. `stop` returns how long each took. */
function createSingles({ port, token }: Service, userIds: readonly string[]): { stop(): Promise<number[]> } {
  const latencies: number[] = [];
  const ending = new AbortController();
  const work = (async () => {
    for (let index = 0; !ending.signal.aborted; index++) {
      const userId = userIds[index % userIds.length] ?? "";
      const startedAt = performance.now();
      const answer = await fetch(`http://127.0.0.1:${port}/api/user/${userId}/profiles/phone-${index}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ format: "pkcs12", deviceType: "Windows" }),
      });
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`a single profile was answered ${answer.status}`);
      latencies.push(performance.now() - startedAt);
      await delay(singlesPauseMs);
    }
    return latencies;
  })();
  work.catch(() => undefined);
  return {
    stop() {
      ending.abort();
      return work;
    },
  };
}

/** Creates single profiles in each realm while `happens` runs; returns how long they took, sorted. */
export async function singlesWhile(realms: readonly Service[], happens: () => Promise<void>): Promise<number[][]> {
  const singles = await Promise.all(realms.map(async (realm) => createSingles(realm, await addUsers(realm, 200))));
  try {
    await happens();
  } finally {
    await Promise.all(singles.map((each) => each.stop().catch(() => undefined)));
  }
  return Promise.all(singles.map(async (each) => (await each.stop()).toSorted((a, b) => a - b)));
}

/** Polls each issuance that got a 202, as a client would, and counts the outcomes. */
export async function resolveUnfinished(
  { service, cleanup }: Run,
  { unfinished }: Measured,
): Promise<{ issued: number; failed: number; open: number }> {
  if (unfinished.length === 0) return { issued: 0, failed: 0, open: 0 };
  const { statuses } = await measure(
    service,
    {
      method: "GET",
      paths: unfinished.map((id) => `/api/issuances/${id}`),
      count: unfinished.length,
      concurrency: 32,
      secondsMax: 600,
    },
    cleanup,
  );
  const answered = statuses["200"] ?? 0;
  const { failed } = only(
    await service.db.query<{ failed: number }>(sql`
      select count(*)::integer as failed from issuances where id = any(${unfinished}::uuid[]) and status = 'failed'
    `),
  );
  return { issued: answered - failed, failed, open: unfinished.length - answered };
}

/** Counts the issuances that wait for a worker, or are being signed. */
export const countUnsettled = async ({ db }: Service): Promise<number> =>
  only(
    await db.query<{ count: number }>(
      sql`select count(*)::integer as count from issuances where status in ('queued', 'signing')`,
    ),
  ).count;
