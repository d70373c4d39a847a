import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { CopyBox } from "../../ui/value/copy-box.tsx";

/** Shows a setting that is read-only here, with the operator's command that changes it. */
export function LockedSetting({
  label,
  isTitle = false,
  command,
  children,
}: {
  label: string;
  /** True if the label is already the card's title. */
  isTitle?: boolean;
  command: string;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <Stack gap={4}>
      {!isTitle && (
        <Text size="sm" fw={500}>
          {label}
        </Text>
      )}
      {children}
      <Text size="sm" c="dimmed">
        {t("settings.lockedCommand")}
      </Text>
      <CopyBox text={command} label={t("settings.commandFor", { name: label })} />
    </Stack>
  );
}
