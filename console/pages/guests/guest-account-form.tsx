import { Button, Group, NumberInput, Switch, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { lastMinuteOf } from "../../../domain/time-zone.ts";
import { useSession, type GuestBounds } from "../../session/session.tsx";
import { ChangedMeanwhile, useMeanwhile } from "../../ui/notice/changed-meanwhile.tsx";
import { Form } from "../../ui/form/form.tsx";
import { instantOf, localTime, readersZone } from "../../session/local-time.ts";
import { unsent, useSubmission } from "../../ui/form/submission.tsx";
import { formatNumber, formatTime } from "../../ui/value/time.tsx";
import type { GuestAccount } from "./guest-accounts.ts";

/** The settings of a guest account in the API's format. */
export interface GuestAccountSettings {
  name: string;
  /** ISO 8601. */
  expirationDate: string;
  note: string | null;
  profileLimit: number | null;
}

const limitMax = 100_000;
const dayMs = 24 * 60 * 60 * 1000;

/** Shows the form for a new or existing guest account. */
export function GuestAccountForm({
  account,
  submitLabel,
  onSend,
  onCancel,
}: {
  account?: GuestAccount;
  submitLabel: string;
  /**
   * Receives the form's settings. If the user did not edit the end, the settings contain the account's own end, to the
   * millisecond. Returns the account's current state if the account has changed since the user saw it.
   */
  onSend: (
    settings: GuestAccountSettings,
    of: { key: string; seen: GuestAccount | undefined },
  ) => Promise<{ now: GuestAccount } | undefined>;
  onCancel: () => void;
}) {
  const { t, i18n } = useTranslation();
  const bounds = useSession().guestBounds ?? undefined;
  /** The version that the form's changes are based on. */
  const [seen, setSeen] = useState(account);
  const required = (value: string) => (value.trim() === "" ? t("forms.required") : null);
  const initial = initialOf(account, bounds);
  const form = useForm({
    initialValues: initial,
    validate: {
      name: required,
      expirationDate: (value) => (instantOf(value) === undefined ? t("guests.fields.endRule") : null),
      profileLimit: (value, { limited }) => (limited && value === "" ? t("forms.required") : null),
    },
  });
  const meanwhile = useMeanwhile(form, initial);
  const fields = {
    name: { label: t("guests.fields.name"), rule: t("guests.fields.nameRule") },
    expirationDate: {
      label: t("guests.fields.end"),
      rule:
        bounds === undefined ? t("guests.fields.endRule") : t("guests.fields.endBound", { count: bounds.guestDaysMax }),
    },
    profileLimit: {
      label: t("guests.fields.limit"),
      rule:
        bounds === undefined
          ? t("guests.fields.limitRule")
          : t("guests.fields.limitBound", { max: formatNumber(bounds.guestLimitMax, i18n.language) }),
    },
    note: { label: t("guests.fields.note"), rule: t("guests.fields.noteRule") },
  };
  const { submit, busy, summary, discard } = useSubmission({
    form,
    fields,
    draft: { name: `guest account ${account?.id ?? ""}` },
    async send({ name, expirationDate, limited, profileLimit, note }, { key }) {
      const untouched = seen !== undefined && expirationDate === localTime(new Date(seen.expirationDate));
      const settings = {
        name: name.trim(),
        expirationDate: untouched ? seen.expirationDate : (instantOf(expirationDate)?.toISOString() ?? ""),
        note: note.trim() === "" ? null : note,
        profileLimit: limited ? Number(profileLimit) : null,
      };
      const outcome = await onSend(settings, { key, seen });
      if (outcome === undefined) return undefined;
      setSeen(outcome.now);
      meanwhile.moved(initialOf(outcome.now, bounds));
      return unsent;
    },
  });
  const { outdated, read } = meanwhile;
  const shown = {
    name: ({ name }: FormValues) => name,
    expirationDate: ({ expirationDate }: FormValues) =>
      formatTime(instantOf(expirationDate) ?? new Date(), i18n.language),
    profileLimit: ({ limited, profileLimit }: FormValues) =>
      limited ? formatNumber(Number(profileLimit), i18n.language) : t("guests.unlimited"),
    note: ({ note }: FormValues) => (note === "" ? t("guests.noNote") : note),
  };

  return (
    <Form onSubmit={submit}>
      {summary}
      {outdated !== undefined && (
        <ChangedMeanwhile
          changes={(Object.keys(shown) as (keyof typeof shown)[])
            .filter((name) => shown[name](outdated) !== shown[name](read))
            .map((name) => [fields[name].label, shown[name](read)])}
          onTake={meanwhile.discard}
          onKeep={() => {
            submit();
          }}
        />
      )}
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
        description={`${t("guests.fields.endHint", { zone: readersZone() })}${bounds === undefined ? "" : ` ${fields.expirationDate.rule}`}`}
        required
        {...form.getInputProps("expirationDate")}
      />
      {(bounds === undefined || !form.values.limited) && (
        <Switch label={t("guests.fields.limited")} {...form.getInputProps("limited", { type: "checkbox" })} />
      )}
      {form.values.limited && (
        <NumberInput
          label={fields.profileLimit.label}
          description={`${t("guests.fields.limitHint")}${bounds === undefined ? "" : ` ${fields.profileLimit.rule}`}`}
          min={0}
          max={bounds?.guestLimitMax ?? limitMax}
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
        <Button
          variant="default"
          onClick={() => {
            discard();
            onCancel();
          }}
        >
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

function initialOf(account: GuestAccount | undefined, bounds: GuestBounds | undefined): FormValues {
  if (account === undefined) {
    const { guestDaysMax = Infinity, guestLimitMax = limitMax } = bounds ?? {};
    const latest = Date.now() + guestDaysMax * dayMs;
    return {
      name: "",
      expirationDate: localTime(new Date(Math.min(inAWeek().getTime(), latest))),
      limited: true,
      profileLimit: Math.min(20, guestLimitMax),
      note: "",
    };
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

/** Returns the end of the day a week from now. */
function inAWeek(): Date {
  return lastMinuteOf(localTime(new Date(Date.now() + 7 * dayMs)).slice(0, 10), readersZone());
}
