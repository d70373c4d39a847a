import { Button, Card, Group, Stepper } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { api, dataOf, type Schemas } from "../../api/api-client.ts";
import { Form } from "../../ui/form/form.tsx";
import { Page } from "../../ui/page.tsx";
import { useSubmission } from "../../ui/form/submission.tsx";
import { ApplicationFields } from "./application-fields.tsx";
import {
  newApplication,
  registrationOf,
  useApplicationFields,
  useApplicationForm,
  type ApplicationValues,
} from "./application-form.ts";
import { applicationsKey, type ApplicationType } from "./applications.ts";
import { forgetDraft, keepDraft, readDraft } from "./draft.ts";
import { Registered } from "./registered.tsx";
import { TypeChoice } from "./type-choice.tsx";

type Registration = Schemas["ApplicationWithSecret"];

/** Registers an application in three steps: its type, its settings, its credentials. */
export function RegisterPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [draft] = useState(readDraft);
  const [type, setType] = useState<ApplicationType | undefined>(draft?.type);
  const [choosing, setChoosing] = useState(draft === undefined);
  const [registered, setRegistered] = useState<Registration>();
  // A draft survives signing in again, which leaves the console; opening another page of the console discards it.
  useEffect(() => forgetDraft, []);

  const step = registered !== undefined ? 2 : choosing ? 0 : 1;
  return (
    <Page title={t("applications.register")}>
      <Stepper active={step} size="sm" allowNextStepsSelect={false} iconSize={32}>
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
            initialValues={{ ...newApplication(type), ...(draft?.type === type && draft.values) }}
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
  initialValues,
  onBack,
  onRegistered,
}: {
  type: ApplicationType;
  initialValues: ApplicationValues;
  onBack: () => void;
  onRegistered: (registration: Registration) => void;
}) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const form = useApplicationForm(type, initialValues, (values) => {
    keepDraft({ type, values });
  });
  const { submit, busy, summary } = useSubmission({
    form,
    fields: useApplicationFields(),
    async send(values, { key }) {
      const params = { header: { "Idempotency-Key": key } };
      const body = { type, ...registrationOf(type, values) };
      const registration = await dataOf(api.POST("/api/applications", { params, body }));
      forgetDraft();
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
