import { Alert, Button, Group, Title } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ChangedMeanwhile, useMeanwhile } from "../../ui/notice/changed-meanwhile.tsx";
import { Form } from "../../ui/form/form.tsx";
import { LeaveGuard } from "../../ui/dialog/leave-guard.tsx";
import { notifyDone } from "../../ui/notice/notify.tsx";
import { unsent, useSubmission } from "../../ui/form/submission.tsx";
import { changeable, useApplicationChanges } from "./application-changes.ts";
import { ApplicationFields } from "./application-fields.tsx";
import {
  applicationFieldNames,
  registrationOf,
  useApplicationFields,
  useApplicationForm,
  valuesOf,
} from "./application-form.ts";
import type { Application } from "./applications.ts";

/** Shows the form that changes an application's registration. */
export function ApplicationSettings({ application }: { application: Application }) {
  const { t } = useTranslation();
  const { type, client_id: clientId, scopes } = application;
  const { change } = useApplicationChanges(clientId);
  const form = useApplicationForm(type, valuesOf(application));
  const meanwhile = useMeanwhile(form, valuesOf(application));
  /** The version that the form's changes are based on. */
  const [seen, setSeen] = useState(application);
  const fields = useApplicationFields();
  const { submit, busy, summary } = useSubmission({
    form,
    fields,
    draft: { name: `application ${clientId}` },
    async send(values) {
      const wanted = registrationOf(type, values);
      const changes = Object.entries(wanted).filter(
        ([name, value]) => JSON.stringify(value) !== JSON.stringify(seen[name as keyof typeof wanted]),
      );
      const outcome = await change(Object.fromEntries(changes), {
        seen,
        names: changeable.filter((name) => name !== "active"),
      });
      if ("now" in outcome) {
        setSeen(outcome.now);
        meanwhile.moved(valuesOf(outcome.now));
        return unsent;
      }
      setSeen(outcome.changed);
      meanwhile.saved(valuesOf(outcome.changed));
      notifyDone(t("applications.saved"));
      return undefined;
    },
  });
  const taken = scopes.filter((scope) => !form.values.scopes.includes(scope));
  const dirty = form.isDirty();
  const { outdated, read } = meanwhile;
  const written = (value: string | boolean | readonly string[]): string =>
    typeof value === "boolean"
      ? t(`audit.values.${String(value)}`)
      : typeof value === "string"
        ? value
        : value.join(", ");

  return (
    <Form onSubmit={submit}>
      <LeaveGuard when={dirty} text={t("forms.leaveUnsaved")} />
      <Title order={2} size="h3">
        {t("applications.settings")}
      </Title>
      {summary}
      {outdated !== undefined && (
        <ChangedMeanwhile
          changes={applicationFieldNames
            .filter((name) => JSON.stringify(outdated[name]) !== JSON.stringify(read[name]))
            .map((name) => [fields[name].label, written(read[name])])}
          onTake={meanwhile.discard}
          onKeep={() => {
            submit();
          }}
        />
      )}
      <ApplicationFields type={type} form={form} />
      <div role="status" className="message-region">
        {taken.length > 0 && (
          <Alert color="orange">
            {t("applications.scopesTaken", { count: taken.length, scopes: taken.join(", ") })}
          </Alert>
        )}
      </div>
      <Group justify="flex-end">
        <Button variant="default" disabled={!dirty} onClick={meanwhile.discard}>
          {t("forms.discard")}
        </Button>
        <Button type="submit" loading={busy} disabled={!dirty}>
          {t("forms.save")}
        </Button>
      </Group>
    </Form>
  );
}
