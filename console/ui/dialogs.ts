import { useSyncExternalStore, type ReactNode } from "react";

/** A question before what cannot be undone. */
export interface Confirmation {
  /** The question, with the name of the thing. */
  title: string;
  /** What cannot be undone. A form in it says while it cannot be confirmed as it is. */
  children: ReactNode | ((block: (blocked: boolean) => void) => ReactNode);
  /** The verb again, with the name of the thing: “Offboard m.keller”. */
  confirmLabel: string;
  /** Has to be typed before. */
  typed?: string;
  /** `confirmTotal`: what was typed where the service has asked for the number. */
  onConfirm: (confirmTotal?: number) => Promise<unknown>;
}

let asked: Confirmation | undefined;
const watchers = new Set<() => void>();

/** Asks, or with undefined asks no longer. */
export function setQuestion(question: Confirmation | undefined): void {
  asked = question;
  for (const notice of watchers) notice();
}

/** The question that waits for its answer. */
export const useQuestion = (): Confirmation | undefined =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => asked,
  );
