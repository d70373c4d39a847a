import { Button, Group, Stack, Textarea } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { kindsOfJob } from "../../../../domain/bulk-job/job.ts";
import { useKeptState } from "../../../ui/form/draft.ts";
import { columnsOf } from "./columns-of.ts";
import { typeOfText, type Chosen } from "./file-type.ts";
import type { JobKind } from "../job.ts";

/** Keeps pasted rows that were not sent, for a user who had to sign in again. */
export const usePastedRows = (kind: JobKind) => useKeptState(`rows of ${kind}`, "");

/** Shows a field for rows from a spreadsheet or an e-mail, including their header. */
export function PastedRows({ kind, onChosen }: { kind: JobKind; onChosen: (chosen: Chosen) => void }) {
  const { t } = useTranslation();
  const [text, change] = usePastedRows(kind);
  const columns = columnsOf[kind].slice(0, 2);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onChosen({ body: new Blob([text]), type: typeOfText(text) });
      }}
    >
      <Stack gap="sm">
        <Textarea
          label={t("jobs.file.rows")}
          description={t(`jobs.about.${kindsOfJob[kind].of}.rowsHint`)}
          placeholder={`${columns.map(({ column }) => column).join(";")}\n${columns.map(({ examples }) => examples[0]).join(";")}`}
          value={text}
          autosize
          minRows={8}
          maxRows={20}
          spellCheck={false}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
          onChange={(event) => {
            change(event.currentTarget.value);
          }}
        />
        <Group>
          <Button type="submit" disabled={text.trim() === ""}>
            {t("jobs.file.check")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
