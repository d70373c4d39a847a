import { Button, Group, NumberInput, Switch, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { Form } from "../../ui/form.tsx";
import { instantOf, localTime, viewersZone } from "../../ui/local-time.ts";
import { useSubmission } from "../../ui/submission.tsx";
import type { GuestAccount } from "./guest-accounts.ts";

/** What a guest account is given, as the API takes it. */
export interface GuestAccountSettings {
  name: string;
  /** ISO 8601. */
  expirationDate: string;
  note: string | null;
  profileLimit: number | null;
}

const limitMax = 100_000;

/** The settings of a guest account, new or there already. */
export function GuestAccountForm({
  account,
  submitLabel,
  onSend,
  onCancel,
}: {
  account?: GuestAccount;
  submitLabel: string;
  /** Gets what is there now; an end that was not touched is the account's own, to the millisecond. */
  onSend: (settings: GuestAccountSettings, key: string) => Promise<unknown>;
  onCancel: () => void;
}) {
  const { t } = useTranslation();
  const required = (value: string) => (value.trim() === "" ? t("forms.required") : null);
  const form = useForm({
    initialValues: initialOf(account),
    validate: {
      name: required,
      expirationDate: (value) => (instantOf(value) === undefined ? t("guests.fields.endRule") : null),
      profileLimit: (value, { limited }) => (limited && value === "" ? t("forms.required") : null),
    },
  });
  const fields = {
    name: { label: t("guests.fields.name"), rule: t("guests.fields.nameRule") },
    expirationDate: { label: t("guests.fields.end"), rule: t("guests.fields.endRule") },
    profileLimit: { label: t("guests.fields.limit"), rule: t("guests.fields.limitRule") },
    note: { label: t("guests.fields.note"), rule: t("guests.fields.noteRule") },
  };
  const { submit, busy, summary } = useSubmission({
    form,
    fields,
    send: ({ name, expirationDate, limited, profileLimit, note }, key) => {
      const untouched = account !== undefined && expirationDate === localTime(new Date(account.expirationDate));
      const settings = {
        name: name.trim(),
        expirationDate: untouched ? account.expirationDate : (instantOf(expirationDate)?.toISOString() ?? ""),
        note: note.trim() === "" ? null : note,
        profileLimit: limited ? Number(profileLimit) : null,
      };
      return onSend(settings, key);
    },
  });

  return (
    <Form onSubmit={submit}>
      {summary}
      <TextInput
        label={fields.name.label}
        description={t("guests.fields.nameHint")}
        required
        data-autofocus
        {...form.getInputProps("name")}
      />
      <TextInput
        type="datetime-local"
        label={fields.expirationDate.label}
        description={t("guests.fields.endHint", { zone: viewersZone() })}
        required
        {...form.getInputProps("expirationDate")}
      />
      <Switch label={t("guests.fields.limited")} {...form.getInputProps("limited", { type: "checkbox" })} />
      {form.values.limited && (
        <NumberInput
          label={fields.profileLimit.label}
          description={t("guests.fields.limitHint")}
          min={0}
          max={limitMax}
          clampBehavior="none"
          allowDecimal={false}
          required
          {...form.getInputProps("profileLimit")}
        />
      )}
      <Textarea
        label={fields.note.label}
        description={t("guests.fields.noteHint")}
        autosize
        minRows={2}
        maxRows={8}
        {...form.getInputProps("note")}
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          {t("confirm.cancel")}
        </Button>
        <Button type="submit" loading={busy}>
          {submitLabel}
        </Button>
      </Group>
    </Form>
  );
}

interface FormValues {
  name: string;
  expirationDate: string;
  limited: boolean;
  profileLimit: number | string;
  note: string;
}

function initialOf(account: GuestAccount | undefined): FormValues {
  if (account === undefined) {
    return { name: "", expirationDate: inAWeek(), limited: true, profileLimit: 20, note: "" };
  }
  const { name, expirationDate, profileLimit, note } = account;
  return {
    name,
    expirationDate: localTime(new Date(expirationDate)),
    limited: profileLimit !== null,
    profileLimit: profileLimit ?? 20,
    note: note ?? "",
  };
}

/** The end of the day a week from now. */
function inAWeek(): string {
  const at = new Date();
  at.setDate(at.getDate() + 7);
  at.setHours(23, 59, 0, 0);
  return localTime(at);
}
