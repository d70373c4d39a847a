import { Button, FileButton, Group, Paper, Stack, Text, ThemeIcon } from "@mantine/core";
import { IconDownload, IconFileSpreadsheet, IconFolderOpen } from "../../../ui/icons.tsx";
import { useState, type DragEvent } from "react";
import { useTranslation } from "react-i18next";
import { viewer } from "../../../list/csv-reader.ts";
import { saveFile } from "../../../list/export-csv.ts";
import { templateOf } from "./columns-of.ts";
import { acceptedFiles } from "./file-type.ts";
import type { JobKind } from "../job.ts";
import { kindTexts } from "../kind-texts.ts";

/** Shows a place to drop a file, a button for users who do not drag, and a button that saves the template. */
export function FileDrop({ kind, onFile }: { kind: JobKind; onFile: (file: File) => void }) {
  const { t } = useTranslation();
  const [over, setOver] = useState(false);
  const choose = (file: File | null | undefined) => {
    if (file) onFile(file);
  };
  return (
    <Paper
      bd="1px dashed var(--mantine-color-default-border)"
      p="xl"
      {...(over && { bg: "var(--mantine-primary-color-light)", bd: "1px dashed var(--mantine-primary-color-filled)" })}
      onDragOver={(event: DragEvent) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => {
        setOver(false);
      }}
      onDrop={(event: DragEvent) => {
        event.preventDefault();
        setOver(false);
        choose(event.dataTransfer.files[0]);
      }}
    >
      <Stack align="center" gap="md">
        <ThemeIcon size={56} radius="xl" variant="light" aria-hidden>
          <IconFileSpreadsheet size={30} strokeWidth={1.5} />
        </ThemeIcon>
        <Text fw={600} ta="center">
          {over ? t("jobs.file.letGo") : t("jobs.file.drop")}
        </Text>
        <Group justify="center">
          <FileButton onChange={choose} accept={acceptedFiles} inputProps={{ "aria-label": t("jobs.file.choose") }}>
            {(props) => (
              <Button {...props} leftSection={<IconFolderOpen size={16} aria-hidden />}>
                {t("jobs.file.choose")}
              </Button>
            )}
          </FileButton>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => {
              saveFile(templateOf(kind, viewer()), t(kindTexts(kind).template));
            }}
          >
            {t("jobs.file.template")}
          </Button>
        </Group>
        <Text size="sm" c="dimmed" ta="center" maw={560}>
          {t("jobs.file.hint")}
        </Text>
      </Stack>
    </Paper>
  );
}
