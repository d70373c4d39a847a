import { Button, Skeleton, Text, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { userNoteLengthMax } from "../../../domain/limits.ts";
import { lengthOf } from "../../../domain/text.ts";
import { api, dataOf, type Schemas } from "../../api/api-client.ts";
import { changeIfSame, readWithTag } from "../../api/read-with-tag.ts";
import { Allowed } from "../../session/allowed.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { useSubmission } from "../../ui/form/submission.tsx";
import { ErrorNotice } from "../../ui/notice/error-notice.tsx";
import { notifyDone } from "../../ui/notice/notify.tsx";
import { Section } from "../../ui/section.tsx";
import { personName } from "../../ui/value/person.tsx";
import { formatTime } from "../../ui/value/time.tsx";
import type { User } from "./load-users.ts";

type UserNote = Schemas["UserNote"];

/** Shows the staff's note about a person, and a button that changes the note. */
export function UserNoteSection({ user }: { user: User }) {
  const { t, i18n } = useTranslation();
  const [changing, { open, close }] = useDisclosure();
  const { userID, forgottenDate = null } = user;
  const { data, error, refetch } = useQuery({
    queryKey: ["user", userID, "note"],
    queryFn: ({ signal }) => dataOf(api.GET("/api/user/{userID}/note", { params: { path: { userID } }, signal })),
  });
  if (forgottenDate !== null) return null;
  return (
    <Section
      title={t("users.note.title")}
      aside={
        data !== undefined && (
          <Allowed to="changeNote">
            <Button size="xs" variant="default" onClick={open}>
              {t(data.note === null ? "users.note.write" : "users.note.change")}
            </Button>
          </Allowed>
        )
      }
    >
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={40} role="status" aria-label={t("shell.loading")} />}
      {data?.note === null && <Text c="dimmed">{t("users.note.none")}</Text>}
      {typeof data?.note === "string" && (
        <Text style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>{data.note}</Text>
      )}
      {typeof data?.writtenAt === "string" && (
        <Text size="sm" c="dimmed">
          {t("users.note.written", { at: formatTime(new Date(data.writtenAt), i18n.language) })}
        </Text>
      )}
      {changing && data !== undefined && <NoteDialog user={user} held={data} onClose={close} />}
    </Section>
  );
}

function NoteDialog({ user, held, onClose }: { user: User; held: UserNote; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { userID } = user;
  // The note when the dialog opened; the page may reload its note while the dialog is open.
  const [opened] = useState(held);
  /** The current note, once another user has changed it. */
  const [fresh, setFresh] = useState<UserNote>();
  const rule = t("users.note.rule", { max: userNoteLengthMax });
  const form = useForm({
    initialValues: { note: opened.note ?? "" },
    validate: { note: (value) => (lengthOf(value.trim()) > userNoteLengthMax ? rule : null) },
  });
  const submission = useSubmission({
    form,
    fields: { note: { label: t("users.note.label"), rule } },
    draft: { name: `note of ${userID}` },
    async send({ note }) {
      const path = { userID };
      const body = { note: note.trim() === "" ? null : note.trim() };
      const outcome = await changeIfSame<UserNote, UserNote>({
        read: () => readWithTag(api.GET("/api/user/{userID}/note", { params: { path } })),
        isSame: (now) => now.note === (fresh ?? opened).note,
        change: (header) => dataOf(api.PUT("/api/user/{userID}/note", { params: { path, header }, body })),
      });
      if ("now" in outcome) {
        setFresh(outcome.now);
        form.setInitialValues({ note: outcome.now.note ?? "" });
        form.reset();
        return;
      }
      notifyDone(t("users.note.done"));
      onClose();
      await Promise.all(["user", "audit"].map((name) => queries.invalidateQueries({ queryKey: [name] })));
    },
  });
  return (
    <FormDialog
      title={t("users.note.of", { name: personName(user) })}
      submission={submission}
      fresh={fresh}
      onClose={onClose}
    >
      <Textarea
        label={t("users.note.label")}
        description={`${t("users.note.lead")} ${rule}.`}
        autosize
        minRows={4}
        data-autofocus
        {...form.getInputProps("note")}
      />
    </FormDialog>
  );
}
