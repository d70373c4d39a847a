import { createHash, randomBytes } from "node:crypto";
import * as accessTokens from "../../../db/queries/oauth/access-tokens.ts";
import { allScopes } from "../../../domain/people/scopes.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { loadCells, loadColumns } from "../columns.ts";
import { loadFigures } from "../figures.ts";
import { startBare, type Target } from "../load/bare-server.ts";
import { measure, untilQuiet, type Measured } from "../load/index.ts";
import type { LoadOrder } from "../load/order.ts";
import { addUsers, type Service } from "../service.ts";
import { median } from "../statistics.ts";
import { backendNames, type Scenario } from "./scenario.ts";

type Request = Pick<LoadOrder, "method" | "paths" | "contains"> & Partial<Pick<LoadOrder, "form" | "tokens">>;

interface Kind {
  name: string;
  target: Target;
  request: Request;
  goal: string;
}

const requests = 10_000;
const concurrency = 32;
const rounds = 3;
const profiles = 3;
const bareName = "bare Express, one query";

/** Measures the cost of authenticating the caller, compared with a server without authentication. */
export const authentication: Scenario = {
  title: "Authentication",
  about: `Client credentials (\`POST /oauth/token\`) and \`GET /api/profile\`, with one user token and with ${concurrency} tokens of users with ${profiles} profiles each, beside bare Express with one prepared query, in turn, at concurrency ${concurrency}, ${rounds} rounds.`,
  columns: ["queue", "request", ...loadColumns({ times: "bare" }), "goal"],
  keptOnly: { columns: ["p50 ms", "p95 ms", "p99 ms", "CPU µs each"], backend: "postgres" },
  env: () => ({}),

  async run({ service, quick, once, cleanup }) {
    const people = await givenUsersWithProfiles(service, concurrency);
    const [person = { userId: "", token: "" }] = people;
    const bare = await startBare(service, person.userId, cleanup);
    const kinds: Kind[] = [
      {
        name: bareName,
        target: bare,
        request: { method: "GET", paths: ["/"], contains: '"serial":"' },
        goal: "",
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
        goal: "",
      },
      {
        name: "`GET /api/profile`, one token",
        target: { ...service, token: person.token },
        request: { method: "GET", paths: ["/api/profile"], contains: '"serial":"' },
        goal: "≤ 1.5 × bare",
      },
      {
        name: `\`GET /api/profile\`, ${people.length} tokens`,
        target: service,
        request: {
          method: "GET",
          paths: ["/api/profile"],
          tokens: people.map(({ token }) => token),
          contains: '"serial":"',
        },
        goal: "≤ 1.8 × bare",
      },
    ];
    const ask = async ({ target, request }: Kind): Promise<Measured> => {
      const order = { ...request, count: quick ? requests / 10 : requests, concurrency };
      return (await untilQuiet({ quick }, () => measure(target, order, cleanup)))[0];
    };

    for (const kind of kinds) await ask(kind);
    const measured = new Map<Kind, Measured[]>(kinds.map((kind) => [kind, []]));
    for (let round = 0; round < (once ? 1 : rounds); round++) {
      for (const kind of kinds) measured.get(kind)?.push(await ask(kind));
    }

    const bareUs = median(
      [...measured].flatMap(([{ name }, results]) => (name === bareName ? results.map(({ cpuUs }) => cpuUs) : [])),
    );
    return {
      rows: [...measured].map(([{ name, goal }, results]) => [
        backendNames[service.backend],
        name,
        ...loadCells(results, bareUs),
        goal,
      ]),
      figures: [...measured].flatMap(([{ name }, results]) => loadFigures(name, results)),
    };
  },
};

interface Person {
  userId: string;
  token: string;
}

/** Makes users with three profiles each, and a token for each of them. */
export async function givenUsersWithProfiles(service: Service, count: number): Promise<Person[]> {
  const people: Person[] = [];
  for (const userId of await addUsers(service, count)) {
    for (let made = 0; made < profiles; made++) await createProfile(service, userId);
    people.push({ userId, token: await givenToken(service, userId) });
  }
  return people;
}

async function createProfile({ port, token }: Service, userId: string): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/user/${userId}/profiles/laptop`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ format: "pem", deviceType: "Linux" }),
  });
  if (answer.status !== 200) throw new Error(`no profile: ${answer.status}`);
}

/** Makes a user's token as the authorization server stores it. */
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
