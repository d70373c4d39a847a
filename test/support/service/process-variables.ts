import { apiVariables } from "../../../api/config.ts";
import type { ProcessKind } from "../../../domain/process.ts";
import { serverVariables } from "../../../process/config.ts";
import { responderVariables } from "../../../responder/config.ts";
import type { Variable } from "../../../runtime/config/variables.ts";
import { workerVariables } from "../../../worker/config.ts";

/** Every variable that a server process reads, by its own configuration. */
export const serverProcessVariables: Readonly<Record<ProcessKind, readonly Variable[]>> = {
  api: [...serverVariables, ...apiVariables],
  worker: [...serverVariables, ...workerVariables],
  responder: [...serverVariables, ...responderVariables],
};
