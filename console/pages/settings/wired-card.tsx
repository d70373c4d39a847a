import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { LockedSetting } from "./locked-setting.tsx";
import type { FixedSettings } from "./realm.ts";
import { SettingCard } from "./setting-card.tsx";

/** Shows whether device files configure wired networks. Only the operator can change this setting. */
export function WiredCard({ fixed: { wired, locked } }: { fixed: FixedSettings }) {
  const { t } = useTranslation();
  const title = t("settings.wired.title");
  return (
    <SettingCard id="wired" title={title}>
      <LockedSetting label={title} isTitle command={locked["wired"] ?? ""}>
        <Text size="sm">{t(wired ? "settings.wired.on" : "settings.wired.off")}</Text>
      </LockedSetting>
    </SettingCard>
  );
}
