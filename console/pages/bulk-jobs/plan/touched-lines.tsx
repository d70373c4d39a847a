import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { kindsOfJob } from "../../../../domain/bulk-job/job.ts";
import { textColor } from "../../../ui/theme.ts";
import { useNumber } from "../counts.ts";
import type { JobKind } from "../job.ts";
import { kindTexts } from "../kind-texts.ts";
import type { Touched } from "./use-touched.ts";

/** Shows the share of the realm's people and profiles that a job affects, in red if the job removes access. */
export function TouchedLines({ kind, touched }: { kind: JobKind; touched: readonly Touched[] }) {
  const { t } = useTranslation();
  const number = useNumber();
  const isRed = kindsOfJob[kind].takesAway;
  return touched.map(
    ({ of, count, share }) =>
      share !== undefined &&
      share <= 1 && (
        <Text key={of} fw={600} {...(isRed && { style: { color: textColor("red") } })}>
          {t(kindTexts(kind).share[of], {
            count,
            formatted: number(count),
            percent: share > 0 && share < 0.01 ? "< 1" : number(Math.round(share * 100)),
          })}
        </Text>
      ),
  );
}
