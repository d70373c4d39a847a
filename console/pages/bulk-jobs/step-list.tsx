import { Group, Text, ThemeIcon, VisuallyHidden } from "@mantine/core";
import { IconCheck, IconMinus } from "../../ui/icons.tsx";
import { useTranslation } from "react-i18next";
import { steps, type Step } from "./steps.ts";

const none: ReadonlySet<Step> = new Set();

/**
 * Shows the steps of a bulk job, with the current step marked and a tick at each step in `made`. `selected` means that
 * the user selected the job's rows in a list; otherwise the rows come from a file.
 */
export function StepList({
  current,
  made = none,
  selected = false,
}: {
  current: Step;
  made?: ReadonlySet<Step>;
  selected?: boolean;
}) {
  const { t } = useTranslation();
  const at = steps.indexOf(current);
  return (
    <Group component="ol" gap="lg" m={0} p={0} aria-label={t("jobs.steps.label")} style={{ listStyle: "none" }}>
      {steps.map((step, index) => {
        const isSkipped = index < at && !made.has(step);
        return (
          <Group
            key={step}
            component="li"
            gap={8}
            wrap="nowrap"
            aria-current={step === current ? "step" : undefined}
            {...((index > at || isSkipped) && { c: "dimmed" })}
          >
            <ThemeIcon
              size={24}
              radius="xl"
              aria-hidden
              variant={step === current ? "filled" : made.has(step) ? "light" : "default"}
            >
              {made.has(step) ? (
                <IconCheck size={14} />
              ) : isSkipped ? (
                <IconMinus size={14} />
              ) : (
                <Text size="xs">{index + 1}</Text>
              )}
            </ThemeIcon>
            <Text size="sm" fw={step === current ? 600 : undefined}>
              {t(step === "file" && selected ? "jobs.steps.selection" : `jobs.steps.${step}`)}
              {isSkipped && <VisuallyHidden component="span">{` (${t("jobs.steps.notRun")})`}</VisuallyHidden>}
            </Text>
          </Group>
        );
      })}
    </Group>
  );
}
