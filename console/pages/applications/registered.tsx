import { Button, Group, Stack, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../api/api-client.ts";
import { CopyBox } from "../../ui/value/copy-box.tsx";
import { ShownOnce } from "../../ui/dialog/shown-once.tsx";
import { ClientSecret } from "./client-secret.tsx";
import { tokenUrl } from "./oauth-addresses.ts";
import { TryIt } from "./try-it.tsx";

/** Shows a new application's ID and, only once, its secret. */
export function Registered({
  registration,
  onDone,
}: {
  registration: Schemas["ApplicationWithSecret"];
  onDone: () => void;
}) {
  const { t } = useTranslation();
  const lead = useRef<HTMLParagraphElement>(null);
  useEffect(() => lead.current?.focus(), []);
  const { client_id: clientId, client_secret: secret, name } = registration;
  const known = (
    <>
      <Stack gap="xs">
        <Text size="sm" fw={500}>
          {t("applications.clientId")}
        </Text>
        <CopyBox text={clientId} label={t("applications.clientId")} block />
      </Stack>
      {secret !== undefined && <ClientSecret clientId={clientId} secret={secret} tokenUrl={tokenUrl()} />}
      <TryIt application={registration} />
    </>
  );
  return (
    <Stack>
      <Text ref={lead} tabIndex={-1} fw={600}>
        {t("applications.registered", { name })}
      </Text>
      {secret === undefined ? (
        <>
          {known}
          <Group justify="flex-end">
            <Button onClick={onDone}>{t("applications.openIt")}</Button>
          </Group>
        </>
      ) : (
        <ShownOnce
          title={t("applications.shownOnce")}
          warning={t("applications.shownOnceText")}
          storedLabel={t("applications.stored")}
          doneLabel={t("applications.openIt")}
          onDone={onDone}
        >
          {known}
        </ShownOnce>
      )}
    </Stack>
  );
}
