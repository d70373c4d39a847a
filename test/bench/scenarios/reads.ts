import { loadFigures } from "../figures.ts";
import { measure, type Measured } from "../load/index.ts";
import { addUsers } from "../service.ts";
import { figure, median, withRange } from "../statistics.ts";
import { backendNames, type Scenario } from "./scenario.ts";

const requests = new Map([
  [1, 2_000],
  [32, 10_000],
]);
const rounds = 3;

/** What a request costs before it does anything: HTTP, the token, one row. */
export const reads: Scenario = {
  title: "One user",
  about: `\`GET /api/user/{id}\` with a service token. Medians of ${rounds} rounds after a warm-up.`,
  columns: ["queue", "concurrency", "requests/s", "p50 ms", "p95 ms", "p99 ms", "CPU µs each", "api / Postgres µs"],
  env: () => ({}),

  async run({ service, quick, once, cleanup }) {
    const users = await addUsers(service, 500);
    const paths = users.map((id) => `/api/user/${id}`);
    const read = (concurrency: number, count: number): Promise<Measured> =>
      measure(
        service,
        { method: "GET", paths, contains: '"userID":"', count: quick ? count / 10 : count, concurrency },
        cleanup,
      );
    await read(32, 10_000);
    const measured = new Map<number, Measured[]>([...requests.keys()].map((concurrency) => [concurrency, []]));
    for (let round = 0; round < (once ? 1 : rounds); round++) {
      for (const [concurrency, count] of requests) measured.get(concurrency)?.push(await read(concurrency, count));
    }
    return {
      rows: [...measured].map(([concurrency, results]) => {
        const of = (pick: (result: Measured) => number): string => figure(median(results.map(pick)));
        return [
          backendNames[service.backend],
          String(concurrency),
          withRange(results.map(({ perSecond }) => perSecond)),
          of(({ p50 }) => p50),
          of(({ p95 }) => p95),
          of(({ p99 }) => p99),
          of(({ cpuUs }) => cpuUs),
          `${of((r) => r.cpuUsByPart.api)} / ${of((r) => r.cpuUsByPart.Postgres)}`,
        ];
      }),
      figures: [...measured].flatMap(([concurrency, results]) => loadFigures(`concurrency ${concurrency}`, results)),
    };
  },
};
