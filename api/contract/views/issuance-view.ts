import { z } from "zod";
import { issuanceStates } from "../../../domain/certificate/issuance-state.ts";
import type { IssuanceResult } from "../../../db/queries/issuance/issuances.ts";
import { errorCatalogue, isErrorCode } from "../../../domain/errors.ts";
import { Timestamp } from "./timestamp.ts";

/** Returns the schema of an issuance; `profile` is what the creating request would have returned. */
export const issuanceViewOf = <Profile extends z.ZodType>(profile: Profile) =>
  z.object({
    id: z.uuid(),
    state: z.enum(issuanceStates),
    createdAt: Timestamp,
    finishedAt: Timestamp.nullable(),
    error: z.object({ error: z.string(), error_description: z.string() }).nullable(),
    profile: profile.nullable(),
  });

type Shown = Pick<IssuanceResult, "id" | "state" | "createdAt" | "finishedAt" | "errorCode" | "errorDetail">;

/** Returns an issuance on the wire; `profile` is null if there is none to show. */
export const issuanceView = <Profile>(
  { id, state, createdAt, finishedAt, errorCode, errorDetail }: Shown,
  profile: Profile | null,
) => ({
  id,
  state,
  createdAt: createdAt.toISOString(),
  finishedAt: finishedAt?.toISOString() ?? null,
  error: errorCode === null ? null : errorView(errorCode, errorDetail),
  profile,
});

/** Describes a stored error code, by the stored detail if there is one. */
function errorView(stored: string, detail: string | null): { error: string; error_description: string } {
  const error = isErrorCode(stored) ? stored : "issuance_failed";
  return { error, error_description: detail ?? errorCatalogue[error].message };
}
