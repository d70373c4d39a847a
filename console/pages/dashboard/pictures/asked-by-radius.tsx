import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { api, dataOf, type Schemas } from "../../../api/api-client.ts";
import Bars from "../../../ui/picture/bars.tsx";
import { Picture } from "../../../ui/picture/picture.tsx";
import { formatNumber, formatRelative } from "../../../ui/value/time.tsx";
import { refetchMs } from "../overview.ts";
import { useHourName } from "../../../ui/picture/moments.ts";

type RadiusPicture = Schemas["RadiusPicture"];
type Hour = RadiusPicture["hours"][number];

const hourMs = 3_600_000;

/** Shows for a week how many OCSP responses RADIUS servers got in each hour. A bar opens the audit log of its hour. */
export function AskedByRadius() {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const nameOf = useHourName();
  const number = (value: number) => formatNumber(value, i18n.language);
  const loaded = useQuery({
    queryKey: ["overview", "radius"],
    queryFn: ({ signal }) => dataOf(api.GET("/api/overview/radius", { signal })),
    refetchInterval: refetchMs,
  });
  const numbersOf = ({ good, refused, weekBefore }: Hour) => ({
    good: number(good),
    refused: number(refused),
    goodBefore: number(weekBefore.good),
    refusedBefore: number(weekBefore.refused),
  });
  return (
    <Picture
      title={t("pictures.radius.title")}
      loaded={loaded}
      summary={({ hours }) => {
        const sum = (of: "good" | "refused") => hours.reduce((total, hour) => total + hour[of], 0);
        const [good, refused] = [sum("good"), sum("refused")];
        if (good + refused === 0) return t("pictures.radius.nothing");
        return t("pictures.radius.summary", { good: number(good), refused: number(refused) });
      }}
      chart={({ hours }) => (
        <Bars
          label={t("pictures.radius.title")}
          bars={hours.map((hour) => ({
            key: hour.from,
            name: t("pictures.radius.hour", { hour: nameOf(hour.from), ...numbersOf(hour) }),
            up: hour.good,
            down: hour.refused,
            shade: { up: hour.weekBefore.good, down: hour.weekBefore.refused },
          }))}
          onOpen={(index) => {
            const from = hours[index]?.from;
            if (from === undefined) return;
            const until = new Date(Date.parse(from) + hourMs - 1).toISOString();
            void navigate({ to: "/audit", search: { minDate: from, maxDate: until } });
          }}
        />
      )}
      table={({ hours }) => ({
        columns: (["from", "good", "refused", "goodBefore", "refusedBefore"] as const).map((column) =>
          t(`pictures.radius.columns.${column}`),
        ),
        rows: hours.toReversed().map((hour) => {
          const { good, refused, goodBefore, refusedBefore } = numbersOf(hour);
          return { key: hour.from, cells: [nameOf(hour.from), good, refused, goodBefore, refusedBefore] };
        }),
      })}
    >
      {({ at, servers }) => (
        <>
          <Servers label={t("pictures.radius.servers")} at={at} servers={servers.filter(({ isServer }) => isServer)} />
          <Others
            label={t("pictures.radius.notServers")}
            at={at}
            servers={servers.filter(({ isServer }) => !isServer)}
          />
        </>
      )}
    </Picture>
  );
}

interface Listed {
  label: string;
  at: string;
  servers: RadiusPicture["servers"];
}

function Servers({ label, at, servers }: Listed) {
  const { t, i18n } = useTranslation();
  const number = (value: number) => formatNumber(value, i18n.language);
  return (
    <Stack component="ul" gap={4} m={0} p={0} style={{ listStyle: "none" }} aria-label={label}>
      {servers.map(({ address, lastAt, good, refused }) => (
        <Text component="li" size="sm" key={address}>
          {t("pictures.radius.server", {
            server: address ?? t("pictures.radius.others"),
            ago: formatRelative(
              new Date(lastAt),
              new Date(Math.max(Date.parse(at), Date.parse(lastAt))),
              i18n.language,
            ),
            good: number(good),
            refused: number(refused),
          })}
        </Text>
      ))}
    </Stack>
  );
}

/** Lists addresses that are not in the realm's settings; the bars do not count them. */
function Others(listed: Listed) {
  if (listed.servers.length === 0) return null;
  return (
    <div>
      <Text size="sm" c="dimmed">
        {listed.label}
      </Text>
      <Servers {...listed} />
    </div>
  );
}
