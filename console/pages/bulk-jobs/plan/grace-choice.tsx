import { Group, NumberInput, Radio, Stack } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { graceDaysMax } from "../../../../domain/lifetimes.ts";

const week = 7;
type Choice = "now" | "week" | "other";

const choiceOf = (days: number | null): Choice => (days === null ? "now" : days === week ? "week" : "other");

/** Asks when the devices of offboarded people lose access: immediately, in a week, or after a number of days. */
export function GraceChoice({
  days,
  hint,
  onChange,
}: {
  /** Null: immediately; undefined: an invalid number. */
  days: number | null | undefined;
  hint?: string;
  onChange: (days: number | null | undefined) => void;
}) {
  const { t } = useTranslation();
  const [choice, setChoice] = useState<Choice>(choiceOf(days ?? null));
  const choose = (chosen: Choice) => {
    setChoice(chosen);
    onChange(chosen === "now" ? null : week);
  };
  return (
    <Radio.Group
      label={t("jobs.start.devices.label")}
      description={hint}
      value={choice}
      onChange={(value) => {
        choose(value);
      }}
    >
      <Stack gap="xs" mt="xs">
        <Radio value="now" label={t("jobs.start.devices.now")} />
        <Radio value="week" label={t("jobs.start.devices.week")} />
        <Radio value="other" label={t("jobs.start.devices.other")} />
        {choice === "other" && (
          <Group>
            <NumberInput
              label={t("jobs.start.devices.days", { max: graceDaysMax })}
              min={1}
              max={graceDaysMax}
              allowDecimal={false}
              value={days ?? ""}
              required
              onChange={(value) => {
                const given = Number(value);
                onChange(Number.isInteger(given) && given >= 1 && given <= graceDaysMax ? given : undefined);
              }}
            />
          </Group>
        )}
      </Stack>
    </Radio.Group>
  );
}
