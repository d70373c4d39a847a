import { Group, Loader, SegmentedControl, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { kindsOfJob } from "../../../../domain/bulk-job/job.ts";
import { ApiError } from "../../../api/api-client.ts";
import { jobUploadBytesMax } from "../../../../domain/limits.ts";
import { ColumnsDialog } from "./files/columns-dialog.tsx";
import { useProposal } from "./files/use-proposal.ts";
import { FileDrop } from "./file-drop.tsx";
import { typeOfFile, type Chosen } from "./file-type.ts";
import type { JobKind } from "../job.ts";
import { PastedRows, usePastedRows } from "./pasted-rows.tsx";

/** Accepts a file that the user drops or chooses, or pasted rows. */
export function FileChoice({
  kind,
  onChosen,
  onRefused,
}: {
  kind: JobKind;
  onChosen: (chosen: Chosen) => void;
  onRefused: (error: Error) => void;
}) {
  const { t } = useTranslation();
  const [pasted] = usePastedRows(kind);
  const [way, setWay] = useState<string>(pasted === "" ? "file" : "paste");
  const { proposal, reading, inspect, forget } = useProposal(kind, { onChosen, onRefused });
  const take = (file: File) => {
    const type = typeOfFile(file);
    if (type === undefined)
      onRefused(new ApiError("unknown_file_type", t("jobs.refused.unknownType", { name: file.name })));
    else if (file.size > jobUploadBytesMax) onRefused(new ApiError("payload_too_large", file.name));
    else inspect({ body: file, type, name: file.name });
  };
  return (
    <Stack gap="md">
      <SegmentedControl
        aria-label={t(`jobs.about.${kindsOfJob[kind].of}.way`)}
        value={way}
        onChange={setWay}
        w="fit-content"
        data={[
          { value: "file", label: t("jobs.file.file") },
          { value: "paste", label: t("jobs.file.paste") },
        ]}
      />
      {way === "file" ? <FileDrop kind={kind} onFile={take} /> : <PastedRows kind={kind} onChosen={inspect} />}
      {reading && (
        <Group gap="xs" role="status">
          <Loader size="sm" aria-hidden />
          <Text>{t("jobs.file.reading")}</Text>
        </Group>
      )}
      {proposal !== undefined && (
        <ColumnsDialog kind={kind} proposal={proposal} onChosen={onChosen} onRefused={onRefused} onClose={forget} />
      )}
    </Stack>
  );
}
