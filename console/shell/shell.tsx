import { Alert, Anchor, Button, Center, Loader, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Navigate, Outlet, useLocation } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { base } from "../api/page-settings.ts";
import { KeepAlive } from "../session/keep-alive.tsx";
import { pageAt, useMay } from "../session/may.ts";
import { SessionProvider, signOut, useSession } from "../session/session.tsx";
import { ErrorNotice } from "../ui/notice/error-notice.tsx";
import { loadPart } from "../ui/load-file.ts";
import { Header } from "./header.tsx";
import { places, withinConsole } from "./navigation.ts";
import { OfflineBar } from "./offline-bar.tsx";
import { Palette } from "./palette.tsx";
import { SessionEndNotice } from "./session-end-notice.tsx";
import { Shortcuts } from "./shortcuts.tsx";
import { SideNavigation } from "./side-navigation.tsx";

// Loaded on demand: it contains the rules of roles, which are not needed for a page that the user may see.
const NeedsRole = lazy(() => loadPart(() => import("./needs-role.tsx")));

/** Shows the frame around every page. */
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
  const { roles } = useSession();
  const [opened, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  useEffect(close, [pathname, close]);

  if (roles.length === 0) return <NoRole />;
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
          <PermittedPage path={withinConsole(pathname)} />
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

/** Shows a page if the user may see it. A user without access to the dashboard starts at the first permitted page. */
function PermittedPage({ path }: { path: string }) {
  const may = useMay();
  const page = pageAt(path);
  if (page === undefined || may(page)) return <Outlet />;
  const first = page === "dashboard" ? places.find(({ name }) => may(name)) : undefined;
  return first === undefined ? <NeedsRole page={page} /> : <Navigate to={first.to} replace />;
}

function NoRole() {
  const { t } = useTranslation();
  const { user } = useSession();
  return (
    <Center mih="100vh" p="md" component="main">
      <Stack maw={480}>
        <Title order={1} size="h2">
          {t("shell.noRole")}
        </Title>
        <Alert color="gray">{t("shell.noRoleText", { name: user.name })}</Alert>
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
