import { api, answerOf, type Schemas } from "../../../api/api-client.ts";
import type { ListQuery } from "../../../list/list-state.ts";

/** A row with who it is about, where that is known. */
export type PersonRow = Schemas["JobRowOfPerson"] & { person: Schemas["Person"] | undefined };

/** Those whom a job will change and those who were left out, unless others are asked for. */
const shownAtFirst = "changed,skipped";

/** The rows of a job with their people. */
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
