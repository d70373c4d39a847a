import { Card, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useAnchor } from "../../ui/use-anchor.ts";
import { LockedSetting } from "./locked-setting.tsx";
import type { FixedSettings } from "./realm.ts";

/** Shows when people are forgotten. Only the operator can change it, because erased data cannot be restored. */
export function ForgettingCard({ fixed: { forgetAfterMonths, locked } }: { fixed: FixedSettings }) {
  const { t } = useTranslation();
  return (
    <Card
      {...useAnchor("forgetting")}
      withBorder
      component="section"
      aria-label={t("settings.forgetting.title")}
      maw={860}
    >
      <LockedSetting label={t("settings.forgetting.title")} command={locked["forgetAfterMonths"] ?? ""}>
        <Text size="sm">
          {forgetAfterMonths === null
            ? t("settings.forgetting.off")
            : t("settings.forgetting.on", { count: forgetAfterMonths })}
        </Text>
      </LockedSetting>
    </Card>
  );
}
