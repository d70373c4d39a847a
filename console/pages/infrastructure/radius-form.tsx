import { Button, Group, Radio, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconDownload } from "../../ui/icons.tsx";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { readNetworks } from "../../../domain/radius-clients.ts";
import { saveFile } from "../../list/export-csv.ts";
import { useSession } from "../../session/session.tsx";
import { Form } from "../../ui/form/form.tsx";
import { useSubmission } from "../../ui/form/submission.tsx";
import { createInfrastructureProfile } from "./create-infrastructure-profile.ts";
import { infrastructureKey } from "./infrastructure-profiles.ts";
import {
  fetchPackage,
  packageName,
  packRadiusServer,
  radiusModes,
  type RadiusMode,
  type RadiusPackage,
} from "./radius-package.ts";

/** The validity of the server's certificate. */
const validityMonths = 24;

interface Values {
  networks: string;
  mode: RadiusMode;
}

/** Asks for the access points, makes the server's certificate, and saves the package. */
export function RadiusForm({ name, onMade }: { name: string; onMade: (made: RadiusPackage) => void }) {
  const { t } = useTranslation();
  const { realm } = useSession();
  const queries = useQueryClient();
  const form = useForm<Values>({
    initialValues: { networks: "", mode: "resilient" },
    validate: { networks: (value) => (readNetworks(value) === undefined ? t("freeradius.networksRule") : null) },
  });
  const fields = {
    networks: { label: t("freeradius.networks"), rule: t("freeradius.networksRule") },
    mode: { label: t("freeradius.mode") },
  };
  const { submit, busy, summary } = useSubmission({
    form,
    fields,
    draft: { name: "freeradius" },
    async send({ networks, mode }, sending) {
      // Fetches the part that can fail first, so no certificate is issued in vain.
      const common = await fetchPackage({ mode, realm: realm.name }, sending.signal);
      const creation = { name, description: t("freeradius.description"), format: "pem", validityMonths } as const;
      const profile = await createInfrastructureProfile(creation, sending);
      void queries.invalidateQueries({ queryKey: [infrastructureKey] });
      const made = packRadiusServer(common, { profile, networks: readNetworks(networks) ?? [], at: new Date() });
      saveFile(made.archive, packageName);
      onMade(made);
    },
  });
  return (
    <Form onSubmit={submit}>
      {summary}
      <Text size="sm">{t("freeradius.certificate", { name, count: validityMonths })}</Text>
      <TextInput
        label={fields.networks.label}
        description={t("freeradius.networksHint")}
        placeholder="192.168.1.0/24"
        required
        autoComplete="off"
        spellCheck={false}
        {...form.getInputProps("networks")}
      />
      <Radio.Group label={fields.mode.label} {...form.getInputProps("mode")}>
        <Stack mt="xs" gap="xs">
          {radiusModes.map((mode) => (
            <Radio
              key={mode}
              value={mode}
              label={t(`freeradius.modes.${mode}.name`)}
              description={t(`freeradius.modes.${mode}.meaning`)}
            />
          ))}
        </Stack>
      </Radio.Group>
      <Group justify="flex-end">
        <Button type="submit" loading={busy} leftSection={<IconDownload size={16} aria-hidden />}>
          {t("freeradius.download")}
        </Button>
      </Group>
    </Form>
  );
}
