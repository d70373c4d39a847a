import { Alert } from "@mantine/core";
import { useNetwork } from "@mantine/hooks";
import { IconWifiOff } from "../ui/icons.tsx";
import { useTranslation } from "react-i18next";

/** Shows a bar while there is no connection. */
export function OfflineBar() {
  const { t } = useTranslation();
  const { online } = useNetwork();
  return (
    <div role="status">
      {!online && (
        <Alert color="yellow" mb="md" icon={<IconWifiOff aria-hidden />} title={t("shell.offline")}>
          {t("shell.offlineText")}
        </Alert>
      )}
    </div>
  );
}
