import { setTimeout as delay } from "node:timers/promises";
import { only } from "../../../db/client.ts";
import { sql } from "../../../db/sql.ts";
import { cpuBetween, cpuTotal } from "../cpu.ts";
import { figureOf } from "../figures.ts";
import { openConnection } from "../load/connection.ts";
import { addClient, obtainToken, type Service } from "../service.ts";
import { figure, percentile } from "../statistics.ts";
import { checkCertificates, singlesPauseMs, singlesWhile } from "./profiles/profiles.ts";
import { backendNames, type Run, type Scenario } from "./scenario.ts";

const people = 60_000;
/** Requests per second: ten times Entra's maximum, so the cycle takes 8 minutes instead of 80. */
const pace = 250;
const connections = 8;
const idleSeconds = 20;

/** Measures a directory's first cycle: it searches for each person and creates them, as Entra does. */
export const directory: Scenario = {
  title: "First cycle of a directory",
  about: `SCIM brings ${people.toLocaleString("en-GB")} people: a search by \`externalId\`, then a POST, ${pace} requests a second, ten times what Entra sends at most. Meanwhile a client creates single profiles, ${singlesPauseMs} ms apart; the multiple is of their p95 in ${idleSeconds} s without the cycle.`,
  columns: [
    ...["queue", "people", "seconds", "search p95 ms", "POST p50 / p95 / p99 ms", "CPU µs per person"],
    ...["single profiles p50 / p95 ms", "without the cycle", "× p95", "api MB, half-way and at the end", "goal"],
  ],
  keptOnly: { columns: ["seconds", "CPU µs per person", "api MB, half-way and at the end"] },
  env: () => ({}),

  async run(run) {
    const { service, quick } = run;
    const count = people / (quick ? 10 : 1);
    const send = await openDirectory(run);
    for (let each = 0; each < connections; each++) await send(each, each);

    let before = service.cpu();
    const [idle = []] = await singlesWhile([service], () => delay((quick ? 5 : idleSeconds) * 1000));
    const singleUs = cpuTotal(cpuBetween(before, service.cpu())) / idle.length;

    const cycle: { find: number[]; create: number[] } = { find: [], create: [] };
    let halfway = 0;
    let seconds = 0;
    before = service.cpu();
    const [beside = []] = await singlesWhile([service], async () => {
      const beganAt = performance.now();
      let next = 0;
      const one = async (connection: number): Promise<void> => {
        for (let index = next++; index < count; index = next++) {
          await delay(beganAt + (index * 2_000) / pace - performance.now());
          const { find, create } = await send(connection, connections + index);
          cycle.find.push(find);
          cycle.create.push(create);
          if (index === Math.floor(count / 2)) halfway = service.memory().api;
        }
      };
      await Promise.all(Array.from({ length: connections }, (_, connection) => one(connection)));
      seconds = (performance.now() - beganAt) / 1000;
    });
    const cpuUs = cpuTotal(cpuBetween(before, service.cpu())) - beside.length * singleUs;
    await checkCertificates(run, idle.length + beside.length);
    await checkPeople(service, connections + count);

    const [find, create] = [cycle.find, cycle.create].map((ms) => ms.sort((a, b) => a - b)) as [number[], number[]];
    const times = (ms: readonly number[], ...shares: number[]): string =>
      shares.map((share) => figure(percentile(ms, share))).join(" / ");
    const multiple = percentile(beside, 0.95) / percentile(idle, 0.95);
    return {
      rows: [
        [
          ...[backendNames[service.backend], count.toLocaleString("en-GB"), figure(seconds), times(find, 0.95)],
          ...[times(create, 0.5, 0.95, 0.99), figure(cpuUs / count), times(beside, 0.5, 0.95), times(idle, 0.5, 0.95)],
          ...[figure(multiple), [halfway, service.memory().api].map((bytes) => figure(bytes / 1e6)).join(" / ")],
          "POST p95 < 50 ms, × ≤ 3",
        ],
      ],
      figures: [
        figureOf("a person of a first cycle", "CPU µs", [cpuUs], (us) => us / count),
        figureOf("a person of a first cycle", "p95 ms", [create], (ms) => percentile(ms, 0.95)),
        figureOf("single profiles beside a first cycle", "× p95", [multiple], (times) => times),
      ],
    };
  },
};

/**
 * Connects a directory; the returned function adds one person and returns how long the search and the POST took, in ms.
 */
async function openDirectory({ service, cleanup }: Run) {
  const client = addClient(service, ["--scopes", "scim"]);
  const token = await obtainToken(service.port, client, "scim");
  const opened = await Promise.all(Array.from({ length: connections }, () => openConnection(service.port)));
  cleanup.add(() => {
    for (const connection of opened) connection.close();
    return Promise.resolve();
  });
  const ask = async (connection: number, expected: number, line: string, body = ""): Promise<number> => {
    const request = Buffer.from(
      `${line} HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\nAuthorization: Bearer ${token}\r\n` +
        (body === "" ? "" : `Content-Type: application/scim+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`) +
        `\r\n${body}`,
    );
    const askedAt = performance.now();
    const { status, body: answer } = (await opened[connection]?.ask(request)) ?? {};
    if (status !== expected) throw new Error(`${line} was answered ${status}: ${answer?.slice(0, 300)}`);
    return performance.now() - askedAt;
  };
  return async (connection: number, index: number): Promise<{ find: number; create: number }> => {
    const id = `bench-${index}`;
    const person = {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
      ...{ externalId: id, userName: `${id}@example.org`, displayName: `Person ${index}`, active: true },
      emails: [{ type: "work", primary: true, value: `${id}@example.org` }],
    };
    const find = await ask(connection, 200, `GET /scim/v2/Users?filter=${encodeURIComponent(`externalId eq "${id}"`)}`);
    return { find, create: await ask(connection, 201, "POST /scim/v2/Users", JSON.stringify(person)) };
  };
}

/** Throws if the directory does not have exactly the expected number of people. */
async function checkPeople({ db, realmId }: Service, expected: number): Promise<void> {
  const { count } = only(
    await db.query<{ count: number }>(
      sql`select count(*)::integer as count from scim_users where realm_id = ${realmId}`,
    ),
  );
  if (count !== expected) throw new Error(`expected ${expected} people of the directory, found ${count}`);
}
