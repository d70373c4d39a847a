import { useQueryClient } from "@tanstack/react-query";
import { api, dataOf, idempotent } from "../../api/api-client.ts";
import { changeIfSame, readWithTag, sameIn } from "../../api/read-with-tag.ts";
import { applicationKey, applicationsKey, type Application } from "./applications.ts";

export const changeable = [
  "active",
  "name",
  "clientURI",
  "redirectURI",
  "redirectURIs",
  "scopes",
  "useClientSecret",
  "requirePKCE",
  "fullTokenAnswers",
] as const satisfies readonly (keyof Application)[];
type Changeable = (typeof changeable)[number];

/**
 * Returns functions that change or delete an application and then refresh the list of applications. A change also
 * refreshes the application's page.
 */
export function useApplicationChanges(clientId: string): {
  /**
   * Changes an application if the named fields have the same values as in `seen`; otherwise returns the application's
   * current state.
   */
  change: (
    change: Partial<Pick<Application, Changeable>>,
    of: { seen: Application; names: readonly Changeable[] },
  ) => Promise<{ changed: Application } | { now: Application }>;
  remove: () => Promise<void>;
} {
  const queries = useQueryClient();
  const path = { client_id: clientId };
  return {
    change: async (body, { seen, names }) => {
      const outcome = await changeIfSame<Application, Application>({
        read: () => readWithTag(api.GET("/api/applications/{client_id}", { params: { path } })),
        isSame: (now) => sameIn(names, now, seen),
        change: (header) => dataOf(api.PUT("/api/applications/{client_id}", { params: { path, header }, body })),
      });
      queries.setQueryData(applicationKey(clientId), "now" in outcome ? outcome.now : outcome.changed);
      void queries.invalidateQueries({ queryKey: [applicationsKey] });
      return outcome;
    },
    remove: async () => {
      await dataOf(api.DELETE("/api/applications/{client_id}", { params: { path, header: idempotent() } }));
      void queries.invalidateQueries({ queryKey: [applicationsKey] });
    },
  };
}
