import { useForm, type UseFormReturnType } from "@mantine/form";
import { useTranslation } from "react-i18next";
import type { FormField } from "../../ui/form/submission.tsx";
import type { Application, ApplicationScope, ApplicationType } from "./applications.ts";
import { firstScopes } from "./scope-groups.ts";

export interface ApplicationValues {
  name: string;
  clientURI: string;
  /** One URI per line. */
  redirectURIs: string;
  scopes: ApplicationScope[];
  useClientSecret: boolean;
  requirePKCE: boolean;
  fullTokenAnswers: boolean;
}

/** The names of an application's fields, in the order of the form. */
export const applicationFieldNames = [
  "name",
  "clientURI",
  "redirectURIs",
  "scopes",
  "useClientSecret",
  "requirePKCE",
  "fullTokenAnswers",
] as const satisfies readonly (keyof ApplicationValues)[];

export type ApplicationForm = UseFormReturnType<ApplicationValues>;

/** Returns the initial values for a new application. */
export const newApplication = (type: ApplicationType): ApplicationValues => ({
  name: "",
  clientURI: "",
  redirectURIs: "",
  scopes: [...firstScopes[type]],
  useClientSecret: type === "service",
  requirePKCE: type === "useragent",
  fullTokenAnswers: false,
});

/** Returns the form's values for a registered application. */
export const valuesOf = (application: Application): ApplicationValues => ({
  name: application.name,
  clientURI: application.clientURI,
  redirectURIs: application.redirectURIs.join("\n"),
  scopes: [...application.scopes],
  useClientSecret: application.useClientSecret,
  requirePKCE: application.requirePKCE,
  fullTokenAnswers: application.fullTokenAnswers,
});

/** Returns the redirect URIs in a text, one per line, and the first URI separately for an older service. */
function redirectsOf(text: string): Pick<Application, "redirectURI" | "redirectURIs"> {
  const redirectURIs = text.split(/\s+/).filter((uri) => uri !== "");
  return { redirectURI: redirectURIs[0] ?? null, redirectURIs };
}

/** Returns the form's values as the API's registration of an application. */
export const registrationOf = (type: ApplicationType, values: ApplicationValues) => ({
  name: values.name.trim(),
  clientURI: values.clientURI.trim(),
  ...redirectsOf(type === "service" ? "" : values.redirectURIs),
  scopes: values.scopes,
  useClientSecret: values.useClientSecret,
  requirePKCE: values.requirePKCE,
  fullTokenAnswers: values.fullTokenAnswers,
});

export function useApplicationForm(type: ApplicationType, initialValues: ApplicationValues): ApplicationForm {
  const { t } = useTranslation();
  const required = (value: string) => (value.trim() === "" ? t("forms.required") : null);
  return useForm<ApplicationValues>({
    initialValues,
    validate: {
      name: required,
      clientURI: required,
      redirectURIs: (value) => (type === "service" ? null : required(value)),
      scopes: (value) => (value.length === 0 ? t("applications.fields.scopesRule") : null),
    },
  });
}

/**
 * Returns the form's fields by the API's names. The service checks addresses; the rules here are the texts of its
 * errors.
 */
export function useApplicationFields(): Record<keyof ApplicationValues, FormField> {
  const { t } = useTranslation();
  const field = (name: string): FormField => ({
    label: t(`applications.fields.${name}`),
    rule: t(`applications.fields.${name}Rule`),
  });
  return {
    name: field("name"),
    clientURI: field("clientURI"),
    redirectURIs: field("redirectURIs"),
    scopes: field("scopes"),
    useClientSecret: { label: t("applications.fields.useClientSecret") },
    requirePKCE: { label: t("applications.fields.requirePKCE") },
    fullTokenAnswers: { label: t("applications.fields.fullTokenAnswers") },
  };
}
