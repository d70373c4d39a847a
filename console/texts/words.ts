import { useTranslation } from "react-i18next";
import { wordsIn } from "../../domain/words/words-in.ts";
import type { Vocabulary } from "../../domain/words/vocabulary.ts";
import { currentLanguage } from "./i18n.ts";

/** Returns the service's names of device types and formats in the language of the page. */
export function useWords(): Vocabulary {
  // Makes the component render again when the language changes.
  useTranslation();
  return wordsIn(currentLanguage());
}

/** Formats a list as `A, B or C` in the language of the page. */
export const listOfChoices = (choices: readonly string[]): string =>
  new Intl.ListFormat(currentLanguage() === "en" ? "en-GB" : currentLanguage(), { type: "disjunction" }).format(
    choices,
  );
