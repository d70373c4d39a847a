import { useTranslation } from "react-i18next";
import type { FormField } from "../../ui/submission.tsx";
import type { RealmSettings } from "./realm.ts";

/** The settings by the API's names, in words. */
export function useSettingFields(): Record<keyof RealmSettings, Required<FormField>> {
  const { t } = useTranslation();
  return {
    displayName: { label: t("settings.displayName"), rule: t("settings.displayNameRule") },
    logoURI: { label: t("settings.logo"), rule: t("settings.logoRule") },
    maxProfiles: { label: t("settings.maxProfiles"), rule: t("settings.maxProfilesRule") },
    maxValid: { label: t("settings.maxValid"), rule: t("settings.maxValidRule") },
  };
}

/** The value of a setting in words. */
export function useShownValue(): (name: keyof RealmSettings, settings: RealmSettings) => string {
  const { t } = useTranslation();
  return (name, settings) => {
    switch (name) {
      case "displayName":
        return settings.displayName;
      case "logoURI":
        return settings.logoURI === "" ? t("settings.noLogo") : settings.logoURI;
      case "maxProfiles":
        return t("settings.profiles", { count: settings.maxProfiles });
      case "maxValid":
        return t("settings.months", { count: settings.maxValid });
    }
  };
}
