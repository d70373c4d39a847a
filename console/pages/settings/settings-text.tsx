import { Code, SimpleGrid, Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { CopyBox } from "../../ui/value/copy-box.tsx";
import { Facts, type Fact } from "../../ui/value/facts.tsx";
import { LogoPreview } from "./logo-preview.tsx";
import { sectionNames, settingSections, type ReadRealm } from "./realm.ts";
import { SettingCard } from "./setting-card.tsx";
import { useSettingFields, useShownValue } from "./setting-fields.ts";

/** Shows the settings to users who may not change them. */
export function SettingsText({ realm: { settings, fixed } }: { realm: ReadRealm }) {
  const { t } = useTranslation();
  const fields = useSettingFields();
  const shown = useShownValue();
  const realmName: Fact = [t("settings.name"), <Code key="name">{fixed.realmName}</Code>];
  return (
    <Stack>
      {sectionNames.map((section) => (
        <SettingCard key={section} id={section} title={t(`settings.cards.${section}`)}>
          <Facts
            facts={[
              ...(section === "looks" ? [realmName] : []),
              ...settingSections[section].map((name): Fact => [fields[name].label, shown(name, settings)]),
            ]}
          />
          {section === "looks" && (
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              {(["light", "dark"] as const).map((theme) => (
                <LogoPreview key={theme} theme={theme} address={settings.logoURI} displayName={settings.displayName} />
              ))}
            </SimpleGrid>
          )}
          {section === "trust" && settings.radiusCA !== null && (
            <CopyBox block text={settings.radiusCA} label={fields.radiusCA.label} />
          )}
        </SettingCard>
      ))}
    </Stack>
  );
}
