import { Alert, Button, Center, Loader, Text } from "@mantine/core";
import { IconWifiOff } from "./icons.tsx";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { FileNotLoaded, isServiceReachable, nextChance, reloadOnce } from "./load-file.ts";
import { ErrorNotice } from "./notice/error-notice.tsx";
import { Page } from "./page.tsx";

/** Shows an error in place of a page that failed to render. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation();
  if (error instanceof FileNotLoaded) return <PageNotLoaded />;
  return (
    <Page title={t("shell.broken")}>
      <ErrorNotice error={error instanceof Error ? error : new Error("thrown", { cause: error })} onRetry={reset} />
    </Page>
  );
}

/**
 * Replaces a page whose file did not load. Reloads when the service can be reached; if the file is still missing then,
 * waits for the user.
 */
function PageNotLoaded() {
  const { t } = useTranslation();
  const [found, setFound] = useState<"offline" | "missing">();
  const [trying, setTrying] = useState(false);

  const load = async (reload: () => boolean) => {
    setTrying(true);
    const reachable = await isServiceReachable();
    if (reachable && reload()) return;
    setFound(reachable ? "missing" : "offline");
    setTrying(false);
  };
  const loadAgain = () =>
    load(() => {
      location.reload();
      return true;
    });
  useEffect(() => void load(reloadOnce), []);
  useEffect(() => {
    if (found !== "offline" || trying) return undefined;
    let isShown = true;
    void nextChance().then(() => (isShown ? loadAgain() : undefined));
    return () => {
      isShown = false;
    };
  }, [found, trying]);

  if (found === undefined) {
    return (
      <Center mih="40vh" role="status" aria-label={t("shell.loading")}>
        <Loader />
      </Center>
    );
  }
  return (
    <Page title={t("shell.notLoaded.title")}>
      <Alert color="yellow" icon={<IconWifiOff aria-hidden />} role="alert">
        <Text size="sm">{t(`shell.notLoaded.${found}`)}</Text>
        <Button size="xs" mt="sm" variant="default" loading={trying} onClick={() => void loadAgain()}>
          {t("errors.retry")}
        </Button>
      </Alert>
    </Page>
  );
}
