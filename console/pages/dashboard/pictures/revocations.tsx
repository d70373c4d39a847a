import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { api, dataOf } from "../../../api/api-client.ts";
import Bars from "../../../ui/picture/bars.tsx";
import { Picture } from "../../../ui/picture/picture.tsx";
import { formatNumber, formatTime } from "../../../ui/value/time.tsx";
import { useJobTitle } from "../../bulk-jobs/job-title.ts";
import { JobLink, marksMax } from "../job-marks.tsx";
import { refetchMs } from "../overview.ts";
import { useSpan } from "../span.ts";
import { lengthOf, marksOf, median, type Mark } from "./revocation-marks.ts";

/**
 * Shows the latest revocations, with the time until each is on the list and until the first refusal; a bulk job is one
 * marked bar. A bar opens its audit entries.
 */
export function Revocations() {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const spanOf = useSpan();
  const titleOf = useJobTitle();
  const number = (value: number) => formatNumber(value, i18n.language);
  const loaded = useQuery({
    queryKey: ["overview", "revocations"],
    queryFn: ({ signal }) => dataOf(api.GET("/api/overview/revocations", { signal })),
    refetchInterval: refetchMs,
  });
  const title = t("pictures.revocations.title");
  const nameOf = ({ revokedAt, job, devices: [device, ...others] }: Mark): string => {
    const at = formatTime(new Date(revokedAt), i18n.language);
    const count = others.length + 1;
    if (job !== null) {
      return t("pictures.revocations.byJob", { count, formatted: number(count), job: titleOf(job), at });
    }
    return others.length === 0
      ? t("pictures.revocations.one", { device: device.name, at })
      : t("pictures.revocations.together", { count, formatted: number(count), at });
  };
  const timesOf = ({ listed, refused }: Mark): string =>
    [
      listed === null
        ? t("pictures.revocations.notListed")
        : t("pictures.revocations.listed", { span: spanOf(listed) }),
      refused === null
        ? t("pictures.revocations.notRefused")
        : t("pictures.revocations.refused", { span: spanOf(refused) }),
    ].join("; ");
  return (
    <Picture
      title={title}
      loaded={loaded}
      summary={({ revocations }) => {
        const [count, refused] = [revocations.length, revocations.filter(({ refusedAt }) => refusedAt !== null).length];
        if (count === 0) return t("pictures.revocations.nothing");
        const listed = median(marksOf(revocations).flatMap((mark) => mark.listed ?? []));
        return [
          t("pictures.revocations.summary", { count, formatted: number(count), refused: number(refused) }),
          ...(listed === undefined ? [] : [t("pictures.revocations.median", { span: spanOf(listed) })]),
          t("pictures.revocations.lengths"),
        ].join(" ");
      }}
      chart={({ revocations }) => {
        const marks = marksOf(revocations).toReversed();
        return (
          <Bars
            label={title}
            bars={marks.map((mark) => ({
              key: mark.devices[0].serial,
              name: `${nameOf(mark)}: ${timesOf(mark)}`,
              up: lengthOf(mark.listed),
              down: lengthOf(mark.refused),
            }))}
            marks={{
              label: t("nav.jobs"),
              items: marks
                .flatMap(({ job }, at) =>
                  job === null ? [] : [{ key: job.id, at, label: <JobLink id={job.id} text={titleOf(job)} /> }],
                )
                .slice(-marksMax),
            }}
            onOpen={(index) => {
              const mark = marks[index];
              if (mark === undefined) return;
              const { revokedAt, job, devices } = mark;
              const search =
                job !== null
                  ? { job: job.id }
                  : devices.length === 1
                    ? { about: `profile:${devices[0].serial}` }
                    : { minDate: revokedAt, maxDate: revokedAt };
              void navigate({ to: "/audit", search });
            }}
          />
        );
      }}
      table={({ revocations }) => {
        const seconds = (value: number | null) => (value === null ? "–" : number(Math.round(value)));
        return {
          columns: (["revoked", "listed", "refused"] as const).map((column) =>
            t(`pictures.revocations.columns.${column}`),
          ),
          rows: marksOf(revocations).map((mark) => ({
            key: mark.devices[0].serial,
            cells: [nameOf(mark), seconds(mark.listed), seconds(mark.refused)],
          })),
        };
      }}
    />
  );
}
