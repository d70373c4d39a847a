import { Button, Card, Group, Stepper } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { applicationTypes } from "../../../domain/people/scopes.ts";
import { api, dataOf, type Schemas } from "../../api/api-client.ts";
import { Form } from "../../ui/form/form.tsx";
import { Page } from "../../ui/page.tsx";
import { useSubmission } from "../../ui/form/submission.tsx";
import { useHasDraft } from "../../ui/form/draft.ts";
import { ApplicationFields } from "./application-fields.tsx";
import { newApplication, registrationOf, useApplicationFields, useApplicationForm } from "./application-form.ts";
import { applicationsKey, type ApplicationType } from "./applications.ts";
import { Registered } from "./registered.tsx";
import { TypeChoice } from "./type-choice.tsx";

type Registration = Schemas["ApplicationWithSecret"];

const registrationDraft = (type: ApplicationType): string => `registration of a ${type}`;

/** Registers an application in three steps: its type, its settings, its credentials. */
export function RegisterPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const hasDraft = useHasDraft();
  const [type, setType] = useState(() => applicationTypes.find((known) => hasDraft(registrationDraft(known))));
  const [choosing, setChoosing] = useState(type === undefined);
  const [registered, setRegistered] = useState<Registration>();

  const step = registered !== undefined ? 2 : choosing ? 0 : 1;
  return (
    <Page title={t("applications.register")}>
      <Stepper maw={900} active={step} size="sm" allowNextStepsSelect={false} iconSize={32}>
        {(["type", "details", "result"] as const).map((name) => (
          <Stepper.Step key={name} label={t(`applications.steps.${name}`)} component="div" />
        ))}
      </Stepper>
      <Card withBorder maw={900} p={{ base: "md", sm: "xl" }}>
        {registered !== undefined ? (
          <Registered
            registration={registered}
            onDone={() => void navigate({ to: "/applications/$clientId", params: { clientId: registered.client_id } })}
          />
        ) : choosing || type === undefined ? (
          <TypeChoice
            chosen={type}
            onChoose={(chosen) => {
              setType(chosen);
              setChoosing(false);
            }}
          />
        ) : (
          <Details
            key={type}
            type={type}
            onBack={() => {
              setChoosing(true);
            }}
            onRegistered={setRegistered}
          />
        )}
      </Card>
    </Page>
  );
}

function Details({
  type,
  onBack,
  onRegistered,
}: {
  type: ApplicationType;
  onBack: () => void;
  onRegistered: (registration: Registration) => void;
}) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const form = useApplicationForm(type, newApplication(type));
  const { submit, busy, summary } = useSubmission({
    form,
    fields: useApplicationFields(),
    draft: { name: registrationDraft(type) },
    async send(values, { key }) {
      const params = { header: { "Idempotency-Key": key } };
      const body = { type, ...registrationOf(type, values) };
      const registration = await dataOf(api.POST("/api/applications", { params, body }));
      void queries.invalidateQueries({ queryKey: [applicationsKey] });
      onRegistered(registration);
    },
  });
  return (
    <Form onSubmit={submit}>
      {summary}
      <ApplicationFields type={type} form={form} />
      <Group justify="space-between" mt="lg">
        <Button variant="default" onClick={onBack}>
          {t("applications.back")}
        </Button>
        <Button type="submit" loading={busy}>
          {t("applications.register")}
        </Button>
      </Group>
    </Form>
  );
}
