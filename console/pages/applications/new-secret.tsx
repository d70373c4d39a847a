import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "../../ui/icons.tsx";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { secretOverlapHoursMax } from "../../../domain/lifetimes.ts";
import { api, dataOf, idempotent } from "../../api/api-client.ts";
import { ErrorNotice } from "../../ui/notice/error-notice.tsx";
import { ShownOnce } from "../../ui/dialog/shown-once.tsx";
import { SliderField } from "../../ui/form/slider-field.tsx";
import { useReturnFocus } from "../../ui/dialog/use-return-focus.ts";
import type { Application } from "./applications.ts";
import { ClientSecret } from "./client-secret.tsx";
import { tokenUrl } from "./oauth-addresses.ts";

/**
 * Creates a new secret for an application; the old secret stays valid for the hours that the user chooses, possibly
 * none.
 */
export function NewSecret({ application, onClose }: { application: Application; onClose: () => void }) {
  const { t } = useTranslation();
  const { client_id: clientId, name } = application;
  useReturnFocus();
  const [overlapHours, setOverlapHours] = useState(secretOverlapHoursMax);
  const [params] = useState(() => ({ path: { client_id: clientId }, header: idempotent() }));
  const { data, error, isPending, mutate } = useMutation({
    mutationFn: () => dataOf(api.POST("/api/applications/{client_id}/secret", { params, body: { overlapHours } })),
    gcTime: 0,
  });
  const made = data?.client_secret;
  return (
    <Modal
      opened
      size="lg"
      // The secret is shown only once, so the user must not close it by accident.
      closeOnEscape={made === undefined}
      closeOnClickOutside={made === undefined}
      withCloseButton={made === undefined}
      onClose={onClose}
      title={t("applications.newSecretTitle", { name })}
      closeButtonProps={{ "aria-label": t("confirm.close") }}
    >
      {made !== undefined ? (
        <ShownOnce
          title={t("applications.shownOnce")}
          warning={t("applications.shownOnceText")}
          storedLabel={t("applications.stored")}
          doneLabel={t("confirm.close")}
          onDone={onClose}
        >
          <ClientSecret clientId={clientId} secret={made} tokenUrl={tokenUrl()} />
          <Text size="sm">{t("applications.overlapNow", { count: overlapHours })}</Text>
        </ShownOnce>
      ) : (
        <Stack>
          <SliderField
            label={t("applications.overlap")}
            description={t("applications.overlapHint")}
            unit={(hours) => t("applications.hours", { count: hours })}
            value={overlapHours}
            onChange={setOverlapHours}
            min={0}
            max={secretOverlapHoursMax}
            marks={[0, 6, 12, 18, 24]}
          />
          <div role="status">
            {overlapHours === 0 && (
              <Alert color="orange" icon={<IconAlertTriangle aria-hidden />}>
                {t("applications.noOverlap")}
              </Alert>
            )}
          </div>
          {error !== null && <ErrorNotice error={error} />}
          <Group justify="flex-end">
            <Button variant="default" data-autofocus onClick={onClose}>
              {t("confirm.cancel")}
            </Button>
            <Button
              loading={isPending}
              onClick={() => {
                mutate();
              }}
            >
              {t("applications.makeSecret")}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
