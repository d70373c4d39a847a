import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { LockedSetting } from "./locked-setting.tsx";
import type { FixedSettings } from "./realm.ts";
import { SettingCard } from "./setting-card.tsx";

/**
 * Shows when the service forgets people. Only the operator can change this time, because erased data cannot be
 * restored.
 */
export function ForgettingCard({ fixed: { forgetAfterMonths, locked } }: { fixed: FixedSettings }) {
  const { t } = useTranslation();
  const title = t("settings.forgetting.title");
  return (
    <SettingCard id="forgetting" title={title}>
      <LockedSetting label={title} isTitle command={locked["forgetAfterMonths"] ?? ""}>
        <Text size="sm">
          {forgetAfterMonths === null
            ? t("settings.forgetting.off")
            : t("settings.forgetting.on", { count: forgetAfterMonths })}
        </Text>
      </LockedSetting>
    </SettingCard>
  );
}
