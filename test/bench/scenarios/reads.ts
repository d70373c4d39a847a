import { loadCells, loadColumns } from "../columns.ts";
import { loadFigures } from "../figures.ts";
import { measure, untilQuiet, type Measured } from "../load/index.ts";
import { addUsers } from "../service.ts";
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
  columns: ["queue", "concurrency", ...loadColumns()],
  env: () => ({}),

  async run({ service, quick, once, cleanup }) {
    const users = await addUsers(service, 500);
    const paths = users.map((id) => `/api/user/${id}`);
    const read = async (concurrency: number, count: number): Promise<Measured> => {
      const order = {
        method: "GET",
        paths,
        contains: '"userID":"',
        count: quick ? count / 10 : count,
        concurrency,
      } as const;
      return (await untilQuiet({ quick }, () => measure(service, order, cleanup)))[0];
    };
    await read(32, 10_000);
    const measured = new Map<number, Measured[]>([...requests.keys()].map((concurrency) => [concurrency, []]));
    for (let round = 0; round < (once ? 1 : rounds); round++) {
      for (const [concurrency, count] of requests) measured.get(concurrency)?.push(await read(concurrency, count));
    }
    return {
      rows: [...measured].map(([concurrency, results]) => [
        backendNames[service.backend],
        String(concurrency),
        ...loadCells(results),
      ]),
      figures: [...measured].flatMap(([concurrency, results]) => loadFigures(`concurrency ${concurrency}`, results)),
    };
  },
};
