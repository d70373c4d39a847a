import { SimpleGrid, Stack } from "@mantine/core";
import { IconDeviceLaptop, IconHourglass, IconListCheck, IconShieldCheck } from "../../ui/icons.tsx";
import { useTranslation } from "react-i18next";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { StatusBadge } from "../../ui/value/status-badge.tsx";
import { formatNumber, Time } from "../../ui/value/time.tsx";
import { NumberCard } from "./number-card.tsx";
import type { Overview } from "./overview.ts";
import { useSpan } from "./span.ts";

const expiringDays = 30;

/**
 * Shows the number of active profiles, waiting requests and expiring profiles, and the state of the revocation list,
 * each with a link to a related list.
 */
export function NumberCards({ overview }: { overview: Overview }) {
  const { t, i18n } = useTranslation();
  const number = (value: number) => formatNumber(value, i18n.language);
  const span = useSpan();
  const { profiles, issuances, workers } = overview;
  const change = profiles.issued.last7Days - profiles.revoked.last7Days;
  const until = new Date(Date.parse(overview.at) + expiringDays * 86_400_000).toISOString();
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
      <NumberCard
        icon={IconDeviceLaptop}
        title={
          <AnchorLink to="/profiles" inherit>
            {t("dashboard.profiles.title")}
          </AnchorLink>
        }
        value={number(profiles.active)}
      >
        {t("dashboard.profiles.change", {
          change: `${change > 0 ? "+" : change < 0 ? "−" : "±"}${number(Math.abs(change))}`,
        })}
        <br />
        {t("dashboard.profiles.trend", {
          issued: number(profiles.issued.last7Days),
          revoked: number(profiles.revoked.last7Days),
        })}
      </NumberCard>
      <NumberCard
        icon={IconListCheck}
        title={
          <AnchorLink to="/jobs" inherit>
            {t("dashboard.queue.title")}
          </AnchorLink>
        }
        value={number(issuances.waiting)}
      >
        {t("dashboard.queue.workers", { count: workers.alive, formatted: number(workers.alive) })}
        <br />
        {issuances.oldestSeconds === null
          ? t("dashboard.queue.nobodyWaits")
          : t("dashboard.queue.oldest", { span: span(issuances.oldestSeconds) })}
      </NumberCard>
      <NumberCard
        icon={IconHourglass}
        title={
          <AnchorLink to="/profiles" search={{ minExpirationTime: overview.at, maxExpirationTime: until }} inherit>
            {t("dashboard.expiring.title")}
          </AnchorLink>
        }
        value={number(profiles.expiring.within30Days)}
      >
        {t("dashboard.expiring.soon", {
          count: profiles.expiring.within7Days,
          formatted: number(profiles.expiring.within7Days),
        })}
      </NumberCard>
      <RevocationCard lists={overview.revocationLists} />
    </SimpleGrid>
  );
}

const worst = { stale: 0, due: 1, fresh: 2 } as const;

/** Shows the revocation list in the worst state: an outdated list shuts people out. */
function RevocationCard({ lists }: { lists: Overview["revocationLists"] }) {
  const { t } = useTranslation();
  const [list] = lists.toSorted((one, other) => worst[one.state] - worst[other.state]);
  return (
    <NumberCard
      icon={IconShieldCheck}
      title={
        <AnchorLink to="/profiles" search={{ state: "revoked" }} inherit>
          {t("dashboard.revocation.title")}
        </AnchorLink>
      }
      value={list === undefined ? "–" : <StatusBadge status={list.state} />}
    >
      {list === undefined ? (
        t("dashboard.revocation.none")
      ) : (
        <Stack gap={0}>
          <span>
            {t("dashboard.revocation.published")}{" "}
            {list.publishedAt === null ? t("dashboard.revocation.never") : <Time at={list.publishedAt} />}
          </span>
          {list.nextUpdate !== null && (
            <span>
              {t("dashboard.revocation.until")} <Time at={list.nextUpdate} />
            </span>
          )}
          {lists.length > 1 && <span>{t("dashboard.revocation.lists", { count: lists.length })}</span>}
        </Stack>
      )}
    </NumberCard>
  );
}
