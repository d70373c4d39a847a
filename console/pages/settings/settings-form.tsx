import { Button, Group } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState, type SubmitEvent } from "react";
import { useTranslation } from "react-i18next";
import { LeaveGuard } from "../../ui/dialog/leave-guard.tsx";
import { Form } from "../../ui/form/form.tsx";
import { unsent, useSubmission } from "../../ui/form/submission.tsx";
import { ChangedMeanwhile, useMeanwhile } from "../../ui/notice/changed-meanwhile.tsx";
import { notifyDone } from "../../ui/notice/notify.tsx";
import { ChangeReview } from "./change-review.tsx";
import {
  changeRealm,
  changesBetween,
  realmKey,
  settingSections,
  settingsOf,
  valuesOf,
  type ReadRealm,
  type RealmSettings,
  type SettingSection,
  type SettingValues,
} from "./realm.ts";
import { SectionFields } from "./section-fields.tsx";
import { SettingCard } from "./setting-card.tsx";
import { useSettingFields, useShownValue } from "./setting-fields.ts";

const notes = { help: "settings.helpNote", guests: "settings.guestsNote", trust: "settings.trustNote" } as const;

/** Shows the form for one section of the realm's settings. The form shows the changes before it saves them. */
export function SettingsForm({ section, realm }: { section: SettingSection; realm: ReadRealm }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const saveButton = useRef<HTMLButtonElement>(null);
  const [reviewed, setReviewed] = useState<RealmSettings>();
  /** The version that the form's changes are based on. */
  const [read, setRead] = useState(realm);
  const required = (value: number | string) => (String(value).trim() === "" ? t("forms.required") : null);
  // The form contains all settings, but shows and changes only the settings of its section.
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
  const fields = useSettingFields();
  const shown = useShownValue();
  const title = t(`settings.cards.${section}`);
  const { submit, busy, summary } = useSubmission({
    form,
    fields,
    draft: { name: `settings ${section}` },
    async send(values) {
      try {
        const changes = changesBetween(read.settings, settingsOf(values, read.settings));
        const outcome = await changeRealm(changes, { seen: read.settings, section });
        if ("now" in outcome) {
          setRead(outcome.now);
          meanwhile.moved(valuesOf(outcome.now.settings));
          return unsent;
        }
        setRead(outcome.changed);
        meanwhile.saved(valuesOf(outcome.changed.settings));
      } finally {
        setReviewed(undefined);
      }
      void queries.invalidateQueries({ queryKey: realmKey });
      // The header shows the realm's name.
      void queries.invalidateQueries({ queryKey: ["session"] });
      notifyDone(t("settings.saved", { section: title }));
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
  const { outdated } = meanwhile;
  const news = outdated && changesBetween(settingsOf(outdated, read.settings), read.settings);

  return (
    <SettingCard
      id={section}
      title={title}
      {...(section in notes && { note: t(notes[section as keyof typeof notes]) })}
    >
      <Form onSubmit={review}>
        <LeaveGuard when={dirty} text={t("forms.leaveUnsaved")} />
        {summary}
        {news !== undefined && (
          <ChangedMeanwhile
            changes={settingSections[section]
              .filter((name) => news[name] !== undefined)
              .map((name) => [fields[name].label, shown(name, read.settings)])}
            onTake={meanwhile.discard}
            onKeep={() => {
              review();
            }}
          />
        )}
        <SectionFields section={section} form={form} realm={read} />
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
    </SettingCard>
  );
}
