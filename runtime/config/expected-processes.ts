import type { ProcessKind } from "../../domain/process.ts";
import type { Config } from "./config.ts";
import type { Variable } from "./variables.ts";

/** The setting that says how many processes of a kind run when all is well. */
export const expectedVariables = {
  api: "REALMPASS_EXPECTED_APIS",
  worker: "REALMPASS_EXPECTED_WORKERS",
  responder: "REALMPASS_EXPECTED_RESPONDERS",
} as const satisfies Record<ProcessKind, Variable>;

/** How many processes of each kind should be alive in the whole installation. */
export type ExpectedProcesses = Readonly<Record<ProcessKind, number>>;

export const expectedProcesses = (config: Config<(typeof expectedVariables)[ProcessKind]>): ExpectedProcesses => ({
  api: config.REALMPASS_EXPECTED_APIS,
  worker: config.REALMPASS_EXPECTED_WORKERS,
  responder: config.REALMPASS_EXPECTED_RESPONDERS,
});
