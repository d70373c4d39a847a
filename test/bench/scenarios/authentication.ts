import { fork } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import * as accessTokens from "../../../db/queries/oauth/access-tokens.ts";
import { allScopes } from "../../../domain/scopes.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { ended } from "../../support/run/services.ts";
import type { Cleanup } from "../cleanup.ts";
import { readCpu, parts, type CpuByPart } from "../cpu.ts";
import { loadFigures } from "../figures.ts";
import { measure, type Measured } from "../load/index.ts";
import type { LoadOrder } from "../load/order.ts";
import { addUsers, type Service } from "../service.ts";
import { figure, median, withRange } from "../statistics.ts";
import { backendNames, type Scenario } from "./scenario.ts";

type Target = Pick<Service, "port" | "token" | "cpu">;
type Request = Pick<LoadOrder, "method" | "paths" | "contains"> & Partial<Pick<LoadOrder, "form">>;

const requests = 10_000;
const concurrency = 32;
const rounds = 3;
const profiles = 3;

/** What knowing who asks costs, beside a server that does not ask. */
export const authentication: Scenario = {
  title: "Authentication",
  about:
    `Client credentials (\`POST /oauth/token\`: the secret is compared, a JWT is signed, its hash is stored) and \`GET /api/profile\` with a user's token (one query for the token, its session, user and client; one for ${profiles} profiles), ` +
    `beside Express with one prepared query for the same profiles and nothing else, in turn, at concurrency ${concurrency}. Medians of ${rounds} rounds after a warm-up.`,
  columns: ["queue", "request", "requests/s", "p50 ms", "p99 ms", "CPU µs each", "× bare", "api / Postgres µs"],
  env: () => ({}),

  async run({ service, quick, once, cleanup }) {
    const userId = await givenUserWithProfiles(service);
    const bare = await startBare(service, userId, cleanup);
    const kinds: { name: string; target: Target; request: Request }[] = [
      {
        name: "bare Express, one query",
        target: bare,
        request: { method: "GET", paths: ["/"], contains: '"serial":"' },
      },
      {
        name: "client credentials",
        target: service,
        request: {
          method: "POST",
          paths: ["/oauth/token"],
          form: { grant_type: "client_credentials", ...service.client },
          contains: '"access_token":"',
        },
      },
      {
        name: "`GET /api/profile`",
        target: { ...service, token: await givenToken(service, userId) },
        request: { method: "GET", paths: ["/api/profile"], contains: '"serial":"' },
      },
    ];
    const ask = ({ target, request }: (typeof kinds)[number]): Promise<Measured> =>
      measure(target, { ...request, count: quick ? requests / 10 : requests, concurrency }, cleanup);

    for (const kind of kinds) await ask(kind);
    const measured = new Map<string, Measured[]>(kinds.map(({ name }) => [name, []]));
    for (let round = 0; round < (once ? 1 : rounds); round++) {
      for (const kind of kinds) measured.get(kind.name)?.push(await ask(kind));
    }

    const cpuOf = (name: string): number => median((measured.get(name) ?? []).map(({ cpuUs }) => cpuUs));
    const floor = cpuOf("bare Express, one query");
    return {
      rows: [...measured].map(([name, results]) => {
        const of = (pick: (result: Measured) => number): string => figure(median(results.map(pick)));
        return [
          backendNames[service.backend],
          name,
          withRange(results.map(({ perSecond }) => perSecond)),
          of(({ p50 }) => p50),
          of(({ p99 }) => p99),
          of(({ cpuUs }) => cpuUs),
          figure(cpuOf(name) / floor),
          `${of((r) => r.cpuUsByPart.api + r.cpuUsByPart.start)} / ${of((r) => r.cpuUsByPart.Postgres)}`,
        ];
      }),
      figures: [...measured].flatMap(([name, results]) => loadFigures(name, results)),
    };
  },
};

async function givenUserWithProfiles(service: Service): Promise<string> {
  const [userId = ""] = await addUsers(service, 1);
  for (let made = 0; made < profiles; made++) {
    const answer = await fetch(`http://127.0.0.1:${service.port}/api/user/${userId}/profiles/laptop`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
      body: JSON.stringify({ format: "pem", deviceType: "Linux" }),
    });
    if (answer.status !== 200) throw new Error(`no profile: ${answer.status}`);
  }
  return userId;
}

/** A user's token as the authorization server stores it. */
async function givenToken({ db, realmId }: Service, userId: string): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  const at = systemClock.now();
  await accessTokens.create(db, {
    tokenHash: createHash("sha256").update(token).digest(),
    realmId,
    clientId: null,
    userId,
    guestAccountId: null,
    secretHash: null,
    sessionId: null,
    certificateId: null,
    scopes: allScopes,
    at,
    expiresAt: new Date(at.getTime() + 3_600_000),
  });
  return token;
}

/** The bare server on the service's own Postgres, in a process of its own whose CPU time counts as `start`. */
async function startBare(service: Service, userId: string, cleanup: Cleanup): Promise<Target> {
  const child = fork(fileURLToPath(new URL("../bare.ts", import.meta.url)), [service.realmId, userId], {
    env: { ...process.env, BENCH_DATABASE_URL: service.databaseUrl },
    execArgv: ["--import", "tsx"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  cleanup.add(() => ended(child));
  const port = await new Promise<number>((resolve, reject) => {
    child.once("message", (message) => {
      resolve(Number(message));
    });
    child.once("exit", (code) => {
      reject(new Error(`the bare server ended with exit code ${code}`));
    });
  });
  return {
    port,
    token: "none",
    cpu() {
      const [ofService, ofBare] = [service.cpu(), readCpu([child.pid ?? 0])];
      return Object.fromEntries(parts.map((part) => [part, ofService[part] + ofBare[part]])) as CpuByPart;
    },
  };
}
