import { Button, Group, Stack, Textarea } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { kindsOfJob } from "../../../../domain/bulk-job/job.ts";
import { columnsOf } from "./columns-of.ts";
import { typeOfText, type Chosen } from "./file-type.ts";
import type { JobKind } from "../job.ts";

const keyOf = (kind: JobKind): string => `realmpass-rows-${kind}`;

/** Returns true if there are pasted rows that were not sent: a user who had to sign in again finds them there. */
export const hasPasted = (kind: JobKind): boolean => sessionStorage.getItem(keyOf(kind)) !== null;

export const forgetPasted = (kind: JobKind): void => {
  sessionStorage.removeItem(keyOf(kind));
};

/** A field for rows from a spreadsheet or an e-mail, with their header. */
export function PastedRows({ kind, onChosen }: { kind: JobKind; onChosen: (chosen: Chosen) => void }) {
  const { t } = useTranslation();
  const [text, setText] = useState(() => sessionStorage.getItem(keyOf(kind)) ?? "");
  const change = (next: string) => {
    setText(next);
    if (next === "") forgetPasted(kind);
    else keep(keyOf(kind), next);
  };
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

function keep(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    // The text exceeds what browsers store. It is still in the field.
  }
}
