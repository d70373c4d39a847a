import { Button, Menu, Text } from "@mantine/core";
import { IconFileDownload } from "../../ui/icons.tsx";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { auditLogName } from "../../../domain/download-names.ts";
import { saveFile } from "../../list/export-csv.ts";
import { useErrorMessage } from "../../ui/notice/error-notice.tsx";
import { notifyDone, notifyFailed } from "../../ui/notice/notify.tsx";
import { apiFilterOf } from "./load-entries.ts";
import { logForms, receiveLog, type LogForm } from "./log-file.ts";

/**
 * Shows a menu that downloads the filtered log as CSV or NDJSON, and how much has arrived; a second press stops the
 * download.
 */
export function DownloadLog({ filter: written, search }: { filter: Readonly<Record<string, string>>; search: string }) {
  const { t, i18n } = useTranslation();
  const message = useErrorMessage();
  const queries = useQueryClient();
  const running = useRef<AbortController>(undefined);
  const [received, setReceived] = useState<number>();
  useEffect(() => () => running.current?.abort(), []);

  const run = async (form: LogForm) => {
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    setReceived(0);
    try {
      const filter = (await apiFilterOf(written, queries)) ?? written;
      saveFile(await receiveLog(form, { filter, search, signal, onProgress: setReceived }), auditLogName(form));
      notifyDone(t("audit.download.done"));
      await queries.invalidateQueries({ queryKey: ["audit"] });
    } catch (error) {
      if (!signal.aborted) notifyFailed(message(error as Error));
    } finally {
      setReceived(undefined);
    }
  };

  return (
    <Menu position="bottom-start" width={280} disabled={received !== undefined}>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconFileDownload size={16} aria-hidden />}
          {...(received !== undefined && { onClick: () => running.current?.abort() })}
        >
          {received === undefined
            ? t("audit.download.label")
            : t("audit.download.running", { received: megabytes(received, i18n.language) })}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {logForms.map((form) => (
          <Menu.Item key={form} onClick={() => void run(form)}>
            {t(`audit.download.${form}`)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Text size="xs" c="dimmed" px="sm" py={4} maw={260}>
          {t("audit.download.note")}
        </Text>
      </Menu.Dropdown>
    </Menu>
  );
}

const megabytes = (bytes: number, language: string): string =>
  new Intl.NumberFormat(language, { style: "unit", unit: "megabyte", maximumFractionDigits: 1 }).format(bytes / 1e6);
