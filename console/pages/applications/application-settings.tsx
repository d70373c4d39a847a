import { Alert, Button, Group, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Allowed, Fields } from "../../session/allowed.tsx";
import { Form } from "../../ui/form.tsx";
import { LeaveGuard } from "../../ui/leave-guard.tsx";
import { notifyDone } from "../../ui/notify.tsx";
import { useSubmission } from "../../ui/submission.tsx";
import { useApplicationChanges } from "./application-changes.ts";
import { ApplicationFields } from "./application-fields.tsx";
import { registrationOf, useApplicationFields, useApplicationForm, valuesOf } from "./application-form.ts";
import type { Application } from "./applications.ts";

/** What an application is registered with, to be changed. */
export function ApplicationSettings({ application }: { application: Application }) {
  const { t } = useTranslation();
  const { type, client_id: clientId, scopes } = application;
  const { change } = useApplicationChanges(clientId);
  const form = useApplicationForm(type, valuesOf(application));
  const { submit, busy, summary } = useSubmission({
    form,
    fields: useApplicationFields(),
    async send(values) {
      const wanted = registrationOf(type, values);
      // What somebody else changed meanwhile stays.
      const changes = Object.entries(wanted).filter(
        ([name, value]) => JSON.stringify(value) !== JSON.stringify(application[name as keyof typeof wanted]),
      );
      await change(Object.fromEntries(changes));
      form.resetDirty(values);
      notifyDone(t("applications.saved"));
    },
  });
  const taken = scopes.filter((scope) => !form.values.scopes.includes(scope));
  const dirty = form.isDirty();

  return (
    <Form onSubmit={submit}>
      <LeaveGuard when={dirty} text={t("forms.leaveUnsaved")} />
      <Title order={2} size="h3">
        {t("applications.settings")}
      </Title>
      {summary}
      <Fields deed="changeApplication">
        <ApplicationFields type={type} form={form} />
      </Fields>
      <div role="status">
        {taken.length > 0 && (
          <Alert color="orange">
            {t("applications.scopesTaken", { count: taken.length, scopes: taken.join(", ") })}
          </Alert>
        )}
      </div>
      <Allowed to="changeApplication">
        <Group justify="flex-end">
          <Button variant="default" disabled={!dirty} onClick={form.reset}>
            {t("forms.discard")}
          </Button>
          <Button type="submit" loading={busy} disabled={!dirty}>
            {t("forms.save")}
          </Button>
        </Group>
      </Allowed>
    </Form>
  );
}
