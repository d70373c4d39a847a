import { useTranslation } from "react-i18next";
import type { Job } from "./job.ts";
import { kindTexts } from "./kind-texts.ts";

/** Returns a function that names a bulk job: its kind, and the name of its file or list if there is one. */
export function useJobTitle(): (job: Pick<Job, "kind" | "name">) => string {
  const { t } = useTranslation();
  return ({ kind, name }) => [t(kindTexts(kind).title), ...(name === null ? [] : [name])].join(": ");
}
