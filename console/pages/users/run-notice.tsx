import { Alert, List, Progress, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useErrorMessage } from "../../ui/error-notice.tsx";
import { personName } from "../../ui/person.tsx";
import type { Run } from "./use-batch-action.ts";

/** How far a run is, or whom it failed for and why. */
export function RunNotice({ run, onClose }: { run: Run | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  const message = useErrorMessage();
  if (run === undefined) return null;
  const { verb, done, total, failures, ended } = run;
  if (ended)
    return (
      <Alert
        color="red"
        role="alert"
        icon={<IconAlertTriangle aria-hidden />}
        title={t("users.run.failed", { count: failures.length, total })}
        withCloseButton
        closeButtonLabel={t("confirm.close")}
        onClose={onClose}
      >
        <List size="sm">
          {failures.map(({ user, error }) => (
            <List.Item key={user.userID}>
              {personName(user)}: {message(error)}
            </List.Item>
          ))}
        </List>
      </Alert>
    );
  if (total === 1) return null;
  const words = t("users.run.progress", { done, total });
  return (
    <Stack gap={4}>
      <Text size="sm" role="status">
        {t(`users.run.verbs.${verb}`)} {words}
      </Text>
      <Progress.Root>
        <Progress.Section
          value={(done / total) * 100}
          aria-label={t(`users.run.verbs.${verb}`)}
          aria-valuetext={words}
        />
      </Progress.Root>
    </Stack>
  );
}
