import { Alert, Button, CopyButton, Group, List, Stack, Text } from "@mantine/core";
import { IconCopy, IconExternalLink, IconStethoscope } from "../ui/icons.tsx";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Allowed } from "../session/allowed.tsx";
import { formatTime } from "../ui/value/time.tsx";
import type { Schemas } from "../api/api-client.ts";
import type { Diagnosis } from "./activity.ts";
import { useDiagnosisText } from "./diagnosis-text.ts";
import { useStepText } from "./step-text.ts";

type NextStep = Diagnosis["next"][number];

const colors: Partial<Record<Diagnosis["code"], string>> = { good: "teal", silent: "yellow", never_asked: "yellow" };

/** Shows why a device may be off the network, and how to fix that. */
export function DiagnosisCard({
  diagnosis,
  device,
  identity,
  kind = "user",
  notes = [],
  act = {},
  isFirst = false,
}: {
  diagnosis: Diagnosis;
  /** The name of the diagnosed device. */
  device?: string | undefined;
  identity?: string | undefined;
  /** The kind of profile, since guests set up their devices in a different way. */
  kind?: Schemas["ProfileActivity"]["kind"];
  notes?: readonly Schemas["PersonNote"][];
  /**
   * The actions of the buttons for next steps. Every step is shown as text; `open_successor`, `check_radius` and
   * `give_identity` have buttons without an action here.
   */
  act?: Partial<Record<NextStep, (() => void) | undefined>>;
  /** True if the person has never had a device. */
  isFirst?: boolean;
}) {
  const { t, i18n } = useTranslation();
  const text = useDiagnosisText();
  const stepText = useStepText({ kind, isFirst });
  return (
    <Alert
      role="region"
      color={colors[diagnosis.code] ?? "orange"}
      icon={<IconStethoscope aria-hidden />}
      title={device === undefined ? t("diagnosis.title") : t("diagnosis.titleOf", { device })}
    >
      <Stack gap="xs">
        <Text fw={600} style={{ overflowWrap: "anywhere" }}>
          {text(diagnosis)}
        </Text>
        {notes.map(({ code, until }) => (
          <Text key={code} size="sm">
            {t(`diagnosis.notes.${code}`, {
              until: until === null ? "" : formatTime(new Date(until), i18n.language),
            })}
          </Text>
        ))}
        <List size="sm" listStyleType="none">
          {diagnosis.next.map((step) => (
            <List.Item key={step}>{stepText(step)}</List.Item>
          ))}
        </List>
        <Group gap="xs">
          {diagnosis.next.map((step) => (
            <StepButton key={step} step={step} diagnosis={diagnosis} identity={identity} act={act[step]} />
          ))}
        </Group>
      </Stack>
    </Alert>
  );
}

function StepButton({
  step,
  diagnosis: { detail },
  identity,
  act,
}: {
  step: NextStep;
  diagnosis: Diagnosis;
  identity: string | undefined;
  act: (() => void) | undefined;
}) {
  const { t } = useTranslation();
  const label = t(`diagnosis.actions.${step}`, { defaultValue: "" });
  const look = { size: "xs", variant: "default" } as const;
  if (step === "open_successor" && detail.serial !== undefined)
    return (
      <Button
        {...look}
        renderRoot={(props) => <Link to="/profiles" search={{ open: detail.serial ?? "" }} {...props} />}
        leftSection={<IconExternalLink size={14} aria-hidden />}
      >
        {label}
      </Button>
    );
  if (step === "check_radius")
    return (
      <Allowed to="infrastructure">
        <Button
          {...look}
          component={Link}
          to="/infrastructure"
          leftSection={<IconExternalLink size={14} aria-hidden />}
        >
          {label}
        </Button>
      </Allowed>
    );
  if (step === "give_identity" && identity !== undefined)
    return (
      <CopyButton value={identity} timeout={2_000}>
        {({ copied, copy }) => (
          <Button {...look} onClick={copy} leftSection={<IconCopy size={14} aria-hidden />}>
            {copied ? t("copy.copied") : label}
          </Button>
        )}
      </CopyButton>
    );
  if (act === undefined) return null;
  return (
    <Button {...look} onClick={act}>
      {label}
    </Button>
  );
}
