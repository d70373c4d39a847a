import { Alert, Button, Checkbox, Group, Stack } from "@mantine/core";
import { IconEyeOff } from "../icons.tsx";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { LeaveGuard } from "./leave-guard.tsx";

/**
 * Shows content that is shown only once. To prevent accidents, it closes only when the user confirms that the content
 * is stored.
 */
export function ShownOnce({
  title,
  warning,
  children,
  storedLabel,
  doneLabel,
  onDone,
}: {
  title: string;
  warning: string;
  children: ReactNode;
  storedLabel: string;
  doneLabel: string;
  onDone: () => void;
}) {
  const { t } = useTranslation();
  const [stored, setStored] = useState(false);
  return (
    <Stack>
      <LeaveGuard when={!stored} text={t("forms.leaveShownOnce")} />
      <Alert color="orange" icon={<IconEyeOff aria-hidden />} title={title}>
        {warning}
      </Alert>
      {children}
      <Group justify="space-between">
        <Checkbox
          checked={stored}
          label={storedLabel}
          onChange={(event) => {
            setStored(event.currentTarget.checked);
          }}
        />
        <Button disabled={!stored} onClick={onDone}>
          {doneLabel}
        </Button>
      </Group>
    </Stack>
  );
}
