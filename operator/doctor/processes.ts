import type { Db } from "../../db/client.ts";
import * as processes from "../../db/queries/upkeep/processes.ts";
import type { ProcessKind } from "../../domain/process.ts";
import { fails, passes, warns, type Check } from "./check.ts";

/** What goes wrong without any process of a kind. */
const without: Readonly<Record<ProcessKind, string>> = {
  worker: "nothing is issued; revocations count and OCSP says so, but no CRL is renewed",
  responder: "OCSP is not answered, and RADIUS servers that are strict admit no device",
  api: "no request is answered",
};

/** Whether there is a process of each kind, and what those that there are know to be wrong with themselves. */
export async function checkProcesses(db: Db): Promise<Check[]> {
  const states = await processes.listStates(db);
  const alive = (kind: ProcessKind): number => states.filter((state) => state.alive && state.kind === kind).length;
  const kinds = Object.keys(without) as ProcessKind[];
  const missing = kinds.filter((kind) => alive(kind) === 0);
  const each = states.flatMap((state) => {
    const name = `process ${state.kind} ${state.host}`;
    if (!state.alive) {
      const message = `pid ${state.pid} was not seen for ${state.silentSeconds} s and did not stop cleanly`;
      return [warns(name, message, "Look into its log; what it left is forgotten an hour after it was last seen.")];
    }
    return state.problems.map(({ code, detail, since }) =>
      warns(name, `${code} since ${since}: ${detail}`, "docs/operations.md says what each of these means."),
    );
  });
  return [
    missing.length === 0
      ? passes("processes", `alive: ${kinds.map((kind) => `${kind} ${alive(kind)}`).join(", ")}`)
      : fails(
          "processes",
          missing.map((kind) => `no ${kind}: ${without[kind]}`).join("; "),
          `Start what is missing: \`npm start\`, or ${missing.map((kind) => `\`npm run ${kind}\``).join(" and ")}.`,
        ),
    ...each,
  ];
}
