import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useMay } from "../../session/may.ts";
import { ErrorNotice } from "../../ui/notice/error-notice.tsx";
import { Page } from "../../ui/page.tsx";
import { AppsCard } from "./apps-card.tsx";
import { DirectoryCard } from "./directory/directory-card.tsx";
import { ForgettingCard } from "./forgetting-card.tsx";
import { LogoCard } from "./logo-card.tsx";
import { loadRealm, realmKey, sectionNames } from "./realm.ts";
import { RolesCard } from "./roles-card.tsx";
import { SettingsForm } from "./settings-form.tsx";
import { SettingsText } from "./settings-text.tsx";
import { SetupCard } from "./setup-card.tsx";
import { SignInCard } from "./sign-in/sign-in-card.tsx";
import { WiredCard } from "./wired-card.tsx";

export function SettingsPage() {
  const { t } = useTranslation();
  const may = useMay();
  const { data, error, refetch } = useQuery({
    queryKey: realmKey,
    queryFn: ({ signal }) => loadRealm(signal),
    // A refetch must not change the form while the user types.
    refetchOnWindowFocus: false,
  });
  return (
    <Page title={t("nav.settings")} lead={t("settings.lead")}>
      {data !== undefined ? (
        <Stack maw={860}>
          {may("changeSettings") ? (
            <Stack>
              {sectionNames.map((section) => (
                <SettingsForm key={section} section={section} realm={data} />
              ))}
            </Stack>
          ) : (
            <SettingsText realm={data} />
          )}
          <LogoCard />
          <SignInCard />
          <AppsCard />
          <DirectoryCard />
          <WiredCard fixed={data.fixed} />
          <RolesCard />
          <ForgettingCard fixed={data.fixed} />
          <SetupCard />
        </Stack>
      ) : error === null ? (
        <Skeleton height={320} radius="md" role="status" aria-label={t("shell.loading")} />
      ) : (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      )}
    </Page>
  );
}
