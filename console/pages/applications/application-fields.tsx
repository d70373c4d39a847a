import { Alert, Stack, Switch, Text, Textarea, TextInput } from "@mantine/core";
import { IconAlertTriangle } from "../../ui/icons.tsx";
import { useTranslation } from "react-i18next";
import { useApplicationFields, type ApplicationForm } from "./application-form.ts";
import type { ApplicationType } from "./applications.ts";
import { ScopeFields } from "./scope-fields.tsx";

/**
 * Shows the form fields of an application. A service has no redirect URIs and no PKCE, because no user signs in to it.
 */
export function ApplicationFields({ type, form }: { type: ApplicationType; form: ApplicationForm }) {
  const { t } = useTranslation();
  const fields = useApplicationFields();
  const service = type === "service";
  const { useClientSecret, requirePKCE } = form.values;
  return (
    <Stack>
      <TextInput
        label={fields.name.label}
        description={t("applications.fields.nameHint")}
        required
        {...form.getInputProps("name")}
      />
      <TextInput
        type="url"
        label={fields.clientURI.label}
        description={t("applications.fields.clientURIHint")}
        placeholder="https://"
        required
        {...form.getInputProps("clientURI")}
      />
      {!service && (
        <Textarea
          label={fields.redirectURIs.label}
          description={t("applications.fields.redirectURIsHint")}
          placeholder="https://"
          required
          autosize
          minRows={1}
          maxRows={10}
          spellCheck={false}
          {...form.getInputProps("redirectURIs")}
        />
      )}
      <ScopeFields
        type={type}
        value={form.values.scopes}
        error={form.errors["scopes"]}
        onChange={(scopes) => {
          form.setFieldValue("scopes", scopes);
        }}
      />
      {service ? (
        <div>
          <Text size="sm">{fields.useClientSecret.label}</Text>
          <Text size="sm" c="dimmed">
            {t("applications.fields.secretFixed")}
          </Text>
        </div>
      ) : (
        <>
          <Switch
            label={fields.useClientSecret.label}
            description={t("applications.fields.secretHint")}
            {...form.getInputProps("useClientSecret", { type: "checkbox" })}
          />
          <Switch
            label={fields.requirePKCE.label}
            description={t("applications.fields.pkceHint")}
            {...form.getInputProps("requirePKCE", { type: "checkbox" })}
          />
        </>
      )}
      <Switch
        label={fields.fullTokenAnswers.label}
        description={t("applications.fields.fullTokenAnswersHint")}
        {...form.getInputProps("fullTokenAnswers", { type: "checkbox" })}
      />
      {!service && !useClientSecret && !requirePKCE && (
        <Alert color="orange" icon={<IconAlertTriangle aria-hidden />}>
          {t("applications.unprotected")}
        </Alert>
      )}
    </Stack>
  );
}
