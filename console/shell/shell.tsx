import { Alert, Anchor, Button, Center, Loader, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Outlet, useLocation } from "@tanstack/react-router";
import { Suspense, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { base } from "../api/page-settings.ts";
import { KeepAlive } from "../session/keep-alive.tsx";
import { SessionProvider, signOut, useSession } from "../session/session.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Header } from "./header.tsx";
import { OfflineBar } from "./offline-bar.tsx";
import { Palette } from "./palette.tsx";
import { SessionEndNotice } from "./session-end-notice.tsx";
import { Shortcuts } from "./shortcuts.tsx";
import { SideNavigation } from "./side-navigation.tsx";

/** What is around every page. */
export function Shell() {
  return (
    <SessionProvider
      loading={<Loading />}
      failed={(error, again) => (
        <Center mih="100vh" p="md" component="main">
          <ErrorNotice error={error} onRetry={again} />
        </Center>
      )}
    >
      <Frame />
    </SessionProvider>
  );
}

function Frame() {
  const { t } = useTranslation();
  const { administrator } = useSession();
  const [opened, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  useEffect(close, [pathname, close]);

  if (!administrator) return <NoAdministrator />;
  return (
    <div className="frame">
      <a className="skip-link" href="#content">
        {t("shell.skip")}
      </a>
      <header className="frame-header">
        <Header opened={opened} onToggle={toggle} />
      </header>
      <nav className="frame-navigation" data-opened={opened || undefined} aria-label={t("shell.navigation")}>
        <SideNavigation />
      </nav>
      <main className="frame-main" id="content" tabIndex={-1}>
        <OfflineBar />
        <SessionEndNotice />
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </main>
      <Palette />
      <Shortcuts />
      <KeepAlive />
    </div>
  );
}

function Loading() {
  const { t } = useTranslation();
  return (
    <Center mih="40vh" role="status" aria-label={t("shell.loading")}>
      <Loader />
    </Center>
  );
}

function NoAdministrator() {
  const { t } = useTranslation();
  const { user } = useSession();
  return (
    <Center mih="100vh" p="md" component="main">
      <Stack maw={480}>
        <Title order={1} size="h2">
          {t("shell.noAdministrator")}
        </Title>
        <Alert color="gray">{t("shell.noAdministratorText", { name: user.name })}</Alert>
        <Button component="a" href={`${base}/me`}>
          {t("shell.myDevices")}
        </Button>
        <Text size="sm">
          <Anchor component="button" type="button" onClick={() => void signOut()}>
            {t("shell.signOut")}
          </Anchor>
        </Text>
      </Stack>
    </Center>
  );
}
