import { Card, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, dataOf } from "../../api/api-client.ts";
import { CopyBox } from "../../ui/copy-box.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";

/** After how long people are forgotten. The operator alone changes it, because what is erased cannot be had again. */
export function ForgettingCard({ realmName }: { realmName: string }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery({
    queryKey: ["realm settings"],
    queryFn: ({ signal }) => dataOf(api.GET("/api/realm/settings", { signal })),
  });
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return null;
  const { forgetAfterMonths } = data;
  return (
    <Card withBorder maw={860}>
      <Stack gap="xs">
        <Text size="sm" fw={500}>
          {t("settings.forgetting.title")}
        </Text>
        <Text size="sm">
          {forgetAfterMonths === null
            ? t("settings.forgetting.off")
            : t("settings.forgetting.on", { count: forgetAfterMonths })}
        </Text>
        <Text size="sm" c="dimmed">
          {t("settings.forgetting.command")}
        </Text>
        <CopyBox
          text={`npm run operator -- realm set --realm ${realmName} ${forgetAfterMonths === null ? "--forget-after-months 12" : "--clear forget-after-months"}`}
          label={t("settings.forgetting.command")}
        />
      </Stack>
    </Card>
  );
}
