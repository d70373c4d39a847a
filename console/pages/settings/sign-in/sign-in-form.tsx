import { Button, Fieldset, Group, PasswordInput, SimpleGrid, Text, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { roles } from "../../../../domain/people/roles.ts";
import { ApiError } from "../../../api/api-client.ts";
import { Form } from "../../../ui/form/form.tsx";
import { useSubmission } from "../../../ui/form/submission.tsx";
import { CopyBox } from "../../../ui/value/copy-box.tsx";
import { areRules, checkDraft, checkNamed, signInKey, valuesOf, type SignIn, type SignInValues } from "./sign-in.ts";

const claimNames = ["pairwiseID", "email", "displayName"] as const;

/**
 * Shows the form for the identity provider, its claims and the rules. Sending the form checks the provider and stores a
 * draft.
 */
export function SignInForm({ signIn: { draft, callbackURI } }: { signIn: SignIn }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const label = (name: keyof SignInValues): string =>
    (roles as readonly string[]).includes(name) ? t(`roles.names.${name}`) : t(`settings.signIn.fields.${name}`);
  const required = (value: string) => (value.trim() === "" ? t("settings.signIn.required") : null);
  const rules = (value: string) => (areRules(value) ? null : t("settings.signIn.ruleForm"));
  const form = useForm<SignInValues>({
    initialValues: valuesOf(draft),
    validate: {
      issuer: required,
      clientID: required,
      mayUse: rules,
      ...Object.fromEntries(roles.map((role) => [role, rules])),
    },
  });
  const names = Object.keys(form.values) as (keyof SignInValues)[];
  const { submit, busy, summary } = useSubmission<SignInValues>({
    form,
    fields: Object.fromEntries(names.map((name) => [name, { label: label(name) }])),
    draft: { name: "sign-in", secrets: ["clientSecret"] },
    async send(values) {
      try {
        await checkDraft(values);
      } catch (error) {
        throw error instanceof ApiError ? translated(error) : error;
      }
      form.setFieldValue("clientSecret", "");
      await queryClient.invalidateQueries({ queryKey: signInKey });
    },
  });
  const translated = ({ code, message, status, fields, requestId }: ApiError): ApiError =>
    new ApiError(code, message, {
      status,
      requestId,
      fields: fields.map(({ path, reason }) => {
        const check = checkNamed(reason);
        return { path, reason: check === undefined ? reason : t(`settings.signIn.checks.${check}`) };
      }),
    });

  return (
    <Form onSubmit={submit} maw={860}>
      {summary}
      <div>
        <Text size="sm">{t("settings.signIn.register")}</Text>
        <CopyBox text={callbackURI} label={t("settings.signIn.callbackURI")} />
      </div>
      <TextInput
        label={label("issuer")}
        description={t("settings.signIn.issuerNote")}
        placeholder="https://idp.example.org"
        inputMode="url"
        required
        {...form.getInputProps("issuer")}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput label={label("clientID")} autoComplete="off" required {...form.getInputProps("clientID")} />
        <PasswordInput
          label={label("clientSecret")}
          description={t(draft?.clientSecretSet === true ? "settings.signIn.secretKept" : "settings.signIn.secretNote")}
          autoComplete="off"
          visibilityToggleButtonProps={{
            "aria-label": t("settings.signIn.showSecret"),
            tabIndex: 0,
            "aria-hidden": false,
          }}
          inputWrapperOrder={["label", "input", "description", "error"]}
          {...form.getInputProps("clientSecret")}
        />
      </SimpleGrid>
      <Fieldset legend={t("settings.signIn.claims")}>
        <Text size="sm" c="dimmed" mb="sm">
          {t("settings.signIn.claimsNote")}
        </Text>
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          {claimNames.map((name) => (
            <TextInput
              key={name}
              label={label(name)}
              placeholder={{ pairwiseID: "sub", email: "email", displayName: "name" }[name]}
              {...form.getInputProps(name)}
            />
          ))}
        </SimpleGrid>
      </Fieldset>
      <Textarea
        label={label("mayUse")}
        description={t("settings.signIn.mayUseNote")}
        placeholder="groups=wifi-access"
        autosize
        minRows={2}
        {...form.getInputProps("mayUse")}
      />
      <Fieldset legend={t("settings.signIn.roles")}>
        <Text size="sm" c="dimmed" mb="sm">
          {t("settings.signIn.rolesNote")}
        </Text>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {roles.map((role) => (
            <Textarea
              key={role}
              label={label(role)}
              placeholder="groups=wifi-admins"
              autosize
              minRows={1}
              {...form.getInputProps(role)}
            />
          ))}
        </SimpleGrid>
      </Fieldset>
      <Group>
        <Button type="submit" loading={busy}>
          {t("settings.signIn.check")}
        </Button>
      </Group>
    </Form>
  );
}
