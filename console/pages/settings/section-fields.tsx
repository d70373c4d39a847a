import { Autocomplete, NumberInput, SimpleGrid, Text, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useDebouncedValue } from "@mantine/hooks";
import { useTranslation } from "react-i18next";
import { settingRanges } from "../../../domain/realm.ts";
import { browsersZone } from "../../session/local-time.ts";
import { SliderField } from "../../ui/form/slider-field.tsx";
import { LogoPreview } from "./logo-preview.tsx";
import type { ReadRealm, SettingSection, SettingValues } from "./realm.ts";
import { useSettingFields } from "./setting-fields.ts";
import { TrustFields } from "./trust-fields.tsx";

/** The ranges of the sliders. The service accepts a limit of 0 profiles, but that helps no user. */
const limits = {
  maxProfiles: { min: 1, max: settingRanges.maxProfiles[1] },
  maxValid: { min: settingRanges.maxValid[0], max: settingRanges.maxValid[1] },
  offboardingShare: { min: settingRanges.offboardingShare[0], max: settingRanges.offboardingShare[1] },
} as const;

/** Shows the fields of one section. */
export function SectionFields({
  section,
  form,
  realm: { settings, fixed },
}: {
  section: SettingSection;
  form: UseFormReturnType<SettingValues>;
  realm: ReadRealm;
}) {
  const { t } = useTranslation();
  const fields = useSettingFields();
  const slider = (name: keyof typeof limits) => ({
    label: fields[name].label,
    description: t(`settings.hints.${name}`),
    ...limits[name],
    value: form.values[name],
    error: form.errors[name],
    path: name,
    onChange: (value: number) => {
      form.setFieldValue(name, value);
    },
  });
  const number = (name: "guestDaysMax" | "guestLimitMax") => ({
    label: fields[name].label,
    description: t(`settings.hints.${name}`),
    min: settingRanges[name][0],
    max: settingRanges[name][1],
    clampBehavior: "none" as const,
    allowDecimal: false,
    required: true,
    ...form.getInputProps(name),
  });
  const address = (name: "logoURI" | "helpURI" | "privacyURI") => ({
    label: fields[name].label,
    description: t(`settings.hints.${name}`),
    placeholder: "https://",
    ...form.getInputProps(name),
  });
  const lines = (name: "ssids" | "radiusAddresses") => ({
    label: fields[name].label,
    description: t(`settings.hints.${name}`),
    autosize: true,
    minRows: 2,
    maxRows: 16,
    ...form.getInputProps(name),
  });
  switch (section) {
    case "looks":
      return (
        <>
          <div>
            <Text size="sm" fw={500}>
              {t("settings.name")}
            </Text>
            <code>{fixed.realmName}</code>
            <Text size="sm" c="dimmed">
              {t("settings.nameHint")}
            </Text>
          </div>
          <TextInput
            label={fields.displayName.label}
            description={t("settings.hints.displayName")}
            required
            {...form.getInputProps("displayName")}
          />
          <TextInput type="url" {...address("logoURI")} />
          <LogoPreviews address={form.values.logoURI.trim()} displayName={form.values.displayName} />
        </>
      );
    case "help":
      return (
        <>
          <TextInput {...address("helpURI")} />
          <TextInput type="url" {...address("privacyURI")} />
        </>
      );
    case "profiles":
      return (
        <>
          <SliderField
            {...slider("maxProfiles")}
            unit={(count) => t("settings.profiles", { count })}
            marks={[1, 25, 50, 75, 100]}
          />
          <SliderField
            {...slider("maxValid")}
            unit={(count) => t("settings.months", { count })}
            marks={[1, 6, 12, 18, 24]}
          />
          <SliderField
            {...slider("offboardingShare")}
            unit={(count) => t("settings.percent", { count })}
            marks={[0, 25, 50, 75, 100]}
          />
        </>
      );
    case "wifi":
      return <Textarea {...lines("ssids")} required />;
    case "guests":
      return (
        <>
          <NumberInput {...number("guestDaysMax")} />
          <NumberInput {...number("guestLimitMax")} />
        </>
      );
    case "time":
      return (
        <Autocomplete
          label={fields.timeZone.label}
          description={t("settings.hints.timeZone", { zone: browsersZone() })}
          data={zones()}
          limit={20}
          required
          {...form.getInputProps("timeZone")}
        />
      );
    case "servers":
      return <Textarea {...lines("radiusAddresses")} />;
    case "trust":
      return <TrustFields form={form} settings={settings} fixed={fixed} />;
  }
}

/** Shows the logo once the user has typed its address. */
function LogoPreviews({ address, displayName }: { address: string; displayName: string }) {
  const [settled] = useDebouncedValue(address, 400);
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      {(["light", "dark"] as const).map((theme) => (
        <LogoPreview key={theme} theme={theme} address={settled} displayName={displayName} />
      ))}
    </SimpleGrid>
  );
}

/** Browsers omit UTC from the list. */
const zones = (): string[] => [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone")])];
