import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { findOnboardingApp } from "../../../domain/onboarding-apps.ts";
import { api, dataOf } from "../../api/api-client.ts";
import { throttleCalls } from "../throttle-calls.ts";

const keptMs = 5 * 60_000;
/** The console is registered once for each realm, always with its English name. */
export const isConsole = (clientId: string): boolean => /^console-\d+$/.test(clientId);

/**
 * Shows an application's name, or its ID until the name is loaded and if the name cannot be read, for example because
 * the application is no longer registered. The console and the geteduroam apps have fixed names.
 */
export function ApplicationName({ clientId }: { clientId: string }) {
  const { t } = useTranslation();
  const app = findOnboardingApp(clientId);
  const { data } = useQuery({
    queryKey: ["application", clientId, "name"],
    queryFn: ({ signal }) =>
      throttleCalls(signal, async () => {
        const path = { client_id: clientId };
        return (await dataOf(api.GET("/api/applications/{client_id}", { params: { path }, signal }))).name;
      }),
    staleTime: keptMs,
    enabled: app === undefined && !isConsole(clientId),
  });
  if (app !== undefined) return app.name;
  return isConsole(clientId) ? t("audit.theConsole") : (data ?? clientId);
}
