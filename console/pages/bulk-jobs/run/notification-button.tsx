import { Button } from "@mantine/core";
import { IconBell } from "../../../ui/icons.tsx";
import { useState } from "react";
import { useTranslation } from "react-i18next";

/** Shows a button that asks the browser for permission to notify the user when the job ends. */
export function NotificationButton() {
  const { t } = useTranslation();
  const [permission, setPermission] = useState(() => ("Notification" in window ? Notification.permission : "denied"));
  if (permission !== "default") return null;
  return (
    <Button
      variant="default"
      leftSection={<IconBell size={16} aria-hidden />}
      onClick={() => void Notification.requestPermission().then(setPermission)}
    >
      {t("jobs.notifyMe")}
    </Button>
  );
}
