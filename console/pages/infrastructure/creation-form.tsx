import { Alert, Button, Group, Radio, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconAlertTriangle } from "../../ui/icons.tsx";
import { useTranslation } from "react-i18next";
import { Form } from "../../ui/form/form.tsx";
import { SliderField } from "../../ui/form/slider-field.tsx";
import { useSubmission } from "../../ui/form/submission.tsx";
import { createInfrastructureProfile } from "./create-infrastructure-profile.ts";
import type { CreatedInfrastructureProfile } from "./infrastructure-profiles.ts";

const validity = { min: 12, max: 60, first: 24 } as const;
/** Apple accepts 825 days for TLS servers of any CA (https://support.apple.com/103769). */
const webServerMonthsMax = 27;
const formats = ["pem", "pkcs12"] as const;
type Format = (typeof formats)[number];

interface CreationValues {
  name: string;
  description: string;
  format: Format;
  validityMonths: number;
}

export function CreationForm({
  onCreated,
  onCancel,
}: {
  onCreated: (profile: CreatedInfrastructureProfile) => void;
  onCancel: () => void;
}) {
  const { t } = useTranslation();
  const form = useForm<CreationValues>({
    initialValues: { name: "", description: "", format: "pem", validityMonths: validity.first },
    validate: { name: (value) => (value.trim() === "" ? t("forms.required") : null) },
  });
  const fields = {
    name: { label: t("infrastructure.fields.name"), rule: t("infrastructure.fields.nameRule") },
    description: { label: t("infrastructure.fields.description"), rule: t("infrastructure.fields.descriptionRule") },
    format: { label: t("infrastructure.fields.format") },
    validityMonths: { label: t("infrastructure.fields.validity"), rule: t("infrastructure.fields.validityRule") },
  };
  const { submit, busy, summary, discard } = useSubmission({
    form,
    fields,
    draft: { name: "infrastructure profile" },
    async send({ name, description, ...rest }, sending) {
      const given = { name: name.trim(), description: description.trim() === "" ? null : description, ...rest };
      onCreated(await createInfrastructureProfile(given, sending));
    },
  });

  return (
    <Form onSubmit={submit}>
      {summary}
      <TextInput
        label={fields.name.label}
        description={t("infrastructure.fields.nameHint")}
        placeholder="radius.example.org"
        required
        data-autofocus
        {...form.getInputProps("name")}
      />
      <Textarea
        label={fields.description.label}
        autosize
        minRows={2}
        maxRows={6}
        {...form.getInputProps("description")}
      />
      <Radio.Group label={fields.format.label} {...form.getInputProps("format")}>
        <Stack mt="xs" gap="xs">
          {formats.map((format) => (
            <Radio
              key={format}
              value={format}
              label={t(`infrastructure.formats.${format}.name`)}
              description={t(`infrastructure.formats.${format}.meaning`)}
            />
          ))}
        </Stack>
      </Radio.Group>
      <SliderField
        label={fields.validityMonths.label}
        unit={(months) => t("infrastructure.months", { count: months })}
        min={validity.min}
        max={validity.max}
        step={6}
        marks={[12, 24, 36, 48, 60]}
        value={form.values.validityMonths}
        error={form.errors["validityMonths"]}
        path="validityMonths"
        onChange={(months) => {
          form.setFieldValue("validityMonths", months);
        }}
      />
      {form.values.validityMonths > webServerMonthsMax && (
        <Alert color="orange" role="status" icon={<IconAlertTriangle aria-hidden />}>
          {t("infrastructure.fields.longValidity")}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button
          variant="default"
          onClick={() => {
            discard();
            onCancel();
          }}
        >
          {t("confirm.cancel")}
        </Button>
        <Button type="submit" loading={busy}>
          {t("infrastructure.create")}
        </Button>
      </Group>
    </Form>
  );
}
