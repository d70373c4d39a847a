import { useSyncExternalStore, type ReactNode } from "react";

/** A question before an action that cannot be undone. */
export interface Confirmation {
  /** The question, with the name of the thing. */
  title: string;
  /** The consequences. A form inside can block the confirmation while its values are invalid. */
  children: ReactNode | ((block: (blocked: boolean) => void) => ReactNode);
  /** The verb again, with the name of the thing: “Offboard m.keller”. */
  confirmLabel: string;
  /** The user must type this first. */
  typed?: string;
  /** `confirmTotal`: the number that the user typed if the service asked for one. */
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
