import type { UseFormReturnType } from "@mantine/form";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { draftOf, keepDraft } from "../../session/drafts.ts";
import { useSession } from "../../session/session.tsx";

/** How the browser stores the input of a form. */
export interface DraftOptions<Values> {
  /** The name of the form, with the object that the form changes: `note of 12`. */
  name: string;
  /** Fields whose input is never stored. */
  secrets?: readonly (keyof Values)[];
}

/** A form whose input is stored. */
export interface KeptForm {
  /** True if the form shows earlier input. */
  restored: boolean;
  /** Deletes the stored input. Call once the input was sent. */
  forget: () => void;
  /** Shows the initial values again, and deletes the stored input. */
  discard: () => void;
}

/**
 * Stores the input of a form, for this user and in this tab, until the user sends or discards it or signs out, even if
 * the session ends, the user goes back or reloads the page. Only changed fields are stored, so all other fields show
 * the service's current values.
 */
export function useDraft<Values extends object>(
  form: UseFormReturnType<Values>,
  { name, secrets = [] }: DraftOptions<Values>,
): KeptForm {
  const { userID } = useSession().user;
  const [restored, setRestored] = useState(false);
  const { values } = form;
  const seen = useRef(values);

  // Runs once, before the form is painted.
  useLayoutEffect(() => {
    const draft = draftOf(sessionStorage, userID, name) as Partial<Values> | undefined;
    const names = namesOf(form.getInitialValues()).filter((field) => !secrets.includes(field));
    const kept = partOf(draft ?? {}, names);
    if (namesOf(kept).length === 0) return;
    form.setValues(kept);
    setRestored(true);
  }, []);

  // Runs only if the input changes, so the input is not stored again after it was sent.
  useEffect(() => {
    if (seen.current === values) return;
    seen.current = values;
    const initial = form.getInitialValues();
    const isChanged = (field: keyof Values) => JSON.stringify(values[field]) !== JSON.stringify(initial[field]);
    const changed = namesOf(values).filter((field) => !secrets.includes(field) && isChanged(field));
    keepDraft(sessionStorage, userID, name, changed.length === 0 ? undefined : partOf(values, changed));
    if (changed.length === 0) setRestored(false);
  }, [values]);

  const forget = () => {
    setRestored(false);
    keepDraft(sessionStorage, userID, name, undefined);
  };
  return {
    restored,
    forget,
    discard: () => {
      form.reset();
      forget();
    },
  };
}

const namesOf = <Values extends object>(values: Values) => Object.keys(values) as (keyof Values)[];

const partOf = <Values extends object>(values: Partial<Values>, names: readonly (keyof Values)[]): Partial<Values> =>
  Object.fromEntries(names.filter((name) => name in values).map((name) => [name, values[name]])) as Partial<Values>;

/** Returns a function that returns true if the user typed something into a form but neither sent nor discarded it. */
export function useHasDraft(): (name: string) => boolean {
  const { userID } = useSession().user;
  return (name) => draftOf(sessionStorage, userID, name) !== undefined;
}

/**
 * Like `useState`, but stores the value as {@link useDraft} stores a form's input. The third element deletes the stored
 * value.
 */
export function useKeptState<Value>(name: string, initial: Value): [Value, (value: Value) => void, () => void] {
  const { userID } = useSession().user;
  const [value, setValue] = useState(() => {
    const kept = draftOf(sessionStorage, userID, name) as { value: Value } | undefined;
    return kept === undefined ? initial : kept.value;
  });
  return [
    value,
    (next) => {
      setValue(next);
      const isInitial = JSON.stringify(next) === JSON.stringify(initial);
      keepDraft(sessionStorage, userID, name, isInitial ? undefined : { value: next });
    },
    () => {
      keepDraft(sessionStorage, userID, name, undefined);
    },
  ];
}
