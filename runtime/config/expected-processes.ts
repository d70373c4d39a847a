import type { ProcessKind } from "../../domain/process.ts";
import type { Config } from "./config.ts";
import type { Variable } from "./variables.ts";

/** The settings for how many processes of each kind run normally. */
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
