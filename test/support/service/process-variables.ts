import { apiVariables } from "../../../api/config.ts";
import type { ProcessKind } from "../../../domain/process.ts";
import { serverVariables } from "../../../process/config.ts";
import { responderVariables } from "../../../responder/config.ts";
import type { Variable } from "../../../runtime/config/variables.ts";
import { workerVariables } from "../../../worker/config.ts";

/** The environment variables that each kind of server process reads, taken from its own configuration. */
export const serverProcessVariables: Readonly<Record<ProcessKind, readonly Variable[]>> = {
  api: [...serverVariables, ...apiVariables],
  worker: [...serverVariables, ...workerVariables],
  responder: [...serverVariables, ...responderVariables],
};
