import { useTranslation } from "react-i18next";
import type { FormField } from "../../ui/form/submission.tsx";
import { settingNames, type RealmSettings, type SettingName } from "./realm.ts";

/** Returns the label and the rule of each setting by its API name. */
export function useSettingFields(): Record<SettingName, Required<FormField>> {
  const { t } = useTranslation();
  const fields = settingNames.map((name) => [
    name,
    { label: t(`settings.fields.${name}`), rule: t(`settings.rules.${name}`) },
  ]);
  return Object.fromEntries(fields) as Record<SettingName, Required<FormField>>;
}

/** Returns a function that describes the value of a setting. */
export function useShownValue(): (name: SettingName, settings: RealmSettings) => string {
  const { t } = useTranslation();
  return (name, settings) => {
    switch (name) {
      case "displayName":
      case "timeZone":
        return settings[name];
      case "logoURI":
      case "helpURI":
      case "privacyURI":
        return settings[name] === "" ? t("settings.none") : settings[name];
      case "maxProfiles":
      case "guestLimitMax":
        return t("settings.profiles", { count: settings[name] });
      case "maxValid":
        return t("settings.months", { count: settings.maxValid });
      case "offboardingShare":
        return t("settings.percent", { count: settings.offboardingShare });
      case "ssids":
        return settings.ssids.join(", ");
      case "radiusAddresses":
        return settings.radiusAddresses.length === 0 ? t("settings.notSet") : settings.radiusAddresses.join(", ");
      case "guestDaysMax":
        return t("settings.days", { count: settings.guestDaysMax });
      case "radiusCN":
        return settings.radiusCN ?? t("settings.notSet");
      case "radiusCA":
        return settings.radiusCA === null
          ? t("settings.ownCA")
          : t("settings.certificates", { count: settings.radiusCA.match(/BEGIN CERTIFICATE/g)?.length ?? 0 });
    }
  };
}
