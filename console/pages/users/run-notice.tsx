import { Alert, Button, Group, List, Progress, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "../../ui/icons.tsx";
import { useTranslation } from "react-i18next";
import { useErrorMessage } from "../../ui/notice/error-notice.tsx";
import { LeaveGuard } from "../../ui/dialog/leave-guard.tsx";
import { personName } from "../../ui/value/person.tsx";
import type { Run } from "./use-batch-action.ts";

interface RunNoticeProps {
  run: Run | undefined;
  onStop: () => void;
  onClose: () => void;
}

/**
 * Shows a run's progress with a stop button; at the end, the failures with their causes, and the people whom the run
 * did not process.
 */
export function RunNotice({ run, onStop, onClose }: RunNoticeProps) {
  const { t } = useTranslation();
  if (run === undefined) return null;
  if (run.ended) return <Ended run={run} onClose={onClose} />;
  const { verb, done, total } = run;
  if (total === 1) return null;
  const words = t("users.run.progress", { done, total });
  const doing = t(`users.run.verbs.${verb}`);
  return (
    <Stack gap={4}>
      <LeaveGuard when text={t("users.run.leave")} />
      <Group justify="space-between">
        <Text size="sm" role="status">
          {doing} {words}
        </Text>
        <Button size="xs" variant="default" onClick={onStop}>
          {t("users.run.stop")}
        </Button>
      </Group>
      <Progress.Root>
        <Progress.Section value={(done / total) * 100} aria-label={doing} aria-valuetext={words} />
      </Progress.Root>
    </Stack>
  );
}

function Ended({ run: { done, total, failures, left }, onClose }: { run: Run; onClose: () => void }) {
  const { t } = useTranslation();
  const message = useErrorMessage();
  return (
    <Alert
      color={failures.length > 0 ? "red" : "yellow"}
      role="alert"
      icon={<IconAlertTriangle aria-hidden />}
      title={
        left.length > 0
          ? t("users.run.stopped", { done, total })
          : t("users.run.failed", { count: failures.length, total })
      }
      withCloseButton
      closeButtonLabel={t("confirm.close")}
      onClose={onClose}
    >
      {failures.length > 0 && (
        <List size="sm">
          {failures.map(({ user, error }) => (
            <List.Item key={user.userID}>
              {personName(user)}: {message(error)}
            </List.Item>
          ))}
        </List>
      )}
      {left.length > 0 && (
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {t("users.run.left", { names: left.map(personName).join(", ") })}
        </Text>
      )}
    </Alert>
  );
}
