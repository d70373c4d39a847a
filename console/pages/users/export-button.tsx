import { Button } from "@mantine/core";
import { IconFileDownload } from "../../ui/icons.tsx";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { userExportName } from "../../../domain/download-names.ts";
import { send } from "../../api/api-client.ts";
import { saveFile } from "../../list/export-csv.ts";
import { useErrorMessage } from "../../ui/notice/error-notice.tsx";
import { notifyDone, notifyFailed } from "../../ui/notice/notify.tsx";

/** Saves all data about a person as a file, for a subject access request. */
export function ExportButton({ userID }: { userID: string }) {
  const { t } = useTranslation();
  const message = useErrorMessage();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      const response = await send(`/api/user/${userID}/export`, {});
      saveFile(await response.blob(), userExportName(userID));
      notifyDone(t("users.export.done"));
      await queries.invalidateQueries({ queryKey: ["audit"] });
    } catch (error) {
      notifyFailed(message(error as Error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      variant="default"
      loading={busy}
      leftSection={<IconFileDownload size={16} aria-hidden />}
      onClick={() => void run()}
    >
      {t("users.export.label")}
    </Button>
  );
}
