import { Alert, Anchor, List, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconAlertTriangle } from "../icons.tsx";
import { useEffect, useRef, useState, type ReactNode, type SubmitEvent } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "../../api/api-client.ts";
import { useErrorMessage } from "../notice/error-notice.tsx";
import { useDraft, type DraftOptions } from "./draft.ts";
import { RestoredInput } from "./restored-input.tsx";

/** A field of a form, by its API name. */
export interface FormField {
  label: string;
  /** The accepted values, in the user's words; if omitted, the form shows the service's own message. */
  rule?: string;
}

/** `send` returns this if it saved nothing: the form keeps its input. */
export const unsent = Symbol("unsent");

interface SubmissionOptions<Values> {
  form: UseFormReturnType<Values>;
  fields: Readonly<Record<string, FormField>>;
  draft: DraftOptions<Values>;
  /**
   * `key` is the Idempotency-Key: the same if the user sends the same values again after a failure, so a retry creates
   * nothing twice. `signal` is aborted when the form leaves the screen.
   */
  send: (values: Values, sending: { key: string; signal: AbortSignal }) => Promise<unknown>;
}

/** The state of a form that the user fills in and sends. */
export interface Submission {
  submit: (event?: SubmitEvent<HTMLFormElement>) => void;
  busy: boolean;
  summary: ReactNode;
  /** Shows the initial values again, and discards the stored input. */
  discard: () => void;
}

/**
 * Sends a form, and stores its input until it is sent. Errors appear at their fields, and in a summary above the form,
 * which gets the focus.
 */
export function useSubmission<Values extends object>({
  form,
  fields,
  draft,
  send,
}: SubmissionOptions<Values>): Submission {
  const { restored, forget, discard } = useDraft(form, draft);
  const [attempt, setAttempt] = useState(0);
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  const sent = useRef({ values: "", key: "" });

  const leaving = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => {
      controller.abort();
    };
  }, []);

  const keyFor = (values: Values): string => {
    const written = JSON.stringify(values);
    if (sent.current.values !== written) sent.current = { values: written, key: crypto.randomUUID() };
    return sent.current.key;
  };
  const refuse = () => {
    setAttempt((attempts) => attempts + 1);
  };
  const act = async (values: Values) => {
    setError(undefined);
    setBusy(true);
    try {
      const outcome = await send(values, { key: keyFor(values), signal: leaving.current.signal });
      if (outcome !== unsent) forget();
      sent.current = { values: "", key: "" };
    } catch (thrown) {
      form.setErrors(refusedFields(thrown, fields));
      setError(thrown instanceof Error ? thrown : new Error("thrown", { cause: thrown }));
      refuse();
    } finally {
      setBusy(false);
    }
  };

  return {
    submit: form.onSubmit(
      (values) => void act(values),
      () => {
        setError(undefined);
        refuse();
      },
    ),
    busy,
    summary: (
      <>
        <RestoredInput restored={restored} discard={discard} />
        <Summary form={form} fields={fields} error={error} attempt={attempt} />
      </>
    ),
    discard,
  };
}

/** Returns the service's errors by field. */
function refusedFields(error: unknown, fields: Readonly<Record<string, FormField>>): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    error.fields.flatMap(({ path, reason }) => {
      const name = path.split(/[.[]/, 1)[0] ?? "";
      return fields[name] === undefined ? [] : [[name, fields[name].rule ?? reason]];
    }),
  );
}

function Summary<Values>({
  form,
  fields,
  error,
  attempt,
}: Pick<SubmissionOptions<Values>, "form" | "fields"> & { error: Error | undefined; attempt: number }) {
  const { t } = useTranslation();
  const message = useErrorMessage();
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (attempt > 0) notice.current?.focus();
  }, [attempt]);
  const refused = Object.keys(form.errors).filter((name) => fields[name] !== undefined);
  const other = error instanceof ApiError && error.fields.length > 0 && refused.length > 0 ? undefined : error;
  if (attempt === 0 || (refused.length === 0 && error === undefined)) return null;
  return (
    <Alert
      ref={notice}
      tabIndex={-1}
      color="red"
      icon={<IconAlertTriangle aria-hidden />}
      title={t(refused.length > 0 ? "forms.refused" : "errors.title")}
      role="alert"
    >
      {refused.length > 0 && (
        <List size="sm">
          {refused.map((name) => (
            <List.Item key={name}>
              <Anchor
                component="button"
                type="button"
                inherit
                mih={24}
                c="inherit"
                td="underline"
                ta="start"
                onClick={() => form.getInputNode(name)?.focus()}
              >
                {fields[name]?.label}: {form.errors[name]}
              </Anchor>
            </List.Item>
          ))}
        </List>
      )}
      {other !== undefined && <Text size="sm">{message(other)}</Text>}
      {other instanceof ApiError && other.requestId !== undefined && (
        <Text size="sm" mt={4}>
          {t("errors.reference")} <code>{other.requestId}</code>
        </Text>
      )}
    </Alert>
  );
}
