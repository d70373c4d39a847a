import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { languageOfTag, languages, type Language } from "../../domain/words/language.ts";
import germanFile from "./de.json?url";
import englishFile from "./en.json?url";

const storageKey = "realmpass-language";

/** Each language is in a separate file, loaded on demand. */
const files: Readonly<Record<Language, string>> = { en: englishFile, de: germanFile };

async function fetchTexts(language: Language): Promise<object> {
  const response = await fetch(files[language]);
  if (!response.ok) throw new Error(`no texts: ${response.status}`);
  return (await response.json()) as object;
}

function firstLanguage(): Language {
  const wanted = [localStorage.getItem(storageKey), ...navigator.languages].map(languageOfTag);
  return wanted.find((language) => language !== undefined) ?? languages[0];
}

const begun = firstLanguage();
await i18next.use(initReactI18next).init({
  lng: begun,
  resources: { [begun]: { translation: await fetchTexts(begun) } },
  // React escapes values.
  interpolation: { escapeValue: false },
  returnNull: false,
});
document.documentElement.lang = begun;

/** Returns the language of the page. */
export const currentLanguage = (): Language => languageOfTag(i18next.language) ?? languages[0];

/** Switches the page to another language and stores the choice. */
export async function speak(language: Language): Promise<void> {
  localStorage.setItem(storageKey, language);
  i18next.addResourceBundle(language, "translation", await fetchTexts(language));
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}
