import { loadCells, loadColumns } from "../columns.ts";
import { loadFigures } from "../figures.ts";
import { startBare, type Target } from "../load/bare-server.ts";
import { measure, untilQuiet, type Measured } from "../load/index.ts";
import type { LoadOrder } from "../load/order.ts";
import { addUsers } from "../service.ts";
import { median } from "../statistics.ts";
import { givenUsersWithProfiles } from "./authentication.ts";
import { backendNames, type Scenario } from "./scenario.ts";

const requests = new Map([
  [1, 2_000],
  [32, 10_000],
]);
const rounds = 3;

interface Kind {
  name: string;
  target: Target;
  request: Pick<LoadOrder, "method" | "paths" | "contains">;
}

/** Measures the least cost of a request: HTTP, the token, one row. */
export const reads: Scenario = {
  title: "One user",
  about: `\`GET /api/user/{id}\` with a service token, beside bare Express with one prepared query for three profiles, in turn, ${rounds} rounds.`,
  columns: ["queue", "request", "concurrency", ...loadColumns({ times: "bare" })],
  keptOnly: { columns: ["p50 ms", "p95 ms", "p99 ms", "CPU µs each"], backend: "postgres" },
  env: () => ({}),

  async run({ service, quick, once, cleanup }) {
    const users = await addUsers(service, 500);
    const [person = { userId: "" }] = await givenUsersWithProfiles(service, 1);
    const bare: Kind = {
      name: "bare Express, one query",
      target: await startBare(service, person.userId, cleanup),
      request: { method: "GET", paths: ["/"], contains: '"serial":"' },
    };
    const read: Kind = {
      name: "`GET /api/user/{id}`",
      target: service,
      request: { method: "GET", paths: users.map((id) => `/api/user/${id}`), contains: '"userID":"' },
    };
    const ask = async ({ target, request }: Kind, concurrency: number, count: number): Promise<Measured> => {
      const order = { ...request, count: quick ? count / 10 : count, concurrency };
      return (await untilQuiet({ quick }, () => measure(target, order, cleanup)))[0];
    };

    for (const kind of [bare, read]) await ask(kind, 32, 10_000);
    const measured = [...requests].flatMap(([concurrency, count]) =>
      [bare, read].map((kind) => ({ kind, concurrency, count, results: [] as Measured[] })),
    );
    for (let round = 0; round < (once ? 1 : rounds); round++) {
      for (const { kind, concurrency, count, results } of measured) results.push(await ask(kind, concurrency, count));
    }
    const bareUs = (at: number): number =>
      median(
        measured.flatMap(({ kind, concurrency, results }) =>
          kind === bare && concurrency === at ? results.map(({ cpuUs }) => cpuUs) : [],
        ),
      );
    return {
      rows: measured.map(({ kind, concurrency, results }) => [
        backendNames[service.backend],
        kind.name,
        String(concurrency),
        ...loadCells(results, bareUs(concurrency)),
      ]),
      figures: measured
        .filter(({ kind }) => kind === read)
        .flatMap(({ concurrency, results }) => loadFigures(`concurrency ${concurrency}`, results)),
    };
  },
};
