import { Autocomplete, Button, Group, NumberInput, SimpleGrid, Text, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDebouncedValue } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState, type SubmitEvent } from "react";
import { useTranslation } from "react-i18next";
import { settingRanges } from "../../../domain/realm.ts";
import { wasChangedMeanwhile } from "../../api/read-with-tag.ts";
import { ChangedMeanwhile, useMeanwhile } from "../../ui/notice/changed-meanwhile.tsx";
import { Form } from "../../ui/form/form.tsx";
import { LeaveGuard } from "../../ui/dialog/leave-guard.tsx";
import { browsersZone } from "../../session/local-time.ts";
import { notifyDone } from "../../ui/notice/notify.tsx";
import { SliderField } from "../../ui/form/slider-field.tsx";
import { unsent, useSubmission } from "../../ui/form/submission.tsx";
import { ChangeReview } from "./change-review.tsx";
import { LogoPreview } from "./logo-preview.tsx";
import {
  changesBetween,
  loadRealm,
  realmKey,
  settingNames,
  settingsOf,
  updateRealm,
  valuesOf,
  type ReadRealm,
  type RealmSettings,
  type SettingValues,
} from "./realm.ts";
import { SettingCard } from "./setting-card.tsx";
import { useSettingFields, useShownValue } from "./setting-fields.ts";
import { TrustCard } from "./trust-card.tsx";

/** The ranges of the sliders. The service accepts fewer than one profile, which helps no user. */
const limits = {
  maxProfiles: { min: 1, max: settingRanges.maxProfiles[1] },
  maxValid: { min: settingRanges.maxValid[0], max: settingRanges.maxValid[1] },
  offboardingShare: { min: settingRanges.offboardingShare[0], max: settingRanges.offboardingShare[1] },
} as const;

/** The form for the realm's settings. It shows the changes before it saves them. */
export function SettingsForm({ realm }: { realm: ReadRealm }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const saveButton = useRef<HTMLButtonElement>(null);
  const [reviewed, setReviewed] = useState<RealmSettings>();
  /** The version that the form's changes are based on. */
  const [read, setRead] = useState(realm);
  const required = (value: number | string) => (String(value).trim() === "" ? t("forms.required") : null);
  const form = useForm<SettingValues>({
    initialValues: valuesOf(realm.settings),
    validate: {
      displayName: required,
      ssids: required,
      guestDaysMax: required,
      guestLimitMax: required,
      timeZone: required,
    },
  });
  const meanwhile = useMeanwhile(form, valuesOf(realm.settings));
  const [logo] = useDebouncedValue(form.values.logoURI.trim(), 400);
  const fields = useSettingFields();
  const shown = useShownValue();
  const { submit, busy, summary, discard } = useSubmission({
    form,
    fields,
    draft: { name: "settings" },
    async send(values) {
      try {
        await updateRealm(changesBetween(read.settings, settingsOf(values, read.settings)), read.tag);
        const now = await loadRealm();
        setRead(now);
        meanwhile.saved(valuesOf(now.settings));
      } catch (error) {
        if (!wasChangedMeanwhile(error)) throw error;
        const now = await loadRealm();
        setRead(now);
        meanwhile.moved(valuesOf(now.settings));
        return unsent;
      } finally {
        setReviewed(undefined);
      }
      void queries.invalidateQueries({ queryKey: realmKey });
      // The header shows the realm's name.
      void queries.invalidateQueries({ queryKey: ["session"] });
      notifyDone(t("settings.saved"));
      saveButton.current?.focus();
      return undefined;
    },
  });
  const review = (event?: SubmitEvent<HTMLFormElement>) => {
    event?.preventDefault();
    if (form.validate().hasErrors) submit();
    else setReviewed(settingsOf(form.values, read.settings));
  };
  const dirty = form.isDirty();
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
  const { outdated } = meanwhile;
  const news = outdated && changesBetween(settingsOf(outdated, read.settings), read.settings);

  return (
    <Form onSubmit={review} maw={860}>
      <LeaveGuard when={dirty} text={t("forms.leaveUnsaved")} onLeave={discard} />
      {summary}
      {news !== undefined && (
        <ChangedMeanwhile
          changes={settingNames
            .filter((name) => news[name] !== undefined)
            .map((name) => [fields[name].label, shown(name, read.settings)])}
          onTake={meanwhile.discard}
          onKeep={() => {
            review();
          }}
        />
      )}
      <SettingCard id="looks" title={t("settings.cards.looks")}>
        <div>
          <Text size="sm" fw={500}>
            {t("settings.name")}
          </Text>
          <code>{read.fixed.realmName}</code>
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
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {(["light", "dark"] as const).map((theme) => (
            <LogoPreview key={theme} theme={theme} address={logo} displayName={form.values.displayName} />
          ))}
        </SimpleGrid>
      </SettingCard>
      <SettingCard id="help" title={t("settings.cards.help")} note={t("settings.helpNote")}>
        <TextInput {...address("helpURI")} />
        <TextInput type="url" {...address("privacyURI")} />
      </SettingCard>
      <SettingCard id="profiles" title={t("settings.cards.profiles")}>
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
      </SettingCard>
      <SettingCard id="wifi" title={t("settings.cards.wifi")}>
        <Textarea
          label={fields.ssids.label}
          description={t("settings.hints.ssids")}
          required
          autosize
          minRows={2}
          maxRows={16}
          {...form.getInputProps("ssids")}
        />
      </SettingCard>
      <SettingCard id="guests" title={t("settings.cards.guests")} note={t("settings.guestsNote")}>
        <NumberInput {...number("guestDaysMax")} />
        <NumberInput {...number("guestLimitMax")} />
      </SettingCard>
      <SettingCard id="time" title={t("settings.cards.time")}>
        <Autocomplete
          label={fields.timeZone.label}
          description={t("settings.hints.timeZone", { zone: browsersZone() })}
          data={zones()}
          limit={20}
          required
          {...form.getInputProps("timeZone")}
        />
      </SettingCard>
      <SettingCard id="servers" title={t("settings.cards.servers")}>
        <Textarea
          label={fields.radiusAddresses.label}
          description={t("settings.hints.radiusAddresses")}
          autosize
          minRows={2}
          maxRows={16}
          {...form.getInputProps("radiusAddresses")}
        />
      </SettingCard>
      <TrustCard form={form} settings={read.settings} fixed={read.fixed} />
      <Group justify="flex-end">
        <Button variant="default" disabled={!dirty} onClick={meanwhile.discard}>
          {t("forms.discard")}
        </Button>
        <Button type="submit" disabled={!dirty} ref={saveButton}>
          {t("settings.review")}
        </Button>
      </Group>
      {reviewed !== undefined && (
        <ChangeReview
          before={read.settings}
          after={reviewed}
          busy={busy}
          onSave={() => {
            submit();
          }}
          onCancel={() => {
            setReviewed(undefined);
            saveButton.current?.focus();
          }}
        />
      )}
    </Form>
  );
}

/** Browsers leave out UTC. */
const zones = (): string[] => [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone")])];
