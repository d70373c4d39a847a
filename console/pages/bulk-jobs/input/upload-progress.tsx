import { Button, Group, Paper, Progress, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";

/**
 * Shows how much of a file has been sent. After the end of the upload, shows that the service is still reading the
 * file.
 */
export function UploadProgress({ share, onStop }: { share: number; onStop: () => void }) {
  const { t } = useTranslation();
  const percent = Math.round(share * 100);
  const words = share < 1 ? t("jobs.upload.percent", { percent }) : t("jobs.upload.reading");
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Text role="status" fw={600}>
          {share < 1 ? t("jobs.upload.title") : t("jobs.upload.reading")}
        </Text>
        <Progress.Root
          size="lg"
          role="progressbar"
          aria-label={t("jobs.upload.title")}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={percent}
          aria-valuetext={words}
        >
          <Progress.Section withAria={false} value={percent} animated={share >= 1} />
        </Progress.Root>
        <Group justify="space-between">
          <Text size="sm" c="dimmed" aria-hidden>
            {words}
          </Text>
          <Button variant="default" onClick={onStop}>
            {t("jobs.upload.stop")}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
