import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { CopyBox } from "../../ui/value/copy-box.tsx";
import { StatusBadge } from "../../ui/value/status-badge.tsx";
import { ConfirmNetworks } from "./confirm-networks.tsx";
import { DomainCommands } from "./domain-commands.tsx";
import { idOfStep, type Setup, type SetupStep } from "./setup.ts";
import { StepFacts } from "./step-facts.tsx";
import { StepLinks } from "./step-links.tsx";

/** Shows the steps until a realm's first devices are on the network, each with its state, facts and links. */
export function Checklist({ setup: { steps } }: { setup: Setup }) {
  return (
    <Stack component="ol" gap="sm" m={0} p={0} style={{ listStyle: "none" }}>
      {steps.map((step, index) => (
        <Step key={step.step} step={step} number={index + 1} />
      ))}
    </Stack>
  );
}

function Step({ step, number }: { step: SetupStep; number: number }) {
  const { t } = useTranslation();
  const name = step.step;
  const { command } = step.action;
  return (
    <Paper component="li" id={idOfStep(name)} tabIndex={-1} withBorder p="md">
      <Stack gap="xs">
        <Group justify="space-between" align="flex-start" gap="xs">
          <Title order={3} size="h5">
            {number}. {t(`setup.steps.${name}.title`)}
          </Title>
          <StatusBadge status={step.state} />
        </Group>
        <Text size="sm">{t([`setup.steps.${name}.${step.state}`, `setup.steps.${name}.todo`])}</Text>
        <StepFacts step={step} />
        {step.step === "wifi" && step.state === "todo" && <ConfirmNetworks ssids={step.facts.ssids} />}
        <StepLinks step={step} />
        {command !== null && step.state !== "done" && (
          <>
            <Text size="sm" c="dimmed">
              {t("setup.command")}
            </Text>
            {name === "domain" ? (
              <DomainCommands command={command} />
            ) : (
              <CopyBox text={command} label={t("setup.command")} />
            )}
          </>
        )}
      </Stack>
    </Paper>
  );
}
