import { Button, Group, Modal, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useReturnFocus } from "../dialog/use-return-focus.ts";
import { FreshValues } from "../notice/changed-meanwhile.tsx";
import type { Submission } from "./submission.tsx";

/**
 * Shows a small form in a dialog, which closes once the form is saved. “Cancel” discards the input; closing the dialog
 * keeps the input.
 */
export function FormDialog({
  title,
  submission: { submit, busy, summary, discard },
  fresh,
  onClose,
  children,
}: {
  title: string;
  submission: Submission;
  /** The new values, once another user has changed them. */
  fresh: unknown;
  onClose: () => void;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  useReturnFocus();
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ "aria-label": t("confirm.close") }}>
      <form onSubmit={submit} noValidate>
        <Stack>
          {summary}
          {fresh !== undefined && <FreshValues now={fresh} />}
          {children}
          <Group justify="flex-end">
            <Button
              variant="default"
              onClick={() => {
                discard();
                onClose();
              }}
            >
              {t("confirm.cancel")}
            </Button>
            <Button type="submit" loading={busy}>
              {t("forms.save")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
