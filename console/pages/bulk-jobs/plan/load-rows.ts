import { api, answerOf, type Schemas } from "../../../api/api-client.ts";
import type { ListQuery } from "../../../list/list-state.ts";

/** A row with its person, if known. */
export type PersonRow = Schemas["JobRowOfPerson"] & {
  person: Schemas["Person"] | undefined;
  /** The profile that a revocation is about. */
  device: Schemas["Device"] | undefined;
};

/** The rows that a job will change and the rows that were left out, unless the user filters. */
const shownAtFirst = "changed,skipped";

/** Loads rows of a job with their people. */
export async function loadRows(
  id: string,
  { limit, offset, search, filter, sort, include }: ListQuery & { include?: string },
  signal: AbortSignal,
): Promise<{ data: PersonRow[]; total: number }> {
  const { data, total, people, devices } = await answerOf(
    api.GET("/api/jobs/{id}/rows", {
      params: {
        path: { id },
        query: {
          limit,
          offset,
          ...(include && { include }),
          filter: { status: filter?.["status"] ?? shownAtFirst },
          ...(search !== undefined && { search }),
          ...(sort && { sort }),
        },
      },
      signal,
    }),
  );
  return {
    data: data.map((row) => ({ ...row, person: people?.[row.user ?? ""], device: devices?.[row.serial ?? ""] })),
    total: total ?? 0,
  };
}
