import { Badge, Box, NavLink, Stack, Text } from "@mantine/core";
import { IconBook } from "../ui/icons.tsx";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useRouterState } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { api, listOf } from "../api/api-client.ts";
import { base } from "../api/page-settings.ts";
import { useMay } from "../session/may.ts";
import { useSession } from "../session/session.tsx";
import { navigation, placeAt, withinConsole, type PlaceName } from "./navigation.ts";

export function SideNavigation() {
  const { t } = useTranslation();
  const { realm } = useSession();
  const { pathname } = useLocation();
  // An unknown page highlights no place, even if its address is below that of a known page.
  const isNowhere = useRouterState({ select: ({ matches }) => matches.some(({ _notFound }) => _notFound) });
  const here = withinConsole(pathname);
  const may = useMay();
  const shown = navigation
    .map(({ group, places }) => ({ group, places: places.filter(({ name }) => may(name)) }))
    .filter(({ places }) => places.length > 0);
  return (
    <>
      <Box flex={1} style={{ overflowY: "auto" }}>
        <Stack gap="md">
          {shown.map(({ group, places }) => (
            <div key={group}>
              <Text size="xs" fw={600} c="dimmed" px="sm" pb={4}>
                {t(`nav.groups.${group}`)}
              </Text>
              {places.map(({ name, to, icon: Icon }) => {
                const active = !isNowhere && name === placeAt(here);
                return (
                  <NavLink
                    key={name}
                    component={Link}
                    to={to}
                    active={active}
                    aria-current={active ? "page" : undefined}
                    // By default, the router also marks a link as active at every address below the link's own.
                    activeOptions={{ exact: true }}
                    label={t(`nav.${name}`)}
                    leftSection={<Icon size={18} aria-hidden />}
                    rightSection={<Count of={name} />}
                    style={{ borderRadius: "var(--mantine-radius-md)" }}
                  />
                );
              })}
            </div>
          ))}
        </Stack>
      </Box>
      <NavLink
        href={`${base}/docs?realm=${encodeURIComponent(realm.name)}`}
        label={t("nav.docs")}
        leftSection={<IconBook size={18} aria-hidden />}
        style={{ borderRadius: "var(--mantine-radius-md)" }}
      />
    </>
  );
}

/**
 * Shows, beside the link to the bulk jobs, how many jobs are queued, running, being checked or being cancelled; beside
 * other links, nothing.
 */
function Count({ of }: { of: PlaceName }) {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ["jobs", "running"],
    queryFn: ({ signal }) =>
      listOf(
        api.GET("/api/jobs", {
          params: { query: { limit: 1, filter: { state: "checking,queued,running,cancelling" } } },
          signal,
        }),
      ),
    refetchInterval: 10_000,
    enabled: of === "jobs",
  });
  if (of !== "jobs" || data === undefined || data.total === 0) return null;
  return (
    <Badge size="sm" circle={data.total < 10} variant="filled" aria-label={t("nav.runningJobs", { count: data.total })}>
      {data.total}
    </Badge>
  );
}
