import { Button, Stack, Text } from "@mantine/core";
import { IconDownload } from "../../ui/icons.tsx";
import { useTranslation } from "react-i18next";
import { saveFile } from "../../list/export-csv.ts";
import { CopyBox } from "../../ui/value/copy-box.tsx";

/** Shows a client secret to copy, or to download in a file with all settings that a client needs. */
export function ClientSecret({ clientId, secret, tokenUrl }: { clientId: string; secret: string; tokenUrl: string }) {
  const { t } = useTranslation();
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        {t("applications.secret")}
      </Text>
      <CopyBox text={secret} label={t("applications.secret")} block />
      <Button
        w="fit-content"
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        onClick={() => {
          const file = { client_id: clientId, client_secret: secret, token_endpoint: tokenUrl };
          saveFile(new Blob([`${JSON.stringify(file, null, 2)}\n`], { type: "application/json" }), `${clientId}.json`);
        }}
      >
        {t("applications.downloadSecret")}
      </Button>
    </Stack>
  );
}
