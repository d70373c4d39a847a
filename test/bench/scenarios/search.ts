import { only } from "../../../db/client.ts";
import { sql } from "../../../db/sql.ts";
import { cpuBetween, cpuTotal } from "../cpu.ts";
import { figureOf, type Figure } from "../figures.ts";
import { openConnection, type Connection } from "../load/connection.ts";
import { largeRealm, seedRealm, smallerRealm } from "../seed.ts";
import type { Service } from "../service.ts";
import { figure, percentile } from "../statistics.ts";
import type { Scenario } from "./scenario.ts";

const requests = 200;
const concurrency = 2;
const goalMs = 50;

interface Term {
  /** `serial number, its end` */
  what: string;
  /** The search texts. Each request uses a different text, so no result comes from the previous request's cache. */
  texts: readonly string[];
  /** The group that must contain results; undefined if no results are expected. */
  group: "user" | "profile" | undefined;
}

/** Measures every kind of term, whole and in part, as a person would paste or type it. */
export const search: Scenario = {
  title: "Search in a large realm",
  about: `\`POST /api/search\` among ${largeRealm.users.toLocaleString("en-GB")} people and ${largeRealm.profiles.toLocaleString("en-GB")} profiles, with a token that sees every group: ${requests} terms of each kind, at concurrency ${concurrency}. A row with a path is the slowest of nine kinds in that list's filter \`text\`: 25 rows and the total.`,
  columns: ["term", "p50 ms", "p95 ms", "CPU µs each", "partial", "goal"],
  keptOnly: { columns: ["p50 ms", "CPU µs each", "partial"] },
  backends: ["postgres"],
  env: () => ({}),

  async run({ service, quick, cleanup }) {
    await seedRealm(service.db, service.realmId, quick ? smallerRealm : largeRealm);
    await namePeople(service);
    const rows: string[][] = [];
    const figures: Figure[] = [];
    const terms = await termsOf(service);
    // Opens the connections last: the service closes connections that stay silent.
    const connections = await Promise.all(Array.from({ length: concurrency }, () => openConnection(service.port)));
    cleanup.add(async () => {
      for (const connection of connections) connection.close();
      return Promise.resolve();
    });
    // Requests each term once over each connection, so no measured request is the first.
    for (const term of terms) await ask(connections, service, { ...term, texts: term.texts.slice(0, concurrency) });
    for (const term of terms) {
      const before = service.cpu();
      const { latencies, partial } = await ask(connections, service, term);
      const cpuUs = cpuTotal(cpuBetween(before, service.cpu()));
      figures.push(
        figureOf(term.what, "p50 ms", [latencies], (all) => percentile(all, 0.5)),
        figureOf(term.what, "p95 ms", [latencies], (all) => percentile(all, 0.95)),
        figureOf(term.what, "CPU µs each", [cpuUs], (us) => us / latencies.length),
      );
      rows.push([
        term.what,
        figure(percentile(latencies, 0.5)),
        figure(percentile(latencies, 0.95)),
        figure(cpuUs / latencies.length),
        String(partial),
        `p95 < ${goalMs} ms`,
      ]);
    }
    for (const place of lists) {
      let slowest = { what: "", p50: 0, p95: 0 };
      for (const term of terms.filter(({ what }) => listed.includes(what))) {
        const what = `${place}: ${term.what}`;
        const request = listRequest(service, place);
        await ask(
          connections,
          service,
          { ...term, what, group: undefined, texts: term.texts.slice(0, concurrency) },
          request,
        );
        const { latencies } = await ask(connections, service, { ...term, what, group: undefined }, request);
        figures.push(
          figureOf(what, "p50 ms", [latencies], (all) => percentile(all, 0.5)),
          figureOf(what, "p95 ms", [latencies], (all) => percentile(all, 0.95)),
        );
        const p95 = percentile(latencies, 0.95);
        if (p95 > slowest.p95) slowest = { what, p50: percentile(latencies, 0.5), p95 };
      }
      rows.push([slowest.what, figure(slowest.p50), figure(slowest.p95), "", "", `p95 < ${goalMs} ms`]);
    }
    return { rows, figures };
  },
};

/** The lists whose filter `text` the scenario measures, with terms that people type into it. */
const lists = ["/api/user", "/api/profiles", "/api/guest-accounts", "/api/jobs", "/api/audit"] as const;
const listed: readonly string[] = [
  "ID",
  "address, before the @",
  "name",
  "serial number",
  "serial number, revoked",
  "serial number, hexadecimal",
  "serial number, 8 digits of its end",
  "device name",
  "what nobody has",
];

const listRequest =
  ({ port, token }: Service, path: (typeof lists)[number]): RequestFor =>
  (text) => {
    const state = path === "/api/profiles" ? { state: "all" } : {};
    const body = JSON.stringify({ limit: 25, filter: { ...state, text } });
    return Buffer.from(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  };

/** Gives every user a name with some frequent words, and every profile a typical name. */
async function namePeople({ db, realmId }: Service): Promise<void> {
  await db.query(sql`
    update users
       set display_name = (array['Anna', 'Bernd', 'Clara', 'Jörg', 'Ümit', 'Emil', 'Greta', 'Noa'])[1 + id % 8] || ' '
                          || initcap(translate(substr(md5(id::text), 1, 9), '0123456789', 'aeiouälnrs'))
     where realm_id = ${realmId}
  `);
  await db.query(sql`vacuum (analyze) users`);
}

async function ask(
  connections: readonly Connection[],
  service: Service,
  { what, texts, group }: Term,
  requestFor: RequestFor = searchRequest(service),
): Promise<{ latencies: number[]; partial: number }> {
  const latencies: number[] = [];
  let partial = 0;
  let next = 0;
  await Promise.all(
    connections.map(async (connection) => {
      for (let index = next++; index < texts.length; index = next++) {
        const request = requestFor(texts[index] ?? "");
        const askedAt = performance.now();
        const answer = await connection.ask(request);
        latencies.push(performance.now() - askedAt);
        if (answer.status !== 200)
          throw new Error(`${what} was answered ${answer.status}: ${answer.body.slice(0, 300)}`);
        const { data } = JSON.parse(answer.body) as Answer | { data: readonly unknown[] };
        if (!("groups" in data)) continue;
        if (data.partial.length > 0) partial++;
        const found = data.groups.some(({ kind, items }) => kind === group && items.length > 0);
        if (group !== undefined && !found && data.partial.length === 0) throw new Error(`${what} found nothing`);
      }
    }),
  );
  latencies.sort((a, b) => a - b);
  return { latencies, partial };
}

type RequestFor = (text: string) => Buffer;

const searchRequest =
  ({ port, token }: Service): RequestFor =>
  (text) => {
    const body = JSON.stringify({ q: text });
    return Buffer.from(
      `POST /api/search HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  };

interface Answer {
  data: { groups: { kind: string; items: unknown[] }[]; partial: string[] };
}

/** Returns terms that occur in the realm. */
async function termsOf({ db, realmId }: Service): Promise<Term[]> {
  const people = await db.query<{ pairwiseId: string; email: string; name: string }>(sql`
    select pairwise_id as "pairwiseId", email, display_name as name
      from users
     where realm_id = ${realmId} and display_name is not null
     order by md5(id::text)
     limit ${requests}
  `);
  const profilesOf = (state: "active" | "revoked") =>
    db.query<{ serial: string; identity: string; name: string }>(sql`
      select serial_number as serial, identity, name
        from certificates
       where realm_id = ${realmId} and kind = 'user' and not lapsed and (revoked_at is null) = ${state === "active"}
       order by md5(id::text)
       limit ${requests}
    `);
  const active = await profilesOf("active");
  const revoked = await profilesOf("revoked");
  const { domain } = only(
    await db.query<{ domain: string }>(sql`
      select min(substr(email, strpos(email, '@') + 1)) as domain from users where realm_id = ${realmId} and email like '%@%'
    `),
  );
  const same = (text: string): string[] => Array.from({ length: requests }, () => text);
  const hexadecimal = (serial: string): string => BigInt(serial).toString(16);
  return [
    { what: "ID", group: "user", texts: people.map(({ pairwiseId }) => pairwiseId) },
    { what: "ID, 8 characters", group: "user", texts: people.map(({ pairwiseId }) => pairwiseId.slice(6, 14)) },
    { what: "ID, 3 characters", group: "user", texts: people.map(({ pairwiseId }) => pairwiseId.slice(6, 9)) },
    { what: "address", group: "user", texts: people.map(({ email }) => email) },
    { what: "address, before the @", group: "user", texts: people.map(({ email }) => email.split("@")[0] ?? "") },
    { what: "address, the domain that all have", group: "user", texts: same(domain) },
    { what: "name", group: "user", texts: people.map(({ name }) => name) },
    { what: "name, the surname", group: "user", texts: people.map(({ name }) => name.split(" ")[1] ?? "") },
    { what: "name, a first name of every eighth", group: "user", texts: same("Anna") },
    { what: "name, 2 characters", group: undefined, texts: people.map(({ name }) => name.slice(-2)) },
    { what: "serial number", group: "profile", texts: active.map(({ serial }) => serial) },
    { what: "serial number, revoked", group: "profile", texts: revoked.map(({ serial }) => serial) },
    { what: "serial number, hexadecimal", group: "profile", texts: revoked.map(({ serial }) => hexadecimal(serial)) },
    {
      what: "serial number, 8 digits of its beginning",
      group: "profile",
      texts: revoked.map(({ serial }) => serial.slice(0, 8)),
    },
    {
      what: "serial number, 4 digits of its end",
      group: "profile",
      texts: revoked.map(({ serial }) => serial.slice(-4)),
    },
    {
      what: "serial number, 8 digits of its end",
      group: "profile",
      texts: revoked.map(({ serial }) => serial.slice(-8)),
    },
    {
      what: "serial number, 6 digits inside",
      group: "profile",
      texts: active.map(({ serial }) => serial.slice(10, 16)),
    },
    { what: "identity", group: "profile", texts: revoked.map(({ identity }) => identity) },
    { what: "identity, 8 characters", group: "profile", texts: revoked.map(({ identity }) => identity.slice(0, 8)) },
    { what: "device name", group: "profile", texts: active.map(({ name }) => name) },
    { what: "device name, a word that all have", group: "profile", texts: same("device") },
    { what: "what nobody has", group: undefined, texts: same("qqqqqqqq wwwwwwww") },
  ];
}
