import { setTimeout as delay } from "node:timers/promises";
import { only } from "../../../db/client.ts";
import { sql } from "../../../db/sql.ts";
import { openssl } from "../../support/pki/openssl.ts";
import { cpuBetween, type CpuByPart } from "../cpu.ts";
import { figureOf, type Figure } from "../figures.ts";
import { until, type Service } from "../service.ts";
import { figure, median } from "../statistics.ts";
import type { Scenario } from "./scenario.ts";

const sizes = [10_000, 100_000, 1_000_000];
const rounds = 5;

/** The CPU time that some work used, less the service's idle use. */
interface Spent {
  seconds: number;
  workerMs: number;
  postgresMs: number;
}

/** Measures the time from a waiting serial number until OpenSSL reads it in the list over HTTP. */
export const crl: Scenario = {
  title: "Certificate revocation lists",
  about: `One issuer with ${sizes.map((size) => size.toLocaleString("en-GB")).join(", ")} entries: all are put on the list, then one more, ${rounds} times. CRLs are at least 5 s apart.`,
  columns: [
    "entries",
    "first build s",
    "of it CPU worker / Postgres ms",
    "one more: CPU worker / Postgres ms",
    "one more: s until served",
    "DER MB",
    "gzip MB",
    "first fetch ms",
    "later fetch ms",
    "worker / api peak MB",
    "OpenSSL",
  ],
  keptOnly: {
    columns: [
      "of it CPU worker / Postgres ms",
      "one more: CPU worker / Postgres ms",
      "gzip MB",
      "first fetch ms",
      "later fetch ms",
      "OpenSSL",
    ],
  },
  backends: ["postgres"],
  env: () => ({}),

  async run({ service, quick, once }) {
    const issuerId = only(await service.db.query<{ id: string }>(sql`select id from issuers`)).id;
    const idle = await idleCpu(service);
    const rows: string[][] = [];
    const figures: Figure[] = [];
    let entries = 0;
    for (const size of quick ? sizes.slice(0, 1) : sizes) {
      const first = await add(service, { issuerId, count: size - entries, total: size, idle });
      const fetched = await fetchCrl(service, issuerId);
      const more: Spent[] = [];
      for (let round = 1; round <= (once ? 1 : rounds); round++) {
        more.push(await add(service, { issuerId, count: 1, total: size + round, idle }));
        await fetchCrl(service, issuerId);
      }
      entries = size + more.length;
      const later = await fetchCrl(service, issuerId);
      const packed = await fetchCrl(service, issuerId, { gzip: true });
      const of = (pick: (spent: Spent) => number): string => figure(median(more.map(pick)));
      rows.push([
        size.toLocaleString("en-GB"),
        figure(first.seconds),
        `${figure(first.workerMs)} / ${figure(first.postgresMs)}`,
        `${of(({ workerMs }) => workerMs)} / ${of(({ postgresMs }) => postgresMs)}`,
        of(({ seconds }) => seconds),
        figure(later.length / 1e6),
        figure(packed.length / 1e6),
        figure(fetched.ms),
        figure(later.ms),
        `${figure(service.peakMemory("worker") / 1e6)} / ${figure(service.peakMemory("api") / 1e6)}`,
        await verify(service, issuerId, later.bytes),
      ]);
      const name = `${size.toLocaleString("en-GB")} entries`;
      figures.push(
        figureOf(name, "first build: worker CPU ms", [first], ({ workerMs }) => workerMs),
        figureOf(name, "first build: Postgres CPU ms", [first], ({ postgresMs }) => postgresMs),
        figureOf(name, "one more: worker CPU ms", more, ({ workerMs }) => workerMs),
        figureOf(name, "one more: s until served", more, ({ seconds }) => seconds),
      );
    }
    return { rows, figures };
  },
};

/** Puts serial numbers on the list, and waits until a CRL contains them. */
async function add(
  service: Service,
  {
    issuerId,
    count,
    total,
    idle,
  }: { issuerId: string; count: number; total: number; idle: (seconds: number) => CpuByPart },
): Promise<Spent> {
  const { db } = service;
  await db.query(sql`
    insert into abandoned_serial_numbers (issuer_id, serial_number, issuance_id, not_after, abandoned_at)
    select ${issuerId}::bigint,
           (('x' || substr(md5(random()::text), 1, 15))::bit(60)::bigint::numeric * (2::numeric ^ 60)
            + ('x' || substr(md5(random()::text), 1, 15))::bit(60)::bigint::numeric + 1)::text,
           gen_random_uuid(), now() + interval '1 day' + n * interval '1 year' / ${count}::integer, now()
      from generate_series(1, ${count}::integer) as n
  `);
  const startedAt = performance.now();
  const before = service.cpu();
  await until(`a CRL with ${total} entries`, 600, async () => {
    const [row] = await db.query<{ entries: number }>(sql`select entries from crls where issuer_id = ${issuerId}`);
    return row?.entries === total;
  });
  const seconds = (performance.now() - startedAt) / 1000;
  const used = cpuBetween(before, service.cpu());
  const unused = idle(seconds);
  const ms = (part: "worker" | "Postgres"): number => Math.max(0, (used[part] - unused[part]) / 1000);
  return { seconds, workerMs: ms("worker"), postgresMs: ms("Postgres") };
}

/** Measures the idle service's CPU time for 10 s. Returns a function that scales it to any number of seconds. */
async function idleCpu(service: Service): Promise<(seconds: number) => CpuByPart> {
  const measuredSeconds = 10;
  await delay(2_000);
  const before = service.cpu();
  await delay(measuredSeconds * 1000);
  const used = cpuBetween(before, service.cpu());
  return (seconds) =>
    Object.fromEntries(Object.entries(used).map(([part, us]) => [part, (us * seconds) / measuredSeconds])) as CpuByPart;
}

async function fetchCrl(
  { port }: Service,
  issuerId: string,
  { gzip = false }: { gzip?: boolean } = {},
): Promise<{ bytes: Buffer; length: number; ms: number }> {
  // The api caches its state for a second.
  await delay(1_100);
  const startedAt = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}/crl/${issuerId}.crl`, {
    headers: { "accept-encoding": gzip ? "gzip" : "identity" },
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200) throw new Error(`the CRL was answered ${answer.status}`);
  return { bytes, length: Number(answer.headers.get("content-length")), ms: performance.now() - startedAt };
}

async function verify({ db }: Service, issuerId: string, der: Buffer): Promise<string> {
  const { certificate } = only(
    await db.query<{ certificate: Buffer }>(sql`select certificate from issuers where id = ${issuerId}`),
  );
  const pem = openssl(["x509", "-inform", "DER", "-in", "ca.der"], { "ca.der": certificate }).stdout;
  return openssl(["crl", "-inform", "DER", "-in", "crl.der", "-noout", "-CAfile", "ca.pem", "-verify"], {
    "crl.der": der,
    "ca.pem": pem,
  }).stderr.trim();
}
