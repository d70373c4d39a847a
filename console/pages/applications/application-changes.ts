import { useQueryClient } from "@tanstack/react-query";
import { api, dataOf, idempotent } from "../../api/api-client.ts";
import { changeIfSame, readWithTag, sameIn } from "../../api/read-with-tag.ts";
import { applicationKey, applicationsKey, type Application } from "./applications.ts";

/** What can be changed. */
export const changeable = [
  "active",
  "name",
  "clientURI",
  "redirectURI",
  "scopes",
  "useClientSecret",
  "requirePKCE",
] as const satisfies readonly (keyof Application)[];
type Changeable = (typeof changeable)[number];

/** Changing an application, and deleting it. Every page that shows it follows. */
export function useApplicationChanges(clientId: string): {
  /** Changes an application that still is as `seen` in what is named; else answers it as it is now. */
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
