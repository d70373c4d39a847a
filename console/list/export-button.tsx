import { Button } from "@mantine/core";
import { IconDownload } from "../ui/icons.tsx";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { ExportedList } from "../../domain/audit/exported-lists.ts";
import type { CsvColumn } from "../../domain/csv.ts";
import { useErrorMessage } from "../ui/notice/error-notice.tsx";
import { notifyFailed } from "../ui/notice/notify.tsx";
import { formatNumber } from "../ui/value/time.tsx";
import { viewer } from "./csv-reader.ts";
import { exportCsv, recordExport, saveFile, type LoadList } from "./export-csv.ts";
import type { ListQuery } from "./list-state.ts";

/** Shows a button that exports the whole filtered list and shows the progress; a second press stops the export. */
export function ExportButton<Row>({
  name,
  list,
  load,
  columns,
  query,
}: {
  name: string;
  /** The list's name in its audit entry. */
  list: ExportedList;
  load: LoadList<Row>;
  columns: readonly CsvColumn<Row>[];
  query: ListQuery;
}) {
  const { t, i18n } = useTranslation();
  const message = useErrorMessage();
  const running = useRef<AbortController>(undefined);
  const [progress, setProgress] = useState<string>();
  useEffect(() => () => running.current?.abort(), []);

  const run = async () => {
    const controller = new AbortController();
    running.current = controller;
    setProgress("…");
    try {
      const onProgress = (done: number, total: number) => {
        setProgress(`${formatNumber(done, i18n.language)} / ${formatNumber(total, i18n.language)}`);
      };
      const options = { columns, query, reader: viewer(), signal: controller.signal, onProgress };
      const { file, rows } = await exportCsv(load, options);
      await recordExport({ list, rows, query });
      saveFile(file, `${name}.csv`);
    } catch (error) {
      if (!controller.signal.aborted) notifyFailed(message(error as Error));
    } finally {
      setProgress(undefined);
    }
  };

  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      onClick={() => {
        if (progress === undefined) void run();
        else running.current?.abort();
      }}
    >
      {progress === undefined ? t("list.export") : t("list.exporting", { progress })}
    </Button>
  );
}
