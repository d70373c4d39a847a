import { Card, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useAnchor } from "../../ui/use-anchor.ts";
import { LockedSetting } from "./locked-setting.tsx";
import type { FixedSettings } from "./realm.ts";

/** Shows whether files for devices set up wired networks. Only the operator can change it. */
export function WiredCard({ fixed: { wired, locked } }: { fixed: FixedSettings }) {
  const { t } = useTranslation();
  return (
    <Card {...useAnchor("wired")} withBorder component="section" aria-label={t("settings.wired.title")} maw={860}>
      <LockedSetting label={t("settings.wired.title")} command={locked["wired"] ?? ""}>
        <Text size="sm">{t(wired ? "settings.wired.on" : "settings.wired.off")}</Text>
      </LockedSetting>
    </Card>
  );
}
