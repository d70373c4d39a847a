import { useTranslation } from "react-i18next";
import { kindsOfJob } from "../../../../domain/bulk-job/job.ts";
import type { Column } from "../../../list/columns.ts";
import { Bounded } from "../../../ui/value/bounded.tsx";
import { DeviceLink } from "../../../ui/value/device.tsx";
import { PersonCell } from "../../../ui/value/person.tsx";
import { Serial } from "../../../ui/value/serial.tsx";
import { useNumber } from "../counts.ts";
import type { Job } from "../job.ts";
import type { PersonRow } from "./load-rows.ts";

/**
 * Returns the columns that show the subject of a job's row: the row's number, the person and, in a revocation, the
 * device and its serial number.
 */
export function useSubjectColumns(job: Job): Column<PersonRow>[] {
  const { t } = useTranslation();
  const number = useNumber();
  return [
    { key: "row", title: t("jobs.problem.row"), align: "right", render: ({ row }) => number(row + job.rowOffset) },
    { key: "person", title: t("jobs.about.people.subject"), card: "title", render: (row) => <Person row={row} /> },
    ...(kindsOfJob[job.kind].of === "profiles"
      ? [
          {
            key: "device",
            title: t("profiles.columns.name"),
            render: ({ serial, device }: PersonRow) =>
              typeof serial === "string" && <DeviceLink serial={serial} name={device?.name} />,
          },
          {
            key: "serial",
            title: t("jobs.columnNames.serial"),
            render: ({ serial }: PersonRow) =>
              serial === undefined || serial === null ? "–" : <Serial serial={serial} />,
          },
        ]
      : []),
  ];
}

/** Shows the person of a row, as far as the realm or the file names that person. */
function Person({ row: { user, person, pairwiseID, email, userID } }: { row: PersonRow }) {
  const given = email ?? pairwiseID ?? userID ?? "–";
  if (user === null) return <Bounded text={given} />;
  return <PersonCell userID={user} person={person ?? { pairwiseID: given, email: "" }} />;
}
