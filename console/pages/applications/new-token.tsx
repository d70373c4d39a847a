import { Button, Group, Modal, Text, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { lastMinuteOf } from "../../../domain/time-zone.ts";
import { api, dataOf, type Schemas } from "../../api/api-client.ts";
import { readersZone } from "../../session/local-time.ts";
import { ShownOnce } from "../../ui/dialog/shown-once.tsx";
import { useReturnFocus } from "../../ui/dialog/use-return-focus.ts";
import { Form } from "../../ui/form/form.tsx";
import { useSubmission } from "../../ui/form/submission.tsx";
import { CopyBox } from "../../ui/value/copy-box.tsx";

interface Values {
  name: string;
  /** One network per line. */
  networks: string;
  /** The last day on which the token is valid, in the realm's time zone; empty if the token does not expire. */
  expiresAt: string;
}

/** Creates a static token, and shows the token once. */
export function NewToken({
  clientId,
  onCreated,
  onClose,
}: {
  clientId: string;
  onCreated: () => unknown;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  useReturnFocus();
  const [created, setCreated] = useState<Schemas["StaticTokenWithSecret"]>();
  const fields = {
    name: { label: t("applications.tokens.name") },
    networks: { label: t("applications.tokens.networks"), rule: t("applications.tokens.networksRule") },
    expiresAt: { label: t("applications.tokens.expiresAt") },
  };
  const form = useForm<Values>({ initialValues: { name: "", networks: "", expiresAt: "" } });
  const { submit, busy, summary, discard } = useSubmission<Values>({
    form,
    fields,
    draft: { name: `static token of ${clientId}` },
    async send({ name, networks, expiresAt }, { key }) {
      const params = { path: { client_id: clientId }, header: { "Idempotency-Key": key } };
      const body = {
        name: name.trim() === "" ? null : name,
        networks: networks
          .split(/\s+/)
          .map((network) => network.trim())
          .filter((network) => network !== ""),
        expiresAt: expiresAt === "" ? null : lastMinuteOf(expiresAt, readersZone()).toISOString(),
      };
      setCreated(await dataOf(api.POST("/api/applications/{client_id}/tokens", { params, body })));
      await onCreated();
    },
  });
  return (
    <Modal
      opened
      size="lg"
      // The token is shown only once, so the user must not close it by accident.
      closeOnEscape={created === undefined}
      closeOnClickOutside={created === undefined}
      withCloseButton={created === undefined}
      onClose={onClose}
      title={t("applications.tokens.newTitle")}
      closeButtonProps={{ "aria-label": t("confirm.close") }}
    >
      {created !== undefined ? (
        <ShownOnce
          title={t("applications.shownOnce")}
          warning={t("applications.shownOnceText")}
          storedLabel={t("applications.stored")}
          doneLabel={t("confirm.close")}
          onDone={onClose}
        >
          <Text size="sm" fw={500}>
            {t("applications.tokens.token")}
          </Text>
          <CopyBox text={created.token} label={t("applications.tokens.token")} block />
        </ShownOnce>
      ) : (
        <Form onSubmit={submit}>
          {summary}
          <TextInput
            label={fields.name.label}
            description={t("applications.tokens.nameHint")}
            data-autofocus
            {...form.getInputProps("name")}
          />
          <Textarea
            label={fields.networks.label}
            description={t("applications.tokens.networksHint")}
            autosize
            minRows={2}
            {...form.getInputProps("networks")}
          />
          <TextInput
            type="date"
            label={fields.expiresAt.label}
            description={t("applications.tokens.expiresAtHint", { zone: readersZone() })}
            {...form.getInputProps("expiresAt")}
          />
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
              {t("applications.tokens.new")}
            </Button>
          </Group>
        </Form>
      )}
    </Modal>
  );
}
