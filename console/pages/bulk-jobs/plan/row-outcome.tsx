import { Badge, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconEqual, IconUserMinus, IconUserPlus } from "../../../ui/icons.tsx";
import { useTranslation } from "react-i18next";
import { looks } from "../count-cards.tsx";
import type { JobKind } from "../job.ts";
import { useNumber } from "../counts.ts";
import { kindTexts } from "../kind-texts.ts";
import { kindsOnPage } from "../kinds.ts";
import type { PersonRow } from "./load-rows.ts";
import { outcomeOf } from "./outcome.ts";

/** Shows the expected outcome of a row, never in green if the row ends access. */
export function RowOutcome({ kind, row }: { kind: JobKind; row: PersonRow }) {
  const { t } = useTranslation();
  const number = useNumber();
  const shown = outcomeOf(kind, row);
  const { color, icon: Icon } = {
    new: { color: kindsOnPage[kind].color, icon: IconUserPlus },
    changed: { color: kindsOnPage[kind].color, icon: looks[kindsOnPage[kind].counts.willChange].icon },
    failed: { color: "orange", icon: IconAlertTriangle },
    skipped: { color: "gray", icon: IconUserMinus },
    unchanged: { color: "gray", icon: IconEqual },
  }[shown];
  const badge = (
    <Badge color={color} variant="light" tt="none" miw="max-content" leftSection={<Icon size={14} aria-hidden />}>
      {t(kindTexts(kind).outcome[shown])}
    </Badge>
  );
  if (row.limit === null) return badge;
  const { before, after } = row.limit;
  return (
    <Stack gap={2} align="flex-start">
      {badge}
      <Text size="sm">{t("jobs.people.limit", { before: number(before), after: number(after) })}</Text>
    </Stack>
  );
}
