import { queryOptions } from "@tanstack/react-query";
import { foldId } from "../../../domain/people/pairwise-id.ts";
import { api, listOf } from "../../api/api-client.ts";

const lookedAt = 25;

/** The person behind an e-mail address, a pseudonymous ID or a user ID. */
export type ActingPerson = { userID: string } | "unknown" | "ambiguous";

export const actingPersonQuery = (written: string) =>
  queryOptions({
    queryKey: ["acting-person", written],
    queryFn: ({ signal }) => findActingPerson(written, signal),
    staleTime: 60_000,
  });

async function findActingPerson(written: string, signal: AbortSignal): Promise<ActingPerson> {
  if (/^[1-9]\d{0,18}$/.test(written)) return { userID: written };
  const wanted = written.includes("@") ? { filter: { email: written } } : { search: written };
  const { data, total } = await listOf(
    api.GET("/api/user", { params: { query: { limit: lookedAt, ...wanted } }, signal }),
  );
  const [first] = data;
  if (first === undefined) return "unknown";
  if (total === 1) return { userID: first.userID };
  const spelled = data.filter(({ email, pairwiseID }) =>
    [email, pairwiseID].some((name) => foldId(name) === foldId(written)),
  );
  const exact = spelled.filter(({ pairwiseID }) => pairwiseID === written);
  const [found, ...others] = exact.length > 0 ? exact : spelled;
  return found !== undefined && others.length === 0 ? { userID: found.userID } : "ambiguous";
}
