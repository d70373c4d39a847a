import { api, answerOf, type Schemas } from "../../../api/api-client.ts";
import type { ListQuery } from "../../../list/list-state.ts";

/** A row with its person, if the user may see that person. */
export type PersonRow = Schemas["JobRowOfPerson"] & {
  person: Schemas["Person"] | undefined;
  /** The profile that a revocation row concerns. */
  device: Schemas["Device"] | undefined;
};

/** Rows that the job will change and rows that the user left out; shown unless the user filters. */
const shownAtFirst = "changed,skipped";

/**
 * Loads a job's rows and the people in them. Without a filter, loads rows that the job will change and rows that the
 * user left out.
 */
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
