import { useTranslation } from "react-i18next";
import { roles } from "../../../domain/people/roles.ts";
import type { Filter } from "../../list/filters.tsx";

const states = ["active", "locked", "offboarded"] as const;

export function useUserFilters(): Filter[] {
  const { t } = useTranslation();
  return [
    {
      kind: "choice",
      key: "state",
      label: t("users.columns.status"),
      choices: [
        ...states.map((value) => ({ value, label: t(`status.${value}`) })),
        { value: "notPermitted", label: t("users.filters.notPermitted") },
      ],
    },
    {
      kind: "choice",
      key: "role",
      label: t("roles.role"),
      choices: roles.map((value) => ({ value, label: t(`roles.names.${value}`) })),
    },
    { kind: "number", min: "minProfileCount", max: "maxProfileCount", label: t("users.filters.profiles") },
    { kind: "days", min: "minCreated", max: "maxCreated", label: t("users.filters.created") },
    { kind: "days", min: "minLockDate", max: "maxLockDate", label: t("users.filters.locked") },
    { kind: "days", min: "minBlacklistDate", max: "maxBlacklistDate", label: t("users.filters.offboarded") },
  ];
}
