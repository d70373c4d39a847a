import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Confirmation } from "./dialogs.ts";
import { ErrorNotice } from "./error-notice.tsx";

/** Asks one question. */
export default function ConfirmDialog({
  opened,
  title,
  onClose,
  ...question
}: Confirmation & { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeButtonProps={{ "aria-label": t("confirm.close") }}>
      <Question {...question} onClose={onClose} />
    </Modal>
  );
}

function Question({
  children,
  confirmLabel,
  typed,
  onConfirm,
  onClose,
}: Omit<Confirmation, "title"> & { onClose: () => void }) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const [blocked, setBlocked] = useState(false);
  const [error, setError] = useState<Error>();

  const act = async () => {
    setBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error("thrown", { cause: thrown }));
      setBusy(false);
    }
  };

  return (
    <Stack>
      <Text component="div" size="sm">
        {typeof children === "function" ? children(setBlocked) : children}
      </Text>
      {typed !== undefined && (
        <TextInput
          label={t("confirm.type", { typed })}
          value={text}
          autoComplete="off"
          onChange={(event) => {
            setText(event.currentTarget.value);
          }}
        />
      )}
      {error !== undefined && <ErrorNotice error={error} />}
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={onClose}>
          {t("confirm.cancel")}
        </Button>
        <Button
          color="red"
          loading={busy}
          disabled={blocked || (typed !== undefined && text.trim() !== typed)}
          onClick={() => void act()}
        >
          {confirmLabel}
        </Button>
      </Group>
    </Stack>
  );
}
