import type { ApplicationValues } from "./application-form.ts";
import type { ApplicationType } from "./applications.ts";

const storageKey = "realmpass-new-application";

export interface Draft {
  type: ApplicationType;
  values: ApplicationValues;
}

/** Returns the form's values from before the session ended, kept for this tab. They contain no secret. */
export function readDraft(): Draft | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(storageKey) ?? "null") as Draft | null) ?? undefined;
  } catch {
    return undefined;
  }
}

export const keepDraft = (draft: Draft): void => {
  sessionStorage.setItem(storageKey, JSON.stringify(draft));
};

export const forgetDraft = (): void => {
  sessionStorage.removeItem(storageKey);
};
