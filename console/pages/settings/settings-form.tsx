import { Button, Card, Group, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDebouncedValue } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState, type SubmitEvent } from "react";
import { useTranslation } from "react-i18next";
import { realmLimits } from "../../../domain/realm.ts";
import { Allowed, Fields } from "../../session/allowed.tsx";
import { Form } from "../../ui/form.tsx";
import { LeaveGuard } from "../../ui/leave-guard.tsx";
import { notifyDone } from "../../ui/notify.tsx";
import { SliderField } from "../../ui/slider-field.tsx";
import { useSubmission } from "../../ui/submission.tsx";
import { ChangeReview } from "./change-review.tsx";
import { LogoPreview } from "./logo-preview.tsx";
import { ChangedMeanwhile } from "./changed-meanwhile.tsx";
import {
  changesBetween,
  loadRealm,
  realmKey,
  updateRealm,
  wasChangedMeanwhile,
  type ReadRealm,
  type RealmSettings,
} from "./realm.ts";
import { useSettingFields } from "./setting-fields.ts";

const limits = {
  maxProfiles: { min: 1, max: realmLimits.maxProfiles },
  maxValid: { min: 1, max: realmLimits.maxValidMonths },
} as const;

const trimmed = (values: RealmSettings): RealmSettings => ({
  ...values,
  displayName: values.displayName.trim(),
  logoURI: values.logoURI.trim(),
});

/** The settings of the realm. Saving shows first what it changes. */
export function SettingsForm({ realm }: { realm: ReadRealm }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const saveButton = useRef<HTMLButtonElement>(null);
  const [reviewed, setReviewed] = useState<RealmSettings>();
  /** What the form's changes are changes of. */
  const [read, setRead] = useState(realm);
  /** What was read before it turned out to have been changed elsewhere. */
  const [outdated, setOutdated] = useState<RealmSettings>();
  const form = useForm<RealmSettings>({
    initialValues: realm.settings,
    validate: { displayName: (value) => (value.trim() === "" ? t("forms.required") : null) },
  });
  const [logo] = useDebouncedValue(form.values.logoURI.trim(), 400);
  const fields = useSettingFields();
  const { submit, busy, summary } = useSubmission({
    form,
    fields,
    async send(values) {
      try {
        await updateRealm(changesBetween(read.settings, trimmed(values)), read.tag);
        await readAgain(() => ({}));
        setOutdated(undefined);
      } catch (error) {
        if (!wasChangedMeanwhile(error)) throw error;
        // What was typed stays; everything else shows what holds now.
        await readAgain((before) => changesBetween(before, trimmed(values)));
        setOutdated(read.settings);
        return;
      } finally {
        setReviewed(undefined);
      }
      void queries.invalidateQueries({ queryKey: realmKey });
      // The header shows the name.
      void queries.invalidateQueries({ queryKey: ["session"] });
      notifyDone(t("settings.saved"));
      saveButton.current?.focus();
    },
  });
  /** Fills the form with what holds now, save for what is kept of it. */
  const readAgain = async (kept: (before: RealmSettings) => Partial<RealmSettings>) => {
    const now = await loadRealm();
    setRead(now);
    form.setInitialValues(now.settings);
    form.resetDirty(now.settings);
    form.setValues({ ...now.settings, ...kept(read.settings) });
  };
  const discard = () => {
    form.reset();
    setOutdated(undefined);
  };
  const review = (event?: SubmitEvent<HTMLFormElement>) => {
    event?.preventDefault();
    if (form.validate().hasErrors) submit();
    else setReviewed(trimmed(form.values));
  };
  const dirty = form.isDirty();
  const slider = (name: keyof typeof limits) => ({
    label: fields[name].label,
    ...limits[name],
    value: form.values[name],
    error: form.errors[name],
    path: name,
    onChange: (value: number) => {
      form.setFieldValue(name, value);
    },
  });

  return (
    <Form onSubmit={review} maw={860}>
      <LeaveGuard when={dirty} text={t("forms.leaveUnsaved")} />
      {summary}
      {outdated !== undefined && (
        <ChangedMeanwhile
          before={outdated}
          now={read.settings}
          onTake={discard}
          onKeep={() => {
            review();
          }}
        />
      )}
      <Fields deed="changeSettings">
        <Card withBorder>
          <Stack>
            <div>
              <Text size="sm" fw={500}>
                {t("settings.name")}
              </Text>
              <code>{read.realmName}</code>
              <Text size="sm" c="dimmed">
                {t("settings.nameHint")}
              </Text>
            </div>
            <TextInput
              label={fields.displayName.label}
              description={t("settings.displayNameHint")}
              required
              {...form.getInputProps("displayName")}
            />
            <TextInput
              type="url"
              label={fields.logoURI.label}
              description={t("settings.logoHint")}
              placeholder="https://"
              {...form.getInputProps("logoURI")}
            />
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              {(["light", "dark"] as const).map((theme) => (
                <LogoPreview key={theme} theme={theme} address={logo} displayName={form.values.displayName} />
              ))}
            </SimpleGrid>
          </Stack>
        </Card>
        <Card withBorder>
          <Stack>
            <SliderField
              {...slider("maxProfiles")}
              description={t("settings.maxProfilesHint")}
              unit={(count) => t("settings.profiles", { count })}
              marks={[1, 25, 50, 75, 100]}
            />
            <SliderField
              {...slider("maxValid")}
              description={t("settings.maxValidHint")}
              unit={(count) => t("settings.months", { count })}
              marks={[1, 6, 12, 18, 24]}
            />
          </Stack>
        </Card>
      </Fields>
      <Allowed to="changeSettings">
        <Group justify="flex-end">
          <Button variant="default" disabled={!dirty} onClick={discard}>
            {t("forms.discard")}
          </Button>
          <Button type="submit" disabled={!dirty} ref={saveButton}>
            {t("settings.review")}
          </Button>
        </Group>
      </Allowed>
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
