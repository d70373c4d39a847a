import { useQueryClient } from "@tanstack/react-query";
import { api, dataOf, idempotent } from "../../api/api-client.ts";
import { applicationKey, applicationsKey, type Application } from "./applications.ts";

type Change = Partial<
  Pick<Application, "active" | "name" | "clientURI" | "redirectURI" | "scopes" | "useClientSecret" | "requirePKCE">
>;

/** Changing an application, and deleting it. Every page that shows it follows. */
export function useApplicationChanges(clientId: string): {
  change: (change: Change) => Promise<void>;
  remove: () => Promise<void>;
} {
  const queries = useQueryClient();
  const path = { client_id: clientId };
  return {
    change: async (body) => {
      const changed = await dataOf(api.PUT("/api/applications/{client_id}", { params: { path }, body }));
      queries.setQueryData(applicationKey(clientId), changed);
      void queries.invalidateQueries({ queryKey: [applicationsKey] });
    },
    remove: async () => {
      await dataOf(api.DELETE("/api/applications/{client_id}", { params: { path, header: idempotent() } }));
      void queries.invalidateQueries({ queryKey: [applicationsKey] });
    },
  };
}
