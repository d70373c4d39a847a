import { Paper, SimpleGrid, Text } from "@mantine/core";
import { IconAlertTriangle, IconBan, IconCircleCheck, IconEqual, IconUserOff, type Icon } from "../../ui/icons.tsx";
import { useTranslation } from "react-i18next";
import { textColor } from "../../ui/theme.ts";
import { useNumber } from "./counts.ts";
import type { CountName } from "./kinds.ts";

interface Count {
  name: CountName;
  value: number;
}

/** The icon and colour of each count. */
export const looks: Readonly<Record<CountName, { icon: Icon; color: string | undefined }>> = {
  willLoseAccess: { icon: IconUserOff, color: textColor("red") },
  profilesRevoked: { icon: IconBan, color: textColor("red") },
  lostAccess: { icon: IconUserOff, color: textColor("red") },
  willBeRevoked: { icon: IconBan, color: textColor("red") },
  revoked: { icon: IconBan, color: textColor("red") },
  willReturn: { icon: IconCircleCheck, color: textColor("teal") },
  returned: { icon: IconCircleCheck, color: textColor("teal") },
  alreadyOffboarded: { icon: IconEqual, color: undefined },
  alreadyRevoked: { icon: IconEqual, color: undefined },
  willChange: { icon: IconCircleCheck, color: textColor("teal") },
  changed: { icon: IconCircleCheck, color: textColor("teal") },
  alreadySo: { icon: IconEqual, color: undefined },
  unchanged: { icon: IconEqual, color: undefined },
  problems: { icon: IconAlertTriangle, color: textColor("red") },
  failed: { icon: IconAlertTriangle, color: textColor("red") },
  skipped: { icon: IconEqual, color: undefined },
};

/** Shows the counts of a job's rows by outcome. */
export function CountCards({ counts }: { counts: readonly Count[] }) {
  const { t } = useTranslation();
  const number = useNumber();
  return (
    <SimpleGrid component="dl" cols={{ base: 1, xs: Math.min(counts.length, 3), md: counts.length }} m={0}>
      {counts.map(({ name, value }) => {
        const { icon: Icon, color } = looks[name];
        const shown = value > 0 ? color : undefined;
        return (
          <Paper key={name} withBorder p="md">
            <Text component="dt" size="sm" c="dimmed">
              <Icon
                size={14}
                aria-hidden
                style={{ verticalAlign: "-2px", marginInlineEnd: 6 }}
                color={shown ?? "currentColor"}
              />
              {t(`jobs.counts.${name}`)}
            </Text>
            <Text component="dd" className="digits" m={0} fz={28} fw={650} lh={1.2} style={{ color: shown }}>
              {number(value)}
            </Text>
          </Paper>
        );
      })}
    </SimpleGrid>
  );
}
