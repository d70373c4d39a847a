import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { userActivityQuery, type ProfileActivity } from "../../../activity/activity.ts";
import { LaneBar } from "../../../ui/picture/lane-bar.tsx";
import { Picture } from "../../../ui/picture/picture.tsx";
import { DeviceLink } from "../../../ui/value/device.tsx";
import { formatTime } from "../../../ui/value/time.tsx";
import { endOf, firstOf, laneOf } from "./lanes.ts";

const lanesMax = 10;

/**
 * Shows a lane for each of a person's ten latest devices: issue, first seen, last check, first refusal, end. The name
 * on a lane opens the device.
 */
export default function DeviceLanes({ userID }: { userID: string }) {
  const { t, i18n } = useTranslation();
  const loaded = useQuery(userActivityQuery(userID));
  const profiles = loaded.data?.profiles ?? [];
  const first = firstOf(profiles);
  if (first === undefined) return null;
  const title = t("pictures.lanes.title");
  const span = { from: new Date(first), to: new Date(loaded.dataUpdatedAt) };
  const timeOf = (at: string): string => formatTime(new Date(at), i18n.language);
  const endTextOf = (profile: ProfileActivity): string =>
    t(`pictures.lanes.${profile.state}`, { at: timeOf(endOf(profile) ?? profile.expiresAt) });
  const textOf = (profile: ProfileActivity): string => {
    const { issuedAt, firstCheckAt, lastCheck, firstRefusedAt } = profile;
    return [
      t("pictures.lanes.made", { at: timeOf(issuedAt) }),
      ...(firstCheckAt === null ? [] : [t("pictures.lanes.firstCheck", { at: timeOf(firstCheckAt) })]),
      lastCheck === null ? t("activity.never") : t("pictures.lanes.lastCheck", { at: timeOf(lastCheck.at) }),
      endTextOf(profile),
      ...(firstRefusedAt === null ? [] : [t("pictures.lanes.firstRefusal", { at: timeOf(firstRefusedAt) })]),
    ].join("; ");
  };
  return (
    <Picture
      title={title}
      loaded={loaded}
      summary={() => {
        const day = formatTime(span.from, i18n.language, { dateOnly: true });
        return [
          t("pictures.lanes.summary", { day }),
          ...(profiles.length > lanesMax ? [t("pictures.lanes.latest", { shown: lanesMax })] : []),
        ].join(" ");
      }}
      chart={() => (
        <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none" }} aria-label={title}>
          {profiles.slice(0, lanesMax).map((profile) => (
            <li key={profile.serial}>
              <Text size="sm">
                <DeviceLink serial={profile.serial} name={profile.name} inText />: {textOf(profile)}
              </Text>
              <LaneBar {...laneOf(profile, span)} />
            </li>
          ))}
        </Stack>
      )}
      table={() => ({
        columns: [
          t("profiles.columns.name"),
          t("profiles.columns.created"),
          t("activity.firstCheck"),
          t("activity.lastCheck"),
          t("activity.firstRefusal"),
          t("pictures.lanes.end"),
        ],
        rows: profiles.map((profile) => {
          const { serial, name, issuedAt, firstCheckAt, lastCheck, firstRefusedAt } = profile;
          const cells = [issuedAt, firstCheckAt, lastCheck?.at ?? null, firstRefusedAt].map((at) =>
            at === null ? "–" : timeOf(at),
          );
          return { key: serial, cells: [name, ...cells, endTextOf(profile)] };
        }),
      })}
    />
  );
}
