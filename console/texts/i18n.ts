import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import germanFile from "./de.json?url";
import englishFile from "./en.json?url";

export const languages = ["en", "de"] as const;
export type Language = (typeof languages)[number];

const storageKey = "realmpass-language";

/** Each language is a file of its own, fetched when it is spoken. */
const files: Readonly<Record<Language, string>> = { en: englishFile, de: germanFile };

async function textsIn(language: Language): Promise<object> {
  const response = await fetch(files[language]);
  if (!response.ok) throw new Error(`no texts: ${response.status}`);
  return (await response.json()) as object;
}

const isLanguage = (value: string | null | undefined): value is Language =>
  languages.some((language) => language === value);

function firstLanguage(): Language {
  const chosen = localStorage.getItem(storageKey);
  if (isLanguage(chosen)) return chosen;
  const preferred = navigator.languages.map((tag) => tag.split("-", 1)[0]?.toLowerCase());
  return preferred.find(isLanguage) ?? "en";
}

const begun = firstLanguage();
await i18next.use(initReactI18next).init({
  lng: begun,
  resources: { [begun]: { translation: await textsIn(begun) } },
  // React escapes.
  interpolation: { escapeValue: false },
  returnNull: false,
});
document.documentElement.lang = begun;

/** The language of everything on the page. */
export const currentLanguage = (): Language => (isLanguage(i18next.language) ? i18next.language : "en");

/** Shows everything in another language, and remembers it. */
export async function speak(language: Language): Promise<void> {
  localStorage.setItem(storageKey, language);
  i18next.addResourceBundle(language, "translation", await textsIn(language));
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}
