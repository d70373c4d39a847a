import { Alert, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "../../ui/icons.tsx";
import { useTranslation } from "react-i18next";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { Time } from "../../ui/value/time.tsx";
import type { Overview } from "./overview.ts";

/** Shows problems that need attention before users notice them. */
export function Warnings({
  warnings,
  isLastAdministratorKept,
  heldJob,
}: {
  warnings: Overview["warnings"];
  /** The job that revokes the devices of people whom a directory has deactivated only after a person confirms. */
  heldJob: Overview["jobs"]["inGrace"][number] | undefined;
  /** True if the identity provider no longer lists the realm's only administrator as an administrator. */
  isLastAdministratorKept: boolean;
}) {
  const { t } = useTranslation();
  if (warnings.length === 0 && !isLastAdministratorKept && heldJob === undefined) return null;
  return (
    <Stack gap="sm" component="section" aria-label={t("dashboard.warnings.label")}>
      {heldJob !== undefined && (
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={t("dashboard.warnings.held.title")}>
          <Text size="sm">
            {t("dashboard.warnings.held.text")}{" "}
            <AnchorLink to="/jobs/$id" params={{ id: heldJob.id }} inherit underline="always">
              {t("dashboard.warnings.held.open")}
            </AnchorLink>
          </Text>
        </Alert>
      )}
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
