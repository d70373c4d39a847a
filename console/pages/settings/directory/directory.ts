import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "../../../api/api-client.ts";

export type Directory = Schemas["Scim"];

const directoryKey = ["scim"] as const;

/** How the realm and its directory stand to each other. */
export const useDirectory = () =>
  useQuery({ queryKey: directoryKey, queryFn: ({ signal }) => dataOf(api.GET("/api/scim", { signal })) });

/** Changes how the realm and its directory meet. */
export function useDirectoryChange() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Partial<Pick<Directory, "pairwise" | "newPeople">>) => dataOf(api.PUT("/api/scim", { body })),
    onSettled: () => queries.invalidateQueries({ queryKey: directoryKey }),
  });
}
