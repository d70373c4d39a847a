import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { api, dataOf } from "../../../api/api-client.ts";
import Bars from "../../../ui/picture/bars.tsx";
import { Picture } from "../../../ui/picture/picture.tsx";
import { formatNumber } from "../../../ui/value/time.tsx";
import { useWeekName } from "../../../ui/picture/moments.ts";

const refetchMs = 60_000;

/** Shows the profiles that expire in each week of a year; a bar opens the profiles of its week. */
export function Expiries() {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const nameOf = useWeekName();
  const number = (value: number) => formatNumber(value, i18n.language);
  const loaded = useQuery({
    queryKey: ["overview", "expiries"],
    queryFn: ({ signal }) => dataOf(api.GET("/api/overview/expiries", { signal })),
    refetchInterval: refetchMs,
  });
  return (
    <Picture
      title={t("pictures.expiries.title")}
      loaded={loaded}
      summary={({ weeks }) => {
        const total = weeks.reduce((sum, { profiles }) => sum + profiles, 0);
        const [most] = weeks.toSorted((one, other) => other.profiles - one.profiles);
        if (most === undefined || total === 0) return t("pictures.expiries.nothing");
        const filled = { count: total, total: number(total), week: nameOf(most.from), most: number(most.profiles) };
        return t("pictures.expiries.summary", filled);
      }}
      chart={({ weeks }) => (
        <Bars
          label={t("pictures.expiries.title")}
          bars={weeks.map(({ from, profiles }) => ({
            key: from,
            name: t("pictures.expiries.week", { week: nameOf(from), profiles: number(profiles) }),
            up: profiles,
          }))}
          onOpen={(index) => {
            const week = weeks[index];
            if (week === undefined) return;
            const search = { minExpirationTime: week.from, maxExpirationTime: week.until };
            void navigate({ to: "/profiles", search });
          }}
        />
      )}
      table={({ weeks }) => ({
        columns: [t("pictures.expiries.columns.week"), t("pictures.expiries.columns.profiles")],
        rows: weeks.map(({ from, profiles }) => ({ key: from, cells: [nameOf(from), number(profiles)] })),
      })}
    />
  );
}
