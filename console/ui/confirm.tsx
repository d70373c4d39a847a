import { lazy, Suspense, useState } from "react";
import { loadPart } from "./load-file.ts";
import { setQuestion, useQuestion, type Confirmation } from "./dialogs.ts";
import { useReturnFocus } from "./use-return-focus.ts";

// Only who asks pays for it.
const ConfirmDialog = lazy(() => loadPart(() => import("./confirm-dialog.tsx")));

/** Asks before what cannot be undone. Cancel has the focus; a failure is shown in place, and nothing is lost. */
export const confirm = (question: Confirmation): void => {
  setQuestion(question);
};

/** Where questions are shown. The last one stays while its dialog closes, which gives the focus back. */
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
