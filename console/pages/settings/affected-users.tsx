import { List, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../../ui/notice/error-notice.tsx";
import { formatNumber } from "../../ui/value/time.tsx";
import { usersWithMoreThan, type RealmSettings } from "./realm.ts";

/** Shows which users a change affects. */
export function AffectedUsers({ before, after }: { before: RealmSettings; after: RealmSettings }) {
  const { t } = useTranslation();
  const looks = before.displayName !== after.displayName || before.logoURI !== after.logoURI;
  return (
    <List size="sm" spacing="xs">
      {looks && <List.Item>{t("settings.touchesLooks")}</List.Item>}
      {after.maxProfiles < before.maxProfiles && (
        <List.Item>
          <UsersBeyond profiles={after.maxProfiles} />
        </List.Item>
      )}
      {after.maxProfiles > before.maxProfiles && (
        <List.Item>{t("settings.touchesMoreProfiles", { count: after.maxProfiles })}</List.Item>
      )}
      {after.maxProfiles !== before.maxProfiles && <List.Item>{t("settings.ownLimits")}</List.Item>}
      {after.maxValid !== before.maxValid && (
        <List.Item>{t("settings.touchesValidity", { count: after.maxValid })}</List.Item>
      )}
      {before.ssids.join("\n") !== after.ssids.join("\n") && <List.Item>{t("settings.touchesNetworks")}</List.Item>}
      {(before.guestDaysMax !== after.guestDaysMax || before.guestLimitMax !== after.guestLimitMax) && (
        <List.Item>{t("settings.touchesGuests")}</List.Item>
      )}
      {(before.radiusCN !== after.radiusCN || before.radiusCA !== after.radiusCA) && (
        <List.Item>{t("settings.touchesTrust")}</List.Item>
      )}
    </List>
  );
}

/** Shows how many users already have more profiles than the new limit. */
function UsersBeyond({ profiles }: { profiles: number }) {
  const { t, i18n } = useTranslation();
  const { data, error, refetch } = useQuery({
    queryKey: ["users", "with-more-than", profiles],
    queryFn: ({ signal }) => usersWithMoreThan(profiles, signal),
  });
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={16} width="70%" role="status" aria-label={t("shell.loading")} />;
  return t("settings.touchesBeyond", {
    count: data,
    formatted: formatNumber(data, i18n.language),
    profiles: t("settings.profiles", { count: profiles }),
  });
}
