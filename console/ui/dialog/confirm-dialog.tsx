import { Alert, Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "../../api/api-client.ts";
import type { Confirmation } from "./dialogs.ts";
import { ErrorNotice } from "../notice/error-notice.tsx";
import { formatNumber } from "../value/time.tsx";

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
  const { t, i18n } = useTranslation();
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const [blocked, setBlocked] = useState(false);
  const [error, setError] = useState<Error>();
  const [total, setTotal] = useState<number>();
  const required = total === undefined ? typed : String(total);

  const act = async () => {
    setBusy(true);
    try {
      await onConfirm(total);
      onClose();
    } catch (thrown) {
      const asked = askedTotal(thrown);
      if (asked === undefined) setError(thrown instanceof Error ? thrown : new Error("thrown", { cause: thrown }));
      else {
        setError(undefined);
        setText("");
        setTotal(asked);
      }
      setBusy(false);
    }
  };

  return (
    <Stack>
      <Text component="div" size="sm">
        {typeof children === "function" ? children(setBlocked) : children}
      </Text>
      {total !== undefined && (
        <Alert color="red" role="alert">
          {t("confirm.total", { total: formatNumber(total, i18n.language) })}
        </Alert>
      )}
      {required !== undefined && (
        <TextInput
          label={t("confirm.type", { typed: required })}
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
          disabled={blocked || (required !== undefined && text.trim() !== required)}
          onClick={() => void act()}
        >
          {confirmLabel}
        </Button>
      </Group>
    </Stack>
  );
}

/** Returns the number that the service asks the user to confirm; undefined for any other error. */
function askedTotal(error: unknown): number | undefined {
  if (!(error instanceof ApiError) || error.code !== "confirmation_required") return undefined;
  const total = Number(error.fields.find(({ path }) => path === "confirmTotal")?.reason);
  return Number.isSafeInteger(total) ? total : undefined;
}
