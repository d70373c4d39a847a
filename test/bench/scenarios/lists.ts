import { only } from "../../../db/client.ts";
import { sql } from "../../../db/sql.ts";
import { endpoints } from "../../../api/endpoints.ts";
import { cpuBetween, cpuTotal } from "../cpu.ts";
import { figureOf, type Figure } from "../figures.ts";
import { openConnection, type Connection } from "../load/connection.ts";
import { largeRealm, seedRealm, smallerRealm } from "../seed.ts";
import type { Service } from "../service.ts";
import { figure, median, percentile } from "../statistics.ts";
import type { Scenario } from "./scenario.ts";

const requests = 40;
const concurrency = 4;
const pageLimit = 100;
const goalMs = 50;

/** The query of a list, in addition to the page. */
interface Question {
  search?: string;
  filter?: Record<string, string>;
  sort?: Record<string, "asc" | "desc">;
}

interface Asked {
  /** `deviceType=ChromeOS, serial desc, last page` */
  name: string;
  p50: number;
  p95: number;
}

/** Measures every list × each sort key in both directions × each filter and search × first and last page. */
export const lists: Scenario = {
  title: "Lists of a large realm",
  about: `${count(largeRealm.users)} users, ${count(largeRealm.profiles)} profiles, ${count(largeRealm.auditEntries)} audit entries. Every sort key in both directions, without and with each filter and some searches, first and last page of ${pageLimit} with the total: ${requests} requests each, at concurrency ${concurrency}.`,
  columns: ["list", "combinations", "p50 ms", "worst p95 ms", "worst combination", `p95 over ${goalMs} ms`, "goal"],
  keptOnly: { columns: ["combinations", "p50 ms", "worst combination"] },
  backends: ["postgres"],
  env: () => ({}),

  async run({ service, quick, cleanup }) {
    await seedRealm(service.db, service.realmId, quick ? smallerRealm : largeRealm);
    const connections = await Promise.all(Array.from({ length: concurrency }, () => openConnection(service.port)));
    cleanup.add(async () => {
      for (const connection of connections) connection.close();
      return Promise.resolve();
    });

    const rows: string[][] = [];
    const figures: Figure[] = [];
    let [combinations, over] = [0, 0];
    const all = await offered(service);
    // Requests each list once, so no measured request is the first.
    for (const { path, questions } of all) await ask(connections, service, { path, question: questions[0] ?? {} });
    for (const { operation, path, questions } of all) {
      const asked: Asked[] = [];
      const before = service.cpu();
      const askedFrom = performance.now();
      for (const question of questions) asked.push(...(await ask(connections, service, { path, question })));
      const answers = asked.length * requests;
      figures.push(
        figureOf(operation, "CPU µs each", [cpuTotal(cpuBetween(before, service.cpu()))], (us) => us / answers),
        figureOf(operation, "per second", [(performance.now() - askedFrom) / 1000], (seconds) => answers / seconds),
        figureOf(operation, "p50 ms", [asked], (all) => median(all.map(({ p50 }) => p50))),
        figureOf(operation, "worst p95 ms", [asked], (all) => Math.max(...all.map(({ p95 }) => p95))),
      );
      const slow = asked.filter(({ p95 }) => p95 >= goalMs);
      const [worst] = asked.toSorted((a, b) => b.p95 - a.p95);
      combinations += asked.length;
      over += slow.length;
      rows.push([
        `\`${operation}\``,
        String(asked.length),
        figure(median(asked.map(({ p50 }) => p50))),
        figure(worst?.p95 ?? Number.NaN),
        worst?.name ?? "",
        String(slow.length),
        `p95 < ${goalMs} ms`,
      ]);
    }
    return {
      rows,
      figures,
      remark: `Of ${combinations} combinations ${over} are over the goal.`,
    };
  },
};

/** Requests the first and the last page of one query. */
async function ask(
  connections: readonly Connection[],
  service: Service,
  { path, question }: { path: string; question: Question },
): Promise<Asked[]> {
  const encode = (page: object): Buffer => {
    const body = JSON.stringify({ ...question, ...page });
    return Buffer.from(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\nAuthorization: Bearer ${service.token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  };
  const total = await totalOf(connections, encode({ limit: 1 }));
  const lastOffset = Math.max(0, Math.ceil(total / pageLimit) - 1) * pageLimit;
  const asked: Asked[] = [];
  for (const [which, offset] of lastOffset === 0 ? [["only page", 0] as const] : pagesTo(lastOffset)) {
    const request = encode({ limit: pageLimit, offset });
    const latencies: number[] = [];
    let left = requests;
    await Promise.all(
      connections.map(async (connection) => {
        while (left-- > 0) {
          const askedAt = performance.now();
          const { status, body } = await connection.ask(request);
          latencies.push(performance.now() - askedAt);
          if (status !== 200) throw new Error(`${path} was answered ${status}: ${body.slice(0, 300)}`);
        }
      }),
    );
    latencies.sort((a, b) => a - b);
    asked.push({
      name: [...described(question), which].join(", "),
      p50: percentile(latencies, 0.5),
      p95: percentile(latencies, 0.95),
    });
  }
  return asked;
}

const pagesTo = (lastOffset: number) => [["first page", 0] as const, ["last page", lastOffset] as const];

const described = ({ search, filter = {}, sort = {} }: Question): string[] => [
  ...(search === undefined ? [] : [`search of ${search.length} characters`]),
  ...Object.entries(filter).map(([key, value]) => `${key}=${value.length > 24 ? "…" : value}`),
  ...Object.entries(sort).map(([key, direction]) => `${key} ${direction}`),
];

async function totalOf([connection]: readonly Connection[], request: Buffer): Promise<number> {
  const answer = await connection?.ask(request);
  const { total } = JSON.parse(answer?.body ?? "{}") as { total?: number };
  if (total === undefined) throw new Error(`a list was answered ${answer?.status}: ${answer?.body.slice(0, 300)}`);
  return total;
}

function count(of: number): string {
  return of.toLocaleString("en-GB");
}

/** Returns the lists of the API and every query that each list offers. */
async function offered(service: Service): Promise<{ operation: string; path: string; questions: Question[] }[]> {
  const known = await knownValues(service);
  return endpoints.flatMap(({ operation, path: template, list }) => {
    const path = known.path(template);
    if (list === undefined || path === undefined) return [];
    const narrowings: Question[] = [
      {},
      ...Object.keys(list.filter).flatMap((key) =>
        known.filter(operation, key).map((value) => ({ filter: { [key]: value } })),
      ),
      ...(list.search === undefined ? [] : known.searches(list.search).map((search) => ({ search }))),
    ];
    const sorts: Question[] = [
      {},
      ...list.sort.flatMap((key) => [{ sort: { [key]: "asc" as const } }, { sort: { [key]: "desc" as const } }]),
    ];
    return [{ operation, path, questions: narrowings.flatMap((one) => sorts.map((sort) => ({ ...one, ...sort }))) }];
  });
}

/** Returns values that occur in the realm. */
async function knownValues({ db, realmId }: Service) {
  const user = only(
    await db.query<{ id: string; pairwiseId: string; serial: string }>(sql`
      select u.id, u.pairwise_id as "pairwiseId", c.serial_number as serial
        from users u
        join certificates c on c.user_id = u.id
       where u.realm_id = ${realmId} and c.revoked_at is null and not c.lapsed
       order by u.id desc
       limit 1
    `),
  );
  const guestAccount = only(
    await db.query<{ id: string }>(sql`select min(id) as id from guest_accounts where realm_id = ${realmId}`),
  );
  const some = await db.query<{ serial: string }>(sql`
    select serial_number as serial from certificates where realm_id = ${realmId} and kind = 'user' order by id limit 500
  `);
  const [few, many] = await db.query<{ date: string }>(sql`
    select (now() + days * interval '1 day')::date::text as date from unnest(array[-2, -200]) as days
  `);
  const [soon, late] = await db.query<{ date: string }>(sql`
    select (now() + days * interval '1 day')::date::text as date from unnest(array[20, 200]) as days
  `);
  const past = [few?.date ?? "", many?.date ?? ""];
  const future = [soon?.date ?? "", late?.date ?? ""];
  const flags = ["true", "false"];
  const values: Readonly<Record<string, readonly string[]>> = {
    blacklisted: flags,
    locked: flags,
    authable: flags,
    invalid: flags,
    active: flags,
    type: ["service"],
    kind: ["onboarding", "offboarding"],
    "listProfiles.state": ["active", "revoked"],
    "listJobs.state": ["completed"],
    dryRun: flags,
    minProfileCount: ["5", "18"],
    maxProfileCount: ["3", "15"],
    deviceType: ["Windows", "ChromeOS"],
    serials: [some.map(({ serial }) => serial).join(",")],
    event: ["profile_create", "user_offboard", "admin_login,user_offboard"],
    user: [user.id],
    about: [`user:${user.id}`],
    createdBy: [user.id],
    client: ["client-4"],
    role: ["administrator", "help_desk"],
    email: [`person${Number(user.id) % 1000}`, "mail.example"],
    text: ["mail.example", user.pairwiseId.slice(4, 12), user.serial.slice(3, 13)],
  };
  const parameters: Readonly<Record<string, string>> = {
    userID: user.id,
    guestAccountID: guestAccount.id,
    guestAccountId: guestAccount.id,
  };
  return {
    /** Returns the path for a template; undefined if a parameter has no known value. */
    path(template: string): string | undefined {
      const path = template.replace(/:(\w+)/g, (whole, name: string) => parameters[name] ?? whole);
      return path.includes(":") ? undefined : path;
    },
    filter(operation: string, key: string): readonly string[] {
      const found = values[`${operation}.${key}`] ?? values[key];
      if (found !== undefined) return found;
      const bound = /^(?:min|max)(Expiration)?/.exec(key);
      if (bound === null) throw new Error(`${operation} has a filter that this scenario has no value for: ${key}`);
      return bound[1] === undefined ? past : future;
    },
    searches: (inside: string): string[] =>
      inside === "pairwiseID"
        ? ["a", user.pairwiseId.slice(3, 6), user.pairwiseId.slice(4, 12), user.pairwiseId]
        : inside === "serial"
          ? ["1", user.serial.slice(3, 5), user.serial.slice(3, 6), user.serial.slice(3, 9), user.serial]
          : ["1", "ence 12"],
  };
}
