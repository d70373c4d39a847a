import { Button, Group, NumberInput, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { lastMinuteOf } from "../../../domain/time-zone.ts";
import { useSession } from "../../session/session.tsx";
import { Form } from "../../ui/form/form.tsx";
import { localTime } from "../../session/local-time.ts";
import { useSubmission } from "../../ui/form/submission.tsx";
import { formatNumber } from "../../ui/value/time.tsx";
import type { GuestAccountSettings } from "./guest-account-form.tsx";

/** The name of the stored input. */
export const eventDraft = "event";

const peopleMax = 5_000;
const devicesMax = 5;

const isWhole = (value: number | string, max: number): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= max;

const dayMs = 86_400_000;

const isDay = (text: string): boolean => !Number.isNaN(Date.parse(`${text}T00:00:00Z`));

/**
 * Shows the form that creates one guest account for all people at an event: one link, as many profiles as their devices
 * need, valid until the end of the last day. Each field that the API checks has the API's name.
 */
export function EventForm({
  onSend,
  onCancel,
}: {
  onSend: (settings: GuestAccountSettings, of: { key: string }) => Promise<unknown>;
  onCancel: () => void;
}) {
  const { t, i18n } = useTranslation();
  const { realm, guestBounds } = useSession();
  const { timeZone } = realm;
  const number = (value: number) => formatNumber(value, i18n.language);
  const fields = {
    name: { label: t("guests.fields.name"), rule: t("guests.fields.nameRule") },
    profileLimit: { label: t("guests.event.people") },
    devices: { label: t("guests.event.devices") },
    expirationDate: { label: t("guests.event.lastDay") },
  };
  const form = useForm<{
    name: string;
    profileLimit: number | string;
    devices: number | string;
    expirationDate: string;
  }>({
    initialValues: { name: "", profileLimit: 50, devices: 2, expirationDate: inAWeek() },
    validate: {
      name: (value) => (value.trim() === "" ? t("forms.required") : null),
      profileLimit: (value, { devices }) =>
        !isWhole(value, peopleMax)
          ? t("guests.event.wholeNumber", { max: number(peopleMax) })
          : guestBounds !== null && value * Number(devices) > guestBounds.guestLimitMax
            ? t("guests.event.limitBound", { max: number(guestBounds.guestLimitMax) })
            : null,
      devices: (value) =>
        isWhole(value, devicesMax) ? null : t("guests.event.wholeNumber", { max: number(devicesMax) }),
      expirationDate: (value) =>
        !isDay(value) || lastMinuteOf(value, timeZone) <= new Date()
          ? t("guests.event.lastDayRule")
          : guestBounds !== null &&
              lastMinuteOf(value, timeZone).getTime() > Date.now() + guestBounds.guestDaysMax * dayMs
            ? t("guests.fields.endBound", { count: guestBounds.guestDaysMax })
            : null,
    },
  });
  const { submit, busy, summary, discard } = useSubmission({
    form,
    fields,
    draft: { name: eventDraft },
    send: ({ name, profileLimit, devices, expirationDate }, { key }) =>
      onSend(
        {
          name: name.trim(),
          profileLimit: Number(profileLimit) * Number(devices),
          expirationDate: lastMinuteOf(expirationDate, timeZone).toISOString(),
          note: null,
        },
        { key },
      ),
  });
  const { profileLimit: people, devices } = form.values;

  return (
    <Form onSubmit={submit}>
      {summary}
      <TextInput
        label={fields.name.label}
        description={t("guests.fields.nameHint")}
        required
        {...form.getInputProps("name")}
      />
      <Group grow align="flex-start">
        <NumberInput
          label={fields.profileLimit.label}
          min={1}
          max={peopleMax}
          clampBehavior="none"
          allowDecimal={false}
          required
          {...form.getInputProps("profileLimit")}
        />
        <NumberInput
          label={fields.devices.label}
          min={1}
          max={devicesMax}
          clampBehavior="none"
          allowDecimal={false}
          required
          {...form.getInputProps("devices")}
        />
      </Group>
      <TextInput
        type="date"
        label={fields.expirationDate.label}
        description={t("guests.event.lastDayHint", { zone: timeZone })}
        required
        {...form.getInputProps("expirationDate")}
      />
      {isWhole(people, peopleMax) && isWhole(devices, devicesMax) && (
        <Text size="sm">{t("guests.event.result", { profiles: number(people * devices) })}</Text>
      )}
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
          {t("guests.event.create")}
        </Button>
      </Group>
    </Form>
  );
}

const inAWeek = (): string => localTime(new Date(Date.now() + 7 * dayMs)).slice(0, 10);
