import { randomUUID } from "node:crypto";
import { sql } from "../../../db/sql.ts";
import { listen } from "../../../db/listener.ts";
import { only } from "../../../db/client.ts";
import { BatchID } from "../../../domain/ids.ts";
import { chunkSize, issueCertificateChunk } from "../../../domain/jobs/issue-certificate-chunk.ts";
import { cpuBetween, cpuTotal, type CpuByPart } from "../cpu.ts";
import { addUsers, until, type Service } from "../service.ts";
import { figure, median, withRange } from "../statistics.ts";
import { checkCertificates } from "./profiles.ts";
import { backendNames, type Scenario } from "./scenario.ts";

const batchSize = 10_000;
const usersPerBatch = 2_500;
const rounds = 3;

interface Batch {
  perSecond: number;
  cpuUs: number;
  cpu: CpuByPart;
}

/** A batch, as onboarding makes one: rows first, then a job for each chunk. */
export const chunked: Scenario = {
  title: "A batch of P-256 profiles",
  about:
    `${batchSize.toLocaleString("en-GB")} issuances written in advance, then one job for each ${chunkSize} of them; ` +
    `from the first job to the last certificate. Medians of ${rounds} rounds after a smaller one to warm up.`,
  columns: ["queue", "profiles/s", "CPU µs each", "× floor", "worker / Postgres / Redis µs", "goal"],
  env: () => ({}),

  async run(run) {
    const size = run.quick ? batchSize / 10 : batchSize;
    await runBatch(run.service, size / 5);
    const batches: Batch[] = [];
    for (let round = 0; round < (run.quick ? 1 : rounds); round++) batches.push(await runBatch(run.service, size));
    const expected = size / 5 + size * batches.length;
    await checkCertificates(run, expected);

    const cpuUs = median(batches.map((batch) => batch.cpuUs));
    const byPart = (["worker", "Postgres", "Redis"] as const).map((part) =>
      median(batches.map(({ cpu }) => cpu[part])),
    );
    const name = backendNames[run.service.backend];
    return {
      rows: [
        [
          name,
          withRange(batches.map(({ perSecond }) => perSecond)),
          figure(cpuUs),
          figure(cpuUs / run.floorUs),
          byPart.map(figure).join(" / "),
          "≥ 1,500/s",
        ],
      ],
      remark: `${name}: ${expected} issuances, ${expected} distinct active certificates.`,
    };
  },
};

async function runBatch(service: Service, size: number): Promise<Batch> {
  const batchId = await writeIssuances(service, size);
  let settled = 0;
  let lastAt = 0;
  // Hearing of every settled issuance costs the service nothing that it does not do anyway.
  const listener = listen({
    url: service.databaseUrl,
    applicationName: "realmpass bench",
    channel: "issuance_settled",
    onNotification: (ids) => {
      lastAt = performance.now();
      settled += ids.split(",").length;
    },
    onConnected: () => undefined,
    onError: () => undefined,
  });
  await listener.ready;
  try {
    const before = service.cpu();
    const startedAt = performance.now();
    await service.queues.enqueueAll(
      issueCertificateChunk,
      Array.from({ length: Math.ceil(size / chunkSize) }, (_, chunk) => ({
        version: 1 as const,
        batchId,
        from: chunk * chunkSize,
        to: (chunk + 1) * chunkSize,
      })),
    );
    await until(`${size} issuances`, 120, () => Promise.resolve(settled >= size));
    const seconds = (lastAt - startedAt) / 1000;
    const used = cpuBetween(before, service.cpu());
    const cpu = Object.fromEntries(Object.entries(used).map(([part, us]) => [part, us / size])) as CpuByPart;
    return { perSecond: size / seconds, cpuUs: cpuTotal(cpu), cpu };
  } finally {
    await listener.close();
  }
}

async function writeIssuances(service: Service, size: number): Promise<BatchID> {
  const batchId = BatchID.parse(randomUUID());
  const users = await addUsers(service, Math.min(usersPerBatch, size));
  const { written } = only(
    await service.db.query<{ written: number }>(sql`
      with added as (
        insert into issuances (id, realm_id, kind, user_id, batch_id, batch_position, name, device_type, format, key_type,
                               validity_months, created_at)
        select gen_random_uuid(), ${service.realmId}::bigint, 'user',
               (${users}::bigint[])[1 + position % ${users.length}::integer], ${batchId}, position, 'laptop', 'Windows',
               'pkcs12', 'ec-p256', 12, now()
          from generate_series(0, ${size}::integer - 1) as position
        returning 1
      )
      select count(*)::integer as written from added
    `),
  );
  if (written !== size) throw new Error(`wrote ${written} issuances of ${size}`);
  return batchId;
}
