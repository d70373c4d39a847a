import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { auditEvents } from "../../../domain/audit/audit.ts";
import { api, dataOf, listOf } from "../../api/api-client.ts";
import type { Filter } from "../../list/filters.tsx";
import { useSession } from "../../session/session.tsx";
import { useEventName } from "./event-text.ts";

const applicationsMax = 1_000;

export function useAuditFilters(): Filter[] {
  const { t } = useTranslation();
  const nameOf = useEventName();
  const applications = useApplicationChoices();
  return [
    { kind: "days", min: "minDate", max: "maxDate", label: t("audit.filters.time") },
    {
      kind: "choice",
      key: "event",
      label: t("audit.filters.event"),
      choices: auditEvents.map((value) => ({ value, label: nameOf(value) })),
    },
    { kind: "text", key: "about", label: t("audit.filters.about"), hint: t("audit.filters.aboutHint") },
    { kind: "text", key: "user", label: t("audit.filters.person"), hint: t("audit.filters.personHint") },
    { kind: "text", key: "job", label: t("audit.filters.job"), hint: t("audit.filters.jobHint") },
    { kind: "choice", key: "client", label: t("audit.filters.application"), choices: applications },
  ];
}

function useApplicationChoices(): { value: string; label: string }[] {
  const { t } = useTranslation();
  const { user } = useSession();
  const { data = [] } = useQuery({
    queryKey: ["audit-applications"],
    queryFn: async ({ signal }) => {
      const [me, { data: registered }] = await Promise.all([
        dataOf(api.GET("/api/user/{userID}", { params: { path: { userID: user.userID } }, signal })),
        listOf(api.GET("/api/applications", { params: { query: { limit: applicationsMax } }, signal })),
      ]);
      const named = registered.map(({ client_id: value, name }) => ({ value, label: name }));
      return [{ value: `console-${me.realmID}`, label: "" }, ...named];
    },
    staleTime: 60_000,
  });
  return data.map(({ value, label }) => ({ value, label: label === "" ? t("audit.theConsole") : label }));
}
