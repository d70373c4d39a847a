import { Alert, Button, Group, Text } from "@mantine/core";
import { IconHistory } from "../icons.tsx";
import { useTranslation } from "react-i18next";
import type { KeptForm } from "./draft.ts";

/** Explains that a form shows earlier input, and offers to discard it. */
export function RestoredInput({ restored, discard }: Pick<KeptForm, "restored" | "discard">) {
  const { t } = useTranslation();
  return (
    <div role="status" className="message-region">
      {restored && (
        <Alert color="blue" icon={<IconHistory aria-hidden />}>
          <Group justify="space-between" gap="xs">
            <Text size="sm">{t("forms.restored")}</Text>
            <Button size="compact-sm" variant="default" onClick={discard}>
              {t("forms.discardInput")}
            </Button>
          </Group>
        </Alert>
      )}
    </div>
  );
}
