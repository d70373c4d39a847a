import { Button, Group } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, dataOf } from "../../api/api-client.ts";
import { Allowed } from "../../session/allowed.tsx";
import { ErrorNotice } from "../../ui/notice/error-notice.tsx";
import { notifyDone } from "../../ui/notice/notify.tsx";
import { setupKey } from "./setup.ts";

/** Shows a button that confirms networks whose names are already correct. */
export function ConfirmNetworks({ ssids }: { ssids: string[] }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const names = ssids.join(", ");
  const confirmThem = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await dataOf(api.PUT("/api/realm/settings", { body: { ssids } }));
      await queries.invalidateQueries({ queryKey: setupKey });
      notifyDone(t("setup.networksConfirmed", { names }));
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Allowed to="changeSettings">
      {error !== undefined && <ErrorNotice error={error} />}
      <Group>
        <Button variant="default" size="xs" loading={busy} onClick={() => void confirmThem()}>
          {t("setup.confirmNetworks", { names, count: ssids.length })}
        </Button>
      </Group>
    </Allowed>
  );
}
