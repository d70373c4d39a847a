import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorMessage } from "../../../ui/notice/error-notice.tsx";
import { notifyFailed } from "../../../ui/notice/notify.tsx";
import { startTest } from "./sign-in.ts";

/** Shows a button that sends the browser to the identity provider and back, without signing anybody in. */
export function TestButton({ of }: { of: "draft" | "current" }) {
  const { t } = useTranslation();
  const message = useErrorMessage();
  const [busy, setBusy] = useState(false);
  const start = async () => {
    setBusy(true);
    try {
      await startTest(of);
    } catch (error) {
      notifyFailed(message(error instanceof Error ? error : new Error("thrown", { cause: error })));
      setBusy(false);
    }
  };
  return (
    <Button variant="default" loading={busy} onClick={() => void start()}>
      {t("settings.signIn.test")}
    </Button>
  );
}
