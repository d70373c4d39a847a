import { useSyncExternalStore, type ReactNode } from "react";

/** A question before an action that cannot be undone. */
export interface Confirmation {
  /** The question, with the name of its subject. */
  title: string;
  /** The consequences. A form inside can block the confirmation while its values are invalid. */
  children: ReactNode | ((block: (blocked: boolean) => void) => ReactNode);
  /** The verb of the question, with the name of its subject: “Offboard m.keller”. */
  confirmLabel: string;
  /** The text that the user must type first. */
  typed?: string;
  /** `confirmTotal` is the number that the user typed, if the service asked for one. */
  onConfirm: (confirmTotal?: number) => Promise<unknown>;
}

let asked: Confirmation | undefined;
const watchers = new Set<() => void>();

/** Sets the question; undefined removes it. */
export function setQuestion(question: Confirmation | undefined): void {
  asked = question;
  for (const notice of watchers) notice();
}

export const useQuestion = (): Confirmation | undefined =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => asked,
  );
