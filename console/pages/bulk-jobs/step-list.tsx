import { Group, Text, ThemeIcon } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Job } from "./job.ts";

const steps = ["file", "check", "confirm", "run", "result"] as const;
export type Step = (typeof steps)[number];

/** Returns the step that a job is at. */
export const stepOf = ({ state }: Pick<Job, "state">): Step => {
  if (state === "checking") return "check";
  if (state === "ready") return "confirm";
  return state === "scheduled" || state === "queued" || state === "running" || state === "cancelling"
    ? "run"
    : "result";
};

/** The steps of a bulk job with the current one marked. Its rows came from a file or were `selected` in a list. */
export function StepList({ current, selected = false }: { current: Step; selected?: boolean }) {
  const { t } = useTranslation();
  const at = steps.indexOf(current);
  return (
    <Group component="ol" gap="lg" m={0} p={0} aria-label={t("jobs.steps.label")} style={{ listStyle: "none" }}>
      {steps.map((step, index) => (
        <Group
          key={step}
          component="li"
          gap={8}
          wrap="nowrap"
          aria-current={step === current ? "step" : undefined}
          {...(index > at && { c: "dimmed" })}
        >
          <ThemeIcon
            size={24}
            radius="xl"
            aria-hidden
            {...(index > at
              ? ({ variant: "default" } as const)
              : ({ variant: index < at ? "light" : "filled" } as const))}
          >
            {index < at ? <IconCheck size={14} /> : <Text size="xs">{index + 1}</Text>}
          </ThemeIcon>
          <Text size="sm" fw={step === current ? 600 : undefined}>
            {t(step === "file" && selected ? "jobs.steps.selection" : `jobs.steps.${step}`)}
          </Text>
        </Group>
      ))}
    </Group>
  );
}
