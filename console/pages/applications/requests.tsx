import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { api, dataOf, type Schemas } from "../../api/api-client.ts";
import Bars from "../../ui/picture/bars.tsx";
import { useHourName } from "../../ui/picture/moments.ts";
import { Picture } from "../../ui/picture/picture.tsx";
import { formatNumber } from "../../ui/value/time.tsx";

type Hour = Schemas["ApplicationRequests"]["hours"][number];

const hourMs = 3_600_000;
const refetchMs = 60_000;

/**
 * Shows how many of an application's requests the service answered and refused in each hour of a week. A bar opens the
 * audit log of its hour.
 */
export default function Requests({ clientId }: { clientId: string }) {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const nameOf = useHourName();
  const number = (value: number) => formatNumber(value, i18n.language);
  const loaded = useQuery({
    queryKey: ["applications", clientId, "requests"],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/applications/{client_id}/requests", { params: { path: { client_id: clientId } }, signal })),
    refetchInterval: refetchMs,
  });
  const numbersOf = ({ answered, refused }: Hour) => ({ answered: number(answered), refused: number(refused) });
  return (
    <Picture
      title={t("pictures.requests.title")}
      loaded={loaded}
      summary={({ hours }) => {
        const sum = (of: "answered" | "refused") => hours.reduce((total, hour) => total + hour[of], 0);
        const [answered, refused] = [sum("answered"), sum("refused")];
        if (answered + refused === 0) return t("pictures.requests.nothing");
        return t("pictures.requests.summary", { answered: number(answered), refused: number(refused) });
      }}
      chart={({ hours }) => (
        <Bars
          label={t("pictures.requests.title")}
          bars={hours.map((hour) => ({
            key: hour.from,
            name: t("pictures.requests.hour", { hour: nameOf(hour.from), ...numbersOf(hour) }),
            up: hour.answered,
            down: hour.refused,
          }))}
          onOpen={(index) => {
            const from = hours[index]?.from;
            if (from === undefined) return;
            const until = new Date(Date.parse(from) + hourMs - 1).toISOString();
            void navigate({ to: "/audit", search: { client: clientId, minDate: from, maxDate: until } });
          }}
        />
      )}
      table={({ hours }) => ({
        columns: (["from", "answered", "refused"] as const).map((column) => t(`pictures.requests.columns.${column}`)),
        rows: hours.toReversed().map((hour) => {
          const { answered, refused } = numbersOf(hour);
          return { key: hour.from, cells: [nameOf(hour.from), answered, refused] };
        }),
      })}
    >
      {({ refusals }) =>
        refusals.length > 0 && (
          <Text size="sm">
            {t("pictures.requests.refusals", {
              list: refusals.map(({ status, requests }) => `${status} (${number(requests)})`).join(", "),
            })}
          </Text>
        )
      }
    </Picture>
  );
}
