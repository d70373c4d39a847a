/** The languages of pages and the console. The first is the default. */
export const languages = ["en", "de"] as const;
export type Language = (typeof languages)[number];

/** Returns the supported language of a tag (RFC 5646), by its first subtag; undefined for any other language. */
export const languageOfTag = (tag: string | null | undefined): Language | undefined => {
  const primary = tag?.split("-", 1)[0]?.toLowerCase();
  return languages.find((language) => language === primary);
};

/** Returns a function that returns the texts of a language. */
export const textsIn =
  <Texts>(texts: Readonly<Record<Language, Texts>>) =>
  (language: Language): Texts =>
    texts[language];
