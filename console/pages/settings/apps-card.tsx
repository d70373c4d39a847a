import { Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useMay } from "../../session/may.ts";
import { ErrorNotice } from "../../ui/notice/error-notice.tsx";
import { CopyBox } from "../../ui/value/copy-box.tsx";
import { Facts, type Fact } from "../../ui/value/facts.tsx";
import { appNames, appsKey, loadApps, type AppSettings, type ReadApps } from "./apps.ts";
import { AppsForm } from "./apps-form.tsx";
import { SettingCard } from "./setting-card.tsx";

/** Shows the settings for the geteduroam apps and device files, with the line that lists the realm in eduroam CAT. */
export function AppsCard() {
  const { t } = useTranslation();
  const may = useMay();
  const { data, error, refetch } = useQuery({
    queryKey: appsKey,
    queryFn: ({ signal }) => loadApps(signal),
    // A refetch must not change the form while the user types.
    refetchOnWindowFocus: false,
  });
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={240} radius="md" role="status" aria-label={t("shell.loading")} />;
  return (
    <SettingCard id="apps" title={t("settings.apps.title")} note={t("settings.apps.note")}>
      {may("changeSettings") ? <AppsForm read={data} /> : <AppsText read={data} />}
      {data.settings.onboardingApps && (
        <Stack gap={4}>
          <Text size="sm" fw={500}>
            {t("settings.apps.listingLine")}
          </Text>
          <CopyBox text={`${data.appsURL}#letswifi`} label={t("settings.apps.listingLine")} />
        </Stack>
      )}
    </SettingCard>
  );
}

/** Shows the settings to users who may not change them. */
function AppsText({ read: { settings } }: { read: ReadApps }) {
  const { t } = useTranslation();
  return (
    <Facts
      facts={appNames.map((name): Fact => {
        const text = shown(settings, name);
        if (name === "onboardingApps") return [t(`settings.apps.fields.${name}`), t(`settings.apps.${text}`)];
        return [t(`settings.apps.fields.${name}`), text === "" ? t("settings.notSet") : text];
      })}
    />
  );
}

function shown(settings: AppSettings, name: "onboardingApps"): "on" | "off";
function shown(settings: AppSettings, name: (typeof appNames)[number]): string;
function shown(settings: AppSettings, name: (typeof appNames)[number]): string {
  switch (name) {
    case "onboardingApps":
      return settings.onboardingApps ? "on" : "off";
    case "radiusNames":
    case "rcois":
      return settings[name].join(", ");
    case "keyTypes":
      return Object.entries(settings.keyTypes)
        .map(([device, type]) => `${device}: ${type}`)
        .join(", ");
    case "reminderLead":
      return String(settings.reminderLead);
    case "appsListing":
    case "helpMail":
    case "helpPhone":
      return settings[name];
  }
}
