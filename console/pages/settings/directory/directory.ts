import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "../../../api/api-client.ts";

export type Directory = Schemas["Scim"];

const directoryKey = ["scim"] as const;

/** Loads the settings and state of the realm's directory. */
export const useDirectory = () =>
  useQuery({ queryKey: directoryKey, queryFn: ({ signal }) => dataOf(api.GET("/api/scim", { signal })) });

/** Returns a mutation that changes how the realm matches and admits the directory's people. */
export function useDirectoryChange() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Partial<Pick<Directory, "pairwise" | "newPeople">>) => dataOf(api.PUT("/api/scim", { body })),
    onSettled: () => queries.invalidateQueries({ queryKey: directoryKey }),
  });
}
