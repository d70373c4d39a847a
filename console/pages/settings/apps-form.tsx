import {
  Button,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { deviceTypes, keyTypes } from "../../../domain/certificate/device.ts";
import { settingRanges } from "../../../domain/realm.ts";
import { wasChangedMeanwhile } from "../../api/read-with-tag.ts";
import { LeaveGuard } from "../../ui/dialog/leave-guard.tsx";
import { Form } from "../../ui/form/form.tsx";
import { useSubmission } from "../../ui/form/submission.tsx";
import { notifyDone } from "../../ui/notice/notify.tsx";
import { useDeviceTypeChoices } from "../../ui/value/device-types.ts";
import { appNames, appsKey, changesOf, loadApps, updateApps, valuesOf, type AppValues, type ReadApps } from "./apps.ts";
import { LockedSetting } from "./locked-setting.tsx";

/** The usual names of the key types. */
const keyNames = { "ec-p256": "P-256", "rsa-2048": "RSA 2048", "rsa-3072": "RSA 3072" } as const;

/** Shows the form for apps and device files. Sends only changed settings. */
export function AppsForm({ read }: { read: ReadApps }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  /** The settings that the form began with, and the tag of the newest settings. */
  const [base, setBase] = useState(read);
  const devices = useDeviceTypeChoices();
  const form = useForm<AppValues>({ initialValues: valuesOf(read.settings) });
  const fields = Object.fromEntries(
    appNames.map((name) => [
      name,
      { label: t(`settings.apps.fields.${name}`), rule: t(`settings.apps.rules.${name}`) },
    ]),
  ) as Record<(typeof appNames)[number], { label: string; rule: string }>;
  const { submit, busy, summary, discard } = useSubmission({
    form,
    fields,
    draft: { name: "apps" },
    async send(values) {
      try {
        await updateApps(changesOf(base.settings, values), base.tag);
      } catch (error) {
        // If the user saves again, the request contains only this form's changes and keeps other users' changes.
        if (wasChangedMeanwhile(error)) setBase({ ...base, tag: (await loadApps()).tag });
        throw error;
      }
      const now = await loadApps();
      setBase(now);
      form.setInitialValues(valuesOf(now.settings));
      form.setValues(valuesOf(now.settings));
      queries.setQueryData(appsKey, now);
      notifyDone(t("settings.saved", { section: t("settings.apps.title") }));
    },
  });
  const dirty = form.isDirty();
  const locked = base.locked["radiusNames"];
  return (
    <Form onSubmit={submit}>
      <LeaveGuard when={dirty} text={t("forms.leaveUnsaved")} />
      {summary}
      <Stack>
        <Switch
          label={fields.onboardingApps.label}
          description={t("settings.apps.hints.onboardingApps")}
          {...form.getInputProps("onboardingApps", { type: "checkbox" })}
        />
        <TextInput
          label={fields.appsListing.label}
          description={t("settings.apps.hints.appsListing")}
          {...form.getInputProps("appsListing")}
        />
        <TextInput type="email" label={fields.helpMail.label} {...form.getInputProps("helpMail")} />
        <TextInput type="tel" label={fields.helpPhone.label} {...form.getInputProps("helpPhone")} />
        <NumberInput
          label={fields.reminderLead.label}
          description={t("settings.apps.hints.reminderLead")}
          min={settingRanges.reminderLead[0]}
          max={settingRanges.reminderLead[1]}
          clampBehavior="none"
          allowDecimal={false}
          {...form.getInputProps("reminderLead")}
        />
        {locked === undefined ? (
          <Textarea
            label={fields.radiusNames.label}
            description={t("settings.apps.hints.radiusNames")}
            autosize
            minRows={2}
            maxRows={8}
            {...form.getInputProps("radiusNames")}
          />
        ) : (
          <LockedSetting label={fields.radiusNames.label} command={locked}>
            <Text size="sm" style={{ overflowWrap: "anywhere" }}>
              {base.settings.radiusNames.length === 0 ? t("settings.notSet") : base.settings.radiusNames.join(", ")}
            </Text>
          </LockedSetting>
        )}
        <Textarea
          label={fields.rcois.label}
          description={t("settings.apps.hints.rcois")}
          autosize
          minRows={2}
          maxRows={8}
          {...form.getInputProps("rcois")}
        />
        <div>
          <Text size="sm" fw={500}>
            {fields.keyTypes.label}
          </Text>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            {deviceTypes.map((device) => (
              <Select
                key={device}
                label={devices.find(({ value }) => value === device)?.label ?? device}
                allowDeselect={false}
                data={[
                  { value: "", label: t("settings.apps.defaultKey") },
                  ...keyTypes.map((type) => ({ value: type, label: keyNames[type] })),
                ]}
                {...form.getInputProps(`keyTypes.${device}`)}
              />
            ))}
          </SimpleGrid>
        </div>
        <Group justify="flex-end">
          <Button variant="default" disabled={!dirty} onClick={discard}>
            {t("forms.discard")}
          </Button>
          <Button type="submit" disabled={!dirty} loading={busy}>
            {t("forms.save")}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
