import { lazy, Suspense, useState } from "react";
import { loadPart } from "../load-file.ts";
import { setQuestion, useQuestion, type Confirmation } from "./dialogs.ts";
import { useReturnFocus } from "./use-return-focus.ts";

// Loaded with the first question.
const ConfirmDialog = lazy(() => loadPart(() => import("./confirm-dialog.tsx")));

/**
 * Asks before an action that cannot be undone. The focus is on Cancel. If the action fails, the dialog shows the
 * failure and keeps its input.
 */
export const confirm = (question: Confirmation): void => {
  setQuestion(question);
};

/** Shows the questions and returns the focus after each. The last question stays visible while its dialog closes. */
export function Confirmations() {
  const question = useQuestion();
  const [last, setLast] = useState(question);
  useReturnFocus(question !== undefined);
  if (question !== undefined && question !== last) setLast(question);
  if (last === undefined) return null;
  return (
    <Suspense>
      <ConfirmDialog
        {...last}
        opened={question !== undefined}
        onClose={() => {
          setQuestion(undefined);
        }}
      />
    </Suspense>
  );
}
