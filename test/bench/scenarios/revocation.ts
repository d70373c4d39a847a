import { randomBytes } from "node:crypto";
import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { only } from "../../../db/client.ts";
import { sql } from "../../../db/sql.ts";
import { askOverHttp, encodeCertId, encodeOcspRequest, nonceExtension, outcomeOf } from "../../support/pki/ocsp.ts";
import { writeOthers } from "../columns.ts";
import { cpuBetween } from "../cpu.ts";
import { figureOf, loadFigures } from "../figures.ts";
import { measure, type Measured } from "../load/index.ts";
import { addUsers, until, type Service } from "../service.ts";
import { figure, median, percentile, withRange } from "../statistics.ts";
import { runJob } from "./jobs.ts";
import { addProfiles } from "./offboarding.ts";
import { createProfiles } from "./profiles/profiles.ts";
import { backendNames, type Run, type Scenario } from "./scenario.ts";

const revoked = 300;
/** Of this many profiles, one is revoked by offboarding its owner. */
const offboardedEach = 10;
/** The least time between two revocations, so revocations occur at every moment of the pause between CRLs. */
const paceMs = 200;
const askEveryMs = 2;
const fetchEveryMs = 250;

const people = 10_000;
const rounds = 3;
const evenRate = 500;
const bystanders = 100;
const stormConcurrency = 32;

/**
 * Measures the time from the revoking request until RADIUS servers see the revocation, and how OCSP performs during
 * mass revocation.
 */
export const revocation: Scenario = {
  title: "Revocation",
  about: `Two workers, two responders. ${revoked} revocations, ${paceMs} ms apart, every ${offboardedEach}th by offboarding the owner: until both responders answer \`revoked\` (asked every ${askEveryMs} ms), and until the CRL has the serial number (fetched every ${fetchEveryMs} ms). Then ${evenRate} OCSP requests a second during bulk offboardings of ${people.toLocaleString("en-GB")} people with a profile each, ${rounds} times; then single offboardings of as many, at concurrency ${stormConcurrency}.`,
  columns: ["queue", "what", "number", "p50 ms", "p95 ms", "p99 ms", "max ms", "CPU µs each", "others' CPU", "goal"],
  keptOnly: { columns: ["number", "p95 ms", "max ms", "CPU µs each"], backend: "postgres" },
  env: () => ({ REALMPASS_RATE_LIMIT_OCSP: "1000000" }),

  async run(run) {
    const { service, quick } = run;
    await service.startWorker();
    await service.startResponder();
    const name = backendNames[service.backend];
    const issuer = await issuerOf(service);
    const ports = service.ocspPorts;
    const scale = quick ? 10 : 1;

    const seen = await revokeOneByOne(run, issuer, { ports, count: revoked / scale });
    const during = await askDuringOffboardings(run, issuer, { port: ports[0] ?? 0, count: people / scale });
    const storm = await offboardOneByOne(run, issuer, people / (quick ? 20 : 1));

    const load = (what: string, results: readonly Measured[], goal: string): string[] => {
      const of = (pick: (result: Measured) => number): string => withRange(results.map(pick));
      const answers = results.reduce((sum, result) => sum + result.answers, 0);
      return [
        name,
        what,
        String(answers),
        ...[of(({ p50 }) => p50), of(({ p95 }) => p95), of(({ p99 }) => p99), of(({ max }) => max)],
        figure(median(results.map(({ cpuUs }) => cpuUs))),
        writeOthers(results.map(({ others }) => others)),
        goal,
      ];
    };
    return {
      rows: [
        row(name, "a profile's request until its answer", seen.ofProfile.answered, ""),
        row(name, "a profile's request until `revoked`", seen.ofProfile.ocsp, "p99 < 1,000"),
        row(name, "an offboarding's request until `revoked`", seen.ofPerson.ocsp, "p99 < 1,000"),
        row(name, "either request until on the CRL", [...seen.ofProfile.crl, ...seen.ofPerson.crl], "p99 < 10,000"),
        load(`OCSP, a responder, ${evenRate}/s, nothing else`, during.quiet, ""),
        load(`OCSP, a responder, ${evenRate}/s, bulk offboarding`, during.direct, "p99 < 20"),
        load(`OCSP, the API, ${evenRate}/s, bulk offboarding`, during.passedOn, "p99 < 20"),
        load("single offboardings, request until answer", [storm.answers], ""),
      ],
      figures: [
        figureOf("a profile's request until `revoked`", "p50 ms", [seen.ofProfile.ocsp], median),
        figureOf("an offboarding's request until `revoked`", "p50 ms", [seen.ofPerson.ocsp], median),
        ...loadFigures("OCSP, a responder, nothing else", during.quiet),
        ...loadFigures("OCSP, a responder, bulk offboarding", during.direct),
        ...loadFigures("OCSP, the API, bulk offboarding", during.passedOn),
        ...loadFigures("single offboardings", [storm.answers]),
      ],
      remark:
        `${name}: the bulk offboardings took ${withRange(during.jobSeconds)} s, the single ones ${figure(storm.seconds)} s (${figure(storm.answers.perSecond)}/s). ` +
        `All of these were on the CRL after ${figure(storm.publishedSeconds)} s: ${storm.crls} CRLs, at least ${figure(storm.closestSeconds)} s apart.`,
    };
  },
};

interface Issuer {
  id: string;
  certificate: Buffer;
}

const issuerOf = async ({ db, realmId }: Service): Promise<Issuer> =>
  only(await db.query<Issuer>(sql`select id, certificate from issuers where realm_id = ${realmId} and issuing`));

interface Profile {
  serialNumber: string;
  userId: string;
}

/** Returns profiles that the service has issued. */
async function issued(run: Run, count: number): Promise<Profile[]> {
  const { db } = run.service;
  const { from } = only(await db.query<{ from: string }>(sql`select coalesce(max(id), 0) as from from certificates`));
  await createProfiles(run, { count, concurrency: 8 });
  return db.query<Profile>(sql`
    select serial_number as "serialNumber", user_id as "userId" from certificates where id > ${from} order by id
  `);
}

/** Times in milliseconds from sending a request. */
interface Seen {
  /** Until the api answered. */
  answered: number[];
  /** Until the last of the responders returns `revoked`. */
  ocsp: number[];
  crl: number[];
}

async function revokeOneByOne(
  run: Run,
  issuer: Issuer,
  { ports, count }: { ports: readonly number[]; count: number },
): Promise<Record<"ofProfile" | "ofPerson", Seen>> {
  const { service } = run;
  const profiles = await issued(run, count * 4);
  const nothing = (): Seen => ({ answered: [], ocsp: [], crl: [] });
  const seen = { ofProfile: nothing(), ofPerson: nothing() };
  const watcher = watchCrl(service, issuer);
  const agent = new Agent({ keepAlive: true });
  const onCrl: Promise<void>[] = [];
  // Takes one profile of each person, because profiles of one person are adjacent.
  const chosen = profiles.filter(({ userId }, index) => profiles.findIndex((each) => each.userId === userId) === index);
  try {
    for (const [index, profile] of chosen.slice(0, count).entries()) {
      const byPerson = index % offboardedEach === offboardedEach - 1;
      const into = byPerson ? seen.ofPerson : seen.ofProfile;
      const path = byPerson ? `/api/user/${profile.userId}` : `/api/profiles/${profile.serialNumber}`;
      const startedAt = performance.now();
      const since = (): number => performance.now() - startedAt;
      onCrl.push(watcher.has(profile.serialNumber).then(() => void into.crl.push(since())));
      const waits = ports.map((port) => untilRevoked(`http://127.0.0.1:${port}`, issuer, profile, agent));
      await remove(service, path);
      into.answered.push(since());
      await Promise.all(waits);
      into.ocsp.push(since());
      await delay(Math.max(0, paceMs - since()));
    }
    await Promise.all(onCrl);
  } finally {
    watcher.stop();
    agent.destroy();
  }
  return seen;
}

async function remove({ port, token }: Service, path: string): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`DELETE was answered ${answer.status}: ${text}`);
}

/** Polls OCSP on a keep-alive connection until the profile is revoked. */
async function untilRevoked(url: string, issuer: Issuer, { serialNumber }: Profile, agent: Agent): Promise<void> {
  const giveUpAt = performance.now() + 30_000;
  while ((await ask(url, issuer, serialNumber, agent)) !== "revoked") {
    if (performance.now() > giveUpAt) throw new Error(`${url} does not say that ${serialNumber} is revoked`);
    await delay(askEveryMs);
  }
}

const ask = async (
  url: string,
  issuer: Issuer,
  serialNumber: string,
  agent?: Agent,
): Promise<ReturnType<typeof outcomeOf>> =>
  outcomeOf(
    (
      await askOverHttp(`${url}/ocsp/${issuer.id}`, {
        body: encodeQuestion(issuer, serialNumber),
        ...(agent === undefined ? {} : { agent }),
      })
    ).body,
  );

const encodeQuestion = ({ certificate }: Issuer, serialNumber: string): Buffer =>
  encodeOcspRequest([encodeCertId({ issuer: certificate, serialNumber })], [nonceExtension(randomBytes(16))]);

/** Fetches the CRL as a RADIUS server's script does, but more often. */
function watchCrl({ port }: Service, issuer: Issuer): { has(serialNumber: string): Promise<void>; stop(): void } {
  const waiting = new Map<string, { resolve: () => void; reject: (error: unknown) => void }>();
  let stopped = false;
  let tag = "";

  const look = async (): Promise<void> => {
    const headers: Record<string, string> = { "accept-encoding": "identity", "if-none-match": tag };
    const answer = await fetch(`http://127.0.0.1:${port}/crl/${issuer.id}.crl`, { headers });
    const crl = Buffer.from(await answer.arrayBuffer());
    if (answer.status === 304) return;
    if (answer.status !== 200) throw new Error(`the CRL was answered ${answer.status}`);
    tag = answer.headers.get("etag") ?? "";
    for (const [serialNumber, { resolve }] of waiting) {
      if (!crl.includes(octetsOf(serialNumber))) continue;
      waiting.delete(serialNumber);
      resolve();
    }
  };
  const turn = (): void => {
    if (stopped) return;
    look().then(
      () => setTimeout(turn, fetchEveryMs),
      (error: unknown) => {
        for (const { reject } of waiting.values()) reject(error);
      },
    );
  };
  turn();

  return {
    has: (serialNumber) =>
      new Promise((resolve, reject) => {
        waiting.set(serialNumber, { resolve, reject });
      }),
    stop() {
      stopped = true;
    },
  };
}

/** Returns a serial number's octets, nearly always 16, so no other octets in a CRL match by chance. */
function octetsOf(serialNumber: string): Buffer {
  const hex = BigInt(serialNumber).toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
}

interface AskedDuring {
  quiet: Measured[];
  direct: Measured[];
  passedOn: Measured[];
  jobSeconds: number[];
}

/**
 * Requests the status of profiles that stay good while other profiles are revoked: alternately from a responder
 * directly and from the API.
 */
async function askDuringOffboardings(
  run: Run,
  issuer: Issuer,
  { port, count }: { port: number; count: number },
): Promise<AskedDuring> {
  const { service, once, cleanup } = run;
  const good = (await issued(run, bystanders)).map(({ serialNumber }) => serialNumber);
  const bodies = Array.from({ length: 20 }, () => good.map((each) => encodeQuestion(issuer, each).toString("base64")));
  const found: AskedDuring = { quiet: [], direct: [], passedOn: [], jobSeconds: [] };

  const load = (target: Service, meanwhile: () => Promise<unknown>): Promise<Measured> =>
    measure(
      target,
      {
        method: "POST",
        paths: [`/ocsp/${issuer.id}`],
        octets: { type: "application/ocsp-request", bodies: bodies.flat() },
        contains: "OCSP responder",
        count: Number.MAX_SAFE_INTEGER,
        concurrency: 32,
        rate: evenRate,
        warmUpSeconds: 2,
      },
      cleanup,
      meanwhile,
    );
  const offboardAll = async (userIds: readonly string[]): Promise<void> => {
    const csv = ["userID", ...userIds, ""].join("\n");
    const { accepted, ended } = await runJob(service, { kind: "offboarding", csv, total: userIds.length });
    found.jobSeconds.push(accepted + ended);
  };
  const responder = { ...service, port };
  for (let round = 0; round < (once ? 1 : rounds); round++) {
    found.quiet.push(await load(responder, () => delay(5_000)));
    for (const [target, into] of [
      [responder, found.direct],
      [service, found.passedOn],
    ] as const) {
      const userIds = await addPeople(service, count);
      into.push(await load(target, () => offboardAll(userIds)));
      await untilPublished(service, issuer);
    }
  }
  for (const serialNumber of good) {
    const outcome = await ask(`http://127.0.0.1:${port}`, issuer, serialNumber);
    if (outcome !== "good") throw new Error(`${serialNumber} is ${outcome} and was not revoked`);
  }
  return found;
}

/** Makes people with a profile each. */
async function addPeople(service: Service, count: number): Promise<string[]> {
  const userIds = await addUsers(service, count);
  await addProfiles(service, userIds, 1);
  return userIds;
}

const untilPublished = (service: Service, issuer: Issuer): Promise<void> =>
  until("what is revoked is on the CRL", 60, async () => {
    const { missing } = only(
      await service.db.query<{ missing: number }>(sql`
        select ((select count(*) from certificates where issuer_id = ${issuer.id} and revoked_at is not null)
                - (select entries from crls where issuer_id = ${issuer.id}))::integer as missing
      `),
    );
    return missing === 0;
  });

interface Storm {
  answers: Measured;
  seconds: number;
  /** Until a CRL contained the last revocation. */
  publishedSeconds: number;
  crls: number;
  closestSeconds: number;
  workerMs: number;
}

async function offboardOneByOne({ service, cleanup }: Run, issuer: Issuer, count: number): Promise<Storm> {
  const userIds = await addPeople(service, count);
  await untilPublished(service, issuer);
  const publications = watchPublications(service, issuer);
  const before = service.cpu();
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1000;
  const answers = await measure(
    service,
    {
      method: "DELETE",
      paths: userIds.map((userId) => `/api/user/${userId}`),
      contains: '"data":true',
      count,
      concurrency: stormConcurrency,
    },
    cleanup,
  );
  const answered = seconds();
  await untilPublished(service, issuer);
  const publishedSeconds = seconds();
  const workerMs = cpuBetween(before, service.cpu()).worker / 1000;
  const moments = await publications.stop();
  const gaps = moments.slice(1).map((moment, index) => (moment - (moments[index] ?? 0)) / 1000);
  return {
    answers,
    seconds: answered,
    publishedSeconds,
    // The first of these CRLs existed before the measurement, so it does not count.
    crls: moments.length - 1,
    closestSeconds: Math.min(...gaps),
    workerMs,
  };
}

/** Records when the service publishes CRLs, by the database's clock. Polls far more often than CRLs can appear. */
function watchPublications({ db }: Service, issuer: Issuer): { stop(): Promise<number[]> } {
  const moments: number[] = [];
  const stopping = new AbortController();
  const look = async (): Promise<void> => {
    const { at } = only(
      await db.query<{ at: Date }>(sql`select published_at as at from crls where issuer_id = ${issuer.id}`),
    );
    if (at.getTime() !== moments.at(-1)) moments.push(at.getTime());
  };
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      await look();
      await delay(fetchEveryMs);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await watching;
      await look();
      return moments;
    },
  };
}

function row(name: string, what: string, values: readonly number[], goal: string): string[] {
  const sorted = values.toSorted((a, b) => a - b);
  return [
    name,
    what,
    String(values.length),
    figure(median(sorted)),
    figure(percentile(sorted, 0.95)),
    figure(percentile(sorted, 0.99)),
    figure(percentile(sorted, 1)),
    "",
    "",
    goal,
  ];
}
