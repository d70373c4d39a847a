import { api, answerOf, type Schemas } from "../../../api/api-client.ts";
import type { ListQuery } from "../../../list/list-state.ts";

/** A row with its person, if known. */
export type PersonRow = Schemas["JobRowOfPerson"] & { person: Schemas["Person"] | undefined };

/** The rows that a job will change and the rows that were left out, unless the user filters. */
const shownAtFirst = "changed,skipped";

/** Loads rows of a job with their people. */
export async function loadRows(
  id: string,
  { limit, offset, search, filter, sort, include }: ListQuery & { include?: "people" },
  signal: AbortSignal,
): Promise<{ data: PersonRow[]; total: number }> {
  const { data, total, people } = await answerOf(
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
  return { data: data.map((row) => ({ ...row, person: people?.[row.user ?? ""] })), total: total ?? 0 };
}
