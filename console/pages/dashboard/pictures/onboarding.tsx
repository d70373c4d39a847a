import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, dataOf, type Schemas } from "../../../api/api-client.ts";
import { AnchorLink } from "../../../ui/anchor-link.tsx";
import { Picture } from "../../../ui/picture/picture.tsx";
import { StageBars } from "../../../ui/picture/stage-bars.tsx";
import { useDeviceTypeName } from "../../../ui/value/device-types.ts";
import { formatNumber, formatTime } from "../../../ui/value/time.tsx";

type Devices = Schemas["OnboardingPicture"]["devices"][number];

const refetchMs = 60_000;
const stages = ["asked", "made", "fetched", "seen"] as const;

/** Shows how far requests for profiles got in 30 days; the name of a device type opens its profiles. */
export function Onboarding() {
  const { t, i18n } = useTranslation();
  const deviceTypeName = useDeviceTypeName();
  const number = (value: number) => formatNumber(value, i18n.language);
  const loaded = useQuery({
    queryKey: ["overview", "onboarding"],
    queryFn: ({ signal }) => dataOf(api.GET("/api/overview/onboarding", { signal })),
    refetchInterval: refetchMs,
  });
  const title = t("pictures.onboarding.title");
  const nameOf = ({ deviceType }: Devices): string =>
    deviceType === null ? t("pictures.onboarding.unknown") : deviceTypeName(deviceType);
  const numbersOf = ({ asked, made, fetched, seen }: Devices) => ({
    asked: number(asked),
    made: number(made),
    fetched: number(fetched),
    seen: number(seen),
  });
  return (
    <Picture
      title={title}
      loaded={loaded}
      summary={({ since, devices }) => {
        const sum = (of: "asked" | "seen") => devices.reduce((total, device) => total + device[of], 0);
        const day = formatTime(new Date(since), i18n.language, { dateOnly: true });
        if (devices.length === 0) return t("pictures.onboarding.nothing", { day });
        const [asked, seen] = [sum("asked"), sum("seen")];
        const filled = { day, count: asked, asked: number(asked), seen: number(seen) };
        return [t("pictures.onboarding.summary", filled), t("pictures.onboarding.bars")].join(" ");
      }}
      chart={({ devices, since }) => (
        <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none" }} aria-label={title}>
          {devices.map((device) => (
            <li key={device.deviceType ?? ""}>
              <Text size="sm">
                {device.deviceType === null ? (
                  nameOf(device)
                ) : (
                  <AnchorLink
                    to="/profiles"
                    search={{ deviceType: device.deviceType, minCreated: since }}
                    underline="always"
                    inherit
                  >
                    {nameOf(device)}
                  </AnchorLink>
                )}
                {": "}
                {t("pictures.onboarding.numbers", numbersOf(device))}
              </Text>
              <StageBars
                values={stages.map((stage) => device[stage])}
                most={Math.max(...devices.map(({ asked }) => asked))}
              />
            </li>
          ))}
        </Stack>
      )}
      table={({ devices }) => ({
        columns: (["device", ...stages] as const).map((column) => t(`pictures.onboarding.columns.${column}`)),
        rows: devices.map((device) => {
          const { asked, made, fetched, seen } = numbersOf(device);
          return { key: device.deviceType ?? "", cells: [nameOf(device), asked, made, fetched, seen] };
        }),
      })}
    />
  );
}
