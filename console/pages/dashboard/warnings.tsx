import { Alert, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Time } from "../../ui/value/time.tsx";
import type { Overview } from "./overview.ts";

/** Problems that need attention before users notice. */
export function Warnings({
  warnings,
  isLastAdministratorKept,
}: {
  warnings: Overview["warnings"];
  /** The identity provider no longer names the only administrator as one. */
  isLastAdministratorKept: boolean;
}) {
  const { t } = useTranslation();
  if (warnings.length === 0 && !isLastAdministratorKept) return null;
  return (
    <Stack gap="sm" component="section" aria-label={t("dashboard.warnings.label")}>
      {warnings.map(({ warning, issuerID, endsAt }) => (
        <Alert
          key={`${warning} ${issuerID}`}
          color={warning === "issuer_ending" ? "yellow" : "red"}
          icon={<IconAlertTriangle aria-hidden />}
          title={t(`dashboard.warnings.${warning}.title`)}
        >
          <Text size="sm">
            {t(`dashboard.warnings.${warning}.text`)}
            {endsAt !== null && (
              <>
                {" "}
                {t(`dashboard.warnings.${warning}.when`)} <Time at={endsAt} relative />
              </>
            )}
          </Text>
        </Alert>
      ))}
      {isLastAdministratorKept && (
        <Alert
          color="yellow"
          icon={<IconAlertTriangle aria-hidden />}
          title={t("dashboard.warnings.last_administrator_kept.title")}
        >
          <Text size="sm">{t("dashboard.warnings.last_administrator_kept.text")}</Text>
        </Alert>
      )}
    </Stack>
  );
}
