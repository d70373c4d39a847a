import { Badge } from "@mantine/core";
import { IconAlertTriangle, IconEqual, IconUserMinus } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { looks } from "../count-cards.tsx";
import type { JobKind } from "../job.ts";
import { kindTexts } from "../kind-texts.ts";
import { kindsOnPage } from "../kinds.ts";
import type { PersonRow } from "./load-rows.ts";

/** The expected outcome of a row: never green if access ends. */
export function RowOutcome({ kind, row: { status } }: { kind: JobKind; row: PersonRow }) {
  const { t } = useTranslation();
  const shown = status === "changed" || status === "unchanged" || status === "failed" ? status : "skipped";
  const { color, icon: Icon } =
    shown === "changed"
      ? { color: kindsOnPage[kind].color, icon: looks[kindsOnPage[kind].counts.willChange].icon }
      : shown === "failed"
        ? { color: "orange", icon: IconAlertTriangle }
        : shown === "skipped"
          ? { color: "gray", icon: IconUserMinus }
          : { color: "gray", icon: IconEqual };
  return (
    <Badge color={color} variant="light" tt="none" miw="max-content" leftSection={<Icon size={14} aria-hidden />}>
      {t(kindTexts(kind).outcome[shown])}
    </Badge>
  );
}
