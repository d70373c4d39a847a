import { Code, SimpleGrid, Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { CopyBox } from "../../ui/value/copy-box.tsx";
import { Facts, type Fact } from "../../ui/value/facts.tsx";
import { LogoPreview } from "./logo-preview.tsx";
import type { ReadRealm, SettingName } from "./realm.ts";
import { SettingCard } from "./setting-card.tsx";
import { useSettingFields, useShownValue } from "./setting-fields.ts";

/** The settings for users who may not change them. */
export function SettingsText({ realm: { settings, fixed } }: { realm: ReadRealm }) {
  const { t } = useTranslation();
  const fields = useSettingFields();
  const shown = useShownValue();
  const fact = (name: SettingName): Fact => [fields[name].label, shown(name, settings)];
  return (
    <Stack maw={860}>
      <SettingCard id="looks" title={t("settings.cards.looks")}>
        <Facts facts={[[t("settings.name"), <Code key="name">{fixed.realmName}</Code>], fact("displayName")]} />
        <Facts facts={[fact("logoURI")]} />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {(["light", "dark"] as const).map((theme) => (
            <LogoPreview key={theme} theme={theme} address={settings.logoURI} displayName={settings.displayName} />
          ))}
        </SimpleGrid>
      </SettingCard>
      <SettingCard id="help" title={t("settings.cards.help")}>
        <Facts facts={[fact("helpURI"), fact("privacyURI")]} />
      </SettingCard>
      <SettingCard id="profiles" title={t("settings.cards.profiles")}>
        <Facts facts={[fact("maxProfiles"), fact("maxValid"), fact("offboardingShare")]} />
      </SettingCard>
      <SettingCard id="wifi" title={t("settings.cards.wifi")}>
        <Facts facts={[fact("ssids")]} />
      </SettingCard>
      <SettingCard id="guests" title={t("settings.cards.guests")}>
        <Facts facts={[fact("guestDaysMax"), fact("guestLimitMax")]} />
      </SettingCard>
      <SettingCard id="time" title={t("settings.cards.time")}>
        <Facts facts={[fact("timeZone")]} />
      </SettingCard>
      <SettingCard id="servers" title={t("settings.cards.servers")}>
        <Facts facts={[fact("radiusAddresses")]} />
      </SettingCard>
      <SettingCard id="trust" title={t("settings.cards.trust")}>
        <Facts facts={[fact("radiusCN"), fact("radiusCA")]} />
        {settings.radiusCA !== null && <CopyBox block text={settings.radiusCA} label={fields.radiusCA.label} />}
      </SettingCard>
    </Stack>
  );
}
