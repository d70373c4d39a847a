import type { ErrorComponentProps } from "@tanstack/react-router";
import { ErrorNotice } from "./error-notice.tsx";
import { Page } from "./page.tsx";
import { useTranslation } from "react-i18next";

/** Instead of a page that could not be shown. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation();
  return (
    <Page title={t("shell.broken")}>
      <ErrorNotice error={error instanceof Error ? error : new Error("thrown", { cause: error })} onRetry={reset} />
    </Page>
  );
}
