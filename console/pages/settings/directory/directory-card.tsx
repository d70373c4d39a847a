import { useTranslation } from "react-i18next";
import { useMay } from "../../../session/may.ts";
import { AnchorLink } from "../../../ui/anchor-link.tsx";
import { SettingCard } from "../setting-card.tsx";

/** Links to the page of the directory. */
export function DirectoryCard() {
  const { t } = useTranslation();
  const may = useMay();
  if (!may("directory")) return null;
  return (
    <SettingCard id="directory" title={t("settings.directory.title")} note={t("settings.directory.note")}>
      <AnchorLink to="/settings/directory" size="sm" underline="always">
        {t("settings.directory.open")}
      </AnchorLink>
    </SettingCard>
  );
}
